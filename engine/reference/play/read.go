package play

import (
	"encoding/json"
	"fmt"
	"slices"

	"signalbox/engine/event"
	"signalbox/engine/machine"
	"signalbox/engine/reference"
)

// Reading rebuilds visits, tokens and values from the log of a machine alone,
// as somebody would who knows only what the events are called.
type Reading struct {
	t      Judge
	m      *machine.Machine
	Blobs  map[string][]byte
	scopes map[int]*place
	live   map[visitRef]int // position in the report
	bodies map[visitRef]*bodies
	undoes map[visitRef]machine.VisitRef // compensations, and what they undo
	begun  map[machine.VisitRef]bool     // what is being undone, or is undone
	gone   map[visitRef]bool             // canceled
	output map[int]any                   // by event number
	items  map[itemRef]string            // paths of items that are runs
	Report reference.Report
}

// visitRef names a visit as the log does.
type visitRef struct {
	scope  int
	node   string
	number int
}

// place is one scope.
type place struct {
	path   string
	of     visitRef
	index  int
	input  any
	lines  [][]any // by edge: the values that wait there
	opened map[string]int
	count  int // visits
}

// bodies is what a container has gathered.
type bodies struct {
	items []any
	last  any
	list  map[int]any
}

// Read makes a reading of a run's log.
func Read(t Judge, m *machine.Machine) *Reading { return ReadAt(t, m, "") }

// ReadAt makes one of a run that another one started: all that is in it stands
// below a path.
func ReadAt(t Judge, m *machine.Machine, path string) *Reading {
	r := &Reading{t: t, m: m, Blobs: map[string][]byte{}, scopes: map[int]*place{}, live: map[visitRef]int{}, bodies: map[visitRef]*bodies{}, undoes: map[visitRef]machine.VisitRef{}, begun: map[machine.VisitRef]bool{}, gone: map[visitRef]bool{}, output: map[int]any{}, items: map[itemRef]string{}}
	r.open(0, &place{path: path})
	return r
}

func (r *Reading) open(id int, p *place) {
	p.lines, p.opened = make([][]any, len(r.m.Edges)), map[string]int{}
	r.scopes[id] = p
}

// Place names an attempt as the reference does.
func (r *Reading) Place(k machine.Dispatch) reference.Place {
	return reference.Place{Scope: r.scopes[k.Scope].path, Node: k.Node, Visit: k.Visit, Attempt: k.Attempt}
}

// Told checks that a task gets the input that the log says. What a join
// combined is known only from here.
func (r *Reading) Told(k machine.Dispatch) {
	v := &r.Report.Visits[r.live[visitRef{k.Scope, k.Node, k.Visit}]]
	answer, _ := r.value(k.Config).(map[string]any)
	_, undoes := r.undoes[visitRef{k.Scope, k.Node, k.Visit}]
	if r.m.Nodes[r.m.Index(k.Node)].Combine != nil || undoes {
		v.Input = answer["answer"]
	}
	if got, want := Text(answer["answer"]), Text(v.Input); got != want {
		r.t.Errorf("the machine tells the task of %s visit %d %s, and its log says %s", k.Node, k.Visit, got, want)
	}
}

// Read rebuilds visits and tokens from one event.
func (r *Reading) Read(e machine.Event) {
	switch f := e.Fact.(type) {
	case *machine.RunStarted:
		if f.Item != nil {
			r.scopes[0].input = r.value(f.Input)
			return
		}
		v := visitRef{0, f.Trigger, 1}
		r.begin(v, "")
		r.Report.Visits[0].Input = r.value(f.Input)
		r.emit(e, v, []string{"success"}, r.value(f.Input))
	case *machine.NodeCompleted:
		v := visitRef{f.Scope, f.Node, f.Visit}
		r.begin(v, f.Took)
		r.combined(v, f.Output)
		r.emit(e, v, f.Ports, r.or(f.Output, v))
	case *machine.Responded:
		v := visitRef{f.Scope, f.Node, f.Visit}
		r.begin(v, f.Took)
		r.emit(e, v, f.Ports, r.or(f.Output, v))
	case *machine.NodeFailed:
		r.failed(e, f)
	case *machine.TaskScheduled:
		if f.Attempt == 1 && f.Undoes != nil {
			r.undoes[visitRef{f.Scope, f.Node, f.Visit}] = *f.Undoes
			if r.begun[*f.Undoes] {
				r.t.Errorf("%v is undone twice", *f.Undoes)
			}
			r.begun[*f.Undoes] = true
		}
		if f.Attempt == 1 {
			r.begin(visitRef{f.Scope, f.Node, f.Visit}, f.Took)
		}
	case *machine.TaskCompleted:
		r.emit(e, visitRef{f.Scope, f.Node, f.Visit}, []string{f.Port}, r.value(f.Output))
	case *machine.WaitStarted:
		r.begin(visitRef{f.Scope, f.Node, f.Visit}, f.Took)
	case *machine.CallStarted:
		r.begin(visitRef{f.Scope, f.Node, f.Visit}, f.Took)
	case *machine.SignalReceived:
		r.output[e.Seq] = r.value(f.Value)
	case *machine.WaitCompleted:
		v := visitRef{f.Scope, f.Node, f.Visit}
		value := r.or(f.Output, v)
		if f.Signal > 0 {
			value = r.output[f.Signal]
		}
		r.emit(e, v, []string{f.Port}, value)
	case *machine.AttentionNeeded:
		r.Report.Error = &reference.Error{Class: f.Error.Class, Node: f.Error.Node}
	case *machine.VisitCanceled:
		r.gone[visitRef{f.Scope, f.Node, f.Visit}] = true
		if undoes, is := r.undoes[visitRef{f.Scope, f.Node, f.Visit}]; is && f.Keeps == 0 {
			delete(r.begun, undoes)
		}
	case *machine.TokensAbsorbed:
		for _, edge := range r.edges(f.Took) {
			r.pop(f.Scope, edge)
		}
	case *machine.TokensCanceled:
		for _, edge := range r.edges(f.Edges) {
			lines := r.scopes[f.Scope].lines
			keep := 0
			if r.m.Nodes[r.m.Edges[edge].To].Key == f.Node {
				keep = 1
			}
			lines[edge] = lines[edge][:min(keep, len(lines[edge]))]
		}
	default:
		r.readContainer(e)
	}
}

