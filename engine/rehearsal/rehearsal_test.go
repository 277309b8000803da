package rehearsal_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"signalbox/engine/compile"
	"signalbox/engine/event"
	"signalbox/engine/graph"
	"signalbox/engine/machine"
	"signalbox/engine/rehearsal"
)

// recorded decodes a stored run; false: it is none that can be a case.
func recorded(t *testing.T, raw json.RawMessage, run, workspace, workflow, version string, events []event.Event) (*rehearsal.Recorded, bool) {
	t.Helper()
	m, err := machine.Load(raw)
	if err != nil {
		t.Fatal(err)
	}
	was := &rehearsal.Recorded{Run: run, Machine: m, Workspace: workspace, Workflow: workflow, Version: version, Value: func(string) ([]byte, error) { return nil, errNone }}
	for _, stored := range events {
		e, err := machine.Decode(stored)
		if err != nil {
			t.Fatal(err)
		}
		was.Log = append(was.Log, e)
	}
	return was, rehearsal.Repeatable(was.Log) == nil
}

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

func compiled(t *testing.T, drawing string) *machine.Machine {
	t.Helper()
	g, err := graph.Decode([]byte(drawing))
	if err != nil {
		t.Fatal(err)
	}
	m, issues := compile.Compile(g)
	if m == nil {
		t.Fatalf("the drawing does not compile: %v", issues)
	}
	return m
}

// record runs a drawing in a world in which every step that calls outside
// answers what the table says after a second, and every person chooses a way.
func record(t *testing.T, drawing, input string, answers map[string]string) *rehearsal.Recorded {
	t.Helper()
	m := compiled(t, drawing)
	s := m.New("018f0000-0000-7000-8000-000000000001")
	at := noon
	var log []machine.Event
	var in machine.Input = machine.Start{Trigger: "start", Value: json.RawMessage(input), Source: "manual"}
	for !s.Status.Over() {
		more, err := m.Step(s, in, at)
		if err != nil {
			t.Fatal(err)
		}
		log = append(log, more...)
		in = nil
		at = at.Add(time.Second)
		for _, e := range more {
			if w, ok := e.Fact.(*machine.WaitStarted); ok && w.For == machine.ForHuman {
				in = machine.Decide{Scope: w.Scope, Node: w.Node, Visit: w.Visit, Port: answers[w.Node], By: "Ann"}
			}
		}
		for _, c := range m.Pending(s) {
			if d, ok := c.(machine.Dispatch); ok {
				in = machine.Complete{Scope: d.Scope, Node: d.Node, Visit: d.Visit, Attempt: d.Attempt, Output: json.RawMessage(answers[d.Node])}
			}
		}
		if wake := m.WakeAt(s); in == nil && !s.Status.Over() {
			if wake.IsZero() {
				t.Fatalf("the run stands: %v", s.Look(m))
			}
			at, in = wake, machine.Wake{}
		}
	}
	return &rehearsal.Recorded{Run: "018f0000-0000-7000-8000-000000000001", Machine: m, Log: log, Value: func(string) ([]byte, error) { return nil, errNone }}
}

