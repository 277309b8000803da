package runtimetest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"signalbox/engine/event"
	"signalbox/engine/runtime"
)

func testRoundTrip(t *testing.T, s Store) {
	epoch, id := own(t, s), newID(t)
	rows := log(id, `{"b": 1.50, "a":"\u00e9 <x>", "a b":[ ]}`, `{"long":"`+strings.Repeat("x", 9_000)+`"}`, `null`)
	state := runtime.RunState{Status: "running", Seq: 2, Owed: true}
	commit(t, s, runtime.Turn{Epoch: epoch, New: []runtime.NewRun{newRun(id, state)}, Events: rows[:2]})
	state = runtime.RunState{Status: "waiting", Seq: 3, WakeAt: noon.Add(time.Hour)}
	commit(t, s, runtime.Turn{Epoch: epoch, Changed: []runtime.RunChange{{Run: id, RunState: state}}, Events: rows[2:]})
	rec := load(t, s, id)
	if d := cmp.Diff(events(rows), rec.Events); d != "" {
		t.Errorf("events differ: %s", d)
	}
	if d := cmp.Diff(newRun(id, state), rec.NewRun); d != "" {
		t.Errorf("the row differs: %s", d)
	}
	if rec.Snap != nil || rec.Shard != 0 || !rec.CreatedAt.Equal(noon) || rec.CreatedAt.Location() != time.UTC {
		t.Errorf("snapshot %v, shard %d, created at %s", rec.Snap, rec.Shard, rec.CreatedAt)
	}
	if err := event.Verify(rec.Events); err != nil || rec.LastHash != rows[2].Event.Hash {
		t.Errorf("the chain is broken: %v", err)
	}
}

// What a person or a program may write into data, and no store may touch.
func testStrangeData(t *testing.T, s Store) {
	epoch, id := own(t, s), newID(t)
	rows := log(id,
		`{"nul":"\u0000","lone":"\ud800","pair":"\ud83d\ude00","raw":"😀‮"}`,
		`{"a":1,"a":2,"":3,"__proto__":{}}`,
		`{"big":9007199254740993,"huge":1e400,"minus":-0,"exp":1E+2,"tiny":0.10000000000000000000000000001}`,
		" [ 1 ,\n\t2 ] ",
		`"a text"`, `0`, `true`,
		strings.Repeat("[", 512)+strings.Repeat("]", 512),
		`{"sql":"'; drop table runs; --","q":"\\\" {1,2} NULL"}`,
	)
	run := newRun(id, runtime.RunState{Status: "running", Seq: len(rows), Owed: true})
	run.Attributes = json.RawMessage(` {"x":1 , "x":"\u0000"}`)
	commit(t, s, runtime.Turn{Epoch: epoch, New: []runtime.NewRun{run}, Events: rows})
	rec := load(t, s, id)
	if d := cmp.Diff(events(rows), rec.Events); d != "" {
		t.Error(d)
	}
	if string(rec.Attributes) != string(run.Attributes) {
		t.Errorf("attributes %s, want %s", rec.Attributes, run.Attributes)
	}
}

func testNotJSON(t *testing.T, s Store) {
	epoch := own(t, s)
	for _, data := range []string{"", "{", "\"\xff\"", "\"\x00\"", "{} {}"} {
		good, bad := newID(t), newID(t)
		turn := runtime.Turn{
			At: noon, Epoch: epoch, Events: append(log(good, `{}`), log(bad, data)...),
			New: []runtime.NewRun{newRun(good, runtime.RunState{Status: "running", Seq: 1}), newRun(bad, runtime.RunState{Status: "running", Seq: 1})},
		}
		if err := s.Commit(context.Background(), &turn); err == nil || errors.Is(err, runtime.ErrFenced) {
			t.Errorf("%q: %v, want an error", data, err)
		}
		if _, err := s.Load(context.Background(), good); !errors.Is(err, runtime.ErrNotFound) {
			t.Errorf("%q: half of the turn was written: %v", data, err)
		}
	}
}

