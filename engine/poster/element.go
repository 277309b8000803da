package poster

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// element is one shape or text of a drawing, with what applies to it.
type element struct {
	name  string // rect, circle, path, text
	attrs map[string]string
	text  string
	classes
	at place
}

// place is where an element's own coordinates are.
type place struct{ x, y, scale float64 }

func (p place) inner(x, y, scale float64) place {
	return place{p.x + x*p.scale, p.y + y*p.scale, p.scale * scale}
}

// box is the part of the plane that a drawing shows.
type box struct{ x, y, w, h float64 }

// group is what an open element hands to those inside it.
type group struct {
	at      place
	classes []string
}

// elements reads a drawing of package picture into a flat list. It knows what
// that package writes, and refuses the rest.
func (p *Painter) elements(drawing string) (list []element, title string, view box, err error) { //nolint:revive // one reader
	dec := xml.NewDecoder(strings.NewReader(drawing))
	stack := []group{{at: place{scale: 1}}}
	for {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return list, title, view, nil
		}
		if err != nil {
			return nil, "", box{}, fmt.Errorf("read a drawing: %w", err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			e := element{name: token.Name.Local, attrs: map[string]string{}, at: stack[len(stack)-1].at}
			for _, a := range token.Attr {
				e.attrs[a.Name.Local] = a.Value
			}
			e.classes = classes{own: strings.Fields(e.attrs["class"]), around: stack[len(stack)-1].classes}
			if e.name == "title" {
				if err := dec.Skip(); err != nil {
					return nil, "", box{}, fmt.Errorf("read a drawing: %w", err)
				}
				continue
			}
			if len(stack) == 1 {
				title, view = e.attrs["aria-label"], viewOf(e.attrs["viewBox"])
			}
			stack = append(stack, group{at: e.inside(len(stack) == 1), classes: append(append([]string{}, e.around...), e.own...)})
			list = append(list, p.shapes(e)...)
		case xml.EndElement:
			stack = stack[:len(stack)-1]
		case xml.CharData:
			if n := len(list); n > 0 && list[n-1].name == "text" && stackTop(stack) {
				list[n-1].text += string(token)
			}
		}
	}
}

func stackTop(stack []group) bool { return len(stack) > 1 }

// shapes are the elements that are drawn; an icon becomes its lines.
func (p *Painter) shapes(e element) []element {
	switch e.name {
	case "rect", "circle", "path", "text":
		return []element{e}
	case "use":
		var list []element
		for _, d := range p.icons[strings.TrimPrefix(e.attrs["href"], "#")] {
			line := e
			line.name, line.attrs = "path", map[string]string{"d": d}
			list = append(list, line)
		}
		return list
	}
	return nil
}

// inside is where the children of an element are.
func (e element) inside(root bool) place {
	switch {
	case e.name == "g":
		x, y, _ := strings.Cut(strings.TrimSuffix(strings.TrimPrefix(e.attrs["transform"], "translate("), ")"), " ")
		return e.at.inner(number(x), number(y), 1)
	case e.name == "svg" && !root:
		view := viewOf(e.attrs["viewBox"])
		if view.w > 0 {
			return e.at.inner(e.num("x"), e.num("y"), e.num("width")/view.w)
		}
	}
	return e.at
}

func (e element) num(name string) float64 { return number(e.attrs[name]) }

func number(s string) float64 {
	n, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return 0
	}
	return n
}

func viewOf(s string) box {
	f := strings.Fields(s)
	if len(f) != 4 {
		return box{}
	}
	return box{number(f[0]), number(f[1]), number(f[2]), number(f[3])}
}
