package chart

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"time"

	"signalbox/engine/expr"
)

// guard is a compiled condition: one of its parts is set.
type guard struct {
	program  *expr.Program
	name     string
	params   *expr.Tree
	in       int
	op       string // in, not, and, or; empty: program or name
	operands []*guard
}

// action is a compiled action: one of its parts is set.
type action struct {
	do     string
	params *expr.Tree
	assign *expr.Tree
	raise  *raise
	send   *send
	cancel string
	log    *expr.Tree
}

type raise struct {
	event, id string
	data      *expr.Tree
	delay     *delay
}

type send struct {
	to, event string
	data      *expr.Tree
}

type delay struct {
	ms      int64
	program *expr.Program
}

func (b *builder) guard(g *Guard, depth int) *guard {
	if g == nil {
		return nil
	}
	if depth > DepthMax {
		b.fail("Guards may stand in each other %d deep.", DepthMax)
		return nil
	}
	several := func(op string, list []Guard) *guard {
		out := &guard{op: op}
		for i := range list {
			out.operands = append(out.operands, b.guard(&list[i], depth+1))
		}
		return out
	}
	switch {
	case g.Expr != "":
		return &guard{program: b.program(g.Expr)}
	case g.Name != "":
		if _, ok := b.chart.guards[g.Name]; !ok {
			b.fail("Nothing says what the guard %q means.", g.Name)
		}
		return &guard{name: g.Name, params: b.optional(g.Params)}
	case g.In != "":
		at, ok := b.chart.byID[g.In]
		if !ok {
			b.fail("A guard asks for the state %q, which is not there.", g.In)
		}
		return &guard{op: "in", in: at}
	case g.Not != nil:
		return several("not", []Guard{*g.Not})
	case g.Or != nil:
		return several("or", g.Or)
	case g.And != nil:
		return several("and", g.And)
	}
	b.fail("A guard is empty.")
	return nil
}

func (b *builder) actions(list []Action) []action {
	var out []action
	for _, a := range list {
		switch {
		case a.Do != "":
			out = append(out, action{do: a.Do, params: b.optional(a.Params)})
		case a.Assign != nil:
			out = append(out, action{assign: b.tree(a.Assign)})
		case a.Raise != nil:
			r := &raise{event: a.Raise.Event, id: a.Raise.ID, data: b.optional(a.Raise.Data)}
			if a.Raise.Delay != "" {
				r.delay = b.delay(a.Raise.Delay, 0)
			}
			if r.event == "" || r.event == "*" {
				b.fail("An event that is raised needs a name.")
			}
			out = append(out, action{raise: r})
		case a.Send != nil:
			out = append(out, action{send: &send{a.Send.To, a.Send.Event, b.optional(a.Send.Data)}})
		case a.Cancel != "":
			out = append(out, action{cancel: a.Cancel})
		case a.Log != nil:
			out = append(out, action{log: b.tree(a.Log)})
		default:
			b.fail("An action is empty.")
		}
	}
	return out
}

// holds tells whether a guard lets its transition pass.
func (s *step) holds(g *guard, params any, depth int) bool {
	if g == nil {
		return true
	}
	if depth > DepthMax || s.failed != nil {
		s.fail(limit("guards name each other more than %d deep", DepthMax))
		return false
	}
	switch {
	case g.program != nil:
		v := s.value(g.program, params)
		if s.failed != nil {
			return false
		}
		passed, ok := v.(bool)
		if !ok {
			s.fail(&expr.Failure{Class: "invalid_input", Message: "a guard gives true or false"})
		}
		return passed
	case g.name != "":
		return s.holds(s.chart.guards[g.name], s.params(g.params), depth+1)
	case g.op == "in":
		return s.active.has(g.in)
	case g.op == "not":
		return !s.holds(g.operands[0], params, depth+1)
	}
	for _, o := range g.operands {
		if s.holds(o, params, depth+1) == (g.op == "or") {
			return g.op == "or"
		}
	}
	return g.op == "and"
}

