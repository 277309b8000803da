package compile

import (
	"fmt"
	"slices"
	"strings"

	"signalbox/engine/expr"
	"signalbox/engine/graph"
	"signalbox/engine/kind"
	"signalbox/engine/machine"
	"signalbox/engine/shape"
)

// World is what a drawing does not say by itself.
type World struct {
	Types  map[string]TaskType                           // that workers of one's own announce
	Callee func(workflow, version string) (Callee, bool) // workflows that can be called; nil: none is known
}

// TaskType is what workers say of a type: JSON Schemas.
type TaskType struct{ Input, Output []byte }

// Callee is what a workflow takes and gives.
type Callee struct{ Takes, Gives shape.Shape }

// Ports is what is known of the data at a node.
type Ports struct {
	Gets  shape.Shape            `json:"gets"`  // what comes
	Takes shape.Shape            `json:"takes"` // what it reads of that
	Gives map[string]shape.Shape `json:"gives"` // by port
}

// PortsOf tells what values look like at every node of a drawing, by its id, and
// what cannot be right about them, given more than the drawing alone.
func PortsOf(g graph.Graph, w World) (map[string]Ports, []graph.Issue) {
	c := newCompiler(g)
	c.resolve()
	c.check()
	c.issues = nil // others tell of these
	f := newFlows(c, w)
	f.loose = true
	f.follow()
	f.judge()
	all := make(map[string]Ports, len(f.nodes))
	for id, at := range f.nodes {
		p := Ports{Gets: known(at.in), Takes: f.takes(at), Gives: map[string]shape.Shape{}}
		for port, s := range at.out {
			if port != "" {
				p.Gives[port] = known(s)
			}
		}
		for _, port := range at.spec.PortsFor(at.node.Config) {
			if _, there := p.Gives[port.Name]; !there {
				p.Gives[port.Name] = shape.Any()
			}
		}
		all[id] = p
	}
	return all, c.sorted()
}

// CalleeOf is what a workflow takes, if it has one trigger, and gives.
func CalleeOf(g graph.Graph) Callee {
	c := newCompiler(g)
	c.resolve()
	c.check()
	f := newFlows(c, World{})
	f.follow()
	callee := Callee{Takes: shape.Any(), Gives: f.resultOf("")}
	triggers := 0
	for _, at := range f.nodes {
		if c.trigger(*at.node) {
			triggers++
			callee.Takes = f.outputOf(at)
		}
	}
	if triggers != 1 {
		callee.Takes = shape.Any()
	}
	callee.Gives = known(callee.Gives)
	return callee
}

// known is a shape as people are told it: where nothing comes yet, anything may.
func known(s shape.Shape) shape.Shape {
	if s.Never() {
		return shape.Any()
	}
	return s
}

// need is what expressions read of a value.
type need struct {
	kinds  shape.Kinds
	must   bool
	fields map[string]*need
	items  *need
}

func (n *need) down(step string) *need {
	if step == expr.Items {
		if n.items == nil {
			n.items = &need{kinds: shape.Every}
		}
		return n.items
	}
	if n.fields == nil {
		n.fields = map[string]*need{}
	}
	if n.fields[step] == nil {
		n.fields[step] = &need{kinds: shape.Every}
	}
	return n.fields[step]
}

func (n *need) shape() shape.Shape {
	if n.items != nil && !n.items.kinds.May(shape.Text) {
		n.kinds &^= shape.Object // whose names are text: it goes over the items of a list
	}
	out := shape.Of(n.kinds)
	if n.kinds == 0 {
		return shape.Any() // it is read in two ways that do not go together
	}
	if out.May(shape.Object) {
		for name, f := range n.fields {
			out = out.Put(shape.Field{Name: name, Shape: f.shape(), Optional: !f.must})
		}
	}
	if out.May(shape.List) && n.items != nil {
		if items := n.items.shape(); !items.IsAny() {
			out.Items = &items
		}
	}
	return out
}

// takes is what a node reads of its input.
func (f *flows) takes(at *flowing) shape.Shape {
	if s, _, ok := f.wants(at); ok && f.hands(at) {
		return s
	}
	root := &need{kinds: shape.Every}
	for _, p := range at.parts {
		for _, r := range p.Look.Reads {
			reads(root, r)
		}
		if k := f.kindsAt(at, p); p.Whole && k != 0 {
			reads(root, expr.Read{Path: p.Look.Path, Kinds: k, Maybe: k&shape.Null != 0})
		}
	}
	if at.node.Kind == "set" && string(f.raw(at, "keep")) != "false" {
		root.kinds &= shape.Object | shape.Null
	}
	return root.shape()
}

func reads(root *need, r expr.Read) {
	if len(r.Path) == 0 || r.Path[0] != "input" {
		return
	}
	n := root
	for _, step := range r.Path[1:] {
		n = n.down(step)
	}
	n.must = n.must || !r.Maybe
	if !r.Maybe {
		n.kinds &= r.Kinds
	}
}

