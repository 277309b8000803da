package compile

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"signalbox/engine/expr"
	"signalbox/engine/graph"
	"signalbox/engine/machine"
	"signalbox/engine/shape"
)

// failed is what leaves by a failure port.
func failed() shape.Shape {
	text := shape.Of(shape.Text)
	return shape.ObjectOf(shape.Must("error", shape.ObjectOf(
		shape.Must("class", text), shape.Must("message", text), shape.May("node", text),
		shape.May("attempts", shape.Of(shape.Number)), shape.May("details", shape.Any()),
	)))
}

// gives is what a node that is no container gives by each of its ports.
func (f *flows) gives(at *flowing) map[string]shape.Shape {
	out := map[string]shape.Shape{}
	if at.spec.Name == "" { // of a kind that is not known here
		return out
	}
	ports := at.spec.PortsFor(at.node.Config)
	given := f.value(at)
	for _, p := range ports {
		switch {
		case p.Failure:
			out[p.Name] = failed()
		case p.Name == machine.PortTimeout:
			out[p.Name] = at.in
		default:
			out[p.Name] = given
		}
	}
	if at.node.Disabled {
		names := make([]string, len(ports))
		for i, p := range ports {
			names[i] = p.Name
		}
		out[firstPort(names)] = f.passed(at)
	}
	if len(ports) == 0 { // it ends here
		out[""] = given
	}
	if j := at.node.Join; j != nil && j.Deadline != "" {
		out[machine.PortTimeout] = shape.Join(out[machine.PortTimeout], f.passed(at))
	}
	return out
}

// value is what a node gives by the ways on that are neither failure nor
// timeout.
func (f *flows) value(at *flowing) shape.Shape {
	config := f.lookAt(at)
	if at.node.Disabled {
		return f.passed(at)
	}
	switch at.spec.Name {
	case "manual", "webhook":
		return shape.Schema(f.raw(at, "input_schema"))
	case "if", "route", "wait", "join", "metric", "outcome":
		return f.passed(at)
	case "set":
		return f.fields(at, config)
	case "transform":
		return member(at, config, "expression", shape.Any())
	case "respond":
		return member(at, config, "body", at.in)
	case "output":
		return member(at, config, "value", at.in)
	case "end":
		return member(at, config, "output", at.in)
	case "mock":
		return member(at, config, "answer", shape.Any())
	case "http":
		return answered(string(f.raw(at, "response")) == `"text"`)
	case "llm":
		return said(f.raw(at, "json_schema"))
	case "external":
		return f.worked(at)
	case "call":
		return f.called(at)
	case "human":
		return entered(f.raw(at, "fields"))
	}
	return shape.Any()
}

// lookAt looks at the expressions of a node and tells what its configuration
// becomes.
func (f *flows) lookAt(at *flowing) shape.Shape {
	config := shape.Any() // it cannot be read
	if len(at.node.Config) == 0 {
		config = shape.ObjectOf()
	}
	at.parts = at.parts[:0]
	for _, field := range sortedKeys(at.trees) {
		s, parts := at.trees[field].Look(f.see(at))
		for _, p := range parts {
			at.parts = append(at.parts, partLook{p, field + p.Pointer})
		}
		if field == "/config" {
			config = s
		}
	}
	return config
}

// passed is the input, combined if the join says so.
func (f *flows) passed(at *flowing) shape.Shape {
	j := at.node.Join
	if at.node.Kind != "join" || j == nil || !joins(at) {
		return at.in
	}
	items, rows := shape.Shape{}, []shape.Field{}
	for _, field := range at.in.Fields {
		s := field.Shape
		items = shape.Join(items, s.Without(shape.List))
		rows = append(rows, shape.May(field.Name, shape.Join(s.Without(shape.List), s.Item())))
		items = shape.Join(items, s.Item())
	}
	switch j.Combine {
	case "append":
		return shape.ListOf(items)
	case "zip":
		return shape.ListOf(shape.ObjectOf(rows...))
	case "merge":
		return shape.ListOf(shape.Of(shape.Object))
	case "reduce":
		return shape.Any()
	}
	return at.in
}

