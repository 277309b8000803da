package exchange

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"signalbox/engine/chart"
	"signalbox/engine/expr"
)

// ToXState writes a statechart as a JavaScript module for XState 5. What
// names without a meaning do (actions, sources of tasks) is for
// machine.provide to say. Expressions become functions.
func ToXState(d chart.Def) (string, []Loss) {
	x := xstate{scripter: scripter{used: map[string]bool{}}, def: d, delays: map[string]string{}, missing: map[string][]string{}}
	root := d.Node
	if root.ID == "" {
		root.ID = "chart"
	}
	x.names(root, root.ID, root.ID, root.ID)
	config := x.node(root, root.ID, 0)
	implementations := x.implementations()
	x.use("createMachine")
	var b strings.Builder
	b.WriteString("import { " + x.imports() + " } from \"xstate\";\n\n")
	for _, kind := range slices.Sorted(maps.Keys(x.missing)) {
		names := slices.Compact(slices.Sorted(slices.Values(x.missing[kind])))
		b.WriteString("// Say what these " + kind + " do by machine.provide: " + strings.Join(names, ", ") + "\n")
	}
	for _, f := range []struct {
		needed bool
		code   string
	}{{x.add, expr.ScriptAdd}, {x.equal, expr.ScriptEqual}, {x.fields, scriptFields}} {
		if f.needed {
			b.WriteString(f.code + "\n")
		}
	}
	b.WriteString("export const machine = createMachine(" + config)
	if implementations != "{}" {
		b.WriteString(", " + implementations)
	}
	b.WriteString(");\n\nexport default machine;\n")
	return b.String(), x.losses
}

// scriptFields makes fields of an event from whatever its data is.
const scriptFields = "const fields = (d) => (d !== null && typeof d === \"object\" && !Array.isArray(d) ? d : { data: d });"

type xstate struct {
	scripter
	def     chart.Def
	targets map[string]string // id to "#…"
	ids     map[string]bool   // those that have to be written
	delays  map[string]string // delays that are expressions
	missing map[string][]string
}

