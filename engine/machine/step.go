package machine

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"strings"
	"time"

	"signalbox/engine/event"
	"signalbox/engine/expr"
	"signalbox/engine/mutant"
)

// Ports that the machine itself knows.
const (
	PortSuccess = "success"
	PortFailure = "failure"
	PortTrue    = "true"
	PortFalse   = "false"
	PortDefault = "default"
)

// step is one call of Step.
type step struct {
	m      *Machine
	s      *Snapshot
	at     time.Time
	events []Event
}

// Step takes one input and returns what follows from it, already folded into
// s. No events and no error: the input changed nothing (it came twice, too
// late, or too early). On an error s is of no use and must be loaded again.
func (m *Machine) Step(s *Snapshot, in Input, at time.Time) ([]Event, error) {
	st := &step{m: m, s: s, at: at.UTC().Truncate(time.Microsecond)}
	if err := st.take(in); err != nil {
		return nil, err
	}
	if s.Status.Over() || len(st.events) == 0 && s.unsettled() == nil && !m.skips(s) {
		return st.events, nil
	}
	if err := st.settle(); err != nil {
		return nil, err
	}
	if err := st.skip(); err != nil {
		return nil, err
	}
	return st.events, nil
}

// emit folds a fact and keeps it: there is no other way to change the state.
func (st *step) emit(f Fact) error {
	e := Event{Seq: st.s.Seq + 1, At: st.at, Fact: f}
	if err := st.m.Fold(st.s, e); err != nil {
		return err
	}
	st.events = append(st.events, e)
	return nil
}

func (st *step) take(in Input) error {
	switch in := in.(type) {
	case Start:
		return st.start(in)
	case Complete:
		return st.complete(in)
	case Fail:
		return st.fail(in)
	case Wake:
		return st.wake()
	case Began:
		return st.began(in)
	case Signal:
		return st.signal(in)
	case Decide:
		return st.decide(in)
	case Called:
		return st.called(in)
	case ItemsOver:
		return st.itemsOver(in)
	case Gathered:
		return st.gathered(in)
	default:
		return st.control(in)
	}
}

// control takes what a person, or the program itself, wants of the whole run.
func (st *step) control(in Input) error {
	s := st.s
	if !s.alive() {
		return nil
	}
	switch in := in.(type) {
	case Cancel:
		if err := st.cancelCalls(); err != nil {
			return err
		}
		return st.emit(&RunCanceled{By: in.By, Reason: clip(in.Reason, 500)})
	case Abort:
		if err := st.cancelCalls(); err != nil {
			return err
		}
		return st.emit(&RunFailed{Error: tidy(event.Error{Class: "internal", Message: in.Message}, "", 0)})
	case Pause:
		if s.paused {
			return nil
		}
		return st.emit(&RunPaused{By: clip(in.By, 200)})
	case Resume:
		if !s.paused {
			return nil
		}
		return st.emit(&RunResumed{By: clip(in.By, 200)})
	case Arrange:
		return st.arrange(in)
	case Advance:
		return st.advanceClock(in)
	case Release:
		return st.release(in)
	case RollBack:
		return st.rollBack(in)
	case Resolve:
		return st.resolve(in)
	default:
		return fmt.Errorf("the machine does not know the input %T", in)
	}
}

// cancelCalls ends the runs that this one has called and still waits for.
func (st *step) cancelCalls() error {
	if err := st.cancelItemsUnder(st.s.scopes[0], "the run was canceled"); err != nil {
		return err
	}
	calling := func(_ *scope, v *visit, _ bool) bool { return v.state == visitCalling }
	for _, r := range st.liveUnder(st.s.scopes[0], calling) {
		if err := st.emit(r.canceled(st.m, "the run was canceled")); err != nil {
			return err
		}
	}
	return nil
}