// wants is what the worker or the workflow wants that a node hands something to,
// with what names it.
func (f *flows) wants(at *flowing) (s shape.Shape, who string, ok bool) {
	switch at.node.Kind {
	case kindExternal:
		name := external(*at.node)
		t, known := f.world.Types[name]
		return shape.Schema(t.Input), name, known && len(t.Input) > 0
	case string(machine.OpCall):
		callee, known := f.callee(at)
		return callee.Takes, strings.Trim(string(f.raw(at, "workflow")), `"`), known
	}
	return shape.Any(), "", false
}

// hands reports whether a node hands its input on as it is.
func (f *flows) hands(at *flowing) bool {
	in := string(f.raw(at, "input"))
	return in == "" || in == `"=input"`
}

// kindsAt says of which sorts the value of a field has to be, where another one
// would fail the visit; 0: any will do.
func (f *flows) kindsAt(at *flowing, p partLook) shape.Kinds {
	place, ok := strings.CutPrefix(p.field, "/config")
	if !ok {
		return 0
	}
	switch at.node.Kind + place {
	case "if/condition", "loop/condition":
		return shape.Boolean
	case "map/items":
		return shape.List
	case "metric/value":
		return shape.Number
	case "outcome/value", "outcome/decision":
		return shape.Text | shape.Number | shape.Boolean
	}
	switch at.node.Kind {
	case "route":
		if strings.HasSuffix(place, "/when") {
			return shape.Boolean
		}
	case "wait", "signal", "respond", "fail", "set", "http", "llm", "mock":
		if s, ok := at.spec.FieldAt(place); ok {
			return strict(s)
		}
	}
	return 0
}

// strict is what a field of the type can be read from. Null is as good as none.
func strict(s kind.Schema) shape.Kinds {
	switch s.Type {
	case "string":
		return shape.Text | shape.Null
	case "integer", "number":
		return shape.Number | shape.Null
	case "boolean":
		return shape.Boolean | shape.Null
	case "object":
		return shape.Object | shape.Null
	case "array":
		return shape.List | shape.Null
	}
	return 0
}

// judge tells what cannot be right: what is read and never comes.
func (f *flows) judge() {
	led := f.led()
	for i := range f.c.g.Nodes {
		at := f.nodes[f.c.g.Nodes[i].ID]
		if at == nil || at.in.Never() || at.node.Disabled || !led[at.node.ID] {
			continue
		}
		said := map[string]bool{}
		for _, p := range at.parts {
			for _, m := range p.Look.Misses {
				if key := expr.Spell(m.Path); len(m.Path) > 0 && !said[key] {
					said[key] = true
					f.missed(at, p, m)
				}
			}
			k := f.kindsAt(at, p)
			if got := p.Look.Shape; p.Whole && k != 0 && len(p.Look.Misses) == 0 && !got.Never() && !got.May(k) {
				f.misplaced(at, p, k)
			}
		}
		f.checkSet(at)
		f.checkHanded(at)
	}
}

// led are the steps that some way leads to from a trigger.
func (f *flows) led() map[string]bool {
	led := map[string]bool{}
	var queue []string
	add := func(id string) {
		if !led[id] && f.nodes[id] != nil {
			led[id] = true
			queue = append(queue, id)
		}
	}
	first := map[string][]string{} // of each container
	for _, n := range f.c.g.Nodes {
		if f.c.trigger(n) {
			add(n.ID)
		}
		if n.In != "" && len(f.c.flowIn(n.ID)) == 0 {
			first[n.In] = append(first[n.In], n.ID)
		}
	}
	for len(queue) > 0 {
		id := queue[0]
		queue = queue[1:]
		for _, e := range f.c.out[id] {
			add(e.To)
		}
		for _, in := range first[id] {
			add(in)
		}
	}
	return led
}

// missed tells of something that an expression reads and that never comes.
func (f *flows) missed(at *flowing, p partLook, m expr.Miss) {
	title := f.c.title(at.node.ID)
	from, ids := f.from(at, m.Path)
	before := len(f.c.issues)
	if m.Field {
		holder := expr.Spell(m.Path[:len(m.Path)-1])
		f.c.warn("missing_field", *at.node, p.field, "“%s” reads “%s”, which never comes. In “%s” there is: %s. It comes from %s.", title, expr.Spell(m.Path), holder, names(m.Got), from)
	} else {
		f.c.warn("wrong_type", *at.node, p.field, "“%s” needs %s in “%s”, but what comes is %s. It comes from %s.", title, shape.Of(m.Want).Words(), expr.Spell(m.Path), m.Got.Words(), from)
	}
	i := &f.c.issues[before]
	i.Offset, i.Related = p.Offset+m.Offset, ids
}

