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

// inside puts nodes into a container and sets what lines cannot say.
func inside(g graph.Graph, container string, keys ...string) graph.Graph {
	for i := range g.Nodes {
		for _, k := range keys {
			if g.Nodes[i].Key == k {
				g.Nodes[i].In = container
			}
		}
	}
	return g
}

func with(g graph.Graph, key string, change func(*graph.Node)) graph.Graph {
	for i := range g.Nodes {
		if g.Nodes[i].Key == key {
			change(&g.Nodes[i])
		}
	}
	return g
}

func compiled(t testing.TB, g graph.Graph) *machine.Machine {
	t.Helper()
	m, issues := compile.Compile(g)
	if m == nil {
		t.Fatalf("does not compile: %+v", issues)
	}
	return m
}

// stage plays a machine by hand and checks that the log folds to the same
// state.
type stage struct {
	t   testing.TB
	m   *machine.Machine
	s   *machine.Snapshot
	at  time.Time
	log []machine.Event
}

func perform(t testing.TB, m *machine.Machine, input string) *stage {
	t.Helper()
	st := &stage{t: t, m: m, s: m.New("018f0000-0000-7000-8000-000000000001"), at: noon}
	keep(t, m, &st.log)
	for _, n := range m.Nodes {
		if n.Op == machine.OpTrigger {
			st.step(machine.Start{Trigger: n.Key, Value: json.RawMessage(input), Source: "test"})
		}
	}
	return st
}

func (st *stage) step(in machine.Input) int {
	st.t.Helper()
	events, err := st.m.Step(st.s, in, st.at)
	if err != nil {
		st.t.Fatal(err)
	}
	for _, e := range events {
		stored, err := machine.Encode(e)
		if err != nil {
			st.t.Fatal(err)
		}
		back, err := machine.Decode(stored)
		if err != nil {
			st.t.Fatal(err)
		}
		st.log = append(st.log, back)
	}
	n := len(events)
	if w := st.m.WakeAt(st.s); !w.IsZero() && !w.After(st.at) { // it stopped half-way
		n += st.step(machine.Wake{})
	}
	return n
}

// task finds the pending attempt of a node; the scope is -1 for any.
func (st *stage) task(node string) machine.Dispatch {
	st.t.Helper()
	for _, c := range st.m.Pending(st.s) {
		if d, ok := c.(machine.Dispatch); ok && d.Node == node {
			return d
		}
	}
	st.t.Fatalf("%s has no task\n%s", node, trace(st.log))
	return machine.Dispatch{}
}

func (st *stage) succeed(node, output string) {
	st.t.Helper()
	d := st.task(node)
	st.step(machine.Complete{Scope: d.Scope, Node: d.Node, Visit: d.Visit, Attempt: d.Attempt, Output: json.RawMessage(output)})
}

func (st *stage) breaks(node string) {
	st.t.Helper()
	d := st.task(node)
	st.step(machine.Fail{Scope: d.Scope, Node: d.Node, Visit: d.Visit, Attempt: d.Attempt, Error: event.Error{Class: "invalid_input", Message: "no"}})
}

func (st *stage) pass(d time.Duration) {
	st.t.Helper()
	st.at = st.at.Add(d)
	st.step(machine.Wake{})
}

// ends checks the status, the result and that the log alone gives the same.
func (st *stage) ends(status machine.Status, result string) {
	st.t.Helper()
	raw, err := st.s.Result(st.m)
	if err != nil {
		st.t.Fatal(err)
	}
	if st.s.Status != status || result != "" && string(raw) != result {
		st.t.Errorf("%s %s %+v, want %s %s\n%s", st.s.Status, raw, st.s.Failure, status, result, trace(st.log))
	}
	if status == machine.StatusSucceeded && st.s.Tokens() > 0 {
		st.t.Errorf("%d tokens are left", st.s.Tokens())
	}
	again := st.m.New("018f0000-0000-7000-8000-000000000001")
	if err := st.m.Fold(again, st.log...); err != nil {
		st.t.Fatal(err)
	}
	folded, err := again.Result(st.m)
	if err != nil || again.Status != st.s.Status || string(folded) != string(raw) {
		st.t.Errorf("the log folds to %s %s (%v)", again.Status, folded, err)
	}
}

