package runtime

import (
	"bytes"
	"container/heap"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"

	"signalbox/engine/machine"
	"signalbox/engine/mutant"
	"signalbox/engine/task"
)

// loop takes turns. While one turn commits the next is computed; when a commit
// fails, both are thrown away, every state in memory is forgotten, and their
// inputs come again: an input that did arrive changes nothing the second time.
func (s *shard) loop(ctx context.Context) error { //nolint:funlen // two turns at once are easier to follow in one place
	commits, done := make(chan *batch), make(chan error, 1)
	defer close(commits)
	go func() {
		for b := range commits {
			done <- s.commit(ctx, b)
		}
	}()
	next, spare := newBatch(), newBatch()
	var cur *batch
	again := s.retry
	s.retry = nil
	for _, j := range again {
		s.apply(ctx, next, j)
	}
	for {
		if cur == nil { //nolint:nestif // the same
			if err := s.quiet(ctx, next); err != nil {
				return s.fail(err, next)
			}
			if next.n > 0 {
				s.drainInto(ctx, next)
			}
			if s.fault != nil {
				return s.fail(s.fault, next)
			}
			if next.n > 0 && next.n <= inlineMax && len(s.inbox) == 0 {
				if err := s.inline(ctx, next); err != nil {
					return s.fail(err, next)
				}
				continue
			}
			if next.n > 0 {
				s.seal(next)
				cur, next = next, spare
				next.reset()
				commits <- cur
			}
		}
		inbox, clock := s.inbox, s.clock.C
		if next.n >= TurnMax || s.fault != nil {
			// The turn takes no more: a clock that is due would ring without end,
			// and the commit under way would never be heard of.
			inbox, clock = nil, nil
		}
		if ctx.Err() != nil { // the end comes before everything
			return s.last(ctx, cur, next, done)
		}
		select { // what was lost and what is due by now come before what comes
		case <-s.lost:
			s.redo = true
			continue
		default:
		}
		select {
		case <-clock:
			s.wake(ctx, next)
			continue
		default:
		}
		select {
		case j := <-inbox:
			s.apply(ctx, next, j)
			s.drainInto(ctx, next)
		case <-clock:
			s.wake(ctx, next)
		case <-s.lost:
			s.redo = true
		case err := <-done:
			if err != nil {
				return s.fail(err, cur, next)
			}
			finished := cur
			cur = nil
			if next.n > 0 && s.fault == nil { // keep Postgres busy first
				s.drainInto(ctx, next)
			}
			if next.n > 0 && s.fault == nil {
				s.seal(next)
				cur = next
				commits <- cur
				s.finish(ctx, finished)
				next = finished
				next.reset()
			} else {
				s.finish(ctx, finished)
				spare = finished
			}
		case <-ctx.Done():
			return s.last(ctx, cur, next, done)
		}
	}
}

// inline commits a turn without a hand-over.
func (s *shard) inline(ctx context.Context, b *batch) error {
	s.seal(b)
	if err := s.commit(ctx, b); err != nil {
		return err
	}
	s.finish(ctx, b)
	b.reset()
	return nil
}

// quiet does what must not see a state that is not on disk: tasks are handed
// out again, and runs that were put aside are loaded anew.
func (s *shard) quiet(ctx context.Context, b *batch) error {
	if !s.redo && !s.silent && len(s.broken) == 0 {
		return nil
	}
	if b.n > 0 {
		if err := s.inline(ctx, b); err != nil {
			return err
		}
	}
	if s.redo {
		s.redo = false
		if err := s.recoverOwed(ctx); err != nil {
			return err
		}
		if !s.missed {
			s.gate.settle(s)
		}
	}
	if s.silent {
		s.silent = false
		s.remind()
	}
	s.repair(ctx, b)
	return nil
}

// last ends the loop in order: what is under way is committed.
func (s *shard) last(ctx context.Context, cur, next *batch, done chan error) error {
	stopping := context.WithoutCancel(ctx)
	if cur != nil {
		if err := <-done; err != nil {
			return s.fail(err, cur, next)
		}
		s.finish(stopping, cur)
	}
	if next.n > 0 && !errors.Is(context.Cause(ctx), ErrFenced) {
		s.seal(next)
		if err := s.commit(stopping, next); err != nil {
			return s.fail(err, next)
		}
		s.finish(stopping, next)
		return nil
	}
	return s.fail(nil, next)
}

// fail keeps the inputs of turns that were not, or perhaps not, written.
func (s *shard) fail(err error, turns ...*batch) error {
	var again []*job
	for _, b := range turns {
		if b == nil {
			continue
		}
		for _, j := range b.jobs {
			j.fresh = false // it may be there by now
			again = append(again, j)
		}
		for _, w := range b.woken {
			if !slices.Contains(s.waiters[w.job.run], w.job) {
				s.waiters[w.job.run] = append(s.waiters[w.job.run], w.job)
			}
		}
	}
	s.retry = slices.Concat(again, s.deferred, s.retry)
	s.deferred = nil
	for _, run := range inOrder(s.waiters) { // one of them may have its answer on disk already
		s.retry = append(s.retry, &job{run: run, input: machine.Wake{}})
	}
	return err
}

