package poster

import (
	"image"
	"image/color"
	"image/draw"
	"math"

	"golang.org/x/image/font"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"golang.org/x/image/vector"
)

// sheet is an image that is drawn on.
type sheet struct {
	*Painter
	img    *image.RGBA
	buffer sfnt.Buffer
}

func (p *Painter) sheet(w, h int, back string) *sheet {
	s := &sheet{Painter: p, img: image.NewRGBA(image.Rect(0, 0, w, h))}
	draw.Draw(s.img, s.img.Bounds(), image.NewUniform(rgb(back)), image.Point{}, draw.Src)
	return s
}

// ink is a color that lets so much of the ground through.
func ink(hex string, opacity float64) color.Color {
	c := rgb(hex)
	c.A = uint8(math.Round(255 * math.Min(1, math.Max(0, opacity))))
	return c
}

// fill colors the inside of ways. What does not touch the image costs nothing.
func (s *sheet) fill(ways []line, c color.Color) {
	x0, y0, x1, y1 := bounds(ways)
	area := image.Rect(int(math.Floor(x0)), int(math.Floor(y0)), int(math.Ceil(x1)), int(math.Ceil(y1))).Intersect(s.img.Bounds())
	if area.Empty() {
		return
	}
	r := vector.NewRasterizer(area.Dx(), area.Dy())
	for _, way := range ways {
		for i, p := range way.points {
			x, y := float32(p.x-float64(area.Min.X)), float32(p.y-float64(area.Min.Y))
			if i == 0 {
				r.MoveTo(x, y)
			} else {
				r.LineTo(x, y)
			}
		}
		r.ClosePath()
	}
	r.Draw(s.img, area, image.NewUniform(c), image.Point{})
}

func bounds(ways []line) (x0, y0, x1, y1 float64) { //nolint:revive // a box
	x0, y0, x1, y1 = math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
	for _, way := range ways {
		for _, p := range way.points {
			x0, y0, x1, y1 = math.Min(x0, p.x), math.Min(y0, p.y), math.Max(x1, p.x), math.Max(y1, p.y)
		}
	}
	if math.IsInf(x0, 1) {
		return 0, 0, 0, 0
	}
	return x0, y0, x1, y1
}

// stroke draws along ways with a round pen. All pieces turn the same way, so
// that where they overlap the color does not add up.
func (s *sheet) stroke(ways []line, width float64, c color.Color) {
	var pieces []line
	r := width / 2
	for _, way := range ways {
		points := way.points
		if way.closed && len(points) > 0 {
			points = append(append([]point{}, points...), points[0])
		}
		for i, p := range points {
			if width > 1.2 {
				pieces = append(pieces, dot(p, r))
			}
			if i == 0 {
				continue
			}
			q := points[i-1]
			dx, dy := p.x-q.x, p.y-q.y
			n := math.Hypot(dx, dy)
			if n == 0 {
				continue
			}
			nx, ny := -dy/n*r, dx/n*r
			pieces = append(pieces, line{points: []point{{q.x - nx, q.y - ny}, {p.x - nx, p.y - ny}, {p.x + nx, p.y + ny}, {q.x + nx, q.y + ny}}})
		}
	}
	s.fill(pieces, c)
}

// dot is the end of a round pen.
func dot(at point, r float64) line {
	const steps = 12
	l := line{}
	for i := range steps {
		a := 2 * math.Pi * float64(i) / steps
		l.points = append(l.points, point{at.x + r*math.Cos(a), at.y + r*math.Sin(a)})
	}
	return l
}

// dashed cuts ways into dashes.
func dashed(ways []line, pattern []float64) []line {
	var out []line
	for _, way := range ways {
		points := way.points
		if way.closed && len(points) > 0 {
			points = append(append([]point{}, points...), points[0])
		}
		at, left := 0, pattern[0]
		piece := line{}
		for i := 1; i < len(points); i++ {
			p, q := points[i-1], points[i]
			length := math.Hypot(q.x-p.x, q.y-p.y)
			for done := 0.0; done < length; {
				go1 := math.Min(left, length-done)
				a, b := done/length, (done+go1)/length
				if at%2 == 0 {
					if len(piece.points) == 0 {
						piece.points = append(piece.points, between(p, q, a))
					}
					piece.points = append(piece.points, between(p, q, b))
				}
				done += go1
				if left -= go1; left <= 0 {
					if len(piece.points) > 0 {
						out, piece = append(out, piece), line{}
					}
					at++
					left = pattern[at%len(pattern)]
				}
			}
		}
		if len(piece.points) > 0 {
			out = append(out, piece)
		}
	}
	return out
}

func between(p, q point, t float64) point { return point{p.x + (q.x-p.x)*t, p.y + (q.y-p.y)*t} }

// letters is a text to be written.
type letters struct {
	text   string
	at     point
	font   string // bold, mono, brand; empty: ui
	size   float64
	ink    color.Color
	end    bool // it ends where it stands
	middle bool // it stands around its place
}

