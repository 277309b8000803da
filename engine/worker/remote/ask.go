package remote

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"signalbox/engine/problem"
	"signalbox/engine/worker"
)

// Ask answers one question. Every transport comes in here; a question about a
// lease of another server goes on to it.
func (o *Office) Ask(ctx context.Context, c Caller, q Question) ([]byte, error) {
	if q.Lease != "" && serverOf(q.Lease) != o.cfg.Name && o.cfg.Peers != nil {
		return o.cfg.Peers.Forward(ctx, serverOf(q.Lease), c, q) //nolint:wrapcheck // a problem, or named there
	}
	return o.Answer(ctx, c, q)
}

// Answer is Ask for the offices of other servers: the question has come where
// it belongs.
func (o *Office) Answer(ctx context.Context, c Caller, q Question) ([]byte, error) {
	v, err := o.answer(ctx, c, q)
	if err != nil {
		return nil, err
	}
	raw, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("write the answer to a worker: %w", err)
	}
	return raw, nil
}

func (o *Office) answer(ctx context.Context, c Caller, q Question) (any, error) {
	switch q.Op {
	case OpAnnounce:
		return with(q, func(a Announcement) (any, error) { return o.announce(ctx, c, a) })
	case OpTake:
		return with(q, func(r Request) (any, error) { return o.take(ctx, c, r) })
	case OpNotices:
		return with(q, func(r Request) (any, error) { return o.notified(ctx, c, r) })
	case OpLeave:
		return with(q, func(r Request) (any, error) {
			return Held{State: StateOver}, o.touch(ctx, c, Request{Worker: r.Worker}, true)
		})
	}
	l, err := o.find(ctx, c, q.Lease)
	if err != nil {
		return nil, err
	}
	switch q.Op {
	case OpInput:
		return o.input(l, q.Offset)
	case OpPart:
		return o.part(l, q.Offset, q.Body)
	case OpBeat:
		return with(q, func(b Beat) (any, error) { return o.beat(ctx, l, b) })
	case OpComplete:
		return o.complete(ctx, l, q.Body)
	case OpFail:
		return with(q, func(f Fault) (any, error) { return o.fail(ctx, l, f) })
	case OpRelease:
		return with(q, func(r Release) (any, error) { return o.release(l, r), nil })
	}
	return nil, problem.New(problem.NotFound, "There is no such question.")
}

// with reads a question's body.
func with[T any](q Question, do func(T) (any, error)) (any, error) {
	var v T
	if len(q.Body) > 0 {
		if err := json.Unmarshal(q.Body, &v); err != nil {
			return nil, problem.New(problem.Invalid, "The question cannot be read: %s.", err)
		}
	}
	return do(v)
}

// find returns a lease of the caller's workspace.
func (o *Office) find(ctx context.Context, c Caller, id string) (*lease, error) {
	o.mu.Lock()
	l := o.leases[id]
	o.mu.Unlock()
	if l != nil && l.work == c.Workspace {
		return l, nil
	}
	if l != nil {
		o.cfg.Count("refused")
		o.cfg.Log.WarnContext(ctx, "a worker named a lease of another workspace", "workspace", c.Workspace, "token", c.Token)
		if o.cfg.Refused != nil {
			o.cfg.Refused(ctx, c, id, l.work, "a lease of another workspace")
		}
	}
	return nil, problem.New(problem.NotFound, "There is no such lease: it ended some time ago, or the server that gave it has gone. If the task is still wanted it is handed out again, with the same idempotency key.")
}

// state is what a lease says to its worker. The lock is held.
func (l *lease) held(now time.Time) Held {
	h := Held{State: l.state, Why: l.why}
	if l.state == StateHeld {
		h.LeaseSeconds = seconds(l.ends.Sub(now))
	} else if l.outcome != nil {
		h.Open = l.outcome.Open
	}
	return h
}

// extend begins the lease's time anew. The lock is held.
func (o *Office) extend(l *lease) {
	if l.state == StateHeld {
		l.silence = max(l.silence, l.longer)
		l.ends = o.cfg.Now().Add(l.silence)
	}
}

func (o *Office) beat(ctx context.Context, l *lease, b Beat) (Held, error) {
	o.mu.Lock()
	o.extend(l)
	h, call := l.held(o.cfg.Now()), l.call
	o.mu.Unlock()
	if h.State != StateHeld {
		return h, nil
	}
	if b.Progress != "" {
		call.Progress(b.Progress)
	}
	return h, o.touch(ctx, l.by, Request{Worker: l.worker}, false)
}