func TestMapKeepsTheOrderOfItems(t *testing.T) {
	t.Parallel()
	g := inside(draw(t, "s:manual", `each:map{"items":"=input","concurrency":2}`, "work:mock", `mark:set{"fields":{"n":"=index","of":"=item"}}`, "s>each", "work>mark"), "each", "work", "mark")
	st := perform(t, compiled(t, g), `["a","b","c"]`)
	if n := len(st.m.Pending(st.s)); n != 2 {
		t.Fatalf("%d tasks at once, want 2", n)
	}
	st.step(machine.Complete{Scope: 2, Node: "work", Visit: 1, Attempt: 1, Output: json.RawMessage(`{"w":2}`)})
	st.step(machine.Complete{Scope: 3, Node: "work", Visit: 1, Attempt: 1, Output: json.RawMessage(`{"w":3}`)})
	st.step(machine.Complete{Scope: 1, Node: "work", Visit: 1, Attempt: 1, Output: json.RawMessage(`{"w":1}`)})
	st.ends(machine.StatusSucceeded, `[{"n":0,"of":"a","w":1},{"n":1,"of":"b","w":2},{"n":2,"of":"c","w":3}]`)
}

func TestMapOnItemError(t *testing.T) {
	t.Parallel()
	for mode, want := range map[string]string{
		"skip":    `[{"ok":1}]`,
		"collect": `[{"error":{"class":"invalid_input","message":"no","node":"work","attempts":1}},{"ok":1}]`,
	} {
		g := inside(draw(t, "s:manual", `each:map{"items":[1,2],"on_item_error":"`+mode+`"}`, "work:mock", "s>each"), "each", "work")
		st := perform(t, compiled(t, g), `{}`)
		st.breaks("work")
		st.succeed("work", `{"ok":1}`)
		st.ends(machine.StatusSucceeded, want)
	}
	g := inside(draw(t, "s:manual", `each:map{"items":[1,2]}`, "work:mock", "s>each", `caught:transform{"expression":"input.error.class"}`, "each.failure>caught"), "each", "work")
	st := perform(t, compiled(t, g), `{}`)
	st.breaks("work")
	st.ends(machine.StatusSucceeded, `"invalid_input"`)
	if !strings.Contains(trace(st.log), "VisitCanceled work\n") {
		t.Errorf("the other item was not ended\n%s", trace(st.log))
	}
}

func TestMapOfTenThousand(t *testing.T) {
	t.Parallel()
	g := inside(draw(t, "s:manual", `each:map{"items":"=input","concurrency":1000}`, `twice:transform{"expression":"item * 2"}`, "s>each"), "each", "twice")
	items := make([]int, machine.ItemsMax)
	for i := range items {
		items[i] = i
	}
	raw, err := json.Marshal(items)
	if err != nil {
		t.Fatal(err)
	}
	st := perform(t, compiled(t, g), string(raw))
	if st.s.Status != machine.StatusSucceeded {
		t.Fatalf("%s %+v", st.s.Status, st.s.Failure)
	}
	out, err := st.s.Result(st.m)
	if err != nil || !strings.HasPrefix(string(out), "[0,2,4,") || !strings.HasSuffix(string(out), ",19998]") {
		t.Errorf("%.40s (%v)", out, err)
	}
}

func TestLoopRepeatsWhileItsConditionHolds(t *testing.T) {
	t.Parallel()
	lines := []string{"s:manual", `again:loop{"condition":"input.n < 3","max":5}`, `add:set{"fields":{"n":"=input.n + 1"}}`, "s>again"}
	st := perform(t, compiled(t, inside(draw(t, lines...), "again", "add")), `{"n":0}`)
	st.ends(machine.StatusSucceeded, `{"n":3}`)
	lines[1] = `again:loop{"condition":"true","max":4}`
	st = perform(t, compiled(t, inside(draw(t, lines...), "again", "add")), `{"n":0}`)
	if st.ends(machine.StatusFailed, ""); st.s.Failure.Class != "loop_limit" {
		t.Errorf("failed with %s", st.s.Failure.Class)
	}
	lines[1] = `again:loop{"condition":"false","check":"after","max":4}`
	st = perform(t, compiled(t, inside(draw(t, lines...), "again", "add")), `{"n":0}`)
	st.ends(machine.StatusSucceeded, `{"n":1}`)
}