// A turn has up to 256 inputs, and one input may have any number of events.
func testLargeTurn(t *testing.T, s Store) {
	const runs, events = 600, 4
	epoch := own(t, s)
	turn := runtime.Turn{Epoch: epoch}
	ids := make([]uuid.UUID, runs)
	data := make([]string, events)
	for i := range data {
		data[i] = `{"text":"` + strings.Repeat("é", 2_000) + `"}`
	}
	for i := range ids {
		ids[i] = newID(t)
		turn.New = append(turn.New, newRun(ids[i], runtime.RunState{Status: "running", Seq: events}))
		turn.Events = append(turn.Events, log(ids[i], data...)...)
	}
	commit(t, s, turn)
	for _, id := range []uuid.UUID{ids[0], ids[runs/2], ids[runs-1]} {
		if rec := load(t, s, id); len(rec.Events) != events || event.Verify(rec.Events) != nil {
			t.Errorf("%d events: %v", len(rec.Events), event.Verify(rec.Events))
		}
	}
	small := newID(t) // the next turn has nothing of the large one
	commit(t, s, runtime.Turn{Epoch: epoch, New: []runtime.NewRun{newRun(small, runtime.RunState{Status: "running", Seq: 1})}, Events: log(small, `{}`)})
	if rec := load(t, s, small); len(rec.Events) != 1 {
		t.Errorf("%d events, want 1", len(rec.Events))
	}
}

func testFence(t *testing.T, s Store) {
	epoch, there, id := own(t, s), newID(t), newID(t)
	rows := log(there, `{}`, `{}`)
	before := runtime.RunState{Status: "running", Seq: 1, Owed: true}
	commit(t, s, runtime.Turn{Epoch: epoch, New: []runtime.NewRun{newRun(there, before)}, Events: rows[:1]})
	turn := runtime.Turn{
		At: noon, New: []runtime.NewRun{newRun(id, runtime.RunState{Status: "running", Seq: 1})}, Events: append(log(id, `{}`), rows[1]),
		Changed: []runtime.RunChange{{Run: there, RunState: runtime.RunState{Status: "succeeded", Seq: 2, EndedAt: noon}}},
		Snaps:   []runtime.Snap{{Run: there, Seq: 2, Format: runtime.SnapFormat, Data: []byte("x")}},
	}
	for _, stale := range []struct {
		shard int
		epoch int64
	}{{0, epoch - 1}, {0, epoch + 1}, {1, epoch}} {
		turn.Shard, turn.Epoch = stale.shard, stale.epoch
		if err := s.Commit(context.Background(), &turn); !errors.Is(err, runtime.ErrFenced) {
			t.Errorf("a turn of %+v: %v, want a lost fence", stale, err)
		}
	}
	if _, err := s.Load(context.Background(), id); !errors.Is(err, runtime.ErrNotFound) {
		t.Errorf("a stale turn made a run: %v", err)
	}
	rec := load(t, s, there)
	if d := cmp.Diff(newRun(there, before), rec.NewRun); d != "" || len(rec.Events) != 1 || rec.Snap != nil {
		t.Errorf("a stale turn changed a run: %s, %d events, snapshot %v", d, len(rec.Events), rec.Snap)
	}
	turn.Shard, turn.Epoch = 0, epoch
	if err := s.Commit(context.Background(), &turn); err != nil {
		t.Errorf("the owner cannot write after a stranger tried: %v", err)
	}
}

