package runtime_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
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
	"signalbox/engine/worker"
	"signalbox/engine/worker/action"
	"signalbox/engine/worker/local"
)

// exchange connects servers in one process as NATS does between processes.
type exchange struct {
	mu     sync.Mutex
	owners map[int][]*listener
	wires  []*wire
}

type listener struct {
	of *wire
	fn func([]byte, func([]byte))
}

// wire is one server's end: a runtime.Peers.
type wire struct {
	x      *exchange
	nudged chan struct{}
	dead   bool // nothing goes in or out; guarded by the exchange
}

func (x *exchange) join() *wire {
	x.mu.Lock()
	defer x.mu.Unlock()
	w := &wire{x: x, nudged: make(chan struct{}, 1)}
	x.wires = append(x.wires, w)
	return w
}

func (w *wire) cut(dead bool) {
	w.x.mu.Lock()
	defer w.x.mu.Unlock()
	w.dead = dead
}

func (w *wire) Ask(ctx context.Context, shard int, question []byte) ([]byte, error) {
	w.x.mu.Lock()
	list := slices.Clone(w.x.owners[shard])
	w.x.mu.Unlock()
	if len(list) == 0 {
		return nil, runtime.ErrNoOwner
	}
	answers := make(chan []byte, len(list))
	for _, l := range list {
		w.x.mu.Lock()
		dead := l.of.dead
		w.x.mu.Unlock()
		if !dead { // to a process that stands still it goes too, but no answer comes
			l.fn(question, func(b []byte) { answers <- b })
		}
	}
	select {
	case b := <-answers:
		return b, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (w *wire) Answer(ctx context.Context, shard int, fn func([]byte, func([]byte))) error {
	l := &listener{w, fn}
	w.x.mu.Lock()
	w.x.owners[shard] = append(w.x.owners[shard], l)
	w.x.mu.Unlock()
	<-ctx.Done()
	w.x.mu.Lock()
	defer w.x.mu.Unlock()
	w.x.owners[shard] = slices.DeleteFunc(w.x.owners[shard], func(o *listener) bool { return o == l })
	return nil
}

func (w *wire) Nudge() {
	w.x.mu.Lock()
	defer w.x.mu.Unlock()
	for _, o := range w.x.wires {
		if o != w && !o.dead && !w.dead {
			select {
			case o.nudged <- struct{}{}:
			default:
			}
		}
	}
}

func (w *wire) Nudged() <-chan struct{} { return w.nudged }
func (w *wire) Connected() bool         { return true }

// sleeper is the store of a server that can be paused: what it asks for while
// it sleeps happens when it wakes up.
type sleeper struct {
	*mem.Store
	gate   sync.RWMutex
	fenced chan struct{} // a commit was refused
}

func (s *sleeper) Beat(ctx context.Context, server string, able bool, lease time.Duration) (runtime.Roster, error) {
	s.gate.RLock()
	defer s.gate.RUnlock()
	return s.Store.Beat(ctx, server, able, lease)
}

func (s *sleeper) Commit(ctx context.Context, t *runtime.Turn) error {
	s.gate.RLock()
	defer s.gate.RUnlock()
	err := s.Store.Commit(ctx, t)
	if errors.Is(err, runtime.ErrFenced) {
		select {
		case s.fenced <- struct{}{}:
		default:
		}
	}
	return err
}

// fleet is several servers on one store.
type fleet struct {
	t       *testing.T
	store   *mem.Store
	x       *exchange
	version uuid.UUID
	callees sync.Map
	runs    sync.Map // that were awaited to their end
	servers []*machinery
}

// machinery is one server with its workers.
type machinery struct {
	engine *runtime.Engine
	store  *sleeper
	wire   *wire
	stop   func()
}

const fleetLease = 600 * time.Millisecond // far longer than a busy machine makes a renewal wait

func newFleet(t *testing.T, servers, shards int, file string) *fleet {
	t.Helper()
	f := &fleet{t: t, store: mem.NewStore(time.Now), x: &exchange{owners: map[int][]*listener{}}, version: uuid.New()}
	f.teach(f.version, file)
	for range servers {
		f.add(shards)
	}
	for _, m := range f.servers {
		<-m.engine.Ready()
	}
	return f
}

func (f *fleet) teach(version uuid.UUID, file string) {
	f.t.Helper()
	g, err := graph.Decode([]byte(file))
	if err != nil {
		f.t.Fatal(err)
	}
	m, issues := compile.Compile(g)
	if m == nil {
		f.t.Fatalf("%+v", issues)
	}
	raw, err := m.Encode()
	if err != nil {
		f.t.Fatal(err)
	}
	f.store.PutMachine(version, raw)
}

// Callee implements runtime.Callees.
func (f *fleet) Callee(_ context.Context, _, name, _ string) (runtime.Target, error) {
	if t, ok := f.callees.Load(name); ok {
		return t.(runtime.Target), nil
	}
	return runtime.Target{}, problem.New(problem.NotFound, "There is no workflow %q.", name)
}

func (f *fleet) add(shards int) *machinery {
	f.t.Helper()
	m := &machinery{store: &sleeper{Store: f.store, fenced: make(chan struct{}, 1)}, wire: f.x.join()}
	ch := local.New(nil)
	pool, err := worker.New(worker.Config{Source: ch, Actions: map[string]worker.Action{"mock": action.Mock{}}, Payloads: f.store, Name: "w"})
	if err == nil {
		m.engine, err = runtime.New(runtime.Config{
			Store: m.store, Ledger: f.store, Channel: ch, Peers: m.wire, Callees: f, Shards: shards,
			Owner: fmt.Sprint("server ", len(f.servers)), Lease: fleetLease,
		})
	}
	if err != nil {
		f.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := m.engine.Run(ctx); err != nil {
			f.t.Error(err)
		}
	})
	wg.Go(func() {
		if err := pool.Run(ctx); err != nil {
			f.t.Error(err)
		}
	})
	m.stop = sync.OnceFunc(func() { cancel(); wg.Wait() })
	f.t.Cleanup(m.stop)
	f.servers = append(f.servers, m)
	return m
}

func (f *fleet) start(ctx context.Context, at int, key string, wait runtime.Wait) (runtime.Started, error) {
	s, err := f.servers[at].engine.Start(ctx, runtime.StartRequest{
		Workspace: "main", Workflow: uuid.MustParse("018f0000-0000-7000-8000-00000000000a"), Version: f.version,
		Trigger: "start", Input: json.RawMessage(`{"n":1}`), Source: "test", Key: key, Wait: wait,
	})
	if wait == runtime.WaitEnd {
		f.runs.Store(s.Run, true)
	}
	return s, err
}

// until looks again and again; there is nothing to wait on but time.
func (f *fleet) until(what string, holds func() bool) time.Duration {
	f.t.Helper()
	began := time.Now()
	for !holds() {
		if time.Since(began) > 20*time.Second {
			f.t.Fatalf("it never came to %s", what)
		}
		time.Sleep(time.Millisecond)
	}
	return time.Since(began)
}

func (f *fleet) holdings() []int {
	list := make([]int, len(f.servers))
	for i, m := range f.servers {
		list[i] = m.engine.Holds()
	}
	return list
}

// balanced waits until the shards are shared out so, in any order.
func (f *fleet) balanced(want ...int) {
	f.t.Helper()
	f.until(fmt.Sprintf("shards shared out as %v, last %v", want, f.holdings()), func() bool {
		have := f.holdings()
		slices.Sort(have)
		return slices.Equal(have, want)
	})
}

// audit makes sure that every run that was started has ended well, once, and
// that its log is whole.
func (f *fleet) audit() {
	f.t.Helper()
	f.runs.Range(func(run, _ any) bool {
		rec, err := f.store.Load(f.t.Context(), run.(uuid.UUID))
		if err != nil {
			f.t.Error(err)
			return true
		}
		var hash [32]byte
		ends := 0
		for i := range rec.Events {
			e := rec.Events[i]
			if hash = event.Chain(hash, &e); hash != e.Hash || e.Seq != i+1 {
				f.t.Errorf("the log of run %s breaks at event %d", run, i+1)
			}
			if e.Type == "RunSucceeded" {
				ends++
			}
		}
		if rec.Status != "succeeded" || ends != 1 {
			f.t.Errorf("run %s is %s and ended %d times", run, rec.Status, ends)
		}
		return true
	})
}

func TestShardsMoveAsServersComeAndGo(t *testing.T) {
	t.Parallel()
	f := newFleet(t, 1, 8, chain)
	f.balanced(8)
	f.add(8)
	f.balanced(4, 4)
	f.add(8)
	f.balanced(2, 3, 3)
	f.servers[0].stop()
	f.balanced(0, 4, 4)
	f.servers[2].stop()
	f.balanced(0, 0, 8)
	if s, err := f.start(t.Context(), 1, "", runtime.WaitEnd); err != nil || s.Answer.Run != "succeeded" {
		t.Errorf("%+v, %v", s, err)
	}
}

func TestAnyServerTakesAnyInput(t *testing.T) {
	t.Parallel()
	f := newFleet(t, 3, 8, chain)
	f.balanced(2, 3, 3)
	var wg sync.WaitGroup
	for i := range 48 {
		wg.Go(func() {
			s, err := f.start(t.Context(), i%3, fmt.Sprint("key ", i/2), runtime.WaitEnd) // each key from two servers
			if err != nil || s.Answer == nil || string(s.Answer.Body) != `{"n":4}` {
				t.Errorf("%+v, %v", s, err)
			}
		})
	}
	wg.Wait()
	for at := range 3 {
		if err := f.servers[at].engine.Cancel(t.Context(), "main", uuid.Must(uuid.NewV7()), "ada", ""); problem.Of(err) == nil || problem.Of(err).Code != problem.NotFound {
			t.Errorf("a run that is not there: %v", err)
		}
	}
	f.audit()
}

func TestRequestsOutliveTheirOwner(t *testing.T) {
	t.Parallel()
	f := newFleet(t, 3, 8, chain)
	f.balanced(2, 3, 3)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var wg sync.WaitGroup
	for i := range 12 {
		wg.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				s, err := f.start(t.Context(), 1+i%2, fmt.Sprint(i, " ", n), runtime.WaitEnd)
				if err != nil || s.Answer.Run != "succeeded" {
					t.Errorf("%+v, %v", s, err)
					return
				}
			}
		})
	}
	f.servers[0].stop()
	f.balanced(0, 4, 4)
	f.add(8)
	f.balanced(0, 2, 3, 3)
	cancel()
	wg.Wait()
	f.audit()
}

