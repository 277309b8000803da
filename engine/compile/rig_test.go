package compile_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"signalbox/engine/event"
	"signalbox/engine/graph"
	"signalbox/engine/machine"
)

// rehearsal is a test run: its time is that of its own clock.
type rehearsal struct {
	*stage
	real time.Time
}

func rehearse(t testing.TB, m *machine.Machine, input string, rig machine.Rig) *rehearsal {
	t.Helper()
	r := &rehearsal{&stage{t: t, m: m, s: m.New("018f0000-0000-7000-8000-000000000001"), at: noon}, noon}
	keep(t, m, &r.log)
	for _, n := range m.Nodes {
		if n.Op == machine.OpTrigger {
			r.tell(machine.Start{Trigger: n.Key, Value: json.RawMessage(input), Source: "test", Rig: &rig})
			break
		}
	}
	return r
}

// tell takes an input half a second after the one before.
func (r *rehearsal) tell(in machine.Input) int {
	r.t.Helper()
	r.real = r.real.Add(500 * time.Millisecond)
	if at := r.s.Clock(r.real); at.After(r.at) {
		r.at = at
	}
	if l, ok := in.(machine.Release); ok {
		l.Now = r.real
		in = l
	}
	n := r.step(in)
	for _, e := range r.log {
		if e.At.After(r.at) {
			r.at = e.At
		}
	}
	if at := r.m.WakeAt(r.s); !at.IsZero() && !at.After(r.at) { // the step was long
		n += r.tell(machine.Wake{})
	}
	return n
}

func (r *rehearsal) done(node, output string) {
	r.t.Helper()
	d := r.task(node)
	r.tell(machine.Complete{Scope: d.Scope, Node: d.Node, Visit: d.Visit, Attempt: d.Attempt, Output: json.RawMessage(output)})
}

func (r *rehearsal) heldAt(node, input string) machine.VisitRef {
	r.t.Helper()
	at, held := r.s.Held()
	if !held || at.Node != node {
		r.t.Fatalf("held: %v %+v, want %s\n%s", held, at, node, trace(r.log))
	}
	for i := len(r.log) - 1; i >= 0; i-- {
		if f, ok := r.log[i].Fact.(*machine.VisitHeld); ok {
			if input != "" && string(f.Input.Inline) != input {
				r.t.Fatalf("%s is held with %s, want %s", node, f.Input.Inline, input)
			}
			break
		}
	}
	return at
}

func (r *rehearsal) release(step bool, input string) {
	r.t.Helper()
	at, _ := r.s.Held()
	if r.tell(machine.Release{Scope: at.Scope, Node: at.Node, Visit: at.Visit, Step: step, Input: json.RawMessage(input), By: "Ada"}) == 0 {
		r.t.Fatalf("the release of %+v changed nothing", at)
	}
}

// kinds lists the events of a type as "node@time after noon".
func (r *rehearsal) kinds(typ string) string {
	var list []string
	for _, e := range r.log {
		if name, node := machine.Name(e.Fact); name == typ {
			list = append(list, fmt.Sprintf("%s@%s", node, e.At.Sub(noon).Round(time.Minute)))
		}
	}
	return strings.Join(list, " ")
}

func approval(t testing.TB) *machine.Machine {
	t.Helper()
	return build(t, "start:manual", `ask:human{"title":"Approve?","decisions":[{"port":"yes","title":"Yes"}],"timeout":"72h"}`, "go:mock", "late:mock", `rest:wait{"duration":"24h"}`,
		"start>ask", "ask.yes>go", "ask.timeout>rest", "rest>late")
}

func TestAVirtualClockIsAdvancedAndSeesTheTimeout(t *testing.T) {
	t.Parallel()
	r := rehearse(t, approval(t), `1`, machine.Rig{Virtual: true})
	if r.tell(machine.Wake{}) != 0 {
		t.Fatal("a timer fired by itself")
	}
	r.tell(machine.Advance{For: 71 * time.Hour, By: "Ada"})
	if got := r.kinds("WaitCompleted"); got != "" {
		t.Fatalf("too early: %s", got)
	}
	r.tell(machine.Advance{For: 2 * time.Hour, By: "Ada"})
	if got := r.kinds("WaitCompleted"); got != "ask@72h0m0s" {
		t.Fatalf("the question timed out at %q", got)
	}
	r.tell(machine.Advance{Next: true, By: "Ada"})
	r.done("late", `"late"`)
	r.ends(machine.StatusSucceeded, `"late"`)
	if got := r.kinds("RunSucceeded"); got != "@96h0m0s" {
		t.Errorf("the run ended at %s", got)
	}
}

