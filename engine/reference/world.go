package reference

import (
	"cmp"
	"slices"
	"time"

	"signalbox/engine/graph"
)

// world is one run as it stands.
type world struct {
	drawing drawing
	start   Start
	stage   *stage
	began   time.Time

	tick   int // counts emissions: the age of tokens
	scopes []*scope
	agenda []appointment
	report Report
	over   bool
	mail   []letter
	heard  []string // ids of signals

	path     string // of a run that another one started
	parent   *world
	caller   *visit // in the parent
	item     *item  // it is an item of a map
	detached bool   // nobody waits for it
	halted   bool   // a person has to decide
	told     bool   // its end
}

// token is control on an edge; before the entry node of a scope there is none.
type token struct {
	edge  graph.Edge
	to    string // node id
	value any
	born  int
	since time.Time
}

// visit is a live activation of a node.
type visit struct {
	scope   *scope
	node    graph.Node
	number  int
	attempt int
	input   any
	inputs  map[string]any
	began   time.Time
	record  int // in the report
	body    *body
	undoes  bool   // it undoes another visit
	about   *scope // where the visit was that it undoes
	stray   *scope // it was canceled, but its task may still have an effect: who wants to know

	children    []*world // runs that it started
	name        string   // of the signal that it waits for
	correlation string
	since       time.Time // signals that came since then count
}

// appointment is something that will happen.
type appointment struct {
	at      time.Time
	why     why
	order   int
	visit   *visit
	outcome Outcome // of an attempt
}

type why int

const (
	waited   why = iota // a wait is over
	again               // an attempt follows on one that failed
	timeIsUp            // the visit may take no longer
	gaveUp              // nobody answered in time
	answered            // somebody answers
	result              // an attempt has ended
)

// timer reports whether time alone brings it about.
func (a appointment) timer() bool { return a.why != result && a.why != answered }

func (w *world) agree(a appointment) {
	w.stage.agreed++
	a.order = w.stage.agreed
	w.agenda = append(w.agenda, a)
}

// first is when the earliest appointment or deadline is, whether it is a timer,
// and the number of the appointment.
func (w *world) first() (at time.Time, timer bool, order int, some bool) {
	slices.SortFunc(w.agenda, appointment.compare)
	deadline, runs := w.nextDeadline()
	switch {
	case len(w.agenda) == 0 && !runs:
		return at, false, 0, false
	case len(w.agenda) == 0 || runs && !w.agenda[0].at.Before(deadline):
		return deadline, true, 0, true
	}
	return w.agenda[0].at, w.agenda[0].timer(), w.agenda[0].order, true
}

// happenAll lets the earliest appointment happen, with all timers of that
// moment, and settles what follows.
func (w *world) happenAll(timer bool, order int) {
	for timer && len(w.agenda) > 0 && w.agenda[0].timer() && w.agenda[0].at.Equal(w.stage.now) {
		w.happen(w.pop())
	}
	if !timer && w.agenda[0].order == order {
		w.happen(w.pop())
	}
	w.settle()
}

func (w *world) pop() appointment {
	a := w.agenda[0]
	w.agenda = w.agenda[1:]
	return a
}

func (w *world) happen(a appointment) {
	switch a.why {
	case waited:
		w.complete(a.visit, []string{"success"}, a.visit.input)
	case again:
		w.attempt(a.visit)
	case timeIsUp:
		w.late(a.visit)
	case gaveUp:
		w.complete(a.visit, []string{"timeout"}, a.visit.input)
	case answered:
		w.answeredBy(a.visit, a.outcome)
	case result:
		w.attempted(a.visit, a.outcome)
	}
}

// compare puts what happens first first.
func (a appointment) compare(b appointment) int {
	switch {
	case !a.at.Equal(b.at):
		return a.at.Compare(b.at)
	case a.timer() != b.timer() && a.timer():
		return -1
	case a.timer() != b.timer():
		return 1
	}
	return cmp.Compare(a.order, b.order)
}

// begin makes a visit live.
func (w *world) begin(s *scope, n graph.Node, input any, inputs map[string]any) *visit {
	s.count[n.ID]++
	v := &visit{scope: s, node: n, number: s.count[n.ID], input: input, inputs: inputs, began: w.stage.now, record: len(w.report.Visits)}
	s.live = append(s.live, v)
	w.report.Visits = append(w.report.Visits, Visit{Scope: s.path, Node: n.Key, Number: v.number, Input: input})
	return v
}

// complete ends a visit well: every edge of its ports gets a token, in one
// step.
func (w *world) complete(v *visit, ports []string, output any) {
	s := v.scope
	s.outputs[v.node.ID] = output
	record := &w.report.Visits[v.record]
	record.Ports, record.Output = ports, output
	if v.node.Kind == "output" && !v.node.Disabled {
		s.results = append(s.results, output)
	}
	w.remember(v, s, output)
	w.emit(v, ports, output)
}

func (w *world) emit(v *visit, ports []string, value any) {
	s := v.scope
	w.forget(v)
	w.tick++
	ended := true
	for _, port := range ports {
		for _, e := range w.drawing.outOf(v.node.ID, port) {
			s.tokens = append(s.tokens, token{edge: e, to: e.To, value: value, born: w.tick, since: w.stage.now})
			ended = false
		}
	}
	if ended {
		s.ends = append(s.ends, v.node)
	}
}

// forget takes a visit out of the live ones, with all that was agreed on for
// it and the bodies that it opened.
func (w *world) forget(v *visit) {
	v.scope.live = slices.DeleteFunc(v.scope.live, func(other *visit) bool { return other == v })
	w.agenda = slices.DeleteFunc(w.agenda, func(a appointment) bool { return a.visit == v })
	for _, s := range w.bodies(v) {
		w.closeScope(s)
	}
	w.dismiss(v)
}