func TestGroupCatchesAndTriesAgain(t *testing.T) {
	t.Parallel()
	lines := []string{"s:manual", "box:group", "a:mock", "b:mock", "a>b", "s>box", `caught:transform{"expression":"'caught ' + input.error.node"}`, "box.failure>caught"}
	st := perform(t, compiled(t, inside(draw(t, lines...), "box", "a", "b")), `{}`)
	st.succeed("a", `1`)
	st.breaks("b")
	st.ends(machine.StatusSucceeded, `"caught b"`)

	g := with(inside(draw(t, lines...), "box", "a", "b"), "box", func(n *graph.Node) {
		n.Retry = &graph.Retry{MaxAttempts: 2, Backoff: "fixed", Initial: "1s", On: []string{"invalid_input"}}
	})
	st = perform(t, compiled(t, g), `{}`)
	st.breaks("a")
	st.pass(2 * time.Second)
	st.succeed("a", `1`)
	st.succeed("b", `2`)
	st.ends(machine.StatusSucceeded, `2`)
}

func TestGroupHasItsTime(t *testing.T) {
	t.Parallel()
	g := with(inside(draw(t, "s:manual", "box:group", "a:mock", "s>box", `late:transform{"expression":"input.error.class"}`, "box.failure>late"), "box", "a"), "box", func(n *graph.Node) {
		n.Timeout = &graph.Timeout{Total: "10s"}
	})
	st := perform(t, compiled(t, g), `{}`)
	st.pass(11 * time.Second)
	st.ends(machine.StatusSucceeded, `"timeout"`)
}

// order is a saga: reserve, charge, ship, each with its compensation.
func order(t testing.TB, container string) graph.Graph {
	t.Helper()
	g := draw(t, "s:manual", "reserve:mock", "charge:mock", "ship:mock", "release:mock", "refund:mock", "recall:mock",
		"reserve>charge", "charge>ship", "reserve.compensate>release", "charge.compensate>refund", "ship.compensate>recall")
	if container == "" {
		g.Transaction = true
		g.Edges = append(g.Edges, graph.Edge{ID: "go", From: "s", Port: "success", To: "reserve"})
		return g
	}
	g.Nodes = append(g.Nodes, graph.Node{ID: "saga", Key: "saga", Kind: "group", Config: json.RawMessage(`{"transaction":true}`)},
		graph.Node{ID: "after", Key: "after", Kind: "transform", Config: json.RawMessage(`{"expression":"input.error.class"}`)})
	g.Edges = append(g.Edges, graph.Edge{ID: "go", From: "s", Port: "success", To: "saga"}, graph.Edge{ID: "no", From: "saga", Port: "failure", To: "after"})
	return inside(g, "saga", "reserve", "charge", "ship", "release", "refund", "recall")
}

func undone(log []machine.Event) string {
	var list []string
	for _, e := range log {
		if f, ok := e.Fact.(*machine.TaskScheduled); ok && f.Undoes != nil && f.Attempt == 1 {
			list = append(list, f.Undoes.Node+" by "+f.Node)
		}
	}
	return strings.Join(list, ", ")
}

func TestSagaUndoesInReverse(t *testing.T) {
	t.Parallel()
	st := perform(t, compiled(t, order(t, "saga")), `{}`)
	st.succeed("reserve", `{"r":1}`)
	st.succeed("charge", `{"c":2}`)
	st.breaks("ship")
	if d := st.task("refund"); string(d.Config.Inline) == "" || st.s.Status != machine.StatusCompensating {
		t.Errorf("%s %s", st.s.Status, d.Config.Inline)
	}
	st.succeed("refund", `{}`)
	st.succeed("release", `{}`)
	st.ends(machine.StatusSucceeded, `"invalid_input"`)
	if got := undone(st.log); got != "charge by refund, reserve by release" {
		t.Errorf("undone: %s", got)
	}

	st = perform(t, compiled(t, order(t, "")), `{}`)
	st.succeed("reserve", `{"r":1}`)
	st.breaks("charge")
	st.succeed("release", `{}`)
	st.ends(machine.StatusCompensated, "")
}

func TestSagaAsksAPersonWhenItCannotUndo(t *testing.T) {
	t.Parallel()
	st := perform(t, compiled(t, order(t, "")), `{}`)
	st.succeed("reserve", `{}`)
	st.breaks("charge")
	st.breaks("release")
	if st.s.Status != machine.StatusAttention {
		t.Fatalf("%s\n%s", st.s.Status, trace(st.log))
	}
	st.step(machine.Resolve{Node: "release", Visit: 1, Action: machine.ActionRetry, By: "ada"})
	st.breaks("release")
	st.step(machine.Resolve{Node: "release", Visit: 2, Action: machine.ActionSkip, By: "ada"})
	st.ends(machine.StatusCompensated, "")
}

