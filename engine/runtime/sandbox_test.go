package runtime_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"signalbox/engine/problem"
	"signalbox/engine/runtime"
	"signalbox/engine/runtime/brief"
)

// sandboxed plays a run of a workflow at an event with another output.
func sandboxed(t *testing.T, file, input string, at int, output string) (runtime.Sandboxed, *tally, *world, runtime.Started) {
	t.Helper()
	a := &tally{calls: map[string]int{}}
	w := openWith(t, 0, file, a)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel)
	s, err := w.start(ctx, input, "", runtime.WaitEnd)
	if err != nil {
		t.Fatal(err)
	}
	before := w.log(t, s.Run)
	out, err := w.engine.Sandbox(ctx, runtime.ForkRequest{Workspace: "main", Run: s.Run, At: at, Output: json.RawMessage(output)})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(before, w.log(t, s.Run)); d != "" {
		t.Errorf("the run itself changed: %s", d)
	}
	return out, a, w, s
}

// taken lists the steps that were done, in order.
func taken(list []brief.Brief) []string {
	var out []string
	for _, b := range list {
		switch b.Type {
		case "TaskCompleted", "NodeCompleted", "Responded", "WaitCompleted":
			out = append(out, b.Node)
		}
	}
	return out
}

const choice = `{"signalbox":1,"nodes":[
 {"id":"s","key":"start","kind":"manual"},
 {"id":"r","key":"pick","kind":"route","config":{"match":"first","rules":[{"port":"high","when":"input.n > 5"}]}},
 {"id":"a","key":"fast","kind":"mock","config":{"answer":{"way":"fast","n":"=input.n"},"latency_ms":5}},
 {"id":"b","key":"slow","kind":"mock","config":{"answer":{"way":"slow"}}},
 {"id":"c","key":"call","kind":"http","config":{"url":"https://example.org"}}],
 "edges":[{"id":"1","from":"s","port":"success","to":"r"},{"id":"2","from":"r","port":"high","to":"a"},
 {"id":"3","from":"r","port":"default","to":"b"},{"id":"4","from":"a","port":"success","to":"c"}],"layout":{}}`

// Another input takes another way: a mock answers by its script, and what
// would act outside ends the play.
func TestSandboxActsNowhere(t *testing.T) {
	t.Parallel()
	out, a, w, s := sandboxed(t, choice, `{"n":1}`, 1, `{"n":9}`)
	if d := cmp.Diff([]string{"pick", "fast"}, taken(out.Events)); d != "" {
		t.Errorf("the way: %s", d)
	}
	if d := cmp.Diff(&runtime.Stop{Node: "call", Why: runtime.StopNoResult}, out.Stopped); d != "" {
		t.Errorf("the end: %s", d)
	}
	if out.Shared != 1 || out.Events[0].Type != "RunStarted" {
		t.Errorf("%d events are shared, the first is %s", out.Shared, out.Events[0].Type)
	}
	if d := cmp.Diff(map[string]int{"slow": 1}, a.of(s.Run)); d != "" {
		t.Errorf("the workers were called: %s", d)
	}
	for i, b := range out.Events {
		if b.Seq != i+1 {
			t.Fatalf("event %d has the number %d", i+1, b.Seq)
		}
	}
	_, err := w.engine.Sandbox(t.Context(), runtime.ForkRequest{Workspace: "other", Run: s.Run, At: 1})
	if p := problem.Of(err); p == nil || p.Code != problem.NotFound {
		t.Errorf("another workspace: %v", err)
	}
}

// The same input gives the same run, from every event that can be cut at.
func TestSandboxRepeatsTheRun(t *testing.T) {
	t.Parallel()
	a := &tally{calls: map[string]int{}}
	w := openWith(t, 0, twoWays, a)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel)
	s, err := w.start(ctx, `{"n":1}`, "", runtime.WaitEnd)
	if err != nil {
		t.Fatal(err)
	}
	log := w.log(t, s.Run)
	played := 0
	for at := 1; at < len(log); at++ {
		out, err := w.engine.Sandbox(ctx, runtime.ForkRequest{Workspace: "main", Run: s.Run, At: at})
		if problem.Of(err) != nil {
			continue // in the midst of a step
		}
		if err != nil {
			t.Fatal(err)
		}
		played++
		if out.Status != "succeeded" || out.Stopped != nil || out.Shared != at || len(out.Events) != len(log) {
			t.Errorf("at %d: %s, %+v, %d shared of %d", at, out.Status, out.Stopped, out.Shared, len(out.Events))
		}
	}
	if played < 3 {
		t.Errorf("played at %d events", played)
	}
	if d := cmp.Diff(map[string]int{"a": 1, "b": 1, "c": 1}, a.of(s.Run)); d != "" {
		t.Errorf("calls: %s", d)
	}
}

const patient = `{"signalbox":1,"nodes":[
 {"id":"s","key":"start","kind":"manual"},
 {"id":"r","key":"pick","kind":"route","config":{"match":"first","rules":[{"port":"late","when":"input.n > 5"}]}},
 {"id":"a","key":"pause","kind":"wait","config":{"duration":"48h"}},
 {"id":"b","key":"ask","kind":"human","config":{"title":"Well?","decisions":[{"port":"yes"}]}}],
 "edges":[{"id":"1","from":"s","port":"success","to":"r"},{"id":"2","from":"r","port":"late","to":"a"},{"id":"4","from":"a","port":"success","to":"b"}],"layout":{}}`

// Two days pass at once; nobody is asked.
func TestSandboxClockJumps(t *testing.T) {
	t.Parallel()
	out, _, _, _ := sandboxed(t, patient, `{"n":1}`, 1, `{"n":9}`)
	if d := cmp.Diff([]string{"pick", "pause"}, taken(out.Events)); d != "" {
		t.Errorf("the way: %s", d)
	}
	if d := cmp.Diff(&runtime.Stop{Node: "ask", Why: runtime.StopWaits}, out.Stopped); d != "" {
		t.Errorf("the end: %s", d)
	}
	first, last := out.Events[0].At, out.Events[len(out.Events)-1].At
	if passed := time.Duration(last-first) * time.Millisecond; passed < 48*time.Hour {
		t.Errorf("only %s passed", passed)
	}
}

// A drawing that goes round for ever ends at the limit.
func TestSandboxEnds(t *testing.T) {
	t.Parallel()
	const round = `{"signalbox":1,"nodes":[
 {"id":"s","key":"start","kind":"manual"},
 {"id":"r","key":"pick","kind":"route","max_visits":1000000,"join":{"mode":"each"},"config":{"match":"first","rules":[{"port":"again","when":"input.n > 5"}]}},
 {"id":"a","key":"same","kind":"mock","max_visits":1000000,"config":{"answer":"=input"}}],
 "edges":[{"id":"1","from":"s","port":"success","to":"r"},{"id":"2","from":"r","port":"again","to":"a"},{"id":"3","from":"a","port":"success","to":"r"}],"layout":{}}`
	out, _, _, _ := sandboxed(t, round, `{"n":1}`, 1, `{"n":9}`)
	if out.Stopped == nil || out.Stopped.Why != runtime.StopTooLong {
		t.Errorf("%d events, %+v", len(out.Events), out.Stopped)
	}
}