// TestPausedOwnerCommitsNothing lets an owner stand still. Another one takes
// over, and what the first one was about to write when it wakes up is refused;
// its sender is answered by the new owner.
func TestPausedOwnerCommitsNothing(t *testing.T) {
	t.Parallel()
	f := newFleet(t, 2, 2, chain)
	f.balanced(1, 1)
	first, second := f.servers[0], f.servers[1]
	first.store.gate.Lock()
	first.wire.cut(true)
	type said struct {
		s   runtime.Started
		err error
	}
	const starts = 16
	answers := make(chan said, starts)
	for i := range starts { // about half of them are for a shard of the one that sleeps
		go func() {
			s, err := f.start(t.Context(), 0, fmt.Sprint(i), runtime.WaitEnd)
			answers <- said{s, err}
		}()
	}
	took := f.until("a new owner", func() bool { return second.engine.Holds() == 2 })
	t.Logf("taken over after %s with a lease of %s", took.Round(time.Millisecond), fleetLease)
	for i := range starts {
		if s, err := f.start(t.Context(), 1, fmt.Sprint("new ", i), runtime.WaitEnd); err != nil || s.Answer.Run != "succeeded" {
			t.Errorf("%+v, %v", s, err)
		}
	}
	first.wire.cut(false)
	first.store.gate.Unlock()
	<-first.store.fenced
	for range starts {
		if a := <-answers; a.err != nil || a.s.Answer.Run != "succeeded" {
			t.Errorf("%+v, %v", a.s, a.err)
		}
	}
	f.balanced(1, 1)
	f.audit()
}

