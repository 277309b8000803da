// Package runtimetest is the conformance suite of the runtime's store: every
// adapter passes it.
package runtimetest

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"signalbox/engine/event"
	"signalbox/engine/runtime"
)

// Store is what the suite needs: the store, and a way to put a version into it.
type Store interface {
	runtime.Store
	runtime.Ledger
}

// Run tests one adapter; open returns an empty store.
func Run(t *testing.T, open func(t *testing.T) Store) {
	t.Helper()
	for name, test := range map[string]func(*testing.T, Store){
		"a turn comes back byte for byte":                testRoundTrip,
		"a stale owner writes nothing":                   testFence,
		"a run can be born and over in one turn":         testBornEnded,
		"owed runs are listed in pages":                  testOwed,
		"due runs come earliest first":                   testDue,
		"a lease ends by time, and then the epoch rises": testLease,
		"large values of any size come back":             testPayloads,
		"of twenty claims of one key one wins":           testClaim,
		"what is not there is not found":                 testMissing,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, open(t))
		})
	}
}

const lease = time.Minute

func own(t *testing.T, s Store) int64 {
	t.Helper()
	epoch, err := s.Acquire(context.Background(), 0, "me", lease)
	if err != nil {
		t.Fatal(err)
	}
	return epoch
}

func newID(t *testing.T) uuid.UUID {
	t.Helper()
	id, err := uuid.NewV7()
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func newRun(id uuid.UUID, st runtime.RunState) runtime.NewRun {
	return runtime.NewRun{
		Run: id, Workspace: "main", Workflow: uuid.MustParse("018f0000-0000-7000-8000-00000000000a"), Version: uuid.MustParse("018f0000-0000-7000-8000-00000000000b"),
		Trigger: "start", Source: "test", Test: true, Attributes: json.RawMessage(`{"a": 1}`), RunState: st,
	}
}

var noon = time.Date(2026, 11, 30, 12, 0, 0, 123_000, time.UTC)

func chained(prev [32]byte, seq int, data string) event.Event {
	e := event.Event{Seq: seq, At: noon.Add(time.Duration(seq) * time.Microsecond), Type: "NodeCompleted", Node: "a", Data: json.RawMessage(data)}
	e.Hash = event.Chain(prev, &e)
	return e
}

func commit(t *testing.T, s Store, turn runtime.Turn) {
	t.Helper()
	turn.At = noon
	if err := s.Commit(context.Background(), &turn); err != nil {
		t.Fatal(err)
	}
}

func testRoundTrip(t *testing.T, s Store) {
	epoch, id := own(t, s), newID(t)
	one := chained([32]byte{}, 1, `{"b": 1.50, "a":"\u00e9 <x>", "a b":[ ]}`)
	two := chained(one.Hash, 2, `{"long":"`+string(bytes.Repeat([]byte("x"), 9_000))+`"}`)
	three := chained(two.Hash, 3, `null`)
	state := runtime.RunState{Status: "running", Seq: 2, Owed: true}
	commit(t, s, runtime.Turn{Epoch: epoch, New: []runtime.NewRun{newRun(id, state)}, Events: []runtime.EventRow{{Run: id, Event: one}, {Run: id, Event: two}}})
	state = runtime.RunState{Status: "waiting", Seq: 3, WakeAt: noon.Add(time.Hour)}
	commit(t, s, runtime.Turn{Epoch: epoch, Changed: []runtime.RunChange{{Run: id, RunState: state}}, Events: []runtime.EventRow{{Run: id, Event: three}}})
	rec, err := s.Load(context.Background(), id)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]event.Event{one, two, three}, rec.Events); d != "" {
		t.Errorf("events differ: %s", d)
	}
	if d := cmp.Diff(newRun(id, state), rec.NewRun); d != "" {
		t.Errorf("the row differs: %s", d)
	}
	if rec.LastHash != three.Hash || event.Verify(rec.Events) != nil {
		t.Error("the chain is broken")
	}
}

func testFence(t *testing.T, s Store) {
	epoch, id := own(t, s), newID(t)
	turn := runtime.Turn{At: noon, Epoch: epoch - 1, New: []runtime.NewRun{newRun(id, runtime.RunState{Status: "running"})}, Events: []runtime.EventRow{{Run: id, Event: chained([32]byte{}, 1, `{}`)}}}
	if err := s.Commit(context.Background(), &turn); !errors.Is(err, runtime.ErrFenced) {
		t.Errorf("a stale turn: %v, want a lost fence", err)
	}
	if _, err := s.Load(context.Background(), id); !errors.Is(err, runtime.ErrNotFound) {
		t.Errorf("a stale turn wrote something: %v", err)
	}
	turn.Epoch = epoch
	if err := s.Commit(context.Background(), &turn); err != nil {
		t.Errorf("the owner cannot write after a stranger tried: %v", err)
	}
}

