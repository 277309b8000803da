package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"sync"
	"time"
)

const (
	progressEvery = 100 * time.Millisecond
	progressMax   = 32 << 10 // bytes of text that wait to be shown
	resultTries   = time.Minute
)

// do does one task: its handler runs while heartbeats say that it is at work.
func (w *Worker) do(work context.Context, t *Task) {
	ctx, cancel := context.WithCancelCause(work)
	defer cancel(nil)
	w.mu.Lock()
	w.tasks[t.Lease] = cancel
	w.mu.Unlock()
	defer func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.tasks, t.Lease)
	}()
	p := &pulse{w: w, t: t, wake: make(chan struct{}, 1), done: make(chan struct{})}
	t.progress = p.add
	var beating sync.WaitGroup
	beating.Go(func() { p.run(context.WithoutCancel(work), cancel) })
	leave, ok := w.alone(ctx, t)
	defer leave()
	if kept := w.kept(t); kept != nil { // an earlier delivery has done it
		close(p.done)
		beating.Wait()
		w.bringAgain(work, t, kept)
		return
	}
	e := w.note(ctx, t)
	output, err := any(nil), context.Cause(ctx)
	if ok {
		output, err = w.handle(ctx, t)
	}
	close(p.done)
	beating.Wait()
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, ErrCanceled), errors.Is(cause, ErrLost):
		w.forget(e)
		w.cfg.Log.InfoContext(ctx, "a task is of no use any more", "run", t.Run, "node", t.Node, "why", cause.Error())
	case errors.Is(cause, ErrStopped) && err != nil:
		if w.last(work, Question{Op: "release", Lease: t.Lease}, struct{}{}) {
			w.forget(e)
		}
	case err != nil:
		w.finish(work, t, e, "fail", failureOf(err))
	default:
		w.finish(work, t, e, "complete", output)
	}
}

// handle reads a large input, runs the handler and survives its panics.
func (w *Worker) handle(ctx context.Context, t *Task) (output any, err error) {
	defer func() {
		if r := recover(); r != nil {
			w.cfg.Log.ErrorContext(ctx, "a handler panicked", "type", t.Type, "panic", fmt.Sprint(r), "stack", string(debug.Stack()))
			err = Fail("internal", fmt.Sprintf("The worker broke down (%v).", r))
		}
	}()
	for more := t.Input == nil && t.InputBytes > 0; more; {
		var p piece
		if err := w.insist(ctx, Question{Op: "input", Lease: t.Lease, Offset: len(t.Input)}, nil, &p); err != nil {
			return nil, err
		}
		t.Input, more = append(t.Input, p.Data...), p.More
	}
	h := w.handlers[t.Type]
	if t.Kind != "" {
		h = w.steps[t.Kind]
	}
	if h == nil {
		return nil, Fail("invalid_input", fmt.Sprintf("This worker does not do %q.", t.Type))
	}
	return h(ctx, t)
}

func failureOf(err error) fault {
	var f *Failure
	if !errors.As(err, &f) {
		return fault{Message: err.Error()}
	}
	return fault{f.Class, f.Message, f.Details, f.RetryAfter.Seconds()}
}

// finish hands in how a task has ended.
func (w *Worker) finish(ctx context.Context, t *Task, e *entry, op string, body any) {
	raw, err := json.Marshal(body)
	if err != nil {
		op = "fail"
		raw, err = json.Marshal(fault{Class: "invalid_output", Message: "The worker's output is not JSON: " + err.Error()})
	}
	if err != nil {
		w.cfg.Log.ErrorContext(ctx, "a failure cannot be written", "err", err) // its details were no JSON
		raw = []byte(`{"class":"invalid_output","message":"The worker's failure is not JSON."}`)
	}
	if e != nil {
		w.keep(ctx, e, op, raw)
		w.settle(ctx, e)
		return
	}
	w.last(ctx, Question{Op: op, Lease: t.Lease, Body: raw}, nil)
}

