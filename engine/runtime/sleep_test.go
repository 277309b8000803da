package runtime_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"

	"signalbox/engine/compile"
	"signalbox/engine/graph"
	"signalbox/engine/mem"
	"signalbox/engine/runtime"
	"signalbox/engine/worker/local"
)

// sleepers is a store with one workflow, which waits for a while.
func sleepers(t *testing.T, nap string) (*mem.Store, uuid.UUID) {
	t.Helper()
	g, err := graph.Decode([]byte(`{"signalbox":1,"nodes":[{"id":"s","key":"start","kind":"manual"},{"id":"w","key":"w","kind":"wait","config":{"duration":"` + nap + `"}}],
		"edges":[{"id":"1","from":"s","port":"success","to":"w"}],"layout":{}}`))
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
	store, version := mem.NewStore(time.Now), uuid.New()
	store.PutMachine(version, raw)
	return store, version
}

// A run that sleeps in the store is loaded because an input came again that
// changes nothing. Its timer still fires. (Found by engine/sim, seed 61.)
func TestAnInputThatChangesNothingLeavesTheTimer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, version := sleepers(t, "4s")
		request := runtime.StartRequest{Workspace: "main", Workflow: uuid.New(), Version: version, Trigger: "start", Source: "test", Key: "one"}
		serve := func(wait runtime.Wait) runtime.Started {
			e, err := runtime.New(runtime.Config{Store: store, Ledger: store, Channel: local.New(nil), Owner: "test"})
			if err != nil {
				t.Fatal(err)
			}
			ctx, stop := context.WithCancel(t.Context())
			over := make(chan error, 1)
			go func() { over <- e.Run(ctx) }()
			// The second engine gets the request before it owns anything: it comes
			// before the run's own timer does.
			request.Wait = wait
			within, cancel := context.WithTimeout(ctx, time.Minute)
			defer cancel()
			s, err := e.Start(within, request)
			if err != nil {
				t.Error(err)
			}
			stop()
			if err := <-over; err != nil {
				t.Error(err)
			}
			return s
		}
		serve(runtime.WaitNone)
		if s := serve(runtime.WaitEnd); s.Answer == nil || s.Answer.Run != "succeeded" {
			t.Errorf("%+v", s.Answer)
		}
	})
}

// slow is a store whose commits take a while.
type slow struct{ *mem.Store }

// Commit implements runtime.Store.
func (s slow) Commit(ctx context.Context, t *runtime.Turn) error {
	time.Sleep(10 * time.Millisecond)
	return s.Store.Commit(ctx, t)
}

// More runs become due at once than fit into the turn that commits and the next
// one. The clock that stays due must not keep the shard from hearing that the
// commit is over: it once turned in a circle here for ever.
func TestManyRunsAreDueAtOnce(t *testing.T) {
	t.Parallel()
	hung := time.AfterFunc(time.Minute, func() { panic("the shard turns in a circle") })
	defer hung.Stop()
	synctest.Test(t, func(t *testing.T) {
		store, version := sleepers(t, "4s")
		e, err := runtime.New(runtime.Config{Store: slow{store}, Ledger: store, Channel: local.New(nil), Owner: "test"})
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		over := make(chan error, 1)
		go func() { over <- e.Run(ctx) }()
		var all sync.WaitGroup
		for range 4 * runtime.TurnMax {
			all.Go(func() {
				s, err := e.Start(ctx, runtime.StartRequest{Workspace: "main", Workflow: uuid.New(), Version: version, Trigger: "start", Source: "test", Wait: runtime.WaitEnd})
				if err != nil || s.Answer == nil || s.Answer.Run != "succeeded" {
					t.Errorf("%+v %v", s, err)
				}
			})
		}
		all.Wait()
		stop()
		if err := <-over; err != nil {
			t.Error(err)
		}
	})
}
