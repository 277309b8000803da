package pg_test

import (
	"context"
	"encoding/json"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"signalbox/engine/event"
	"signalbox/engine/runtime"
	"signalbox/engine/watch"
	"signalbox/engine/worker"
	"signalbox/engine/worker/action"
	"signalbox/engine/worker/local"
)

// A run that failed goes on as a new one, in a real database: what is shared
// stays byte for byte, also a value that is stored apart, and the step that
// failed is tried again.
func TestForkGoesOn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, `{"signalbox":1,"nodes":[{"id":"s","key":"start","kind":"manual"},
		{"id":"a","key":"a","kind":"mock"},{"id":"b","key":"b","kind":"mock","config":{"answer":"=size(input)"},"retry":{"max_attempts":1}}],
		"edges":[{"id":"1","from":"s","port":"success","to":"a"},{"id":"2","from":"a","port":"success","to":"b"}],"layout":{}}`)
	old := aged(time.Hour)
	large := sized(50_000)
	if end := w.play(t, old, `{}`, func(node string, visit int) json.RawMessage {
		if node == "a" {
			return large(node, visit)
		}
		return nil
	}); end.Status != "failed" {
		t.Fatalf("%+v", end)
	}
	if err := w.store.Release(context.Background(), 0, "me"); err != nil {
		t.Fatal(err)
	}
	over := make(chan struct{}, 1)
	ch := local.New(func(watch.Frame) {
		select {
		case over <- struct{}{}:
		default:
		}
	})
	pool, err := worker.New(worker.Config{Source: ch, Actions: map[string]worker.Action{"mock": action.Mock{}}, Payloads: w.store, Name: "w"})
	if err != nil {
		t.Fatal(err)
	}
	engine, err := runtime.New(runtime.Config{Store: w.store, Ledger: w.store, Channel: ch, Owner: "engine"})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	var running sync.WaitGroup
	running.Go(func() { _ = engine.Run(ctx) })
	running.Go(func() { _ = pool.Run(ctx) })
	t.Cleanup(func() { cancel(); running.Wait() })
	<-engine.Ready()

	s, err := engine.Fork(ctx, runtime.ForkRequest{Workspace: "main", Run: old, Source: "retry"})
	if err != nil {
		t.Fatal(err)
	}
	for {
		r, err := w.history.Run(ctx, "main", s.Run)
		if err != nil {
			t.Fatal(err)
		}
		if !r.EndedAt.IsZero() {
			if r.Status != "succeeded" || r.ForkedFrom != old || r.ForkedAt != 4 || r.Source != "retry" {
				t.Errorf("%+v", r)
			}
			break
		}
		select {
		case <-over:
		case <-ctx.Done():
			t.Fatal("the fork never ended")
		}
	}
	if got, err := w.history.Result(ctx, "main", s.Run); err != nil || string(got) != "49998" {
		t.Errorf("result %s (%v)", got, err)
	}
	rec, err := w.store.Load(ctx, s.Run)
	if err != nil || event.Verify(rec.Events) != nil {
		t.Errorf("%v %v", err, event.Verify(rec.Events))
	}
	rows, whole, err := w.history.Compare(ctx, "main", old, s.Run)
	if err != nil || !whole || len(rows) != 3 {
		t.Fatalf("%d rows (%v)", len(rows), err)
	}
	for i, same := range []bool{true, true, false} {
		if rows[i].SameWay() != same || rows[i].SameData() != same {
			t.Errorf("%s: same way %v, same data %v", rows[i].Node, rows[i].SameWay(), rows[i].SameData())
		}
	}
	if _, _, err := w.history.Compare(ctx, "other", old, s.Run); err == nil {
		t.Error("another workspace compares the runs")
	}
	list, err := w.history.Forks(ctx, "main", old)
	if err != nil || len(list) != 1 || list[0].ID != s.Run {
		t.Errorf("forks %+v (%v)", list, err)
	}
	if list, err := w.history.Forks(ctx, "main", s.Run); err != nil || len(list) != 0 {
		t.Errorf("forks of the fork %+v (%v)", list, err)
	}
	if r, err := w.history.Run(ctx, "main", old); err != nil || r.ForkedFrom != uuid.Nil || r.ForkedAt != 0 {
		t.Errorf("%+v %v", r, err)
	}
}