func TestAnAdvanceGoesTimerByTimerAndWaitsForWork(t *testing.T) {
	t.Parallel()
	m := build(t, "start:manual", `a:wait{"duration":"1h"}`, "work:mock", `b:wait{"duration":"1h"}`, "start>a", "a>work", "work>b")
	r := rehearse(t, m, `1`, machine.Rig{Virtual: true})
	r.tell(machine.Advance{For: 72 * time.Hour, By: "Ada"})
	if got := r.kinds("TaskScheduled"); got != "work@1h0m0s" {
		t.Fatalf("the task was scheduled at %q", got)
	}
	r.done("work", `2`)
	r.ends(machine.StatusSucceeded, `2`)
	if got := r.kinds("WaitCompleted"); got != "a@1h0m0s b@2h0m0s" {
		t.Errorf("waits ended at %s", got)
	}
}

func TestAClockThatSkipsNeedsNobody(t *testing.T) {
	t.Parallel()
	r := rehearse(t, approval(t), `1`, machine.Rig{Virtual: true, Skip: true})
	r.done("late", `3`)
	r.ends(machine.StatusSucceeded, `3`)
	if got := r.kinds("WaitCompleted"); got != "ask@72h0m0s rest@96h0m0s" {
		t.Errorf("waits ended at %s", got)
	}
	g := draw(t, "start:manual", "work:mock", "start>work")
	g = with(g, "work", func(n *graph.Node) { n.Retry = &graph.Retry{MaxAttempts: 3, Initial: "1h"} })
	back := rehearse(t, compiled(t, g), `1`, machine.Rig{Virtual: true, Skip: true})
	d := back.task("work")
	back.tell(machine.Fail{Node: d.Node, Visit: d.Visit, Attempt: 1, Error: classed("unavailable")})
	if d = back.task("work"); d.Attempt != 2 {
		t.Errorf("attempt %d follows", d.Attempt)
	}
}

func TestAPollingLoopThatSkipsComesToItsLimit(t *testing.T) {
	t.Parallel()
	m := build(t, "start:manual", `poll:wait/each{"duration":"1h"}`, `more:if{"condition":"input.n == 1"}`, `end:end{}`, "start>poll", "poll>more", "more.true>poll", "more.false>end")
	r := rehearse(t, m, `{"n":1}`, machine.Rig{Virtual: true, Skip: true})
	r.ends(machine.StatusFailed, "")
	if r.s.Failure.Class != "loop_limit" {
		t.Errorf("%+v", r.s.Failure)
	}
}

func TestBreakpointsHoldAlsoWhatNeedsNobody(t *testing.T) {
	t.Parallel()
	m := build(t, "start:manual", `tidy:set{"fields":{"n":"=input.n + 1"}}`, "a:mock", "b:mock", "meet:join", `pick:if{"condition":"input.a > 1"}`, "yes:mock", "no:mock",
		"start>tidy", "tidy>a", "tidy>b", "a>meet", "b>meet", "meet>pick", "pick.true>yes", "pick.false>no")
	r := rehearse(t, m, `{"n":1}`, machine.Rig{Breaks: []string{"tidy", "meet", "nowhere"}})
	r.heldAt("tidy", `{"n":1}`)
	r.release(false, `{"n":41}`)
	r.done("a", `1`)
	r.done("b", `2`)
	if got := string(r.s.Outputs(m)["tidy"].Value); got != `{"n":42}` {
		t.Errorf("tidy put out %s", got)
	}
	r.heldAt("meet", `{"a":1,"b":2}`)
	r.release(true, `{"a":5,"b":2}`)
	r.heldAt("pick", `{"a":5,"b":2}`)
	r.release(true, "")
	r.heldAt("yes", "")
	r.tell(machine.Arrange{Breaks: &[]string{}, Step: new(bool), By: "Ada"})
	r.release(false, "")
	r.done("yes", `"y"`)
	r.ends(machine.StatusSucceeded, `"y"`)
}

func TestAHeldRunKeepsWhatComesAndItsClockStands(t *testing.T) {
	t.Parallel()
	m := build(t, "start:manual", "a:mock", `b:wait{"duration":"1h"}`, "c:mock", "d:mock", "start>a", "start>b", "a>c", "b>d")
	r := rehearse(t, m, `1`, machine.Rig{Virtual: true, Breaks: []string{"c"}})
	r.done("a", `2`)
	v := r.heldAt("c", `2`)
	r.real = r.real.Add(time.Hour)
	if r.tell(machine.Wake{}) != 0 || r.tell(machine.Advance{Next: true}) != 0 || r.tell(machine.Release{Node: "d", Visit: 1}) != 0 {
		t.Fatal("something moved a held run")
	}
	r.release(false, "")
	if got := r.at.Sub(noon); got > time.Minute {
		t.Errorf("the clock went on to %s while the run was held", got)
	}
	if r.tell(machine.Release{Scope: v.Scope, Node: v.Node, Visit: v.Visit}) != 0 {
		t.Error("a second release changed something")
	}
	r.done("c", `3`)
	r.tell(machine.Advance{Next: true})
	r.done("d", `4`)
	r.ends(machine.StatusSucceeded, `{"c":3,"d":4}`)
}

