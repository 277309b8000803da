package reference

import (
	"slices"
	"time"

	"signalbox/engine/graph"
)

// round is what a join that has fired still absorbs: the first token of each of
// these edges, which gave none.
type round []graph.Edge

// absorb swallows the tokens of open rounds and closes those that nothing can
// add to any more.
func (w *world) absorb(s *scope) bool {
	for _, n := range w.drawing.g.Nodes {
		open := s.rounds[n.ID]
		if len(open) == 0 {
			continue
		}
		for i, e := range open {
			if line := s.on(e); len(line) > 0 {
				s.take(line[:1])
				s.rounds[n.ID] = slices.Delete(slices.Clone(open), i, i+1)
				return true
			}
		}
		if !slices.ContainsFunc(open, func(e graph.Edge) bool { return w.comes(s, e) }) {
			delete(s.rounds, n.ID)
			return true
		}
	}
	return false
}

// cancelOthers ends every token on the edges of a join, and every token and
// live visit that can reach it.
func (w *world) cancelOthers(s *scope, join graph.Node) {
	s.tokens = slices.DeleteFunc(s.tokens, func(t token) bool { return t.to == join.ID || w.drawing.leads(t.to, join.ID) })
	for _, v := range slices.Clone(s.live) {
		if w.drawing.leads(v.node.ID, join.ID) {
			w.forget(v)
		}
	}
}

// deadline is when a join stops waiting, counted from its first waiting token.
// While a round is open, none runs.
func (w *world) deadline(s *scope, n graph.Node) (time.Time, bool) {
	waiting := s.before(n.ID)
	if n.Join == nil || n.Join.Deadline == "" || w.drawing.mode(n) == "each" || len(waiting) == 0 || len(s.rounds[n.ID]) > 0 {
		return time.Time{}, false
	}
	return oldest(waiting).since.Add(duration(n.Join.Deadline, 0)), true
}

// nextDeadline is the earliest deadline of all joins that wait.
func (w *world) nextDeadline() (first time.Time, runs bool) {
	for _, s := range w.scopes {
		for _, n := range w.drawing.g.Nodes {
			if at, is := w.deadline(s, n); is && (!runs || at.Before(first)) {
				first, runs = at, true
			}
		}
	}
	return first, runs
}

// expired reports whether the deadline of a join has passed.
func (w *world) expired(s *scope, n graph.Node) bool {
	at, runs := w.deadline(s, n)
	return runs && !at.After(w.stage.now)
}
