package chart

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"signalbox/engine/expr"
)

// Chart is a compiled definition. It never changes.
type Chart struct {
	nodes   []node // in document order; 0 is the root
	byID    map[string]int
	context *expr.Tree
	guards  map[string]*guard
	actions map[string][]action
}

// Fault is what is wrong in a definition.
type Fault struct {
	Node    string // id of the state; empty: the chart
	Message string
}

type node struct {
	id, key     string
	kind        Kind
	parent      int // or none
	children    []int
	histories   []int
	deep        bool
	initial     int // or none
	fallback    []int
	initialDo   []action
	entry, exit []action
	on          []handler
	always      []*transition
	invoke      []invoke
	output      *expr.Tree
	tags        []string
}

// handler holds the transitions of one event descriptor.
type handler struct {
	event       string
	transitions []*transition
}

type transition struct {
	source  int
	targets []int
	guard   *guard
	actions []action
	reenter bool
}

type invoke struct {
	id, source string
	input      *expr.Tree
}

// names are the variables of expressions in a chart.
func names() []string { return []string{"context", "event", "params", "input"} }

// Compile reads a definition. With faults the chart is nil.
func Compile(d Def) (*Chart, []Fault) {
	b := builder{def: d, chart: &Chart{byID: map[string]int{}, guards: map[string]*guard{}, actions: map[string][]action{}}}
	root := d.Node
	if root.ID == "" {
		root.ID = "chart"
	}
	b.collect(root, -1, 0)
	if len(b.faults) > 0 {
		return nil, b.faults
	}
	b.at = ""
	b.chart.context = b.tree(d.Context)
	b.named()
	for i := range b.chart.nodes {
		b.at = b.chart.nodes[i].id
		b.fill(i)
	}
	if len(b.faults) == 0 {
		b.endless()
	}
	if len(b.faults) > 0 {
		return nil, b.faults
	}
	return b.chart, nil
}

type builder struct {
	def    Def
	chart  *Chart
	defs   []Node
	faults []Fault
	at     string // id of the state that is read
}

func (b *builder) fail(format string, args ...any) {
	b.faults = append(b.faults, Fault{b.at, fmt.Sprintf(format, args...)})
}

// collect numbers the states in document order.
func (b *builder) collect(d Node, parent, depth int) {
	i := len(b.defs)
	n := node{id: d.ID, key: d.Key, kind: d.Kind, parent: parent, deep: d.Deep, initial: none, tags: d.Tags}
	if n.id == "" {
		n.id = b.chart.nodes[parent].id + "." + d.Key
	}
	b.at = n.id
	switch {
	case i >= NodesMax:
		if i == NodesMax {
			b.fail("A chart may have %d states.", NodesMax)
		}
		b.defs = append(b.defs, d)
		return
	case depth > DepthMax:
		b.fail("States may stand in each other %d deep.", DepthMax)
		return
	case parent >= 0 && d.Key == "":
		b.fail("A state inside another needs a key.")
	}
	if n.kind == "" {
		n.kind = KindAtomic
		if len(d.States) > 0 {
			n.kind = KindCompound
		}
	}
	if _, twice := b.chart.byID[n.id]; twice {
		b.fail("Two states have the id %q.", n.id)
	}
	b.chart.byID[n.id] = i
	b.chart.nodes, b.defs = append(b.chart.nodes, n), append(b.defs, d)
	seen := map[string]bool{}
	for _, c := range d.States {
		if seen[c.Key] {
			b.at = n.id
			b.fail("Two states in it have the key %q.", c.Key)
		}
		seen[c.Key] = true
		at := len(b.chart.nodes)
		b.collect(c, i, depth+1)
		if at >= len(b.chart.nodes) {
			continue
		}
		if c.Kind == KindHistory {
			b.chart.nodes[i].histories = append(b.chart.nodes[i].histories, at)
		} else {
			b.chart.nodes[i].children = append(b.chart.nodes[i].children, at)
		}
	}
}

// named reads the tables of guards and actions. Each name gets its place
// first, since they may use each other.
func (b *builder) named() {
	for name := range b.def.Guards {
		b.chart.guards[name] = &guard{}
	}
	for name, g := range b.def.Guards {
		if read := b.guard(&g, 0); read != nil {
			*b.chart.guards[name] = *read
		}
	}
	for name := range b.def.Actions {
		b.chart.actions[name] = nil
	}
	for name, list := range b.def.Actions {
		b.chart.actions[name] = b.actions(list)
	}
	slices.SortFunc(b.faults, func(a, c Fault) int { return strings.Compare(a.Message, c.Message) })
}

// fill reads what a state says.
func (b *builder) fill(i int) {
	d, n := b.defs[i], &b.chart.nodes[i]
	n.entry, n.exit, n.initialDo = b.actions(d.Entry), b.actions(d.Exit), b.actions(d.InitialDo)
	b.shape(i)
	for _, t := range d.On {
		switch {
		case t.Event == "":
			b.fail("A transition on an event needs the event's name.")
		case strings.Contains(strings.TrimSuffix(t.Event, "*"), "*") || strings.HasSuffix(t.Event, "*") && t.Event != "*" && !strings.HasSuffix(t.Event, ".*"):
			b.fail("In %q the star must stand alone or come last, after a dot.", t.Event)
		}
		n.handle(t.Event, b.transition(i, t))
	}
	for _, t := range d.Done {
		n.handle(doneState+n.id, b.transition(i, t))
	}
	for j, v := range d.Invoke {
		if v.ID == "" {
			v.ID = strconv.Itoa(j) + "." + n.id
		}
		n.invoke = append(n.invoke, invoke{v.ID, v.Source, b.optional(v.Input)})
		for _, t := range v.Done {
			n.handle(doneTask+v.ID, b.transition(i, t))
		}
		for _, t := range v.Error {
			n.handle(errorTask+v.ID, b.transition(i, t))
		}
	}
	b.after(i)
	for _, t := range d.Always {
		n.always = append(n.always, b.transition(i, t))
	}
	n.output = b.optional(d.Output)
}

