package runtime

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"signalbox/engine/machine"
	"signalbox/engine/problem"
)

// Errors that say that an input has to find its shard's owner once more.
var (
	// ErrNoOwner: nobody listens for a shard at the moment.
	ErrNoOwner = errors.New("nobody owns the shard at the moment")
	errMoved   = errors.New("the shard has moved")
	errYielded = errors.New("the shard is given to another server")
	errTaken   = errors.New("another server has taken the shard")
	errSilent  = errors.New("the owner of the shard has not answered yet")
	errRecount = errors.New("the number of shards was changed while this server lived: start it again")
)

// How inputs find the owner of their shard.
const (
	ownerWait  = 10 * time.Second // for a new owner; then the sender is told to come back
	askRound   = 5 * time.Second  // a question without an answer is asked again
	askMax     = time.Minute      // the same for one that waits for a run's end: each time it waits longer
	retryFirst = 10 * time.Millisecond
	retryMax   = 200 * time.Millisecond
)

// submit hands an input to the owner of its run's shard, here or elsewhere, and
// waits for the reply. When the owner changes meanwhile, the next one gets it
// again: an input that did arrive changes nothing the second time.
func (e *Engine) submit(ctx context.Context, j *job) (reply, error) {
	s := e.shards[ShardOf(j.run, len(e.shards))]
	wait, lost, doubt := retryFirst, time.Time{}, false
	j.patience = askRound
	for {
		e.errand(ctx, j.run, j.named)
		r, err := s.attempt(ctx, j)
		r.doubt = doubt
		if err == nil || ctx.Err() != nil || !errors.Is(err, errMoved) && !errors.Is(err, ErrNoOwner) && !errors.Is(err, errSilent) {
			return r, err
		}
		if errors.Is(err, errSilent) { // it waits, or the question or its answer was lost
			doubt = true
			if j = j.again(); j.wait != WaitNone {
				j.patience = min(2*j.patience, askMax)
			}
			continue
		}
		if e.cfg.Peers == nil {
			return reply{}, errStopped()
		}
		now := e.cfg.Now()
		switch {
		case errors.Is(err, errMoved) || lost.IsZero():
			lost, doubt = now, doubt || errors.Is(err, errMoved)
		case now.Sub(lost) > ownerWait:
			return reply{}, problem.New(problem.Unavailable, "No server does the work of this run at the moment; it is not known whether this was done. Ask again with the same idempotency key.")
		}
		if !s.moves(ctx, wait) {
			return reply{}, ctx.Err()
		}
		wait = min(2*wait, retryMax)
		j = j.again()
	}
}

// errand tells whoever wants to know what is about to be asked of a run.
func (e *Engine) errand(ctx context.Context, run uuid.UUID, what func() string) {
	if e.cfg.Errand != nil {
		e.cfg.Errand(ctx, run, what())
	}
}

// named tells a job from others that are about to reach the same run.
func (j *job) named() string {
	if j.start != nil {
		return fmt.Sprintf("start, wait %d", j.wait)
	}
	raw, err := json.Marshal(j.input)
	if err != nil {
		return kindOf(j.input)
	}
	return kindOf(j.input) + " " + string(raw)
}

// attempt hands an input over once. errMoved and ErrNoOwner: try again.
func (s *shard) attempt(ctx context.Context, j *job) (reply, error) {
	if ctx.Err() != nil {
		return reply{}, ctx.Err()
	}
	if s.cfg.Peers != nil && !s.owned.Load() {
		return s.ask(ctx, j)
	}
	select {
	case s.inbox <- j:
	case <-s.over:
		return reply{}, errMoved
	case <-ctx.Done():
		return reply{}, ctx.Err()
	}
	select {
	case r := <-j.reply:
		return r, r.err
	case <-s.over: // perhaps it was taken out before the end, perhaps not
		select {
		case r := <-j.reply:
			return r, r.err
		default:
			return reply{}, errMoved
		}
	case <-ctx.Done():
		j.quit.Store(true)
		return reply{}, ctx.Err()
	}
}

// again is the same input for another attempt.
func (j *job) again() *job {
	j.quit.Store(true)
	return &job{run: j.run, workspace: j.workspace, start: j.start, wait: j.wait, input: j.input, revive: j.revive, patience: j.patience, reply: make(chan reply, 1)}
}