func (st *step) start(in Start) error {
	if st.s.Status != StatusNew && !(mutant.On(mutant.StartTwice) && st.s.alive()) {
		return nil
	}
	n := st.m.Index(in.Trigger)
	if n < 0 || in.Item == nil && st.m.Nodes[n].Op != OpTrigger || in.Item != nil && st.m.Nodes[n].Op != OpMap {
		return fmt.Errorf("%q is not a trigger of this workflow", in.Trigger)
	}
	f := &RunStarted{Trigger: in.Trigger, Input: st.value(in.Value), Attributes: in.Attributes, Source: in.Source, Item: in.Item}
	if why := st.m.refuses(n, in.Value); why != "" && in.Item == nil && (in.Rig == nil || in.Rig.Only == "") {
		if err := st.emit(f); err != nil {
			return err
		}
		return st.emit(&RunFailed{Error: tidy(event.Error{Class: "invalid_input", Message: why}, in.Trigger, 1)})
	}
	if in.Rig == nil {
		return st.emit(f)
	}
	if in.Rig.Only != "" {
		f.Only, f.Given = in.Rig.Only, st.value(in.Rig.Given)
	}
	if err := st.emit(f); err != nil {
		return err
	}
	return st.setUp(in.Rig)
}

// value makes an event's value and keeps the bytes of a large one, for the
// store and for the expressions that follow.
func (st *step) value(raw json.RawMessage) event.Value {
	if len(raw) == 0 {
		raw = json.RawMessage("null")
	}
	v, large := event.NewValue(raw)
	st.keep(v, large)
	return v
}

// keep holds the bytes of a value that is stored apart.
func (st *step) keep(v event.Value, large []byte) {
	if large != nil {
		st.s.fresh[v.Payload.Digest] = large
		if st.s.loaded+len(large) <= LoadedMax {
			st.s.blobs[v.Payload.Digest] = large
			st.s.loaded += len(large)
		}
	}
}

// attempt finds the live attempt that an input speaks of; nil when it is over,
// replaced or never was.
func (st *step) attempt(scope int, node string, number, attempt int) *visit {
	if !st.s.alive() {
		return nil
	}
	v := st.m.live(st.s, scope, node, number)
	if v == nil || v.state != visitQueued || v.attempt != attempt && !mutant.On(mutant.LateResultTaken) {
		return nil
	}
	return v
}

func (st *step) began(in Began) error {
	v := st.attempt(in.Scope, in.Node, in.Visit, in.Attempt)
	if v == nil || st.m.Nodes[v.node].InQueue == 0 || v.due.IsZero() {
		return nil
	}
	return st.emit(&TaskStarted{Node: in.Node, Scope: in.Scope, Visit: in.Visit, Attempt: in.Attempt, Worker: clip(in.Worker, 80)})
}

func (st *step) complete(in Complete) error {
	if st.attempt(in.Scope, in.Node, in.Visit, in.Attempt) == nil {
		return nil
	}
	out := event.Value{Payload: in.Ref}
	if in.Ref == nil {
		out = st.value(in.Output)
	}
	return st.emit(&TaskCompleted{
		Node: in.Node, Scope: in.Scope, Visit: in.Visit, Attempt: in.Attempt, Port: PortSuccess,
		Output: out, Worker: clip(in.Worker, 80), Began: in.Began,
	})
}

func (st *step) fail(in Fail) error {
	v := st.attempt(in.Scope, in.Node, in.Visit, in.Attempt)
	if v == nil {
		return nil
	}
	err := tidy(in.Error, in.Node, in.Attempt)
	f := &TaskFailed{Node: in.Node, Scope: in.Scope, Visit: in.Visit, Attempt: in.Attempt, Error: err, Worker: clip(in.Worker, 80), Began: in.Began}
	return st.attemptFailed(v, f, in.RetryAfter)
}

// attemptFailed ends an attempt: another follows, or the visit has failed.
func (st *step) attemptFailed(v *visit, f *TaskFailed, retryAfter time.Duration) error {
	owner, _ := st.s.stray(f.Scope, v.node, v.number)
	if owner == nil || v.undo != nil {
		f.RetryAt = st.retryAt(v, Fail{Scope: f.Scope, Node: f.Node, Visit: f.Visit, Attempt: f.Attempt, Error: f.Error, RetryAfter: retryAfter})
	}
	failed := *v
	if err := st.emit(f); err != nil || !f.RetryAt.IsZero() {
		return err
	}
	return st.visitFailed(failed, owner, f)
}

