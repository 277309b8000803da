package machine

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"signalbox/engine/event"
	"signalbox/engine/expr"
	"signalbox/engine/mutant"
	"signalbox/engine/route"
)

// visit starts a node: work inside the machine is done at once, a task goes to
// its queue, a wait begins, a container opens.
func (st *step) visit(c *scope, next candidate) error {
	node, n := next.node, &st.m.Nodes[next.node]
	id := visitID{c.id, c.count[st.m.local[node]] + 1, MakeEdges(next.edges)}
	if id.number > n.MaxVisits && !(mutant.On(mutant.OneVisitMore) && id.number == n.MaxVisits+1) {
		return st.loopLimit(c, n, id)
	}
	if err := st.beforeJoin(c, next); err != nil {
		return err
	}
	sc := &view{m: st.m, s: st.s, c: c, node: node, input: st.m.peek(c, node, next.edges), edges: next.edges}
	sc.input = st.s.rig.input(VisitRef{c.id, n.Key, id.number}, sc.input)
	fact, err := st.act(n, &st.m.links[node], sc, id, next.late)
	if err == nil {
		err = sc.err
	}
	if err != nil {
		return st.nodeFailed(c, node, id.number, id.took, failure(err, n.Key))
	}
	if f, ok := fact.(*NodeFailed); ok {
		return st.nodeFailed(c, node, id.number, id.took, f.Error)
	}
	return st.emit(fact)
}

// beforeJoin settles what becomes of the branches that a join does not wait
// for (rule 3).
func (st *step) beforeJoin(c *scope, next candidate) error {
	n := &st.m.Nodes[next.node]
	if !st.m.joins(next.node) || !next.late && n.Join != JoinN && n.Join != JoinFirst || next.edges == nil {
		return nil
	}
	if n.Cancel && !next.late {
		return st.cancelOthers(c, next.node)
	}
	if mutant.On(mutant.RoundNotOpened) || len(next.edges) == len(st.m.in[next.node]) {
		return nil // nothing is left to absorb
	}
	return st.emit(&RoundOpened{Node: n.Key, Scope: c.id, Gave: MakeEdges(next.edges)})
}

// visitID is how a visit's first event names it.
type visitID struct {
	scope  int
	number int
	took   Edges
}

// loopLimit fails the scope: a failure port of the node cannot catch it, or
// the loop would go on through there (rule 7).
func (st *step) loopLimit(c *scope, n *Node, id visitID) error {
	err := event.Error{Class: "loop_limit", Node: n.Key, Message: fmt.Sprintf("%s started %d times, which is its limit in one run", n.Key, n.MaxVisits)}
	if c.up != nil {
		err.Message = fmt.Sprintf("%s started %d times, which is its limit in one scope", n.Key, n.MaxVisits)
	}
	if e := st.emit(&NodeFailed{Node: n.Key, Scope: id.scope, Visit: id.number, Took: id.took, Error: err}); e != nil {
		return e
	}
	return st.fails(c, err)
}

// act decides what a visit does and returns the fact that says so.
func (st *step) act(n *Node, l *link, sc *view, id visitID, late bool) (Fact, error) {
	pin := st.s.rig.pin(sc.node)
	switch {
	case late:
		return st.pass(n, l, sc, id, PortTimeout)
	case pin != nil && n.Pinnable():
		return st.pinned(n, pin, id)
	case n.Op == OpPass:
		return st.pass(n, l, sc, id, n.Port)
	}
	switch n.Op {
	case OpTask:
		return st.schedule(n, l, sc, id)
	case OpWait, OpSignal, OpHuman, OpCallback:
		return st.wait(n, l, sc, id)
	case OpCall:
		return st.call(n, l, sc, id)
	case OpChart:
		return st.startChart(n, l, sc, id)
	case OpGroup, OpMap, OpLoop:
		return st.startContainer(n, l, sc, id)
	case OpRespond:
		return st.respond(n, l, sc, id)
	case OpFail:
		return st.failNode(n, l, sc)
	default:
		return st.inline(n, l, sc, id)
	}
}

// pass hands the input on, combined if the join says so.
func (st *step) pass(n *Node, l *link, sc *view, id visitID, port string) (Fact, error) {
	f := &NodeCompleted{Node: n.Key, Scope: id.scope, Visit: id.number, Took: id.took, Ports: []string{port}}
	if n.Combine == nil || sc.input == nil || sc.input.parts == nil {
		return f, nil
	}
	raw, err := combine(n.Combine, l, sc)
	if err != nil {
		return nil, err
	}
	f.Output = st.value(raw)
	return f, nil
}

