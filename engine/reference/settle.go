package reference

import (
	"cmp"
	"slices"
	"strings"

	"signalbox/engine/graph"
)

// settle lets everything happen that follows without time passing. In a scope,
// joins absorb what they need not wait for, nodes start until none can, then
// signals are handed to who waits for them, then its containers go on, then joins that can never fire fail it, and when it is quiet it ends. No scope can
// tell in what order others settle: they do one after the other, in the order
// in which they opened.
func (w *world) settle() {
	for !w.over && !w.halted && slices.ContainsFunc(w.scopes, w.settleOne) {
	}
}

func (w *world) settleOne(s *scope) bool {
	if s.undoing {
		return w.undo(s)
	}
	return w.absorb(s) || w.startOldest(s) || w.deliver(s) || w.proceed(s) || w.failStarved(s) || w.closeQuiet(s)
}

// candidate is a node that could start.
type candidate struct {
	scope *scope
	node  graph.Node
	taken []token
	late  bool // its deadline has passed
}

// startOldest starts the node whose token has waited longest, if any can.
func (w *world) startOldest(s *scope) bool {
	var list []candidate
	for _, n := range w.drawing.g.Nodes {
		if taken := w.fires(s, n); len(taken) > 0 {
			list = append(list, candidate{s, n, taken, false})
		} else if full, _ := w.heads(s, n); w.expired(s, n) {
			list = append(list, candidate{s, n, full, true})
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
	w.begins(c)
	return true
}

// begins takes the tokens and starts the visit.
func (w *world) begins(c candidate) {
	s, n := c.scope, c.node
	_, empty := w.heads(s, n)
	s.take(c.taken)
	mode := w.drawing.mode(n)
	switch {
	case c.late, (mode == "n" || mode == "first") && n.Join.Then != "cancel":
		s.rounds[n.ID] = empty
	case mode == "n", mode == "first":
		w.cancelOthers(s, n)
	}
	inputs := map[string]any{}
	for _, t := range c.taken {
		if t.edge.ID != "" {
			inputs[w.name(n, t.edge)] = t.value
		}
	}
	var input any = inputs
	if mode == "each" {
		input = c.taken[0].value
	}
	v := w.begin(s, n, input, inputs)
	if mode != "each" {
		input, err := w.combine(v, c.taken)
		if err != nil {
			w.failed(v, err)
			return
		}
		v.input, w.report.Visits[v.record].Input = input, input
	}
	if c.late {
		w.complete(v, []string{"timeout"}, v.input)
		return
	}
	w.work(v)
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
func (w *world) failStarved(s *scope) bool {
	var keys []string
	for _, n := range w.drawing.g.Nodes {
		if w.starved(s, n) {
			keys = append(keys, n.Key)
		}
	}
	if len(keys) == 0 {
		return false
	}
	slices.Sort(keys)
	w.fail(s, &Error{Class: "join_unsatisfied", Message: "a join waits for what can never come", Node: keys[0]})
	return true
}

// closeQuiet ends a scope in which nothing can move any more.
func (w *world) closeQuiet(s *scope) bool {
	waits := slices.ContainsFunc(w.drawing.g.Nodes, func(n graph.Node) bool {
		_, runs := w.deadline(s, n)
		return runs
	})
	switch {
	case len(s.live) > 0 || waits:
		return false
	case len(s.tokens) == 0:
		w.succeed(s)
	default:
		w.stuck(s)
	}
	return true
}

// stuck fails a quiet scope with tokens: its joins wait for each other.
func (w *world) stuck(s *scope) {
	class := "join_cycle"
	var keys []string
	for _, n := range w.drawing.g.Nodes {
		if len(s.before(n.ID)) > 0 {
			keys = append(keys, n.Key)
			if mode := w.drawing.mode(n); mode == "all" || mode == "n" {
				class = "join_unsatisfied"
			}
		}
	}
	slices.Sort(keys)
	w.report.Waiting = keys
	w.fail(s, &Error{Class: class, Message: "joins wait for each other", Node: keys[0]})
}