func testBornEnded(t *testing.T, s Store) {
	epoch, id := own(t, s), newID(t)
	st := runtime.RunState{Status: "failed", Seq: 1, EndedAt: noon, Error: "no"}
	commit(t, s, runtime.Turn{Epoch: epoch, New: []runtime.NewRun{newRun(id, st)}, Events: []runtime.EventRow{{Run: id, Event: chained([32]byte{}, 1, `{}`)}}})
	rec, err := s.Load(context.Background(), id)
	if err != nil || !rec.EndedAt.Equal(noon) || rec.Status != "failed" || rec.Error != "no" {
		t.Errorf("%+v %v", rec, err)
	}
}

func testOwed(t *testing.T, s Store) {
	epoch := own(t, s)
	var turn runtime.Turn
	var want []uuid.UUID
	for i := range 25 {
		id := newID(t)
		turn.New = append(turn.New, newRun(id, runtime.RunState{Status: "running", Owed: i%2 == 0}))
		if i%2 == 0 {
			want = append(want, id)
		}
	}
	turn.Epoch = epoch
	commit(t, s, turn)
	var got []uuid.UUID
	for after := uuid.Nil; ; after = got[len(got)-1] {
		page, err := s.Owed(context.Background(), 0, after, 4)
		if err != nil {
			t.Fatal(err)
		}
		if len(page) == 0 {
			break
		}
		got = append(got, page...)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func testDue(t *testing.T, s Store) {
	epoch := own(t, s)
	turn := runtime.Turn{Epoch: epoch}
	ids := []uuid.UUID{newID(t), newID(t), newID(t), newID(t)}
	for i, minutes := range []int{30, 10, 20} {
		turn.New = append(turn.New, newRun(ids[i], runtime.RunState{Status: "waiting", WakeAt: noon.Add(time.Duration(minutes) * time.Minute)}))
	}
	turn.New = append(turn.New, newRun(ids[3], runtime.RunState{Status: "running"}))
	commit(t, s, turn)
	due, next, err := s.Due(context.Background(), 0, noon.Add(25*time.Minute), 10)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]uuid.UUID{ids[1], ids[2]}, due); d != "" || !next.Equal(noon.Add(30*time.Minute)) {
		t.Errorf("%s next %s", d, next)
	}
	if due, next, err = s.Due(context.Background(), 0, noon.Add(25*time.Minute), 1); err != nil || len(due) != 1 || !next.Equal(noon.Add(20*time.Minute)) {
		t.Errorf("%v %s %v", due, next, err)
	}
}

func testLease(t *testing.T, s Store) {
	ctx := context.Background()
	one, err := s.Acquire(ctx, 7, "a", lease)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Acquire(ctx, 7, "b", lease); !errors.Is(err, runtime.ErrFenced) {
		t.Errorf("a second owner: %v", err)
	}
	if again, err := s.Acquire(ctx, 7, "a", lease); err != nil || again != one {
		t.Errorf("renewed: epoch %d %v, want %d", again, err, one)
	}
	if err := s.Release(ctx, 7, "a"); err != nil {
		t.Fatal(err)
	}
	if two, err := s.Acquire(ctx, 7, "b", lease); err != nil || two <= one {
		t.Errorf("taken over: epoch %d %v, want above %d", two, err, one)
	}
}

func testPayloads(t *testing.T, s Store) {
	ctx := context.Background()
	for _, size := range []int{1, 256 << 10, 256<<10 + 1, 1_000_000} {
		data := make([]byte, size)
		_, _ = rand.Read(data)
		for range 2 { // twice is no error
			if err := s.PutPayload(ctx, "main", "d", data); err != nil && size == 1 {
				t.Fatal(err)
			}
		}
		digest := string(rune('a'+size%26)) + "x"
		if err := s.PutPayload(ctx, "main", digest, data); err != nil {
			t.Fatal(err)
		}
		if got, err := s.Payload(ctx, "main", digest); err != nil || !bytes.Equal(got, data) {
			t.Errorf("%d bytes: %d came back, %v", size, len(got), err)
		}
		if _, err := s.Payload(ctx, "other", digest); !errors.Is(err, runtime.ErrNotFound) {
			t.Errorf("another workspace reads it: %v", err)
		}
	}
}

func testClaim(t *testing.T, s Store) {
	var wg sync.WaitGroup
	winners := make([]uuid.UUID, 20)
	for i := range winners {
		id := newID(t)
		wg.Go(func() {
			w, err := s.ClaimStart(context.Background(), "main", "wf/start", "key", id)
			if err != nil {
				t.Error(err)
			}
			winners[i] = w
		})
	}
	wg.Wait()
	for _, w := range winners {
		if w != winners[0] {
			t.Fatalf("two winners: %v", winners)
		}
	}
	other := newID(t)
	if w, err := s.ClaimStart(context.Background(), "main", "wf/start", "another", other); err != nil || w != other {
		t.Errorf("another key: %s %v", w, err)
	}
}

func testMissing(t *testing.T, s Store) {
	ctx, id := context.Background(), newID(t)
	_, err1 := s.Load(ctx, id)
	_, err2 := s.Machine(ctx, id)
	_, err3 := s.Payload(ctx, "main", "nope")
	for _, err := range []error{err1, err2, err3} {
		if !errors.Is(err, runtime.ErrNotFound) {
			t.Errorf("%v, want not found", err)
		}
	}
}
