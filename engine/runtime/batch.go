package runtime

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"

	"signalbox/engine/event"
	"signalbox/engine/machine"
	"signalbox/engine/mutant"
	"signalbox/engine/queue"
	"signalbox/engine/runtime/brief"
	"signalbox/engine/task"
)

// batch is one turn in the making, with what follows from it once it is on
// disk.
type batch struct {
	n        int
	jobs     []*job
	turn     Turn
	touched  []*live
	payloads []payload
	tasks    []queue.Entry
	ended    []over
	traces   []trace
	over     []*live
	calls    []placed
	held     []held // replies that wait for the commit
	woken    []held // replies to those who waited for an answer
	sealed   bool
}

type payload struct {
	workspace, digest string
	data              []byte
}

type trace struct {
	of     *live
	events []machine.Event
}

type held struct {
	job    *job
	reply  reply
	silent bool // the job waits for more than the commit
}

func newBatch() *batch { return &batch{} }

func (b *batch) reset() {
	clear(b.jobs)
	clear(b.touched)
	clear(b.traces)
	clear(b.tasks)
	clear(b.ended)
	*b = batch{
		jobs: b.jobs[:0], touched: b.touched[:0], payloads: nil, tasks: b.tasks[:0], ended: b.ended[:0], traces: b.traces[:0],
		over: b.over[:0], held: b.held[:0], woken: b.woken[:0],
		turn: Turn{Events: b.turn.Events[:0], New: b.turn.New[:0], Changed: b.turn.Changed[:0], Notes: b.turn.Notes[:0], Freed: b.turn.Freed[:0]},
	}
}

func (b *batch) hold(j *job, r reply) { b.held = append(b.held, held{j, r, false}) }

// record encodes and chains the events of one run. On an error nothing of
// them stays in the turn.
func (b *batch) record(l *live, events []machine.Event) error {
	kept, noted, hash := len(b.turn.Events), len(b.turn.Notes), l.hash
	for i, e := range events {
		stored, err := machine.Encode(e)
		if err != nil {
			b.turn.Events, b.turn.Notes = b.turn.Events[:kept], b.turn.Notes[:noted]
			return err
		}
		b.note(l, &e)
		b.turn.Notes = appendDead(b.turn.Notes, l, events[i:])
		hash = event.Chain(hash, &stored)
		stored.Hash = hash
		b.turn.Events = append(b.turn.Events, EventRow{Run: l.row.Run, Event: stored})
		l.last = e.At
	}
	l.hash = hash
	return nil
}

// note keeps what an event wrote down for the boards. Test runs write nothing
// down: a trial is no business.
func (b *batch) note(l *live, e *machine.Event) {
	f, ok := e.Fact.(*machine.NodeCompleted)
	if !ok || l.row.Test || f.Point == nil && f.Said == nil {
		return
	}
	b.turn.Notes = append(b.turn.Notes, Note{
		Run: l.row.Run, Seq: e.Seq, At: e.At, Workspace: l.row.Workspace, Workflow: l.row.Workflow, Version: l.row.Version,
		Node: f.Node, Point: f.Point, Said: f.Said,
	})
}

func (b *batch) keepPayloads(l *live) {
	fresh := l.s.Fresh()
	for _, digest := range slices.Sorted(maps.Keys(fresh)) {
		if mutant.On(mutant.ValueNotStored) {
			continue
		}
		b.payloads = append(b.payloads, payload{l.row.Workspace, digest, fresh[digest]})
	}
}

// seal works out which rows change: a row is written when a run is born, and
// then only when something in it other than the number of events changes.
func (s *shard) seal(b *batch) {
	if b.sealed {
		return
	}
	b.sealed = true
	b.turn.Shard, b.turn.Epoch, b.turn.At = s.n, s.epoch, s.cfg.Now()
	b.turn.Freed = s.gate.freed(b.ended, b.turn.Freed)
	for _, l := range b.touched {
		l.touched = false
		l.flying++
		s.armRun(l)
		state := RowOf(l.m, l.s, l.last)
		was := l.row.RunState
		was.Seq = state.Seq
		switch {
		case !l.born:
			l.row.RunState, l.born = state, true
			b.turn.New = append(b.turn.New, l.row)
		case mutant.On(mutant.RowStale) && !l.s.Status.Over():
		case was != state:
			l.row.RunState = state
			b.turn.Changed = append(b.turn.Changed, RunChange{l.row.Run, state})
		}
	}
}

// RowOf is what the row of a run in a state says; last is the time of its last
// event.
func RowOf(m *machine.Machine, s *machine.Snapshot, last time.Time) RunState {
	st := RunState{Status: string(s.Status), Seq: s.Seq, Owed: s.Owed() && !mutant.On(mutant.NothingOwed), Format: machine.Format}
	if !st.Owed { // an owed run is loaded at every start and arms itself
		st.WakeAt = s.Real(m.WakeAt(s))
	}
	switch {
	case s.Status.Over():
	case s.Paused():
		st.Status = StatusPaused
	case s.Status == machine.StatusRunning && s.Waiting(): // else it says itself what holds it
		st.Status = StatusWaiting
	}
	if s.Status.Over() {
		st.EndedAt = last
	}
	if s.Failure != nil {
		st.Error = s.Failure.Message
	}
	return st
}

