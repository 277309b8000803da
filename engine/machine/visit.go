package machine

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"signalbox/engine/event"
	"signalbox/engine/expr"
	"signalbox/engine/route"
)

// visit starts a node: work inside the machine is done at once, a task goes to
// its queue, a wait begins.
func (st *step) visit(node int, edges []int) error {
	n := &st.m.Nodes[node]
	number, took := st.s.count[node]+1, MakeEdges(edges)
	if number > n.MaxVisits {
		return st.loopLimit(n, number, took)
	}
	sc := &scope{m: st.m, s: st.s, node: node, input: st.m.peek(st.s, node, edges), edges: edges}
	fact, err := st.act(n, &st.m.links[node], sc, visitID{number, took})
	if err == nil {
		err = sc.err
	}
	if err != nil {
		return st.nodeFailed(node, number, took, failure(err, n.Key))
	}
	if f, ok := fact.(*NodeFailed); ok {
		return st.nodeFailed(node, number, took, f.Error)
	}
	return st.emit(fact)
}

// visitID is how a visit's first event names it.
type visitID struct {
	number int
	took   Edges
}

// loopLimit ends the run: a failure port cannot catch it, or the loop would go
// on through there (rule 7).
func (st *step) loopLimit(n *Node, number int, took Edges) error {
	err := event.Error{Class: "loop_limit", Node: n.Key, Message: fmt.Sprintf("%s started %d times, which is its limit in one run", n.Key, n.MaxVisits)}
	if e := st.emit(&NodeFailed{Node: n.Key, Visit: number, Took: took, Error: err}); e != nil {
		return e
	}
	return st.emit(&RunFailed{Error: err})
}

// act decides what a visit does and returns the fact that says so.
func (st *step) act(n *Node, l *link, sc *scope, id visitID) (Fact, error) {
	done := &NodeCompleted{Node: n.Key, Visit: id.number, Took: id.took, Ports: []string{PortSuccess}}
	switch n.Op {
	case OpTask:
		return st.schedule(n, l, sc, id)
	case OpWait:
		return st.wait(n, l, sc, id)
	case OpRespond:
		return st.respond(n, l, sc, id)
	case OpFail:
		return st.failNode(n, l, sc)
	case OpPass:
		done.Ports = []string{n.Port}
	case OpIf, OpRoute:
		ports, err := st.choose(n, l, sc)
		if err != nil {
			return nil, err
		}
		done.Ports = ports
	case OpTransform:
		v, err := l.when[0].Eval(sc)
		if err != nil {
			return nil, err
		}
		raw, err := expr.Marshal(v)
		if err != nil {
			return nil, err
		}
		done.Output = st.value(raw)
	case OpSet:
		raw, err := st.set(l, sc)
		if err != nil {
			return nil, err
		}
		done.Output = st.value(raw)
	case OpOutput, OpEnd:
		raw, err := st.member(l, sc, map[Op]string{OpOutput: "value", OpEnd: "output"}[n.Op])
		if err != nil {
			return nil, err
		}
		if n.Op == OpEnd {
			done.Ports = []string{}
		}
		if raw != nil {
			done.Output = st.value(raw)
		}
	default:
		return nil, fmt.Errorf("%s cannot be started by a token", n.Key)
	}
	return done, nil
}

// member evaluates the configuration and returns one field of it; nil when it
// is not there, which means: hand the input on.
func (st *step) member(l *link, sc *scope, name string) (json.RawMessage, error) {
	fields, err := evalFields(l, sc)
	if err != nil {
		return nil, err
	}
	return fields[name], nil
}

func evalFields(l *link, sc *scope) (map[string]json.RawMessage, error) {
	raw, err := l.config.Eval(sc)
	if err != nil {
		return nil, err
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(raw, &fields); err != nil {
		return nil, &expr.Failure{Class: "invalid_input", Message: "the configuration is not an object"}
	}
	return fields, nil
}

// choose returns the ports that a choice leaves by.
func (st *step) choose(n *Node, l *link, sc *scope) ([]string, error) {
	var ports []string
	for i, p := range l.when {
		v, err := p.Eval(sc)
		if err != nil {
			return nil, err
		}
		yes, ok := v.(bool)
		if !ok {
			return nil, &expr.Failure{Class: "invalid_input", Message: fmt.Sprintf("a condition must give true or false, this one gave %s", kindOf(v))}
		}
		switch {
		case n.Op == OpIf && yes:
			return []string{PortTrue}, nil
		case n.Op == OpIf:
			return []string{PortFalse}, nil
		case yes && !l.every:
			return []string{l.ports[i]}, nil
		case yes:
			ports = append(ports, l.ports[i])
		}
	}
	if len(ports) == 0 {
		ports = []string{PortDefault}
	}
	return ports, nil
}

func kindOf(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case string:
		return "text"
	case float64:
		return "a number"
	case []any:
		return "a list"
	case map[string]any:
		return "an object"
	default:
		return fmt.Sprintf("%T", v)
	}
}

// set adds fields to the input, or makes a new object of them. A name with
// dots reaches into objects.
func (st *step) set(l *link, sc *scope) (json.RawMessage, error) {
	raw, err := l.config.Eval(sc)
	if err != nil {
		return nil, err
	}
	var c struct {
		Fields map[string]any `json:"fields"`
		Keep   *bool          `json:"keep"`
	}
	if err := json.Unmarshal(raw, &c); err != nil {
		return nil, &expr.Failure{Class: "invalid_input", Message: "the fields to set are not an object"}
	}
	out := map[string]any{}
	if c.Keep == nil || *c.Keep {
		switch in := sc.read(sc.input).(type) {
		case nil:
		case map[string]any:
			out = maps.Clone(in)
		default:
			return nil, &expr.Failure{Class: "invalid_input", Message: fmt.Sprintf("fields can be added to an object, but the input is %s", kindOf(in))}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.Fields)) {
		put(out, strings.Split(name, "."), c.Fields[name])
	}
	return expr.Marshal(out)
}