// A paused owner that goes on writing has written everything that it ever
// will by the moment at which the new owner has the shard.
func testTakeover(t *testing.T, s Store) {
	ctx := context.Background()
	old := acquire(t, s, 0, "old", expired)
	var mu sync.Mutex
	var ids []uuid.UUID
	begun, stopped := make(chan struct{}), make(chan error, 1)
	go func() {
		for i := 0; ; i++ {
			id, err := uuid.NewV7()
			if err != nil {
				stopped <- err
				return
			}
			mu.Lock()
			ids = append(ids, id)
			mu.Unlock()
			err = s.Commit(ctx, &runtime.Turn{At: noon, Epoch: old, New: []runtime.NewRun{newRun(id, runtime.RunState{Status: "running", Seq: 1})}, Events: log(id, `{}`)})
			if err != nil {
				stopped <- err
				return
			}
			if i == 20 {
				close(begun)
			}
		}
	}()
	select {
	case <-begun:
	case err := <-stopped:
		t.Fatalf("the owner cannot write: %v", err)
	}
	if epoch := acquire(t, s, 0, "new", lease); epoch <= old {
		t.Errorf("epoch %d, want above %d", epoch, old)
	}
	mu.Lock()
	known := slices.Clone(ids)
	mu.Unlock()
	there := make([]bool, len(known))
	for i, id := range known {
		_, err := s.Load(ctx, id)
		there[i] = err == nil
	}
	if err := <-stopped; !errors.Is(err, runtime.ErrFenced) {
		t.Errorf("the former owner was stopped by %v, want a lost fence", err)
	}
	for i, id := range ids {
		_, err := s.Load(ctx, id)
		if now := err == nil; now && (i >= len(known) || !there[i]) {
			t.Errorf("turn %d of %d of the former owner came after the takeover", i, len(ids))
		}
	}
}

func testBornEnded(t *testing.T, s Store) {
	epoch, id := own(t, s), newID(t)
	st := runtime.RunState{Status: "failed", Seq: 1, EndedAt: noon, Error: "no"}
	commit(t, s, runtime.Turn{Epoch: epoch, New: []runtime.NewRun{newRun(id, st)}, Events: log(id, `{}`)})
	if d := cmp.Diff(newRun(id, st), load(t, s, id).NewRun); d != "" {
		t.Error(d)
	}
}

func testTakenNumber(t *testing.T, s Store) {
	epoch, id, other := own(t, s), newID(t), newID(t)
	commit(t, s, runtime.Turn{Epoch: epoch, New: []runtime.NewRun{newRun(id, runtime.RunState{Status: "running", Seq: 1})}, Events: log(id, `1`)})
	turn := runtime.Turn{At: noon, Epoch: epoch, New: []runtime.NewRun{newRun(other, runtime.RunState{Status: "running", Seq: 1})}, Events: append(log(other, `2`), log(id, `3`)...)}
	if err := s.Commit(context.Background(), &turn); err == nil || errors.Is(err, runtime.ErrFenced) {
		t.Errorf("event 1 a second time: %v, want an error of its own", err)
	}
	if _, err := s.Load(context.Background(), other); !errors.Is(err, runtime.ErrNotFound) {
		t.Errorf("half of the turn was written: %v", err)
	}
	if rec := load(t, s, id); len(rec.Events) != 1 || string(rec.Events[0].Data) != "1" {
		t.Errorf("the log was changed: %+v", rec.Events)
	}
	again := runtime.Turn{At: noon, Epoch: epoch, New: []runtime.NewRun{newRun(id, runtime.RunState{Status: "failed"})}}
	if err := s.Commit(context.Background(), &again); err == nil {
		t.Error("a run was born twice")
	}
	commit(t, s, runtime.Turn{Epoch: epoch, New: turn.New, Events: turn.Events[:1]})
}

func testHole(t *testing.T, s Store) {
	epoch, id := own(t, s), newID(t)
	rows := log(id, `1`, `2`, `3`)
	turn := runtime.Turn{At: noon, Epoch: epoch, New: []runtime.NewRun{newRun(id, runtime.RunState{Status: "running", Seq: 3})}, Events: []runtime.EventRow{rows[0], rows[2]}}
	if err := s.Commit(context.Background(), &turn); err != nil {
		return // refused at once
	}
	if rec, err := s.Load(context.Background(), id); err == nil {
		t.Errorf("%d events of a log with a hole", len(rec.Events))
	}
}