// visitFailed ends a visit whose last attempt has ended; owner is the scope that
// waits for it when its own does not any more.
func (st *step) visitFailed(failed visit, owner *scope, f *TaskFailed) error {
	switch c := st.s.scope(f.Scope); {
	case failed.undo != nil && owner != nil:
		return st.undoFails(owner, failed, f)
	case failed.undo != nil:
		return st.undoFails(c, failed, f)
	case owner != nil, failed.serves != nil:
		return st.emit(&NodeFailed{Node: f.Node, Scope: f.Scope, Visit: f.Visit, Error: f.Error})
	default:
		return st.nodeFailed(c, failed.node, f.Visit, "", f.Error)
	}
}

// retryAt says when the policy lets another attempt follow; zero is never. One
// that would begin after the time of the whole visit is not waited for.
func (st *step) retryAt(v *visit, f Fail) time.Time {
	r := &st.m.Nodes[v.node].Retry
	if v.attempt >= r.MaxAttempts && !(mutant.On(mutant.OneTryMore) && v.attempt == r.MaxAttempts) || !r.wants(f.Error.Class) || !st.worthIt(v, f) {
		return time.Time{}
	}
	if mutant.On(mutant.RetryAtOnce) {
		return st.at
	}
	at := st.at.Add(max(r.delay(st.s.Run, f), f.RetryAfter)).Truncate(time.Microsecond)
	late := r.Total > 0 && at.After(v.since.Add(r.Total)) || !v.limit.IsZero() && !at.Before(v.limit)
	if late {
		return time.Time{}
	}
	return at
}

// worthIt asks the node's own condition for another attempt, if it has one. A
// condition that fails says no.
func (st *step) worthIt(v *visit, f Fail) bool {
	p := st.m.links[v.node].again
	if p == nil {
		return true
	}
	c := st.s.scope(f.Scope)
	if owner, _ := st.s.stray(f.Scope, v.node, v.number); owner != nil {
		c = owner
	}
	if c == nil {
		return false
	}
	sc := &view{m: st.m, s: st.s, c: c, node: v.node, input: v.input, error: &f.Error}
	if v.undo != nil {
		sc.about = &v.undo.about
	}
	yes, err := truth(p, sc)
	return err == nil && yes
}

// nodeFailed ends a visit for good: by its failure port, or upwards (rule 5).
func (st *step) nodeFailed(c *scope, node, number int, took Edges, err event.Error) error {
	handled := mutant.On(mutant.ErrorForgiven) || st.m.hasPort(node, PortFailure)
	f := &NodeFailed{Node: st.m.Nodes[node].Key, Scope: c.id, Visit: number, Took: took, Error: err, Handled: handled}
	if e := st.emit(f); e != nil || handled {
		return e
	}
	return st.fails(c, err)
}

// wake lets every wait and every back-off whose time has come go on, the
// earliest first.
func (st *step) wake() error {
	if _, held := st.s.Held(); held {
		return nil // time goes on when the visit does
	}
	for _, c := range st.s.scopes {
		for _, n := range st.m.bodies[c.body].late {
			if at := st.m.deadline(c, n); !at.IsZero() && !at.After(st.at) {
				c.dirty = true // its join fires when the scope is settled
			}
		}
	}
	for st.s.alive() {
		var next *visit
		var when time.Time
		id := 0
		st.s.eachVisit(func(scope int, v *visit) bool {
			if t, ok := st.dueAt(v); ok && (next == nil || t.Before(when)) {
				next, when, id = v, t, scope
			}
			return true
		})
		if next == nil {
			return nil
		}
		if err := st.due(id, next); err != nil {
			return err
		}
	}
	return nil
}

// dueAt is when time ends something about a visit, if it has come.
func (st *step) dueAt(v *visit) (time.Time, bool) {
	t := v.due
	if st.s.paused && v.state == visitBackoff {
		t = time.Time{}
	}
	if end := v.ends(); !end.IsZero() && (t.IsZero() || end.Before(t)) {
		t = end
	}
	return t, !t.IsZero() && !t.After(st.at)
}

