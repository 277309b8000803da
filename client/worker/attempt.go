package worker

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"runtime/debug"
	"strings"
	"sync"
	"time"
)

const (
	progressEvery = 100 * time.Millisecond
	progressMax   = 32 << 10 // bytes of text that wait to be shown
	resultTries   = time.Minute
	messageMax    = 2_000          // characters of a failure's message
	retryMax      = 24 * time.Hour // that a failure can ask to wait
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
	stopped := errors.Is(context.Cause(ctx), ErrStopped) && err != nil // the handler did not get to its end
	q := w.word(ctx, t, output, err)
	if e != nil && !stopped { // before the last heartbeat, which a line that fails can hold up
		w.keep(ctx, e, q)
	}
	close(p.done)
	beating.Wait()
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, ErrCanceled), errors.Is(cause, ErrLost):
		w.forget(e)
		w.cfg.Log.InfoContext(ctx, "a task is of no use any more", "run", t.Run, "node", t.Node, "why", cause.Error())
	case stopped:
		if w.giveBack(work, t) {
			w.forget(e)
		}
	case e != nil:
		w.settle(work, e)
	default:
		w.last(work, q)
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

// classRule is what the server takes for a class of errors.
var classRule = regexp.MustCompile(`^[a-z][a-z0-9_]{0,59}$`) //nolint:gochecknoglobals // a constant in all but name

func failureOf(err error) fault {
	var f *Failure
	if !errors.As(err, &f) {
		return fault{Message: err.Error()}
	}
	out := fault{f.Class, f.Message, f.Details, min(max(0, f.RetryAfter), retryMax).Seconds()}
	if f.Class != "" && !classRule.MatchString(f.Class) {
		out.Class, out.Message = "", f.Error()
	}
	return out
}

// word is the last one on a task: its output, or how it failed.
func (w *Worker) word(ctx context.Context, t *Task, output any, err error) Question {
	q, body := Question{Op: "complete", Lease: t.Lease}, output
	if err != nil {
		f := failureOf(err)
		f.Message = short(f.Message, messageMax)
		q.Op, body = "fail", f
	}
	if q.Body, err = plain(body); err != nil {
		w.cfg.Log.ErrorContext(ctx, "what a handler gave back is not JSON", "type", t.Type, "err", err)
		return q.instead("invalid_output", "What the worker gave back is not JSON: "+err.Error())
	}
	if q.Op == "complete" && len(q.Body) > outputMax {
		return q.instead("limit", fmt.Sprintf("The worker's output has %d bytes; %d are possible.", len(q.Body), outputMax))
	}
	return q
}

// instead is a failure in the place of a word that nobody takes.
func (q Question) instead(class, message string) Question {
	raw, err := plain(fault{Class: class, Message: short(message, messageMax)})
	if err != nil {
		raw = []byte(`{"class":"internal","message":"The worker's result cannot be told."}`) // only texts
	}
	return Question{Op: "fail", Lease: q.Lease, Body: raw}
}

// refused is the failure in the place of a word that the server does not take,
// whatever stays of it: else the task would only be done once more, for the
// same.
func (q Question) refused(no *Refusal) Question {
	class := "invalid_output"
	if no.Status == statusLarge {
		class = "limit"
	}
	return q.instead(class, "The server does not take what the worker brought: "+no.Detail)
}

// plain is JSON without escapes for HTML, which would make some of it six times
// as long.
func plain(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err //nolint:wrapcheck // by the caller
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// short cuts a text to a number of characters, and puts a mark where a NUL is,
// which no JSON of the server may hold.
func short(s string, n int) string {
	s = strings.ReplaceAll(s, "\x00", "\uFFFD")
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}

// bring asks with a task's last word, in pieces when it is too large for one
// message.
func (w *Worker) bring(ctx context.Context, q Question, told answer) error {
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
	return w.insist(ctx, q, nil, told)
}

// last asks until the server has the result, also while the worker stops.
func (w *Worker) last(ctx context.Context, q Question) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), resultTries)
	defer cancel()
	for replaced := false; ; {
		var out outcome
		err := w.bring(ctx, q, &out)
		var no *Refusal
		switch {
		case errors.As(err, &no) && no.unusable() && !replaced:
			w.cfg.Log.WarnContext(ctx, "the server does not take a result; the task fails", "err", err)
			q, replaced = q.refused(no), true
			continue
		case err != nil:
			w.cfg.Log.WarnContext(ctx, "a result was not taken", "question", q.Op, "err", err)
		case out.Outcome == "pending" && ctx.Err() == nil:
			continue
		case out.Outcome != "committed":
			w.cfg.Log.WarnContext(ctx, "a result changed nothing", "outcome", out.Outcome, "why", strings.TrimSpace(out.Class+" "+out.Message))
		}
		return
	}
}

// giveBack gives a task back that was not done, also while the worker stops.
func (w *Worker) giveBack(ctx context.Context, t *Task) bool {
	tries := resultTries
	if w.cfg.Spool != nil {
		tries = goodbye // the next start does it
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), tries)
	defer cancel()
	var h held
	if err := w.insist(ctx, Question{Op: "release", Lease: t.Lease}, struct{}{}, &h); err != nil {
		w.cfg.Log.WarnContext(ctx, "a task was not given back: its lease has to run out", "run", t.Run, "node", t.Node, "err", err)
		return false
	}
	return true
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
	text := strings.ReplaceAll(p.text.String(), "\x00", "\uFFFD")
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
	if p.w.cfg.Lease > 0 { // the longer lease begins with the first word that the task is here
		p.beat(ctx, "", cancel)
	}
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
	case errors.As(err, &no) && (no.Status == statusUnknown || no.stranger()) && p.w.cfg.Spool != nil:
		// The server knows the lease no more, or the token: if the task is still
		// wanted it comes again, and the result is there.
	case errors.As(err, &no) && (no.Status == statusUnknown || no.stranger()):
		cancel(ErrLost)
	case errors.As(err, &no) && !no.later():
		p.w.cfg.Log.WarnContext(ctx, "the server does not show the progress of a task", "run", p.t.Run, "node", p.t.Node, "err", err)
		return false
	case err != nil:
		return false
	case h.State == "canceled":
		cancel(ErrCanceled)
	case h.State == "over" && (!h.Open || p.w.cfg.Spool == nil):
		cancel(ErrLost)
	}
	return true
}