func TestSagaWaitsForTasksInFlight(t *testing.T) {
	t.Parallel()
	g := draw(t, "s:manual", "left:mock", "right:mock", "undo:mock", "s>left", "s>right", "left.compensate>undo")
	g.Transaction = true
	st := perform(t, compiled(t, g), `{}`)
	st.breaks("right")
	if st.s.Status != machine.StatusCompensating || undone(st.log) != "" {
		t.Fatalf("%s %s", st.s.Status, undone(st.log))
	}
	st.succeed("left", `{"late":true}`)
	st.succeed("undo", `{}`)
	st.ends(machine.StatusCompensated, "")
	st = perform(t, compiled(t, g), `{}`)
	st.breaks("right")
	st.pass(10 * time.Minute) // it never says what became of it: it has not completed
	if st.ends(machine.StatusCompensated, ""); undone(st.log) != "" {
		t.Errorf("undone: %s", undone(st.log))
	}
}

func TestPivotIsThePointOfNoReturn(t *testing.T) {
	t.Parallel()
	g := with(order(t, ""), "charge", func(n *graph.Node) { n.Pivot = true })
	st := perform(t, compiled(t, g), `{}`)
	st.succeed("reserve", `{}`)
	st.succeed("charge", `{}`)
	st.breaks("ship")
	st.ends(machine.StatusFailed, "")
}

func TestRollBackUndoesARunThatNoTransactionCovers(t *testing.T) {
	t.Parallel()
	g := order(t, "")
	g.Transaction = false
	st := perform(t, compiled(t, g), `{}`)
	st.succeed("reserve", `{}`)
	st.succeed("charge", `{}`)
	st.step(machine.RollBack{By: "ada"})
	st.pass(10 * time.Minute) // ship is waited for
	st.succeed("refund", `{}`)
	st.succeed("release", `{}`)
	st.ends(machine.StatusCompensated, "")
}

func TestFirstCancelsOrAbsorbsTheOthers(t *testing.T) {
	t.Parallel()
	lines := []string{"s:manual", "a:mock", "b:mock", "c:mock", "s>a", "s>b", "s>c", "j:join", "a>j", "b>j", "c>j", "after:mock", "j>after"}
	join := func(j graph.Join) *machine.Machine {
		return compiled(t, with(draw(t, lines...), "j", func(n *graph.Node) { n.Join = &j }))
	}
	st := perform(t, join(graph.Join{Mode: "first", Then: "cancel"}), `{}`)
	st.succeed("b", `"fast"`)
	st.succeed("after", `1`)
	st.ends(machine.StatusSucceeded, `1`)
	if got := strings.Count(trace(st.log), "VisitCanceled"); got != 2 {
		t.Errorf("%d were canceled, want 2", got)
	}
	st = perform(t, join(graph.Join{Mode: "n", N: 2}), `{}`)
	st.succeed("a", `1`)
	st.succeed("c", `3`)
	st.succeed("after", `1`)
	st.succeed("b", `2`)
	st.ends(machine.StatusSucceeded, `1`)
	if got := trace(st.log); strings.Count(got, "TokensAbsorbed j") != 1 || strings.Count(got, "RoundClosed j") != 1 || strings.Count(got, "NodeCompleted j") != 1 {
		t.Errorf("trace\n%s", got)
	}
}

func TestJoinHasADeadline(t *testing.T) {
	t.Parallel()
	g := with(draw(t, "s:manual", "a:mock", "b:mock", "s>a", "s>b", "j:join", "a>j", "b>j", "late:output", "j.timeout>late", "good:output", "j>good"), "j", func(n *graph.Node) {
		n.Join = &graph.Join{Mode: "all", Deadline: "5s"}
	})
	st := perform(t, compiled(t, g), `{}`)
	st.succeed("a", `1`)
	st.pass(4 * time.Second)
	st.pass(2 * time.Second)
	st.succeed("b", `2`)
	st.ends(machine.StatusSucceeded, `{"a":1}`)
}

