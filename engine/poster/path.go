package poster

import (
	"math"
	"strconv"
	"strings"
)

type point struct{ x, y float64 }

// line is a way of straight pieces; curves are cut fine enough for a picture.
type line struct {
	points []point
	closed bool
}

// outline is the way around a shape, or along it.
func (e element) outline() []line {
	var ways []line
	switch e.name {
	case "rect":
		ways = []line{roundRect(e.num("x"), e.num("y"), e.num("width"), e.num("height"), e.num("rx"))}
	case "circle":
		ways = []line{ellipse(e.num("cx"), e.num("cy"), e.num("r"))}
	case "path":
		ways = pathOf(e.attrs["d"])
	}
	for _, way := range ways {
		for i, p := range way.points {
			way.points[i] = point{e.at.x + p.x*e.at.scale, e.at.y + p.y*e.at.scale}
		}
	}
	return ways
}

// circleSteps cut a circle, curveSteps a Bézier curve.
const (
	circleSteps = 48
	curveSteps  = 20
)

func ellipse(cx, cy, r float64) line {
	l := line{closed: true}
	for i := range circleSteps {
		a := 2 * math.Pi * float64(i) / circleSteps
		l.points = append(l.points, point{cx + r*math.Cos(a), cy + r*math.Sin(a)})
	}
	return l
}

func roundRect(x, y, w, h, r float64) line {
	r = math.Min(r, math.Min(w, h)/2)
	if r <= 0 {
		return line{[]point{{x, y}, {x + w, y}, {x + w, y + h}, {x, y + h}}, true}
	}
	l := line{closed: true}
	for corner, c := range []point{{x + w - r, y + r}, {x + w - r, y + h - r}, {x + r, y + h - r}, {x + r, y + r}} {
		for i := range circleSteps/4 + 1 {
			a := math.Pi/2*float64(corner-1) + math.Pi/2*float64(i)*4/circleSteps
			l.points = append(l.points, point{c.x + r*math.Cos(a), c.y + r*math.Sin(a)})
		}
	}
	return l
}

// pen walks along the text of a path.
type pen struct {
	rest  string
	at    point
	ways  []line
	start point
}

// pathOf reads the commands that package picture and the icons use.
func pathOf(d string) []line {
	p := &pen{rest: d}
	command := byte('M')
	for {
		p.rest = strings.TrimLeft(p.rest, " ,\n\t")
		if p.rest == "" {
			return p.ways
		}
		if c := p.rest[0]; c >= 'A' && c <= 'z' && c != 'e' {
			command, p.rest = c, p.rest[1:]
		}
		before := p.rest
		command = p.do(command)
		if p.rest == before && command != 'Z' {
			return p.ways // not a number: nothing that we write
		}
	}
}

// do draws one command and says which one follows when none is named.
func (p *pen) do(command byte) byte {
	relative := command >= 'a'
	base := point{}
	if relative {
		base = p.at
	}
	next := command
	switch command &^ 0x20 {
	case 'M':
		p.at = p.pair(base)
		p.start = p.at
		p.ways = append(p.ways, line{points: []point{p.at}})
		next = 'L' | command&0x20
	case 'L':
		p.to(p.pair(base))
	case 'H':
		p.to(point{base.x + p.number(), p.at.y})
	case 'V':
		p.to(point{p.at.x, base.y + p.number()})
	case 'C':
		p.curve(p.pair(base), p.pair(base), p.pair(base))
	case 'Q':
		c, e := p.pair(base), p.pair(base)
		a := p.at
		p.curve(point{a.x + 2*(c.x-a.x)/3, a.y + 2*(c.y-a.y)/3}, point{e.x + 2*(c.x-e.x)/3, e.y + 2*(c.y-e.y)/3}, e)
	case 'A':
		rx, ry, _, large, sweep := p.number(), p.number(), p.number(), p.flag(), p.flag()
		p.arc(rx, ry, large, sweep, p.pair(base))
	case 'Z':
		if n := len(p.ways); n > 0 {
			p.ways[n-1].closed = true
			p.at = p.start
		}
		return 'Z'
	}
	return next
}

func (p *pen) to(q point) {
	if n := len(p.ways); n == 0 || p.ways[n-1].closed {
		p.ways = append(p.ways, line{points: []point{p.at}})
	}
	last := &p.ways[len(p.ways)-1]
	last.points = append(last.points, q)
	p.at = q
}

func (p *pen) curve(b, c, d point) {
	a := p.at
	for i := 1; i <= curveSteps; i++ {
		t := float64(i) / curveSteps
		u := 1 - t
		w0, w1, w2, w3 := u*u*u, 3*u*u*t, 3*u*t*t, t*t*t
		p.to(point{w0*a.x + w1*b.x + w2*c.x + w3*d.x, w0*a.y + w1*b.y + w2*c.y + w3*d.y})
	}
}

// arc follows an ellipse that is not turned (SVG, appendix B.2.4).
func (p *pen) arc(rx, ry float64, large, sweep bool, to point) {
	from := p.at
	if rx == 0 || ry == 0 || from == to {
		p.to(to)
		return
	}
	dx, dy := (from.x-to.x)/2, (from.y-to.y)/2
	if over := dx*dx/(rx*rx) + dy*dy/(ry*ry); over > 1 {
		rx, ry = rx*math.Sqrt(over), ry*math.Sqrt(over)
	}
	k := math.Sqrt(math.Max(0, (rx*rx*ry*ry-rx*rx*dy*dy-ry*ry*dx*dx)/(rx*rx*dy*dy+ry*ry*dx*dx)))
	if large == sweep {
		k = -k
	}
	mx, my := k*rx*dy/ry, -k*ry*dx/rx
	cx, cy := mx+(from.x+to.x)/2, my+(from.y+to.y)/2
	begin := math.Atan2((dy-my)/ry, (dx-mx)/rx)
	turn := math.Atan2((-dy-my)/ry, (-dx-mx)/rx) - begin
	switch {
	case sweep && turn < 0:
		turn += 2 * math.Pi
	case !sweep && turn > 0:
		turn -= 2 * math.Pi
	}
	steps := max(4, int(math.Abs(turn)/(2*math.Pi)*circleSteps))
	for i := 1; i <= steps; i++ {
		a := begin + turn*float64(i)/float64(steps)
		p.to(point{cx + rx*math.Cos(a), cy + ry*math.Sin(a)})
	}
}

func (p *pen) pair(base point) point {
	x := p.number()
	return point{base.x + x, base.y + p.number()}
}

// flag reads one digit: after it the next number may follow without a space.
func (p *pen) flag() bool {
	p.rest = strings.TrimLeft(p.rest, " ,\n\t")
	if p.rest == "" {
		return false
	}
	on := p.rest[0] == '1'
	p.rest = p.rest[1:]
	return on
}

func (p *pen) number() float64 {
	p.rest = strings.TrimLeft(p.rest, " ,\n\t")
	n, dot := 0, false
	for ; n < len(p.rest); n++ {
		c := p.rest[n]
		switch {
		case c >= '0' && c <= '9':
		case c == '-' && n == 0:
		case c == '.' && !dot:
			dot = true
		default:
			goto done
		}
	}
done:
	f, err := strconv.ParseFloat(p.rest[:n], 64)
	if err != nil {
		return 0
	}
	p.rest = p.rest[n:]
	return f
}
