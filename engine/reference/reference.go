package reference

import (
	"slices"
	"time"

	"signalbox/engine/graph"
)

// The statuses that a run can end in.
const (
	StatusSucceeded = "succeeded"
	StatusFailed    = "failed"

	StatusCompensated    = "compensated"     // failed, and what it did is undone
	StatusNeedsAttention = "needs_attention" // failed, and cannot undo what it did: a person decides
	StatusCanceled       = "canceled"        // nobody ever came whom it waited for
)

// Start is what begins a run.
type Start struct {
	Trigger string         // key of the trigger that fires
	Input   any            // a Go JSON value, as everywhere in this package
	At      time.Time      // when
	Run     map[string]any // what expressions read as run

	Inside    int                 // items of one map that are scopes of its run; 0: 10,000
	Workflows map[string]Workflow // that can be called, by name
	Signals   []Signal            // that come, by time
	RollBack  time.Time           // when a person wants everything undone; zero: never
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
	Error  *Error // a task fails; a person never answers
	Choice int    // of a person: which of the ways on
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
	Run    string // path of the run; empty: the first one
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
	played := &stage{outcomes: outcomes, calls: start.Workflows, now: start.At}
	w := &world{drawing: read(g), start: start, stage: played}
	if _, err := w.drawing.check(start.Trigger); err != nil {
		return Report{}, err
	}
	for _, s := range start.Signals {
		played.acts = append(played.acts, act{s.At, func(w *world) { w.hear(s) }})
	}
	if !start.RollBack.IsZero() {
		played.acts = append(played.acts, act{start.RollBack, (*world).rollBack})
	}
	slices.SortStableFunc(played.acts, func(a, b act) int { return a.at.Compare(b.at) })
	played.play(w)
	w.report.Ended, w.report.Visits = played.now, played.reports()
	return w.report, nil
}