// names finds how each state is called in XState, where an id that is not
// written is the machine's and the keys down to it.
func (x *xstate) names(n chart.Node, machine, path, id string) {
	if x.targets == nil {
		x.targets, x.ids = map[string]string{}, map[string]bool{}
	}
	plain := !strings.ContainsAny(strings.TrimPrefix(id, machine), `\`) && !strings.Contains(machine, ".")
	if id == path && plain {
		x.targets[id] = "#" + id
	} else {
		x.targets[id] = "#" + strings.NewReplacer(`\`, `\\`, ".", `\.`).Replace(id)
		x.ids[id] = true
	}
	for _, c := range n.States {
		at := c.ID
		if at == "" {
			at = id + "." + c.Key
		}
		way := path + "." + c.Key
		if strings.Contains(c.Key, ".") {
			way = "" // such a path would be read as more than one step
		}
		x.names(c, machine, way, at)
	}
}

func (x *xstate) node(n chart.Node, id string, depth int) string {
	var f fields
	if depth == 0 || x.ids[id] {
		f.words("id", id)
	}
	switch n.Kind {
	case chart.KindParallel, chart.KindFinal:
		f.words("type", string(n.Kind))
	case chart.KindHistory:
		f.words("type", "history")
		f.words("history", map[bool]string{true: "deep", false: "shallow"}[n.Deep])
		f.add("target", x.target(n.Targets, depth+1))
	default:
	}
	f.words("description", n.Description)
	if depth == 0 && len(x.def.Context) > 0 {
		f.add("context", x.context())
	}
	x.initial(&f, n, id, depth+1)
	tags := make([]string, 0, len(n.Tags))
	for _, t := range n.Tags {
		tags = append(tags, expr.Quote(t))
	}
	if len(tags) > 0 {
		f.add("tags", brackets(tags, "[", "]", depth+1))
	}
	f.add("entry", x.actions(n.Entry, id, depth+1))
	f.add("exit", x.actions(n.Exit, id, depth+1))
	f.add("invoke", x.invokes(n.Invoke, id, depth+1))
	f.add("on", x.grouped(n.On, id, depth+1, func(t chart.Transition) string { return t.Event }))
	f.add("after", x.grouped(n.After, id, depth+1, x.delay))
	f.add("always", x.transitions(n.Always, id, depth+1))
	f.add("onDone", x.transitions(n.Done, id, depth+1))
	f.add("output", x.value(id, n.Output))
	f.add("meta", string(n.Meta))
	if len(n.States) > 0 {
		var states fields
		for _, c := range n.States {
			at := c.ID
			if at == "" {
				at = id + "." + c.Key
			}
			states.add(c.Key, x.node(c, at, depth+2))
		}
		f.add("states", states.object(depth+1))
	}
	return f.object(depth)
}

func (x *xstate) initial(f *fields, n chart.Node, id string, depth int) {
	if len(n.InitialDo) == 0 {
		f.words("initial", n.Initial)
		return
	}
	var o fields
	o.words("target", n.Initial)
	o.add("actions", x.actions(n.InitialDo, id, depth+1))
	f.add("initial", o.object(depth))
}

// context is computed from the input that the machine is started with.
func (x *xstate) context() string {
	e := expr.Script{Names: []string{"input"}}
	code, constant, err := e.Tree(x.def.Context)
	x.keep(e)
	switch {
	case err != nil:
		return x.untranslated(x.def.ID, string(x.def.Context), err)
	case constant:
		return code
	}
	return "({ input }) => (" + code + ")"
}

// grouped writes transitions under their event or delay.
func (x *xstate) grouped(list []chart.Transition, id string, depth int, key func(chart.Transition) string) string {
	by := map[string][]chart.Transition{}
	var order []string
	for _, t := range list {
		k := key(t)
		if by[k] == nil {
			order = append(order, k)
		}
		by[k] = append(by[k], t)
	}
	var f fields
	for _, k := range order {
		f.add(k, x.transitions(by[k], id, depth+1))
	}
	if len(f) == 0 {
		return ""
	}
	return f.object(depth)
}

// delay is the name of a delay in XState: milliseconds, or a name.
func (x *xstate) delay(t chart.Transition) string { return x.delayName(t.Delay) }

func (x *xstate) delayName(text string) string {
	if _, err := strconv.ParseUint(text, 10, 63); err == nil {
		return text
	}
	if d, err := time.ParseDuration(text); err == nil {
		return strconv.FormatInt(d.Milliseconds(), 10)
	}
	if !strings.HasPrefix(text, "=") {
		return text
	}
	for name, known := range x.delays {
		if known == text {
			return name
		}
	}
	name := "delay_" + strconv.Itoa(len(x.delays)+1)
	x.delays[name] = text
	return name
}

func (x *xstate) transitions(list []chart.Transition, id string, depth int) string {
	var out []string
	at := inner(len(list), depth)
	for _, t := range list {
		var f fields
		f.add("target", x.target(t.Targets, at+1))
		if t.Guard != nil {
			f.add("guard", x.guard(*t.Guard, id, at+1))
		}
		f.add("actions", x.actions(t.Actions, id, at+1))
		if t.Reenter {
			f.add("reenter", "true")
		}
		f.words("description", t.Description)
		out = append(out, f.object(at))
	}
	return array(out, depth)
}

func (x *xstate) target(ids []string, depth int) string {
	var out []string
	for _, id := range ids {
		target, ok := x.targets[id]
		if !ok {
			target = "#" + id
		}
		out = append(out, expr.Quote(target))
	}
	return array(out, depth)
}

func (x *xstate) invokes(list []chart.Invoke, id string, depth int) string {
	var out []string
	at := inner(len(list), depth)
	for _, v := range list {
		var f fields
		f.words("id", v.ID)
		f.words("src", v.Source)
		x.missing["actors"] = append(x.missing["actors"], v.Source)
		f.add("input", x.value(id, v.Input))
		f.add("onDone", x.transitions(v.Done, id, at+1))
		f.add("onError", x.transitions(v.Error, id, at+1))
		out = append(out, f.object(at))
	}
	return array(out, depth)
}

func (x *xstate) guard(g chart.Guard, id string, depth int) string {
	several := func(name string, list []chart.Guard) string {
		out := make([]string, 0, len(list))
		for _, g := range list {
			out = append(out, x.guard(g, id, depth+1))
		}
		return x.use(name) + "(" + brackets(out, "[", "]", depth) + ")"
	}
	switch {
	case g.Expr != "":
		return x.function(id, g.Expr)
	case g.Name != "" && len(g.Params) == 0:
		return expr.Quote(g.Name)
	case g.Name != "":
		var f fields
		f.words("type", g.Name)
		f.add("params", x.value(id, g.Params))
		return f.object(depth)
	case g.In != "":
		return x.use("stateIn") + "(" + expr.Quote(x.targets[g.In]) + ")"
	case g.Not != nil:
		return x.use("not") + "(" + x.guard(*g.Not, id, depth) + ")"
	case g.Or != nil:
		return several("or", g.Or)
	}
	return several("and", g.And)
}
