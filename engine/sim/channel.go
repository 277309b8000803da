package sim

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"signalbox/engine/event"
	"signalbox/engine/expr"
	"signalbox/engine/reference"
	"signalbox/engine/runtime"
	"signalbox/engine/task"
)

// place names one attempt of any run.
type place struct {
	run            string
	scope          int
	node           string
	visit, attempt int
}

func placeOf(t task.Task) place { return place{t.Run, t.Scope, t.Node, t.Visit, t.Attempt} }

func (p place) compare(q place) int {
	return cmp.Or(strings.Compare(p.run, q.run), cmp.Compare(p.scope, q.scope), strings.Compare(p.node, q.node), cmp.Compare(p.visit, q.visit), cmp.Compare(p.attempt, q.attempt))
}

// message is a task in the channel. Only the scheduler touches it.
type message struct {
	task    task.Task
	outcome reference.Outcome
	began   time.Time
	deaths  int // workers that it still takes with it
	busy    bool
	done    bool // its result is there
	gone    bool // settled, withdrawn or lost
}

// channel is what one server sees of the channel.
type channel struct{ s *server }

var _ runtime.Channel = channel{}

// Dispatch implements runtime.Channel.
func (c channel) Dispatch(ctx context.Context, tasks []task.Task) error {
	s, w := c.s, c.s.w
	shard := nameOf(tasks[0].Shard) // each has a dispatcher of its own
	s.travel("dispatch " + shard)
	if err := s.gate(ctx, "dispatch "+shard, w.plan.DispatchFails); err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if s.draw("crash before the dispatch "+shard) < w.plan.Crash {
		return s.die()
	}
	tasks = slices.Clone(tasks)
	slices.SortFunc(tasks, func(a, b task.Task) int { return placeOf(a).compare(placeOf(b)) })
	half := s.draw("crash in the dispatch "+shard) < w.plan.Crash
	if half {
		tasks = tasks[:len(tasks)/2]
	}
	for _, t := range tasks {
		w.dispatched(t)
	}
	w.fresh = append(w.fresh, tasks...)
	w.wake()
	if half {
		return s.die()
	}
	return nil
}

// Results implements runtime.Channel.
func (c channel) Results(ctx context.Context, shard int, deliver func(runtime.Delivered)) error {
	c.s.w.mu.Lock()
	c.s.deliver[shard] = deliver
	c.s.w.mu.Unlock()
	<-ctx.Done()
	c.s.w.mu.Lock()
	defer c.s.w.mu.Unlock()
	delete(c.s.deliver, shard)
	return ctx.Err() //nolint:wrapcheck // the end of it
}

// Trace implements runtime.Channel.
func (c channel) Trace(_ string, run uuid.UUID, briefs []byte) {
	c.s.nap()
	c.s.w.mu.Lock()
	defer c.s.w.mu.Unlock()
	if !c.s.dead {
		c.s.w.traced(run, briefs)
	}
}

// CancelTasks implements runtime.Channel.
func (c channel) CancelTasks(_ string, run uuid.UUID) {
	c.s.w.mu.Lock()
	defer c.s.w.mu.Unlock()
	if c.s.dead {
		return
	}
	delete(c.s.notices, run)
	c.s.w.canceled = append(c.s.w.canceled, run)
	c.s.w.wake()
}

// Lost implements runtime.Channel.
func (c channel) Lost() <-chan struct{} { return c.s.lost }

// queue puts a task into the channel, unless it is there.
func (w *world) queue(t task.Task) {
	p := placeOf(t)
	if w.messages[p] != nil && !w.messages[p].gone {
		return
	}
	w.mu.Lock()
	b := w.byRun[uuid.MustParse(t.Run)]
	o := b.outcome(t)
	w.mu.Unlock()
	m := &message{task: t, outcome: o}
	if w.luck(w.plan.Poison) {
		m.deaths = 1 + w.rng.IntN(3)
	}
	w.messages[p] = m
	w.in(w.delay(), "", func() { w.take(m) })
	if w.luck(w.plan.Repeat) { // the queue gives it to two
		w.in(w.delay(), "", func() { w.work(m) })
	}
}