// shape checks that a state can be what it says it is.
func (b *builder) shape(i int) {
	d, n := b.defs[i], &b.chart.nodes[i]
	if len(d.States) > 0 && n.kind != KindCompound && n.kind != KindParallel {
		b.fail("A state that holds others is compound or parallel, not %s.", n.kind)
	}
	switch n.kind {
	case KindAtomic, KindFinal, KindParallel:
	case KindCompound:
		for _, c := range slices.Concat(n.children, n.histories) {
			if b.chart.nodes[c].key == d.Initial {
				n.initial = c
			}
		}
		if n.initial < 0 {
			b.fail("It begins in %q, and no state in it has that key.", d.Initial)
		}
	case KindHistory:
		if n.parent < 0 {
			b.fail("A history stands inside a state.")
			return
		}
		n.fallback = b.targets(d.Targets)
		for _, t := range n.fallback {
			if b.chart.nodes[t].kind == KindHistory {
				b.fail("A history leads to a state, not to another history.")
			}
		}
	default:
		b.fail("There is no sort of state %q.", n.kind)
	}
}

// endless refuses a state that can only be entered by way of itself: a
// compound state begins in a history that leads back to it.
func (b *builder) endless() {
	const open, closed = 1, 2
	marks := make([]int, len(b.chart.nodes))
	var enter func(i int)
	enter = func(i int) {
		n := &b.chart.nodes[i]
		if marks[i] == open {
			b.at = n.id
			b.fail("It is entered by way of itself.")
		}
		if marks[i] != 0 {
			return
		}
		marks[i] = open
		switch n.kind {
		case KindCompound:
			enter(n.initial)
		case KindParallel:
			for _, c := range n.children {
				enter(c)
			}
		case KindHistory:
			targets, _ := b.chart.fallback(i)
			for _, t := range slices.Concat(targets, b.chart.nodes[n.parent].children) {
				enter(t)
			}
		default:
		}
		marks[i] = closed
	}
	for i := range b.chart.nodes {
		enter(i)
	}
}

// after makes each delay a timer that is set on entry and withdrawn on exit.
func (b *builder) after(i int) {
	n := &b.chart.nodes[i]
	for _, t := range b.defs[i].After {
		if t.Delay == "" {
			b.fail("A transition after a delay needs the delay.")
			continue
		}
		name := t.Delay
		if d, err := time.ParseDuration(name); err == nil {
			name = strconv.FormatInt(d.Milliseconds(), 10) // 15m is 900000, so that names are those of XState
		}
		event := afterDelay + name + "." + n.id
		if !n.handles(event) {
			n.entry = append(n.entry, action{raise: &raise{event: event, id: event, delay: b.delay(t.Delay, 0)}})
			n.exit = append(n.exit, action{cancel: event})
		}
		n.handle(event, b.transition(i, t))
	}
}

func (n *node) handles(event string) bool {
	return slices.ContainsFunc(n.on, func(h handler) bool { return h.event == event })
}

func (n *node) handle(event string, t *transition) {
	for i := range n.on {
		if n.on[i].event == event {
			n.on[i].transitions = append(n.on[i].transitions, t)
			return
		}
	}
	n.on = append(n.on, handler{event, []*transition{t}})
}

func (b *builder) transition(source int, t Transition) *transition {
	return &transition{source: source, targets: b.targets(t.Targets), guard: b.guard(t.Guard, 0), actions: b.actions(t.Actions), reenter: t.Reenter}
}

func (b *builder) targets(ids []string) []int {
	var list []int
	for _, id := range ids {
		i, ok := b.chart.byID[id]
		if !ok {
			b.fail("There is no state %q to go to.", id)
			continue
		}
		list = append(list, i)
	}
	return list
}

// tree reads a value with expressions in it; nothing is an empty object.
func (b *builder) tree(raw json.RawMessage) *expr.Tree {
	t, faults := expr.ParseTreeWith(names(), raw, nil)
	for _, f := range faults {
		b.fail("%s (in %.80s)", f.Fault.Message, raw)
	}
	return t
}

func (b *builder) optional(raw json.RawMessage) *expr.Tree {
	if len(raw) == 0 {
		return nil
	}
	return b.tree(raw)
}

// delay reads how long: milliseconds, a duration, a name, an expression.
func (b *builder) delay(text string, depth int) *delay {
	if ms, err := strconv.ParseInt(text, 10, 64); err == nil && ms >= 0 {
		return &delay{ms: ms}
	}
	if d, err := time.ParseDuration(text); err == nil && d >= 0 {
		return &delay{ms: d.Milliseconds()}
	}
	if named, ok := b.def.Delays[text]; ok && depth < DepthMax {
		return b.delay(named, depth+1)
	}
	if source, ok := strings.CutPrefix(text, "="); ok {
		return &delay{program: b.program(source)}
	}
	b.fail("The delay %q is not a number of milliseconds, a duration like 15m, or the name of a delay.", text)
	return nil
}

func (b *builder) program(source string) *expr.Program {
	p, fault := expr.ParseWith(names(), source)
	if fault != nil {
		b.fail("%s (in %.80s)", fault.Message, source)
	}
	return p
}