// put sets a value inside nested objects without changing those of the input.
func put(in map[string]any, path []string, v any) {
	if len(path) == 1 {
		in[path[0]] = v
		return
	}
	inner := map[string]any{}
	if m, ok := in[path[0]].(map[string]any); ok {
		inner = maps.Clone(m)
	}
	put(inner, path[1:], v)
	in[path[0]] = inner
}

// schedule puts the first attempt of a task into its queue.
func (st *step) schedule(n *Node, l *link, sc *scope, id visitID) (Fact, error) {
	raw, err := l.config.Eval(sc)
	if err != nil {
		return nil, err
	}
	attrs, err := st.attributes(n, l, sc)
	if err != nil {
		return nil, err
	}
	queue := n.Queue
	if queue == "" && st.s.Routes != nil {
		queue = st.s.Routes(attrs)
	}
	if queue == "" {
		queue = PortDefault
	}
	return &TaskScheduled{
		Node: n.Key, Visit: id.number, Attempt: 1, Took: id.took,
		Queue: queue, Priority: attrs.Priority, Config: st.value(raw),
	}, nil
}

func (st *step) attributes(n *Node, l *link, sc *scope) (route.Attributes, error) {
	raw, err := l.routed.Eval(sc)
	if err != nil {
		return route.Attributes{}, err
	}
	var r struct {
		Priority any `json:"priority"`
		Type     any `json:"type"`
	}
	if err := json.Unmarshal(raw, &r); err != nil {
		return route.Attributes{}, fmt.Errorf("read priority: %w", err)
	}
	text, _ := r.Type.(string)
	return route.Attributes{Kind: n.Kind, Priority: route.Priority(r.Priority), Type: text, Workflow: st.s.Workflow}, nil
}

// wait begins a visit that ends when a time has come.
func (st *step) wait(n *Node, l *link, sc *scope, id visitID) (Fact, error) {
	raw, err := l.config.Eval(sc)
	if err != nil {
		return nil, err
	}
	var c struct {
		Duration string `json:"duration"`
		Until    string `json:"until"`
	}
	if err := json.Unmarshal(raw, &c); err != nil {
		return nil, &expr.Failure{Class: "invalid_input", Message: "a wait needs a duration or a time as text"}
	}
	var until time.Time
	if c.Until != "" {
		t, err := time.Parse(time.RFC3339Nano, c.Until)
		if err != nil {
			return nil, &expr.Failure{Class: "invalid_input", Message: fmt.Sprintf("%.60q is not a time like 2026-11-30T09:00:00Z", c.Until)}
		}
		until = t.UTC().Truncate(time.Microsecond)
	} else {
		d, err := time.ParseDuration(c.Duration)
		if err != nil || d < 0 || d > WaitMax {
			return nil, &expr.Failure{Class: "invalid_input", Message: fmt.Sprintf("%.60q is not a duration like 90s, 15m or 2h30m, up to %d days", c.Duration, int(WaitMax.Hours()/24))}
		}
		until = st.at.Add(d).Truncate(time.Microsecond)
	}
	return &WaitStarted{Node: n.Key, Visit: id.number, Took: id.took, Until: until}, nil
}

// WaitMax is the longest wait: ten years.
const WaitMax = 10 * 365 * 24 * time.Hour

// HeadersMax bounds the headers of one answer, in bytes, so that the event
// stays below its limit.
const HeadersMax = 1_000

// respond answers whoever waits for the run.
func (st *step) respond(n *Node, l *link, sc *scope, id visitID) (Fact, error) {
	fields, err := evalFields(l, sc)
	if err != nil {
		return nil, err
	}
	f := &Responded{Node: n.Key, Visit: id.number, Took: id.took, Ports: []string{PortSuccess}, Status: 200}
	if raw := fields["status"]; raw != nil {
		if err := json.Unmarshal(raw, &f.Status); err != nil || f.Status < 200 || f.Status > 599 {
			return nil, &expr.Failure{Class: "invalid_input", Message: fmt.Sprintf("the status %.20s is not a number from 200 to 599", raw)}
		}
	}
	if raw := fields["headers"]; raw != nil {
		if err := json.Unmarshal(raw, &f.Headers); err != nil || len(raw) > HeadersMax {
			return nil, &expr.Failure{Class: "invalid_input", Message: fmt.Sprintf("the headers are not an object of texts of at most %d bytes", HeadersMax)}
		}
	}
	body := fields["body"]
	if body == nil {
		if body, err = sc.input.raw(); err != nil {
			return nil, err
		}
	}
	f.Output = st.value(body)
	return f, nil
}

// failNode raises an error of the author's.
func (st *step) failNode(n *Node, l *link, sc *scope) (Fact, error) {
	raw, err := l.config.Eval(sc)
	if err != nil {
		return nil, err
	}
	var c struct {
		Code    string `json:"code"`
		Message string `json:"message"`
	}
	if err := json.Unmarshal(raw, &c); err != nil {
		return nil, &expr.Failure{Class: "invalid_input", Message: "code and message must be texts"}
	}
	if c.Code == "" {
		c.Code = "failed"
	}
	return &NodeFailed{Error: tidy(event.Error{Class: c.Code, Message: c.Message}, n.Key, 1)}, nil
}
