package reference

import (
	"signalbox/engine/graph"
)

// on lists the tokens that wait on an edge, first in line first.
func (s *scope) on(e graph.Edge) []token {
	var line []token
	for _, t := range s.tokens {
		if t.edge.ID == e.ID {
			line = append(line, t)
		}
	}
	return line
}

// before lists the tokens that wait before a node.
func (s *scope) before(id string) []token {
	var list []token
	for _, t := range s.tokens {
		if t.to == id {
			list = append(list, t)
		}
	}
	return list
}

// comes reports whether a token or a live visit of the scope can reach an
// edge. Tokens before the node that the edge leads to cannot: they would have
// to pass it.
func (w *world) comes(s *scope, goal graph.Edge) bool {
	for _, t := range s.tokens {
		if t.to != goal.To && w.drawing.reaches(t.to, goal, map[string]bool{}) {
			return true
		}
	}
	for _, v := range s.live {
		if w.drawing.reaches(v.node.ID, goal, map[string]bool{}) {
			return true
		}
	}
	return false
}

// heads lists the first token of each edge that has one, and the edges that
// have none.
func (w *world) heads(s *scope, n graph.Node) (full []token, empty []graph.Edge) {
	for _, e := range w.drawing.into(n.ID) {
		if line := s.on(e); len(line) > 0 {
			full = append(full, line[0])
		} else {
			empty = append(empty, e)
		}
	}
	return full, empty
}

// fires lists the tokens that a node would take now; none: it cannot start. In
// an open round a join waits for the round to close.
func (w *world) fires(s *scope, n graph.Node) []token {
	full, empty := w.heads(s, n)
	if len(w.drawing.into(n.ID)) == 0 {
		full = s.before(n.ID) // the token of an entry node
	}
	if len(full) == 0 || len(s.rounds[n.ID]) > 0 {
		return nil
	}
	switch w.drawing.mode(n) {
	case "each":
		return []token{oldest(full)}
	case "all":
		if len(empty) > 0 {
			return nil
		}
	case "n", "first":
		if len(full) < needed(n) {
			return nil
		}
	default: // inclusive
		for _, e := range empty {
			if w.comes(s, e) {
				return nil
			}
		}
	}
	return full
}

// needed is how many edges must have a token.
func needed(n graph.Node) int {
	if n.Join.Mode == "first" {
		return 1
	}
	return n.Join.N
}

// starved reports whether an all or n join holds a token and can never fire:
// too few of its empty edges can still be reached. One with a deadline can.
func (w *world) starved(s *scope, n graph.Node) bool {
	full, empty := w.heads(s, n)
	mode := w.drawing.mode(n)
	if len(full) == 0 || mode != "all" && mode != "n" || n.Join.Deadline != "" {
		return false
	}
	reachable := 0
	for _, e := range empty {
		if w.comes(s, e) {
			reachable++
		}
	}
	if mode == "all" {
		return reachable < len(empty)
	}
	return len(full)+reachable < needed(n)
}

// oldest is the token that came first; of equally old ones, that of the first
// edge.
func oldest(list []token) token {
	first := list[0]
	for _, t := range list {
		if t.born < first.born {
			first = t
		}
	}
	return first
}

// take removes tokens from their edges: from each the first in line.
func (s *scope) take(taken []token) {
	for _, t := range taken {
		for i := range s.tokens {
			if s.tokens[i].to == t.to && s.tokens[i].edge.ID == t.edge.ID {
				s.tokens = append(s.tokens[:i:i], s.tokens[i+1:]...)
				break
			}
		}
	}
}

// name is the key under which the value of an edge is joined: that of its
// source, and its port when two ports of one node lead here.
func (w *world) name(n graph.Node, e graph.Edge) string {
	key := w.drawing.node(e.From).Key
	for _, other := range w.drawing.into(n.ID) {
		if other.From == e.From && other.ID != e.ID {
			return key + "_" + e.Port
		}
	}
	return key
}