// inline does the work of a node that needs nobody else.
func (st *step) inline(n *Node, l *link, sc *view, id visitID) (Fact, error) {
	f := &NodeCompleted{Node: n.Key, Scope: id.scope, Visit: id.number, Took: id.took, Ports: []string{PortSuccess}}
	var raw json.RawMessage
	var err error
	switch n.Op {
	case OpIf, OpRoute:
		f.Ports, err = st.choose(n, l, sc)
	case OpTransform:
		var v any
		if v, err = l.when[0].Eval(sc); err == nil {
			raw, err = expr.Marshal(v)
		}
	case OpSet:
		raw, err = st.set(l, sc)
	case OpOutput:
		raw, err = st.member(l, sc, "value")
	case OpMetric:
		f.Point, err = point(l, sc)
	case OpOutcome:
		f.Said, err = statement(l, sc)
	case OpEnd:
		f.Ports = []string{}
		raw, err = st.member(l, sc, "output")
	default:
		return nil, fmt.Errorf("%s cannot be started by a token", n.Key)
	}
	if err != nil {
		return nil, err
	}
	if raw != nil {
		f.Output = st.value(raw)
	}
	return f, nil
}

// member evaluates the configuration and returns one field of it; nil when it
// is not there, which means: hand the input on.
func (st *step) member(l *link, sc *view, name string) (json.RawMessage, error) {
	fields, err := evalFields(l, sc)
	if err != nil {
		return nil, err
	}
	return fields[name], nil
}

func evalFields(l *link, sc *view) (map[string]json.RawMessage, error) {
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
func (st *step) choose(n *Node, l *link, sc *view) ([]string, error) {
	var ports []string
	for i, p := range l.when {
		yes, err := truth(p, sc)
		if err != nil {
			return nil, err
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

// truth evaluates a condition.
func truth(p *expr.Program, sc *view) (bool, error) {
	v, err := p.Eval(sc)
	if err != nil {
		return false, err
	}
	yes, ok := v.(bool)
	if !ok {
		return false, &expr.Failure{Class: "invalid_input", Message: fmt.Sprintf("a condition must give true or false, this one gave %s", kindOf(v))}
	}
	return yes, nil
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
func (st *step) set(l *link, sc *view) (json.RawMessage, error) {
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
func (st *step) schedule(n *Node, l *link, sc *view, id visitID) (*TaskScheduled, error) {
	raw, err := l.config.Eval(sc)
	if err != nil {
		return nil, err
	}
	attrs, said, err := st.attributes(n, l, sc, len(raw))
	if err != nil {
		return nil, err
	}
	f := &TaskScheduled{
		Node: n.Key, Scope: id.scope, Visit: id.number, Attempt: 1, Took: id.took,
		Queue: n.Queue, Priority: attrs.Priority, Config: st.value(raw), Labels: attrs.Labels, Warning: route.Warning(attrs.Unknown),
	}
	if n.Located {
		var nobody string
		f.Queue, nobody = route.Located(n.Queue, attrs.Location)
		f.Warning = cmp.Or(nobody, f.Warning)
	}
	if f.Queue == "" && st.s.Routes != nil {
		attrs.ID = route.Attempt{Run: st.s.Run, Node: n.Key, Scope: id.scope, Visit: id.number}
		d := st.s.Routes(attrs)
		f.Queue, f.Priority, f.Learned = d.Queue, d.Priority, d.Learned
	}
	if f.Queue == "" {
		f.Queue = route.DefaultQueue
	}
	if n.Limits != nil {
		f.ConcurrencyKey, f.RateKey = clip(textOf(said.ConcurrencyKey), limitKeyMax), clip(textOf(said.RateKey), limitKeyMax)
	}
	return f, nil
}

// WaitMax is the longest wait: ten years.
const WaitMax = 10 * 365 * 24 * time.Hour

// HeadersMax bounds the headers of one answer, in bytes, so that the event
// stays below its limit.
const HeadersMax = 1_000

// respond answers whoever waits for the run.
func (st *step) respond(n *Node, l *link, sc *view, id visitID) (Fact, error) {
	fields, err := evalFields(l, sc)
	if err != nil {
		return nil, err
	}
	f := &Responded{Node: n.Key, Scope: id.scope, Visit: id.number, Took: id.took, Ports: []string{PortSuccess}, Status: 200}
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
func (st *step) failNode(n *Node, l *link, sc *view) (Fact, error) {
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
