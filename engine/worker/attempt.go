package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"sync/atomic"
	"time"

	"signalbox/engine/problem"
	"signalbox/engine/task"
	"signalbox/engine/vault"
)

// attempt is one job at work.
type attempt struct {
	pool   *Pool
	job    Job
	cancel context.CancelCauseFunc
	began  time.Time
	ends   time.Time // deadline
	beaten time.Time // last heartbeat
	leave  func()    // lets the next suspect in
	over   atomic.Bool
	stores atomic.Bool // over, but its output is still on its way to the store
	stream stream
	told   func(*task.Result, bool) // when the result is settled; may be nil
}

// end reports whether the caller is the one who ends the job.
func (a *attempt) end() bool { return a.over.CompareAndSwap(false, true) }

// do runs a job to its end, under the eyes of the witness.
func (p *Pool) do(ctx context.Context, j Job) {
	leave, ok := p.alone(ctx, j)
	if !ok {
		j.Return()
		return
	}
	defer leave()
	t := j.Task()
	now := p.cfg.Now()
	limit := p.timeoutOf(t, now)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	a := &attempt{pool: p, job: j, cancel: cancel, began: now, ends: now.Add(limit), beaten: now, leave: leave}
	if !p.admit(a) {
		j.Drop()
		return
	}
	defer p.leave(a)
	if n := p.cfg.Witness.Deaths(t.ID()); n >= deathsMax {
		p.cfg.Log.ErrorContext(ctx, "a step has taken the program with it too often and is given up", "run", t.Run, "task", t.Kind, "queue", t.Queue, "deaths", n)
		a.over.Store(true)
		a.finish(ctx, nil, deadly(n))
		return
	}
	slot := p.cfg.Witness.Begin(t.ID())
	if a.run(ctx, limit) {
		p.cfg.Witness.End(slot)
	} else {
		p.cfg.Witness.Keep(slot)
	}
}

// run acts and tells how it ended; it reports false when the job was given back.
func (a *attempt) run(ctx context.Context, limit time.Duration) (ended bool) {
	j := a.job
	a.pool.announcer.add(a)
	ctx, done := context.WithTimeoutCause(ctx, limit, errTimeout)
	output, err := a.act(ctx)
	cause := context.Cause(ctx)
	done()
	a.stream.close(a)
	if !a.end() {
		return !errors.Is(cause, errStopped) // the heartbeat or the drain has ended it
	}
	var failed *Failure
	switch {
	case err == nil:
	case errors.Is(err, ErrReturn):
		j.Return()
		return false
	case errors.As(err, &failed) && cause == nil:
	case errors.Is(cause, errStopped):
		j.Return()
		return false
	case errors.Is(cause, errCanceled):
		j.Drop()
		return true
	case errors.Is(cause, errTimeout):
		err = timedOut(limit)
	}
	a.finish(ctx, output, err)
	return true
}

var errTimeout = errors.New("the attempt ran out of time")

func timedOut(limit time.Duration) *Failure {
	return Fail(ClassTimeout, fmt.Sprintf("The attempt took longer than %s.", limit))
}

// act runs the action and turns a panic into a failure.
func (a *attempt) act(ctx context.Context) (output json.RawMessage, err error) {
	t := a.job.Task()
	defer func() {
		if r := recover(); r != nil {
			a.pool.cfg.Log.ErrorContext(ctx, "an action panicked", "run", t.Run, "task", t.Kind, "queue", t.Queue,
				"err", string(a.pool.cfg.Redact(fmt.Append(nil, r))), "stack", string(a.pool.cfg.Redact(debug.Stack())))
			output, err = nil, Fail(ClassInternal, fmt.Sprintf("The worker broke down while it ran this step (%v).", r))
		}
	}()
	action := a.pool.cfg.Actions[t.Kind]
	if action == nil {
		return nil, Fail(ClassInvalidInput, fmt.Sprintf("This worker knows no step of the kind %q.", cut(t.Kind, 60)))
	}
	config := t.Config.Inline
	if ref := t.Config.Payload; ref != nil {
		if config, err = a.pool.cfg.Payloads.Payload(ctx, t.Workspace, ref.Digest); err != nil {
			return nil, fmt.Errorf("load the configuration: %w", err)
		}
	}
	return action.Do(ctx, Call{
		Task: *t, Config: config,
		Secret: func(ctx context.Context, name string) (vault.Secret, error) {
			return a.pool.secret(ctx, t.Workspace, name)
		},
		Progress: func(text string) { a.stream.add(a, text) },
		By:       a.by,
		Settled:  func(told func(*task.Result, bool)) { a.told = told },
	})
}

