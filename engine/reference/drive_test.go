package reference_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"signalbox/engine/compile"
	"signalbox/engine/event"
	"signalbox/engine/expr"
	"signalbox/engine/graph"
	"signalbox/engine/machine"
	"signalbox/engine/reference"
)

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// lower makes the machine of a drawing without asking whether it is sound:
// what the proof refuses must still mean the same to both. The nodes are
// compiled without their edges, of which there is then nothing to prove, and
// get them afterwards.
func lower(g graph.Graph) *machine.Machine {
	loose := g
	loose.Edges = slices.DeleteFunc(slices.Clone(g.Edges), func(e graph.Edge) bool { return e.Port != graph.PortCompensate })
	m, issues := compile.Compile(loose)
	if m == nil {
		panic(fmt.Sprint(issues, drawn(g)))
	}
	at := func(id string) int { return m.Index(strings.TrimPrefix(id, "id-")) }
	m.Edges = nil
	for _, id := range compile.EdgeIDs(g) {
		e := g.Edges[slices.IndexFunc(g.Edges, func(e graph.Edge) bool { return e.ID == id })]
		if e.Port != graph.PortCompensate {
			m.Edges = append(m.Edges, machine.Edge{From: at(e.From), Port: e.Port, To: at(e.To)})
		}
	}
	if err := m.Link(); err != nil {
		panic(err)
	}
	return m
}

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
	if is, err := lower(g).Digest(); err != nil || was != is {
		t.Fatalf("a drawing that is compiled in two steps makes another machine (%v)\n%s", err, drawn(g))
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
	blobs    map[string][]byte

	lines  [][]any // by edge: the values that wait there
	live   map[string]int
	report reference.Report
}

// due is a result that will come.
type due struct {
	at   time.Time
	task machine.Dispatch
}

func drive(t testing.TB, m *machine.Machine, start reference.Start, outcomes reference.Outcomes) reference.Report {
	t.Helper()
	d := &driver{t: t, m: m, s: m.New("run"), outcomes: outcomes, at: start.At, blobs: map[string][]byte{}, lines: make([][]any, len(m.Edges)), live: map[string]int{}}
	input, err := expr.Marshal(start.Input)
	if err != nil {
		t.Fatal(err)
	}
	d.step(machine.Start{Trigger: start.Trigger, Value: input, Source: "test"})
	for i := 0; !d.s.Status.Over(); i++ {
		if i > 20_000 {
			t.Fatal("the machine does not end")
		}
		d.next()
	}
	d.report.Status, d.report.Ended = string(d.s.Status), d.at
	if f := d.s.Failure; d.s.Status == machine.StatusFailed {
		d.report.Error = &reference.Error{Class: f.Class, Message: f.Message, Node: f.Node, Attempts: f.Attempts}
	}
	if d.s.Status == machine.StatusSucceeded {
		d.supply()
		raw, err := d.s.Result(m)
		if err != nil {
			t.Fatal(err)
		}
		d.report.Result = parse(raw)
	}
	return d.report
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
	if first < 0 && wake.IsZero() {
		d.t.Fatal("the machine waits for nothing")
	}
	if first < 0 || !wake.IsZero() && !wake.After(d.agenda[first].at) {
		d.at = wake
		d.step(machine.Wake{})
		return
	}
	next := d.agenda[first]
	d.agenda = slices.Delete(d.agenda, first, first+1)
	d.at = next.at
	o := d.outcomes(reference.Place{Node: next.task.Node, Visit: next.task.Visit, Attempt: next.task.Attempt})
	if o.Error != nil {
		d.step(machine.Fail{Node: next.task.Node, Visit: next.task.Visit, Attempt: next.task.Attempt, Error: event.Error{Class: o.Error.Class, Message: o.Error.Message}})
		return
	}
	raw, err := expr.Marshal(o.Output)
	if err != nil {
		d.t.Fatal(err)
	}
	d.step(machine.Complete{Node: next.task.Node, Visit: next.task.Visit, Attempt: next.task.Attempt, Output: raw})
}

func (d *driver) supply() {
	for _, digest := range d.s.Needs() {
		d.s.Supply(digest, d.blobs[digest])
	}
}

