package compile_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"signalbox/engine/compile"
	"signalbox/engine/event"
	"signalbox/engine/graph"
	"signalbox/engine/machine"
	drawn "signalbox/engine/reference/play"
	"signalbox/engine/shape"
)

// gauge holds what happens in a run against what is said of its ports.
type gauge struct {
	t     *testing.T
	m     *machine.Machine
	ports map[string]compile.Ports // by key
	what  string
	seen  int
	ended map[string]int // visits by key that gave something
}

func newGauge(t *testing.T, m *machine.Machine, g graph.Graph, what string) *gauge {
	t.Helper()
	all, _ := compile.PortsOf(g, compile.World{})
	byKey := map[string]compile.Ports{}
	for _, n := range g.Nodes {
		byKey[n.Key] = all[n.ID]
	}
	return &gauge{t: t, m: m, ports: byKey, what: what, ended: map[string]int{}}
}

// given joins what a node is said to give by some of its ports; without any
// named, by all but failure.
func (g *gauge) given(key string, ports ...string) shape.Shape {
	all := shape.Shape{}
	for port, s := range g.ports[key].Gives {
		if slices.Contains(ports, port) || len(ports) == 0 && port != machine.PortFailure {
			all = shape.Join(all, s)
		}
	}
	if all.Never() {
		return shape.Any()
	}
	return all
}

func (g *gauge) fits(key string, raw []byte, ports ...string) {
	g.t.Helper()
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		g.t.Fatal(err)
	}
	g.seen++
	if f := g.given(key, ports...).Fits(v); f != nil {
		want, _ := json.Marshal(g.given(key, ports...))
		g.t.Fatalf("%s\n%s gave %s,\nwhich does not fit %s\nat %q: %+v", g.what, key, raw, want, f.Pointer, f)
	}
}

// hears checks the values that events carry.
func (g *gauge) hears(events []machine.Event) {
	g.t.Helper()
	for _, e := range events {
		key, ports := "", []string(nil)
		switch f := e.Fact.(type) {
		case *machine.NodeCompleted:
			key, ports = f.Node, f.Ports
		case *machine.TaskCompleted:
			if !strings.Contains(f.Node, "undo") {
				key, ports = f.Node, []string{f.Port}
			}
		case *machine.Responded:
			key, ports = f.Node, f.Ports
		case *machine.WaitCompleted:
			key, ports = f.Node, []string{f.Port}
		case *machine.ContainerCompleted:
			key, ports = f.Node, []string{f.Port}
		}
		if key == "" {
			continue
		}
		g.ended[key]++
		if v, ok := machine.OutputOf(e.Fact); ok && v.Inline != nil {
			g.fits(key, v.Inline, ports...)
		}
	}
}

// looks checks what the nodes of the run's own scope gave last: also what they
// only handed on.
func (g *gauge) looks(s *machine.Snapshot) {
	g.t.Helper()
	for key, out := range s.Outputs(g.m) {
		g.fits(key, out.Value)
	}
}

// TestWhatRunsGiveFitsTheirPorts plays random drawings on the machine: what is
// recorded at a port has the shape that is said of it.
func TestWhatRunsGiveFitsTheirPorts(t *testing.T) {
	t.Parallel()
	seen := 0
	for seed := range uint64(250) {
		r := rand.New(rand.NewPCG(seed, 11)) //nolint:gosec // to be repeated
		g := drawn.Draw(r)
		m := drawn.Lower(g)
		rule := newGauge(t, m, g, fmt.Sprintf("seed %d\n%s", seed, drawn.Drawn(g)))
		drivePorts(t, r, m, rule)
		seen += rule.seen
	}
	if seen < 2_000 {
		t.Errorf("only %d values were looked at", seen)
	}
	t.Logf("%d values", seen)
}

// drivePorts plays a run with a worker that gives what mocks are told to, or
// fails.
func drivePorts(t *testing.T, r *rand.Rand, m *machine.Machine, rule *gauge) *machine.Snapshot {
	t.Helper()
	s, at := m.New("018f0000-0000-7000-8000-000000000001"), noon
	trigger := ""
	for _, n := range m.Nodes {
		if n.Op == machine.OpTrigger {
			trigger = n.Key
		}
	}
	step := func(in machine.Input) []machine.Event {
		events, err := m.Step(s, in, at)
		if err != nil {
			t.Fatal(err)
		}
		rule.hears(events)
		rule.looks(s)
		return events
	}
	step(machine.Start{Trigger: trigger, Value: json.RawMessage(randomValue(r, 0)), Source: "test"})
	for i := 0; !s.Status.Over() && s.Status != machine.StatusAttention && i < 400; i++ {
		pending := m.Pending(s)
		if len(pending) == 0 {
			if at = m.WakeAt(s); at.IsZero() {
				break
			}
			step(machine.Wake{})
			continue
		}
		d, ok := pending[r.IntN(len(pending))].(machine.Dispatch)
		if !ok {
			break // a run of its own
		}
		if r.IntN(12) == 0 {
			step(machine.Fail{Scope: d.Scope, Node: d.Node, Visit: d.Visit, Attempt: d.Attempt, Error: event.Error{Class: "invalid_input", Message: "no"}})
			continue
		}
		var c struct{ Answer json.RawMessage }
		if d.Config.Inline == nil || json.Unmarshal(d.Config.Inline, &c) != nil || c.Answer == nil {
			c.Answer = json.RawMessage("null")
		}
		step(machine.Complete{Scope: d.Scope, Node: d.Node, Visit: d.Visit, Attempt: d.Attempt, Output: c.Answer})
	}
	return s
}

