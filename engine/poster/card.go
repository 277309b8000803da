package poster

import (
	"bytes"
	"fmt"
	"image/png"
	"math"
	"strings"
)

// Measures of a preview image, as other sites want it.
const (
	Width  = 1200
	Height = 630
)

// Card is what a preview image shows.
type Card struct {
	Title   string
	About   string // a line or two
	Drawing string // by package picture, with IconAt
	Mini    string // the same with bars for texts: taken when the drawing gets too small to read
	Status  string // a word; empty: no run
	State   string // of the run: run, ok, fail, wait, skip
	Facts   []string
}

// readable is the scale below which nobody reads the cards' texts.
const readable = 0.42

// PNG draws a preview image.
func (p *Painter) PNG(c Card) ([]byte, error) {
	t := Light()
	s := p.sheet(Width, Height, t["canvas"])
	s.dots(t)
	foot := s.head(c, t)
	if err := s.panel(c, t, foot); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&b, s.img); err != nil {
		return nil, fmt.Errorf("encode a preview image: %w", err)
	}
	return b.Bytes(), nil
}

func (s *sheet) dots(t Theme) {
	var list []line
	for y := 11.0; y < Height; y += 22 {
		for x := 11.0; x < Width; x += 22 {
			list = append(list, dot(point{x, y}, 1.2))
		}
	}
	s.fill(list, rgb(t["dot"]))
}

const edge = 56.0 // around everything

// head writes mark, title and facts, and says where it ends.
func (s *sheet) head(c Card, t Theme) float64 {
	s.mark(edge, 44, 44)
	s.write(letters{text: "Signalbox", at: point{edge + 58, 74}, font: "brand", size: 24, ink: rgb(t["ink"])})
	if c.Status != "" {
		s.chip(c, t)
	}
	size := 52.0
	room := Width - 2*edge
	for size > 34 && s.measure(c.Title, "brand", size) > room {
		size -= 2
	}
	y := 108 + size
	s.write(letters{text: s.fit(c.Title, "brand", size, room), at: point{edge, y}, font: "brand", size: size, ink: rgb(t["ink"])})
	sub := strings.Join(strings.Fields(c.About), " ")
	if sub == "" {
		sub = strings.Join(c.Facts, "  ·  ")
	}
	if sub != "" {
		y += 38
		s.write(letters{text: s.fit(sub, "", 22, room), at: point{edge, y}, size: 22, ink: rgb(t["ink-2"])})
	}
	return y + 28
}

func (s *sheet) mark(x, y, size float64) {
	k := size / 32
	at := func(d string) []line {
		return element{name: "path", attrs: map[string]string{"d": d}, at: place{x, y, k}}.outline()
	}
	s.fill([]line{roundRect(x, y, size, size, 8*k)}, rgb("#1459d9"))
	s.stroke(at("M16.4 22.5H26.5"), 2.8*k, ink("#ffffff", 0.5))
	s.stroke(at("M5.5 22.5h4.6c6.6 0 4.9-12.3 11.3-12.3"), 2.8*k, rgb("#ffffff"))
	s.fill([]line{ellipse(x+24.4*k, y+10.2*k, 3.7*k)}, rgb("#ffd26a"))
}

// chip is the status at the right: a glyph, a word, a color.
func (s *sheet) chip(c Card, t Theme) {
	soft, letter, fill := t[c.State+"-soft"], t[c.State+"-ink"], t[c.State]
	if soft == "" {
		soft, fill = t["skip-soft"], t["skip"]
	}
	if letter == "" {
		letter = fill
	}
	const size, high = 22.0, 46.0
	w := s.measure(c.Status, "bold", size) + 78
	x, y := Width-edge-w, 43.0
	s.fill([]line{roundRect(x, y, w, high, high/2)}, rgb(soft))
	s.fill([]line{ellipse(x+28, y+high/2, 12)}, rgb(fill))
	sign := map[string]string{
		"ok": "M6 10.4l2.8 2.8L14 7.6", "fail": "M7 7l6 6M13 7l-6 6", "wait": "M10 6v4.2l2.8 1.6", "run": "M10 4.5A5.5 5.5 0 0 1 15.5 10",
	}[c.State]
	if sign == "" {
		sign = "M7 10h6"
	}
	ways := element{name: "path", attrs: map[string]string{"d": sign}, at: place{x + 28 - 12, y + high/2 - 12, 1.2}}.outline()
	s.stroke(ways, 2.8, rgb(t["on-status"]))
	s.write(letters{text: c.Status, at: point{x + 52, y + 31}, font: "bold", size: size, ink: rgb(letter)})
}

// panel shows the drawing in the rest of the image.
func (s *sheet) panel(c Card, t Theme, top float64) error {
	list, _, view, err := s.elements(c.Drawing)
	if err != nil {
		return err
	}
	room := box{edge, top, Width - 2*edge, Height - top - 40}
	scale := math.Min(1.3, math.Min(room.w/view.w, room.h/view.h))
	if scale < readable && c.Mini != "" {
		if list, _, view, err = s.elements(c.Mini); err != nil {
			return err
		}
		scale = math.Min(1.3, math.Min(room.w/view.w, room.h/view.h))
	}
	s.put(list, t, place{
		room.x + (room.w-view.w*scale)/2 - view.x*scale,
		room.y + (room.h-view.h*scale)/2 - view.y*scale, scale,
	})
	return nil
}

// fit shortens a text to its room.
func (s *sheet) fit(text, font string, size, room float64) string {
	if s.measure(text, font, size) <= room {
		return text
	}
	r := []rune(text)
	for len(r) > 1 {
		r = r[:len(r)-1]
		if short := strings.TrimRight(string(r), " ") + "…"; s.measure(short, font, size) <= room {
			return short
		}
	}
	return "…"
}
