package picture

import (
	"math"
	"slices"
	"strings"

	"signalbox/engine/graph"
)

// edge draws one edge: a curve that ends in an arrow.
func (d *drawing) edge(e graph.Edge) {
	state := string(d.options.Edges[e.ID])
	if from, to := d.byID[e.From], d.byID[e.To]; from != nil && to != nil && e.Port == graph.PortCompensate {
		d.undo(from.x+undoPort, from.y+from.h+1, to.x-1, to.y+headHeight/2, state)
		return
	}
	ax, ay, bx, by, ok := d.ends(e)
	if !ok {
		return
	}
	d.leaf("path", "class", join("e", state), "d", route(ax, ay, bx-9, by))
	d.leaf("path", "class", join("ah", state), "d", "M"+num(bx-13)+" "+num(by-5)+"l8 5-8 5z")
}

// ends is where an edge that tokens take leaves and arrives.
func (d *drawing) ends(e graph.Edge) (ax, ay, bx, by float64, ok bool) { //nolint:revive // two points
	from, to := d.byID[e.From], d.byID[e.To]
	if from == nil || to == nil {
		return 0, 0, 0, 0, false
	}
	i := slices.IndexFunc(from.outs, func(o out) bool { return o.name == e.Port })
	if i < 0 {
		return 0, 0, 0, 0, false
	}
	return from.x + from.w + 1, from.y + from.outs[i].y, to.x - 1, to.y + headHeight/2, true
}

// undo draws a line to a compensation: dashed, with a sign, since no token
// takes it.
func (d *drawing) undo(ax, ay, bx, by float64, state string) {
	c1, c2 := undoHandles(ax, ay, bx-9, by)
	way := "M" + num(ax) + " " + num(ay) + curve(c1[0], c1[1], c2[0], c2[1], bx-9, by)
	d.leaf("path", "class", join("e", "undo", state), "d", way)
	d.leaf("path", "class", join("ah", "undo", state), "d", "M"+num(bx-13)+" "+num(by-5)+"l8 5-8 5z")
	middle := bezier(0.5, [4][2]float64{{ax, ay}, c1, c2, {bx - 9, by}})
	x, y := middle[0], middle[1]
	d.leaf("circle", "class", "undo-disc", "cx", num(x), "cy", num(y), "r", "10")
	d.leaf("path", "class", "undo-sign", "d", "M"+num(x-1.5)+" "+num(y-5)+"l-3 3 3 3m-3-3h6a3.2 3.2 0 0 1 0 6.4h-2")
}

// undoHandles are what bends a line to a compensation: down from its card, and
// into the other one from the left.
func undoHandles(ax, ay, bx, by float64) (out, in [2]float64) {
	fall := math.Max(28, math.Abs(by-ay)*0.6)
	pull := math.Max(28, math.Abs(bx-ax)*0.4)
	return [2]float64{ax, ay + fall}, [2]float64{bx - pull, by}
}

// Measures of an edge that leads back.
const (
	backGap  = 84.0 // below both of its ends, when they are about as high
	backTurn = 56.0 // how far it swings out behind the card that it leaves
	backOut  = 64.0 // and before the one at which it arrives
)

// back is the height of the lane of an edge that leads back; false: it leads on.
func back(ax, ay, bx, by float64) (lane float64, leads bool) {
	lane = (ay + by) / 2
	if math.Abs(by-ay) < backGap {
		lane = math.Max(ay, by) + backGap
	}
	return lane, bx < ax-24
}

// route is the curve between two points. An edge that leads back runs through
// the gap between the two heights, or below both when they are alike.
func route(ax, ay, bx, by float64) string {
	if lane, leads := back(ax, ay, bx, by); leads {
		const turn, out = backTurn, backOut
		return "M" + num(ax) + " " + num(ay) +
			curve(ax+turn, ay, ax+turn, lane, ax-8, lane) + "L" + num(bx+8) + " " + num(lane) +
			curve(bx-out, lane, bx-out, by, bx, by)
	}
	pull := math.Max(36, math.Abs(bx-ax)*0.5)
	return "M" + num(ax) + " " + num(ay) + curve(ax+pull, ay, bx-pull, by, bx, by)
}

func curve(x1, y1, x2, y2, x, y float64) string {
	return "C" + num(x1) + " " + num(y1) + " " + num(x2) + " " + num(y2) + " " + num(x) + " " + num(y)
}

func (d *drawing) card(c *card) {
	if c.frame {
		return // drawn under the edges
	}
	state := ""
	if c.state != None {
		state = "st-" + string(c.state)
	}
	off := ""
	if c.off {
		off = "off"
	}
	d.tag("g", "class", join("n", state, off), "transform", "translate("+num(c.x)+" "+num(c.y)+")")
	d.leaf("rect", "class", "halo", "x", "-5", "y", "-5", "width", num(c.w+10), "height", num(c.h+10), "rx", "17")
	d.leaf("rect", "class", "box", "width", num(c.w), "height", num(c.h), "rx", "12")
	d.head(c)
	if c.rows {
		d.rows(c)
	}
	if c.foot != "" {
		d.foot(c)
	}
	if c.input {
		d.port(0, headHeight/2, "")
	}
	for _, o := range c.outs {
		class := ""
		if o.failure {
			class = "bad"
		}
		d.port(c.w, o.y, class)
	}
	d.out.WriteString("</g>")
}

