package compile

import (
	"slices"

	"signalbox/engine/expr"
	"signalbox/engine/graph"
	"signalbox/engine/kind"
	"signalbox/engine/machine"
	"signalbox/engine/shape"
)

// Limits of following shapes round loops.
const (
	looksWiden = 10 // looks at a node after which what it gives only grows
	looksMax   = 20 // looks at a node after which what it gives is anything
)

// flows follows the shapes of values along the edges of a drawing until they
// change no more.
type flows struct {
	c     *compiler
	world World
	order []look
	place map[look]int // in order
	dirty []bool
	more  bool                // something was marked
	loose bool                // what nothing leads to gets anything, instead of nothing
	nodes map[string]*flowing // by id
}

// look is one thing to look at: a node, or the end of a container, which comes
// after what stands in it.
type look struct {
	id  string
	end bool
}

// flowing is what is known of one node so far.
type flowing struct {
	node   *graph.Node
	spec   kind.Spec
	edges  []graph.Edge // into it
	keys   []string     // of the edges, as expressions name them
	trees  map[string]*expr.Tree
	refs   expr.Refs // of all of them
	in     shape.Shape
	body   shape.Shape // container: what its first nodes get
	result shape.Shape // container: what a body comes to
	out    map[string]shape.Shape
	parts  []partLook
	looks  int
}

// partLook is an expression of a node with its place in the node.
type partLook struct {
	expr.PartLook

	field string
}

func newFlows(c *compiler, w World) *flows {
	return &flows{c: c, world: w, place: map[look]int{}, nodes: map[string]*flowing{}}
}

// follow finds the shapes at every node.
func (f *flows) follow() {
	c, held := f.c, map[string][]*graph.Node{}
	for i := range c.g.Nodes {
		n := &c.g.Nodes[i]
		if n.In != "" && inChart(c.g, n) {
			continue
		}
		held[n.In] = append(held[n.In], n)
		f.nodes[n.ID] = f.open(n)
	}
	f.sort("", held)
	f.dirty = make([]bool, len(f.order))
	for i := range f.dirty {
		f.dirty[i] = true
	}
	readers := f.readers()
	for f.more = true; f.more; {
		f.more = false
		for i, l := range f.order {
			if !f.dirty[i] {
				continue
			}
			f.dirty[i] = false
			if f.step(l) {
				f.more = true
				f.touch(l, readers)
			}
		}
	}
}

func (f *flows) open(n *graph.Node) *flowing {
	at := &flowing{node: n, spec: f.c.specs[n.ID], edges: f.c.flowIn(n.ID), trees: f.c.trees[n.ID], out: map[string]shape.Shape{}}
	at.keys = f.c.inputKeys(n.ID)
	for _, t := range at.trees {
		r := t.Refs()
		at.refs.Nodes = append(at.refs.Nodes, r.Nodes...)
		at.refs.Trigger = at.refs.Trigger || r.Trigger
		at.refs.Around = append(at.refs.Around, r.Around...)
	}
	return at
}

// sort puts the nodes of a scope into an order in which values mostly go:
// along edges, into containers, and out of them.
func (f *flows) sort(scope string, held map[string][]*graph.Node) {
	var done []*graph.Node
	seen := map[string]bool{}
	var visit func(n *graph.Node)
	visit = func(n *graph.Node) {
		if seen[n.ID] {
			return
		}
		seen[n.ID] = true
		for _, e := range f.c.out[n.ID] {
			if to := f.c.node[e.To]; to != nil && to.In == scope && f.nodes[to.ID] != nil {
				visit(to)
			}
		}
		done = append(done, n)
	}
	for _, n := range held[scope] {
		visit(n)
	}
	slices.Reverse(done)
	for _, n := range done {
		f.put(look{n.ID, false})
		if f.nodes[n.ID].spec.Container && f.nodes[n.ID].spec.Work == kind.WorkScope {
			f.sort(n.ID, held)
			f.put(look{n.ID, true})
		}
	}
}

func (f *flows) put(l look) {
	f.place[l] = len(f.order)
	f.order = append(f.order, l)
}

