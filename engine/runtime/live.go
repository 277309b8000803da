package runtime

import (
	"container/heap"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"signalbox/engine/event"
	"signalbox/engine/machine"
	"signalbox/engine/mutant"
	"signalbox/engine/problem"
	"signalbox/engine/queue"
	"signalbox/engine/route"
	"signalbox/engine/task"
)

// live is one run in memory.
type live struct {
	row     NewRun // as last written, or about to be
	born    bool   // its row is written, or in a turn on its way
	touched bool   // by the turn that is being made
	flying  int    // turns under way that name it
	m       *machine.Machine
	s       *machine.Snapshot
	hash    [32]byte
	last    time.Time // of its last event: time never goes back within a run
}

// wakeAt is the real time at which the run wants a Wake.
func (l *live) wakeAt() time.Time { return l.s.Real(l.m.WakeAt(l.s)) }

// errNoRun: there is nothing that this input could reach.
var errNoRun = errors.New("no such run")

// load finds the run of a job in memory, in the store, or makes it.
func (s *shard) load(ctx context.Context, j *job) (*live, error) {
	if l := s.runs[j.run]; l != nil {
		return l, nil
	}
	if !j.fresh {
		l, err := s.fetch(ctx, j.run)
		if err == nil || !errors.Is(err, ErrNotFound) {
			return l, err
		}
	}
	if j.start == nil {
		return nil, errNoRun
	}
	return s.create(ctx, j)
}

func (s *shard) create(ctx context.Context, j *job) (*live, error) {
	r := j.start
	m, err := s.machines.get(ctx, r.Version)
	if errors.Is(err, ErrNotFound) {
		return nil, errNoRun
	}
	if err != nil {
		return nil, err
	}
	l := &live{m: m, row: NewRun{
		Run: j.run, Workspace: r.Workspace, Workflow: r.Workflow, Version: r.Version,
		Trigger: r.Trigger, Source: r.Source, Test: r.Test, Attributes: r.Attributes, Semantics: m.Semantics,
	}}
	s.adopt(l)
	return l, nil
}

// adopt gives a run its empty state and its place in memory.
func (s *shard) adopt(l *live) {
	l.s = l.m.New(l.row.Run.String())
	l.equip(s.cfg)
	s.runs[l.row.Run] = l
}

// equip gives a state what it sees of the world.
func (l *live) equip(cfg *Config) {
	l.s.Routes, l.s.Workspace = cfg.Queues.Choose, l.row.Workspace
	l.s.Workflow, l.s.Version = l.row.Workflow.String(), l.row.Version.String()
	l.s.Inside = cfg.Inside
}

// fetch rebuilds a run from its events.
func (s *shard) fetch(ctx context.Context, run uuid.UUID) (*live, error) {
	rec, err := s.cfg.Store.Load(ctx, run)
	if err != nil {
		return nil, fmt.Errorf("load run %s: %w", run, err)
	}
	m, err := s.machines.get(ctx, rec.Version)
	if err != nil {
		return nil, err
	}
	l := &live{m: m, row: rec.NewRun, born: true, hash: rec.LastHash}
	if mutant.On(mutant.ChainRestarts) {
		l.hash = [32]byte{}
	}
	s.adopt(l)
	for _, stored := range rec.Events {
		e, err := machine.Decode(stored)
		if err == nil {
			err = m.Fold(l.s, e)
		}
		if err != nil {
			delete(s.runs, run)
			return nil, &unreadableError{run, err}
		}
		l.last = e.At
	}
	if err := s.supply(ctx, l); err != nil {
		delete(s.runs, run)
		return nil, err
	}
	s.armRun(l)
	return l, nil
}

// supply loads the large values that expressions may still read.
func (s *shard) supply(ctx context.Context, l *live) error {
	for _, digest := range l.s.Needs() {
		data, err := s.cfg.Store.Payload(ctx, l.row.Workspace, digest)
		if errors.Is(err, ErrNotFound) {
			return &unreadableError{l.row.Run, fmt.Errorf("its value %s is not stored", digest)}
		}
		if err != nil {
			return fmt.Errorf("load a large value of run %s: %w", l.row.Run, err)
		}
		l.s.Supply(digest, data)
	}
	return nil
}

// armRun sets the timer of a run.
func (s *shard) armRun(l *live) {
	if at := l.wakeAt(); !at.IsZero() && at.Before(s.cfg.Now().Add(sweepHorizon)) {
		heap.Push(&s.timers, timer{at: at, run: l.row.Run})
		s.arm()
	}
}

