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
	if len(st.events) == 0 || s.Status.Over() {
		return st.events, nil
	}
	if err := st.settle(); err != nil {
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
	case Cancel:
		if st.s.Status != StatusRunning {
			return nil
		}
		return st.emit(&RunCanceled{By: in.By, Reason: clip(in.Reason, 500)})
	case Abort:
		if st.s.Status != StatusRunning {
			return nil
		}
		return st.emit(&RunFailed{Error: tidy(event.Error{Class: "internal", Message: in.Message}, "", 0)})
	default:
		return fmt.Errorf("the machine does not know the input %T", in)
	}
}

func (st *step) start(in Start) error {
	if st.s.Status != StatusNew {
		return nil
	}
	n := st.m.Index(in.Trigger)
	if n < 0 || st.m.Nodes[n].Op != OpTrigger {
		return fmt.Errorf("%q is not a trigger of this workflow", in.Trigger)
	}
	return st.emit(&RunStarted{Trigger: in.Trigger, Input: st.value(in.Value), Attributes: in.Attributes, Source: in.Source})
}

// value makes an event's value and keeps the bytes of a large one, for the
// store and for the expressions that follow.
func (st *step) value(raw json.RawMessage) event.Value {
	if len(raw) == 0 {
		raw = json.RawMessage("null")
	}
	v, large := event.NewValue(raw)
	if large != nil {
		st.s.fresh[v.Payload.Digest] = large
		if st.s.loaded+len(large) <= LoadedMax {
			st.s.blobs[v.Payload.Digest] = large
			st.s.loaded += len(large)
		}
	}
	return v
}

// attempt finds the live attempt that an input speaks of; nil when it is over,
// replaced or never was.
func (st *step) attempt(node string, number, attempt int) *visit {
	if st.s.Status != StatusRunning {
		return nil
	}
	i := st.s.find(st.m.Index(node), number)
	if i < 0 {
		return nil
	}
	if v := &st.s.visits[i]; v.state == visitQueued && v.attempt == attempt {
		return v
	}
	return nil
}

func (st *step) complete(in Complete) error {
	if st.attempt(in.Node, in.Visit, in.Attempt) == nil {
		return nil
	}
	out := event.Value{Payload: in.Ref}
	if in.Ref == nil {
		out = st.value(in.Output)
	}
	return st.emit(&TaskCompleted{
		Node: in.Node, Visit: in.Visit, Attempt: in.Attempt, Port: PortSuccess,
		Output: out, Worker: clip(in.Worker, 80), Began: in.Began,
	})
}

func (st *step) fail(in Fail) error {
	v := st.attempt(in.Node, in.Visit, in.Attempt)
	if v == nil {
		return nil
	}
	node := &st.m.Nodes[v.node]
	err := tidy(in.Error, in.Node, in.Attempt)
	f := &TaskFailed{Node: in.Node, Visit: in.Visit, Attempt: in.Attempt, Error: err, Worker: clip(in.Worker, 80), Began: in.Began}
	if in.Attempt < node.Retry.MaxAttempts && node.Retry.wants(err.Class) {
		f.RetryAt = st.at.Add(max(node.Retry.delay(st.s.Run, in), in.RetryAfter)).Truncate(time.Microsecond)
	}
	if e := st.emit(f); e != nil || !f.RetryAt.IsZero() {
		return e
	}
	return st.nodeFailed(v.node, in.Visit, "", err)
}

// nodeFailed ends a visit for good: by its failure port, or upwards, which at
// the root ends the run (rule 5).
func (st *step) nodeFailed(node, number int, took Edges, err event.Error) error {
	handled := st.m.hasPort(node, PortFailure)
	if e := st.emit(&NodeFailed{Node: st.m.Nodes[node].Key, Visit: number, Took: took, Error: err, Handled: handled}); e != nil || handled {
		return e
	}
	return st.emit(&RunFailed{Error: err})
}

// wake lets every wait and every back-off whose time has come go on, the
// earliest first.
func (st *step) wake() error {
	for st.s.Status == StatusRunning {
		next := -1
		for i := range st.s.visits {
			v := &st.s.visits[i]
			if v.state != visitQueued && !v.due.After(st.at) && (next < 0 || v.due.Before(st.s.visits[next].due)) {
				next = i
			}
		}
		if next < 0 {
			return nil
		}
		if err := st.due(st.s.visits[next]); err != nil {
			return err
		}
	}
	return nil
}

func (st *step) due(v visit) error {
	key := st.m.Nodes[v.node].Key
	if v.state == visitWaiting {
		return st.emit(&WaitCompleted{Node: key, Visit: v.number, Port: PortSuccess})
	}
	return st.emit(&TaskScheduled{Node: key, Visit: v.number, Attempt: v.attempt + 1, Queue: v.queue, Priority: v.prio})
}

// settle starts whatever can start, until nothing can, and then asks whether
// the run is over.
func (st *step) settle() error {
	for !st.s.Status.Over() {
		if len(st.events) > StepEventsMax {
			return st.emit(&RunFailed{Error: event.Error{Class: "limit", Message: fmt.Sprintf("one step went on for more than %d events without any outside effect", StepEventsMax)}})
		}
		node, edges, ok := st.next()
		if ok {
			if err := st.visit(node, edges); err != nil {
				return err
			}
			continue
		}
		before := len(st.events)
		if err := st.wake(); err != nil {
			return err
		}
		if len(st.events) > before {
			continue
		}
		if st.hopeless() {
			return st.emit(&RunFailed{Error: st.unsatisfied()})
		}
		if len(st.s.visits) == 0 {
			return st.finish()
		}
		return nil
	}
	return nil
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
	case "invalid_input", "unauthorized", "budget", "limit":
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
