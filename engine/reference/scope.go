package reference

import (
	"fmt"
	"slices"

	"signalbox/engine/graph"
)

// scope is a place where tokens live: the run itself, or an open body.
type scope struct {
	path   string
	parent *scope
	of     *visit // of the container that opened it; nil is the run
	index  int    // of the item or the round
	item   any
	input  any
	isItem bool // the own scope of a run that is an item of a map

	tokens  []token
	live    []*visit
	count   map[string]int   // visits by node id
	outputs map[string]any   // of the latest completed visit, by node id
	results []any            // of its output nodes, as they came
	ends    []graph.Node     // where a visit emitted nothing: tokens ended there
	rounds  map[string]round // of joins that absorb, by node id

	saga
}

// openRun starts the run: the trigger's visit is over at once.
func (w *world) openRun(trigger graph.Node) {
	s := &scope{path: w.path, count: map[string]int{}, outputs: map[string]any{}, rounds: map[string]round{}, input: w.start.Input}
	w.began = w.stage.now
	w.scopes = append(w.scopes, s)
	v := w.begin(s, trigger, w.start.Input, nil)
	w.complete(v, []string{"success"}, w.start.Input)
	w.settle()
}

// openBody opens a scope for a container: each of its entry nodes gets a token.
func (w *world) openBody(v *visit, index int, input any) {
	v.body.opened[index]++
	path := fmt.Sprintf("%s#%d[%d]", v.node.Key, v.number, index)
	if n := v.body.opened[index]; n > 1 {
		path += fmt.Sprintf("~%d", n)
	}
	if v.scope.path != "" {
		path = v.scope.path + "/" + path
	}
	s := &scope{
		path: path, parent: v.scope, of: v, index: index, item: input, input: input,
		count: map[string]int{}, outputs: map[string]any{}, rounds: map[string]round{},
	}
	w.scopes = append(w.scopes, s)
	w.tick++
	for _, n := range w.drawing.entries(v.node.ID) {
		s.tokens = append(s.tokens, token{to: n.ID, value: input, born: w.tick, since: w.stage.now})
	}
}

// closeScope ends everything in a scope, and the scope.
func (w *world) closeScope(s *scope) {
	for _, v := range slices.Clone(s.live) {
		w.cancel(v)
	}
	w.handUp(s)
	w.scopes = slices.DeleteFunc(w.scopes, func(other *scope) bool { return other == s })
}

// succeed ends a quiet scope without tokens.
func (w *world) succeed(s *scope) {
	value := w.result(s)
	w.closeScope(s)
	if s.of != nil {
		w.bodySucceeded(s, value)
		return
	}
	w.report.Status, w.report.Result, w.over = StatusSucceeded, value, true
}

// fail ends a scope with an error, which goes up. A transaction is undone
// first.
func (w *world) fail(s *scope, err *Error) {
	if w.compensate(s, err) {
		return
	}
	w.goUp(s, err, StatusFailed)
}

// goUp lets the error out of a scope.
func (w *world) goUp(s *scope, err *Error, status string) {
	if s.of == nil {
		for _, open := range w.scopes {
			w.left(open)
		}
	}
	w.closeScope(s)
	if s.of != nil {
		w.bodyFailed(s, err)
		return
	}
	w.report.Status, w.report.Error, w.over = status, err, true
}

// left notes the tokens that stay behind in a run that fails.
func (w *world) left(s *scope) {
	for _, t := range s.tokens {
		w.report.Tokens = append(w.report.Tokens, Token{Scope: s.path, From: w.drawing.node(t.edge.From).Key, Port: t.edge.Port, To: w.drawing.node(t.to).Key})
	}
}

// result is the latest value of an output node; without one, that of the only
// node where tokens ended; of several, an object keyed by node. A node's latest
// value counts also when the tokens that ended there came from an earlier one.
// A body without nodes gives its input back; where no token ended, because all
// were absorbed, there is nothing.
func (w *world) result(s *scope) any {
	if len(s.results) > 0 {
		return s.results[len(s.results)-1]
	}
	if len(s.count) == 0 {
		return s.input
	}
	byNode := map[string]any{}
	var last any
	for _, n := range s.ends {
		last = s.outputs[n.ID]
		byNode[n.Key] = last
	}
	if len(byNode) < 2 {
		return last
	}
	return byNode
}
