package reference

import (
	"cmp"
	"slices"
	"time"

	"signalbox/engine/graph"
)

// world is one run as it stands.
type world struct {
	drawing  drawing
	start    Start
	outcomes Outcomes

	now    time.Time
	tick   int // counts emissions: the age of tokens
	agreed int // counts appointments
	scopes []*scope
	agenda []appointment
	report Report
	over   bool
}

// scope is a place where tokens live.
type scope struct {
	path    string
	parent  *scope
	in      string // id of the container node; "" is the run
	tokens  []token
	live    []*visit
	count   map[string]int // visits by node id
	outputs map[string]any // of the latest completed visit, by node id
	results []any          // of its output nodes, as they came
	ends    []graph.Node   // where a visit emitted nothing: tokens ended there
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
}

// appointment is something that will happen.
type appointment struct {
	at      time.Time
	timer   bool // comes before results at the same moment
	order   int
	visit   *visit
	outcome *Outcome // of an attempt; nil: the time has come for the visit
}

func (w *world) agree(a appointment) {
	w.agreed++
	a.order = w.agreed
	w.agenda = append(w.agenda, a)
}

// next lets the earliest appointment happen, with all timers of that moment,
// and settles what follows.
func (w *world) next() {
	if len(w.agenda) == 0 {
		panic("reference: a run that is not over waits for nothing") // settle ends quiet runs
	}
	slices.SortFunc(w.agenda, appointment.compare)
	w.now = w.agenda[0].at
	for first := true; len(w.agenda) > 0 && (first || w.agenda[0].timer && w.agenda[0].at.Equal(w.now)); first = false {
		a := w.agenda[0]
		w.agenda = w.agenda[1:]
		w.happen(a)
		if !a.timer {
			break
		}
	}
	w.settle()
}

func (w *world) happen(a appointment) {
	switch {
	case a.outcome != nil:
		w.attempted(a.visit, *a.outcome)
	case a.visit.node.Kind == "wait":
		w.complete(a.visit, []string{"success"}, a.visit.input)
	default:
		w.attempt(a.visit)
	}
}

// compare puts what happens first first.
func (a appointment) compare(b appointment) int {
	kind := func(a appointment) int {
		if a.timer {
			return 0
		}
		return 1
	}
	return cmp.Or(a.at.Compare(b.at), cmp.Compare(kind(a), kind(b)), cmp.Compare(a.order, b.order))
}

// open starts the run: the trigger's visit is over at once.
func (w *world) open(trigger graph.Node) {
	s := &scope{count: map[string]int{}, outputs: map[string]any{}}
	w.scopes = append(w.scopes, s)
	v := w.begin(s, trigger, w.start.Input, nil)
	w.complete(v, []string{"success"}, w.start.Input)
	w.settle()
}

// begin makes a visit live.
func (w *world) begin(s *scope, n graph.Node, input any, inputs map[string]any) *visit {
	s.count[n.ID]++
	v := &visit{scope: s, node: n, number: s.count[n.ID], input: input, inputs: inputs, began: w.now, record: len(w.report.Visits)}
	s.live = append(s.live, v)
	w.report.Visits = append(w.report.Visits, Visit{Scope: s.path, Node: n.Key, Number: v.number, Input: input})
	return v
}

// complete ends a visit: every edge of its ports gets a token, in one step.
func (w *world) complete(v *visit, ports []string, output any) {
	s := v.scope
	s.outputs[v.node.ID] = output
	record := &w.report.Visits[v.record]
	record.Ports, record.Output = ports, output
	if v.node.Kind == "output" && !v.node.Disabled {
		s.results = append(s.results, output)
	}
	w.emit(v, ports, output)
}

func (w *world) emit(v *visit, ports []string, value any) {
	s := v.scope
	s.drop(v)
	w.tick++
	ended := true
	for _, port := range ports {
		for _, e := range w.drawing.outOf(v.node.ID, port) {
			s.tokens = append(s.tokens, token{edge: e, to: e.To, value: value, born: w.tick, since: w.now})
			ended = false
		}
	}
	if ended {
		s.ends = append(s.ends, v.node)
	}
}

// drop takes a visit out of the live ones.
func (s *scope) drop(v *visit) {
	for i := range s.live {
		if s.live[i] == v {
			s.live = append(s.live[:i:i], s.live[i+1:]...)
			return
		}
	}
}
