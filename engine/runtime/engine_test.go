package runtime_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"signalbox/engine/compile"
	"signalbox/engine/event"
	"signalbox/engine/graph"
	"signalbox/engine/machine"
	"signalbox/engine/mem"
	"signalbox/engine/problem"
	"signalbox/engine/runtime"
	"signalbox/engine/watch"
	"signalbox/engine/worker"
	"signalbox/engine/worker/action"
	"signalbox/engine/worker/local"
)

// flaky breaks commits: some are refused, some are written and then reported
// as failed, which is what a cut connection looks like.
type flaky struct {
	*mem.Store
	n      atomic.Int64
	every  int64
	damage func(*runtime.Record) // done to what is read; nil: nothing
	lost   bool                  // no large value is there
}

func (f *flaky) Load(ctx context.Context, run uuid.UUID) (*runtime.Record, error) {
	rec, err := f.Store.Load(ctx, run)
	if err == nil && f.damage != nil {
		f.damage(rec)
	}
	return rec, err
}

func (f *flaky) Payload(ctx context.Context, workspace, digest string) ([]byte, error) {
	if f.lost {
		return nil, runtime.ErrNotFound
	}
	return f.Store.Payload(ctx, workspace, digest)
}

func (f *flaky) Commit(ctx context.Context, t *runtime.Turn) error {
	n := f.n.Add(1)
	if f.every > 0 && n%f.every == 0 {
		if (n/f.every)%2 == 0 {
			if err := f.Store.Commit(ctx, t); err != nil {
				return err
			}
		}
		return errors.New("the connection was cut")
	}
	return f.Store.Commit(ctx, t)
}

type world struct {
	halt    func() // ends the engine and its workers
	store   *flaky
	engine  *runtime.Engine
	version uuid.UUID
	shown   chan struct{} // something was committed
	callees sync.Map      // name -> runtime.Target
}

// Callee implements runtime.Callees.
func (w *world) Callee(_ context.Context, _, name, _ string) (runtime.Target, error) {
	if t, ok := w.callees.Load(name); ok {
		return t.(runtime.Target), nil //nolint:forcetypeassert // put there as one
	}
	return runtime.Target{}, problem.New(problem.NotFound, "There is no workflow %q.", name)
}

func open(t *testing.T, every int64, file string) *world {
	t.Helper()
	return openWith(t, every, file, action.Mock{})
}

// openWith has an action of its own for the kind mock.
func openWith(t *testing.T, every int64, file string, mock worker.Action) *world {
	t.Helper()
	return openAs(t, every, file, mock, func(*runtime.Config) {})
}

// openAs has settings of its own for the engine.
func openAs(t *testing.T, every int64, file string, mock worker.Action, set func(*runtime.Config)) *world {
	t.Helper()
	g, err := graph.Decode([]byte(file))
	if err != nil {
		t.Fatal(err)
	}
	m, issues := compile.Compile(g)
	if m == nil {
		t.Fatalf("%+v", issues)
	}
	raw, err := m.Encode()
	if err != nil {
		t.Fatal(err)
	}
	w := &world{store: &flaky{Store: mem.NewStore(time.Now), every: every}, version: uuid.New(), shown: make(chan struct{}, 1)}
	w.store.PutMachine(w.version, raw)
	w.serve(t, mock, set)
	t.Cleanup(func() { w.halt() })
	return w
}

// serve starts an engine and a worker on the world's store.
func (w *world) serve(t *testing.T, mock worker.Action, set func(*runtime.Config)) {
	t.Helper()
	ch := local.New(func(watch.Frame) {
		select {
		case w.shown <- struct{}{}:
		default:
		}
	})
	pool, err := worker.New(worker.Config{Source: ch, Actions: map[string]worker.Action{"mock": mock}, Payloads: w.store, Name: "w", Drain: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	cfg := runtime.Config{Store: w.store, Ledger: w.store, Channel: ch, Owner: "test", Callees: w}
	set(&cfg)
	if w.engine, err = runtime.New(cfg); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := w.engine.Run(ctx); err != nil {
			t.Error(err)
		}
	})
	wg.Go(func() {
		if err := pool.Run(ctx); err != nil {
			t.Error(err)
		}
	})
	w.halt = func() { cancel(); wg.Wait() }
	<-w.engine.Ready()
}

