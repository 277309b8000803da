package picture

import (
	"math"

	"signalbox/engine/graph"
)

// Measures of the label of an edge.
const (
	labelSize   = 11.0 * 1.06 // a font of medium weight
	labelHeight = 19.0
	labelPad    = 8.0 // at either side of its text
	labelGap    = 3.0 // between it and a card above or below
	labelAside  = 8.0 // between it and a card beside it, which has a port there
	labelWidest = 190.0
	labelLeast  = 34.0 // less says nothing
)

// label draws what people wrote on an edge, where no card is covered: in its
// middle, or nearer to one of its ends, as wide as there is room.
func (d *drawing) label(e graph.Edge) {
	if e.Label == "" || d.options.Mini {
		return
	}
	wanted := math.Min(labelWidest, width(oneLine(e.Label), labelSize)+2*labelPad)
	x, y, room := 0.0, 0.0, 0.0
	for _, at := range d.along(e) {
		if free := math.Min(wanted, d.room(at[0], at[1])); free > room {
			x, y, room = at[0], at[1], free
		}
	}
	if room < math.Min(wanted, labelLeast) {
		return
	}
	text := fit(e.Label, labelSize, room-2*labelPad)
	w := width(text, labelSize) + 2*labelPad
	d.tag("g", "class", "pill", "transform", "translate("+num(x)+" "+num(y)+")")
	d.leaf("rect", "x", num(-w/2), "y", num(-labelHeight/2), "width", num(w), "height", num(labelHeight), "rx", num(labelHeight/2))
	d.text("", 0, 4, text)
	d.out.WriteString("</g>")
}

// along are places on an edge, the middle first.
func (d *drawing) along(e graph.Edge) [][2]float64 {
	from, to := d.byID[e.From], d.byID[e.To]
	ax, ay, bx, by, ok := d.ends(e)
	ways := []float64{0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8}
	var at func(t float64) [2]float64
	lane, leads := back(ax, ay, bx, by)
	switch {
	case e.Port == graph.PortCompensate && from != nil && to != nil:
		ax, ay, bx, by = from.x+undoPort, from.y+from.h+1, to.x-10, to.y+headHeight/2
		c1, c2 := undoHandles(ax, ay, bx, by)
		ways = ways[1:] // a sign stands in the middle
		at = func(t float64) [2]float64 { return bezier(t, [4][2]float64{{ax, ay}, c1, c2, {bx, by}}) }
	case !ok:
		return nil
	case leads:
		at = func(t float64) [2]float64 { return [2]float64{ax + t*(bx-ax), lane} }
	default:
		bx -= 9 // the arrow's
		pull := math.Max(36, math.Abs(bx-ax)*0.5)
		at = func(t float64) [2]float64 {
			return bezier(t, [4][2]float64{{ax, ay}, {ax + pull, ay}, {bx - pull, by}, {bx, by}})
		}
	}
	places := make([][2]float64, len(ways))
	for i, t := range ways {
		places[i] = at(t)
	}
	return places
}

// bezier is a place on a curve with two handles.
func bezier(t float64, c [4][2]float64) [2]float64 {
	u := 1 - t
	w := [4]float64{u * u * u, 3 * u * u * t, 3 * u * t * t, t * t * t}
	var at [2]float64
	for i, p := range c {
		at[0] += w[i] * p[0]
		at[1] += w[i] * p[1]
	}
	return at
}

// room is how wide a label around a place may be. A container is no card in its
// way: what it holds stands inside.
func (d *drawing) room(x, y float64) float64 {
	half := labelWidest / 2
	for _, c := range d.cards {
		if c.frame || y+labelHeight/2+labelGap <= c.y || y-labelHeight/2-labelGap >= c.y+c.h {
			continue
		}
		aside := math.Max(c.x-x, x-c.x-c.w) // negative: inside of it
		half = math.Min(half, aside-labelAside)
	}
	return 2 * half
}
