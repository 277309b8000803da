package runtime

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"signalbox/engine/event"
	"signalbox/engine/machine"
	"signalbox/engine/problem"
	"signalbox/engine/runtime/brief"
)

// Limits of a sandbox, which works while somebody waits for it.
const (
	sandboxShared = 5_000 // events of the run that it begins as
	sandboxEvents = 5_000 // events of its own
	sandboxWithin = 3 * time.Second
)

// Reasons why a sandbox stops before the run is over.
const (
	StopNoResult = "no_result"  // a step would act outside, and no result of it was recorded
	StopWaits    = "waits"      // a step waits for somebody, and no answer was recorded
	StopTooLong  = "too_long"   // it has as many events as a sandbox may have
	stopOpen     = "still_open" // there is nothing left to try: the source stands here as well
)

// Sandboxed is what became of a run in a sandbox.
type Sandboxed struct {
	Events  []brief.Brief // from the first one on
	Shared  int           // how many of them are those of the source
	Status  string
	Stopped *Stop // nil: the run came to its end
}

// Stop says why a sandbox went no further.
type Stop struct {
	Node string // key; empty: the run as a whole
	Why  string
}

// Sandbox plays what would follow if an event of a run had put something else
// out. Nothing outside is called and nothing is stored: the pure machine is
// driven in memory, on a clock that jumps to whatever comes next. A step that
// would act outside gets the result that is recorded of it; a mock gives its
// scripted answer; a step without either ends the sandbox.
func (e *Engine) Sandbox(ctx context.Context, r ForkRequest) (Sandboxed, error) {
	ctx, cancel := context.WithTimeout(ctx, sandboxWithin)
	defer cancel()
	b, err := e.branch(ctx, r)
	if err != nil {
		return Sandboxed{}, err
	}
	if len(b.facts) > sandboxShared {
		return Sandboxed{}, problem.New(problem.TooLarge, "A sandbox may share at most %d events with the run.", sandboxShared)
	}
	x := &sandbox{engine: e, branch: b, all: b.facts, now: b.facts[len(b.facts)-1].At, record: recordOf(b.whole)}
	x.live = &live{m: b.m, row: b.source.NewRun}
	x.live.s = b.m.New(r.Run.String())
	x.live.equip(&e.cfg)
	if err := b.m.Fold(x.live.s, b.facts...); err != nil {
		return Sandboxed{}, fmt.Errorf("repeat the beginning of run %s: %w", r.Run, err)
	}
	stop, err := x.play(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		stop, err = &Stop{Why: StopTooLong}, nil
	}
	if err != nil {
		return Sandboxed{}, fmt.Errorf("play run %s in a sandbox: %w", r.Run, err)
	}
	out := Sandboxed{Events: make([]brief.Brief, len(x.all)), Shared: len(b.facts), Stopped: stop}
	for i, fact := range x.all {
		out.Events[i] = brief.Of(fact)
	}
	out.Status = RowOf(b.m, x.live.s, x.now).Status
	return out, nil
}

// sandbox is one play.
type sandbox struct {
	engine *Engine
	branch *branch
	live   *live
	all    []machine.Event
	now    time.Time // as the run sees it
	due    []coming  // what will come in, in no order
	record map[visitName]outcome
	stuck  *Stop // the first step that nothing could answer
}

// coming is an input that is on its way.
type coming struct {
	at    time.Time
	input machine.Input
}

// visitName is a visit of a node, wherever it is; number 0 is the last one.
type visitName struct {
	node   string
	number int
}

// outcome is how a visit ended in the source.
type outcome struct {
	output event.Value
	err    *event.Error
	port   string
	took   time.Duration
}

// recordOf collects what the steps of a run gave.
func recordOf(log []machine.Event) map[visitName]outcome {
	out := map[visitName]outcome{}
	began := map[visitName]time.Time{}
	keep := func(node string, visit int, o outcome) {
		out[visitName{node, visit}] = o
		out[visitName{node, 0}] = o
	}
	for _, e := range log {
		switch f := e.Fact.(type) {
		case *machine.TaskScheduled:
			began[visitName{f.Node, f.Visit}] = e.At
		case *machine.WaitStarted:
			began[visitName{f.Node, f.Visit}] = e.At
		case *machine.CallStarted:
			began[visitName{f.Node, f.Visit}] = e.At
		case *machine.TaskCompleted:
			keep(f.Node, f.Visit, outcome{output: f.Output, took: e.At.Sub(began[visitName{f.Node, f.Visit}])})
		case *machine.WaitCompleted:
			keep(f.Node, f.Visit, outcome{output: f.Output, port: f.Port, took: e.At.Sub(began[visitName{f.Node, f.Visit}])})
		case *machine.TaskFailed:
			err := f.Error
			keep(f.Node, f.Visit, outcome{err: &err, took: e.At.Sub(began[visitName{f.Node, f.Visit}])})
		}
	}
	return out
}