// finish lets everything happen that follows from a turn on disk.
func (s *shard) finish(ctx context.Context, b *batch) {
	tasks := s.gate.admit(b.tasks)
	s.gate.end(b.ended)
	if len(tasks) > 0 {
		s.send(ctx, tasks)
	}
	for _, l := range b.touched {
		l.flying--
	}
	for _, p := range b.calls {
		s.callers.place(s.life, p)
	}
	for _, t := range b.traces {
		s.publish(t)
		s.cfg.Meter.Events(&t.of.row, t.of.m, t.events)
	}
	for _, h := range b.held {
		if h.silent {
			if h.job.settle != nil {
				h.job.settle()
			}
			continue
		}
		h.job.done(h.reply)
	}
	for _, l := range b.over { // when its own results are settled: seldom is anything left to cancel
		if !mutant.On(mutant.CancelUntold) {
			s.cfg.Channel.CancelTasks(l.row.Workspace, l.row.Run)
		}
		delete(s.runs, l.row.Run)
	}
	for _, h := range b.woken {
		h.job.tell(h.reply)
	}
	s.forget()
}

func (s *shard) publish(t trace) {
	if s.cfg.Watched != nil && !s.cfg.Watched(t.of.row.Workspace, t.of.row.Run) {
		return
	}
	list := make([]brief.Brief, len(t.events))
	for i, e := range t.events {
		list[i] = brief.Of(e)
	}
	raw, err := json.Marshal(list)
	if err != nil {
		return // a brief holds only texts and numbers
	}
	s.cfg.Channel.Trace(t.of.row.Workspace, t.of.row.Run, raw)
}

// Limits of what is kept in memory.
const (
	cacheMax   = 10_000          // runs; above it those that sleep are forgotten
	cacheSleep = 5 * time.Second // a run that sleeps longer may be forgotten
)

// forget drops sleeping runs when there are too many. They come back from
// their events when their time has come, or something comes for them. Looking
// at all of them takes time, so it waits until there are a quarter more.
func (s *shard) forget() {
	if len(s.runs) <= max(cacheMax, s.crowd) {
		return
	}
	soon := s.cfg.Now().Add(cacheSleep)
	for id, l := range s.runs {
		if !l.s.Waiting() || l.touched || l.flying > 0 {
			continue
		}
		if at := l.wakeAt(); at.IsZero() || at.After(soon) {
			delete(s.runs, id)
		}
	}
	s.crowd = len(s.runs) + len(s.runs)/4
}

// recover loads what an earlier owner left under way.
func (s *shard) recover(ctx context.Context) error {
	s.swept = s.cfg.Now()
	if err := s.gate.own(ctx, s); err != nil {
		return fmt.Errorf("find the slots that are taken: %w", err)
	}
	if err := s.recoverOwed(ctx); err != nil {
		return err
	}
	if !s.missed {
		s.gate.settle(s)
	}
	if err := s.recoverDue(ctx); err != nil {
		return err
	}
	s.arm()
	return nil
}

// recoverOwed hands out again every attempt whose result is not on disk.
func (s *shard) recoverOwed(ctx context.Context) error {
	if mutant.On(mutant.OwedNotRecovered) {
		return nil
	}
	const page = 1_000
	for after := (uuid.UUID{}); ; {
		runs, err := s.cfg.Store.Owed(ctx, s.n, after, page)
		if err != nil {
			return err
		}
		var tasks []task.Task
		for _, run := range runs {
			after = run
			l := s.runs[run]
			if l == nil {
				if l, err = s.fetch(ctx, run); err != nil {
					s.cfg.Log.ErrorContext(ctx, "a run cannot be recovered", "run", run, "err", err)
					s.missed = s.missed || unreadable(err) == nil // else it cannot the next time either
					continue
				}
			}
			tasks = s.pending(tasks, l)
		}
		s.offer(tasks)
		if len(runs) < page {
			return nil
		}
	}
}

// pending adds the attempts of a run whose result is not on disk.
func (s *shard) pending(tasks []task.Task, l *live) []task.Task {
	var owed []queue.Entry
	for _, c := range l.m.Pending(l.s) {
		switch c := c.(type) {
		case machine.Dispatch:
			t := s.taskOf(l, c)
			owed = append(owed, entryOf(&t, &c, l.last))
		case machine.Call, machine.StartItem, machine.Gather:
			if forgets(c) {
				continue
			}
			s.callers.place(s.life, placed{row: l.row, epoch: s.epoch, command: c})
		}
	}
	return append(tasks, s.gate.admit(owed)...)
}

// forgets reports whether a planted bug leaves out what is still owed.
func forgets(c machine.Command) bool {
	switch c.(type) {
	case machine.Call:
		return mutant.On(mutant.CallNotRecovered)
	case machine.StartItem:
		return mutant.On(mutant.ItemsNotRecovered)
	case machine.Gather:
		return mutant.On(mutant.GatherLost)
	}
	return false
}

// offer hands tasks out again, unless the queue to the dispatcher is full: then
// the next sweep tries again.
func (s *shard) offer(tasks []task.Task) {
	if len(tasks) == 0 {
		return
	}
	s.sending.Add(1)
	select {
	case s.tasks <- outgoing{tasks: tasks}:
	default:
		s.sending.Add(-1)
	}
}
