package soundness

import (
	"slices"

	"signalbox/engine/machine"
)

// parts are the strongly connected parts of a machine's drawing, those that
// lead to others first, and a line-up of the nodes in which only edges that
// close a loop lead back.
type parts struct {
	found [][]int // nodes of each part, rising
	rank  []int   // per node: place in the line-up
}

// cut finds the parts (Tarjan, without recursion, so that a chain of ten
// thousand nodes needs no deep stack). Branches come one after the other, not
// side by side: who follows the order has few of them under way at a time.
func cut(m *machine.Machine) parts {
	t := tarjan{m: m, index: make([]int, len(m.Nodes)), low: make([]int, len(m.Nodes)), on: make([]bool, len(m.Nodes))}
	for n := range m.Nodes {
		if len(m.In(n)) == 0 {
			t.from(n)
		}
	}
	for n := range m.Nodes {
		t.from(n)
	}
	slices.Reverse(t.found)
	rank := make([]int, len(m.Nodes))
	for i, n := range t.done {
		rank[n] = len(t.done) - i
	}
	return parts{t.found, rank}
}

// cyclic reports whether a part holds a cycle.
func cyclic(m *machine.Machine, part []int) bool {
	return len(part) > 1 || slices.ContainsFunc(m.Out(part[0]), func(e int) bool { return m.Edges[e].To == part[0] })
}

type tarjan struct {
	m          *machine.Machine
	index, low []int
	on         []bool
	stack      []int
	count      int
	done       []int
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
	if t.index[root] > 0 {
		return
	}
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
		t.done = append(t.done, n)
		if t.low[n] == t.index[n] {
			t.pop(n)
		}
	}
}

func (t *tarjan) pop(n int) {
	at := len(t.stack) - 1
	for t.stack[at] != n {
		at--
	}
	part := slices.Clone(t.stack[at:])
	t.stack = t.stack[:at]
	for _, k := range part {
		t.on[k] = false
	}
	slices.Sort(part)
	t.found = append(t.found, part)
}