// TestAnOwnerOfBeforeAnswersNothing lets an owner stand still until another one
// had its shard and is gone again. Nobody owns the shard then, and its memory is
// old: it must not answer from it.
func TestAnOwnerOfBeforeAnswersNothing(t *testing.T) {
	t.Parallel()
	f := newFleet(t, 1, 1, waiting)
	first := f.servers[0]
	s, err := f.start(t.Context(), 0, "", runtime.WaitNone)
	if err != nil {
		t.Fatal(err)
	}
	first.store.gate.Lock()
	first.wire.cut(true)
	second := f.add(1)
	f.until("a new owner", func() bool { return second.engine.Holds() == 1 })
	if changed, err := second.engine.Tell(t.Context(), "main", s.Run, machine.Pause{By: "ada"}); err != nil || !changed {
		t.Fatalf("%v, %v", changed, err)
	}
	second.stop()
	first.wire.cut(false)
	first.store.gate.Unlock()
	f.until("a renewed lease", func() bool { return first.engine.Able() == nil })
	if changed, err := first.engine.Tell(t.Context(), "main", s.Run, machine.Resume{By: "ada"}); err != nil || !changed {
		t.Errorf("a paused run is resumed: changed %v, %v", changed, err)
	}
}

func TestCallsReachOtherServers(t *testing.T) {
	t.Parallel()
	f := newFleet(t, 3, 8, `{"signalbox":1,"nodes":[
 {"id":"s","key":"start","kind":"manual"},
 {"id":"m","key":"each","kind":"map","config":{"items":[1,2,3,4,5,6,7,8],"concurrency":8}},
 {"id":"c","key":"other","kind":"call","in":"m","config":{"workflow":"Double","input":{"n":"=item"}}}],
 "edges":[{"id":"e1","from":"s","port":"success","to":"m"}]}`)
	version := uuid.New()
	f.teach(version, doubling)
	f.callees.Store("Double", runtime.Target{Workflow: uuid.New(), Version: version, Trigger: "start"})
	f.balanced(2, 3, 3)
	for at := range 3 {
		s, err := f.start(t.Context(), at, "", runtime.WaitEnd)
		if err != nil || string(s.Answer.Body) != `[{"n":2},{"n":4},{"n":6},{"n":8},{"n":10},{"n":12},{"n":14},{"n":16}]` {
			t.Errorf("%s %v", s.Answer.Body, err)
		}
	}
	f.audit()
}