// readers lists who reads the output of each node, by its key, and who reads
// what started the run, by "".
func (f *flows) readers() map[string][]string {
	all := map[string][]string{}
	for _, l := range f.order {
		if l.end {
			continue
		}
		at := f.nodes[l.id]
		for _, key := range at.refs.Nodes {
			all[key] = append(all[key], l.id)
		}
		if at.refs.Trigger {
			all[""] = append(all[""], l.id)
		}
	}
	return all
}

// touch marks what depends on something that changed.
func (f *flows) touch(l look, readers map[string][]string) {
	mark := func(l look) {
		if at, ok := f.place[l]; ok {
			f.dirty[at] = true
		}
	}
	at := f.nodes[l.id]
	if !l.end && f.isScope(at) { // what is in it gets something else
		mark(look{l.id, true})
		for i := f.place[l] + 1; i < f.place[look{l.id, true}]; i++ {
			f.dirty[i] = true
		}
		return
	}
	for _, e := range f.c.out[l.id] {
		mark(look{e.To, false})
	}
	for _, id := range readers[at.node.Key] {
		mark(look{id, false})
	}
	if f.c.trigger(*at.node) {
		for _, id := range readers[""] {
			mark(look{id, false})
		}
	}
	if at.node.In != "" {
		mark(look{at.node.In, true})
	}
	if l.end {
		mark(look{l.id, false}) // a loop gets back what it gave
	}
}

func (f *flows) isScope(at *flowing) bool {
	_, ends := f.place[look{at.node.ID, true}]
	return ends
}

// step looks at one thing anew and reports whether what it gives has changed.
func (f *flows) step(l look) bool {
	at := f.nodes[l.id]
	at.looks++
	if l.end {
		result := f.resultOf(l.id)
		next := f.ends(at, result)
		changed := !shape.Equal(result, at.result)
		at.result = result
		return f.settle(at, next) || changed
	}
	before := at.in
	if at.in = f.incoming(at); at.in.Never() {
		return false
	}
	if !shape.Equal(before, at.in) {
		f.undoer(l.id)
	}
	at.parts = nil
	if f.isScope(at) {
		body := at.widen(at.body, f.bodyOf(at))
		changed := !shape.Equal(body, at.body)
		at.body = body
		return changed
	}
	return f.settle(at, f.gives(at))
}

// undoer marks the node that undoes one whose input has changed.
func (f *flows) undoer(id string) {
	for _, e := range f.c.out[id] {
		if at, ok := f.place[look{e.To, false}]; ok && e.Port == graph.PortCompensate {
			f.dirty[at], f.more = true, true
		}
	}
}

// settle takes what a node gives by its ports.
func (f *flows) settle(at *flowing, next map[string]shape.Shape) bool {
	changed := false
	for port, s := range next {
		before, had := at.out[port]
		s = at.widen(before, s)
		if !had || !shape.Equal(before, s) {
			at.out[port], changed = s, true
		}
	}
	return changed
}

// widen keeps shapes from growing without end: after some looks they only grow,
// after more they are anything.
func (at *flowing) widen(before, next shape.Shape) shape.Shape {
	switch {
	case at.looks > looksMax && !shape.Equal(before, next):
		return shape.Any()
	case at.looks > looksWiden:
		return shape.Join(before, next)
	}
	return next
}

// incoming is the shape of what a node gets.
func (f *flows) incoming(at *flowing) shape.Shape {
	n := at.node
	switch {
	case f.c.trigger(*n):
		return shape.Any()
	case f.c.undoes(n.ID):
		return f.undone(n)
	case len(at.edges) > 0 && !joins(at):
		in := shape.Shape{}
		for _, e := range at.edges {
			in = shape.Join(in, f.given(e))
		}
		return in
	case len(at.edges) > 0:
		return f.joined(at)
	case n.In != "":
		if up := f.nodes[n.In]; up != nil && f.isScope(up) {
			return up.body
		}
		return shape.Any()
	}
	if f.loose {
		return shape.Any()
	}
	return shape.Shape{} // nothing leads there
}

func joins(at *flowing) bool {
	return len(at.edges) > 1 && (at.node.Join == nil || at.node.Join.Mode != machine.JoinEach)
}

// given is what a token on an edge carries.
func (f *flows) given(e graph.Edge) shape.Shape {
	from := f.nodes[e.From]
	if from == nil {
		return shape.Any()
	}
	if s, ok := from.out[e.Port]; ok {
		return s
	}
	if from.spec.Name == "" || !hasPort(from.spec, from.node, e.Port) {
		return shape.Any()
	}
	return shape.Shape{}
}