func play(t *testing.T, was *rehearsal.Recorded, drawing string, pins map[string]json.RawMessage) (rehearsal.Verdict, *rehearsal.Played) {
	t.Helper()
	m := compiled(t, drawing)
	before, err := rehearsal.Ended(was)
	if err != nil {
		t.Fatal(err)
	}
	now, err := rehearsal.Play(was, m, pins, func() error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	return rehearsal.Judge(was, before, now, m), now
}

// order is a drawing of a choice, a call, a day of waiting and a person; its
// parts can be replaced.
func order(parts ...string) string {
	text := `{"signalbox":1,"nodes":[
	 {"id":"s","key":"start","kind":"manual"},
	 {"id":"r","key":"large","kind":"if","config":{"condition":"input.total > 100"}},
	 {"id":"c","key":"credit","kind":"http","config":{"method":"POST","url":"https://example.org/credit","body":{"who":"=input.who"}}},
	 {"id":"w","key":"rest","kind":"wait","config":{"duration":"24h"}},
	 {"id":"h","key":"ask","kind":"human","config":{"title":"Well?","decisions":[{"port":"yes"},{"port":"no"}]}},
	 {"id":"o","key":"done","kind":"output","config":{"value":{"ok":true,"total":"=trigger.total"}}}],
	 "edges":[{"id":"1","from":"s","port":"success","to":"r"},{"id":"2","from":"r","port":"true","to":"c"},{"id":"3","from":"r","port":"false","to":"o"},
	  {"id":"4","from":"c","port":"success","to":"w"},{"id":"5","from":"w","port":"success","to":"h"},{"id":"6","from":"h","port":"yes","to":"o"},{"id":"7","from":"h","port":"no","to":"o"}],"layout":{}}`
	return strings.NewReplacer(parts...).Replace(text)
}

var credit = map[string]string{"credit": `{"status":200,"body":{"score":7}}`, "ask": "yes"}

func whats(v rehearsal.Verdict) []string {
	list := []string{v.Says}
	for _, d := range v.Differences {
		list = append(list, strings.TrimSuffix(d.What+" "+d.Node, " "))
	}
	return list
}

func TestWhatADraftWouldDo(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		change []string
		pins   map[string]json.RawMessage
		want   []string
		stop   *rehearsal.Stop
	}{
		{name: "nothing is changed", want: []string{"same"}},
		{name: "a retry and a title are no difference", change: []string{`"title":"Well?"`, `"title":"Really?"`}, want: []string{"same"}},
		{name: "the result is another", change: []string{`{"ok":true,`, `{"ok":false,`}, want: []string{"differs", "result", "data done"}},
		{name: "another way is taken", change: []string{`input.total > 100`, `input.total > 1000`}, want: []string{"differs", "way large", "way credit", "way rest", "way ask"}},
		{name: "another condition that leads the same way", change: []string{`"config":{"condition":"input.total > 100"}`, `"config":{"condition":"true"}`}, want: []string{"same"}},
		{name: "a changed call has no record", change: []string{`example.org/credit`, `example.org/v2/credit`}, want: []string{"stopped"}, stop: &rehearsal.Stop{Node: "credit", Why: rehearsal.StopNotRecorded}},
		{name: "a changed call gives what is pinned", change: []string{`example.org/credit`, `example.org/v2/credit`}, pins: map[string]json.RawMessage{"credit": json.RawMessage(`{"status":200,"body":{"score":7}}`)}, want: []string{"same"}},
		{name: "a renamed call is a new one", change: []string{`"key":"credit"`, `"key":"rating"`}, want: []string{"stopped"}, stop: &rehearsal.Stop{Node: "rating", Why: rehearsal.StopNotRecorded}},
		{name: "the way that the person chose is gone", change: []string{`{"port":"yes"},`, ``, `{"id":"6","from":"h","port":"yes","to":"o"},`, ``}, want: []string{"stopped"}, stop: &rehearsal.Stop{Node: "ask", Why: rehearsal.StopWaits}},
		{name: "its trigger is gone", change: []string{`"key":"start"`, `"key":"begin"`}, want: []string{"stopped"}, stop: &rehearsal.Stop{Node: "start", Why: rehearsal.StopNoTrigger}},
		{name: "it fails", change: []string{`"total":"=trigger.total"`, `"total":"=trigger.total / 0"`}, want: []string{"differs", "status", "way done"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			was := record(t, order(), `{"total":500,"who":"Ann"}`, credit)
			v, now := play(t, was, order(c.change...), c.pins)
			if d := cmp.Diff(c.want, whats(v)); d != "" {
				t.Errorf("the verdict: %s\n%+v", d, v.Differences)
			}
			if d := cmp.Diff(c.stop, now.Stop); d != "" {
				t.Errorf("the stop: %s", d)
			}
			if d := cmp.Diff(len(c.pins), len(now.Pinned)); d != "" {
				t.Errorf("pins that were used: %s", d)
			}
		})
	}
}

// A step that is the same but asks for something else, because what comes
// before it changed, gets the recorded answer, and that is said.
func TestAnUnchangedStepThatAsksForSomethingElse(t *testing.T) {
	t.Parallel()
	before := order(`{"id":"r","key":"large"`, `{"id":"x","key":"who","kind":"set","config":{"fields":{"who":"=input.who","total":"=input.total"}}},{"id":"r","key":"large"`,
		`"from":"s","port":"success","to":"r"}`, `"from":"s","port":"success","to":"x"},{"id":"8","from":"x","port":"success","to":"r"}`)
	was := record(t, before, `{"total":500,"who":"Ann"}`, credit)
	v, _ := play(t, was, strings.Replace(before, `"who":"=input.who","total"`, `"who":"Nobody","total"`, 1), nil)
	if d := cmp.Diff([]string{"differs", "request credit", "data who"}, whats(v)); d != "" {
		t.Errorf("%s\n%+v", d, v.Differences)
	}
}

// A day of waiting passes at once, and the same play gives the same log.
func TestAPlayIsDeterministic(t *testing.T) {
	t.Parallel()
	was := record(t, order(), `{"total":500,"who":"Ann"}`, credit)
	_, one := play(t, was, order(), nil)
	_, two := play(t, was, order(), nil)
	if d := cmp.Diff(one.Log, two.Log); d != "" {
		t.Errorf("two plays differ: %s", d)
	}
	if last := one.Log[len(one.Log)-1].At.Sub(noon); last < 24*time.Hour {
		t.Errorf("only %s passed", last)
	}
	if d := cmp.Diff(len(was.Log), len(one.Log)); d != "" {
		t.Errorf("the lengths of the logs: %s", d)
	}
}

// Whoever asks can end a play that takes too long.
func TestAPlayEndsWhenNobodyWaits(t *testing.T) {
	t.Parallel()
	was := record(t, order(), `{"total":500,"who":"Ann"}`, credit)
	now, err := rehearsal.Play(was, was.Machine, nil, func() error { return errNone })
	if err != nil || now.Stop == nil || now.Stop.Why != rehearsal.StopTooLong {
		t.Errorf("%+v %v", now.Stop, err)
	}
}