// run does actions in their order, each with the context that the one before
// left.
func (s *step) run(list []action, params any, depth int) {
	if depth > DepthMax {
		s.fail(limit("actions name each other more than %d deep", DepthMax))
	}
	for _, a := range list {
		if s.failed != nil {
			return
		}
		switch {
		case a.do != "":
			if inner, ok := s.chart.actions[a.do]; ok {
				s.run(inner, s.params(a.params), depth+1)
				continue
			}
			s.effects = append(s.effects, Effect{Op: OpAct, Name: a.do, Input: s.eval(a.params, params), Event: s.event.Type})
		case a.assign != nil:
			s.assign(a.assign, params)
		case a.raise != nil:
			s.raise(a.raise, params)
		case a.send != nil:
			s.effects = append(s.effects, Effect{Op: OpSend, Name: a.send.event, Source: a.send.to, Input: s.eval(a.send.data, params), Event: s.event.Type})
		case a.cancel != "":
			s.cancel(a.cancel)
		default:
			s.effects = append(s.effects, Effect{Op: OpLog, Input: s.eval(a.log, params), Event: s.event.Type})
		}
	}
}

// assign lays fields over the context. All of them see the context as it was.
func (s *step) assign(t *expr.Tree, params any) {
	var set map[string]any
	raw := s.eval(t, params)
	if s.failed != nil {
		return
	}
	if err := json.Unmarshal(raw, &set); err != nil || set == nil {
		s.fail(&expr.Failure{Class: "invalid_input", Message: "an assign gives an object"})
		return
	}
	s.context = maps.Clone(s.context)
	maps.Copy(s.context, set)
	s.touched = true
}

func (s *step) raise(r *raise, params any) {
	e := Event{Type: r.event}
	if raw := s.eval(r.data, params); raw != nil {
		var v any
		if err := json.Unmarshal(raw, &v); err != nil {
			s.fail(&expr.Failure{Class: "internal", Message: err.Error()})
			return
		}
		e = NewEvent(r.event, v)
	}
	if r.delay == nil {
		if len(s.queue) >= RaisedMax {
			s.fail(limit("more than %d events were raised", RaisedMax))
			return
		}
		s.queue = append(s.queue, e)
		return
	}
	s.open(Open{Name: r.id, Event: &e}, Effect{Op: OpTimer, Name: r.event, DelayMS: s.delay(r.delay, params), Event: s.event.Type})
}

// delay is how long, in milliseconds.
func (s *step) delay(d *delay, params any) int64 {
	if d.program == nil {
		return d.ms
	}
	v := s.value(d.program, params)
	if s.failed != nil {
		return 0
	}
	switch v := v.(type) {
	case float64:
		if v >= 0 && v < math.MaxInt64/1e6 {
			return int64(v)
		}
	case string:
		if d, err := time.ParseDuration(v); err == nil && d >= 0 {
			return d.Milliseconds()
		}
	}
	s.fail(&expr.Failure{Class: "invalid_input", Message: "a delay is a number of milliseconds or a duration like 15m"})
	return 0
}

// values hands variables to an expression.
type values struct {
	s      *step
	params any
}

func (s *step) values(params any) values { return values{s, params} }

// Lookup implements expr.Values.
func (v values) Lookup(name string) (any, bool) {
	switch name {
	case "context":
		return v.s.context, true
	case "event":
		return v.s.event.value(), true
	case "params":
		return v.params, true
	case "input":
		return v.s.input, true
	}
	return nil, false
}

// spend counts work, so that a chart cannot keep the others waiting.
func (s *step) spend(units uint64) {
	if s.work += units; s.work > WorkMax {
		s.fail(limit("one event cost more than %d units of work", WorkMax))
	}
}

// value computes an expression.
func (s *step) value(p *expr.Program, params any) any {
	v, cost, err := p.EvalCost(s.values(params))
	s.spend(1 + cost)
	if err != nil {
		s.fail(err)
	}
	return v
}

// eval computes a value; nil when nothing was written.
func (s *step) eval(t *expr.Tree, params any) json.RawMessage {
	if t == nil || s.failed != nil {
		return nil
	}
	raw, cost, err := t.EvalCost(s.values(params))
	s.spend(1 + cost)
	if err != nil {
		s.fail(err)
	}
	return raw
}

// params computes what a name is called with.
func (s *step) params(t *expr.Tree) any {
	raw := s.eval(t, nil)
	if raw == nil {
		return nil
	}
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		s.fail(&expr.Failure{Class: "internal", Message: err.Error()})
	}
	return v
}

func limit(format string, args ...any) error {
	return &expr.Failure{Class: "limit", Message: fmt.Sprintf(format, args...)}
}
