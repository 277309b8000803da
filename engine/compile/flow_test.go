package compile_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"signalbox/engine/compile"
	"signalbox/engine/event"
	"signalbox/engine/graph"
	"signalbox/engine/machine"
)

// draw makes a graph of lines like "a:kind{config}" and "a.port>b".
func draw(t testing.TB, lines ...string) graph.Graph {
	t.Helper()
	g := graph.Graph{Format: 1}
	for _, l := range lines {
		if from, to, ok := strings.Cut(l, ">"); ok && !strings.Contains(from, "{") {
			n, port, _ := strings.Cut(from, ".")
			if port == "" {
				port = "success"
			}
			g.Edges = append(g.Edges, graph.Edge{ID: "e-" + n + "-" + port + "-" + to, From: n, Port: port, To: to})
			continue
		}
		key, rest, _ := strings.Cut(l, ":")
		kind, config, ok := strings.Cut(rest, "{")
		join := ""
		if k, j, has := strings.Cut(kind, "/"); has {
			kind, join = k, j
		}
		n := graph.Node{ID: key, Key: key, Kind: kind}
		if ok {
			n.Config = json.RawMessage("{" + config)
		}
		if join != "" {
			n.Join = &graph.Join{Mode: join}
		}
		g.Nodes = append(g.Nodes, n)
	}
	return g
}

func build(t testing.TB, lines ...string) *machine.Machine {
	t.Helper()
	m, issues := compile.Compile(draw(t, lines...))
	if m == nil {
		t.Fatalf("does not compile: %+v", issues)
	}
	return m
}

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// play starts a run and answers every task with {"from": key}; fails lists
// how often a node fails first.
func play(t testing.TB, m *machine.Machine, input string, fails map[string]int) (*machine.Snapshot, []machine.Event) {
	t.Helper()
	s := m.New("018f0000-0000-7000-8000-000000000001")
	var log []machine.Event
	step := func(in machine.Input, at time.Time) []machine.Event {
		ev, err := m.Step(s, in, at)
		if err != nil {
			t.Fatal(err)
		}
		log = append(log, ev...)
		return ev
	}
	trigger := ""
	for _, n := range m.Nodes {
		if n.Op == machine.OpTrigger {
			trigger = n.Key
		}
	}
	step(machine.Start{Trigger: trigger, Value: json.RawMessage(input)}, noon)
	at := noon
	for i := 0; !s.Status.Over() && i < 10_000; i++ {
		pending := m.Pending(s)
		if len(pending) == 0 {
			at = m.WakeAt(s)
			step(machine.Wake{}, at)
			continue
		}
		d := pending[0].(machine.Dispatch)
		if fails[d.Node] >= d.Attempt {
			step(machine.Fail{Node: d.Node, Visit: d.Visit, Attempt: d.Attempt, Error: event.Error{Class: "unavailable", Message: "no"}}, at)
			continue
		}
		step(machine.Complete{Node: d.Node, Visit: d.Visit, Attempt: d.Attempt, Output: json.RawMessage(`{"from":"` + d.Node + `"}`)}, at)
		if again, err := m.Step(s, machine.Complete{Node: d.Node, Visit: d.Visit, Attempt: d.Attempt}, at); err != nil || len(again) > 0 {
			t.Fatalf("the same result twice made %d events (%v)", len(again), err)
		}
	}
	// Replay: the fold of the stored events is the state of the steps.
	copied := m.New(s.Run)
	for _, e := range log {
		stored, err := machine.Encode(e)
		if err != nil {
			t.Fatal(err)
		}
		back, err := machine.Decode(stored)
		if err != nil {
			t.Fatal(err)
		}
		if err := m.Fold(copied, back); err != nil {
			t.Fatal(err)
		}
	}
	a, _ := s.Result(m)
	b, _ := copied.Result(m)
	if string(a) != string(b) || s.Status != copied.Status || s.Tokens() != copied.Tokens() {
		t.Errorf("replay differs: %s %s / %s %s", s.Status, a, copied.Status, b)
	}
	return s, log
}