// TestALostCancelIsRepeated cancels a run whose owner then dies before it has
// canceled what the run had called: the next owner does it.
func TestALostCancelIsRepeated(t *testing.T) {
	t.Parallel()
	f := newFleet(t, 1, 1, `{"signalbox":1,"nodes":[
 {"id":"s","key":"start","kind":"manual"},
 {"id":"c","key":"other","kind":"call","config":{"workflow":"Wait"}},
 {"id":"d","key":"free","kind":"call","config":{"workflow":"Wait","wait":false}}],
 "edges":[{"id":"e1","from":"s","port":"success","to":"c"},{"id":"e2","from":"s","port":"success","to":"d"}]}`)
	version := uuid.New()
	f.teach(version, waiting)
	f.callees.Store("Wait", runtime.Target{Workflow: uuid.New(), Version: version, Trigger: "start"})
	s, err := f.start(t.Context(), 0, "", runtime.WaitNone)
	if err != nil {
		t.Fatal(err)
	}
	children := func() (list []*runtime.Record) {
		called, err := f.store.Called(t.Context(), 0, 1, uuid.Nil, 10)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range called {
			rec, err := f.store.Load(t.Context(), c.Run)
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, rec)
		}
		return list
	}
	f.until("two called runs", func() bool { return len(children()) == 2 })
	f.servers[0].stop()
	f.cancelOnDisk(s.Run)
	if n := len(children()); n != 2 {
		t.Fatalf("%d called runs are open, though nobody could cancel one", n)
	}
	f.add(1)
	f.until("one called run", func() bool { return len(children()) == 1 })
	var of struct{ Call string }
	if err := json.Unmarshal(children()[0].Attributes, &of); err != nil || of.Call != "" {
		t.Errorf("the run that should go on by itself is canceled: %+v", of)
	}
}

// cutAfter is the store of a process that dies right after a commit.
type cutAfter struct {
	*mem.Store
	armed atomic.Bool
	die   func()
}

func (s *cutAfter) Commit(ctx context.Context, t *runtime.Turn) error {
	err := s.Store.Commit(ctx, t)
	if s.armed.Load() {
		s.die()
	}
	return err
}

// cancelOnDisk ends a run as an owner does that dies right after its commit.
func (f *fleet) cancelOnDisk(run uuid.UUID) {
	f.t.Helper()
	cut := &cutAfter{Store: f.store}
	e, err := runtime.New(runtime.Config{Store: cut, Ledger: f.store, Callees: f, Channel: local.New(nil), Owner: "dies", Lease: fleetLease})
	if err != nil {
		f.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(f.t.Context())
	done := make(chan error, 1)
	cut.die = cancel
	go func() { done <- e.Run(ctx) }()
	<-e.Ready()
	cut.armed.Store(true)
	_ = e.Cancel(ctx, "main", run, "ada", "") // its sender never hears of it
	if err := <-done; err != nil {
		f.t.Error(err)
	}
	rec, err := f.store.Load(f.t.Context(), run)
	if err != nil || rec.Status != "canceled" {
		f.t.Fatalf("%+v, %v", rec, err)
	}
}
