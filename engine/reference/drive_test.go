package reference_test

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
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
// rebuilds from its log what the reference reports. Runs that it starts play
// beside it, in the order of the reference's stage.
type driver struct {
	t        testing.TB
	outcomes reference.Outcomes
	inside   int
	callees  map[string]callee
	at       time.Time
	runs     []*actor
	agenda   []due
	wanted   []want // runs that are to begin, first wanted first
	acts     []act
	holds    []hold // when somebody pauses the run, and for how long; by time
	blobs    map[string][]byte
}

// actor is one run.
type actor struct {
	m        *machine.Machine
	s        *machine.Snapshot
	log      *play.Reading
	path     string
	of       *actor
	item     *machine.StartItem // or
	call     *machine.Call
	told     bool
	detached bool
}

func (a *actor) idle() bool { return a.s.Status.Over() || a.s.Status == machine.StatusAttention }

type callee struct {
	m       *machine.Machine
	trigger string
}

// want is a run that another one wants to begin.
type want struct {
	of      *actor
	command machine.Command
}

// act is something that somebody does to the first run.
type act struct {
	at time.Time
	in machine.Input
}

// hold is a pause of the run.
type hold struct {
	at, until time.Time
}

// due is a result that will come, or an answer.
type due struct {
	at   time.Time
	of   *actor
	task machine.Dispatch
	says *machine.Decide
}

func drive(t testing.TB, m *machine.Machine, start reference.Start, outcomes reference.Outcomes, holds ...hold) reference.Report {
	t.Helper()
	d := &driver{t: t, outcomes: outcomes, inside: start.Inside, at: start.At, holds: holds, blobs: map[string][]byte{}, callees: map[string]callee{}}
	for name, w := range start.Workflows {
		d.callees[name] = callee{play.Lower(w.Drawing), w.Trigger}
	}
	for _, s := range start.Signals {
		d.acts = append(d.acts, act{s.At, machine.Signal{Name: s.Name, Correlation: s.Correlation, ID: s.ID, Value: json.RawMessage(play.Text(s.Value))}})
	}
	if !start.RollBack.IsZero() {
		d.acts = append(d.acts, act{start.RollBack, machine.RollBack{By: "ada"}})
	}
	slices.SortStableFunc(d.acts, func(a, b act) int { return a.at.Compare(b.at) })
	first := d.enter(&actor{m: m})
	d.step(first, machine.Start{Trigger: start.Trigger, Value: json.RawMessage(play.Text(start.Input)), Source: "test"})
	d.flush()
	for i := 0; !first.idle(); i++ {
		if i > 20_000 {
			t.Fatalf("the machine does not end\n%s", play.Written(graph.Graph{}, first.log.Report))
		}
		d.next()
		d.flush()
	}
	return d.report(first)
}

// enter puts a run on the stage.
func (d *driver) enter(a *actor) *actor {
	a.s = a.m.New(cmp.Or(a.path, "run"))
	a.s.Inside = d.inside
	a.log = play.ReadAt(d.t, a.m, a.path)
	a.log.Blobs = d.blobs
	d.runs = append(d.runs, a)
	return a
}

func (d *driver) report(first *actor) reference.Report {
	report := first.log.Report
	report.Status, report.Ended, report.Visits = string(first.s.Status), d.at, nil
	if f := first.s.Failure; first.s.Status != machine.StatusSucceeded && f != nil {
		report.Error = &reference.Error{Class: f.Class, Message: f.Message, Node: f.Node, Attempts: f.Attempts}
	}
	if first.s.Status == machine.StatusSucceeded {
		report.Result = play.Parse(d.result(first))
	}
	for _, a := range d.runs {
		apart := false
		for up := a; up != nil; up = up.of {
			apart = apart || up.detached
		}
		for _, v := range a.log.Report.Visits {
			if v.Run = a.path; !apart {
				report.Visits = append(report.Visits, v)
			}
		}
	}
	return report
}

func (d *driver) result(a *actor) json.RawMessage {
	d.supply(a)
	raw, err := a.s.Result(a.m)
	if err != nil {
		d.t.Fatal(err)
	}
	return raw
}