func TestAHoldEndsWithItsScope(t *testing.T) {
	t.Parallel()
	g := draw(t, "start:manual", "box:group{}", "a:mock", "b:mock", "after:mock", "fix:mock", "start>box", "a>after", "box.failure>fix")
	m := compiled(t, inside(g, "box", "a", "b", "after"))
	r := rehearse(t, m, `1`, machine.Rig{Breaks: []string{"after"}})
	r.done("a", `2`)
	r.heldAt("after", `2`)
	d := r.task("b")
	r.tell(machine.Fail{Scope: d.Scope, Node: "b", Visit: 1, Attempt: 1, Error: classed("invalid_input")})
	if at, held := r.s.Held(); held {
		t.Fatalf("still held at %+v\n%s", at, trace(r.log))
	}
	r.done("fix", `"fixed"`)
	r.ends(machine.StatusSucceeded, `"fixed"`)
}

func TestRunToHereCallsOnlyWhatIsNeeded(t *testing.T) {
	t.Parallel()
	m := build(t, "start:manual", "a:mock", "side:mock", "b:mock", "all:join", "after:mock", "start>a", "start>b", "start>side", "a>all", "b>all", "all>after", "side>after")
	pin := json.RawMessage(`"pinned"`)
	r := rehearse(t, m, `1`, machine.Rig{Stop: "all", Pins: map[string]json.RawMessage{"a": pin, "all": pin, "after": pin, "start": pin}})
	if got := r.kinds("OutputPinned"); got != "a@0s" {
		t.Errorf("pinned: %s", got)
	}
	if got := r.kinds("TaskScheduled"); got != "b@0s" {
		t.Fatalf("scheduled: %s", got)
	}
	r.done("b", `"real"`)
	r.ends(machine.StatusSucceeded, `{"a":"pinned","b":"real"}`)
	missed := rehearse(t, build(t, "start:manual", `pick:if{"condition":"input == 1"}`, "yes:mock", "no:mock", "start>pick", "pick.true>yes", "pick.false>no"), `1`, machine.Rig{Stop: "no"})
	missed.ends(machine.StatusSucceeded, `null`)
	if f, ok := missed.log[len(missed.log)-1].Fact.(*machine.RunSucceeded); !ok || f.Stopped != "no" {
		t.Errorf("%+v", missed.log[len(missed.log)-1])
	}
}

func TestRunToHereInsideAContainer(t *testing.T) {
	t.Parallel()
	g := draw(t, "start:manual", "first:mock", `each:map{"items":"=[1,2]","concurrency":1}`, "a:mock", "b:mock", "c:mock", "sub:group{}", "in:mock", "last:mock", "start>first", "first>sub", "sub>each", "a>b", "b>c", "each>last")
	m := compiled(t, inside(inside(g, "each", "a", "b", "c"), "sub", "in"))
	r := rehearse(t, m, `1`, machine.Rig{Stop: "b"})
	for _, node := range []string{"first", "in", "a", "b"} {
		r.done(node, `1`)
	}
	r.ends(machine.StatusSucceeded, `null`)
}

func TestOneStepByItself(t *testing.T) {
	t.Parallel()
	m := build(t, "start:manual", "a:mock", "b:mock", `all:mock/all{"answer":"=string(inputs.a.n) + nodes.a.output + string(trigger.t)"}`, "after:mock", "start>a", "start>b", "a>all", "b>all", "all>after")
	r := rehearse(t, m, `{"t":7}`, machine.Rig{Only: "all", Given: json.RawMessage(`{"a":{"n":5},"b":{}}`), Pins: map[string]json.RawMessage{"a": json.RawMessage(`"seen"`)}})
	if got := r.kinds("TaskScheduled"); got != "all@0s" {
		t.Fatalf("scheduled: %s\n%s", got, trace(r.log))
	}
	if d := r.task("all"); !strings.Contains(string(d.Config.Inline), `"5seen7"`) {
		t.Errorf("its configuration became %s", d.Config.Inline)
	}
	r.done("all", `9`)
	r.ends(machine.StatusSucceeded, `9`)
}

func TestAPinnedStepIsNotUndone(t *testing.T) {
	t.Parallel()
	g := draw(t, "start:manual", "book:mock", "unbook:mock", "pay:mock", "start>book", "book>pay", "book.compensate>unbook")
	g.Transaction = true
	r := rehearse(t, compiled(t, g), `1`, machine.Rig{Pins: map[string]json.RawMessage{"book": json.RawMessage(`1`)}})
	d := r.task("pay")
	r.tell(machine.Fail{Node: "pay", Visit: d.Visit, Attempt: 1, Error: classed("invalid_input")})
	r.ends(machine.StatusFailed, "")
}

func TestARunWithoutARigKnowsNoneOfIt(t *testing.T) {
	t.Parallel()
	st := perform(t, approval(t), `1`)
	if st.step(machine.Advance{Next: true}) != 0 || st.step(machine.Release{Node: "ask", Visit: 1}) != 0 {
		t.Error("a run without a virtual clock was moved")
	}
	if now := noon.Add(time.Hour); !st.s.Clock(now).Equal(now) || !st.s.Real(now).Equal(now) {
		t.Error("its clock is not the real one")
	}
}

func classed(class string) event.Error { return event.Error{Class: class, Message: "no"} }