// member is what a field of the configuration becomes; when it is not set, what
// its default is, or else what stands in for it.
func member(at *flowing, config shape.Shape, name string, otherwise shape.Shape) shape.Shape {
	if config.IsAny() {
		return shape.Any() // it cannot be read
	}
	if s, there := config.Field(name); there {
		return s.Shape
	}
	for _, p := range at.spec.Config.Properties {
		var v any
		if p.Name == name && len(p.Schema.Default) > 0 && json.Unmarshal(p.Schema.Default, &v) == nil {
			return shape.Value(v)
		}
	}
	return otherwise
}

// raw is a constant of the configuration as it is written.
func (f *flows) raw(at *flowing, name string) json.RawMessage {
	var fields map[string]json.RawMessage
	if json.Unmarshal(at.node.Config, &fields) != nil {
		return nil
	}
	return fields[name]
}

// fields is an object with fields put into it: the input, or a new one.
func (f *flows) fields(at *flowing, config shape.Shape) shape.Shape {
	base, empty := at.in.Without(shape.Every&^shape.Object), shape.ObjectOf()
	switch keep := string(f.raw(at, "keep")); {
	case keep == "false":
		base = empty
	case keep != "" && keep != "true", at.in.May(shape.Null), base.Never():
		base = shape.Join(base, empty)
	}
	put, _ := config.Field("fields")
	if !put.Shape.Only(shape.Object) || put.Shape.Open {
		return shape.Of(shape.Object)
	}
	for _, p := range put.Shape.Fields {
		base = puts(base, strings.Split(p.Name, "."), p.Shape)
	}
	return base
}

// puts sets a value inside nested objects, as the machine does.
func puts(in shape.Shape, path []string, v shape.Shape) shape.Shape {
	if len(path) == 1 {
		return in.Put(shape.Must(path[0], v))
	}
	f, there := in.Field(path[0])
	if !there {
		f.Shape = shape.Shape{}
	}
	inner := f.Shape.Without(shape.Every &^ shape.Object)
	if f.Optional || !f.Shape.Only(shape.Object) {
		inner = shape.Join(inner, shape.ObjectOf())
	}
	return in.Put(shape.Must(path[0], puts(inner, path[1:], v)))
}

// answered is what an HTTP request gives.
func answered(text bool) shape.Shape {
	body := shape.Any()
	if text {
		body = shape.Of(shape.Text)
	}
	return shape.ObjectOf(shape.Must("status", shape.Of(shape.Number)), shape.Must("headers", shape.Of(shape.Object)), shape.Must("body", body))
}

// said is what a language model gives.
func said(schema json.RawMessage) shape.Shape {
	text, number := shape.Of(shape.Text), shape.Of(shape.Number)
	all := []shape.Field{
		shape.Must("text", text), shape.Must("model", text), shape.Must("finish_reason", text),
		shape.Must("usage", shape.ObjectOf(shape.Must("in", number), shape.Must("out", number))),
	}
	if s := strings.TrimSpace(string(schema)); s != "" && s != "null" && s != "{}" {
		all = append(all, shape.Must("json", shape.Schema(schema)))
	}
	return shape.ObjectOf(all...)
}

// worked is what a worker of one's own gives: what the step wants of it, else
// what its type announces.
func (f *flows) worked(at *flowing) shape.Shape {
	if s := shape.Schema(f.raw(at, "result_schema")); !s.IsAny() {
		return s
	}
	if t, ok := f.world.Types[external(*at.node)]; ok {
		return shape.Schema(t.Output)
	}
	return shape.Any()
}

