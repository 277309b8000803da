package reference

import (
	"cmp"
	"slices"
	"strings"

	"signalbox/engine/graph"
)

// settle lets everything happen that follows without time passing: nodes start
// until none can, then joins that can never fire fail their scope, then quiet
// scopes end.
func (w *world) settle() {
	for !w.over && (w.startOldest() || w.failStarved() || w.closeQuiet()) {
	}
}

// candidate is a node that could start.
type candidate struct {
	scope *scope
	node  graph.Node
	taken []token
}

// startOldest starts the node whose token has waited longest, if any can.
func (w *world) startOldest() bool {
	var list []candidate
	for _, s := range w.scopes {
		for _, n := range w.drawing.g.Nodes {
			if taken := w.fires(s, n); len(taken) > 0 {
				list = append(list, candidate{s, n, taken})
			}
		}
	}
	if len(list) == 0 {
		return false
	}
	c := slices.MinFunc(list, w.older)
	if c.scope.count[c.node.ID] >= limit(c.node) {
		w.fail(c.scope, &Error{Class: "loop_limit", Message: "the node started too often", Node: c.node.Key})
		return true
	}
	input, inputs := w.joined(c.node, c.taken)
	c.scope.take(c.taken)
	w.work(w.begin(c.scope, c.node, input, inputs))
	return true
}

// limit is how often a node may start in one scope.
func limit(n graph.Node) int {
	if n.MaxVisits > 0 {
		return n.MaxVisits
	}
	return 1_000
}

// older orders candidates by their oldest token, then by its edge.
func (w *world) older(a, b candidate) int {
	s, t := oldest(a.taken), oldest(b.taken)
	key := func(id string) string { return w.drawing.node(id).Key }
	return cmp.Or(
		cmp.Compare(s.born, t.born),
		strings.Compare(key(s.edge.From), key(t.edge.From)),
		strings.Compare(s.edge.Port, t.edge.Port),
		strings.Compare(key(s.to), key(t.to)),
	)
}

// failStarved fails the scope of a join that can never fire; of several joins,
// that with the lowest key is named.
func (w *world) failStarved() bool {
	for _, s := range w.scopes {
		var keys []string
		for _, n := range w.drawing.g.Nodes {
			if w.starved(s, n) {
				keys = append(keys, n.Key)
			}
		}
		if len(keys) > 0 {
			slices.Sort(keys)
			w.fail(s, &Error{Class: "join_unsatisfied", Message: "a join waits for what can never come", Node: keys[0]})
			return true
		}
	}
	return false
}

// closeQuiet ends a scope in which nothing can move any more.
func (w *world) closeQuiet() bool {
	for _, s := range w.scopes {
		if len(s.live) > 0 {
			continue
		}
		if len(s.tokens) == 0 {
			w.succeed(s)
		} else {
			w.stuck(s)
		}
		return true
	}
	return false
}

// stuck fails a quiet scope with tokens: its joins wait for each other.
func (w *world) stuck(s *scope) {
	class := "join_cycle"
	var keys []string
	for _, n := range w.drawing.g.Nodes {
		if len(s.before(n.ID)) > 0 {
			keys = append(keys, n.Key)
			if w.drawing.mode(n) == "all" {
				class = "join_unsatisfied"
			}
		}
	}
	slices.Sort(keys)
	w.report.Waiting = keys
	w.fail(s, &Error{Class: class, Message: "joins wait for each other", Node: keys[0]})
}

// succeed ends a quiet scope without tokens.
func (w *world) succeed(s *scope) {
	w.report.Status, w.report.Result, w.over = StatusSucceeded, w.result(s), true
}

// result is the latest value of an output node; without one, that of the only
// node where tokens ended; of several, an object keyed by node. A node's latest
// value counts also when the tokens that ended there came from an earlier one.
func (w *world) result(s *scope) any {
	if len(s.results) > 0 {
		return s.results[len(s.results)-1]
	}
	byNode := map[string]any{}
	var last any
	for _, n := range s.ends {
		last = s.outputs[n.ID]
		byNode[n.Key] = last
	}
	if len(byNode) == 1 {
		return last
	}
	return byNode
}

// fail ends a scope with an error: what is live in it is canceled.
func (w *world) fail(s *scope, err *Error) {
	for _, t := range s.tokens {
		w.report.Tokens = append(w.report.Tokens, Token{Scope: s.path, From: w.drawing.node(t.edge.From).Key, Port: t.edge.Port, To: w.drawing.node(t.to).Key})
	}
	w.report.Status, w.report.Error, w.over = StatusFailed, err, true
}
