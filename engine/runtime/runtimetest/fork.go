package runtimetest

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"signalbox/engine/event"
	"signalbox/engine/runtime"
)

// behind makes an event that follows others.
func behind(before []event.Event, data string) event.Event {
	var hash [32]byte
	if len(before) > 0 {
		hash = before[len(before)-1].Hash
	}
	e := event.Event{Seq: len(before) + 1, At: noon.Add(time.Hour), Type: "NodeCompleted", Node: "n", Data: []byte(data)}
	e.Hash = event.Chain(hash, &e)
	return e
}

func testFork(t *testing.T, s Store) {
	epoch, from, to := own(t, s), newID(t), newID(t)
	rows := log(from, `{"a":1}`, `{"b" : 2}`, `{"c":3}`)
	commit(t, s, runtime.Turn{Epoch: epoch, New: []runtime.NewRun{newRun(from, runtime.RunState{Status: "failed", Seq: 3, EndedAt: noon})}, Events: rows})
	shared := events(rows)[:2]
	state := runtime.RunState{Status: "running", Seq: 3, Owed: true, WakeAt: noon.Add(time.Hour)}
	f := &runtime.Fork{New: newRun(to, state), Shard: 3, At: noon.Add(time.Hour), From: from, Point: 2, Shared: 2, Events: []event.Event{behind(shared, `{"new":true}`)}}
	if err := s.Fork(context.Background(), f); err != nil {
		t.Fatal(err)
	}
	rec := load(t, s, to)
	if d := cmp.Diff(append(shared, f.Events...), rec.Events); d != "" {
		t.Errorf("events differ: %s", d)
	}
	if d := cmp.Diff(newRun(to, state), rec.NewRun); d != "" {
		t.Errorf("the row differs: %s", d)
	}
	if err := event.Verify(rec.Events); err != nil || rec.LastHash != f.Events[0].Hash || rec.Shard != 3 || !rec.CreatedAt.Equal(f.At) {
		t.Errorf("shard %d, created at %s, chain: %v", rec.Shard, rec.CreatedAt, err)
	}
	if d := cmp.Diff(events(rows), load(t, s, from).Events); d != "" {
		t.Errorf("the first run changed: %s", d)
	}
	for _, list := range []struct{ limit, want int }{{2, 2}, {10, 3}} {
		got, err := s.Beginning(context.Background(), from, list.limit)
		if d := cmp.Diff(events(rows)[:list.want], got); d != "" || err != nil {
			t.Errorf("the first %d events: %v %s", list.limit, err, d)
		}
	}
	if owed, err := s.Owed(context.Background(), 3, uuid.Nil, 10); err != nil || len(owed) != 1 || owed[0] != to {
		t.Errorf("owed runs %v (%v), want the fork", owed, err)
	}
	if due, _, err := s.Due(context.Background(), 3, noon.Add(2*time.Hour), 10); err != nil || len(due) != 1 || due[0] != to {
		t.Errorf("due runs %v (%v), want the fork", due, err)
	}
}

func testForkRefused(t *testing.T, s Store) {
	epoch, from := own(t, s), newID(t)
	rows := log(from, `{}`, `{}`)
	commit(t, s, runtime.Turn{Epoch: epoch, New: []runtime.NewRun{newRun(from, runtime.RunState{Status: "failed", Seq: 2, EndedAt: noon})}, Events: rows})
	list := events(rows)
	state := runtime.RunState{Status: "running", Seq: 3, Owed: true}
	for name, f := range map[string]*runtime.Fork{
		"it shares more than there is": {From: from, Shared: 3},
		"it leaves a hole":             {From: from, Shared: 1, Events: []event.Event{behind(list, `{}`)}},
		"it began as nothing":          {From: newID(t), Shared: 1},
	} {
		f.New, f.At, f.Point = newRun(newID(t), state), noon, 1
		if err := s.Fork(context.Background(), f); err == nil {
			t.Errorf("%s: it was written", name)
		}
		if _, err := s.Load(context.Background(), f.New.Run); !errors.Is(err, runtime.ErrNotFound) {
			t.Errorf("%s: half of it was written: %v", name, err)
		}
	}
	if none, err := s.Beginning(context.Background(), newID(t), 5); err != nil || len(none) != 0 {
		t.Errorf("%d events of a run that is not there (%v)", len(none), err)
	}
}
