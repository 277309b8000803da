package compile_test

import (
	"strings"
	"testing"
	"time"

	"signalbox/engine/compile"
	"signalbox/engine/event"
	"signalbox/engine/graph"
	"signalbox/engine/machine"
)

// asking is a chart whose state asks a worker, and goes by the answer.
func asking(t *testing.T, invoke string) graph.Graph {
	t.Helper()
	g := draw(t, "s:manual", `talk:states{"initial":"asked","context":{"name":"=input.name","why":null}}`,
		`asked:state{"on":[{"event":"stop","port":"on_stop"}],"invoke":[`+invoke+`]}`,
		`glad:state{"final":true}`, `sad:state{"final":true}`,
		"s>talk", "asked.done_mock>glad", "asked.error_mock>sad", "asked.on_stop>sad")
	return inside(g, "talk", "asked", "glad", "sad")
}

const mock = `{"src":"mock","input":{"answer":{"hello":"=context.name"}},
	"done":[{"port":"done_mock","actions":[{"assign":{"got":"=event.output.n"}}]}],
	"error":[{"port":"error_mock","actions":[{"assign":{"why":"=event.error.class"}}]}]}`

func TestStateStartsATaskAndGoesByWhatItGives(t *testing.T) {
	t.Parallel()
	m := compiled(t, asking(t, mock))
	st := perform(t, m, `{"name":"ada"}`)
	d := st.task("asked")
	if d.Kind != "mock" || !strings.Contains(string(d.Config.Inline), `"answer":{"hello":"ada"}`) || d.Attempt != 1 {
		t.Errorf("the task is %+v %s", d, d.Config.Inline)
	}
	st.succeed("asked", `{"n":7}`)
	st.ends(machine.StatusSucceeded, `{"got":7,"name":"ada","why":null}`)
	want := "RunStarted s\nChartMoved talk\nTaskScheduled asked\nTaskCompleted asked\nChartMoved talk\nWaitCompleted talk\nRunSucceeded\n"
	if got := trace(st.log); got != want {
		t.Errorf("trace\n%s", got)
	}
}

func TestTaskOfAStateIsTriedAgainAndFailsIntoTheChart(t *testing.T) {
	t.Parallel()
	st := perform(t, compiled(t, asking(t, mock)), `{"name":"ada"}`)
	for range 2 { // the kind's own policy: three attempts
		st.fails("asked", "unavailable")
		st.pass(time.Minute)
	}
	st.fails("asked", "unavailable")
	st.ends(machine.StatusSucceeded, `{"name":"ada","why":"unavailable"}`)

	unheard := strings.Replace(mock, `,
	"error":[{"port":"error_mock","actions":[{"assign":{"why":"=event.error.class"}}]}]`, "", 1)
	g := asking(t, unheard)
	st = perform(t, compiled(t, g), `{"name":"ada"}`)
	st.breaks("asked")
	if st.ends(machine.StatusFailed, ""); st.s.Failure.Class != "invalid_input" || st.s.Failure.Node != "talk" {
		t.Errorf("failed with %+v", st.s.Failure)
	}
}

// TestTaskOfAStateEndsWithIt: whoever leaves the state cancels the task, and its
// result counts no more.
func TestTaskOfAStateEndsWithIt(t *testing.T) {
	t.Parallel()
	m := compiled(t, asking(t, mock))
	st := perform(t, m, `{"name":"ada"}`)
	d := st.task("asked")
	before := len(st.log)
	st.step(machine.Signal{Name: "stop"})
	if got := trace(st.log[before:]); got != "ChartMoved talk\nVisitCanceled asked\nWaitCompleted talk\nRunSucceeded\n" {
		t.Errorf("trace\n%s", got)
	}
	if n := st.step(machine.Complete{Scope: d.Scope, Node: d.Node, Visit: d.Visit, Attempt: d.Attempt, Output: []byte(`{}`)}); n != 0 {
		t.Errorf("%d events for a task that nobody waits for", n)
	}
	st.ends(machine.StatusSucceeded, "")

	st = perform(t, m, `{"name":"ada"}`) // the run is paused: all of it is kept
	st.step(machine.Pause{By: "ada"})
	st.step(machine.Signal{Name: "stop"})
	d = st.task("asked")
	st.step(machine.Complete{Scope: d.Scope, Node: d.Node, Visit: d.Visit, Attempt: d.Attempt, Output: []byte(`{}`)})
	st.step(machine.Resume{By: "ada"})
	st.ends(machine.StatusSucceeded, `{"name":"ada","why":null}`)
}

