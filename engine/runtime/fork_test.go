package runtime_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"signalbox/engine/event"
	"signalbox/engine/problem"
	"signalbox/engine/runtime"
	"signalbox/engine/worker"
)

// tally counts the calls of each node and fails those that are down.
type tally struct {
	mu    sync.Mutex
	calls map[string]int // by "run node"
	down  map[string]bool
}

// Do implements worker.Action: the configuration's answer, unless it is down.
func (a *tally) Do(_ context.Context, c worker.Call) (json.RawMessage, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.calls[c.Task.Run+" "+c.Task.Node]++
	if a.down[c.Task.Node] {
		return nil, worker.Fail(worker.ClassInvalidInput, "It is down.")
	}
	var config struct {
		Answer json.RawMessage `json:"answer"`
	}
	err := json.Unmarshal(c.Config, &config)
	return config.Answer, err
}

// of lists the calls of a run, by node.
func (a *tally) of(run uuid.UUID) map[string]int {
	a.mu.Lock()
	defer a.mu.Unlock()
	out := map[string]int{}
	for name, n := range a.calls {
		if node, ok := strings.CutPrefix(name, run.String()+" "); ok {
			out[node] = n
		}
	}
	return out
}

func (a *tally) repair() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.down = nil
}

// twoWays runs a and b side by side; c comes behind a, d behind both.
const twoWays = `{"signalbox":1,"nodes":[
 {"id":"s","key":"start","kind":"manual"},
 {"id":"a","key":"a","kind":"mock","config":{"answer":{"n":"=input.n + 1"}}},
 {"id":"b","key":"b","kind":"mock","config":{"answer":{"n":"=input.n + 10"}}},
 {"id":"c","key":"c","kind":"mock","config":{"answer":{"n":"=input.n * 2"}}},
 {"id":"d","key":"d","kind":"transform","config":{"expression":"inputs.c.n + inputs.b.n"}}],
 "edges":[{"id":"1","from":"s","port":"success","to":"a"},{"id":"2","from":"s","port":"success","to":"b"},
 {"id":"3","from":"a","port":"success","to":"c"},{"id":"4","from":"c","port":"success","to":"d"},{"id":"5","from":"b","port":"success","to":"d"}],"layout":{}}`

// failed runs it with c down until the run has failed and b is done.
func failed(t *testing.T) (context.Context, *world, *tally, uuid.UUID) {
	t.Helper()
	a := &tally{calls: map[string]int{}, down: map[string]bool{"c": true}}
	w := openWith(t, 0, twoWays, a)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel)
	for range 50 { // until b was faster than the way to c
		s, err := w.start(ctx, `{"n":1}`, "", runtime.WaitEnd)
		if err != nil || s.Answer == nil || s.Answer.Run != "failed" {
			t.Fatalf("%+v %v", s.Answer, err)
		}
		if find(w.log(t, s.Run), "TaskCompleted", "b") > 0 {
			return ctx, w, a, s.Run
		}
	}
	t.Fatal("b was never done before c failed")
	return nil, nil, nil, uuid.Nil
}

func (w *world) log(t *testing.T, run uuid.UUID) []event.Event {
	t.Helper()
	rec, err := w.store.Load(context.Background(), run)
	if err != nil {
		t.Fatal(err)
	}
	return rec.Events
}

func find(log []event.Event, typ, node string) int {
	for _, e := range log {
		if e.Type == typ && e.Node == node {
			return e.Seq
		}
	}
	return 0
}

// ended waits for the end of a run and returns its result.
func (w *world) ended(ctx context.Context, t *testing.T, run uuid.UUID) (status, body string) {
	t.Helper()
	for {
		rec, err := w.store.Load(ctx, run)
		if err != nil {
			t.Fatal(err)
		}
		if !rec.EndedAt.IsZero() {
			r, err := runtime.Rebuild(ctx, w.store, run)
			if err != nil {
				t.Fatal(err)
			}
			raw, err := r.State.Result(r.Machine)
			if err != nil {
				t.Fatal(err)
			}
			w.check(t, run)
			return rec.Status, string(raw)
		}
		select {
		case <-w.shown:
		case <-ctx.Done():
			t.Fatalf("run %s never ended", run)
		}
	}
}