// question is an input on its way to another server.
type question struct {
	Run       uuid.UUID       `json:"run"`
	Workspace string          `json:"workspace,omitempty"`
	Fresh     bool            `json:"fresh,omitempty"`
	Start     *StartRequest   `json:"start,omitempty"`
	Wait      Wait            `json:"wait,omitempty"`
	Revive    bool            `json:"revive,omitempty"`
	Kind      string          `json:"kind,omitempty"` // of the input, unless it is a start
	Input     json.RawMessage `json:"input,omitempty"`
	Patience  time.Duration   `json:"patience"` // then nobody listens to the answer
}

// response is what the owner says.
type response struct {
	Moved   bool             `json:"moved,omitempty"` // not the owner any more
	Changed bool             `json:"changed,omitempty"`
	Answer  *Answer          `json:"answer,omitempty"`
	Problem *problem.Problem `json:"problem,omitempty"`
	Error   string           `json:"error,omitempty"` // any other
}

// parcel is a question or a response, or where it is stored when it is too
// large for a message.
type parcel struct {
	Workspace string          `json:"workspace,omitempty"`
	Digest    string          `json:"digest,omitempty"`
	Body      json.RawMessage `json:"body,omitempty"`
}

// parcelMax is the size above which a body goes through the store: messages of
// NATS hold a megabyte unless it is told otherwise.
const parcelMax = 512 << 10

func (s *shard) pack(ctx context.Context, workspace string, v any) ([]byte, error) {
	body, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("write a message to another server: %w", err)
	}
	p := parcel{Body: body}
	if len(body) > parcelMax {
		sum := sha256.Sum256(body)
		p = parcel{Workspace: workspace, Digest: hex.EncodeToString(sum[:])}
		if err := s.cfg.Store.PutPayload(ctx, workspace, p.Digest, body); err != nil {
			return nil, fmt.Errorf("store a large message to another server: %w", err)
		}
	}
	return json.Marshal(p) //nolint:wrapcheck // texts and what was just written
}

func (s *shard) unpack(ctx context.Context, raw []byte, v any) error {
	var p parcel
	err := json.Unmarshal(raw, &p)
	if err == nil && p.Digest != "" {
		p.Body, err = s.cfg.Store.Payload(ctx, p.Workspace, p.Digest)
	}
	if err == nil {
		err = json.Unmarshal(p.Body, v)
	}
	if err != nil {
		return fmt.Errorf("read a message of another server: %w", err)
	}
	return nil
}

// ask hands an input to the owner elsewhere. When the shard gets another owner
// meanwhile, the answer is not waited for.
func (s *shard) ask(ctx context.Context, j *job) (reply, error) {
	q, err := questionOf(j)
	if err != nil {
		return reply{}, err
	}
	q.Patience = j.patience
	raw, err := s.pack(ctx, q.workspace(), q)
	if err != nil {
		return reply{}, err
	}
	round, cancel := context.WithTimeout(ctx, j.patience)
	defer cancel()
	defer s.onMove(cancel)()
	raw, err = s.cfg.Peers.Ask(round, s.n, raw)
	switch {
	case errors.Is(err, ErrNoOwner):
		return reply{}, err
	case err != nil && errors.Is(round.Err(), context.DeadlineExceeded) && ctx.Err() == nil:
		return reply{}, errSilent
	case err != nil && ctx.Err() == nil: // nobody knows whether it was done
		return reply{}, errMoved
	case err != nil:
		return reply{}, ctx.Err()
	}
	var r response
	if err := s.unpack(ctx, raw, &r); err != nil {
		return reply{}, err
	}
	switch {
	case r.Moved:
		return reply{}, errMoved
	case r.Problem != nil:
		err = r.Problem
	case r.Error != "":
		err = errors.New(r.Error)
	}
	return reply{answer: r.Answer, changed: r.Changed, err: err}, err
}

func (q *question) workspace() string {
	if q.Start != nil {
		return q.Start.Workspace
	}
	return q.Workspace
}

// serve takes the questions of other servers while this one owns the shard.
func (s *shard) serve(ctx context.Context) error {
	err := s.cfg.Peers.Answer(ctx, s.n, func(raw []byte, answer func([]byte)) {
		go s.answerOne(ctx, raw, answer) // the runtime answers many at once
	})
	if err != nil && ctx.Err() == nil {
		return fmt.Errorf("listen to other servers for shard %d: %w", s.n, err)
	}
	return nil
}

