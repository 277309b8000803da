package worker_test

import (
	"context"
	"encoding/json"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"signalbox/engine/task"
	"signalbox/engine/worker"
)

// memory is a witness with a past.
type memory struct {
	deaths int

	mu  sync.Mutex
	log []string
}

func (m *memory) Deaths(id task.ID) int {
	if id.Node == "suspect" {
		return m.deaths
	}
	return 0
}

func (m *memory) Begin(task.ID) int { return m.note("begin") }
func (m *memory) End(int)           { m.note("end") }
func (m *memory) Keep(int)          { m.note("keep") }

func (m *memory) note(what string) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.log = append(m.log, what)
	return 7
}

func (m *memory) said() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]string(nil), m.log...)
}

func suspect(n int) task.Task {
	t := one(n)
	t.Node = "suspect"
	return t
}

func TestWhatKilledTheProgramTooOftenIsNotRun(t *testing.T) {
	t.Parallel()
	for deaths, class := range map[int]string{0: "", 3: "", 7: "", 8: "crash", 200: "crash"} {
		seen := &memory{deaths: deaths}
		var ran atomic.Bool
		b := start(t, worker.Config{Witness: seen}, func(context.Context, worker.Call) (json.RawMessage, error) {
			ran.Store(true)
			return json.RawMessage(`1`), nil
		})
		b.dispatch(suspect(1))
		r := (<-b.results).Result
		b.stop()
		got := ""
		if r.Error != nil {
			got = r.Error.Class
		}
		if got != class || ran.Load() != (class == "") {
			t.Errorf("after %d deaths: %q, run: %v", deaths, got, ran.Load())
		}
		var want []string
		if class == "" {
			want = []string{"begin", "end"}
		}
		if diff := cmp.Diff(want, seen.said()); diff != "" {
			t.Errorf("after %d deaths: %s", deaths, diff)
		}
	}
}

func TestSuspectsRunOneAtATimeBesideTheOthers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var at, most, others atomic.Int32
		b := start(t, worker.Config{Witness: &memory{deaths: 3}}, func(_ context.Context, c worker.Call) (json.RawMessage, error) {
			if c.Task.Node != "suspect" {
				others.Add(1)
				return json.RawMessage(`1`), nil
			}
			most.Store(max(most.Load(), at.Add(1)))
			time.Sleep(time.Minute / 2)
			at.Add(-1)
			return json.RawMessage(`1`), nil
		})
		for n := range 5 {
			b.dispatch(suspect(n))
		}
		for n := range 20 {
			b.dispatch(one(100 + n))
		}
		synctest.Wait()
		if others.Load() != 20 {
			t.Errorf("%d of 20 others have run while suspects wait", others.Load())
		}
		began := time.Now()
		for range 25 {
			if r := (<-b.results).Result; r.Error != nil {
				t.Error(r.Error)
			}
		}
		if most.Load() != 1 {
			t.Errorf("%d suspects at once", most.Load())
		}
		if took := time.Since(began); took != 5*time.Minute/2 {
			t.Errorf("five suspects took %s", took)
		}
		b.stop()
	})
}

func TestSuspectsThatWaitAreGivenBackWhenThePoolStops(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		seen := &memory{deaths: 3}
		b := start(t, worker.Config{Witness: seen, Drain: time.Second}, func(ctx context.Context, _ worker.Call) (json.RawMessage, error) {
			<-ctx.Done()
			return nil, ctx.Err() //nolint:wrapcheck // the pool knows its causes
		})
		b.dispatch(suspect(1), suspect(2))
		synctest.Wait()
		b.stop()
		if diff := cmp.Diff([]string{"begin", "keep"}, seen.said()); diff != "" {
			t.Error(diff)
		}
		if n := b.channel.Held(); n != 2 {
			t.Errorf("%d of 2 tasks are still owed", n)
		}
	})
}