// misplaced tells of a field whose expression gives what the field cannot be.
func (f *flows) misplaced(at *flowing, p partLook, want shape.Kinds) {
	before := len(f.c.issues)
	words, got := shape.Of(want&^shape.Null).Words(), p.Look.Shape.Words()
	if p.Look.Path != nil {
		from, ids := f.from(at, p.Look.Path)
		f.c.warn("wrong_type", *at.node, p.field, "“%s” needs %s in “%s”, but what comes is %s. It comes from %s.", f.c.title(at.node.ID), words, expr.Spell(p.Look.Path), got, from)
		f.c.issues[before].Related = ids
	} else {
		f.c.warn("wrong_type", *at.node, p.field, "“%s” needs %s here, but the expression gives %s.", f.c.title(at.node.ID), words, got)
	}
	f.c.issues[before].Offset = p.Offset
}

// checkSet looks whether fields can be added to what comes.
func (f *flows) checkSet(at *flowing) {
	keep := string(f.raw(at, "keep"))
	if at.node.Kind != "set" || keep != "" && keep != "true" || at.in.May(shape.Object|shape.Null) {
		return
	}
	from, ids := f.from(at, []string{"input"})
	before := len(f.c.issues)
	f.c.warn("wrong_type", *at.node, "/config/keep", "“%s” adds fields to an object, but what comes is %s. It comes from %s.", f.c.title(at.node.ID), at.in.Words(), from)
	f.c.issues[before].Related = ids
}

// checkHanded looks whether a worker or a called workflow can take what it is
// handed.
func (f *flows) checkHanded(at *flowing) {
	want, who, ok := f.wants(at)
	if !ok {
		return
	}
	have, field, from := at.in, "/config/input", ""
	var ids []string
	if config, there := f.lookAt(at).Field("input"); there && !f.hands(at) {
		have = config.Shape
	} else {
		from, ids = f.from(at, []string{"input"})
	}
	fault := shape.Misfit(have, want)
	if fault == nil {
		return
	}
	before := len(f.c.issues)
	title, place := f.c.title(at.node.ID), strings.ReplaceAll(strings.TrimPrefix(fault.Pointer, "/"), "/", ".")
	switch {
	case fault.Missing && from != "":
		f.c.warn("missing_field", *at.node, field, "“%s” hands on what comes, but “%s” needs “%s”. There is: %s. It comes from %s.", title, who, place, names(fault.Got), from)
	case fault.Missing:
		f.c.warn("missing_field", *at.node, field, "“%s” does not hand on “%s”, which “%s” needs.", title, place, who)
	case fault.Extra:
		f.c.warn("wrong_type", *at.node, field, "“%s” hands on “%s”, which “%s” does not take.", title, place, who)
	case place == "":
		f.c.warn("wrong_type", *at.node, field, "“%s” hands on %s, but “%s” needs %s.", title, fault.Got.Words(), who, fault.Want.Words())
	default:
		f.c.warn("wrong_type", *at.node, field, "“%s” hands on %s as “%s”, but “%s” needs %s there.", title, fault.Got.Words(), place, who, fault.Want.Words())
	}
	f.c.issues[before].Related = ids
}

// namesMax is how many fields a sentence lists.
const namesMax = 8

// names lists the fields of an object.
func names(s shape.Shape) string {
	var all []string
	for _, f := range s.Fields {
		all = append(all, f.Name)
	}
	switch {
	case len(all) == 0:
		return "an object without fields"
	case len(all) > namesMax:
		return fmt.Sprintf("%s and %d more", strings.Join(all[:namesMax], ", "), len(all)-namesMax)
	}
	return strings.Join(all, ", ")
}

// from names the steps that give what a path of an expression begins with.
func (f *flows) from(at *flowing, path []string) (sentence string, ids []string) {
	switch root := path[0]; {
	case root == "trigger":
		for _, n := range f.c.g.Nodes {
			if f.c.trigger(n) {
				ids = append(ids, n.ID)
			}
		}
	case root == "nodes" && len(path) > 1 && f.c.key[path[1]] != nil:
		ids = []string{f.c.key[path[1]].ID}
	case root == "inputs" && len(path) > 1, root == "input" && joins(at) && len(path) > 1:
		for i, e := range at.edges {
			if at.keys[i] == path[1] {
				ids = []string{e.From}
			}
		}
	case root == "item":
		for n := at.node; n != nil && n.In != "" && ids == nil; n = f.c.node[n.In] {
			if up := f.c.node[n.In]; up != nil && machine.Op(up.Kind) != machine.OpGroup {
				ids = []string{up.ID}
			}
		}
	}
	if ids == nil {
		for _, e := range at.edges {
			ids = append(ids, e.From)
		}
		if len(at.edges) == 0 && at.node.In != "" {
			ids = []string{at.node.In}
		}
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	titles := make([]string, 0, len(ids))
	for _, id := range ids {
		titles = append(titles, "“"+f.c.title(id)+"”")
	}
	if len(titles) == 0 {
		return "the step itself", nil
	}
	return strings.Join(titles, ", "), ids
}
