package reference

import (
	"math"
	"slices"
	"time"

	"signalbox/engine/graph"
)

// attempt hands out the next attempt of a visit.
func (w *world) attempt(v *visit) {
	if container(v.node) {
		w.reenter(v)
		return
	}
	v.attempt++
	o := w.stage.outcomes(Place{Scope: v.scope.path, Node: v.node.Key, Visit: v.number, Attempt: v.attempt})
	w.agree(appointment{at: w.stage.now.Add(o.After), why: result, visit: v, outcome: o})
}

// attempted ends an attempt: the visit is over, or tried again later.
func (w *world) attempted(v *visit, o Outcome) {
	if v.stray != nil || v.undoes {
		w.sagaAttempted(v, o)
		return
	}
	if o.Error == nil {
		w.complete(v, []string{"success"}, o.Output)
		return
	}
	err := *o.Error
	err.Node, err.Attempts = v.node.Key, v.attempt
	if v.attempt >= attempts(v.node) || !w.again(v, &err) {
		w.failed(v, &err)
	}
}

// again agrees on another attempt, if the policy wants one after this error.
func (w *world) again(v *visit, err *Error) bool {
	r := v.node.Retry
	if !worthIt(r, err.Class) {
		return false
	}
	at := w.stage.now.Add(pause(r, v.attempt))
	if most := longest(v.node); most > 0 && !at.Before(v.began.Add(most)) {
		return false // there is no use in waiting for what may not begin
	}
	if r != nil {
		if total := duration(r.Total, 0); total > 0 && at.After(v.began.Add(total)) {
			return false
		}
		if r.When != "" {
			holds, fault := w.eval(r.When, environment{w: w, v: v, err: err})
			if fault != nil || holds != true {
				return false
			}
		}
	}
	w.agree(appointment{at: at, why: again, visit: v})
	return true
}

// longest is how long the whole visit may take, with all its attempts; 0 is for
// ever. A container's limit may stand in either field.
func longest(n graph.Node) time.Duration {
	switch {
	case n.Timeout == nil:
		return 0
	case container(n):
		return duration(n.Timeout.Total, duration(n.Timeout.Attempt, 0))
	}
	return duration(n.Timeout.Total, 0)
}

// bound agrees on the time after which the visit has failed.
func (w *world) bound(v *visit) {
	if most := longest(v.node); most > 0 {
		w.agree(appointment{at: w.stage.now.Add(most), why: timeIsUp, visit: v})
	}
}

// late ends a visit that took too long. A body that is a transaction is undone
// first; one that is being undone already ends by itself.
func (w *world) late(v *visit) {
	err := &Error{Class: "timeout", Message: "the visit took too long", Node: v.node.Key, Attempts: max(1, v.attempt)}
	switch {
	case v.undoes:
		w.undoFailed(v, err)
		return
	case v.stray != nil:
		w.lost(v, err)
		return
	}
	for _, s := range w.bodies(v) {
		if s.undoing || w.compensate(s, err) {
			return
		}
	}
	for _, s := range w.bodies(v) {
		w.closeScope(s)
	}
	w.leave(v, err)
}

// worthIt reports whether an error of the class is tried again.
func worthIt(r *graph.Retry, class string) bool {
	if r != nil && len(r.On) > 0 {
		return slices.Contains(r.On, class)
	}
	return !slices.Contains([]string{"invalid_input", "unauthorized", "budget", "limit", "crash"}, class)
}

// pause is how long to wait after an attempt that failed, without jitter:
// nothing here is random.
func pause(r *graph.Retry, attempt int) time.Duration {
	initial, factor, most := time.Second, 2.0, time.Minute
	if r != nil {
		initial, most = duration(r.Initial, initial), duration(r.MaxInterval, most)
		if r.Factor > 0 {
			factor = r.Factor
		}
		if r.Backoff == "fixed" {
			factor = 1
		}
	}
	return min(time.Duration(float64(initial)*math.Pow(factor, float64(attempt-1))), most)
}

// duration reads a length of time that may be left empty.
func duration(text string, otherwise time.Duration) time.Duration {
	if d, err := time.ParseDuration(text); err == nil {
		return d
	}
	return otherwise
}
