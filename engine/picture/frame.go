package picture

import (
	"encoding/json"
	"math"
	"slices"

	"signalbox/engine/graph"
)

// Measures of an open container, the same as on the canvas.
const (
	framePad    = 24.0 // between the content and the border
	frameTop    = 72.0 // above the content: the head and some air
	frameWidth  = 336.0
	frameHeight = 176.0 // of a frame without content
	frameLeast  = 248.0
)

// folded reports whether a container around a node is drawn as one card.
func folded(g graph.Graph, n graph.Node) bool {
	for depth := 0; n.In != "" && depth <= graph.NestingMax; depth++ {
		if g.Layout.Nodes[n.In].Folded {
			return true
		}
		in := g.Node(n.In)
		if in == nil {
			return false
		}
		n = *in
	}
	return false
}

// contain makes a card of a container: a frame, or a card with a count.
func (c *card) contain(n graph.Node, at graph.NodeLayout, o Options, held int) {
	spec, _ := o.Find(n.Kind)
	if !spec.Container && held == 0 {
		return
	}
	var config struct {
		Transaction any `json:"transaction"`
	}
	if json.Unmarshal(n.Config, &config) == nil && config.Transaction == any(true) {
		c.tile = "saga" // whatever kind of container it is
	}
	c.sub = spec.Title
	if o.Count != nil {
		c.sub += " · " + o.Count(held)
	}
	if at.Folded {
		return
	}
	c.frame, c.rows = true, false
	for i := range c.outs {
		c.outs[i].y = headHeight/2 + float64(i)*rowHeight
	}
}

// framed gives the frames their measures, from the inside out, and puts them
// before the cards, outer ones first: that is the order to draw in.
func framed(g graph.Graph, cards []card) []card {
	slices.SortStableFunc(cards, func(a, b card) int { return b.depth - a.depth })
	body := map[string][4]float64{} // by container: the corners of what stands in it
	for i := range cards {
		c := &cards[i]
		if c.frame {
			c.fit(g.Layout.Nodes[c.id], body)
		}
		n := g.Node(c.id)
		if n == nil || n.In == "" {
			continue
		}
		b, known := body[n.In]
		if !known {
			b = [4]float64{c.x, c.y, c.x + c.w, c.y + c.h}
		}
		body[n.In] = [4]float64{math.Min(b[0], c.x), math.Min(b[1], c.y), math.Max(b[2], c.x+c.w), math.Max(b[3], c.y+c.h)}
	}
	slices.SortStableFunc(cards, func(a, b card) int {
		switch {
		case a.frame && b.frame:
			return a.depth - b.depth
		case a.frame:
			return -1
		case b.frame:
			return 1
		default:
			return 0
		}
	})
	return cards
}

// fit measures a frame. A size that somebody gave holds as long as the content
// fits; without one the frame fits the content.
func (c *card) fit(at graph.NodeLayout, body map[string][4]float64) {
	own := [4]float64{c.x, c.y, c.x + frameWidth, c.y + frameHeight}
	sized := at.W > 0 && at.H > 0
	if sized {
		own[2], own[3] = c.x+math.Max(frameLeast, float64(at.W)), c.y+math.Max(frameTop+framePad, float64(at.H))
	}
	if b, known := body[c.id]; known {
		x, y := b[0]-framePad, b[1]-frameTop
		fit := [4]float64{x, y, x + math.Max(frameLeast, b[2]+framePad-x), b[3] + framePad}
		if sized {
			fit = [4]float64{math.Min(own[0], fit[0]), math.Min(own[1], fit[1]), math.Max(own[2], fit[2]), math.Max(own[3], fit[3])}
		}
		own = fit
	}
	c.x, c.y, c.w, c.h = own[0], own[1], own[2]-own[0], own[3]-own[1]
}

// frame draws an open container: its field, its head and its ports.
func (d *drawing) frame(c *card) {
	state, off := "", ""
	if c.state != None {
		state = "st-" + string(c.state)
	}
	if c.off {
		off = "off"
	}
	d.tag("g", "class", join("n", "f", "t-"+tileName(c.tile), state, off), "transform", "translate("+num(c.x)+" "+num(c.y)+")")
	d.leaf("rect", "class", "field", "width", num(c.w), "height", num(c.h), "rx", "14")
	d.head(c)
	if c.input {
		d.port(0, headHeight/2, "")
	}
	for _, o := range c.outs {
		class := ""
		if o.failure {
			class = "bad"
		}
		d.port(c.w, o.y, class)
		if len(c.outs) > 1 && !d.options.Mini {
			d.text("port", c.w-14, o.y+4, fit(o.title, portSize, c.w*0.45))
		}
	}
	d.out.WriteString("</g>")
}