// next hands in what comes first; timers come before what somebody does, and
// that before results.
func (d *driver) next() {
	var waker *actor
	var wake time.Time
	for _, a := range d.runs {
		if at := a.m.WakeAt(a.s); !a.idle() && !at.IsZero() && (waker == nil || at.Before(wake)) {
			waker, wake = a, at
		}
	}
	d.agenda = slices.DeleteFunc(d.agenda, func(e due) bool { return e.of.idle() || e.says != nil && !e.of.awaits(e.says) })
	first := -1
	for i := range d.agenda {
		if first < 0 || d.agenda[i].at.Before(d.agenda[first].at) {
			first = i
		}
	}
	if d.held(wake, first) {
		return
	}
	after := func(at time.Time) bool { return first < 0 || !d.agenda[first].at.Before(at) }
	switch {
	case waker != nil && after(wake) && (len(d.acts) == 0 || !d.acts[0].at.Before(wake)):
		d.at = wake
		d.tell(waker, machine.Wake{})
	case len(d.acts) > 0 && after(d.acts[0].at):
		d.at = d.acts[0].at
		in := d.acts[0].in
		d.acts = d.acts[1:]
		d.tell(d.runs[0], in)
	case first < 0:
		d.tell(d.runs[0], machine.Cancel{By: "ada"})
	default:
		next := d.agenda[first]
		d.agenda = slices.Delete(d.agenda, first, first+1)
		d.at = next.at
		d.tell(next.of, d.input(next))
	}
}

// awaits reports whether an answer would be taken.
func (a *actor) awaits(in *machine.Decide) bool {
	return slices.ContainsFunc(a.s.Look(a.m), func(v machine.Seen) bool {
		return v.Scope == in.Scope && v.Node == in.Node && v.Visit == in.Visit && v.Phase == "waiting"
	})
}

func (d *driver) input(e due) machine.Input {
	if e.says != nil {
		return *e.says
	}
	o, k := d.outcomes(e.of.log.Place(e.task)), e.task
	if o.Error != nil {
		return machine.Fail{Scope: k.Scope, Node: k.Node, Visit: k.Visit, Attempt: k.Attempt, Error: event.Error{Class: o.Error.Class, Message: o.Error.Message}}
	}
	raw, err := expr.Marshal(o.Output)
	if err != nil {
		d.t.Fatal(err)
	}
	return machine.Complete{Scope: k.Scope, Node: k.Node, Visit: k.Visit, Attempt: k.Attempt, Output: raw}
}

// held pauses the run, or lets it go on, when that is what comes first. While it
// is paused nothing may start.
func (d *driver) held(wake time.Time, first int) bool {
	if len(d.holds) == 0 {
		return false
	}
	at, paused := d.holds[0].at, d.runs[0].s.Paused()
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
		d.tell(d.runs[0], machine.Resume{By: "ada"})
	} else {
		d.tell(d.runs[0], machine.Pause{By: "ada"})
	}
	return true
}

func (d *driver) supply(a *actor) {
	for _, digest := range a.s.Needs() {
		a.s.Supply(digest, d.blobs[digest])
	}
}

// tell hands an input to a run, and its end to whoever waits for it.
func (d *driver) tell(a *actor, in machine.Input) {
	d.step(a, in)
	d.answer(a)
}

func (d *driver) step(a *actor, in machine.Input) {
	d.supply(a)
	events, err := a.m.Step(a.s, in, d.at)
	if err != nil {
		d.t.Fatal(err)
	}
	for digest, data := range a.s.Fresh() {
		d.blobs[digest] = data
	}
	for _, e := range events {
		a.log.Read(e)
		if raw, err := machine.Encode(e); err != nil || len(raw.Data) > event.SizeMax {
			d.t.Errorf("event %d: %v", e.Seq, err)
		}
		if f, is := e.Fact.(*machine.WaitStarted); is {
			d.listen(a, f)
		}
	}
	for _, c := range a.m.Commands(a.s, events) {
		d.do(a, c)
	}
}

// do does what a run wants of the outside.
func (d *driver) do(a *actor, c machine.Command) {
	switch k := c.(type) {
	case machine.Dispatch:
		if a.s.Paused() {
			d.t.Errorf("%s starts while the run is paused", k.Node)
		}
		o := d.outcomes(a.log.Place(k))
		d.agenda = append(d.agenda, due{at: d.at.Add(o.After), of: a, task: k})
		if k.Attempt == 1 {
			a.log.Told(k)
		}
	case machine.Withdraw:
		d.agenda = slices.DeleteFunc(d.agenda, func(e due) bool {
			return e.of == a && e.says == nil && e.task.Scope == k.Scope && e.task.Node == k.Node && e.task.Visit == k.Visit && e.task.Attempt == k.Attempt
		})
	case machine.StartItem, machine.Call:
		d.wanted = append(d.wanted, want{a, c})
	case machine.CancelCall:
		d.end(func(o *actor) bool { return o.call != nil && o.path == k.Child })
	case machine.CancelItems:
		d.end(func(o *actor) bool {
			i := o.item
			return i != nil && o.of == a && i.Scope == k.Scope && i.Node == k.Node && i.Visit == k.Visit && i.Attempt == k.Attempt && slices.Contains(k.Items, i.Index)
		})
	case machine.HoldItems:
		for _, o := range d.runs {
			if o.of != a || o.item == nil || o.idle() {
				continue
			}
			if k.Paused {
				d.step(o, machine.Pause{By: "run"})
			} else {
				d.step(o, machine.Resume{By: "run"})
			}
		}
	case machine.Gather:
		d.step(a, machine.Gathered{Scope: k.Scope, Node: k.Node, Visit: k.Visit, Attempt: k.Attempt, List: d.list(k)})
	}
}

