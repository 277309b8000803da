package runtimetest

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"signalbox/engine/queue"
	"signalbox/engine/runtime"
	"signalbox/engine/task"
)

// Slots is a store that keeps slots.
type Slots interface {
	Store
	runtime.Slots
	SlotsUsed(ctx context.Context) (map[string]int, error)
}

func attempt(run uuid.UUID, n int) task.ID {
	return task.ID{Run: run.String(), Node: "n", Scope: 1, Visit: 2, Attempt: n}
}

func take(t *testing.T, s runtime.Slots, wants ...runtime.Want) []runtime.Grant {
	t.Helper()
	grants, err := s.Take(context.Background(), wants)
	if err != nil || len(grants) != len(wants) {
		t.Fatalf("%d grants: %v", len(grants), err)
	}
	return grants
}

// Slotted is the conformance suite of runtime.Slots.
func Slotted(t *testing.T, open func(*testing.T) Slots) {
	t.Helper()
	t.Run("slots are bounded and come back", func(t *testing.T) { t.Parallel(); testSlotsBounded(t, open(t)) })
	t.Run("a rate is bounded", func(t *testing.T) { t.Parallel(); testSlotsRate(t, open(t)) })
	t.Run("only an owner takes", func(t *testing.T) { t.Parallel(); testSlotsFenced(t, open(t)) })
	t.Run("many at once take no more than there are", func(t *testing.T) { t.Parallel(); testSlotsRace(t, open(t)) })
}

func testSlotsBounded(t *testing.T, s Slots) {
	epoch, run := own(t, s), newID(t)
	need := []queue.Need{{Name: "q", Slots: 2}}
	want := func(n int) runtime.Want {
		return runtime.Want{Shard: 0, Epoch: epoch, ID: attempt(run, n), Needs: need}
	}
	g := take(t, s, want(1), want(2), want(3))
	if !g[0].OK || !g[1].OK || g[2].OK || g[2].Limit != "q" {
		t.Fatalf("granted %+v, want the first two", g)
	}
	if g := take(t, s, want(1)); !g[0].OK {
		t.Error("what has a slot already was refused")
	}
	taken, err := s.Taken(context.Background(), 0)
	if err != nil || len(taken) != 2 || len(taken[attempt(run, 2)]) != 1 || taken[attempt(run, 2)][0] != "q" {
		t.Errorf("taken: %v (%v)", taken, err)
	}
	// The turn that ends an attempt gives its slot back.
	commit(t, s, runtime.Turn{Epoch: epoch, New: []runtime.NewRun{newRun(run, runtime.RunState{Status: "running", Seq: 1})}, Events: log(run, `{}`), Freed: []task.ID{attempt(run, 1)}})
	if g := take(t, s, want(3)); !g[0].OK {
		t.Errorf("the slot did not come back: %+v", g)
	}
	if err := s.Free(context.Background(), []runtime.Want{want(3), want(99), {Epoch: epoch + 1, ID: attempt(run, 2)}}); err != nil {
		t.Fatal(err)
	}
	used, err := s.SlotsUsed(context.Background())
	if err != nil || used["q"] != 1 {
		t.Errorf("%v slots are used (%v), want 1", used, err)
	}
}

func testSlotsRate(t *testing.T, s Slots) {
	epoch, run := own(t, s), newID(t)
	need := []queue.Need{{Name: "r", Rate: 2, Per: time.Hour}, {Name: "other", Slots: 100}}
	var wants []runtime.Want
	for n := range 3 {
		wants = append(wants, runtime.Want{Epoch: epoch, ID: attempt(run, n+1), Needs: need})
	}
	g := take(t, s, wants...)
	if !g[0].OK || !g[1].OK || g[2].OK || g[2].Limit != "r" || g[2].Until.IsZero() {
		t.Fatalf("granted %+v, want the first two and a time", g)
	}
	if err := s.Free(context.Background(), wants[:2]); err != nil {
		t.Fatal(err)
	}
	if g := take(t, s, wants[2]); g[0].OK {
		t.Error("a rate came back with the slot")
	}
	if used, err := s.SlotsUsed(context.Background()); err != nil || used["other"] != 0 {
		t.Errorf("a refused attempt has slots: %v (%v)", used, err)
	}
}

func testSlotsFenced(t *testing.T, s Slots) {
	epoch, run := own(t, s), newID(t)
	need := []queue.Need{{Name: "q", Slots: 2}}
	if g := take(t, s, runtime.Want{Epoch: epoch + 1, ID: attempt(run, 1), Needs: need}, runtime.Want{Shard: 5, Epoch: epoch, ID: attempt(run, 2), Needs: need}); g[0].OK || g[1].OK || g[0].Limit != "" {
		t.Errorf("somebody else took: %+v", g)
	}
}

func testSlotsRace(t *testing.T, s Slots) {
	epoch := own(t, s)
	need := []queue.Need{{Name: "q", Slots: 7}}
	var mu sync.Mutex
	var wg sync.WaitGroup
	got := 0
	for w := range 8 {
		run := newID(t)
		wg.Go(func() {
			for n := range 10 {
				g, err := s.Take(context.Background(), []runtime.Want{{Epoch: epoch, ID: attempt(run, n+1), Needs: need}})
				if err != nil {
					t.Error(fmt.Errorf("taker %d: %w", w, err))
					return
				}
				if g[0].OK {
					mu.Lock()
					got++
					mu.Unlock()
				}
			}
		})
	}
	wg.Wait()
	if used, err := s.SlotsUsed(context.Background()); got != 7 || used["q"] != 7 || err != nil {
		t.Errorf("%d were granted and %v are used (%v), want 7", got, used, err)
	}
}
