package soundness

import "signalbox/engine/machine"

// A state is a sorted list of tokens. A token is its place and, in the low
// bits, the number of the set of nodes that it may overlap (past.go).
const pastBits = 32

func token(place, past int) uint64 { return uint64(place)<<pastBits | uint64(past) } //nolint:gosec // both are small positions

// move is one thing that can happen next.
type move struct {
	sort moveSort
	node int
	at   int // where the node's tokens begin in the state
	way  int // of the node's ways; -1: none
}

type moveSort uint8

const (
	fire     moveSort = iota // a visit starts and ends
	begin                    // a visit starts, where it matters when it ends
	finish                   // it ends
	swallow                  // an absorbing join takes what came late
	reopen                   // its round is over
	deadline                 // a join's deadline passes
)

func (n *net) at(t uint64) place { return n.places[t>>pastBits] }

// moves lists what can happen next, appended to list. With one order, that is
// the first visit on the agenda in each of its ways; where order matters,
// everything that can be next.
func (n *net) moves(list []move, s []uint64) []move {
	i := 0
	if n.anyhow {
		var found bool
		if list, i, found = n.unorderedMoves(list, s); found {
			return list
		}
	}
	for i < len(s) {
		node := n.at(s[i]).node
		j := n.group(s, i)
		late := n.deadline(node) && n.late(s, i, j)
		switch m, ok := n.can(s, i, j); {
		case ok && m.sort == begin:
			list = n.ended(list, move{fire, node, i, 0})
		case ok:
			return append(list, m)
		}
		if late {
			list = append(list, move{deadline, node, i, 0})
		}
		if len(list) > 0 {
			return list
		}
		i = j
	}
	return list
}

// late reports whether the deadline of a join outside of loops can pass: it
// waits for more than the first token.
func (n *net) late(s []uint64, i, j int) bool {
	node := n.at(s[i]).node
	full, given := n.count(s, i, j)
	return full > 0 && given == 0 && (n.need[node] > 1 || n.join[node] == machine.JoinInclusive)
}

// ended adds the move once for each way in which the visit can end.
func (n *net) ended(list []move, m move) []move {
	last := n.chain[m.node]
	if m.sort == fire {
		last = m.node
	}
	if len(n.ways[last]) == 0 {
		m.way = -1
		return append(list, m)
	}
	for m.way = range n.ways[last] {
		list = append(list, m)
	}
	return list
}

// group returns where the tokens of the node at i end.
func (n *net) group(s []uint64, i int) int {
	node := n.at(s[i]).node
	j := i + 1
	for j < len(s) && n.at(s[j]).node == node {
		j++
	}
	return j
}

// can tells what the node whose tokens stand at i..j does by itself: begin,
// swallow, reopen or, not ok, nothing.
func (n *net) can(s []uint64, i, j int) (move, bool) {
	node := n.at(s[i]).node
	full, given := n.count(s, i, j)
	switch {
	case full == 0 && given == 0:
		return move{}, false
	case n.join[node] == "":
		return move{begin, node, i, 0}, true
	case given > 0:
		for k := i; k < j; k++ {
			if p := n.at(s[k]); p.sort == onEdge && !n.has(s, i, j, n.gave[p.edge]) {
				return move{swallow, node, k, 0}, true
			}
		}
		if given == len(n.into[node]) || !n.awaited(s, i, j) {
			return move{reopen, node, i, 0}, true
		}
		return move{}, false
	case full == len(n.into[node]), n.join[node] != machine.JoinInclusive && full >= n.need[node]:
		return move{begin, node, i, 0}, true
	case n.join[node] == machine.JoinInclusive:
		return move{begin, node, i, 0}, !n.awaited(s, i, j)
	default:
		return move{}, false
	}
}

// count returns how many edges of the group hold a token, and how many gave
// one in the open round.
func (n *net) count(s []uint64, i, j int) (full, given int) {
	last := -1
	for _, t := range s[i:j] {
		switch p := n.at(t); {
		case p.sort == isGiven:
			given++
		case p.sort == onEdge && int(t>>pastBits) != last:
			last = int(t >> pastBits)
			full++
		}
	}
	return full, given
}

func (n *net) has(s []uint64, i, j, place int) bool {
	for _, t := range s[i:j] {
		if int(t>>pastBits) == place {
			return true
		}
	}
	return false
}

// awaited reports whether anything can still put a token on an edge of the
// join, whose tokens stand at i..j, that neither holds nor gave one.
func (n *net) awaited(s []uint64, i, j int) bool {
	return n.hope(s, i, j, 1) > 0
}

// hope counts such edges, up to most.
func (n *net) hope(s []uint64, i, j, most int) int {
	count := 0
	for _, k := range n.into[n.at(s[i]).node] {
		e := n.places[k].edge
		if n.has(s, i, j, k) || n.gave[e] > 0 && n.has(s, i, j, n.gave[e]) {
			continue
		}
		if n.comes(s, i, j, e) {
			if count++; count == most {
				break
			}
		}
	}
	return count
}

// comes reports whether a token or live visit can reach the edge into the join
// whose tokens stand at i..j. What stands at the join's own edges reaches no
// other of them; a live visit of the join does: its way starts behind it.
func (n *net) comes(s []uint64, i, j, edge int) bool {
	comp := n.comp[n.at(s[i]).node]
	for k, t := range s {
		p := n.at(t)
		if n.comp[p.node] > comp {
			return false // what is later on the agenda leads only further on
		}
		if p.sort == isGiven || p.sort == onEdge && k >= i && k < j {
			continue
		}
		if n.m.Reaches(p.node, edge) {
			return true
		}
	}
	return false
}

// unorderedMoves lists what can happen next in the part where order matters:
// first what happens at once by itself, then every visit's end and every
// deadline. rest is where the other parts begin.
func (n *net) unorderedMoves(list []move, s []uint64) (_ []move, rest int, found bool) {
	ready, later := n.ready[:0], n.later[:0]
	cancels := false
	for rest < len(s) && n.unordered(n.at(s[rest]).node) {
		i, j := rest, n.group(s, rest)
		rest = j
		node := n.at(s[i]).node
		m, ok := n.can(s, i, j)
		switch {
		case ok && (m.sort != begin || n.join[node] == ""):
			return append(list, m), rest, true
		case ok:
			ready = append(ready, m)
			cancels = cancels || n.cancel[node]
		case n.deadline(node) && n.late(s, i, j):
			later = append(later, move{deadline, node, i, 0})
		}
		if n.has(s, i, j, n.live[node]) {
			later = n.ended(later, move{finish, node, i, 0})
		}
	}
	n.ready, n.later = ready, later
	switch {
	case len(ready) > 0 && !cancels:
		return append(list, ready[0]), rest, true // others can fire after it just as well
	case len(ready) > 0:
		list = append(list, ready...)
		for _, m := range later {
			if m.sort == finish && instant(n.m.Nodes[m.node].Op) {
				list = append(list, m) // it may come before what would cancel it
			}
		}
		return list, rest, true
	}
	for i, m := range later {
		if m.sort == finish && n.eager[n.chain[m.node]] {
			for _, k := range later[i:] {
				if k.node == m.node {
					list = append(list, k)
				}
			}
			return list, rest, true
		}
	}
	return append(list, later...), rest, len(later) > 0
}