func TestCombine(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		join graph.Join
		want string
	}{
		{graph.Join{Combine: "append"}, `[1,2,3]`},
		{graph.Join{Combine: "zip"}, `[{"a":1,"b":3},{"a":2}]`},
		{graph.Join{Combine: "reduce", Start: "0", Reduce: "acc + size(item)"}, `3`},
	} {
		g := with(draw(t, "s:manual", "a:mock", "b:mock", "s>a", "s>b", "j:join", "a>j", "b>j"), "j", func(n *graph.Node) { n.Join = &c.join })
		st := perform(t, compiled(t, g), `{}`)
		st.succeed("a", `[1,2]`)
		st.succeed("b", `[3]`)
		st.ends(machine.StatusSucceeded, c.want)
	}
	g := with(draw(t, "s:manual", "a:mock", "b:mock", "s>a", "s>b", "j:join", "a>j", "b>j"), "j", func(n *graph.Node) { n.Join = &graph.Join{Combine: "merge", Key: "id"} })
	st := perform(t, compiled(t, g), `{}`)
	st.succeed("a", `[{"id":1,"x":1},{"id":2}]`)
	st.succeed("b", `[{"id":1,"y":2}]`)
	st.ends(machine.StatusSucceeded, `[{"id":1,"x":1,"y":2},{"id":2}]`)
}

func TestSignalsAreKeptAndConsumedOnce(t *testing.T) {
	t.Parallel()
	g := draw(t, "s:manual", `first:signal{"name":"paid","correlation":"=input.id"}`, `second:signal{"name":"paid","correlation":"=trigger.id","timeout":"1h"}`, `late:transform{"expression":"'late'"}`, "s>first", "first>second", "second.timeout>late")
	st := perform(t, compiled(t, g), `{"id":7}`)
	if n := st.step(machine.Signal{Name: "paid", Correlation: "8", Value: json.RawMessage(`"other"`)}); n != 1 {
		t.Errorf("%d events for a signal that belongs to another", n)
	}
	st.step(machine.Signal{Name: "paid", Correlation: "7", ID: "x", Value: json.RawMessage(`"mine"`)})
	if n := st.step(machine.Signal{Name: "paid", Correlation: "7", ID: "x", Value: json.RawMessage(`"mine"`)}); n != 0 {
		t.Errorf("the same signal counted twice: %d events", n)
	}
	st.pass(2 * time.Hour)
	st.ends(machine.StatusSucceeded, `"late"`)
}

func TestAPersonDecidesOnce(t *testing.T) {
	t.Parallel()
	g := draw(t, "s:manual", `ask:human{"title":"Pay {{ input.amount }}?","decisions":[{"port":"yes"},{"port":"no"}]}`, "s>ask", `paid:transform{"expression":"input.note"}`, "ask.yes>paid")
	st := perform(t, compiled(t, g), `{"amount":5}`)
	for _, bad := range []string{"timeout", "failure", "maybe"} {
		if n := st.step(machine.Decide{Node: "ask", Visit: 1, Port: bad}); n != 0 {
			t.Errorf("%s was taken as a decision", bad)
		}
	}
	st.step(machine.Decide{Node: "ask", Visit: 1, Port: "yes", Value: json.RawMessage(`{"note":"ok"}`), By: "ada"})
	st.ends(machine.StatusSucceeded, `"ok"`)
}

func TestACallIsAnotherRun(t *testing.T) {
	t.Parallel()
	g := draw(t, "s:manual", `other:call{"workflow":"Charge","input":{"n":"=input.n"}}`, "s>other")
	st := perform(t, compiled(t, g), `{"n":1}`)
	c, ok := st.m.Pending(st.s)[0].(machine.Call)
	if !ok || c.Workflow != "Charge" || string(c.Input.Inline) != `{"n":1}` {
		t.Fatalf("%+v", c)
	}
	st.step(machine.Called{Node: "other", Visit: 1, Child: "child-1"})
	st.step(machine.Called{Node: "other", Visit: 1, Child: "child-1", Over: true, Output: json.RawMessage(`{"done":1}`)})
	st.ends(machine.StatusSucceeded, `{"done":1}`)

	st = perform(t, compiled(t, g), `{"n":1}`)
	st.step(machine.Called{Node: "other", Visit: 1, Child: "child-1"})
	st.step(machine.Cancel{By: "ada"})
	canceled := false
	for _, c := range st.m.Commands(st.s, st.log) {
		canceled = canceled || c == machine.CancelCall{Child: "child-1"}
	}
	if st.ends(machine.StatusCanceled, ""); !canceled {
		t.Error("the other run goes on")
	}
}