// listen lets somebody answer an open wait, twice: the second time too late.
func (d *driver) listen(a *actor, f *machine.WaitStarted) {
	if f.For != machine.ForHuman && f.For != machine.ForCallback {
		return
	}
	k := machine.Dispatch{Scope: f.Scope, Node: f.Node, Visit: f.Visit, Attempt: 1}
	o := d.outcomes(a.log.Place(k))
	if o.Error != nil {
		return
	}
	says := &machine.Decide{Scope: f.Scope, Node: f.Node, Visit: f.Visit, Port: "anything", Value: json.RawMessage(play.Text(o.Output)), By: "ada"}
	if n := &a.m.Nodes[a.m.Index(f.Node)]; f.For == machine.ForHuman {
		says.Port = reference.Decision(graph.Node{Kind: n.Kind, Config: n.Config}, o)
	}
	for range 2 {
		d.agenda = append(d.agenda, due{at: d.at.Add(o.After), of: a, says: says})
	}
}

// end cancels runs that are not waited for any more.
func (d *driver) end(which func(*actor) bool) {
	for _, o := range slices.Clone(d.runs) {
		if which(o) && !o.s.Status.Over() {
			o.told = true
			d.step(o, machine.Cancel{By: "run"})
		}
	}
}

// flush begins the runs that are still wanted.
func (d *driver) flush() {
	for len(d.wanted) > 0 && !d.runs[0].idle() {
		w := d.wanted[0]
		d.wanted = d.wanted[1:]
		still := slices.ContainsFunc(w.of.m.Pending(w.of.s), func(c machine.Command) bool { return keyOf(c) == keyOf(w.command) })
		if !still {
			continue
		}
		switch k := w.command.(type) {
		case machine.StartItem:
			a := d.enter(&actor{m: w.of.m, of: w.of, item: &k, path: w.of.log.Item(k.Scope, k.Node, k.Visit, k.Index)})
			list, _ := play.Parse(d.whole(k.Items)).([]any)
			d.step(a, machine.Start{Trigger: k.Node, Value: json.RawMessage(play.Text(list[k.Index])), Source: "call", Item: &machine.Item{Index: k.Index, Around: k.Around}})
			d.answer(a)
		case machine.Call:
			to := d.callees[k.Workflow]
			a := d.enter(&actor{m: to.m, of: w.of, call: &k, detached: k.Detached, path: w.of.log.Path(k.Scope, k.Node, k.Visit) + "()"})
			d.step(a, machine.Start{Trigger: to.trigger, Value: d.whole(k.Input), Source: "call"})
			d.step(w.of, machine.Called{Scope: k.Scope, Node: k.Node, Visit: k.Visit, Child: a.path})
			d.answer(a)
		}
	}
}

func keyOf(c machine.Command) string {
	switch c := c.(type) {
	case machine.StartItem:
		return c.Key
	case machine.Call:
		return c.Key
	}
	return ""
}

// answer tells whoever waits for a run that it is over, and so on upwards.
func (d *driver) answer(a *actor) {
	for ; a.s.Status.Over() && a.of != nil && !a.told; a = a.of {
		a.told = true
		if a.detached || a.of.idle() {
			return
		}
		var output json.RawMessage
		failure := a.s.Failure
		if a.s.Status == machine.StatusSucceeded {
			output = d.result(a)
		}
		if k := a.item; k != nil {
			d.step(a.of, machine.ItemsOver{Scope: k.Scope, Node: k.Node, Visit: k.Visit, Attempt: k.Attempt, Ends: []machine.ItemEnd{{Index: k.Index, Output: output, Error: failure}}})
		} else {
			d.step(a.of, machine.Called{Scope: a.call.Scope, Node: a.call.Node, Visit: a.call.Visit, Child: a.path, Over: true, Output: output, Error: failure})
		}
	}
}

func (d *driver) whole(v event.Value) json.RawMessage {
	if v.Payload != nil {
		return d.blobs[v.Payload.Digest]
	}
	return v.Inline
}

// list puts the results of a map's items together.
func (d *driver) list(k machine.Gather) json.RawMessage {
	all := map[int]any{}
	for _, part := range k.Results.Parts {
		some, _ := play.Parse(d.whole(part)).(map[string]any)
		for name, value := range some {
			i, err := strconv.Atoi(name)
			if err != nil {
				d.t.Fatal(err)
			}
			all[i] = value
		}
	}
	list := []any{}
	for i := range k.Results.Count {
		if k.Results.Has(i) {
			list = append(list, all[i])
		}
	}
	return json.RawMessage(play.Text(list))
}
