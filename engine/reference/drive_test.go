package reference_test

import (
	"slices"
	"testing"
	"time"

	"signalbox/engine/compile"
	"signalbox/engine/event"
	"signalbox/engine/expr"
	"signalbox/engine/graph"
	"signalbox/engine/machine"
	"signalbox/engine/reference"
	"signalbox/engine/reference/play"
)

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// prove compiles a drawing for good, and checks that lower makes the same of
// one that is sound.
func prove(t *testing.T, g graph.Graph) (sound, overlaps bool) {
	t.Helper()
	m, issues := compile.Compile(g)
	if m == nil {
		return false, true
	}
	was, err := m.Digest()
	if err != nil {
		t.Fatal(err)
	}
	if is, err := play.Lower(g).Digest(); err != nil || was != is {
		t.Fatalf("a drawing that is compiled in two steps makes another machine (%v)\n%s", err, play.Drawn(g))
	}
	return true, slices.ContainsFunc(issues, func(i graph.Issue) bool { return i.Code == "runs_twice" || i.Code == "too_large_to_prove" })
}

// driver plays a machine with the same outcomes, at the same times, and
// rebuilds from its log what the reference reports.
type driver struct {
	t        testing.TB
	m        *machine.Machine
	s        *machine.Snapshot
	outcomes reference.Outcomes
	at       time.Time
	agenda   []due
	log      *play.Reading
	holds    []hold // when somebody pauses the run, and for how long; by time
}

// hold is a pause of the run.
type hold struct {
	at, until time.Time
}

// due is a result that will come.
type due struct {
	at   time.Time
	task machine.Dispatch
}

func drive(t testing.TB, m *machine.Machine, start reference.Start, outcomes reference.Outcomes, holds ...hold) reference.Report {
	t.Helper()
	d := &driver{t: t, m: m, s: m.New("run"), outcomes: outcomes, at: start.At, holds: holds}
	d.log = play.Read(t, m)
	input, err := expr.Marshal(start.Input)
	if err != nil {
		t.Fatal(err)
	}
	d.step(machine.Start{Trigger: start.Trigger, Value: input, Source: "test"})
	for i := 0; !d.s.Status.Over() && d.s.Status != machine.StatusAttention; i++ {
		if i > 20_000 {
			t.Fatalf("the machine does not end\n%s", play.Written(graph.Graph{}, d.log.Report))
		}
		if i > 19990 {
			d.t.Log(d.at, d.m.WakeAt(d.s), len(d.agenda))
		}
		d.next()
	}
	report := d.log.Report
	report.Status, report.Ended = string(d.s.Status), d.at
	if f := d.s.Failure; d.s.Status != machine.StatusSucceeded && f != nil {
		report.Error = &reference.Error{Class: f.Class, Message: f.Message, Node: f.Node, Attempts: f.Attempts}
	}
	if d.s.Status == machine.StatusSucceeded {
		d.supply()
		raw, err := d.s.Result(m)
		if err != nil {
			t.Fatal(err)
		}
		report.Result = play.Parse(raw)
	}
	return report
}

// next hands in what comes first; timers come before results.
func (d *driver) next() {
	wake := d.m.WakeAt(d.s)
	first := -1
	for i := range d.agenda {
		if first < 0 || d.agenda[i].at.Before(d.agenda[first].at) {
			first = i
		}
	}
	if d.held(wake, first) {
		return
	}
	if first < 0 && wake.IsZero() {
		d.t.Fatalf("the machine waits for nothing after\n%s", play.Written(graph.Graph{}, d.log.Report))
	}
	if first < 0 || !wake.IsZero() && !wake.After(d.agenda[first].at) {
		d.at = wake
		d.step(machine.Wake{})
		return
	}
	next := d.agenda[first]
	d.agenda = slices.Delete(d.agenda, first, first+1)
	d.at = next.at
	o, k := d.outcomes(d.log.Place(next.task)), next.task
	if o.Error != nil {
		d.step(machine.Fail{Scope: k.Scope, Node: k.Node, Visit: k.Visit, Attempt: k.Attempt, Error: event.Error{Class: o.Error.Class, Message: o.Error.Message}})
		return
	}
	raw, err := expr.Marshal(o.Output)
	if err != nil {
		d.t.Fatal(err)
	}
	d.step(machine.Complete{Scope: k.Scope, Node: k.Node, Visit: k.Visit, Attempt: k.Attempt, Output: raw})
}

// held pauses the run, or lets it go on, when that is what comes first. While it
// is paused nothing may start.
func (d *driver) held(wake time.Time, first int) bool {
	if len(d.holds) == 0 {
		return false
	}
	at, paused := d.holds[0].at, d.s.Paused()
	if paused {
		at = d.holds[0].until
	}
	sooner := func(t time.Time) bool { return !t.IsZero() && t.Before(at) }
	if sooner(wake) || first >= 0 && sooner(d.agenda[first].at) {
		return false
	}
	d.at = at
	if paused {
		d.holds = d.holds[1:]
		d.step(machine.Resume{By: "ada"})
	} else {
		d.step(machine.Pause{By: "ada"})
	}
	return true
}

func (d *driver) supply() {
	for _, digest := range d.s.Needs() {
		d.s.Supply(digest, d.log.Blobs[digest])
	}
}

func (d *driver) step(in machine.Input) {
	d.supply()
	events, err := d.m.Step(d.s, in, d.at)
	if err != nil {
		d.t.Fatal(err)
	}
	for digest, data := range d.s.Fresh() {
		d.log.Blobs[digest] = data
	}
	for _, e := range events {
		d.log.Read(e)
	}
	for _, c := range d.m.Commands(d.s, events) {
		switch k := c.(type) {
		case machine.Dispatch:
			if d.s.Paused() {
				d.t.Errorf("%s starts while the run is paused", k.Node)
			}
			o := d.outcomes(d.log.Place(k))
			d.agenda = append(d.agenda, due{d.at.Add(o.After), k})
			if k.Attempt == 1 {
				d.log.Told(k)
			}
		case machine.Withdraw:
			d.agenda = slices.DeleteFunc(d.agenda, func(a due) bool {
				return a.task.Scope == k.Scope && a.task.Node == k.Node && a.task.Visit == k.Visit && a.task.Attempt == k.Attempt
			})
		}
	}
}