func (d *driver) step(in machine.Input) {
	d.supply()
	events, err := d.m.Step(d.s, in, d.at)
	if err != nil {
		d.t.Fatal(err)
	}
	for digest, data := range d.s.Fresh() {
		d.blobs[digest] = data
	}
	for _, e := range events {
		d.read(e)
	}
	for _, c := range d.m.Commands(d.s, events) {
		task, is := c.(machine.Dispatch)
		if !is {
			continue
		}
		o := d.outcomes(reference.Place{Node: task.Node, Visit: task.Visit, Attempt: task.Attempt})
		d.agenda = append(d.agenda, due{d.at.Add(o.After), task})
		if i, live := d.live[task.Node+fmt.Sprint(task.Visit)]; live && task.Attempt == 1 {
			answer, _ := d.value(task.Config).(map[string]any)
			if got, want := text(answer["answer"]), text(d.report.Visits[i].Input); got != want {
				d.t.Errorf("the machine tells the task of %s visit %d %s, and its log says %s", task.Node, task.Visit, got, want)
			}
		}
	}
}

// read rebuilds visits and tokens from one event.
func (d *driver) read(e machine.Event) {
	switch f := e.Fact.(type) {
	case *machine.RunStarted:
		v := d.begin(f.Trigger, 1, "")
		d.report.Visits[v].Input = d.value(f.Input)
		d.emit(v, []string{"success"}, d.value(f.Input))
	case *machine.NodeCompleted:
		v := d.begin(f.Node, f.Visit, f.Took)
		d.emit(v, f.Ports, d.or(f.Output, v))
	case *machine.Responded:
		v := d.begin(f.Node, f.Visit, f.Took)
		d.emit(v, f.Ports, d.or(f.Output, v))
	case *machine.NodeFailed:
		if f.Error.Class == "loop_limit" {
			return // the visit that would be one too many: it never started
		}
		v, live := d.live[f.Node+fmt.Sprint(f.Visit)]
		if !live {
			v = d.begin(f.Node, f.Visit, f.Took)
		}
		d.report.Visits[v].Error = &reference.Error{Class: f.Error.Class, Node: f.Node, Attempts: f.Error.Attempts}
		if f.Handled {
			raw, err := json.Marshal(map[string]any{"error": f.Error})
			if err != nil {
				d.t.Fatal(err)
			}
			d.emit(v, []string{"failure"}, parse(raw))
			d.report.Visits[v].Output = nil
		}
	case *machine.TaskScheduled:
		if f.Attempt == 1 {
			d.begin(f.Node, f.Visit, f.Took)
		}
	case *machine.TaskCompleted:
		d.emit(d.live[f.Node+fmt.Sprint(f.Visit)], []string{f.Port}, d.value(f.Output))
	case *machine.WaitStarted:
		d.begin(f.Node, f.Visit, f.Took)
	case *machine.WaitCompleted:
		v := d.live[f.Node+fmt.Sprint(f.Visit)]
		d.emit(v, []string{f.Port}, d.report.Visits[v].Input)
	}
}

func (d *driver) or(v event.Value, visit int) any {
	if v.IsZero() {
		return d.report.Visits[visit].Input
	}
	return d.value(v)
}

func (d *driver) value(v event.Value) any {
	switch {
	case v.Payload != nil:
		return parse(d.blobs[v.Payload.Digest])
	case v.Inline == nil:
		return nil
	}
	return parse(v.Inline)
}

func (d *driver) begin(key string, number int, took machine.Edges) int {
	node := d.m.Index(key)
	list, err := took.List()
	if err != nil {
		d.t.Fatal(err)
	}
	var input any
	joined := map[string]any{}
	for _, e := range list {
		if len(d.lines[e]) == 0 {
			d.t.Fatalf("%s takes a token from an edge that has none", key)
		}
		input = d.lines[e][0]
		joined[d.name(e)] = input
		d.lines[e] = d.lines[e][1:]
	}
	if len(d.m.In(node)) > 1 && d.m.Nodes[node].Join != machine.JoinEach {
		input = joined
	}
	d.live[key+fmt.Sprint(number)] = len(d.report.Visits)
	d.report.Visits = append(d.report.Visits, reference.Visit{Node: key, Number: number, Input: input})
	return len(d.report.Visits) - 1
}

func (d *driver) name(edge int) string {
	e := d.m.Edges[edge]
	for _, other := range d.m.In(e.To) {
		if other != edge && d.m.Edges[other].From == e.From {
			return d.m.Nodes[e.From].Key + "_" + e.Port
		}
	}
	return d.m.Nodes[e.From].Key
}

func (d *driver) emit(visit int, ports []string, value any) {
	v := &d.report.Visits[visit]
	v.Ports, v.Output = ports, value
	for i, e := range d.m.Edges {
		if d.m.Nodes[e.From].Key == v.Node && slices.Contains(ports, e.Port) {
			d.lines[i] = append(d.lines[i], value)
		}
	}
}

func parse(raw []byte) any {
	var v any
	if err := json.NewDecoder(strings.NewReader(string(raw))).Decode(&v); err != nil {
		panic(err)
	}
	return v
}

func text(v any) string {
	raw, err := expr.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(raw)
}
