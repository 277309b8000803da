package reference

import (
	"math"
	"slices"
	"time"

	"signalbox/engine/graph"
)

// attempt hands out the next attempt of a visit.
func (w *world) attempt(v *visit) {
	v.attempt++
	o := w.outcomes(Place{Scope: v.scope.path, Node: v.node.Key, Visit: v.number, Attempt: v.attempt})
	w.agree(appointment{at: w.now.Add(o.After), visit: v, outcome: &o})
}

// attempted ends an attempt: the visit is over, or tried again later.
func (w *world) attempted(v *visit, o Outcome) {
	if o.Error == nil {
		w.complete(v, []string{"success"}, o.Output)
		return
	}
	err := *o.Error
	if v.attempt >= attempts(v.node) || !worthIt(v.node.Retry, err.Class) {
		w.failed(v, &err)
		return
	}
	w.agree(appointment{at: w.now.Add(pause(v.node.Retry, v.attempt)), timer: true, visit: v})
}

// worthIt reports whether an error of the class is tried again.
func worthIt(r *graph.Retry, class string) bool {
	if r != nil && len(r.On) > 0 {
		return slices.Contains(r.On, class)
	}
	return !slices.Contains([]string{"invalid_input", "unauthorized", "budget", "limit"}, class)
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