func (w *world) start(ctx context.Context, input, key string, wait runtime.Wait) (runtime.Started, error) {
	return w.engine.Start(ctx, runtime.StartRequest{
		Workspace: "main", Workflow: uuid.MustParse("018f0000-0000-7000-8000-00000000000a"), Version: w.version,
		Trigger: "start", Input: json.RawMessage(input), Source: "test", Key: key, Wait: wait,
	})
}

const chain = `{"signalbox":1,"nodes":[
 {"id":"s","key":"start","kind":"manual"},
 {"id":"a","key":"a","kind":"mock","config":{"answer":{"n":"=input.n + 1"}}},
 {"id":"b","key":"b","kind":"mock","config":{"answer":{"n":"=input.n + 1"},"fail_times":1},"retry":{"max_attempts":3,"initial":"100ms"}},
 {"id":"c","key":"c","kind":"wait","config":{"duration":"20ms"}},
 {"id":"d","key":"d","kind":"mock","config":{"answer":{"n":"=input.n + 1"}}}],
 "edges":[{"id":"1","from":"s","port":"success","to":"a"},{"id":"2","from":"a","port":"success","to":"b"},{"id":"3","from":"b","port":"success","to":"c"},{"id":"4","from":"c","port":"success","to":"d"}],"layout":{}}`

func TestRunsEndWhateverCommitsDo(t *testing.T) {
	t.Parallel()
	for _, every := range []int64{0, 3} {
		t.Run(fmt.Sprintf("one commit in %d fails", every), func(t *testing.T) {
			t.Parallel()
			w := open(t, every, chain)
			ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
			defer cancel()
			var wg sync.WaitGroup
			for i := range 40 {
				wg.Go(func() {
					s, err := w.start(ctx, fmt.Sprintf(`{"n":%d}`, i), "", runtime.WaitEnd)
					if err != nil || s.Answer == nil {
						t.Errorf("run %d: %+v %v", i, s, err)
						return
					}
					if want := fmt.Sprintf(`{"n":%d}`, i+3); s.Answer.Run != "succeeded" || string(s.Answer.Body) != want {
						t.Errorf("run %d: %s %s, want %s", i, s.Answer.Run, s.Answer.Body, want)
					}
					w.check(t, s.Run)
				})
			}
			wg.Wait()
		})
	}
}

// check looks at a run that is over: dense numbers, an unbroken chain, every
// attempt ended once, and the same state rebuilt from the events alone.
func (w *world) check(t *testing.T, run uuid.UUID) {
	t.Helper()
	rec, err := w.store.Load(context.Background(), run)
	if err != nil {
		t.Error(err)
		return
	}
	if err := event.Verify(rec.Events); err != nil {
		t.Errorf("run %s: %v", run, err)
	}
	seen := map[string]int{}
	for _, e := range rec.Events {
		if e.Type == "TaskCompleted" || e.Type == "TaskFailed" {
			var a struct{ Scope, Visit, Attempt int }
			if err := json.Unmarshal(e.Data, &a); err != nil {
				t.Error(err)
			}
			seen[fmt.Sprintf("%s/%d/%d/%d", e.Node, a.Scope, a.Visit, a.Attempt)]++
		}
	}
	for attempt, n := range seen {
		if n != 1 {
			t.Errorf("run %s: attempt %s ended %d times", run, attempt, n)
		}
	}
	r, err := runtime.Rebuild(context.Background(), w.store, run)
	if err != nil || string(r.State.Status) != rec.Status || r.State.Tokens() != 0 {
		t.Errorf("run %s rebuilt: %v", run, err)
	}
}

func TestOneKeyOneRun(t *testing.T) {
	t.Parallel()
	w := open(t, 0, chain)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	var first uuid.UUID
	for i := range 5 {
		s, err := w.start(ctx, `{"n":1}`, "the same", runtime.WaitEnd)
		if err != nil || s.Answer == nil || string(s.Answer.Body) != `{"n":4}` {
			t.Fatalf("%+v %v", s, err)
		}
		if i == 0 {
			first = s.Run
		}
		if s.Run != first || s.Existing != (i > 0) {
			t.Errorf("request %d: run %s existing %v", i, s.Run, s.Existing)
		}
	}
}