// secret opens a credential; that there is none is the author's fault.
func (p *Pool) secret(ctx context.Context, workspace, name string) (vault.Secret, error) {
	if p.cfg.Secret == nil {
		return vault.Secret{}, Fail(ClassUnauthorized, "This worker opens no credentials.")
	}
	s, err := p.cfg.Secret(ctx, workspace, name)
	if found := problem.Of(err); found != nil {
		return vault.Secret{}, Fail(ClassUnauthorized, found.Detail)
	}
	return s, err
}

// finish sends the result.
func (a *attempt) finish(ctx context.Context, output json.RawMessage, err error) {
	p, t := a.pool, a.job.Task()
	r := &task.Result{
		Workspace: t.Workspace, Run: t.Run, Shard: t.Shard, Scope: t.Scope, Node: t.Node, Visit: t.Visit, Attempt: t.Attempt,
		Worker: a.worker(), StartedAt: a.began, EndedAt: p.cfg.Now(),
	}
	if err == nil {
		// The attempt's own time may be over; storing its output is not its fault.
		store, stop := context.WithTimeout(context.WithoutCancel(ctx), storeMax)
		a.stores.Store(true)
		r.Output, r.OutputRef, err = p.pack(store, t, output)
		a.stores.Store(false)
		stop()
	}
	class := ""
	if err != nil {
		f := p.explain(ctx, t, err)
		r.Output, r.OutputRef = nil, nil
		r.Error, r.RetryAfter, class = f.event(t), f.RetryAfter, f.Class
	}
	var settled func(bool)
	if told := a.told; told != nil {
		settled = func(used bool) { told(r, used) }
	}
	a.job.Finish(r, settled)
	if p.cfg.Meter != nil {
		p.cfg.Meter(t.Queue, t.Kind, class, r.EndedAt.Sub(a.began))
	}
}

// explain makes a failure of any error, without secrets. What the worker
// itself did not expect is logged in full and told in short.
func (p *Pool) explain(ctx context.Context, t *task.Task, err error) *Failure {
	var f *Failure
	if !errors.As(err, &f) {
		p.cfg.Log.ErrorContext(ctx, "an attempt failed in the worker", "run", t.Run, "task", t.Kind, "queue", t.Queue,
			"err", string(p.cfg.Redact([]byte(err.Error()))))
		f = Fail(ClassInternal, "The worker could not run this step; its log says why.")
	}
	out := *f
	out.Message = string(p.cfg.Redact([]byte(f.Message)))
	out.Details = p.details(f.Details)
	return &out
}

// beat extends the task, or gives up the attempt when its action does not end.
func (a *attempt) beat(now time.Time) {
	if a.over.Load() {
		if a.stores.Load() {
			a.extend(now) // else another worker would begin what is done here
		}
		return
	}
	if now.After(a.ends.Add(overrunMax)) {
		if a.end() {
			t := a.job.Task()
			a.pool.cfg.Log.Error("an action ignores its deadline; its slot stays taken", "run", t.Run, "task", t.Kind, "queue", t.Queue)
			a.finish(context.Background(), nil, timedOut(a.ends.Sub(a.began)))
			a.leave()
		}
		return
	}
	a.extend(now)
}

// extend keeps the task from being handed out again.
func (a *attempt) extend(now time.Time) {
	if now.Sub(a.beaten) >= extendEvery {
		a.beaten = now
		a.job.Extend()
	}
}