func TestPauseHoldsWhatComes(t *testing.T) {
	t.Parallel()
	st := perform(t, build(t, "s:manual", "a:mock", "b:mock", "s>a", "a>b"), `{}`)
	st.step(machine.Pause{By: "ada"})
	st.succeed("a", `1`)
	if n := len(st.m.Pending(st.s)); n != 0 {
		t.Errorf("%d tasks were dispatched in the pause", n)
	}
	st.step(machine.Resume{By: "ada"})
	st.succeed("b", `2`)
	st.ends(machine.StatusSucceeded, `2`)
}

func TestTimeLimitsOfATask(t *testing.T) {
	t.Parallel()
	limit := func(l graph.Timeout) *stage {
		return perform(t, compiled(t, with(draw(t, "s:manual", "a:mock", "s>a", `late:transform{"expression":"input.error.message"}`, "a.failure>late"), "a", func(n *graph.Node) {
			n.Timeout, n.Retry = &l, &graph.Retry{MaxAttempts: 1}
		})), `{}`)
	}
	st := limit(graph.Timeout{Queue: "5s"})
	st.pass(6 * time.Second)
	st.ends(machine.StatusSucceeded, `"no worker took the task of a within 5s"`)
	st = limit(graph.Timeout{Queue: "5s", Total: "1m"})
	st.step(machine.Began{Node: "a", Visit: 1, Attempt: 1})
	st.pass(30 * time.Second)
	st.pass(31 * time.Second)
	st.ends(machine.StatusSucceeded, `"a took longer than 1m0s with all of its attempts"`)
}

func TestFindingsOfContainers(t *testing.T) {
	t.Parallel()
	for code, g := range map[string]graph.Graph{
		"crosses_scope":        inside(draw(t, "s:manual", "box:group", "a:mock", "s>box", "s>a"), "box", "a"),
		"bad_container":        inside(draw(t, "s:manual", "box:join", "a:mock", "s>box"), "box", "a"),
		"trigger_in_container": inside(draw(t, "s:manual", "x:manual", "box:group", "s>box"), "box", "x"),
		"empty_container":      draw(t, "s:manual", "box:group", "s>box"),
		"bad_compensation":     draw(t, "s:manual", "a:mock", "b:transform{\"expression\":\"1\"}", "s>a", "a.compensate>b"),
		"never_ready_data":     inside(draw(t, "s:manual", "box:group", "a:mock", `z:transform{"expression":"nodes.a.output"}`, "s>box", "box>z"), "box", "a"),
		"bad_join":             with(draw(t, "s:manual", "a:mock", "b:mock", "s>a", "s>b", "j:join", "a>j", "b>j"), "j", func(n *graph.Node) { n.Join = &graph.Join{Mode: "n", N: 3} }),
	} {
		_, issues := compile.Compile(g)
		found := false
		for _, i := range issues {
			found = found || i.Code == code
		}
		if !found {
			t.Errorf("%+v, want %s", issues, code)
		}
	}
}

func TestAStateMachineMovesBySignalsAndTime(t *testing.T) {
	t.Parallel()
	g := draw(t, "s:manual", `order:states{"initial":"waiting","context":{"tries":0}}`,
		`waiting:state{"on":[{"event":"paid","port":"on_paid"}],"after":[{"delay":"60000","port":"after_late"}]}`,
		`paid:state{"final":true}`, `late:state{"on":[{"event":"again","port":"on_again","actions":[{"assign":{"tries":"=context.tries + 1"}}]}]}`,
		"s>order", "waiting.on_paid>paid", "waiting.after_late>late", "late.on_again>waiting", `after:transform{"expression":"input.tries"}`, "order>after")
	st := perform(t, compiled(t, inside(g, "order", "waiting", "paid", "late")), `{"id":7}`)
	st.pass(61 * time.Second)
	if n := st.step(machine.Signal{Name: "paid"}); n != 0 {
		t.Errorf("a state that is not active took the event: %d events", n)
	}
	st.step(machine.Signal{Name: "again", Value: json.RawMessage(`{"who":"ada"}`)})
	st.pass(30 * time.Second)
	st.step(machine.Signal{Name: "paid", Value: json.RawMessage(`{"amount":3}`)})
	st.ends(machine.StatusSucceeded, `1`)
	if got := trace(st.log); strings.Count(got, "ChartMoved order") != 4 {
		t.Errorf("trace\n%s", got)
	}
	_, issues := compile.Compile(draw(t, "s:manual", "alone:state", "s>alone"))
	if len(issues) == 0 || issues[0].Code != "state_outside" {
		t.Errorf("%+v", issues)
	}
}