func TestRetryFromTheFailedStep(t *testing.T) {
	t.Parallel()
	ctx, w, a, run := failed(t)
	a.repair()
	s, err := w.engine.Fork(ctx, runtime.ForkRequest{Workspace: "main", Run: run, Source: "retry"})
	if err != nil {
		t.Fatal(err)
	}
	if status, body := w.ended(ctx, t, s.Run); status != "succeeded" || body != "15" {
		t.Errorf("%s %s", status, body)
	}
	if d := cmp.Diff(map[string]int{"c": 1}, a.of(s.Run)); d != "" {
		t.Errorf("calls of the new run: %s", d)
	}
	old, log := w.log(t, run), w.log(t, s.Run)
	cut := find(old, "TaskFailed", "c") - 1
	if d := cmp.Diff(old[:cut], log[:cut]); d != "" {
		t.Errorf("the shared part differs: %s", d)
	}
}

func TestForkAtEveryEvent(t *testing.T) {
	t.Parallel()
	ctx, w, a, run := failed(t)
	a.repair()
	old := w.log(t, run)
	for at := range len(old) + 1 {
		if at == 0 {
			continue
		}
		s, err := w.engine.Fork(ctx, runtime.ForkRequest{Workspace: "main", Run: run, At: at, Source: "fork"})
		if at > find(old, "TaskFailed", "c")-1 {
			if p := problem.Of(err); p == nil || p.Code != problem.Invalid {
				t.Errorf("a fork at event %d (%s): %v", at, old[at-1].Type, err)
			}
			continue
		}
		if err != nil {
			t.Fatalf("a fork at event %d (%s): %v", at, old[at-1].Type, err)
		}
		if status, body := w.ended(ctx, t, s.Run); status != "succeeded" || body != "15" {
			t.Errorf("forked at event %d: %s %s", at, status, body)
		}
		for node, n := range a.of(s.Run) {
			if done := find(old, "TaskCompleted", node); n != 1 || done > 0 && done <= at {
				t.Errorf("forked at event %d: %s was called %d times", at, node, n)
			}
		}
	}
}

func TestForkWithAnotherOutput(t *testing.T) {
	t.Parallel()
	ctx, w, a, run := failed(t)
	a.repair()
	old := w.log(t, run)
	at := find(old, "TaskCompleted", "a")
	big := fmt.Sprintf(`{"n":100,"pad":%q}`, strings.Repeat("x", 9_000)) // stored apart
	for _, output := range []string{`{"n":100}`, big} {
		s, err := w.engine.Fork(ctx, runtime.ForkRequest{Workspace: "main", Run: run, At: at, Output: json.RawMessage(output), Source: "fork"})
		if err != nil {
			t.Fatal(err)
		}
		if status, body := w.ended(ctx, t, s.Run); status != "succeeded" || body != "211" {
			t.Errorf("%s %s", status, body)
		}
		if d := cmp.Diff(old[:at-1], w.log(t, s.Run)[:at-1]); d != "" {
			t.Errorf("the shared part differs: %s", d)
		}
	}
	at = find(old, "TaskScheduled", "a")
	if _, err := w.engine.Fork(ctx, runtime.ForkRequest{Workspace: "main", Run: run, At: at, Output: json.RawMessage(`1`)}); problem.Of(err) == nil {
		t.Errorf("an event without an output was changed: %v", err)
	}
}