// inOrder lists runs in the same order every time, so that a simulation that is
// played again goes the same way.
func inOrder[V any](runs map[uuid.UUID]V) []uuid.UUID {
	return slices.SortedFunc(maps.Keys(runs), func(a, b uuid.UUID) int { return bytes.Compare(a[:], b[:]) })
}

// drainInto moves waiting inputs into the turn without blocking.
func (s *shard) drainInto(ctx context.Context, b *batch) {
	for b.n < TurnMax && s.fault == nil {
		select {
		case j := <-s.inbox:
			s.apply(ctx, b, j)
		default:
			return
		}
	}
}

// commit writes the turn: large values first, so that no event ever names a
// value that is not there.
func (s *shard) commit(ctx context.Context, b *batch) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), commitMax)
	defer cancel()
	for _, p := range b.payloads {
		if err := s.cfg.Store.PutPayload(ctx, p.workspace, p.digest, p.data); err != nil {
			return fmt.Errorf("store a large value: %w", err)
		}
	}
	empty := len(b.turn.Events) == 0 && len(b.turn.New) == 0 && len(b.turn.Changed) == 0
	if empty && (len(b.held)+len(b.woken) == 0 || s.tenure.sure(s.cfg.Now()) && s.life.Err() == nil) {
		return nil // else only the store knows whether what is answered from memory is still true
	}
	began := s.cfg.Now()
	if err := s.cfg.Store.Commit(ctx, &b.turn); err != nil {
		return fmt.Errorf("commit a turn of %d inputs: %w", b.n, err)
	}
	s.cfg.Meter.Turn(b.n, s.cfg.Now().Sub(began))
	return nil
}

// arm sets the clock to the next deadline.
func (s *shard) arm() {
	now := s.cfg.Now()
	at := s.swept.Add(sweepEvery)
	if len(s.timers) > 0 && s.timers[0].at.Before(at) {
		at = s.timers[0].at
	}
	s.clock.Reset(max(0, at.Sub(now)))
}

// wake gives a Wake to every run whose time has come.
func (s *shard) wake(ctx context.Context, b *batch) {
	now := s.cfg.Now()
	for len(s.timers) > 0 && !s.timers[0].at.After(now) && b.n < TurnMax {
		t := heap.Pop(&s.timers).(timer) //nolint:forcetypeassert // only timers are pushed
		if l := s.runs[t.run]; l == nil || !l.wakeAt().After(now) {
			s.apply(ctx, b, &job{run: t.run, input: machine.Wake{}})
		}
	}
	if now.Sub(s.swept) >= sweepEvery {
		if err := s.sweep(ctx); err != nil {
			s.fault = err
		}
	}
	s.arm()
}

// sweepHorizon is how far ahead sleeping runs are armed in memory.
const sweepHorizon = 2 * sweepEvery

// sweep arms the runs that sleep in Postgres and are due soon, and hands out
// again what has been silent for long.
func (s *shard) sweep(ctx context.Context) error {
	now := s.cfg.Now()
	s.swept = now
	if err := s.recoverDue(ctx); err != nil {
		return err
	}
	s.silent, s.crowd = true, 0
	s.redo, s.missed = s.redo || s.missed, false
	return nil
}

// remind hands out again the attempts of runs of which nothing was heard for
// long. The channel absorbs those that are only slow.
func (s *shard) remind() {
	now := s.cfg.Now()
	silent := map[uuid.UUID]*live{}
	for id, l := range s.runs {
		if l.s.Owed() && now.Sub(l.last) > 2*sweepEvery {
			silent[id] = l
		}
	}
	var tasks []task.Task
	for _, id := range inOrder(silent) {
		tasks = s.pending(tasks, silent[id])
	}
	s.offer(tasks)
}

// recoverDue arms every run that wants to be woken within the horizon.
func (s *shard) recoverDue(ctx context.Context) error {
	if mutant.On(mutant.TimersNotRecovered) {
		return nil
	}
	const page = 10_000
	due, _, err := s.cfg.Store.Due(ctx, s.n, s.cfg.Now().Add(sweepHorizon), page)
	if err != nil {
		return fmt.Errorf("find due runs: %w", err)
	}
	for _, run := range due {
		if s.runs[run] == nil {
			heap.Push(&s.timers, timer{at: s.cfg.Now(), run: run})
		}
	}
	return nil
}

// timer wakes one run.
type timer struct {
	at  time.Time
	run uuid.UUID
}

// timers is a heap (package container/heap), the earliest first.
type timers []timer

func (h timers) Len() int           { return len(h) }
func (h timers) Less(i, j int) bool { return h[i].at.Before(h[j].at) }
func (h timers) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }

// Push implements heap.Interface.
func (h *timers) Push(x any) { *h = append(*h, x.(timer)) } //nolint:forcetypeassert // only timers are pushed

// Pop implements heap.Interface.
func (h *timers) Pop() any {
	old := *h
	t := old[len(old)-1]
	*h = old[:len(old)-1]
	return t
}
