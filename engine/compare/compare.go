// Package compare lays two runs side by side: visit by visit, by the name of
// the step and the place where it was visited, so that it shows where their
// ways, their data and their times part.
//
// It is pure: it gets two logs and gives a table.
package compare

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"time"

	"signalbox/engine/event"
	"signalbox/engine/machine"
)

// Outcome is how a visit ended.
type Outcome string

// The closed list of Outcome.
const (
	Open     Outcome = "open" // not over when the log ended
	Done     Outcome = "done"
	Failed   Outcome = "failed"
	Canceled Outcome = "canceled"
)

// Visit is one visit as a log tells it.
type Visit struct {
	First    int // its events
	Last     int
	Began    time.Time
	Ended    time.Time // zero: it is open
	Outcome  Outcome
	Attempts int
	Ports    []string
	Error    string // class
	Output   event.Value
}

// Row is one visit in both runs; nil: the run has none such.
type Row struct {
	Node  string
	Place string // where: empty in the run itself, else "each#1[3]" for the fourth body of the container's first visit
	Visit int
	A, B  *Visit
}

// name says which visit a row is about.
type name struct {
	place string
	node  string
	visit int
}

// Logs compares two logs. Rows come in the order in which the first run began
// its visits; those that only the second one has follow.
func Logs(a, b []machine.Event) []Row {
	left, right := read(a), read(b)
	rows := make([]Row, 0, len(left.order))
	for _, n := range left.order {
		rows = append(rows, Row{Node: n.node, Place: n.place, Visit: n.visit, A: left.visits[n], B: right.visits[n]})
	}
	for _, n := range right.order {
		if left.visits[n] == nil {
			rows = append(rows, Row{Node: n.node, Place: n.place, Visit: n.visit, B: right.visits[n]})
		}
	}
	return rows
}

// SameWay reports whether both runs have the visit and left it alike.
func (r Row) SameWay() bool {
	return r.A != nil && r.B != nil && r.A.Outcome == r.B.Outcome && r.A.Error == r.B.Error && slices.Equal(r.A.Ports, r.B.Ports)
}

// SameData reports whether it put the same out in both. The order of members
// and the way numbers are written do not count.
func (r Row) SameData() bool {
	if r.A == nil || r.B == nil {
		return false
	}
	a, b := r.A.Output, r.B.Output
	switch {
	case a.Payload != nil && b.Payload != nil:
		return a.Payload.Digest == b.Payload.Digest
	case a.Payload != nil || b.Payload != nil:
		return false
	case bytes.Equal(a.Inline, b.Inline):
		return true
	}
	var x, y any
	return json.Unmarshal(a.Inline, &x) == nil && json.Unmarshal(b.Inline, &y) == nil && reflect.DeepEqual(x, y)
}

// log is what was read of one run.
type log struct {
	visits map[name]*Visit
	order  []name
	places map[int]string // of scopes
}

func read(events []machine.Event) *log {
	l := &log{visits: map[name]*Visit{}, places: map[int]string{}}
	for _, e := range events {
		if f, ok := e.Fact.(*machine.BodyStarted); ok {
			l.places[f.Opens] = l.inside(f)
			continue
		}
		if n, known := l.nameOf(e.Fact); known {
			l.note(n, e)
		}
	}
	return l
}

func (l *log) inside(f *machine.BodyStarted) string {
	place := fmt.Sprintf("%s#%d[%d]", f.Node, f.Visit, f.Index)
	if outer := l.places[f.Scope]; outer != "" {
		return outer + "/" + place
	}
	return place
}

// nameOf says which visit a fact is about.
func (l *log) nameOf(f machine.Fact) (name, bool) {
	v, known := machine.VisitOf(f)
	return name{l.places[v.Scope], v.Node, v.Visit}, known
}

// note adds what an event tells of its visit.
func (l *log) note(n name, e machine.Event) {
	v := l.visits[n]
	if v == nil {
		v = &Visit{First: e.Seq, Began: e.At, Outcome: Open, Attempts: 1}
		l.visits[n] = v
		l.order = append(l.order, n)
	}
	v.Last = e.Seq
	switch f := e.Fact.(type) {
	case *machine.TaskScheduled:
		v.Attempts = f.Attempt
	case *machine.RunStarted:
		v.end(Done, e.At, machine.PortSuccess)
	case *machine.NodeCompleted:
		v.end(Done, e.At, f.Ports...)
	case *machine.Responded:
		v.end(Done, e.At, f.Ports...)
	case *machine.TaskCompleted:
		v.end(Done, e.At, f.Port)
	case *machine.WaitCompleted:
		v.end(Done, e.At, f.Port)
	case *machine.ContainerCompleted:
		v.end(Done, e.At, f.Port)
	case *machine.NodeFailed:
		v.end(Failed, e.At)
		v.Error = f.Error.Class
		if f.Handled {
			v.Ports = []string{machine.PortFailure}
		}
	case *machine.VisitCanceled:
		v.end(Canceled, e.At)
	default: // it goes on
	}
	if out, ok := machine.OutputOf(e.Fact); ok {
		v.Output = out
	}
}

func (v *Visit) end(how Outcome, at time.Time, ports ...string) {
	v.Outcome, v.Ended, v.Ports = how, at, ports
}