// input tells a piece of an input that was too large to be told with its task.
func (o *Office) input(l *lease, offset int) (Piece, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.extend(l)
	in := l.config.Input
	if l.state != StateHeld {
		return Piece{}, problem.New(problem.Conflict, "%s", l.why)
	}
	if offset < 0 || offset > len(in) {
		return Piece{}, problem.New(problem.Invalid, "The input has %d bytes.", len(in)).At("offset", "behind the end", "0 or more")
	}
	end := min(offset+pieceMax, len(in))
	return Piece{Data: in[offset:end], More: end < len(in)}, nil
}

// part takes a piece of an output that is too large for one message.
func (o *Office) part(l *lease, offset int, data []byte) (Held, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.extend(l)
	switch {
	case l.state != StateHeld || l.said:
	case offset < 0 || offset > len(l.parts):
		return Held{}, problem.New(problem.Invalid, "%d bytes of the output are here.", len(l.parts)).At("offset", "leaves a gap", "the number of bytes sent so far")
	case offset+len(data) > outputMax:
		return Held{}, problem.New(problem.TooLarge, "An output can have %d bytes.", outputMax)
	case o.pieces+offset+len(data)-len(l.parts) > partsMax:
		return Held{}, problem.New(problem.TooMany, "Too many large outputs are on their way to this server; ask again later.")
	default:
		o.pieces += offset + len(data) - len(l.parts)
		l.parts = append(l.parts[:offset], data...)
	}
	return l.held(o.cfg.Now()), nil
}

// complete takes an output and waits until the engine has it on disk. Asked
// again, it waits again.
func (o *Office) complete(ctx context.Context, l *lease, output []byte) (Outcome, error) {
	if len(output) > outputMax {
		return Outcome{}, problem.New(problem.TooLarge, "An output can have %d bytes.", outputMax)
	}
	o.mu.Lock()
	if len(output) == 0 {
		output = l.parts
	}
	o.say(l, report{output: slices.Clone(output)})
	o.mu.Unlock()
	return o.await(ctx, l)
}

func (o *Office) fail(ctx context.Context, l *lease, f Fault) (Outcome, error) {
	if f.Class == "" {
		f.Class = worker.ClassInternal
	}
	if !classRule.MatchString(f.Class) {
		return Outcome{}, problem.New(problem.Invalid, "A class of errors cannot be called so.").At("/class", "not a name", "small letters, digits and _, a letter first, 60 at most")
	}
	if f.Message == "" {
		f.Message = "The worker gave no reason."
	}
	o.mu.Lock()
	o.say(l, report{failure: &worker.Failure{
		Class: f.Class, Message: f.Message, Details: f.Details, RetryAfter: max(0, min(duration(f.RetryAfterSeconds), 24*time.Hour)),
	}})
	o.mu.Unlock()
	return o.await(ctx, l)
}

// release gives a task back.
func (o *Office) release(l *lease, r Release) Held {
	o.mu.Lock()
	defer o.mu.Unlock()
	h := l.held(o.cfg.Now())
	if r.Died && l.state == StateHeld && !l.said {
		o.lose(l.key)
	}
	if o.say(l, report{back: true}) {
		h = Held{State: StateOver, Why: "The task was given back."}
	}
	return h
}

// say passes a worker's last word on, once. The lock is held.
func (o *Office) say(l *lease, r report) bool {
	if l.state != StateHeld || l.said {
		return false
	}
	l.said = true
	l.word <- r
	return true
}

// await waits for the outcome of a result.
func (o *Office) await(ctx context.Context, l *lease) (Outcome, error) {
	limit := time.NewTimer(settleMax) //nolint:forbidigo // a time limit
	defer limit.Stop()
	select {
	case <-l.settled:
	case <-limit.C:
	case <-ctx.Done():
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if l.outcome == nil {
		return Outcome{Outcome: OutcomePending, Message: "The result is on its way; ask again to hear that it is on disk."}, nil
	}
	if l.outcome.Outcome == OutcomeStale {
		o.cfg.Count(OutcomeStale)
	}
	return *l.outcome, nil
}

// HeldBy is how many tasks a worker holds by this server.
func (o *Office) HeldBy(workspace, worker string) int {
	o.mu.Lock()
	defer o.mu.Unlock()
	n := 0
	for _, l := range o.leases {
		if l.state == StateHeld && l.work == workspace && l.worker == worker {
			n++
		}
	}
	return n
}