// called is what a call gives: the called workflow's result, or the number of
// its run.
func (f *flows) called(at *flowing) shape.Shape {
	if string(f.raw(at, "wait")) == "false" {
		return shape.ObjectOf(shape.Must("run", shape.Of(shape.Text)))
	}
	if callee, ok := f.callee(at); ok {
		return callee.Gives
	}
	return shape.Any()
}

func (f *flows) callee(at *flowing) (Callee, bool) {
	var c struct {
		Workflow string `json:"workflow"`
		Version  string `json:"version"`
	}
	if f.world.Callee == nil || json.Unmarshal(at.node.Config, &c) != nil || c.Workflow == "" {
		return Callee{}, false
	}
	return f.world.Callee(c.Workflow, c.Version)
}

// entered is what a person enters. Nothing is checked there, so the fields that
// are asked for say only what may come.
func entered(fields json.RawMessage) shape.Shape {
	var asked []struct {
		Name string `json:"name"`
	}
	all := shape.Any()
	if json.Unmarshal(fields, &asked) == nil {
		for _, a := range asked {
			all = all.Put(shape.May(a.Name, shape.Any()))
		}
	}
	return all
}

// bodyOf is what the first nodes of a container get.
func (f *flows) bodyOf(at *flowing) shape.Shape {
	config := f.lookAt(at)
	switch machine.Op(at.node.Kind) {
	case machine.OpMap:
		items, there := config.Field("items")
		if !there || config.IsAny() {
			return shape.Any()
		}
		return items.Shape.Item()
	case machine.OpLoop:
		return shape.Join(at.in, at.result)
	default:
		return at.in
	}
}

// ends is what a container gives, from what its body comes to.
func (f *flows) ends(at *flowing, result shape.Shape) map[string]shape.Shape {
	if at.in.Never() {
		return nil
	}
	given := result
	switch machine.Op(at.node.Kind) {
	case machine.OpMap:
		if string(f.raw(at, "on_item_error")) == `"collect"` {
			given = shape.Join(given, failed())
		}
		given = shape.ListOf(given)
	case machine.OpLoop:
		f.lookAt(at) // the condition sees what the rounds come to
		if string(f.raw(at, "check")) != `"after"` {
			given = shape.Join(given, at.in)
		}
	default:
	}
	out := map[string]shape.Shape{machine.PortSuccess: given, machine.PortFailure: failed()}
	if j := at.node.Join; j != nil && j.Deadline != "" {
		out[machine.PortTimeout] = at.in
	}
	return out
}

// resultOf is what a scope comes to (rule 6).
func (f *flows) resultOf(scope string) shape.Shape {
	all := shape.Shape{}
	var fields []shape.Field
	empty := true
	for _, l := range f.order {
		at := f.nodes[l.id]
		if at.node.In != scope || l.end != f.isScope(at) {
			continue
		}
		empty = false
		if f.stays(at) { // its latest output, by whichever way
			s := f.outputOf(at)
			all = shape.Join(all, s)
			fields = append(fields, shape.May(at.node.Key, s))
		}
		if s := at.out[machine.PortSuccess]; at.node.Kind == "output" && !at.node.Disabled {
			all = shape.Join(all, s)
		}
	}
	switch {
	case empty && scope != "":
		return f.nodes[scope].body
	case len(fields) > 1:
		return shape.Join(all, shape.ObjectOf(fields...).Bound())
	}
	return all
}

// stays reports whether tokens of a node can end there, for lack of an edge.
func (f *flows) stays(at *flowing) bool {
	if f.c.undoes(at.node.ID) {
		return false
	}
	for port, s := range at.out {
		leaves := func(e graph.Edge) bool { return e.Port == port }
		if !s.Never() && port != machine.PortFailure && !slices.ContainsFunc(f.c.out[at.node.ID], leaves) {
			return true
		}
	}
	return false
}

// sortedKeys are the places of a node that hold expressions, in order.
func sortedKeys(trees map[string]*expr.Tree) []string {
	return slices.Sorted(maps.Keys(trees))
}