func (d *drawing) port(x, y float64, class string) {
	d.leaf("circle", "class", join("p", class), "cx", num(x), "cy", num(y), "r", num(portRadius))
}

func (d *drawing) head(c *card) {
	d.leaf("rect", "class", "pt t-"+tileName(c.tile), "x", "12", "y", "12", "width", num(tileSize), "height", num(tileSize), "rx", "8")
	if d.options.Icon != nil && c.icon != "" {
		d.tag("svg", "class", "pi t-"+tileName(c.tile), "x", "19.5", "y", "19.5", "width", "17", "height", "17", "viewBox", "0 0 24 24")
		d.leaf("use", "href", d.options.Icon(c.icon))
		d.out.WriteString("</svg>")
	}
	room := c.w - 54 - 12
	if c.state != None {
		room -= 28
		d.glyph(c)
	}
	if d.options.Mini {
		d.bar(54, 17, math.Min(room, width(c.title, titleSize)), "title")
		d.bar(54, 33, math.Min(room, width(c.sub, monoSize)), "sub")
		return
	}
	d.text("title", 54, 25.5, fit(c.title, titleSize, room))
	d.text("sub", 54, 41.5, fit(c.sub, monoSize, room))
}

func (d *drawing) bar(x, y, w float64, class string) {
	d.leaf("rect", "class", "bar "+class, "x", num(x), "y", num(y), "width", num(math.Max(24, w)), "height", "8", "rx", "4")
}

func (d *drawing) rows(c *card) {
	d.leaf("path", "class", "rule", "d", "M0 "+num(headHeight+0.5)+"H"+num(c.w))
	for _, o := range c.outs {
		if d.options.Mini {
			w := math.Min(70, width(o.title, portSize))
			d.bar(c.w-14-math.Max(24, w), o.y-4, w, "port")
			if o.label != "" {
				d.bar(12, o.y-4, math.Min(110, width(o.label, monoSize)), "sub")
			}
			continue
		}
		name := fit(o.title, portSize, c.w*0.45)
		d.text("port", c.w-14, o.y+4, name)
		if o.label != "" {
			d.text("when", 12, o.y+4, fit(o.label, monoSize, c.w-40-width(name, portSize)))
		}
	}
}

func (d *drawing) foot(c *card) {
	y := c.h - footHeight
	d.leaf("path", "class", "rule", "d", "M0 "+num(y+0.5)+"H"+num(c.w))
	if !d.options.Mini {
		d.text("foot", 12, y+18.5, fit(c.foot, footSize, c.w-24))
	}
}

// glyph is the status: a disc with a sign, so that color is never alone.
func (d *drawing) glyph(c *card) {
	d.tag("g", "class", "pg", "transform", "translate("+num(c.w-34)+" 18)")
	if d.options.Words != nil {
		d.out.WriteString("<title>")
		d.out.WriteString(escape(d.options.Words(c.state)))
		d.out.WriteString("</title>")
	}
	d.leaf("circle", "class", "disc", "cx", "10", "cy", "10", "r", "9")
	d.leaf("path", "class", "sign", "d", sign(c.state))
	d.out.WriteString("</g>")
}

func sign(s State) string {
	switch s {
	case Done:
		return "M6 10.4l2.8 2.8L14 7.6"
	case Failed:
		return "M7 7l6 6M13 7l-6 6"
	case Waiting:
		return "M10 6v4.2l2.8 1.6"
	case Running:
		return "M10 4.5A5.5 5.5 0 0 1 15.5 10"
	case Canceled:
		return "M7.5 7.5h5v5h-5z"
	case Skipped, None:
		return "M7 10h6"
	default:
		return "M7 10h6"
	}
}

func (d *drawing) note(n graph.Note) {
	d.tag("g", "class", "pn", "transform", "translate("+num(float64(n.X))+" "+num(float64(n.Y))+")")
	d.leaf("rect", "width", num(float64(n.W)), "height", num(float64(n.H)), "rx", "10")
	if !d.options.Mini {
		y := 22.0
		for _, line := range wrap(n.Text, noteSize, float64(n.W)-24) {
			if y > float64(n.H)-6 {
				break
			}
			d.text("note", 12, y, line)
			y += 17
		}
	}
	d.out.WriteString("</g>")
}

func sortedNotes(g graph.Graph) []graph.Note {
	ids := make([]string, 0, len(g.Layout.Notes))
	for id := range g.Layout.Notes {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	notes := make([]graph.Note, 0, len(ids))
	for _, id := range ids {
		notes = append(notes, g.Layout.Notes[id])
	}
	return notes
}

// tileName keeps a kind from naming a class that is not a tile's.
func tileName(name string) string {
	switch name {
	case "trigger", "http", "logic", "ai", "queue", "saga", "human", "data":
		return name
	default:
		return "logic"
	}
}

func join(classes ...string) string {
	return strings.Join(slices.DeleteFunc(classes, func(s string) bool { return s == "" }), " ")
}
