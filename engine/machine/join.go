package machine

import (
	"fmt"
	"strings"

	"signalbox/engine/event"
)

// next finds the visit that starts next: of all nodes that can start, the one
// whose oldest token came first (rule 8).
func (st *step) next() (node int, edges []int, ok bool) {
	s, m := st.s, st.m
	best := 0
	for word, w := range s.headBits {
		for ; w != 0; w &= w - 1 {
			n := word*64 + lowest(w)
			first, full := m.waiting(s, n)
			if ok && first >= best {
				continue
			}
			if m.ready(s, n, len(full)) {
				node, edges, best, ok = n, full, first, true
			}
		}
	}
	if ok && !m.joins(node) {
		edges = edges[:1]
	}
	return node, edges, ok
}

func lowest(w uint64) int {
	n := 0
	for w&1 == 0 {
		w >>= 1
		n++
	}
	return n
}

// waiting lists the edges into the node that hold a token and the place in
// line of the oldest. For a node that does not join, the edge of the oldest
// token comes first.
func (m *Machine) waiting(s *Snapshot, node int) (first int, full []int) {
	full = make([]int, 0, s.heads[node])
	for _, e := range m.in[node] {
		if len(s.tokens[e]) == 0 {
			continue
		}
		full = append(full, e)
		if a := s.tokens[e][0].arrival; first == 0 || a < first {
			first = a
			if !m.joins(node) {
				full[0], full[len(full)-1] = full[len(full)-1], full[0]
			}
		}
	}
	return first, full
}

// ready reports whether a node with so many full edges starts now (rule 3).
func (m *Machine) ready(s *Snapshot, node, full int) bool {
	switch {
	case !m.joins(node):
		return true
	case full == len(m.in[node]):
		return true
	case m.Nodes[node].Join == JoinAll:
		return false
	default:
		return !m.awaited(s, node)
	}
}

// awaited reports whether a token or live visit can still reach an empty edge
// of the inclusive join.
func (m *Machine) awaited(s *Snapshot, node int) bool {
	for _, e := range m.in[node] {
		if len(s.tokens[e]) == 0 && m.comes(s, node, e) {
			return true
		}
	}
	return false
}

// comes reports whether anything live can put a token on an edge of the join.
// Tokens that wait at the join itself do not count: they reach no other edge
// of it. A live visit of the join does: its way starts behind it.
func (m *Machine) comes(s *Snapshot, join, edge int) bool {
	set := m.reach[edge]
	if set.meets(s.liveBits) {
		return true
	}
	for i, w := range s.headBits {
		if i == join/64 {
			w &^= 1 << (join % 64)
		}
		if w&set[i] != 0 {
			return true
		}
	}
	return false
}

// hopeless finds an `all` join that holds a token while one of its empty edges
// can never get one: it fails at once (rule 6).
func (st *step) hopeless() bool { return st.starved() >= 0 }

// starved returns the hopeless join with the lowest key, or -1.
func (st *step) starved() int {
	for _, n := range st.m.alls { // in the order of keys
		if st.s.heads[n] == 0 {
			continue
		}
		for _, e := range st.m.in[n] {
			if len(st.s.tokens[e]) == 0 && !st.m.comes(st.s, n, e) {
				return n
			}
		}
	}
	return -1
}

// unsatisfied names the joins that wait for ever, each with its full and its
// empty edges (rule 6).
func (st *step) unsatisfied() event.Error {
	class, lead := "join_cycle", "joins wait for each other: "
	var names []string
	if n := st.starved(); n >= 0 {
		class, lead = "join_unsatisfied", "a join waits for a branch that cannot come any more: "
		names = []string{st.describe(n)}
	} else {
		for n := range st.m.Nodes {
			if st.m.joins(n) && st.s.heads[n] > 0 {
				names = append(names, st.describe(n))
				if st.m.Nodes[n].Join == JoinAll {
					class, lead = "join_unsatisfied", "joins wait for branches that cannot come any more: "
				}
			}
		}
	}
	return event.Error{Class: class, Message: clip(lead+strings.Join(names, "; "), 2_000), Node: st.firstWaiting()}
}

func (st *step) firstWaiting() string {
	if n := st.starved(); n >= 0 {
		return st.m.Nodes[n].Key
	}
	for n := range st.m.Nodes {
		if st.m.joins(n) && st.s.heads[n] > 0 {
			return st.m.Nodes[n].Key
		}
	}
	return ""
}

func (st *step) describe(node int) string {
	var full, empty []string
	for _, e := range st.m.in[node] {
		name := st.m.Nodes[st.m.Edges[e].From].Key + "." + st.m.Edges[e].Port
		if len(st.s.tokens[e]) > 0 {
			full = append(full, name)
		} else {
			empty = append(empty, name)
		}
	}
	return fmt.Sprintf("%s has %s, lacks %s", st.m.Nodes[node].Key, list(full), list(empty))
}

func list(names []string) string {
	const most = 10
	if len(names) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	return strings.Join(names, ", ")
}

// finish ends a quiet run: without tokens it succeeded, with tokens joins wait
// for each other (rule 6).
func (st *step) finish() error {
	if st.s.Tokens() > 0 {
		return st.emit(&RunFailed{Error: st.unsatisfied()})
	}
	return st.emit(st.outcome())
}

// resultsMax is how many results one event names, so that it stays below its
// limit. With more, the result is read from the state alone.
const resultsMax = 150

// outcome names the result: the latest value of an output node; without one,
// that of the only node where tokens ended; of several, an object by node.
func (st *step) outcome() *RunSucceeded {
	s, m := st.s, st.m
	latest, ended := ResultRef{}, []ResultRef{}
	for n := range m.Nodes {
		ref := ResultRef{Node: m.Nodes[n].Key, Seq: s.outputs[n].seq}
		if m.Nodes[n].Op == OpOutput && ref.Seq > latest.Seq {
			latest = ref
		}
		if s.ends[n] > 0 {
			ended = append(ended, ref)
		}
	}
	switch {
	case latest.Seq > 0:
		return &RunSucceeded{Results: []ResultRef{latest}}
	case len(ended) <= 1:
		return &RunSucceeded{Results: ended}
	case len(ended) > resultsMax:
		return &RunSucceeded{Keyed: true}
	default:
		return &RunSucceeded{Results: ended, Keyed: true}
	}
}