func (r *Reading) failed(e machine.Event, f *machine.NodeFailed) {
	if f.Error.Class == "loop_limit" && f.Took != "" {
		return // the visit that would be one too many: it never started
	}
	v := visitRef{f.Scope, f.Node, f.Visit}
	if _, live := r.live[v]; !live {
		r.begin(v, f.Took)
	}
	if undoes, is := r.undoes[v]; is {
		delete(r.begun, undoes)
	}
	visit := &r.Report.Visits[r.live[v]]
	visit.Error = &reference.Error{Class: f.Error.Class, Node: f.Error.Node, Attempts: f.Error.Attempts}
	if !f.Handled {
		delete(r.live, v)
		return
	}
	r.emit(e, v, []string{"failure"}, r.failure(f.Error))
	visit.Output = nil
}

// failure is an error as a failure port carries it.
func (r *Reading) failure(e event.Error) any {
	raw, err := json.Marshal(map[string]any{"error": e})
	if err != nil {
		r.t.Fatalf("%v", err)
	}
	return Parse(raw)
}

// combined takes the value of a join that combines from its output: the log
// says it nowhere else.
func (r *Reading) combined(v visitRef, output event.Value) {
	if n := r.m.Nodes[r.m.Index(v.node)]; n.Combine != nil && !output.IsZero() {
		r.Report.Visits[r.live[v]].Input = r.value(output)
	}
}

func (r *Reading) or(v event.Value, of visitRef) any {
	if v.IsZero() {
		return r.Report.Visits[r.live[of]].Input
	}
	return r.value(v)
}

func (r *Reading) value(v event.Value) any {
	switch {
	case v.Payload != nil:
		return Parse(r.Blobs[v.Payload.Digest])
	case v.Inline == nil:
		return nil
	}
	return Parse(v.Inline)
}

func (r *Reading) edges(e machine.Edges) []int {
	list, err := e.List()
	if err != nil {
		r.t.Fatalf("%v", err)
	}
	return list
}

func (r *Reading) pop(scope, edge int) any {
	lines := r.scopes[scope].lines
	if len(lines[edge]) == 0 {
		r.t.Fatalf("a token is taken from edge %d of scope %d, which has none", edge, scope)
	}
	value := lines[edge][0]
	lines[edge] = lines[edge][1:]
	return value
}

func (r *Reading) begin(v visitRef, took machine.Edges) {
	node := r.m.Index(v.node)
	s := r.scopes[v.scope]
	input := s.input // of an entry node
	joined := map[string]any{}
	for _, e := range r.edges(took) {
		input = r.pop(v.scope, e)
		joined[r.name(e)] = input
	}
	if len(r.m.In(node)) > 1 && r.m.Nodes[node].Join != machine.JoinEach {
		input = joined
	}
	s.count++
	r.live[v] = len(r.Report.Visits)
	r.Report.Visits = append(r.Report.Visits, reference.Visit{Scope: s.path, Node: v.node, Number: v.number, Input: input})
}

func (r *Reading) name(edge int) string {
	e := r.m.Edges[edge]
	for _, other := range r.m.In(e.To) {
		if other != edge && r.m.Edges[other].From == e.From {
			return r.m.Nodes[e.From].Key + "_" + e.Port
		}
	}
	return r.m.Nodes[e.From].Key
}

func (r *Reading) emit(e machine.Event, of visitRef, ports []string, value any) {
	v := &r.Report.Visits[r.live[of]]
	v.Ports, v.Output = ports, value
	if r.gone[of] {
		return // a task that was in flight when its visit was canceled
	}
	r.output[e.Seq] = value
	for i, edge := range r.m.Edges {
		if r.m.Nodes[edge.From].Key == of.node && slices.Contains(ports, edge.Port) {
			r.scopes[of.scope].lines[i] = append(r.scopes[of.scope].lines[i], value)
		}
	}
}

func (v visitRef) String() string { return fmt.Sprintf("%s#%d", v.node, v.number) }
