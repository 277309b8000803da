// Package picture draws a graph as SVG: the small drawings of the gallery, the
// full drawing of a share page.
//
// It is pure. Colors come from the style sheet by class, so a drawing follows
// the theme of the page around it. Geometry stands in SVG attributes, never in
// style attributes, and every text is escaped.
package picture

import (
	"math"
	"strconv"
	"strings"

	"signalbox/engine/graph"
	"signalbox/engine/kind"
)

// State is how one node or edge of a run is shown. The zero value is a
// drawing without a run.
type State string

// The closed list of states.
const (
	None     State = ""
	Running  State = "run"
	Done     State = "ok"
	Failed   State = "fail"
	Waiting  State = "wait"
	Skipped  State = "skip"
	Canceled State = "cancel"
)

// Options says how to draw.
type Options struct {
	Title string                              // name of the picture for people who can't see it; required
	Find  func(name string) (kind.Spec, bool) // the catalogue; required
	Icon  func(name string) string            // address of an icon; nil leaves icons out
	Nodes map[string]State                    // by node id
	Edges map[string]State                    // by edge id
	Foot  map[string]string                   // by node id: a line under the card
	Words func(state State) string            // a state as a word, for the accessible name; nil: no words
	Count func(n int) string                  // "3 steps", on containers; nil: no count
	Mini  bool                                // for a thumbnail: bars instead of text that nobody could read
}

// Margin around the drawing and the least size of its view, so that a graph of
// one node is not blown up.
const (
	margin     = 36.0
	miniMargin = 18.0
	miniWidth  = 560.0
	miniRatio  = 0.44
)

// SVG draws the graph.
func SVG(g graph.Graph, o Options) string {
	d := &drawing{options: o, cards: layOut(g, o)}
	d.byID = make(map[string]*card, len(d.cards))
	for i := range d.cards {
		d.byID[d.cards[i].id] = &d.cards[i]
	}
	d.open(g)
	for _, note := range sortedNotes(g) {
		d.note(note)
	}
	for i := range d.cards {
		if c := &d.cards[i]; c.frame {
			d.frame(c)
		}
	}
	for _, e := range g.Edges {
		d.edge(e)
	}
	for _, e := range g.Edges {
		d.label(e)
	}
	for i := range d.cards {
		d.card(&d.cards[i])
	}
	if len(g.Nodes)+len(g.Layout.Notes) == 0 {
		d.nothing()
	}
	d.out.WriteString("</svg>")
	return d.out.String()
}

type drawing struct {
	options Options
	out     strings.Builder
	cards   []card
	byID    map[string]*card
}

// tag writes an element's start with its attributes: name, value pairs.
func (d *drawing) tag(name string, attrs ...string) {
	d.out.WriteString("<" + name)
	for i := 0; i+1 < len(attrs); i += 2 {
		d.out.WriteString(" " + attrs[i] + `="` + escape(attrs[i+1]) + `"`)
	}
	d.out.WriteString(">")
}

func (d *drawing) leaf(name string, attrs ...string) {
	d.tag(name, attrs...)
	d.out.WriteString("</" + name + ">")
}

func (d *drawing) text(class string, x, y float64, s string) {
	d.tag("text", "class", class, "x", num(x), "y", num(y))
	d.out.WriteString(escape(s) + "</text>")
}

func (d *drawing) open(g graph.Graph) {
	x0, y0, x1, y1 := d.bounds(g)
	class := "pic"
	if d.options.Mini {
		class = "pic mini"
		x0, y0, x1, y1 = atLeast(x0, y0, x1, y1)
	}
	view := num(x0) + " " + num(y0) + " " + num(x1-x0) + " " + num(y1-y0)
	d.tag("svg", "class", class, "viewBox", view, "role", "img", "aria-label", d.options.Title, "xmlns", "http://www.w3.org/2000/svg")
}

func (d *drawing) bounds(g graph.Graph) (x0, y0, x1, y1 float64) { //nolint:revive // a box
	x0, y0, x1, y1 = math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
	grow := func(x, y, w, h float64) {
		x0, y0 = math.Min(x0, x), math.Min(y0, y)
		x1, y1 = math.Max(x1, x+w), math.Max(y1, y+h)
	}
	for _, c := range d.cards {
		grow(c.x, c.y, c.w, c.h)
	}
	for _, n := range g.Layout.Notes {
		grow(float64(n.X), float64(n.Y), float64(n.W), float64(n.H))
	}
	for _, e := range g.Edges {
		// The curve comes to about three quarters of the way to its handles.
		const swing = 0.75
		ax, ay, bx, by, ok := d.ends(e)
		if lane, leads := back(ax, ay, bx, by); ok && leads && e.Port != graph.PortCompensate {
			grow(bx-swing*backOut, lane, ax-bx+swing*(backOut+backTurn), 0)
		}
	}
	if math.IsInf(x0, 1) {
		return 0, 0, miniWidth, miniWidth * miniRatio
	}
	m := margin
	if d.options.Mini {
		m = miniMargin
	}
	return x0 - m, y0 - m, x1 + m, y1 + m
}

// nothing is the picture of an empty graph: a place for the first card.
func (d *drawing) nothing() {
	x, y := (miniWidth-cardWidth)/2, (miniWidth*miniRatio-headHeight)/2
	d.leaf("rect", "class", "nothing", "x", num(x), "y", num(y), "width", num(cardWidth), "height", num(headHeight), "rx", "12")
	d.leaf("path", "class", "plus", "d", "M"+num(miniWidth/2-9)+" "+num(y+headHeight/2)+"h18m-9 -9v18")
}

// atLeast widens the view around its center.
func atLeast(x0, y0, x1, y1 float64) (float64, float64, float64, float64) { //nolint:revive // a box
	if w := x1 - x0; w < miniWidth {
		x0, x1 = x0-(miniWidth-w)/2, x1+(miniWidth-w)/2
	}
	if h, least := y1-y0, (x1-x0)*miniRatio; h < least {
		y0, y1 = y0-(least-h)/2, y1+(least-h)/2
	}
	return x0, y0, x1, y1
}

func num(f float64) string {
	return strconv.FormatFloat(math.Round(f*10)/10, 'f', -1, 64)
}