func randomValue(r *rand.Rand, depth int) string {
	switch k := r.IntN(9); {
	case k < 4 && depth < 3:
		var fields []string
		for _, name := range []string{"a", "b", "c", "r"} {
			if r.IntN(2) == 0 {
				fields = append(fields, fmt.Sprintf("%q:%s", name, randomValue(r, depth+1)))
			}
		}
		return "{" + strings.Join(fields, ",") + "}"
	case k == 4 && depth < 3:
		var items []string
		for range r.IntN(4) {
			items = append(items, randomValue(r, depth+1))
		}
		return "[" + strings.Join(items, ",") + "]"
	case k == 5:
		return `"text"`
	case k == 6:
		return "true"
	case k == 7:
		return "null"
	}
	return fmt.Sprint(r.IntN(10))
}

// expressions that a step may have over what comes.
func randomExpression(r *rand.Rand) string {
	name := func() string { return string("abcr"[r.IntN(4)]) }
	path := "input"
	if r.IntN(4) > 0 {
		path += "." + name()
	}
	if r.IntN(5) == 0 {
		path += "." + name()
	}
	forms := []string{
		"%s", "%s", "%s", "%s + 1", "%s * 2", "%s > 3", "size(%s)", "%s.map(x, x)", "%s.map(x, x.a)", "%s.filter(x, x == 1)", "%s.exists(x, x.b == 1)",
		"{'a': %s, 'b': 1}", "[%s, 1]", "[%s].map(x, x.a)", "%s.contains('e')", "%s + 'x'", "!%s", "%s[0]", "%s[0].a", "-%s", "%s.size() + 1",
		"has(%s.a) ? %s.a : 0", "default(%s.b, 'none')", "%s == null", "json(%s)", "type(%s)", "%s + [1]", "cel.bind(v, %s, v.a)", "%s.transformList(i, v, v)", "%s.all(x, x.a > 0)",
		"%s.distinct()", "%s.join(',')", "%s.?a.orValue(3)", "1 in %s", "'a' in %s", "%s ? 1 : 'x'", "%s.split('e')", "text(%s)", "%s.reverse()", "%s.sortBy(x, x.a)", "%s.exists_one(x, x == 1)", "%s - 1", "number(%s)",
	}
	return strings.ReplaceAll(forms[r.IntN(len(forms))], "%s", path)
}

// TestFindingsAboutDataAreTrue plays random rows of steps: what is given fits
// its port, and a step that is said to read what never comes fails whenever it
// runs.
func TestFindingsAboutDataAreTrue(t *testing.T) {
	t.Parallel()
	found, failed, fine := 0, 0, 0
	for seed := range uint64(700) {
		r := rand.New(rand.NewPCG(seed, 12)) //nolint:gosec // to be repeated
		answer := func() string {
			if r.IntN(4) > 0 {
				return fmt.Sprintf(`{"answer":{"a":%d,"b":"text","c":[{"a":1,"b":%s}],"r":%s}}`, r.IntN(5), randomValue(r, 2), randomValue(r, 1))
			}
			return `{"answer":` + randomValue(r, 0) + `}`
		}
		transform := func() string {
			raw, _ := json.Marshal(map[string]string{"expression": randomExpression(r)})
			return string(raw)
		}
		lines := []string{
			"s:manual", "m:mock" + answer(), "n:mock" + answer(), "j:join/" + []string{"each", "each", "each", "all", "inclusive"}[r.IntN(5)],
			"t:transform" + transform(), "u:transform" + transform(), `w:set{"fields":{"a":"=input","b.c":1}}`,
			"s>m", "s>n", "m>j", "n>j", "j>t", "j>u", "t>w",
		}
		g := draw(t, lines...)
		m, issues := compile.Compile(g)
		if m == nil {
			t.Fatalf("%v\n%s", issues, strings.Join(lines, "\n"))
		}
		rule := newGauge(t, m, g, fmt.Sprintf("seed %d\n%s", seed, strings.Join(lines, "\n")))
		s := m.New("018f0000-0000-7000-8000-000000000001")
		events, err := m.Step(s, machine.Start{Trigger: "s", Value: json.RawMessage("{}")}, noon)
		if err != nil {
			t.Fatal(err)
		}
		rule.hears(events)
		for pending := m.Pending(s); len(pending) > 0; pending = m.Pending(s) {
			d := pending[0].(machine.Dispatch)
			var c struct{ Answer json.RawMessage }
			if err := json.Unmarshal(d.Config.Inline, &c); err != nil {
				t.Fatal(err)
			}
			if events, err = m.Step(s, machine.Complete{Node: d.Node, Visit: d.Visit, Attempt: d.Attempt, Output: c.Answer}, noon); err != nil {
				t.Fatal(err)
			}
			rule.hears(events)
			rule.looks(s)
		}
		for _, i := range issues {
			if i.Code != "missing_field" && i.Code != "wrong_type" {
				continue
			}
			found++
			if config := string(g.Nodes[slices.IndexFunc(g.Nodes, func(n graph.Node) bool { return n.ID == i.Node })].Config); strings.Contains(config, " x.") || strings.Contains(config, "? ") {
				continue // only what is evaluated fails: not of an empty list, nor in the other branch
			}
			if rule.ended[i.Node] > 0 {
				t.Errorf("%s\n%s, but it gave something", rule.what, i.Message)
			}
			failed++
		}
		fine += rule.ended["t"] + rule.ended["u"]
	}
	if found < 100 || fine < 100 {
		t.Errorf("only %d findings and %d visits without", found, fine)
	}
	t.Logf("%d findings, %d of which were seen to fail; %d visits gave something", found, failed, fine)
}