// apply takes one input into the turn.
func (s *shard) apply(ctx context.Context, b *batch, j *job) {
	if s.broken[j.run] {
		s.deferred = append(s.deferred, j)
		return
	}
	if mutant.On(mutant.AckFirst) && j.settle != nil {
		j.settle()
	}
	b.jobs = append(b.jobs, j)
	b.n++
	if s.fault != nil {
		return // the turn will not be; the job comes again
	}
	l, err := s.load(ctx, j)
	switch {
	case foreign(err) != nil && j.result != nil:
		return // it is not settled, and comes again to a server that knows the run
	case foreign(err) != nil:
		b.hold(j, reply{err: refusal(err)})
		return
	case unreadable(err) != nil:
		s.cfg.Log.ErrorContext(ctx, "what is stored of a run cannot be read, so it does not go on", "run", j.run, "err", err)
		b.hold(j, reply{err: refusal(err)})
		return
	case errors.Is(err, errNoRun), err == nil && j.workspace != "" && j.workspace != l.row.Workspace:
		b.hold(j, reply{err: problem.New(problem.NotFound, "There is no such run.")})
		return
	case err != nil:
		s.fault = err
		return
	}
	if j.look != nil {
		s.showTo(b, l, j)
		return
	}
	if j.wait != WaitNone && !slices.Contains(s.waiters[j.run], j) {
		listening := slices.DeleteFunc(s.waiters[j.run], func(o *job) bool { return o.quit.Load() })
		s.waiters[j.run] = append(listening, j)
	}
	if j.revive && !l.touched && l.flying == 0 {
		s.offer(s.pending(nil, l))
	}
	input, err := s.input(ctx, l, j)
	if err != nil {
		s.fault = err
		return
	}
	changed := s.step(b, l, input)
	if s.waiters[j.run] != nil {
		s.answer(b, l)
	}
	if l.s.Status.Over() && !l.touched && l.flying == 0 {
		delete(s.runs, j.run) // it was loaded only to see that it is over
	}
	if j.wait == WaitNone {
		if mutant.On(mutant.ReplyFirst) && j.reply != nil && len(j.reply) == 0 {
			j.reply <- reply{changed: changed}
			j.reply = nil
		}
		b.hold(j, reply{changed: changed})
	} else {
		b.held = append(b.held, held{j, reply{}, true})
	}
}

// showTo lets a job look at a run.
func (s *shard) showTo(b *batch, l *live, j *job) {
	j.look(l)
	if l.s.Status.Over() && !l.touched && l.flying == 0 {
		delete(s.runs, j.run)
	}
	b.hold(j, reply{})
}

// input is what the machine gets: a worker's result is translated, and a large
// value that it names is loaded.
func (s *shard) input(ctx context.Context, l *live, j *job) (machine.Input, error) {
	r := j.result
	if r == nil {
		return j.input, s.supplyItem(ctx, l, j)
	}
	began := r.StartedAt.UTC().Truncate(time.Microsecond)
	if now := s.cfg.Now(); !r.StartedAt.IsZero() {
		began = began.Add(l.s.Clock(now).Sub(now)).UTC().Truncate(time.Microsecond) // in the time of the run
	}
	if r.Error != nil {
		return machine.Fail{
			Scope: r.Scope, Node: r.Node, Visit: r.Visit, Attempt: r.Attempt, Error: *r.Error,
			RetryAfter: r.RetryAfter, Worker: r.Worker, Began: began,
		}, nil
	}
	if ref := r.OutputRef; ref != nil && ref.Size <= machine.LoadedMax {
		data, err := s.cfg.Store.Payload(ctx, l.row.Workspace, ref.Digest)
		if errors.Is(err, ErrNotFound) {
			return machine.Fail{Scope: r.Scope, Node: r.Node, Visit: r.Visit, Attempt: r.Attempt, Error: event.Error{Class: "internal", Message: "the worker's large result was never stored"}}, nil
		}
		if err != nil {
			return nil, fmt.Errorf("load a worker's result: %w", err)
		}
		l.s.Supply(ref.Digest, data)
	}
	return machine.Complete{
		Scope: r.Scope, Node: r.Node, Visit: r.Visit, Attempt: r.Attempt, Output: r.Output, Ref: r.OutputRef,
		Worker: r.Worker, Began: began,
	}, nil
}

// supplyItem loads what the run of an item sees of the outside, before its first
// input.
func (s *shard) supplyItem(ctx context.Context, l *live, j *job) error {
	if j.start == nil || j.start.Item == nil || j.start.Item.Around.Payload == nil || l.s.Status != machine.StatusNew {
		return nil
	}
	digest := j.start.Item.Around.Payload.Digest
	data, err := s.cfg.Store.Payload(ctx, l.row.Workspace, digest)
	if errors.Is(err, ErrNotFound) {
		return nil // an expression that reads it fails
	}
	if err != nil {
		return fmt.Errorf("load what is around an item: %w", err)
	}
	l.s.Supply(digest, data)
	return nil
}

