package remote

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"signalbox/engine/task"
	"signalbox/engine/worker"
	"signalbox/engine/worker/shape"
)

// Do implements worker.Action for external tasks.
func (o *Office) Do(ctx context.Context, call worker.Call) (json.RawMessage, error) {
	var cfg config
	if err := json.Unmarshal(call.Config, &cfg); err != nil {
		return nil, worker.Fail(worker.ClassInvalidInput, "The external task's configuration cannot be read: "+err.Error())
	}
	form, err := shape.New(cfg.Result)
	if err != nil {
		return nil, worker.Fail(worker.ClassInvalidInput, "The result schema is not valid: "+err.Error())
	}
	return o.lend(ctx, &call, cfg, form)
}

// lend hands a task to a worker and waits for its word, its silence, or the end
// of the attempt.
func (o *Office) lend(ctx context.Context, call *worker.Call, cfg config, form *shape.Shape) (json.RawMessage, error) {
	if n := o.lossesOf(attemptOf(&call.Task)); n >= lossesMax {
		return nil, worker.Fail(worker.ClassTimeout, fmt.Sprintf("%d workers in turn fell silent while they had this task.", n))
	}
	l := newLease(o.cfg.Name, call, cfg, form)
	l.clock = time.NewTimer(handMax) //nolint:forbidigo // the end of a lease, or of waiting for a worker
	defer l.clock.Stop()
	o.hand(l)
	for {
		select {
		case said := <-l.word:
			return o.conclude(l, said)
		case <-ctx.Done():
			o.withdraw(l, worker.Over(ctx))
			return nil, ctx.Err() //nolint:wrapcheck // the pool knows why it ended
		case <-l.clock.C:
			if o.silent(l) {
				return nil, worker.ErrReturn
			}
		}
	}
}

// hand gives a lease to the first worker that waits, or keeps it for the next.
func (o *Office) hand(l *lease) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if list := o.takers[l.queue]; len(list) > 0 {
		o.give(list[0], l)
		return
	}
	o.waiting[l.queue] = append(o.waiting[l.queue], l)
}

// silent reports whether the lease is over because nobody came for it, or
// because its worker is silent.
func (o *Office) silent(l *lease) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if l.said {
		return false // the word is there
	}
	if l.worker == "" {
		o.unwait(l)
		return true
	}
	if left := l.ends.Sub(o.cfg.Now()); left > 0 {
		l.clock.Reset(left)
		return false
	}
	o.lose(l.key)
	o.cfg.Log.Warn("a worker fell silent; its task goes to another", "worker", l.worker, "workspace", l.work, "run", l.run, "queue", l.queue)
	o.cfg.Count("silent")
	why := fmt.Sprintf("The worker was silent for %s; the task went to another.", l.silence)
	l.said = true // what it says later comes too late for this lease
	l.end(&Outcome{Outcome: OutcomeStale, Message: why, Open: true})
	o.lapsed[l.key] = append(o.lapsed[l.key], l)
	o.bury(l, StateOver, why)
	return true
}

// unwait takes a lease out of the list of those without a worker. The lock is
// held.
func (o *Office) unwait(l *lease) {
	o.waiting[l.queue] = slices.DeleteFunc(o.waiting[l.queue], func(other *lease) bool { return other == l })
	if len(o.waiting[l.queue]) == 0 {
		delete(o.waiting, l.queue)
	}
}

// withdraw ends a lease from our side.
func (o *Office) withdraw(l *lease, why string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.unwait(l)
	if why != worker.OverStopped {
		o.close(l.key)
	}
	defer func() { l.end(&Outcome{Outcome: OutcomeStale, Message: l.why}) }() // also when its word has just come
	switch why {
	case worker.OverCanceled:
		o.bury(l, StateCanceled, "The run is over, or does not want this result any more.")
	case worker.OverTimeout:
		o.bury(l, StateOver, "The attempt ran out of time.")
	default:
		o.bury(l, StateOver, "The server stops; the task goes to another.")
	}
}

// bury ends a lease and keeps its name for a while. The lock is held.
func (o *Office) bury(l *lease, state, why string) {
	if l.worker == "" {
		return // nobody knows its name
	}
	l.over(state, why)
	if state == StateCanceled {
		o.notify(workerKey{l.work, l.worker}, l.id)
	}
	o.pieces -= len(l.parts)
	l.free()
	o.ended = append(o.ended, l.id)
	for len(o.ended) > endedKept {
		delete(o.lapsed, o.leases[o.ended[0]].key)
		delete(o.leases, o.ended[0])
		o.ended = o.ended[1:]
	}
}

// conclude makes an attempt's end of a worker's word.
func (o *Office) conclude(l *lease, said report) (json.RawMessage, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	defer o.bury(l, StateOver, "The task was ended by its worker.")
	if said.back {
		l.end(&Outcome{Outcome: OutcomeStale, Message: "The task was given back."})
		return nil, worker.ErrReturn
	}
	o.found(l.key)
	o.close(l.key)
	l.call.Settled(func(r *task.Result, used bool) { o.settle(l, said, r, used) })
	if said.failure != nil {
		return nil, said.failure
	}
	if fault := l.shape.Fault(said.output); fault != nil {
		return nil, worker.Fail(worker.ClassBadOutput, "The worker's result does not fit: "+fault.Error()+".")
	}
	return said.output, nil
}

// settle is told when the engine has a result on disk.
func (o *Office) settle(l *lease, said report, r *task.Result, used bool) {
	out := &Outcome{Outcome: OutcomeCommitted}
	switch {
	case !used:
		out = &Outcome{Outcome: OutcomeStale, Message: "The engine had no use for it: the attempt was over, perhaps by this very result."}
	case r.Error != nil && said.failure == nil:
		out = &Outcome{Outcome: OutcomeRefused, Class: r.Error.Class, Message: r.Error.Message}
	}
	if used {
		o.cfg.Count(out.Outcome) // the other is counted when it is told
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	l.end(out)
}

// close tells those whose leases ran out that the attempt has been ended by
// somebody else: what they bring is of no use any more. The lock is held.
func (o *Office) close(k attemptKey) {
	for _, l := range o.lapsed[k] {
		l.outcome.Open = false
	}
	delete(o.lapsed, k)
}

// lossesOf is how many workers fell silent over an attempt.
func (o *Office) lossesOf(k attemptKey) int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.losses[k]
}

// lose counts a worker that fell silent. The lock is held.
func (o *Office) lose(k attemptKey) {
	if o.losses[k]++; o.losses[k] > 1 {
		return
	}
	o.lost = append(o.lost, k)
	for len(o.lost) > lossesKept {
		delete(o.losses, o.lost[0])
		o.lost = o.lost[1:]
	}
}

// found forgets the losses of an attempt that somebody ended. The lock is held.
func (o *Office) found(k attemptKey) {
	if o.losses[k] > 0 {
		delete(o.losses, k)
		o.lost = slices.DeleteFunc(o.lost, func(other attemptKey) bool { return other == k })
	}
}