func TestCancel(t *testing.T) {
	t.Parallel()
	w := open(t, 0, `{"signalbox":1,"nodes":[{"id":"s","key":"start","kind":"manual"},{"id":"a","key":"a","kind":"mock","config":{"latency_ms":60000}}],
		"edges":[{"id":"1","from":"s","port":"success","to":"a"}],"layout":{}}`)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	s, err := w.start(ctx, `{}`, "", runtime.WaitNone)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.engine.Cancel(ctx, "other", s.Run, "me", ""); err == nil {
		t.Error("another workspace can cancel the run")
	}
	for range 2 { // twice changes nothing
		if err := w.engine.Cancel(ctx, "main", s.Run, "me", "enough"); err != nil {
			t.Error(err)
		}
	}
	rec, err := w.store.Load(ctx, s.Run)
	if err != nil || rec.Status != "canceled" || len(rec.Events) != 3 {
		t.Errorf("%+v %v", rec, err)
	}
	if err := w.engine.Cancel(ctx, "main", uuid.New(), "me", ""); err == nil {
		t.Error("a run that is not there can be canceled")
	}
}

func TestLargeValuesTravelByReference(t *testing.T) {
	t.Parallel()
	w := open(t, 0, `{"signalbox":1,"nodes":[{"id":"s","key":"start","kind":"manual"},
		{"id":"a","key":"a","kind":"mock","config":{"answer":"=input"}},
		{"id":"b","key":"b","kind":"transform","config":{"expression":"size(input.text) + size(trigger.text)"}}],
		"edges":[{"id":"1","from":"s","port":"success","to":"a"},{"id":"2","from":"a","port":"success","to":"b"}],"layout":{}}`)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	big, _ := json.Marshal(map[string]string{"text": string(make([]byte, 0)) + fmt.Sprintf("%0600000d", 7)})
	s, err := w.start(ctx, string(big), "", runtime.WaitEnd)
	if err != nil || s.Answer == nil || string(s.Answer.Body) != "1200000" {
		t.Fatalf("%+v %v", s.Answer, err)
	}
	rec, err := w.store.Load(ctx, s.Run)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range rec.Events {
		if len(e.Data) > event.SizeMax {
			t.Errorf("event %d has %d bytes", e.Seq, len(e.Data))
		}
	}
}

// The row says what holds a run, not only that it waits.
func TestRowSaysWhatHoldsARun(t *testing.T) {
	t.Parallel()
	g, err := graph.Decode([]byte(`{"signalbox":1,"transaction":true,"nodes":[{"id":"s","key":"start","kind":"manual"},
		{"id":"a","key":"a","kind":"mock"},{"id":"u","key":"u","kind":"mock"},{"id":"w","key":"w","kind":"wait","config":{"duration":"1h"}},
		{"id":"f","key":"f","kind":"fail","config":{"code":"x","message":"No."}}],
		"edges":[{"id":"1","from":"s","port":"success","to":"a"},{"id":"2","from":"a","port":"success","to":"w"},
		{"id":"3","from":"w","port":"success","to":"f"},{"id":"4","from":"a","port":"compensate","to":"u"}],"layout":{}}`))
	if err != nil {
		t.Fatal(err)
	}
	m, issues := compile.Compile(g)
	if m == nil {
		t.Fatalf("%+v", issues)
	}
	s, at := m.New("r"), time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	for i, step := range []struct {
		in   machine.Input
		want string
	}{
		{machine.Start{Trigger: "start", Value: json.RawMessage(`1`)}, "running"},
		{machine.Complete{Node: "a", Visit: 1, Attempt: 1, Output: json.RawMessage(`1`)}, "waiting"},
		{machine.Pause{By: "Ada"}, "paused"},
		{machine.Resume{By: "Ada"}, "waiting"},
		{machine.Wake{}, "compensating"},
		{machine.Fail{Node: "u", Visit: 1, Attempt: 1, Error: event.Error{Class: "invalid_input", Message: "No."}}, "needs_attention"},
		{machine.Resolve{Node: "u", Visit: 1, Action: machine.ActionComplete, By: "Ada"}, "compensated"},
	} {
		at = at.Add(time.Hour)
		if _, err := m.Step(s, step.in, at); err != nil {
			t.Fatal(err)
		}
		if got := runtime.RowOf(m, s, at).Status; got != step.want {
			t.Errorf("after input %d the row says %s, want %s", i+1, got, step.want)
		}
	}
}