// bring asks with a task's last word, in pieces when it is too large for one
// message.
func (w *Worker) bring(ctx context.Context, q Question, body, answer any) error {
	if most := w.cfg.Transport.MessageMax() / 2; q.Op == "complete" && most > 0 && len(q.Body) > most {
		for at := 0; at < len(q.Body); at += most {
			part := Question{Op: "part", Lease: q.Lease, Offset: at, Body: q.Body[at:min(at+most, len(q.Body))]}
			var h held
			if err := w.insist(ctx, part, nil, &h); err != nil {
				return err
			}
		}
		q.Body = nil
	}
	return w.insist(ctx, q, body, answer)
}

// last asks until the server has the result, also while the worker stops.
func (w *Worker) last(ctx context.Context, q Question, body any) bool {
	tries := resultTries
	if w.cfg.Spool != nil && q.Op == "release" {
		tries = goodbye // the next start does it
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), tries)
	defer cancel()
	for {
		var out outcome
		err := w.bring(ctx, q, body, &out)
		switch {
		case err != nil:
			w.cfg.Log.WarnContext(ctx, "a result was not taken", "question", q.Op, "err", err)
			return false
		case out.Outcome == "pending" && ctx.Err() == nil:
			continue
		case out.Outcome != "" && out.Outcome != "committed":
			w.cfg.Log.WarnContext(ctx, "a result changed nothing", "outcome", out.Outcome, "why", strings.TrimSpace(out.Class+" "+out.Message))
		}
		return true
	}
}

// pulse says that a task is at work, with the text that it shows.
type pulse struct {
	w    *Worker
	t    *Task
	wake chan struct{}
	done chan struct{}

	mu   sync.Mutex
	text strings.Builder
}

func (p *pulse) add(text string) {
	p.mu.Lock()
	if p.text.Len()+len(text) <= progressMax {
		p.text.WriteString(text)
	}
	p.mu.Unlock()
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

func (p *pulse) taken() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	text := p.text.String()
	p.text.Reset()
	return text
}

// run beats until the handler is done. A lease that cannot be kept is lost.
func (p *pulse) run(ctx context.Context, cancel context.CancelCauseFunc) {
	every := max(time.Duration(p.t.HeartbeatSeconds*float64(time.Second)), progressEvery)
	lease := time.Duration(p.t.LeaseSeconds * float64(time.Second))
	tick := time.NewTicker(every)
	defer tick.Stop()
	heard := time.Now()
	for {
		select {
		case <-p.done:
			if text := p.taken(); text != "" {
				p.beat(ctx, text, cancel)
			}
			return
		case <-tick.C:
		case <-p.wake:
			pause(ctx, progressEvery) // more may come meanwhile
		}
		began := time.Now()
		if p.beat(ctx, p.taken(), cancel) {
			heard = began
		} else if lease > 0 && time.Since(heard) > lease && p.w.cfg.Spool == nil {
			cancel(ErrLost) // with a spool the work goes on, and its result waits for the line
		}
	}
}

// beat reports whether the server has heard it.
func (p *pulse) beat(ctx context.Context, text string, cancel context.CancelCauseFunc) bool {
	limit, stop := context.WithTimeout(ctx, pauseMax)
	defer stop()
	var h held
	err := p.w.ask(limit, Question{Op: "beat", Lease: p.t.Lease}, beat{text}, &h)
	var no *Refusal
	switch {
	case errors.As(err, &no) && no.Status == statusUnknown && p.w.cfg.Spool != nil:
		// The server knows the lease no more: if the task is still wanted it comes
		// again, and the result is there.
	case errors.As(err, &no) && !no.later():
		cancel(ErrLost)
	case err != nil:
		return false
	case h.State == "canceled":
		cancel(ErrCanceled)
	case h.State == "over" && (!h.Open || p.w.cfg.Spool == nil):
		cancel(ErrLost)
	}
	return true
}