func (st *step) due(scope int, v *visit) error {
	n := &st.m.Nodes[v.node]
	end := v.ends()
	late := !end.IsZero() && !end.After(st.at)
	switch {
	case v.body != nil && late:
		return st.containerLate(st.s.scope(scope), v)
	case v.body != nil && v.body.crowd != nil:
		return st.openItems(scope, v, min(st.m.links[v.node].box.Concurrency, v.body.count))
	case v.body != nil:
		return st.emit(&BodyStarted{Node: n.Key, Scope: scope, Visit: v.number, Opens: st.s.opened + 1})
	case v.state == visitChart:
		return st.fireChart(scope, v)
	case v.state == visitWaiting && v.kind == "":
		return st.emit(&WaitCompleted{Node: n.Key, Scope: scope, Visit: v.number, Port: PortSuccess})
	case v.state == visitWaiting:
		number := v.number
		if err := st.cancelTasks(st.s.scope(scope), v, "nobody answered in time"); err != nil {
			return err
		}
		return st.emit(&WaitCompleted{Node: n.Key, Scope: scope, Visit: number, Port: PortTimeout})
	case v.state == visitBackoff && !late:
		return st.emit(&TaskScheduled{Node: n.Key, Scope: scope, Visit: v.number, Attempt: v.attempt + 1, Queue: v.queue, Priority: v.prio})
	}
	what := fmt.Sprintf("no worker took the task of %s within %s", n.Key, n.InQueue)
	if late {
		what = fmt.Sprintf("%s took longer than %s with all of its attempts", n.Key, n.Total)
	} else if owner, _ := st.s.stray(scope, v.node, v.number); owner != nil && v.undo == nil {
		what = fmt.Sprintf("%s did not end within %s", n.Key, n.Timeout)
	}
	f := &TaskFailed{Node: n.Key, Scope: scope, Visit: v.number, Attempt: v.attempt, Late: true, Error: tidy(event.Error{Class: "timeout", Message: what}, n.Key, v.attempt)}
	if v.state == visitBackoff { // the attempt has ended before, and ends once
		owner, _ := st.s.stray(scope, v.node, v.number)
		return st.visitFailed(*v, owner, f)
	}
	return st.attemptFailed(v, f, 0)
}

// wants reports whether an error of the class is worth another attempt.
func (r Retry) wants(class string) bool {
	if class == "canceled" {
		return false
	}
	if len(r.On) > 0 {
		return slices.Contains(r.On, class)
	}
	switch class {
	case "invalid_input", "unauthorized", "budget", "limit", "crash":
		return false
	}
	return true
}

// delay is how long the next attempt waits. Jitter is drawn from the names of
// the attempt, so that a replay draws the same.
func (r Retry) delay(run string, in Fail) time.Duration {
	d := float64(r.Initial)
	if !r.Fixed {
		d *= math.Pow(r.Factor, float64(in.Attempt-1))
	}
	if r.MaxInterval > 0 {
		d = min(d, float64(r.MaxInterval))
	}
	if r.Jitter > 0 {
		h := fnv.New64a()
		fmt.Fprintf(h, "%s/%s/%d/%d", run, in.Node, in.Visit, in.Attempt)
		if in.Scope > 0 {
			fmt.Fprintf(h, "/%d", in.Scope)
		}
		share := float64(h.Sum64()>>11) / (1 << 53)
		d *= 1 - r.Jitter*share
	}
	return time.Duration(d)
}

// tidy bounds what a worker says.
func tidy(e event.Error, node string, attempts int) event.Error {
	if e.Class == "" {
		e.Class = "internal"
	}
	e.Class, e.Message = clip(e.Class, 60), clip(e.Message, 2_000)
	if len(e.Details) > 2_000 || !json.Valid(e.Details) {
		e.Details = nil
	}
	e.Node, e.Attempts = node, attempts
	return e
}

func clip(s string, most int) string {
	s = strings.ToValidUTF8(strings.ReplaceAll(s, "\x00", ""), "\uFFFD")
	if len(s) <= most {
		return s
	}
	s = s[:most-3]
	for len(s) > 0 && s[len(s)-1]&0xC0 == 0x80 {
		s = s[:len(s)-1]
	}
	if len(s) > 0 && s[len(s)-1] >= 0x80 {
		s = s[:len(s)-1]
	}
	return s + "…"
}

// failure turns an evaluation's error into a run's error.
func failure(err error, node string) event.Error {
	var f *expr.Failure
	if errors.As(err, &f) {
		return tidy(event.Error{Class: f.Class, Message: f.Message}, node, 1)
	}
	return tidy(event.Error{Class: "internal", Message: err.Error()}, node, 1)
}
