package runtime_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"signalbox/engine/compile"
	"signalbox/engine/graph"
	"signalbox/engine/machine"
	"signalbox/engine/runtime"
	"signalbox/engine/worker/local"
)

const calling = `{"signalbox":1,"nodes":[
 {"id":"s","key":"start","kind":"manual"},
 {"id":"m","key":"each","kind":"map","config":{"items":"=input","concurrency":5}},
 {"id":"c","key":"other","kind":"call","in":"m","config":{"workflow":"NAME","input":{"n":"=item"}}}],
 "edges":[{"id":"e1","from":"s","port":"success","to":"m"}]}`

const doubling = `{"signalbox":1,"nodes":[
 {"id":"s","key":"start","kind":"manual"},
 {"id":"a","key":"a","kind":"mock","config":{"answer":{"n":"=input.n * 2"}}}],
 "edges":[{"id":"e1","from":"s","port":"success","to":"a"}]}`

const waiting = `{"signalbox":1,"nodes":[
 {"id":"s","key":"start","kind":"manual"},
 {"id":"a","key":"a","kind":"signal","config":{"name":"never"}}],
 "edges":[{"id":"e1","from":"s","port":"success","to":"a"}]}`

// teach lets the world's workflows call one by name.
func (w *world) teach(t *testing.T, name, file string) {
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
	version := uuid.New()
	w.store.PutMachine(version, raw)
	w.callees.Store(name, runtime.Target{Workflow: uuid.New(), Version: version, Trigger: "start"})
}

func TestCalledRunsGiveTheirResults(t *testing.T) {
	t.Parallel()
	// Several times with faults: whoever calls leaves at each fault and comes
	// again, and a reply to one that has left once stopped the shard for ever.
	for _, every := range []int64{0, 3, 3, 3} {
		w := open(t, every, strings.Replace(calling, "NAME", "Double", 1))
		w.teach(t, "Double", doubling)
		s, err := w.start(t.Context(), `[1,2,3,4,5,6,7,8]`, "", runtime.WaitEnd)
		if err != nil {
			t.Fatal(err)
		}
		if got := string(s.Answer.Body); s.Answer.Run != "succeeded" || got != `[{"n":2},{"n":4},{"n":6},{"n":8},{"n":10},{"n":12},{"n":14},{"n":16}]` {
			t.Errorf("commits cut every %d: %s %s %+v", every, s.Answer.Run, got, s.Answer.Error)
		}
	}
}

func TestEndlessCallsStop(t *testing.T) {
	t.Parallel()
	self := strings.Replace(calling, "NAME", "Self", 1)
	w := open(t, 0, self)
	w.teach(t, "Self", strings.Replace(self, `"items":"=input"`, `"items":[1]`, 1))
	s, err := w.start(t.Context(), `[1]`, "", runtime.WaitEnd)
	if err != nil {
		t.Fatal(err)
	}
	if s.Answer.Run != "failed" || s.Answer.Error == nil || !strings.Contains(s.Answer.Error.Message, "32 deep") {
		t.Errorf("%s %+v", s.Answer.Run, s.Answer.Error)
	}
}

func TestACallOfNothingFails(t *testing.T) {
	t.Parallel()
	w := open(t, 0, strings.Replace(calling, "NAME", "Nobody", 1))
	s, err := w.start(t.Context(), `[1]`, "", runtime.WaitEnd)
	if err != nil {
		t.Fatal(err)
	}
	if s.Answer.Run != "failed" || s.Answer.Error.Class != "invalid_input" {
		t.Errorf("%s %+v", s.Answer.Run, s.Answer.Error)
	}
}

func TestCancelReachesCalledRuns(t *testing.T) {
	t.Parallel()
	w := open(t, 0, strings.Replace(calling, "NAME", "Wait", 1))
	w.teach(t, "Wait", waiting)
	s, err := w.start(t.Context(), `[1]`, "", runtime.WaitNone)
	if err != nil {
		t.Fatal(err)
	}
	child := w.child(t, s.Run)
	if err := w.engine.Cancel(t.Context(), "main", s.Run, "ada", ""); err != nil {
		t.Fatal(err)
	}
	w.until(t, func() bool { return w.events(t, child, "RunCanceled") })
}

// slowCallees find a workflow when they are let.
type slowCallees struct {
	runtime.Callees
	asked, free chan struct{}
}

func (c *slowCallees) Callee(ctx context.Context, workspace, workflow, version string) (runtime.Target, error) {
	close(c.asked)
	<-c.free
	return c.Callees.Callee(ctx, workspace, workflow, version) //nolint:wrapcheck // the same
}

// TestCancelReachesARunThatIsBeingBorn cancels a run while the one that it calls
// is only being started, so that nobody knows yet which run to cancel.
func TestCancelReachesARunThatIsBeingBorn(t *testing.T) {
	t.Parallel()
	f := newFleet(t, 0, 1, strings.Replace(calling, "NAME", "Wait", 1))
	version := uuid.New()
	f.teach(version, waiting)
	f.callees.Store("Wait", runtime.Target{Workflow: uuid.New(), Version: version, Trigger: "start"})
	slow := &slowCallees{f, make(chan struct{}), make(chan struct{})}
	e, err := runtime.New(runtime.Config{Store: f.store, Ledger: f.store, Callees: slow, Channel: local.New(nil), Owner: "one"})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- e.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	s, err := e.Start(t.Context(), runtime.StartRequest{Workspace: "main", Workflow: uuid.New(), Version: f.version, Trigger: "start", Input: json.RawMessage(`[1]`), Source: "test"})
	if err != nil {
		t.Fatal(err)
	}
	<-slow.asked
	if err := e.Cancel(t.Context(), "main", s.Run, "ada", ""); err != nil {
		t.Fatal(err)
	}
	close(slow.free)
	f.until("a canceled child", func() bool {
		return slices.ContainsFunc(f.store.Runs(), func(r runtime.NewRun) bool { return r.Source == "call" && r.Status == runtime.StatusCanceled })
	})
}

// child waits until the run has called another one and returns it.
func (w *world) child(t *testing.T, run uuid.UUID) uuid.UUID {
	t.Helper()
	var id uuid.UUID
	w.until(t, func() bool {
		rec, err := w.store.Load(t.Context(), run)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range rec.Events {
			var f machine.CallAnswered
			if e.Type == "CallAnswered" && json.Unmarshal(e.Data, &f) == nil {
				id = uuid.MustParse(f.Child)
				return true
			}
		}
		return false
	})
	return id
}

func (w *world) events(t *testing.T, run uuid.UUID, typ string) bool {
	t.Helper()
	rec, err := w.store.Load(t.Context(), run)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range rec.Events {
		if e.Type == typ {
			return true
		}
	}
	return false
}

// until waits for commits until something holds.
func (w *world) until(t *testing.T, holds func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	for !holds() {
		select {
		case <-w.shown:
		case <-ctx.Done():
			t.Fatal("it never came")
		}
	}
}
