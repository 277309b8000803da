package runtime

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/uuid"

	"signalbox/engine/compile"
	"signalbox/engine/event"
	"signalbox/engine/graph"
	"signalbox/engine/machine"
)

const (
	uncaught = `{"signalbox":1,"nodes":[{"id":"s","key":"start","kind":"manual"},
 {"id":"a","key":"a","kind":"mock","config":{"answer":1},"retry":{"max_attempts":2,"initial":"1s"}}],
 "edges":[{"id":"1","from":"s","port":"success","to":"a"}],"layout":{}}`
	caught = `{"signalbox":1,"nodes":[{"id":"s","key":"start","kind":"manual"},
 {"id":"a","key":"a","kind":"mock","config":{"answer":1},"retry":{"max_attempts":1}},{"id":"b","key":"b","kind":"output","config":{"value":"=1"}}],
 "edges":[{"id":"1","from":"s","port":"success","to":"a"},{"id":"2","from":"a","port":"failure","to":"b"}],"layout":{}}`
)

// deadOf plays a run in which every attempt fails, and returns its dead letters
// and how many attempts there were.
func deadOf(t *testing.T, file string, test bool) (notes []Note, attempts int) {
	t.Helper()
	g, err := graph.Decode([]byte(file))
	if err != nil {
		t.Fatal(err)
	}
	m, issues := compile.Compile(g)
	if m == nil {
		t.Fatalf("%+v", issues)
	}
	run := uuid.Must(uuid.NewV7())
	l := &live{m: m, s: m.New(run.String()), row: NewRun{Run: run, Workspace: "main", Test: test}}
	b, now := newBatch(), time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	step := func(in machine.Input) {
		events, err := m.Step(l.s, in, now)
		if err == nil {
			err = b.record(l, events)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	step(machine.Start{Trigger: "start", Value: json.RawMessage(`{}`), Source: "api"})
	for !l.s.Status.Over() {
		pending := m.Pending(l.s)
		if len(pending) == 0 {
			now = m.WakeAt(l.s)
			step(machine.Wake{})
			continue
		}
		d, ok := pending[0].(machine.Dispatch)
		if !ok {
			t.Fatalf("%T", pending[0])
		}
		attempts++
		step(machine.Fail{Node: d.Node, Visit: d.Visit, Attempt: d.Attempt, Error: event.Error{Class: "timeout", Message: "3 workers in turn fell silent."}})
	}
	return b.turn.Notes, attempts
}

// TestDeadLetterIsAFailureNobodyCaught: a poison task, over which its workers
// fall silent, ends as a dead letter when its attempts are used up.
func TestDeadLetterIsAFailureNobodyCaught(t *testing.T) {
	t.Parallel()
	notes, attempts := deadOf(t, uncaught, false)
	if len(notes) != 1 || attempts != 2 {
		t.Fatalf("%d dead letters after %d attempts, want 1 after 2", len(notes), attempts)
	}
	d := notes[0]
	if d.Dead == nil || d.Node != "a" || d.Dead.Visit != 1 || d.Dead.Error.Class != "timeout" || d.Dead.Error.Attempts != 2 || d.Workspace != "main" || d.Seq == 0 {
		t.Errorf("%+v %+v", d, d.Dead)
	}
	if notes, _ := deadOf(t, caught, false); len(notes) != 0 {
		t.Errorf("a failure that was caught: %+v", notes)
	}
	if notes, _ := deadOf(t, uncaught, true); len(notes) != 0 {
		t.Errorf("a test run: %+v", notes)
	}
}
