package soundness

import (
	"slices"

	"signalbox/engine/machine"
)

// apply makes the move: it returns the state that follows.
func (x *explorer) apply(s []uint64, m move) []uint64 {
	x.trail = append(x.trail, m)
	switch m.sort {
	case swallow:
		e := x.at(s[m.at]).edge
		s = slices.Delete(s, m.at, m.at+1)
		return x.add(s, x.gave[e], 0)
	case reopen:
		return slices.DeleteFunc(s, func(t uint64) bool { p := x.at(t); return p.sort == isGiven && p.node == m.node })
	case finish:
		i, j := x.span(s, x.live[m.node])
		for n := m.node; ; n = x.m.Edges[x.ways[n][0].edges[0]].To {
			x.reached[n] = true
			if j-i > 1 {
				x.overlap(n)
			}
			if n == x.chain[m.node] {
				break
			}
		}
		s = slices.Delete(s, i, i+1)
		return x.emit(s, x.chain[m.node], m.way, 0)
	case begin:
		s, _ = x.take(s, m)
		x.reached[m.node] = true
		return x.add(s, x.live[m.node], 0)
	case deadline:
		s, _ = x.take(s, m)
		x.reached[m.node] = true
		return x.emitOn(s, x.way(m.node, machine.PortTimeout), m.node, 0)
	default:
		s, past := x.take(s, m)
		x.reached[m.node] = true
		s, past = x.meet(s, m.node, past)
		return x.emit(s, m.node, m.way, past)
	}
}

// take removes the tokens that a visit starts with, and what its firing ends.
// It returns the sets of nodes that they may overlap, met.
func (x *explorer) take(s []uint64, m move) (_ []uint64, past int) {
	node, last := m.node, -1
	j := x.group(s, m.at)
	waited := x.waited(s, m.at, j)
	keep, given := s[:m.at], []int(nil)
	past = -1
	for _, t := range s[m.at:j] {
		p := x.at(t)
		if p.sort == onEdge && int(t>>pastBits) != last && (x.join[node] != "" || last < 0) {
			last = int(t >> pastBits)
			past = x.both(past, pastOf(t))
			if p.edge >= 0 && x.gave[p.edge] > 0 {
				given = append(given, x.gave[p.edge])
			}
			continue
		}
		keep = append(keep, t)
	}
	past = x.without(max(past, 0), waited)
	s = append(keep, s[j:]...)
	switch {
	case m.sort == deadline, x.absorbs[node] && !x.cancel[node] && x.join[node] != machine.JoinInclusive && x.join[node] != machine.JoinAll:
		for _, g := range given {
			s = x.add(s, g, 0)
		}
	case x.cancel[node]:
		s = slices.DeleteFunc(s, func(t uint64) bool { return x.ends(t, node) })
	}
	return s, past
}

// ends reports whether the firing of a canceling join ends the token: it
// stands at the join, or can come there.
func (x *explorer) ends(t uint64, join int) bool {
	p := x.at(t)
	if p.sort == isGiven {
		return false
	}
	if p.node == join && p.sort == onEdge {
		return true
	}
	return slices.ContainsFunc(x.m.In(join), func(e int) bool { return x.m.Reaches(p.node, e) })
}

// emit ends a visit in one of its ways.
func (x *explorer) emit(s []uint64, node, k, past int) []uint64 {
	if k < 0 || x.ways[node][k].fatal {
		return x.fail(s, node, k)
	}
	return x.emitOn(s, x.ways[node][k], node, past)
}

// fail keeps the visit that ends the scope as one that never ends: what others
// do before it does is looked at, nothing after it.
func (x *explorer) fail(s []uint64, node, k int) []uint64 {
	s = x.add(s, x.doom[node], 0)
	for k >= 0 {
		next := -1
		for _, e := range x.ways[node][k].edges {
			to := x.m.Edges[e].To
			x.reached[to] = x.reached[to] || x.join[to] == ""
			if next < 0 || x.dies(to, len(x.nodes)) {
				next = to
			}
		}
		if len(x.ways[next]) == 0 {
			break
		}
		node, k = next, 0
	}
	return s
}

func (x *explorer) emitOn(s []uint64, w way, node, past int) []uint64 {
	for _, e := range w.edges {
		to, own := x.m.Edges[e].To, 0
		if x.comp[to] == x.comp[node] {
			own = past
			x.back = x.back || x.rank[to] <= x.rank[node]
		}
		s = x.add(s, x.edge[e], own)
	}
	return s
}

// add puts a token behind those that stand on the place.
func (x *explorer) add(s []uint64, place, past int) []uint64 {
	i, _ := slices.BinarySearch(s, token(place+1, 0))
	return slices.Insert(s, i, token(place, past))
}

// span returns where the tokens on the place begin and end.
func (x *explorer) span(s []uint64, place int) (i, j int) {
	i, _ = slices.BinarySearch(s, token(place, 0))
	j, _ = slices.BinarySearch(s, token(place+1, 0))
	return i, j
}
