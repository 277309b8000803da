package picture_test

import (
	"fmt"
	"strings"
	"testing"

	"signalbox/engine/graph"
	"signalbox/engine/picture"
)

// TestTheViewHoldsEdgesThatLeadBack looks at an edge that runs below both of
// its cards, which no card's measure would make room for.
func TestTheViewHoldsEdgesThatLeadBack(t *testing.T) {
	t.Parallel()
	g := graph.Graph{
		Nodes:  []graph.Node{{ID: "a", Key: "a", Kind: "mock"}, {ID: "b", Key: "b", Kind: "mock"}},
		Edges:  []graph.Edge{{ID: "ab", From: "a", Port: "success", To: "b"}},
		Layout: graph.Layout{Nodes: map[string]graph.NodeLayout{"b": {X: 300}}},
	}
	view := func() (x, y, w, h float64) {
		_, rest, _ := strings.Cut(picture.SVG(g, options()), `viewBox="`)
		if _, err := fmt.Sscan(rest[:strings.Index(rest, `"`)], &x, &y, &w, &h); err != nil {
			t.Fatal(err)
		}
		return x, y, w, h
	}
	x, y, w, h := view()
	g.Edges = append(g.Edges, graph.Edge{ID: "ba", From: "b", Port: "success", To: "a"})
	bx, by, bw, bh := view()
	const lane, margin = 28 + 84, 36
	if by != y || by+bh != lane+margin || bx >= x || bx+bw <= x+w || y+h >= by+bh {
		t.Errorf("without the edge %v %v %v %v, with it %v %v %v %v", x, y, w, h, bx, by, bw, bh)
	}
}