// TestChartThatIsEndedFromOutsideEndsItsTasks by a join that cancels, and by a
// failure besides.
func TestChartThatIsEndedFromOutsideEndsItsTasks(t *testing.T) {
	t.Parallel()
	g := asking(t, mock)
	g.Nodes = append(g.Nodes, graph.Node{ID: "other", Key: "other", Kind: "mock"}, graph.Node{ID: "j", Key: "j", Kind: "join", Join: &graph.Join{Mode: "first", Then: "cancel"}})
	g.Edges = append(g.Edges, graph.Edge{ID: "so", From: "s", Port: "success", To: "other"}, graph.Edge{ID: "oj", From: "other", Port: "success", To: "j"}, graph.Edge{ID: "tj", From: "talk", Port: "success", To: "j"})
	m := compiled(t, g)
	st := perform(t, m, `{"name":"ada"}`)
	st.succeed("other", `1`)
	st.ends(machine.StatusSucceeded, "")
	if got := trace(st.log); !strings.Contains(got, "VisitCanceled asked\nVisitCanceled talk\n") {
		t.Errorf("trace\n%s", got)
	}
	for i, n := range g.Nodes {
		if n.Key == "j" {
			g.Nodes[i].Join = nil
		}
	}
	st = perform(t, compiled(t, g), `{"name":"ada"}`)
	st.breaks("other")
	st.ends(machine.StatusFailed, "")
}

// TestLogOfAChartWithTasksCanBeCutAnywhere and goes on to the same end.
func TestLogOfAChartWithTasksCanBeCutAnywhere(t *testing.T) {
	t.Parallel()
	m := compiled(t, asking(t, mock))
	st := perform(t, m, `{"name":"ada"}`)
	st.succeed("asked", `{"n":7}`)
	for cut := 1; cut < len(st.log); cut++ {
		s := m.New("018f0000-0000-7000-8000-000000000001")
		if err := m.Fold(s, st.log[:cut]...); err != nil {
			t.Fatal(err)
		}
		if _, err := m.Settle(s, noon); err != nil {
			t.Fatal(err)
		}
		if s.Owed() {
			if _, err := m.Step(s, machine.Complete{Node: "asked", Visit: 1, Attempt: 1, Output: []byte(`{"n":7}`)}, noon); err != nil {
				t.Fatal(err)
			}
		}
		raw, err := s.Result(m)
		if err != nil || string(raw) != `{"got":7,"name":"ada","why":null}` {
			t.Errorf("cut after %d: %s %s (%v)", cut, s.Status, raw, err)
		}
	}
}

func TestTaskOfAStateIsChecked(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ invoke, code, field string }{
		"no such task":        {`{"src":"fetchUser"}`, "unknown_task", "/config/invoke/0/src"},
		"no task at all":      {`{"src":"if"}`, "unknown_task", "/config/invoke/0/src"},
		"a bad configuration": {`{"src":"mock","input":{"latency_ms":-1}}`, "bad_config", "/config/invoke/0/input/latency_ms"},
		"a bad expression":    {`{"src":"mock","input":{"answer":"=context."}}`, "bad_chart", ""},
	} {
		_, issues := compile.Compile(asking(t, c.invoke))
		if i, found := issue(issues, c.code); !found || i.Field != c.field || i.Node != "asked" {
			t.Errorf("%s: %+v", name, issues)
		}
	}
	g := asking(t, mock+`,`+strings.ReplaceAll(mock, "_mock", "_again"))
	m := compiled(t, g)
	if a, b := m.Index("asked"), m.Index("asked_2"); a < 0 || b < 0 || m.Nodes[b].Of == 0 {
		t.Errorf("two tasks of one state are the nodes %d and %d", a, b)
	}
}

// TestLargeStepsOfAChartStayBelowTheLimitOfOneEvent: inputs of tasks and the
// state are stored apart when they are large.
func TestLargeStepsOfAChartStayBelowTheLimitOfOneEvent(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 7_000)
	st := perform(t, compiled(t, asking(t, mock)), `{"name":"`+long+`"}`)
	for _, e := range st.log {
		if stored, err := machine.Encode(e); err != nil || len(stored.Data) > event.SizeMax {
			t.Errorf("%v: %d bytes (%v)", e.Fact, len(stored.Data), err)
		}
	}
	if d := st.task("asked"); d.Config.Size() < len(long) {
		t.Errorf("the task is told %d bytes", d.Config.Size())
	}
	st.succeed("asked", `{"n":7}`)
	if raw, err := st.s.Result(st.m); err != nil || !strings.Contains(string(raw), long) {
		t.Errorf("%.40s (%v)", raw, err)
	}
}
