package runtime_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"signalbox/engine/compile"
	"signalbox/engine/graph"
	"signalbox/engine/machine"
	"signalbox/engine/mem"
	"signalbox/engine/problem"
	"signalbox/engine/queue"
	"signalbox/engine/route"
	"signalbox/engine/runtime"
	"signalbox/engine/task"
	"signalbox/engine/worker"
	"signalbox/engine/worker/local"
)

// rules are queues whose settings a test changes.
type rules struct {
	mu       sync.Mutex
	settings map[string]queue.Settings
	changed  chan struct{}
}

func newRules(settings map[string]queue.Settings) *rules {
	return &rules{settings: settings, changed: make(chan struct{})}
}

func (r *rules) Choose(a route.Attributes) route.Decision { return route.Standard().Choose(a) }

func (r *rules) Settings(_, name string) queue.Settings {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.settings[name]
}

func (r *rules) Changed() <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.changed
}

func (r *rules) set(name string, s queue.Settings) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.settings[name] = s
	close(r.changed)
	r.changed = make(chan struct{})
}

// watched is a store that looks at the slots after every step.
type watched struct {
	*flaky
	t    *testing.T
	most map[string]int
	seen atomic.Int64 // the most of any limit that was used
}

func (w *watched) look() {
	used, err := w.SlotsUsed(context.Background())
	if err != nil {
		w.t.Error(err)
	}
	for name, n := range used {
		if most, limited := w.most[name]; !limited || n > most {
			w.t.Errorf("%d slots of %s are used, more than %d", n, name, most)
		}
		w.seen.Store(max(w.seen.Load(), int64(n)))
	}
}

// standing says whether an attempt has ended, and whether it has a slot; it looks
// for the slot first, which its end takes away.
func (w *watched) standing(id task.ID) (over, has bool) {
	shard := runtime.ShardOf(uuid.MustParse(id.Run), 3)
	taken, err := w.Taken(context.Background(), shard)
	if err != nil {
		w.t.Error(err)
	}
	rec, err := w.Load(context.Background(), uuid.MustParse(id.Run))
	if err != nil {
		w.t.Error(err)
	}
	for _, e := range rec.Events {
		var a struct{ Visit, Attempt int }
		if e.Node == id.Node && (e.Type == "TaskCompleted" || e.Type == "TaskFailed") && json.Unmarshal(e.Data, &a) == nil && a.Attempt == id.Attempt {
			over = true
		}
	}
	return over, len(taken[id]) > 0
}

func (w *watched) Commit(ctx context.Context, t *runtime.Turn) error {
	defer w.look()
	return w.flaky.Commit(ctx, t)
}

func (w *watched) Take(ctx context.Context, wants []runtime.Want) ([]runtime.Grant, error) {
	defer w.look()
	return w.flaky.Take(ctx, wants)
}

// counted is an action that makes sure that whoever is at work has its slots,
// and fails as often as not. An attempt that is over already may come once
// more: tasks come at least once.
type counted struct {
	store *watched
	done  atomic.Int64
}