func TestForkRefused(t *testing.T) {
	t.Parallel()
	ctx, w, a, run := failed(t)
	for name, r := range map[string]runtime.ForkRequest{
		"another workspace": {Workspace: "other", Run: run, At: 1},
		"no such run":       {Workspace: "main", Run: uuid.New(), At: 1},
		"before the start":  {Workspace: "main", Run: run, At: -1},
		"behind the end":    {Workspace: "main", Run: run, At: 1_000},
	} {
		if _, err := w.engine.Fork(ctx, r); problem.Of(err) == nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	a.repair()
	good, err := w.start(ctx, `{"n":1}`, "", runtime.WaitEnd)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.engine.Fork(ctx, runtime.ForkRequest{Workspace: "main", Run: good.Run}); problem.Of(err) == nil {
		t.Errorf("a run that did not fail was retried: %v", err)
	}
	first, err := w.engine.Fork(ctx, runtime.ForkRequest{Workspace: "main", Run: run, Key: "once"})
	if err != nil {
		t.Fatal(err)
	}
	again, err := w.engine.Fork(ctx, runtime.ForkRequest{Workspace: "main", Run: run, Key: "once"})
	if err != nil || again.Run != first.Run || !again.Existing {
		t.Errorf("the same key made another run: %+v %v", again, err)
	}
}

// each runs a body for three items, two at a time, and a task behind it. The
// second item's body catches its own failure.
const each = `{"signalbox":1,"nodes":[
 {"id":"s","key":"start","kind":"manual"},
 {"id":"m","key":"each","kind":"map","config":{"items":"=input.items","concurrency":2,"on_item_error":"collect"}},
 {"id":"a","key":"a","kind":"mock","in":"m","config":{"answer":"=item * 2"}},
 {"id":"g","key":"box","kind":"group","in":"m"},
 {"id":"b","key":"b","kind":"mock","in":"g","config":{"answer":"=input + 1"}},
 {"id":"l","key":"c","kind":"mock","config":{"answer":"=size(input)"}}],
 "edges":[{"id":"1","from":"s","port":"success","to":"m"},{"id":"2","from":"a","port":"success","to":"g"},{"id":"3","from":"m","port":"success","to":"l"}],"layout":{}}`

// Wherever a log with containers is cut, the new run ends as the old one would
// have, and no task that was done is done again.
func TestForkInsideContainers(t *testing.T) {
	t.Parallel()
	a := &tally{calls: map[string]int{}, down: map[string]bool{"c": true}}
	w := openWith(t, 0, each, a)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	s, err := w.start(ctx, `{"items":[1,2,3]}`, "", runtime.WaitEnd)
	if err != nil || s.Answer == nil || s.Answer.Run != "failed" {
		t.Fatalf("%+v %v", s.Answer, err)
	}
	a.repair()
	old := w.log(t, s.Run)
	for at := 1; at < find(old, "TaskFailed", "c"); at++ {
		fork, err := w.engine.Fork(ctx, runtime.ForkRequest{Workspace: "main", Run: s.Run, At: at, Source: "fork"})
		if err != nil {
			t.Fatalf("a fork at event %d (%s): %v", at, old[at-1].Type, err)
		}
		if status, body := w.ended(ctx, t, fork.Run); status != "succeeded" || body != "3" {
			t.Errorf("forked at event %d (%s): %s %s", at, old[at-1].Type, status, body)
		}
		done := map[string]int{}
		for _, e := range old[:at] {
			if e.Type == "TaskCompleted" {
				done[e.Node]++
			}
		}
		for node, want := range map[string]int{"a": 3 - done["a"], "b": 3 - done["b"], "c": 1} {
			if got := a.of(fork.Run)[node]; got != want {
				t.Errorf("forked at event %d (%s): %s was called %d times, want %d", at, old[at-1].Type, node, got, want)
			}
		}
	}
	again, err := w.engine.Fork(ctx, runtime.ForkRequest{Workspace: "main", Run: s.Run, Source: "retry"})
	if err != nil {
		t.Fatal(err)
	}
	if status, body := w.ended(ctx, t, again.Run); status != "succeeded" || body != "3" {
		t.Errorf("retried: %s %s", status, body)
	}
}