func testChangeOnly(t *testing.T, s Store) {
	epoch, id := own(t, s), newID(t)
	rows := log(id, `1`)
	commit(t, s, runtime.Turn{Epoch: epoch, New: []runtime.NewRun{newRun(id, runtime.RunState{Status: "waiting", Seq: 1, WakeAt: noon.Add(time.Hour)})}, Events: rows})
	state := runtime.RunState{Status: "running", Seq: 1}
	commit(t, s, runtime.Turn{Epoch: epoch, Changed: []runtime.RunChange{{Run: id, RunState: state}}})
	rec := load(t, s, id)
	if d := cmp.Diff(newRun(id, state), rec.NewRun); d != "" || len(rec.Events) != 1 {
		t.Errorf("%s, %d events", d, len(rec.Events))
	}
}

func testSnapshot(t *testing.T, s Store) {
	epoch, id := own(t, s), newID(t)
	rows := log(id, `1`, `2`, `3`, `4`)
	snap := func(seq int) []runtime.Snap {
		return []runtime.Snap{{Run: id, Seq: seq, Format: runtime.SnapFormat, Data: fmt.Appendf(nil, "state\x00 at %d", seq)}}
	}
	check := func(at, last int) {
		t.Helper()
		rec := load(t, s, id)
		if d := cmp.Diff(&snap(at)[0], rec.Snap); d != "" {
			t.Errorf("the snapshot at %d: %s", at, d)
		}
		if d := cmp.Diff(events(rows[at:last]), rec.Events); d != "" {
			t.Errorf("the events behind %d: %s", at, d)
		}
		if rec.LastHash != rows[last-1].Event.Hash {
			t.Errorf("with the snapshot at %d of %d the last hash is another", at, last)
		}
	}
	state := runtime.RunState{Status: "running", Seq: 1}
	commit(t, s, runtime.Turn{Epoch: epoch, New: []runtime.NewRun{newRun(id, state)}, Events: rows[:2], Snaps: snap(2)})
	check(2, 2)
	commit(t, s, runtime.Turn{Epoch: epoch, Events: rows[2:3]})
	check(2, 3)
	commit(t, s, runtime.Turn{Epoch: epoch, Events: rows[3:], Snaps: snap(3)})
	check(3, 4)
	commit(t, s, runtime.Turn{Epoch: epoch, Snaps: snap(1)}) // an older one changes nothing
	check(3, 4)
	newer := snap(4)
	newer[0].Format++
	commit(t, s, runtime.Turn{Epoch: epoch, Snaps: newer})
	if rec := load(t, s, id); rec.Snap != nil || len(rec.Events) != 4 {
		t.Errorf("a snapshot of another format is taken: %v, with %d events", rec.Snap, len(rec.Events))
	}
}

func testSentence(t *testing.T, s Store) {
	epoch, one, two := own(t, s), newID(t), newID(t)
	commit(t, s, runtime.Turn{
		Epoch:  epoch,
		New:    []runtime.NewRun{newRun(one, runtime.RunState{Status: "running", Seq: 1}), newRun(two, runtime.RunState{Status: "failed", Seq: 1, EndedAt: noon, Error: "a\x00b"})},
		Events: append(log(one, `{}`), log(two, `{}`)...),
	})
	commit(t, s, runtime.Turn{Epoch: epoch, Changed: []runtime.RunChange{{Run: one, RunState: runtime.RunState{Status: "failed", Seq: 1, EndedAt: noon, Error: "c\xff d"}}}})
	if got := load(t, s, two).Error; got != "ab" {
		t.Errorf("got %q", got)
	}
	if got := load(t, s, one).Error; got != "c\uFFFD d" {
		t.Errorf("got %q", got)
	}
}