func (c *counted) Do(ctx context.Context, call worker.Call) (json.RawMessage, error) {
	if over, has := c.store.standing(call.Task.ID()); !over && !has {
		c.store.t.Errorf("%+v is at work without a slot", call.Task.ID())
	}
	end := time.NewTimer(time.Duration(rand.IntN(4)) * time.Millisecond)
	defer end.Stop()
	select {
	case <-end.C:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	c.done.Add(1)
	if rand.IntN(2) == 0 {
		return nil, worker.Fail(worker.ClassUnavailable, "not now")
	}
	return json.RawMessage(`{}`), nil
}

// process is an engine with its workers, which ends when halt is called.
func process(t *testing.T, store runtime.Store, slots runtime.Slots, q runtime.Queues, owner string, act worker.Action) (e *runtime.Engine, halt func()) {
	t.Helper()
	ch := local.New(nil)
	pool, err := worker.New(worker.Config{Source: ch, Actions: map[string]worker.Action{"mock": act}, Payloads: store, Name: "w", Default: 50, Drain: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	e, err = runtime.New(runtime.Config{Store: store, Channel: ch, Owner: owner, Shards: 3, Queues: q, Slots: slots, Lease: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := e.Run(ctx); err != nil {
			t.Error(err)
		}
	})
	wg.Go(func() {
		if err := pool.Run(ctx); err != nil {
			t.Error(err)
		}
	})
	halt = sync.OnceFunc(func() { cancel(); wg.Wait() })
	t.Cleanup(halt)
	<-e.Ready()
	return e, halt
}

func machineOf(t *testing.T, file string) json.RawMessage {
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
	return raw
}

func request(version uuid.UUID, input string) runtime.StartRequest {
	return runtime.StartRequest{
		Workspace: "main", Workflow: uuid.MustParse("018f0000-0000-7000-8000-00000000000a"), Version: version,
		Trigger: "start", Input: json.RawMessage(input), Source: "test",
	}
}

const limited = `{"signalbox":1,"nodes":[
 {"id":"s","key":"start","kind":"manual"},
 {"id":"a","key":"a","kind":"mock","task":{"queue":"few"},"retry":{"max_attempts":1000,"backoff":"fixed","initial":"100ms"}},
 {"id":"b","key":"b","kind":"mock","task":{"queue":"few","concurrency":{"limit":1,"key":"=input.k"}},"retry":{"max_attempts":1000,"backoff":"fixed","initial":"100ms"}}],
 "edges":[{"id":"1","from":"s","port":"success","to":"a"},{"id":"2","from":"s","port":"success","to":"b"}],"layout":{}}`

// I17: the limits of queues and nodes hold at every moment: while attempts
// fail and are tried again, while commits fail, after the process has ended
// and another one goes on. And nothing that waits is lost.
func TestConcurrencyLimitsHoldThroughRetryFaultAndRestart(t *testing.T) {
	t.Parallel()
	inner := &flaky{Store: mem.NewStore(time.Now), every: 23}
	node := "node/018f0000-0000-7000-8000-00000000000a/b/"
	store := &watched{flaky: inner, t: t, most: map[string]int{"queue/main/few": 3, node + "0": 1, node + "1": 1}}
	version := uuid.New()
	store.PutMachine(version, machineOf(t, limited))
	q := newRules(map[string]queue.Settings{"few": {Concurrency: 3}})
	act := &counted{store: store}
	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
	defer cancel()
	e, halt := process(t, store, store, q, "first", act)
	var runs []uuid.UUID
	for i := range 40 {
		s, err := e.Start(ctx, request(version, fmt.Sprintf(`{"k":%d}`, i%2)))
		if err != nil {
			t.Fatal(err)
		}
		runs = append(runs, s.Run)
	}
	for act.done.Load() < 30 { // in the middle of it
		if ctx.Err() != nil {
			t.Fatal("nothing goes on")
		}
		time.Sleep(time.Millisecond) //nolint:forbidigo // waits for a count, not for a time
	}
	halt()
	before := act.done.Load()
	_, halt = process(t, store, store, q, "second", act)
	for _, run := range runs {
		waitOver(ctx, t, store, run)
	}
	halt()
	if store.seen.Load() < 3 || before < 30 || act.done.Load() == before {
		t.Errorf("%d slots were used; %d attempts before the restart, %d in all", store.seen.Load(), before, act.done.Load())
	}
	if used, err := store.SlotsUsed(ctx); err != nil || len(used) > 0 {
		t.Errorf("slots are left: %v (%v)", used, err)
	}
}

func waitOver(ctx context.Context, t *testing.T, store runtime.Store, run uuid.UUID) {
	t.Helper()
	for {
		rec, err := store.Load(ctx, run)
		if err == nil && rec.Status == runtime.StatusSucceeded {
			return
		}
		if ctx.Err() != nil {
			t.Fatalf("run %s is not over: %+v %v", run, rec, err)
		}
		pause := time.NewTimer(5 * time.Millisecond)
		<-pause.C
	}
}

func TestPausedQueueGoesOnWhenItIsResumed(t *testing.T) {
	t.Parallel()
	store := &flaky{Store: mem.NewStore(time.Now)}
	version := uuid.New()
	store.PutMachine(version, machineOf(t, `{"signalbox":1,"nodes":[{"id":"s","key":"start","kind":"manual"},{"id":"a","key":"a","kind":"mock"}],"edges":[{"id":"1","from":"s","port":"success","to":"a"}],"layout":{}}`))
	q := newRules(map[string]queue.Settings{"default": {Paused: true}})
	var began atomic.Int64
	e, _ := process(t, store, store, q, "one", acting(func(context.Context) (json.RawMessage, error) {
		began.Add(1)
		return json.RawMessage(`{}`), nil
	}))
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	s, err := e.Start(ctx, request(version, `{}`))
	if err != nil {
		t.Fatal(err)
	}
	if l := e.QueueLooks(); len(l) != 1 || l[0].Waiting != 1 || l[0].Depth[2] != 1 || began.Load() != 0 {
		t.Errorf("the queue looks like %+v, %d began", l, began.Load())
	}
	q.set("default", queue.Settings{})
	waitOver(ctx, t, store, s.Run)
}

// A priority that nobody understands stops nothing: it is said in the log.
func TestUnknownPriorityIsSaidInTheLog(t *testing.T) {
	t.Parallel()
	m, err := machine.Load(machineOf(t, `{"signalbox":1,"nodes":[{"id":"s","key":"start","kind":"manual"},{"id":"a","key":"a","kind":"mock","task":{"priority":"=input.p","labels":{"customer":"=input.c"}}}],"edges":[{"id":"1","from":"s","port":"success","to":"a"}],"layout":{}}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ input, queue, warning string }{
		{`{"p":"urgent!!","c":7}`, "default", "“urgent!!” is no priority: the task counts as normal, and no rule chose its queue. Expected: critical, high, normal, low, or a number from 0 to 10"},
		{`{"p":9,"c":7}`, "express", ""},
	} {
		s := m.New("r")
		s.Routes = route.Standard().Choose
		events, err := m.Step(s, machine.Start{Trigger: "start", Value: json.RawMessage(c.input)}, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		f, ok := events[1].Fact.(*machine.TaskScheduled)
		if !ok || f.Queue != c.queue || f.Warning != c.warning || f.Labels["customer"] != "7" {
			t.Errorf("%s: %+v", c.input, events[1].Fact)
		}
	}
}

// The event keeps the decision: a log is folded to the same state whatever the
// tables say by then.
func TestReplayAsksNoTable(t *testing.T) {
	t.Parallel()
	m, err := machine.Load(machineOf(t, limited))
	if err != nil {
		t.Fatal(err)
	}
	s := m.New("r")
	s.Routes = func(route.Attributes) route.Decision { return route.Decision{Queue: "then", Priority: 1} }
	events, err := m.Step(s, machine.Start{Trigger: "start", Value: json.RawMessage(`{"k":1}`)}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	again := m.New("r")
	again.Routes = func(route.Attributes) route.Decision { t.Error("a fold asked a table"); return route.Decision{} }
	if err := m.Fold(again, events...); err != nil {
		t.Fatal(err)
	}
	was, is := m.Pending(s), m.Pending(again)
	if fmt.Sprintf("%+v", was) != fmt.Sprintf("%+v", is) {
		t.Errorf("owed then %+v, now %+v", was, is)
	}
}

func TestStartsAreRefusedAndTheLeastUrgentIsShedWhenTheBacklogIsTooLong(t *testing.T) {
	t.Parallel()
	store := &flaky{Store: mem.NewStore(time.Now)}
	version := uuid.New()
	store.PutMachine(version, machineOf(t, `{"signalbox":1,"nodes":[{"id":"s","key":"start","kind":"manual"},
		{"id":"m","key":"m","kind":"map","config":{"items":"=input.items","concurrency":100,"on_item_error":"collect"}},
		{"id":"a","key":"a","in":"m","kind":"mock","retry":{"max_attempts":1},"task":{"queue":"slow","priority":"low"}}],
		"edges":[{"id":"1","from":"s","port":"success","to":"m"}],"layout":{}}`))
	q := newRules(map[string]queue.Settings{"slow": {Concurrency: 1, Backlog: 10}})
	release := make(chan struct{})
	e, _ := process(t, store, store, q, "one", acting(func(ctx context.Context) (json.RawMessage, error) {
		select {
		case <-release:
		case <-ctx.Done():
		}
		return json.RawMessage(`{}`), nil
	}))
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	items := make([]int, 50)
	raw, _ := json.Marshal(map[string]any{"items": items})
	s, err := e.Start(ctx, request(version, string(raw)))
	if err != nil {
		t.Fatal(err)
	}
	for { // the gate looks now and then
		_, err := e.Start(ctx, request(version, `{"items":[]}`))
		if p := problem.Of(err); p != nil && p.Code == problem.TooMany {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for shed := uint64(0); shed < 30; _, shed = e.Overload() {
		if ctx.Err() != nil {
			t.Fatalf("only %d were shed", shed)
		}
		time.Sleep(time.Millisecond) //nolint:forbidigo // waits for a count, not for a time
	}
	close(release)
	waitOver(ctx, t, store, s.Run)
	for { // and starts are taken again
		if _, err := e.Start(ctx, request(version, `{"items":[]}`)); err == nil {
			break
		} else if ctx.Err() != nil {
			t.Fatal(err)
		}
	}
	refused, shed := e.Overload()
	rec, err := store.Load(ctx, s.Run)
	failed := 0
	for _, ev := range rec.Events {
		if ev.Type == "TaskFailed" {
			failed++
		}
	}
	if err != nil || refused == 0 || shed != 30 || failed != 30 {
		t.Errorf("%d starts were refused, %d attempts were shed and %d failed (%v); want some, 30, 30", refused, shed, failed, err)
	}
}

// acting is an action made of a function.
type acting func(context.Context) (json.RawMessage, error)

func (f acting) Do(ctx context.Context, _ worker.Call) (json.RawMessage, error) { return f(ctx) }
