package reference

import (
	"time"

	"signalbox/engine/graph"
)

// The statuses that a run can end in.
const (
	StatusSucceeded = "succeeded"
	StatusFailed    = "failed"

	StatusCompensated    = "compensated"     // failed, and what it did is undone
	StatusNeedsAttention = "needs_attention" // failed, and cannot undo what it did: a person decides
)

// Start is what begins a run.
type Start struct {
	Trigger string         // key of the trigger that fires
	Input   any            // a Go JSON value, as everywhere in this package
	At      time.Time      // when
	Run     map[string]any // what expressions read as run
}

// Place names one attempt. A scope is named by the way to it: "" is the run,
// "each#2[5]" the body of item 5 in the second visit of the container each,
// and deeper ones follow after a slash.
type Place struct {
	Scope   string
	Node    string // key
	Visit   int    // from 1, in the scope
	Attempt int    // from 1
}

// Outcome is how an attempt ends: with an output, or with an error.
type Outcome struct {
	After  time.Duration // from when it was handed out
	Output any
	Error  *Error
}

// Outcomes says how every attempt ends. It must be a pure function.
type Outcomes func(Place) Outcome

// Error is what a failure port carries.
type Error struct {
	Class    string
	Message  string
	Node     string // key of the node that failed
	Attempts int
}

// Report is everything that a run did.
type Report struct {
	Status  string
	Error   *Error  // of a run that failed
	Visits  []Visit // in the order in which they started
	Result  any     // of a run that succeeded
	Tokens  []Token // left when nothing could move any more
	Waiting []string
	Ended   time.Time
}

// Visit is one activation of a node.
type Visit struct {
	Scope  string
	Node   string // key
	Number int    // from 1, in the scope
	Input  any
	Ports  []string // where it ended; none if it did not
	Output any
	Error  *Error
}

// Token is control left standing before a node.
type Token struct {
	Scope string
	From  string // key
	Port  string
	To    string // key
}

// Count is how often each node of each scope started, by scope and key with a
// colon between them.
func (r Report) Count() map[string]int {
	count := map[string]int{}
	for _, v := range r.Visits {
		count[v.Scope+":"+v.Node]++
	}
	return count
}

// Run plays a drawing to its end. The error says that the drawing cannot be
// read at all.
func Run(g graph.Graph, start Start, outcomes Outcomes) (Report, error) {
	w := &world{drawing: read(g), start: start, outcomes: outcomes, now: start.At}
	trigger, err := w.drawing.check(start.Trigger)
	if err != nil {
		return Report{}, err
	}
	w.openRun(trigger)
	for !w.over {
		w.next()
	}
	w.report.Ended = w.now
	return w.report, nil
}
