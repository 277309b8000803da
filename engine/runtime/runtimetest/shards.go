package runtimetest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"signalbox/engine/runtime"
)

func testOwed(t *testing.T, s Store) {
	epoch := own(t, s)
	turn := runtime.Turn{Epoch: epoch}
	var want []uuid.UUID
	for i := range 25 {
		id := newID(t)
		turn.New = append(turn.New, newRun(id, runtime.RunState{Status: "running", Owed: i%2 == 0}))
		if i%2 == 0 {
			want = append(want, id)
		}
	}
	commit(t, s, turn)
	stranger := newID(t)
	commit(t, s, runtime.Turn{Shard: 1, Epoch: acquire(t, s, 1, "me", lease), New: []runtime.NewRun{newRun(stranger, runtime.RunState{Status: "running", Owed: true})}})
	commit(t, s, runtime.Turn{Epoch: epoch, Changed: []runtime.RunChange{{Run: want[3], RunState: runtime.RunState{Status: "running"}}}})
	want = append(want[:3:3], want[4:]...) // paid
	var got []uuid.UUID
	for after := uuid.Nil; ; after = got[len(got)-1] {
		page, err := s.Owed(context.Background(), 0, after, 4)
		if err != nil {
			t.Fatal(err)
		}
		if len(page) > 4 {
			t.Fatalf("a page of %d", len(page))
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
	at := func(minutes int) time.Time { return noon.Add(time.Duration(minutes) * time.Minute) }
	ids := []uuid.UUID{newID(t), newID(t), newID(t), newID(t)}
	turn := runtime.Turn{Epoch: epoch}
	for i, minutes := range []int{30, 10, 20} {
		turn.New = append(turn.New, newRun(ids[i], runtime.RunState{Status: "waiting", WakeAt: at(minutes)}))
	}
	turn.New = append(turn.New, newRun(ids[3], runtime.RunState{Status: "running"}))
	commit(t, s, turn)
	commit(t, s, runtime.Turn{Shard: 1, Epoch: acquire(t, s, 1, "me", lease), New: []runtime.NewRun{newRun(newID(t), runtime.RunState{Status: "waiting", WakeAt: at(5)})}})
	check := func(before, limit int, next time.Time, want ...uuid.UUID) {
		t.Helper()
		due, then, err := s.Due(context.Background(), 0, at(before), limit)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, due); d != "" || !then.Equal(next) {
			t.Errorf("before %d, at most %d: next %s, want %s; %s", before, limit, then, next, d)
		}
	}
	check(25, 10, at(30), ids[1], ids[2])
	check(25, 1, at(20), ids[1])
	check(5, 10, at(10))
	check(20, 10, at(20), ids[1])
	check(60, 10, time.Time{}, ids[1], ids[2], ids[0])
	check(60, 3, time.Time{}, ids[1], ids[2], ids[0])
	commit(t, s, runtime.Turn{Epoch: epoch, Changed: []runtime.RunChange{{Run: ids[1], RunState: runtime.RunState{Status: "succeeded", EndedAt: noon}}}})
	check(25, 10, at(30), ids[2])
}

func testLease(t *testing.T, s Store) {
	ctx := context.Background()
	one := acquire(t, s, 7, "a", lease)
	if one <= 0 {
		t.Errorf("the first epoch is %d", one)
	}
	if _, err := s.Acquire(ctx, 7, "b", lease); !errors.Is(err, runtime.ErrFenced) {
		t.Errorf("a second owner: %v", err)
	}
	if again := acquire(t, s, 7, "a", lease); again != one {
		t.Errorf("renewed: epoch %d, want %d", again, one)
	}
	if err := s.Release(ctx, 7, "b"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Acquire(ctx, 7, "b", lease); !errors.Is(err, runtime.ErrFenced) {
		t.Errorf("a stranger gave the shard up: %v", err)
	}
	if err := s.Release(ctx, 7, "a"); err != nil {
		t.Fatal(err)
	}
	if two := acquire(t, s, 7, "b", lease); two <= one {
		t.Errorf("taken over: epoch %d, want above %d", two, one)
	}
	if err := s.Release(ctx, 8, "nobody"); err != nil {
		t.Errorf("a shard that nobody had: %v", err)
	}
}

func testExpiry(t *testing.T, s Store) {
	ctx := context.Background()
	one := acquire(t, s, 0, "a", expired)
	two := acquire(t, s, 0, "b", lease)
	if two <= one {
		t.Errorf("taken over: epoch %d, want above %d", two, one)
	}
	if _, err := s.Acquire(ctx, 0, "a", lease); !errors.Is(err, runtime.ErrFenced) {
		t.Errorf("the former owner renewed a lease that is another's: %v", err)
	}
	id := newID(t)
	late := runtime.Turn{At: noon, Epoch: one, New: []runtime.NewRun{newRun(id, runtime.RunState{Status: "running"})}}
	if err := s.Commit(ctx, &late); !errors.Is(err, runtime.ErrFenced) {
		t.Errorf("the former owner's turn: %v, want a lost fence", err)
	}
	late.Epoch = two
	commit(t, s, late)
}

func testContest(t *testing.T, s Store) {
	acquire(t, s, 0, "gone", expired)
	var mu sync.Mutex
	var owners []string
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			name := fmt.Sprint("owner ", i)
			_, err := s.Acquire(context.Background(), 0, name, lease)
			switch {
			case err == nil:
				mu.Lock()
				owners = append(owners, name)
				mu.Unlock()
			case !errors.Is(err, runtime.ErrFenced):
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if len(owners) != 1 {
		t.Errorf("%d own one shard: %v", len(owners), owners)
	}
}

func beat(t *testing.T, s Store, server string, able bool, lease time.Duration) runtime.Roster {
	t.Helper()
	r, err := s.Beat(context.Background(), server, able, lease)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func testBeat(t *testing.T, s Store) {
	ctx := context.Background()
	beat(t, s, "a", true, lease)
	beat(t, s, "b", false, lease)
	one, two := acquire(t, s, 1, "a", lease), acquire(t, s, 2, "b", lease)
	check := func(when string, r runtime.Roster, servers []runtime.Member, owners map[int]runtime.Holding) {
		t.Helper()
		for i := range r.Servers {
			if left := r.Servers[i].Left; left <= 0 || left > lease {
				t.Errorf("%s: %s lives for %s", when, r.Servers[i].Server, left)
			}
			r.Servers[i].Left = 0
		}
		if d := cmp.Diff(servers, r.Servers); d != "" {
			t.Errorf("%s: %s", when, d)
		}
		if d := cmp.Diff(owners, r.Owners); d != "" {
			t.Errorf("%s: %s", when, d)
		}
	}
	a, b := runtime.Holding{Server: "a", Epoch: one}, runtime.Holding{Server: "b", Epoch: two}
	both := []runtime.Member{{Server: "a", Able: true}, {Server: "b"}}
	check("both", beat(t, s, "a", true, lease), both, map[int]runtime.Holding{1: a, 2: b})
	beat(t, s, "b", true, expired)
	check("b is silent", beat(t, s, "a", true, lease), both[:1], map[int]runtime.Holding{1: a})
	beat(t, s, "b", false, lease)
	check("b is back, and nobody wanted its shard", beat(t, s, "a", true, lease), both, map[int]runtime.Holding{1: a, 2: b})
	if err := s.Release(ctx, 2, "b"); err != nil {
		t.Fatal(err)
	}
	check("b gave its shard up", beat(t, s, "a", true, lease), both, map[int]runtime.Holding{1: a})
	if err := s.Leave(ctx, "b"); err != nil {
		t.Fatal(err)
	}
	check("b has left", beat(t, s, "a", true, lease), both[:1], map[int]runtime.Holding{1: a})
	if err := s.Leave(ctx, "b"); err != nil {
		t.Errorf("it leaves twice: %v", err)
	}
}

func testCalled(t *testing.T, s Store) {
	epoch := own(t, s)
	called := func(parent uuid.UUID, source string, end time.Time) uuid.UUID {
		t.Helper()
		r := newRun(newID(t), runtime.RunState{Status: "running", EndedAt: end})
		r.Source, r.Attributes = source, json.RawMessage(fmt.Sprintf(`{"parent":%q,"depth":1}`, parent))
		commit(t, s, runtime.Turn{Epoch: epoch, New: []runtime.NewRun{r}})
		return r.Run
	}
	const shards = 4
	var parents [shards]uuid.UUID // one of each shard
	for n := range parents {
		for parents[n] == uuid.Nil || runtime.ShardOf(parents[n], shards) != n {
			parents[n] = newID(t)
		}
	}
	var want []uuid.UUID
	for range 3 {
		want = append(want, called(parents[2], "call", time.Time{}))
		called(parents[1], "call", time.Time{})
	}
	called(parents[2], "call", noon)       // it is over
	called(parents[2], "api", time.Time{}) // it began as one that was called
	var got []uuid.UUID
	for after := uuid.Nil; ; after = got[len(got)-1] {
		page, err := s.Called(context.Background(), 2, shards, after, 2)
		if err != nil {
			t.Fatal(err)
		}
		if len(page) == 0 {
			break
		}
		for _, c := range page {
			if c.Workspace != "main" || len(c.Attributes) == 0 {
				t.Errorf("%+v", c)
			}
			got = append(got, c.Run)
		}
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}
