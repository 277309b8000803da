package draw

import (
	"encoding/json"
	"math"

	"signalbox/engine/graph"
)

// Sizes of a placed chart, in canvas units.
const (
	cardWidth  = 248
	cardHeight = 72
	rowHeight  = 28 // one port
	gap        = 72
	frameHead  = 80
	framePad   = 40
)

// Place lays a drawn chart out from a corner: states in rows, the regions of a
// parallel state one below the other. It gives what goes into the layout.
func Place(nodes []graph.Node, x, y int) map[string]graph.NodeLayout {
	p := placer{held: map[string][]graph.Node{}, size: map[string][2]int{}, out: map[string]graph.NodeLayout{}}
	for _, n := range nodes {
		p.held[n.In] = append(p.held[n.In], n)
	}
	for _, top := range p.held[""] {
		p.measure(top)
		p.put(top, x, y)
		y += p.size[top.ID][1] + gap
	}
	return p.out
}

type placer struct {
	held map[string][]graph.Node
	size map[string][2]int
	out  map[string]graph.NodeLayout
}

// columns is how many boxes stand side by side in a container.
func (p *placer) columns(n graph.Node) int {
	var c Config
	if json.Unmarshal(n.Config, &c) == nil && c.Parallel {
		return 1
	}
	return max(1, int(math.Ceil(math.Sqrt(float64(len(p.held[n.ID]))))))
}

func (p *placer) measure(n graph.Node) {
	if n.Kind == KindState {
		var c Config
		ports := 0
		if json.Unmarshal(n.Config, &c) == nil {
			ports = len(c.On) + len(c.After) + len(c.Always) + len(c.Done) + len(c.Invoke)
		}
		p.size[n.ID] = [2]int{cardWidth, cardHeight + ports*rowHeight}
		return
	}
	for _, k := range p.held[n.ID] {
		p.measure(k)
	}
	w, h := p.walk(n, nil)
	p.size[n.ID] = [2]int{w + 2*framePad, h + frameHead + framePad}
}

// walk goes over what a container holds, row by row, and tells the size.
func (p *placer) walk(n graph.Node, at func(k graph.Node, x, y int)) (width, height int) {
	columns, x, y, tallest := p.columns(n), 0, 0, 0
	for i, k := range p.held[n.ID] {
		if i > 0 && i%columns == 0 {
			x, y, tallest = 0, y+tallest+gap, 0
		}
		if at != nil {
			at(k, x, y)
		}
		size := p.size[k.ID]
		width, tallest = max(width, x+size[0]), max(tallest, size[1])
		x += size[0] + gap
	}
	return max(width, cardWidth), max(y+tallest, cardHeight)
}

func (p *placer) put(n graph.Node, x, y int) {
	l := graph.NodeLayout{X: x, Y: y}
	var c Config
	if json.Unmarshal(n.Config, &c) == nil {
		l.Title = c.Name
	}
	if n.Kind == KindStates {
		l.W, l.H = p.size[n.ID][0], p.size[n.ID][1]
	}
	p.out[n.ID] = l
	p.walk(n, func(k graph.Node, dx, dy int) { p.put(k, x+framePad+dx, y+frameHead+dy) })
}