// recorded is how a visit ended in the source, else how the node's last one did.
func (x *sandbox) recorded(node string, visit int) (outcome, bool) {
	if o, ok := x.record[visitName{node, visit}]; ok {
		return o, true
	}
	o, ok := x.record[visitName{node, 0}]
	return o, ok
}

// play goes on until the run is over, or nothing can come in any more.
func (x *sandbox) play(ctx context.Context) (*Stop, error) {
	m, s := x.live.m, x.live.s
	for _, c := range m.Pending(s) {
		x.answer(c)
	}
	for _, f := range openWaits(x.branch.facts) {
		x.wait(f)
	}
	if err := x.engine.supplyFork(ctx, x.branch, x.live); err != nil {
		return nil, err
	}
	more, err := m.Settle(s, x.now)
	for {
		if err != nil {
			return nil, err //nolint:wrapcheck // named by the caller
		}
		if err := x.took(ctx, more); err != nil {
			return nil, err
		}
		switch {
		case s.Status.Over():
			return nil, nil
		case x.stuck != nil && x.stuck.Why == StopNoResult:
			return x.stuck, nil
		case len(x.all)-len(x.branch.facts) > sandboxEvents:
			return &Stop{Why: StopTooLong}, nil
		}
		in, ok := x.next()
		if !ok {
			if x.stuck != nil {
				return x.stuck, nil
			}
			return &Stop{Why: stopOpen}, nil
		}
		more, err = m.Step(s, in, x.now)
	}
}

// openWaits are those that began in a log and did not end in it.
func openWaits(log []machine.Event) []*machine.WaitStarted {
	var list []*machine.WaitStarted
	over := map[machine.VisitRef]bool{}
	for i := len(log) - 1; i >= 0; i-- {
		switch f := log[i].Fact.(type) {
		case *machine.WaitCompleted:
			over[machine.VisitRef{Scope: f.Scope, Node: f.Node, Visit: f.Visit}] = true
		case *machine.VisitCanceled:
			over[machine.VisitRef{Scope: f.Scope, Node: f.Node, Visit: f.Visit}] = true
		case *machine.WaitStarted:
			if !over[machine.VisitRef{Scope: f.Scope, Node: f.Node, Visit: f.Visit}] {
				list = append(list, f)
			}
		}
	}
	return list
}

// took keeps what followed, and prepares what will answer it.
func (x *sandbox) took(ctx context.Context, more []machine.Event) error {
	if err := ctx.Err(); err != nil {
		return err //nolint:wrapcheck // asked for by the caller
	}
	for digest, data := range x.live.s.Fresh() {
		x.branch.large[digest] = data
	}
	x.all = append(x.all, more...)
	undoing := map[visitName]bool{}
	for _, e := range more {
		switch f := e.Fact.(type) {
		case *machine.TaskScheduled:
			undoing[visitName{f.Node, f.Visit}] = f.Undoes != nil
		case *machine.WaitStarted:
			x.wait(f)
		}
	}
	for _, c := range x.live.m.Commands(x.live.s, more) {
		if d, ok := c.(machine.Dispatch); ok && undoing[visitName{d.Node, d.Visit}] {
			// Nothing was done here, so there is nothing to undo.
			x.later(0, machine.Complete{Scope: d.Scope, Node: d.Node, Visit: d.Visit, Attempt: d.Attempt, Output: json.RawMessage("null")})
			continue
		}
		x.answer(c)
	}
	return x.engine.supplyFork(ctx, x.branch, x.live)
}