// joined is an object with a field for each edge. Which of them come is known
// only where all are waited for.
func (f *flows) joined(at *flowing) shape.Shape {
	j := at.node.Join
	all := j != nil && j.Mode == machine.JoinAll && j.Deadline == ""
	fields := make([]shape.Field, 0, len(at.edges))
	for i, e := range at.edges {
		s := f.given(e)
		if s.Never() {
			if all {
				return shape.Shape{}
			}
			continue
		}
		fields = append(fields, shape.Field{Name: at.keys[i], Shape: s, Optional: !all})
	}
	if len(fields) == 0 {
		return shape.Shape{}
	}
	return shape.ObjectOf(fields...).Bound()
}

// undone is what a compensation gets: what the node got and gave that it undoes.
func (f *flows) undone(n *graph.Node) shape.Shape {
	in, out := shape.Shape{}, shape.Shape{}
	for _, e := range f.c.in[n.ID] {
		if from := f.nodes[e.From]; from != nil && e.Port == graph.PortCompensate {
			in, out = shape.Join(in, from.in), shape.Join(out, f.outputOf(from))
		}
	}
	if out.Never() {
		return out
	}
	return shape.ObjectOf(shape.Must("input", in), shape.Must("output", out))
}

// outputOf is what a node's latest output can be. An error that leaves by a
// failure port is none.
func (f *flows) outputOf(at *flowing) shape.Shape {
	all := shape.Shape{}
	for port, s := range at.out {
		if port != machine.PortFailure {
			all = shape.Join(all, s)
		}
	}
	return all
}

// see is what an expression of a node sees.
func (f *flows) see(at *flowing) func(name string) shape.Shape {
	return func(name string) shape.Shape {
		switch name {
		case "input":
			if f.isScope(at) && at.node.Kind == string(machine.OpLoop) {
				return at.body
			}
			return at.in
		case "inputs":
			return f.inputs(at)
		case "nodes":
			return f.others(at)
		case "trigger":
			return f.triggered()
		case "run":
			text := shape.Of(shape.Text)
			return shape.ObjectOf(shape.Must("id", text), shape.Must("workflow", text), shape.Must("version", text), shape.Must("started_at", text))
		case "index":
			return shape.Of(shape.Number)
		case "item":
			return f.item(at.node)
		}
		return shape.Any()
	}
}

func (f *flows) inputs(at *flowing) shape.Shape {
	fields := make([]shape.Field, 0, len(at.edges))
	for i, e := range at.edges {
		fields = append(fields, shape.May(at.keys[i], f.given(e)))
	}
	if len(fields) == 1 && !f.c.undoes(at.node.ID) {
		fields[0].Optional = false
	}
	return shape.ObjectOf(fields...).Bound()
}

// others are the outputs of other nodes that the expressions name.
func (f *flows) others(at *flowing) shape.Shape {
	var fields []shape.Field
	named := slices.Clone(at.refs.Nodes)
	slices.Sort(named)
	for _, key := range slices.Compact(named) {
		s := shape.Any()
		if n := f.c.key[key]; n != nil && f.nodes[n.ID] != nil {
			s = f.outputOf(f.nodes[n.ID])
		}
		fields = append(fields, shape.May(key, shape.ObjectOf(shape.Must("output", s))))
	}
	return shape.ObjectOf(fields...)
}

func (f *flows) triggered() shape.Shape {
	all := shape.Shape{}
	for _, l := range f.order {
		if at := f.nodes[l.id]; f.c.trigger(*at.node) {
			all = shape.Join(all, f.outputOf(at))
		}
	}
	return all
}

// item is that of the nearest map or, without one around, what the round of the
// nearest loop got.
func (f *flows) item(n *graph.Node) shape.Shape {
	found, round := shape.Any(), false
	for depth := 0; n.In != "" && depth <= graph.NestingMax; depth++ {
		up := f.nodes[n.In]
		if up == nil {
			break
		}
		switch machine.Op(up.node.Kind) {
		case machine.OpMap:
			return up.body
		case machine.OpLoop:
			if !round {
				found, round = up.body, true
			}
		default:
		}
		n = up.node
	}
	return found
}
