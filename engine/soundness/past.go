package soundness

import (
	"signalbox/engine/graph"
	"signalbox/engine/machine"
)

// Whether two visits of one node can overlap is not seen in one order. So a
// token carries the nodes of its part of which it does not come after the
// latest visit; a node that starts and finds itself among them can overlap
// itself. (Of the nodes after which a token comes, it would carry another set
// for every way that it can have taken.) A set is a number in pasts, 0 is the
// empty one.

// both is what two sets share: a visit comes after all that any of its tokens
// comes after. -1 is no set yet.
func (x *explorer) both(a, b int) int {
	switch {
	case a < 0 || a == b:
		return b
	case a == 0 || b == 0:
		return 0
	}
	p, q := x.pasts.get(a), x.pasts.get(b)
	out := x.set[:0]
	for i := range min(len(p), len(q)) {
		out = append(out, p[i]&q[i])
	}
	return x.keep(out)
}

// keep numbers a set.
func (x *explorer) keep(set []uint64) int {
	for len(set) > 0 && set[len(set)-1] == 0 {
		set = set[:len(set)-1]
	}
	x.set = set[:0]
	id, _ := x.pasts.put(set)
	return id
}

func (x *explorer) in(set, bit int) bool {
	words := x.pasts.get(set)
	return bit/64 < len(words) && words[bit/64]&(1<<(bit%64)) != 0
}

func (x *explorer) with(set, bit int) int {
	out := append(x.set[:0], x.pasts.get(set)...)
	for len(out) <= bit/64 {
		out = append(out, 0)
	}
	out[bit/64] |= 1 << (bit % 64)
	*x.budget -= len(out) // in a large loop with much beside each other, this is most of the work
	return x.keep(out)
}

func (x *explorer) without(set int, bits []int) int {
	if set == 0 || len(bits) == 0 {
		return set
	}
	out := append(x.set[:0], x.pasts.get(set)...)
	for _, bit := range bits {
		if bit/64 < len(out) {
			out[bit/64] &^= 1 << (bit % 64)
		}
	}
	return x.keep(out)
}

// waited lists the nodes of the part, by bit, for which an inclusive join with
// its tokens at i..j has waited: those that reach an edge which is empty. It
// comes after their visits too.
func (x *explorer) waited(s []uint64, i, j int) []int {
	node := x.at(s[i]).node
	if x.join[node] != machine.JoinInclusive || x.unordered(node) || !x.loop[x.comp[node]] {
		return nil
	}
	bits := x.bits[:0]
	for _, k := range x.into[node] {
		if x.has(s, i, j, k) {
			continue
		}
		for _, n := range x.parts[x.comp[node]] {
			if x.m.Reaches(n, x.places[k].edge) {
				bits = append(bits, x.bit[n])
			}
		}
	}
	x.bits = bits
	return bits
}

// meet lets a node start with tokens of that past: whatever else is in its
// part does not come after this visit.
func (x *explorer) meet(s []uint64, node, past int) ([]uint64, int) {
	bit := x.bit[node]
	if past > 0 && x.in(past, bit) {
		x.overlap(node)
	}
	if !x.twice[node] {
		comp := x.comp[node]
		for i, t := range s {
			p := x.at(t)
			if x.comp[p.node] > comp {
				break
			}
			if x.comp[p.node] == comp && p.sort == onEdge {
				s[i] = token(int(t>>pastBits), x.with(pastOf(t), bit))
			}
		}
	}
	return s, x.without(past, []int{bit})
}

// overlap reports a node that can start while an earlier visit of it is under
// way.
func (x *explorer) overlap(node int) {
	if !x.twice[node] {
		x.twice[node] = true
		x.report(Finding{Code: RunsTwice, Severity: graph.SeverityWarning, Node: node})
	}
}