func (p *Painter) font(name string) *sfnt.Font {
	switch name {
	case "bold":
		return p.bold
	case "mono":
		return p.mono
	case "brand":
		return p.brand
	default:
		return p.ui
	}
}

// measure is how wide a text gets.
func (p *Painter) measure(text, name string, size float64) float64 {
	var buffer sfnt.Buffer
	f, w := p.font(name), 0.0
	for _, r := range text {
		w += advance(f, &buffer, r, size)
	}
	return w
}

// wide is how much room a sign takes that the fonts do not have.
const wide = 0.95

func advance(f *sfnt.Font, buffer *sfnt.Buffer, r rune, size float64) float64 {
	i, err := f.GlyphIndex(buffer, r)
	if err != nil || i == 0 {
		return wide * size
	}
	a, err := f.GlyphAdvance(buffer, i, ppem(size), font.HintingNone)
	if err != nil {
		return wide * size
	}
	return float64(a) / 64
}

func ppem(size float64) fixed.Int26_6 { return fixed.Int26_6(math.Round(size * 64)) }

// write puts a text on the sheet. A sign that the fonts do not have, such as a
// Chinese one, becomes a bar, as on the small drawings of the gallery.
func (s *sheet) write(l letters) {
	f := s.font(l.font)
	x := l.at.x
	switch {
	case l.end:
		x -= s.measure(l.text, l.font, l.size)
	case l.middle:
		x -= s.measure(l.text, l.font, l.size) / 2
	}
	var ways, bars []line
	missing := 0.0 // room of the signs behind x that the font does not have
	for _, r := range l.text {
		i, err := f.GlyphIndex(&s.buffer, r)
		w := advance(f, &s.buffer, r, l.size)
		if err != nil || i == 0 {
			missing += w
			continue
		}
		if missing > 0 {
			bars, x, missing = append(bars, l.bar(x, missing)), x+missing, 0
		}
		if segments, err := f.LoadGlyph(&s.buffer, i, ppem(l.size), nil); err == nil {
			ways = append(ways, glyph(segments, x, l.at.y)...)
		}
		x += w
	}
	if missing > 0 {
		bars = append(bars, l.bar(x, missing))
	}
	s.fill(ways, l.ink)
	if len(bars) > 0 {
		c, _ := color.NRGBAModel.Convert(l.ink).(color.NRGBA)
		c.A /= 4
		s.fill(bars, c)
	}
}

// bar stands for signs that the font does not have.
func (l letters) bar(x, w float64) line {
	return roundRect(x, l.at.y-l.size*0.62, w, l.size*0.52, l.size*0.2)
}

// glyph turns the outline of a letter into ways.
func glyph(segments sfnt.Segments, x, y float64) []line {
	p := &pen{}
	at := func(q fixed.Point26_6) point { return point{x + float64(q.X)/64, y + float64(q.Y)/64} }
	for _, s := range segments {
		switch s.Op {
		case sfnt.SegmentOpMoveTo:
			p.at = at(s.Args[0])
			p.ways = append(p.ways, line{points: []point{p.at}})
		case sfnt.SegmentOpLineTo:
			p.to(at(s.Args[0]))
		case sfnt.SegmentOpQuadTo:
			a, c, e := p.at, at(s.Args[0]), at(s.Args[1])
			p.curve(between(a, c, 2.0/3), between(e, c, 2.0/3), e)
		case sfnt.SegmentOpCubeTo:
			p.curve(at(s.Args[0]), at(s.Args[1]), at(s.Args[2]))
		}
	}
	return p.ways
}

// put draws the elements of a drawing at a place.
func (s *sheet) put(list []element, t Theme, at place) {
	for _, e := range list {
		look := t.look(e.name, e.classes)
		e.at = at.inner(e.at.x, e.at.y, e.at.scale)
		if e.name == "text" {
			s.write(letters{
				text: e.text, at: point{e.at.x + e.num("x")*e.at.scale, e.at.y + e.num("y")*e.at.scale},
				font: look.font, size: look.size * e.at.scale, ink: ink(look.fill, look.opacity), end: look.end, middle: look.middle,
			})
			continue
		}
		ways := e.outline()
		if look.fill != "" {
			s.fill(ways, ink(look.fill, look.opacity*whole(look.fillOpacity)))
		}
		if look.stroke == "" {
			continue
		}
		if len(look.dash) > 0 {
			pattern := make([]float64, len(look.dash))
			for i, d := range look.dash {
				pattern[i] = d * e.at.scale
			}
			ways = dashed(ways, pattern)
		}
		s.stroke(ways, math.Max(0.8, look.width*e.at.scale), ink(look.stroke, look.opacity*whole(look.strokeOpacity)))
	}
}

// whole is an opacity that was left out.
func whole(f float64) float64 {
	if f == 0 {
		return 1
	}
	return f
}