func (s *shard) answerOne(ctx context.Context, raw []byte, answer func([]byte)) {
	var q question
	r := response{}
	err := s.unpack(ctx, raw, &q)
	if err == nil {
		var j *job
		if j, err = q.job(); err == nil {
			var rep reply
			rep, err = s.await(ctx, j, q.Patience)
			r.Answer, r.Changed = rep.answer, rep.changed
		}
	}
	switch p := problem.Of(err); {
	case errors.Is(err, errMoved):
		r.Moved = true
	case errors.Is(err, errNobodyListens):
		return
	case p != nil:
		r.Problem = p
	case err != nil:
		r.Error = err.Error()
	}
	stored, cancel := context.WithTimeout(context.WithoutCancel(ctx), commitMax)
	defer cancel()
	out, err := s.pack(stored, q.workspace(), r)
	if err != nil {
		s.cfg.Log.WarnContext(ctx, "another server gets no answer", "shard", s.n, "err", err)
		return
	}
	answer(out)
}

var errNobodyListens = errors.New("nobody listens to the answer any more")

// await takes another server's input into the inbox and waits for its reply.
func (s *shard) await(ctx context.Context, j *job, patience time.Duration) (reply, error) {
	if ctx.Err() != nil {
		return reply{}, errMoved
	}
	limit := time.NewTimer(patience) //nolint:forbidigo // a time limit
	defer limit.Stop()
	select {
	case s.inbox <- j:
	case <-ctx.Done():
		return reply{}, errMoved
	}
	select {
	case r := <-j.reply:
		return r, r.err
	case <-limit.C:
		j.quit.Store(true)
		return reply{}, errNobodyListens
	case <-s.over:
		return reply{}, errMoved
	}
}

func questionOf(j *job) (*question, error) {
	q := &question{Run: j.run, Workspace: j.workspace, Fresh: j.fresh, Start: j.start, Wait: j.wait, Revive: j.revive}
	if j.start != nil {
		return q, nil // the input follows from it
	}
	var err error
	if q.Kind = kindOf(j.input); q.Kind == "" {
		return nil, fmt.Errorf("an input %T does not travel", j.input)
	}
	if q.Input, err = json.Marshal(j.input); err != nil {
		return nil, fmt.Errorf("write an input: %w", err)
	}
	return q, nil
}

func (q *question) job() (*job, error) {
	j := &job{run: q.Run, workspace: q.Workspace, fresh: q.Fresh, start: q.Start, wait: q.Wait, revive: q.Revive, reply: make(chan reply, 1)}
	if q.Start != nil {
		j.input = q.Start.input()
		return j, nil
	}
	var err error
	if j.input, err = inputOf(q.Kind, q.Input); err != nil {
		return nil, err
	}
	return j, nil
}

// kindOf names the inputs that may come from another server.
func kindOf(in machine.Input) string {
	switch in.(type) {
	case machine.Signal:
		return "signal"
	case machine.Decide:
		return "decide"
	case machine.Called:
		return "called"
	case machine.ItemsOver:
		return "items_over"
	case machine.Gathered:
		return "gathered"
	case machine.Pause:
		return "pause"
	case machine.Resume:
		return "resume"
	case machine.RollBack:
		return "roll_back"
	case machine.Resolve:
		return "resolve"
	case machine.Wake:
		return "wake"
	case machine.Cancel:
		return "cancel"
	case machine.Arrange:
		return "arrange"
	case machine.Advance:
		return "advance"
	case machine.Release:
		return "release"
	default:
		return ""
	}
}

func inputOf(kind string, raw json.RawMessage) (machine.Input, error) {
	switch kind {
	case "signal":
		return read[machine.Signal](raw)
	case "decide":
		return read[machine.Decide](raw)
	case "called":
		return read[machine.Called](raw)
	case "items_over":
		return read[machine.ItemsOver](raw)
	case "gathered":
		return read[machine.Gathered](raw)
	case "pause":
		return read[machine.Pause](raw)
	case "resume":
		return read[machine.Resume](raw)
	case "roll_back":
		return read[machine.RollBack](raw)
	case "resolve":
		return read[machine.Resolve](raw)
	case "wake":
		return read[machine.Wake](raw)
	case "cancel":
		return read[machine.Cancel](raw)
	case "arrange":
		return read[machine.Arrange](raw)
	case "advance":
		return read[machine.Advance](raw)
	case "release":
		return read[machine.Release](raw)
	default:
		return nil, fmt.Errorf("another server sent an input %q, which is not known here", kind)
	}
}

func read[T machine.Input](raw json.RawMessage) (machine.Input, error) {
	var in T
	if err := json.Unmarshal(raw, &in); err != nil {
		return nil, fmt.Errorf("read an input of another server: %w", err)
	}
	return in, nil
}
