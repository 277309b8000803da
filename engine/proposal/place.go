package proposal

import (
	"encoding/json"
	"fmt"

	"signalbox/engine/graph"
)

// How far apart new steps are drawn.
const (
	stepX = 320
	stepY = 120
)

// place finds room for the steps that a proposal adds: a model knows nothing of
// the canvas. Each goes behind the step that leads to it.
func place(before, after graph.Graph) []graph.Op {
	var ops []graph.Op
	at := map[string][2]int{}
	for id, l := range after.Layout.Nodes {
		if before.Node(id) != nil {
			at[id] = [2]int{l.X, l.Y}
		}
	}
	var waiting []graph.Node
	for _, n := range after.Nodes {
		if before.Node(n.ID) == nil {
			waiting = append(waiting, n)
		}
	}
	// Each pass places what hangs on something that is placed; what hangs on
	// nothing goes below everything.
	for len(waiting) > 0 {
		var left []graph.Node
		for _, n := range waiting {
			x, y, ok := behind(after, n, at)
			if !ok {
				left = append(left, n)
				continue
			}
			ops = append(ops, put(at, n.ID, x, y))
		}
		if len(left) == len(waiting) {
			x, y := below(at)
			ops = append(ops, put(at, left[0].ID, x, y))
			left = left[1:]
		}
		waiting = left
	}
	return ops
}

func put(at map[string][2]int, id string, x, y int) graph.Op {
	for {
		lowest, taken := y, false
		for _, p := range at {
			if abs(p[0]-x) < stepX-80 && abs(p[1]-y) < stepY-20 {
				lowest, taken = max(lowest, p[1]), true
			}
		}
		if !taken {
			break
		}
		y = lowest + stepY
	}
	at[id] = [2]int{x, y}
	return graph.Op{Op: "node.move", ID: id, Value: json.RawMessage(fmt.Sprintf(`{"x":%d,"y":%d}`, x, y))}
}

func abs(n int) int {
	if n < 0 {
		return -n
	}
	return n
}

// behind is the place after the step that leads here, or before the one that
// it leads to.
func behind(g graph.Graph, n graph.Node, at map[string][2]int) (int, int, bool) {
	for _, e := range g.Edges {
		if p, ok := at[e.From]; ok && e.To == n.ID {
			return p[0] + stepX, p[1], true
		}
	}
	for _, e := range g.Edges {
		if p, ok := at[e.To]; ok && e.From == n.ID {
			return p[0] - stepX, p[1], true
		}
	}
	if p, ok := at[n.In]; ok && n.In != "" {
		return p[0] + 40, p[1] + 80, true
	}
	return 0, 0, false
}

func below(at map[string][2]int) (int, int) {
	left, low, first := 0, 0, true
	for _, p := range at {
		if first || p[0] < left {
			left = p[0]
		}
		if first || p[1]+stepY > low {
			low = p[1] + stepY
		}
		first = false
	}
	return left, low
}