// delay is how long a message is on its way.
func (w *world) delay() time.Duration {
	if w.luck(w.plan.Slow) {
		return w.between(time.Millisecond, 8*time.Second)
	}
	return w.between(10*time.Microsecond, 2*time.Millisecond)
}

// take gives a message to a worker.
func (w *world) take(m *message) {
	if m.gone || m.busy || m.done {
		return
	}
	if m.deaths > 0 || w.luck(w.plan.Drop/2) {
		m.deaths = max(0, m.deaths-1)
		w.in(w.between(time.Second, 5*time.Second), "", func() { w.take(m) }) // another one gets it
		return
	}
	w.work(m)
}

// work does a task. A repeated one is done twice: its effect has a key.
func (w *world) work(m *message) {
	if m.gone {
		return
	}
	m.busy = true
	m.began = w.now()
	w.in(max(m.outcome.After, time.Microsecond), "", func() {
		m.busy, m.done = false, true
		w.send(m)
	})
}

// send hands a result to the owner of the shard, again and again until it is
// settled.
func (w *world) send(m *message) {
	if m.gone {
		return
	}
	again := w.between(500*time.Millisecond, 4*time.Second)
	w.toEngine(again, "", func() { w.send(m) })
	if w.luck(w.plan.Drop) {
		return
	}
	w.toEngine(w.delay(), "", func() { w.hand(m) })
	if w.luck(w.plan.Repeat) {
		w.toEngine(w.delay(), "", func() { w.hand(m) })
	}
}

// owner is the server that takes the results of a shard at the moment.
func (w *world) owner(shard int) (*server, func(runtime.Delivered)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, s := range w.servers {
		if !s.dead && !s.frozen && s.deliver[shard] != nil && !s.slow(shard) {
			return s, s.deliver[shard]
		}
	}
	return nil, nil
}

func (w *world) hand(m *message) {
	s, deliver := w.owner(m.task.Shard)
	if deliver == nil {
		return // it is sent again
	}
	t := m.task
	r := task.Result{
		Workspace: t.Workspace, Run: t.Run, Shard: t.Shard, Node: t.Node, Scope: t.Scope, Visit: t.Visit, Attempt: t.Attempt,
		Worker: "worker", StartedAt: m.began, EndedAt: w.now(),
	}
	if e := m.outcome.Error; e != nil {
		r.Error = &event.Error{Class: e.Class, Message: e.Message}
	} else {
		raw, err := expr.Marshal(m.outcome.Output)
		if err != nil {
			panic(err)
		}
		r.Output = json.RawMessage(raw)
	}
	p := placeOf(t)
	w.say("result of %s visit %d attempt %d", t.Node, t.Visit, t.Attempt)
	deliver(runtime.Delivered{Result: r, Settle: func() { s.settle(p) }})
}

// settle is the engine's word that a result is of no use any more.
func (s *server) settle(p place) {
	s.w.mu.Lock()
	defer s.w.mu.Unlock()
	if s.dead || s.frozen {
		return
	}
	s.w.mustBeOver(p)
	name := fmt.Sprint(p)
	if s.draw("crash before the acknowledgment "+name) < s.w.plan.Crash {
		_ = s.die()
		return
	}
	if s.draw("unacked "+name) < s.w.plan.Unacked {
		return
	}
	s.w.settled = append(s.w.settled, p)
	s.w.wake()
}

func (w *world) acknowledged(p place) {
	if m := w.messages[p]; m != nil {
		m.gone = true
	}
}

// withdraw takes the tasks of a run back that nobody wants any more.
func (w *world) withdraw(run uuid.UUID) {
	for p, m := range w.messages { // what becomes of one does not depend on another
		if p.run == run.String() {
			m.gone = true
		}
	}
}

// wipe loses everything that the channel holds.
func (w *world) wipe() {
	for _, m := range w.messages { // the same
		m.gone = true
	}
	if w.luck(0.2) {
		return // nobody notices
	}
	for _, s := range w.servers {
		w.mu.Lock()
		held := len(s.held) > 0
		w.mu.Unlock()
		if held {
			continue // the sweep will find out
		}
		select {
		case s.lost <- struct{}{}:
		default:
		}
	}
}
