package worker

import (
	"context"
	"errors"
	"time"
)

// Everything here does nothing for a worker without a spool.

// alone waits until an earlier delivery of the same visit is no more at work in
// this process, and keeps later ones out until the caller is done; false: the
// context has ended first.
func (w *Worker) alone(ctx context.Context, t *Task) (leave func(), ok bool) {
	if w.cfg.Spool == nil {
		return func() {}, true
	}
	key := t.Run + " " + t.Key
	mine := make(chan struct{})
	for {
		w.mu.Lock()
		other := w.visits[key]
		if other == nil {
			w.visits[key] = mine
		}
		w.mu.Unlock()
		if other == nil {
			return func() {
				w.mu.Lock()
				delete(w.visits, key)
				w.mu.Unlock()
				close(mine)
			}, true
		}
		select {
		case <-other:
		case <-ctx.Done():
			return func() {}, false
		}
	}
}

// kept is the result of an earlier delivery of the same visit, if there is one.
func (w *Worker) kept(t *Task) *entry {
	if w.cfg.Spool == nil {
		return nil
	}
	return w.cfg.Spool.find(t)
}

// note writes that a task is at work here, so that the next start can give it
// back at once.
func (w *Worker) note(ctx context.Context, t *Task) *entry {
	if w.cfg.Spool == nil {
		return nil
	}
	e, err := w.cfg.Spool.begin(t)
	if err != nil {
		w.cfg.Log.ErrorContext(ctx, "a task is not in the spool: if this process ends now, its lease has to run out first", "run", t.Run, "node", t.Node, "err", err)
	}
	return e
}

// keep writes a result.
func (w *Worker) keep(ctx context.Context, e *entry, q Question) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if err := w.cfg.Spool.keep(e, func() { e.Op, e.Body = q.Op, q.Body }); err != nil {
		w.cfg.Log.ErrorContext(ctx, "a result is not in the spool and would be lost with this process", "run", e.Run, "node", e.Node, "err", err)
	}
}

// forget takes a task out of the spool.
func (w *Worker) forget(e *entry) {
	if e == nil {
		return
	}
	if err := w.cfg.Spool.forget(e); err != nil {
		w.cfg.Log.Error("a file stays in the spool", "file", e.file, "err", err)
	}
}

// bringAgain hands in, under a new lease, what was done under an earlier one.
func (w *Worker) bringAgain(ctx context.Context, t *Task, e *entry) {
	w.cfg.Log.InfoContext(ctx, "a task came again whose result is in the spool", "run", t.Run, "node", t.Node, "attempt", t.Attempt)
	e.mu.Lock()
	if err := w.cfg.Spool.keep(e, func() { e.Lease, e.LapsedAt, e.Attempt = t.Lease, time.Time{}, t.Attempt }); err != nil {
		w.cfg.Log.ErrorContext(ctx, "the spool still names the old lease of a result", "run", e.Run, "err", err)
	}
	e.mu.Unlock()
	w.settle(ctx, e)
}

// settle brings a result until the server has answered, or the worker has to
// stop: then it waits in the spool for the next start.
func (w *Worker) settle(ctx context.Context, e *entry) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if ctx.Err() != nil { // the worker stops: one try
		var stop context.CancelFunc
		ctx, stop = context.WithTimeout(context.WithoutCancel(ctx), goodbye)
		defer stop()
	}
	log := w.cfg.Log.With("run", e.Run, "node", e.Node, "attempt", e.Attempt)
	for replaced := false; ; {
		var out outcome
		q := Question{Op: e.Op, Lease: e.Lease, Body: e.Body}
		err := w.bring(ctx, q, &out)
		var no *Refusal
		switch {
		case err == nil && out.Outcome == "pending" && ctx.Err() == nil:
			continue
		case errors.As(err, &no) && no.Status == statusUnknown, out.Outcome == "stale" && out.Open:
			w.lapse(ctx, e)
		case errors.As(err, &no) && no.stranger():
			log.ErrorContext(ctx, "a result stays in the spool: the token is not good any more", "err", err)
		case errors.As(err, &no) && no.unusable() && !replaced:
			log.WarnContext(ctx, "the server does not take a result; the task fails", "err", err)
			q, replaced = q.refused(no), true
			if err := w.cfg.Spool.keep(e, func() { e.Op, e.Body = q.Op, q.Body }); err != nil {
				log.ErrorContext(ctx, "the spool cannot be written", "err", err)
			}
			continue
		case errors.As(err, &no) && no.unusable():
			log.ErrorContext(ctx, "the server does not take that a task failed; the spool forgets it", "err", err)
			w.forget(e)
		case err != nil || out.Outcome == "pending":
			log.WarnContext(ctx, "a result stays in the spool for the next start", "err", err)
		case out.Outcome == "committed":
			log.InfoContext(ctx, "a result is delivered; the spool forgets it")
			w.forget(e)
		default:
			log.WarnContext(ctx, "a result changed nothing; the spool forgets it", "outcome", out.Outcome, "class", out.Class, "why", out.Message)
			w.forget(e)
		}
		return
	}
}

// lapse keeps a result whose lease is over while nobody has ended the attempt:
// if the task comes to this worker again, it need not be done again.
func (w *Worker) lapse(ctx context.Context, e *entry) {
	if e.LapsedAt.IsZero() {
		if err := w.cfg.Spool.keep(e, func() { e.LapsedAt = time.Now() }); err != nil {
			w.cfg.Log.ErrorContext(ctx, "the spool cannot be written", "err", err)
		}
	}
	w.cfg.Log.WarnContext(ctx, "the lease of a result is over; it is kept in case the task comes again", "run", e.Run, "node", e.Node, "until", e.LapsedAt.Add(SpoolKeep))
}

// resume brings what an earlier process left: results to the server, and tasks
// without one back to their queues.
func (w *Worker) resume(ctx context.Context, l left) {
	for _, e := range l.undone {
		if ctx.Err() != nil {
			return
		}
		var h held
		err := w.insist(ctx, Question{Op: "release", Lease: e.Lease}, release{Died: true}, &h)
		var no *Refusal
		if err == nil || errors.As(err, &no) && !no.stranger() {
			w.cfg.Log.InfoContext(ctx, "a task that the last process did not end is given back", "run", e.Run, "node", e.Node)
			w.forget(e)
		}
	}
	for _, e := range l.results {
		if ctx.Err() != nil {
			return
		}
		if w.cfg.Spool.has(e) { // its task can have come again meanwhile
			w.settle(ctx, e)
		}
	}
}

// room makes room in the spool; false: there is none, and no more tasks are
// taken.
func (w *Worker) room(ctx context.Context) bool {
	s := w.cfg.Spool
	if s == nil {
		return true
	}
	for {
		e := s.useless(time.Now())
		if e == nil {
			break
		}
		w.cfg.Log.WarnContext(ctx, "a result is forgotten: its task did not come again in time, or the spool is full", "run", e.Run, "node", e.Node)
		w.forget(e)
	}
	if s.full() {
		w.cfg.Log.ErrorContext(ctx, "the spool is full: no tasks are taken", "bytes_max", SpoolBytes, "results_max", SpoolResults)
		return false
	}
	return true
}
