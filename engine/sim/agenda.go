package sim

import (
	"container/heap"
	"testing/synctest"
	"time"
)

// moment is something that the scheduler will do.
type moment struct {
	at    time.Time
	order int
	what  string
	input bool // it reaches an engine: it may come while a commit is held
	do    func()
}

// moments is a heap (package container/heap), the earliest first.
type moments []moment

func (h moments) Len() int { return len(h) }
func (h moments) Less(i, j int) bool {
	if !h[i].at.Equal(h[j].at) {
		return h[i].at.Before(h[j].at)
	}
	return h[i].order < h[j].order
}
func (h moments) Swap(i, j int) { h[i], h[j] = h[j], h[i] }

// Push implements heap.Interface.
func (h *moments) Push(x any) { *h = append(*h, x.(moment)) } //nolint:forcetypeassert // only moments are pushed

// Pop implements heap.Interface.
func (h *moments) Pop() any {
	old := *h
	m := old[len(old)-1]
	*h = old[:len(old)-1]
	return m
}

// in puts something on the agenda. No two moments share a microsecond: the
// engine dates what happens by microseconds, and what came first must show.
func (w *world) in(d time.Duration, what string, do func()) *moment {
	at := w.now().Add(max(d, 2*time.Microsecond)).Truncate(time.Microsecond)
	for w.taken[at] {
		at = at.Add(time.Microsecond)
	}
	w.taken[at] = true
	w.order++
	m := moment{at: at.Add(137), order: w.order, what: what, do: do}
	heap.Push(&w.agenda, m)
	return &m
}

// toEngine is the same for what reaches an engine.
func (w *world) toEngine(d time.Duration, what string, do func()) {
	w.in(d, what, do)
	for i := range w.agenda {
		if w.agenda[i].order == w.order {
			w.agenda[i].input = true
		}
	}
}

// between draws a time.
func (w *world) between(low, high time.Duration) time.Duration {
	return low + time.Duration(w.rng.Int64N(int64(high-low)))
}

// luck draws whether something happens; none of it after the faults are over.
func (w *world) luck(p float64) bool { return w.rng.Float64() < p && !w.calm }

// burst lets the next inputs come now, one after the other.
func (w *world) burst(n int) {
	for range n {
		next := -1
		for i := range w.agenda {
			if w.agenda[i].input && (next < 0 || w.agenda.Less(i, next)) {
				next = i
			}
		}
		if next < 0 {
			return
		}
		m := w.agenda[next]
		heap.Remove(&w.agenda, next)
		w.happen(m)
		synctest.Wait()
	}
}