// step runs the machine and keeps what follows for the turn. A run that its
// machine cannot carry on is put aside and ended on its own; the others go on.
func (s *shard) step(b *batch, l *live, in machine.Input) bool {
	now := s.cfg.Now().UTC().Truncate(time.Microsecond)
	at := l.s.Clock(now)
	if at.Before(l.last) && !mutant.On(mutant.TimeGoesBack) {
		at = l.last
	}
	if r, releases := in.(machine.Release); releases {
		r.Now = now
		in = r
	}
	events, err := safely(l, in, at)
	if err == nil {
		err = b.record(l, events)
	}
	if err != nil {
		s.cfg.Log.Error("a run cannot be carried on and is ended", "run", l.row.Run, "err", err)
		s.broken[l.row.Run] = true
		delete(s.runs, l.row.Run)
		return false
	}
	if len(events) == 0 {
		s.armRun(l) // a run that was loaded wants to be looked at once; it has been, and may wait for another time now
		return false
	}
	if !l.touched {
		l.touched = true
		b.touched = append(b.touched, l)
	}
	b.keepPayloads(l)
	s.effects(b, l, events)
	return true
}

func safely(l *live, in machine.Input, at time.Time) (events []machine.Event, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic in the machine: %v", p)
		}
	}()
	return l.m.Step(l.s, in, at)
}

// repair ends runs that were put aside, when no turn that names them is under
// way: each is loaded again as it is on disk, and closed.
func (s *shard) repair(ctx context.Context, b *batch) {
	broken, deferred := s.broken, s.deferred
	s.broken, s.deferred = map[uuid.UUID]bool{}, nil
	for _, run := range inOrder(broken) {
		s.apply(ctx, b, &job{run: run, input: machine.Abort{Message: "Signalbox could not carry this run on; its log says why."}})
	}
	for _, j := range deferred {
		s.apply(ctx, b, j)
	}
}

// effects derives what has to happen outside once the turn is on disk.
func (s *shard) effects(b *batch, l *live, events []machine.Event) {
	if mutant.On(mutant.TraceFirst) {
		s.publish(trace{l, events})
	}
	b.traces = append(b.traces, trace{l, events})
	b.ended = ends(s.n, l, events, b.ended)
	for _, c := range l.m.Commands(l.s, events) {
		switch c := c.(type) {
		case machine.Dispatch:
			t := s.taskOf(l, c)
			if mutant.On(mutant.DispatchFirst) {
				s.offer(s.gate.admit([]queue.Entry{entryOf(&t, &c, l.last)}))
			}
			b.tasks = append(b.tasks, entryOf(&t, &c, l.last))
		case machine.Call, machine.CancelCall, machine.StartItem, machine.CancelItems, machine.HoldItems, machine.Gather:
			p := placed{l.row, s.epoch, c, true}
			if mutant.On(mutant.CallFirst) {
				s.callers.place(s.life, p)
				continue
			}
			b.calls = append(b.calls, p)
		case machine.Withdraw: // its result is not taken any more; the worker's effect cannot be stopped
		case machine.Finish:
			b.over = append(b.over, l)
		case machine.Answer: // read from the state by answer
		}
	}
}

func (s *shard) taskOf(l *live, d machine.Dispatch) task.Task {
	return task.Task{
		Workspace: l.row.Workspace, Workflow: l.row.Workflow.String(), Run: l.row.Run.String(), Shard: s.n,
		Scope: d.Scope, Node: d.Node, Visit: d.Visit, Attempt: d.Attempt, Kind: d.Kind, Queue: route.In(l.row.Workspace, d.Queue), Priority: d.Priority,
		Config: d.Config, Key: d.Key, Timeout: d.Timeout, Labels: labelsOf(d.Labels),
	}
}

func labelsOf(labels map[string]string) json.RawMessage {
	if len(labels) == 0 {
		return nil
	}
	raw, err := json.Marshal(labels)
	if err != nil {
		return nil // it holds only texts
	}
	return raw
}

// answer replies to those who wait for a run, as far as it has got.
func (s *shard) answer(b *batch, l *live) {
	over := l.s.Status.Over()
	given, answered := l.s.Answered()
	var left []*job
	for _, j := range s.waiters[l.row.Run] {
		switch {
		case j.wait == WaitAnswer && answered:
			b.woken = append(b.woken, held{j, reply{answer: &Answer{Status: given.Status, Headers: given.Headers, Body: given.Body, Run: string(l.s.Status)}}, false})
		case over:
			b.woken = append(b.woken, held{j, reply{answer: s.ending(l)}, false})
		default:
			left = append(left, j)
		}
	}
	if len(left) == 0 {
		delete(s.waiters, l.row.Run)
	} else {
		s.waiters[l.row.Run] = left
	}
}

// ending is what a run that is over says to whoever waited for its end.
func (s *shard) ending(l *live) *Answer {
	body, err := l.s.Result(l.m)
	if err != nil {
		body = json.RawMessage("null")
	}
	return &Answer{Body: body, Run: string(l.s.Status), Error: l.s.Failure}
}
