package remote

import (
	"context"
	"fmt"
	"slices"
	"time"

	"signalbox/engine/problem"
	"signalbox/engine/route"
)

// taker is a worker that waits for tasks. The office's lock guards it.
type taker struct {
	by     Caller
	worker string
	queues []string
	lease  time.Duration // how long it wants to be allowed to be silent
	room   int
	got    []*lease
	first  chan struct{} // closed when it has got something
}

// take hands out tasks, or waits for the first.
func (o *Office) take(ctx context.Context, c Caller, r Request) (Taken, error) {
	if len(r.Types) == 0 && !r.Steps {
		return Taken{}, problem.New(problem.Invalid, "Which types of tasks?").At("/types", "is empty", "at least one task type")
	}
	if len(r.Types) > askedMax {
		return Taken{}, problem.New(problem.Invalid, "Too many types of tasks in one question.").At("/types", "too long", fmt.Sprintf("%d types at most", askedMax))
	}
	t := &taker{by: c, worker: r.Worker, room: min(max(1, r.Max), takenMax), lease: min(duration(r.Lease), leaseMax), first: make(chan struct{})}
	for _, name := range r.Types {
		if !typeRule.MatchString(name) {
			return Taken{}, problem.New(problem.Invalid, "A task type cannot be called so.").At("/types", "not a name", typeExpected)
		}
		if r.Location != "" {
			t.want(c.Workspace, route.OwnAt(name, r.Location))
		}
		t.want(c.Workspace, route.Own(name))
	}
	if r.Steps {
		t.want(c.Workspace, route.At(r.Location))
	}
	if err := o.touch(ctx, c, r, false); err != nil {
		return Taken{}, err
	}
	if err := o.join(t); err != nil {
		return Taken{}, err
	}
	limit := time.NewTimer(min(duration(r.WaitSeconds), takeTick)) //nolint:forbidigo // a time limit
	defer limit.Stop()
	select {
	case <-t.first:
	case <-limit.C:
	case <-ctx.Done():
	case <-o.closed:
	}
	return o.leave(ctx, t, r.InlineBytes)
}

// errStopping is what is told while the office closes.
func errStopping() error {
	return problem.New(problem.Unavailable, "This server is stopping; ask again in a moment.")
}

// want adds a queue, once.
func (t *taker) want(workspace, queue string) {
	if q := route.In(workspace, queue); !slices.Contains(t.queues, q) {
		t.queues = append(t.queues, q)
	}
}

// join lets a taker have what waits, and wait for what comes.
func (o *Office) join(t *taker) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	select {
	case <-o.closed:
		return errStopping()
	default:
	}
	for _, q := range t.queues {
		if err := o.serve(t.by.Workspace, q); err != nil {
			return err
		}
		if len(o.takers[q]) >= takersMax {
			return problem.New(problem.TooMany, "%d workers wait for this type already, which is the limit.", takersMax)
		}
		for len(o.waiting[q]) > 0 && t.room > 0 {
			l := o.waiting[q][0]
			o.waiting[q] = o.waiting[q][1:]
			o.give(t, l)
		}
	}
	if t.room == 0 {
		return nil
	}
	for _, q := range t.queues {
		o.takers[q] = append(o.takers[q], t)
	}
	o.wake(t.queues)
	return nil
}

// give puts a lease into a taker's hands. The lock is held.
func (o *Office) give(t *taker, l *lease) {
	l.by, l.worker, l.began = t.by, t.worker, o.cfg.Now()
	l.silence = l.config.silence()
	l.longer = max(l.silence, t.lease)
	l.ends = l.began.Add(l.silence)
	l.clock.Reset(l.silence)
	o.leases[l.id] = l
	l.call.By(t.worker)
	t.got = append(t.got, l)
	if t.room--; t.room == 0 {
		o.forget(t)
	}
	if len(t.got) == 1 {
		close(t.first)
	}
}

// forget takes a taker out of the lists. The lock is held.
func (o *Office) forget(t *taker) {
	for _, q := range t.queues {
		o.takers[q] = slices.DeleteFunc(o.takers[q], func(other *taker) bool { return other == t })
		if len(o.takers[q]) == 0 {
			delete(o.takers, q)
		}
	}
}

// leave takes a taker out and tells it what it has got. If it is gone itself,
// the tasks are given back.
func (o *Office) leave(ctx context.Context, t *taker, inline int) (Taken, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.forget(t)
	out := Taken{Tasks: make([]Task, 0, len(t.got))}
	left := inline // bytes of inputs that the whole answer may have
	for _, l := range t.got {
		switch {
		case l.state != StateHeld: // canceled in this very moment
		case ctx.Err() != nil:
			l.said = true
			l.word <- report{back: true}
		default:
			told := l.told(inline > 0, left)
			left -= len(told.Input)
			out.Tasks = append(out.Tasks, told)
		}
	}
	return out, ctx.Err() //nolint:wrapcheck // nobody hears it
}
