package machine

import (
	mathbits "math/bits"
	"slices"
	"time"

	"signalbox/engine/mutant"
)

// candidate is a visit that can start.
type candidate struct {
	node  int
	edges []int // that give a token; none for an entry node
	first int   // place in line of the oldest
	late  bool  // a join whose deadline has passed
}

// next finds the visit of the scope that starts next: of all nodes that can
// start, the one whose oldest token came first (rule 8).
func (st *step) next(c *scope) (best candidate, ok bool) {
	m := st.m
	b := m.bodies[c.body]
	for word, w := range c.headBits {
		for ; w != 0; w &= w - 1 {
			n := b.nodes[word*64+lowest(w)]
			if m.lacks(c, n) {
				continue // without a look at each of its edges: there may be thousands
			}
			first := m.oldest(c, n)
			if ok && first >= best.first || len(c.rounds) > 0 && c.round(n) != nil || !st.s.rig.wants(n) {
				continue
			}
			switch {
			case !m.joins(n) || c.starting(n) || m.ready(c, n, m.full(c, n)):
				best, ok = candidate{node: n, first: first}, true
			case m.Nodes[n].Deadline > 0 && !m.deadline(c, n).After(st.at):
				best, ok = candidate{node: n, first: first, late: true}, true
			}
		}
	}
	if !ok {
		return best, false
	}
	if _, best.edges = m.waiting(c, best.node); !m.joins(best.node) && len(best.edges) > 1 {
		best.edges = best.edges[:1]
	}
	return best, true
}

func lowest(w uint64) int { return mathbits.TrailingZeros64(w) }

// oldest is the place in line of the node's oldest token.
func (m *Machine) oldest(c *scope, node int) (first int) {
	for i := range c.starts {
		if c.starts[i].node == node {
			return c.starts[i].arrival
		}
	}
	for _, e := range m.in[node] {
		if q := c.tokens[m.slot[e]]; len(q) > 0 && (first == 0 || q[0].arrival < first) {
			first = q[0].arrival
		}
	}
	return first
}

// full is how many edges into the node hold a token.
func (m *Machine) full(c *scope, node int) (n int) {
	for _, e := range m.in[node] {
		if len(c.tokens[m.slot[e]]) > 0 {
			n++
		}
	}
	return n
}

// waiting lists the edges into the node that hold a token and the place in
// line of the oldest. For a node that does not join, the edge of the oldest
// token comes first.
func (m *Machine) waiting(c *scope, node int) (first int, full []int) {
	for i := range c.starts {
		if c.starts[i].node == node {
			return c.starts[i].arrival, nil
		}
	}
	full = make([]int, 0, c.heads[m.local[node]])
	for _, e := range m.in[node] {
		q := c.tokens[m.slot[e]]
		if len(q) == 0 {
			continue
		}
		full = append(full, e)
		if a := q[0].arrival; first == 0 || a < first {
			first = a
			if !m.joins(node) {
				full[0], full[len(full)-1] = full[len(full)-1], full[0]
			}
		}
	}
	return first, full
}

// lacks reports whether a join that counts its edges, and does not end its
// waiting at a time, holds too few tokens.
func (m *Machine) lacks(c *scope, node int) bool {
	have := c.heads[m.local[node]]
	return m.joins(node) && have < len(m.in[node]) && have < m.wants(node) && m.Nodes[node].Deadline == 0 && !c.starting(node)
}

// ready reports whether a node with so many full edges starts now (rule 3).
func (m *Machine) ready(c *scope, node, full int) bool {
	if !m.joins(node) || full == len(m.in[node]) {
		return true
	}
	if want := m.wants(node); want > 0 {
		return full >= want
	}
	return !m.awaited(c, node)
}

// awaited reports whether a token or live visit can still reach an empty edge
// of the inclusive join.
func (m *Machine) awaited(c *scope, node int) bool {
	if mutant.On(mutant.JoinImpatient) {
		return false
	}
	for _, e := range m.in[node] {
		if len(c.tokens[m.slot[e]]) == 0 && m.comes(c, node, e) {
			return true
		}
	}
	return false
}

// comes reports whether anything live can put a token on an edge of the join.
// Tokens that wait at the join itself do not count: they reach no other edge
// of it. A live visit of the join does: its way starts behind it.
func (m *Machine) comes(c *scope, join, edge int) bool {
	set := m.reach[edge]
	if set.meets(c.liveBits) {
		return true
	}
	at := m.local[join]
	for i, w := range c.headBits {
		if i == at/64 {
			w &^= 1 << (at % 64)
		}
		if w&set[i] != 0 {
			return true
		}
	}
	return false
}

// deadline is when a join stops waiting: counted from its first token.
func (m *Machine) deadline(c *scope, node int) time.Time {
	var first time.Time
	for _, e := range m.in[node] {
		if q := c.tokens[m.slot[e]]; len(q) > 0 && (first.IsZero() || q[0].at.Before(first)) {
			first = q[0].at
		}
	}
	if first.IsZero() {
		return first
	}
	return first.Add(m.Nodes[node].Deadline)
}

// rounds lets the open rounds of the scope swallow what came, and closes those
// to which nothing can come any more (rule 3). It reports whether something
// happened.
func (st *step) rounds(c *scope) (bool, error) {
	for i := range c.rounds {
		r := &c.rounds[i]
		took, comes := []int{}, false
		for _, e := range st.m.in[r.node] {
			switch {
			case slices.Contains(r.gave, e):
			case len(c.tokens[st.m.slot[e]]) > 0:
				took = append(took, e)
			case st.m.comes(c, r.node, e):
				comes = true
			}
		}
		key := st.m.Nodes[r.node].Key
		if len(took) > 0 {
			return true, st.emit(&TokensAbsorbed{Node: key, Scope: c.id, Took: MakeEdges(took)})
		}
		if !comes {
			return true, st.emit(&RoundClosed{Node: key, Scope: c.id})
		}
	}
	return false, nil
}

// starved returns the join with the lowest key that holds a token but can never
// get as many as it wants, or -1: the scope fails at once (rule 6).
func (st *step) starved(c *scope) int {
	for _, n := range st.m.bodies[c.body].picky { // in the order of keys
		if c.heads[st.m.local[n]] == 0 || c.round(n) != nil || !st.s.rig.wants(n) || c.starting(n) {
			continue
		}
		possible := 0
		for _, e := range st.m.in[n] {
			if len(c.tokens[st.m.slot[e]]) > 0 || st.m.comes(c, n, e) {
				possible++
			}
		}
		if possible < st.m.wants(n) {
			return n
		}
	}
	return -1
}