// next is what comes in next, and moves the clock there.
func (x *sandbox) next() (machine.Input, bool) {
	first := -1
	for i, a := range x.due {
		if first < 0 || a.at.Before(x.due[first].at) {
			first = i
		}
	}
	wake := x.live.m.WakeAt(x.live.s)
	if first >= 0 && (wake.IsZero() || !wake.Before(x.due[first].at)) {
		a := x.due[first]
		x.due = append(x.due[:first], x.due[first+1:]...)
		x.pass(a.at)
		return a.input, true
	}
	if wake.IsZero() {
		return nil, false
	}
	x.pass(wake)
	return machine.Wake{}, true
}

// pass moves the clock; it never goes back.
func (x *sandbox) pass(to time.Time) {
	if to.After(x.now) {
		x.now = to
	}
}

func (x *sandbox) later(after time.Duration, in machine.Input) {
	x.due = append(x.due, coming{x.now.Add(max(after, 0)), in})
}

func (x *sandbox) stop(node, why string) {
	if x.stuck == nil || x.stuck.Why != StopNoResult {
		x.stuck = &Stop{Node: node, Why: why}
	}
}

// answer prepares what a command gets instead of the world.
func (x *sandbox) answer(c machine.Command) {
	switch c := c.(type) {
	case machine.Dispatch:
		x.task(c)
	case machine.Call:
		o, ok := x.recorded(c.Node, c.Visit)
		if !ok {
			x.stop(c.Node, StopNoResult)
			return
		}
		x.later(o.took, machine.Called{Scope: c.Scope, Node: c.Node, Visit: c.Visit, Child: "sandbox", Over: true, Output: o.output.Inline, Ref: o.output.Payload, Error: o.err})
	case machine.StartItem: // nothing of an item stands in the log of its map
		x.stop(c.Node, StopNoResult)
	default:
		// Withdrawn attempts, canceled calls, answers to callers: there is
		// nobody here who would want to know.
	}
}

func (x *sandbox) task(c machine.Dispatch) {
	if c.Kind == kindMock {
		if answer, took, ok := scripted(c.Config); ok {
			x.later(took, machine.Complete{Scope: c.Scope, Node: c.Node, Visit: c.Visit, Attempt: c.Attempt, Output: answer, Worker: sandboxWorker, Began: x.now})
			return
		}
	}
	o, ok := x.recorded(c.Node, c.Visit)
	switch {
	case !ok:
		x.stop(c.Node, StopNoResult)
	case o.err != nil:
		x.later(o.took, machine.Fail{Scope: c.Scope, Node: c.Node, Visit: c.Visit, Attempt: c.Attempt, Error: *o.err, Worker: sandboxWorker, Began: x.now})
	default:
		x.later(o.took, machine.Complete{
			Scope: c.Scope, Node: c.Node, Visit: c.Visit, Attempt: c.Attempt, Output: outputOf(o.output), Ref: o.output.Payload,
			Worker: sandboxWorker, Began: x.now,
		})
	}
}

const (
	kindMock      = "mock"
	sandboxWorker = "sandbox"
)

// outputOf is a recorded output as a worker would hand it in.
func outputOf(v event.Value) json.RawMessage {
	if v.IsZero() {
		return json.RawMessage("null")
	}
	return v.Inline
}

// scripted is the answer of a mock, whose configuration is resolved already.
func scripted(config event.Value) (answer json.RawMessage, took time.Duration, ok bool) {
	c := struct {
		Answer  json.RawMessage `json:"answer"`
		Latency int             `json:"latency_ms"`
	}{Answer: json.RawMessage(`{"ok":true}`)}
	if len(config.Inline) == 0 || json.Unmarshal(config.Inline, &c) != nil {
		return nil, 0, false
	}
	return c.Answer, time.Duration(c.Latency) * time.Millisecond, true
}

// wait prepares the answer that a wait got in the source.
func (x *sandbox) wait(f *machine.WaitStarted) {
	if f.For == "" {
		return // for time: the clock jumps
	}
	o, ok := x.recorded(f.Node, f.Visit)
	value := outputOf(o.output)
	switch {
	case !ok || o.output.Payload != nil:
		x.stop(f.Node, StopWaits)
	case f.For == machine.ForSignal:
		x.later(o.took, machine.Signal{Name: f.Name, Correlation: f.Correlation, Value: value, By: sandboxWorker})
	default:
		x.later(o.took, machine.Decide{Scope: f.Scope, Node: f.Node, Visit: f.Visit, Port: o.port, Value: value, By: sandboxWorker})
	}
}