func trace(log []machine.Event) string {
	var b strings.Builder
	for _, e := range log {
		typ, node := machine.Name(e.Fact)
		b.WriteString(typ)
		if node != "" {
			b.WriteString(" " + node)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func triage(t testing.TB) *machine.Machine {
	t.Helper()
	return build(t, "ticket:manual", `tidy:set{"fields":{"seen":true}}`,
		`route:route{"match":"every","rules":[{"port":"express","when":"input.priority >= 8"},{"port":"vision","when":"has(input.image)"}]}`,
		"fast:mock", "look:mock", "slow:mock", "meet:join", `reply:respond{"body":{"got":"=inputs.meet"}}`,
		"ticket>tidy", "tidy>route", "route.express>fast", "route.vision>look", "route.default>slow", "fast>meet", "look>meet", "slow>meet", "meet>reply")
}

func TestChoiceAndJoin(t *testing.T) {
	t.Parallel()
	s, log := play(t, triage(t), `{"priority":9,"image":"x"}`, nil)
	want := `RunStarted ticket
NodeCompleted tidy
NodeCompleted route
TaskScheduled fast
TaskScheduled look
TaskCompleted fast
TaskCompleted look
NodeCompleted meet
Responded reply
RunSucceeded
`
	if got := trace(log); got != want {
		t.Errorf("trace\n%s\nwant\n%s", got, want)
	}
	m := triage(t)
	_, log = play(t, m, `{"priority":1}`, nil)
	if got := trace(log); !strings.Contains(got, "TaskScheduled slow") || strings.Contains(got, "fast") {
		t.Errorf("trace\n%s", got)
	}
	if a, ok := s.Answered(); !ok || a.Status != 200 || string(a.Body) != `{"got":{"fast":{"from":"fast"},"look":{"from":"look"}}}` {
		t.Errorf("answer %+v %s", a, a.Body)
	}
}

func TestRetryFailurePortAndEnd(t *testing.T) {
	t.Parallel()
	lines := []string{"start:manual", "work:mock", `saved:transform{"expression":"input.error.class"}`, "start>work", "work.failure>saved"}
	s, log := play(t, build(t, lines...), `{}`, map[string]int{"work": 2})
	if s.Status != machine.StatusSucceeded || strings.Count(trace(log), "TaskScheduled") != 3 {
		t.Errorf("%s\n%s", s.Status, trace(log))
	}
	s, log = play(t, build(t, lines...), `{}`, map[string]int{"work": 99})
	if r, _ := s.Result(build(t, lines...)); s.Status != machine.StatusSucceeded || string(r) != `"unavailable"` {
		t.Errorf("%s %s\n%s", s.Status, r, trace(log))
	}
	s, log = play(t, build(t, "start:manual", "work:mock", "start>work"), `{}`, map[string]int{"work": 99})
	if s.Status != machine.StatusFailed || s.Failure.Attempts != 3 {
		t.Errorf("%s %+v\n%s", s.Status, s.Failure, trace(log))
	}
}

func TestLoopsHaveALimit(t *testing.T) {
	t.Parallel()
	lines := []string{
		"start:manual", "head:join", `step:set{"fields":{"n":"=has(input.n) ? input.n + 1 : 1"}}`, `more:if{"condition":"input.n < 5"}`, `flat:transform{"expression":"inputs.more"}`,
		"start>step", "step>more", "more.true>step",
	}
	lines[1], lines[4] = "", ""
	var kept []string
	for _, l := range lines {
		if l != "" {
			kept = append(kept, l)
		}
	}
	kept[1] = `step:set/each{"fields":{"n":"=has(input.n) ? input.n + 1 : 1"}}`
	s, log := play(t, build(t, kept...), `{}`, nil)
	if s.Status != machine.StatusSucceeded || strings.Count(trace(log), "NodeCompleted step") != 5 {
		t.Errorf("%s %+v\n%s", s.Status, s.Failure, trace(log))
	}
	endless := append([]string{}, kept...)
	endless[2] = `more:if{"condition":"true"}`
	s, _ = play(t, build(t, endless...), `{}`, nil)
	if s.Status != machine.StatusFailed || s.Failure.Class != "loop_limit" {
		t.Errorf("%s %+v", s.Status, s.Failure)
	}
}

func TestWaitEndsOnTime(t *testing.T) {
	t.Parallel()
	s, log := play(t, build(t, "start:manual", `rest:wait{"duration":"90m"}`, "start>rest"), `{"x":1}`, nil)
	last := log[len(log)-1]
	if s.Status != machine.StatusSucceeded || !last.At.Equal(noon.Add(90*time.Minute)) {
		t.Errorf("%s at %s\n%s", s.Status, last.At, trace(log))
	}
}

func TestSoundness(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		code  string
		lines []string
	}{
		"a choice starves an all join":  {"join_stuck", []string{"s:manual", `c:if{"condition":"true"}`, "a:mock", "b:mock", "j:join/all", "s>c", "c.true>a", "c.false>b", "a>j", "b>j"}},
		"two joins wait for each other": {"join_cycle", []string{"s:manual", "a:join", "b:join", "s>a", "s>b", "a>b", "b>a"}},
		"a loop without a way out":      {"no_exit", []string{"s:manual", "a:mock/each", "b:mock", "s>a", "a>b", "b>a"}},
		"nobody comes here":             {"dead_node", []string{"s:manual", "a:mock", "b:mock", "s>a"}},
		"no trigger":                    {"no_trigger", []string{"a:mock"}},
		"a port that is gone":           {"unknown_port", []string{"s:manual", "a:mock", "s.nope>a"}},
		"data from later":               {"never_ready_data", []string{"s:manual", `a:transform{"expression":"nodes.b.output"}`, "b:mock", "s>a", "a>b"}},
		"data that may be missing":      {"maybe_missing_data", []string{"s:manual", `c:if{"condition":"true"}`, "a:mock", `b:transform/each{"expression":"nodes.a.output"}`, "s>c", "c.true>a", "c.false>b", "a>b"}},
		"an expression that is none":    {"bad_expression", []string{"s:manual", `a:transform{"expression":"1 +"}`, "s>a"}},
		"an unknown kind":               {"unknown_kind", []string{"s:manual", "a:teleport", "s>a"}},
	} {
		_, issues := compile.Compile(draw(t, c.lines...))
		found := false
		for _, i := range issues {
			found = found || i.Code == c.code
		}
		if !found {
			t.Errorf("%s: %+v, want %s", name, issues, c.code)
		}
	}
	if _, issues := compile.Compile(draw(t, "s:manual", `c:if{"condition":"true"}`, "a:mock", "b:mock", "j:join", "s>c", "c.true>a", "c.false>b", "a>j", "b>j")); len(issues) > 0 {
		t.Errorf("a sound drawing: %+v", issues)
	}
}

func TestMachineSurvivesStorage(t *testing.T) {
	t.Parallel()
	m := triage(t)
	raw, err := m.Encode()
	if err != nil {
		t.Fatal(err)
	}
	back, err := machine.Load(raw)
	if err != nil {
		t.Fatal(err)
	}
	a, _ := m.Digest()
	b, _ := back.Digest()
	if a != b {
		t.Error("the digest changes when a machine is stored and loaded")
	}
	if s, _ := play(t, back, `{"priority":9}`, nil); s.Status != machine.StatusSucceeded {
		t.Error(s.Status)
	}
}

func BenchmarkStep(b *testing.B) {
	m := triage(b)
	b.ReportAllocs()
	for b.Loop() {
		s := m.New("r")
		if _, err := m.Step(s, machine.Start{Trigger: "ticket", Value: json.RawMessage(`{"priority":9}`)}, noon); err != nil {
			b.Fatal(err)
		}
		if _, err := m.Step(s, machine.Complete{Node: "fast", Visit: 1, Attempt: 1, Output: json.RawMessage(`{"a":1}`)}, noon); err != nil {
			b.Fatal(err)
		}
	}
}
