package soundness

import (
	"slices"

	"signalbox/engine/machine"
)

// loops lists the strongly connected parts of the machine that hold a cycle,
// each by position (Tarjan, without recursion, so that a chain of ten thousand
// nodes needs no deep stack).
func loops(m *machine.Machine) [][]int {
	t := tarjan{m: m, index: make([]int, len(m.Nodes)), low: make([]int, len(m.Nodes)), on: make([]bool, len(m.Nodes))}
	for n := range m.Nodes {
		if t.index[n] == 0 {
			t.from(n)
		}
	}
	return t.found
}

type tarjan struct {
	m          *machine.Machine
	index, low []int
	on         []bool
	stack      []int
	count      int
	found      [][]int
}

// frame is a node under way and the next of its edges.
type frame struct{ node, edge int }

func (t *tarjan) enter(n int) frame {
	t.count++
	t.index[n], t.low[n] = t.count, t.count
	t.stack, t.on[n] = append(t.stack, n), true
	return frame{n, 0}
}

func (t *tarjan) from(root int) {
	frames := []frame{t.enter(root)}
	for len(frames) > 0 {
		f := &frames[len(frames)-1]
		if out := t.m.Out(f.node); f.edge < len(out) {
			to := t.m.Edges[out[f.edge]].To
			f.edge++
			switch {
			case t.index[to] == 0:
				frames = append(frames, t.enter(to))
			case t.on[to]:
				t.low[f.node] = min(t.low[f.node], t.index[to])
			}
			continue
		}
		n := f.node
		frames = frames[:len(frames)-1]
		if len(frames) > 0 {
			up := frames[len(frames)-1].node
			t.low[up] = min(t.low[up], t.low[n])
		}
		if t.low[n] == t.index[n] {
			t.pop(n)
		}
	}
}

func (t *tarjan) pop(n int) {
	at := slices.Index(t.stack, n)
	part := slices.Clone(t.stack[at:])
	t.stack = t.stack[:at]
	for _, k := range part {
		t.on[k] = false
	}
	self := slices.ContainsFunc(t.m.Out(n), func(e int) bool { return t.m.Edges[e].To == n })
	if len(part) > 1 || self {
		slices.Sort(part)
		t.found = append(t.found, part)
	}
}
