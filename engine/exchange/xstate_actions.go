package exchange

import (
	"maps"
	"slices"
	"strings"

	"signalbox/engine/chart"
	"signalbox/engine/expr"
)

func (x *xstate) actions(list []chart.Action, id string, depth int) string {
	var out []string
	for _, a := range list {
		out = append(out, x.action(a, id, inner(len(list), depth)))
	}
	return array(out, depth)
}

func (x *xstate) action(a chart.Action, id string, depth int) string {
	switch {
	case a.Do != "":
		if _, said := x.def.Actions[a.Do]; !said {
			x.missing["actions"] = append(x.missing["actions"], a.Do)
		}
		if len(a.Params) == 0 {
			return expr.Quote(a.Do)
		}
		var f fields
		f.words("type", a.Do)
		f.add("params", x.value(id, a.Params))
		return f.object(depth)
	case a.Assign != nil:
		return x.use("assign") + "(" + x.value(id, a.Assign) + ")"
	case a.Raise != nil:
		var options fields
		options.words("id", a.Raise.ID)
		if a.Raise.Delay != "" {
			options.add("delay", x.delayCode(a.Raise.Delay))
		}
		code := x.use("raise") + "(" + x.event(a.Raise.Event, a.Raise.Data, id)
		if len(options) > 0 {
			code += ", " + options.object(depth)
		}
		return code + ")"
	case a.Send != nil:
		return x.use("sendTo") + "(" + expr.Quote(a.Send.To) + ", " + x.event(a.Send.Event, a.Send.Data, id) + ")"
	case a.Cancel != "":
		return x.use("cancel") + "(" + expr.Quote(a.Cancel) + ")"
	}
	code, constant, failed := x.tree(id, a.Log)
	switch {
	case failed != "":
		code = failed
	case !constant || !strings.HasPrefix(code, `"`):
		code = x.arguments() + "(" + code + ")"
	}
	return x.use("log") + "(" + code + ")"
}

// event writes an event with its data.
func (x *xstate) event(name string, data []byte, id string) string {
	kind := "type: " + expr.Quote(name)
	if len(data) == 0 {
		return "{ " + kind + " }"
	}
	code, constant, failed := x.tree(id, data)
	if failed != "" {
		return failed
	}
	spread := "..." + code
	if data[0] != '{' {
		x.fields = true
		spread = "...fields(" + code + ")"
	}
	code = "{ " + spread + ", " + kind + " }"
	if constant {
		return code
	}
	return x.arguments() + "(" + code + ")"
}

// delayCode writes how long: a number, or the name of a delay.
func (x *xstate) delayCode(text string) string {
	name := x.delayName(text)
	if index(name) < 0 {
		return expr.Quote(name)
	}
	return name
}

// implementations say what the names in the configuration mean.
func (x *xstate) implementations() string {
	x.invoked = true
	var all, guards, actions, delays fields
	for _, name := range slices.Sorted(maps.Keys(x.def.Guards)) {
		guards.add(name, x.guard(x.def.Guards[name], name, 2))
	}
	for _, name := range slices.Sorted(maps.Keys(x.def.Actions)) {
		actions.add(name, x.meaning(x.def.Actions[name], name))
	}
	x.invoked = false
	for _, name := range slices.Sorted(maps.Keys(x.def.Delays)) {
		x.delays[name] = x.def.Delays[name]
	}
	for _, name := range slices.Sorted(maps.Keys(x.delays)) {
		text := x.delays[name]
		for n := 0; x.def.Delays[text] != "" && n < chart.DepthMax; n++ {
			text = x.def.Delays[text]
		}
		code := x.delayName(text)
		if source, ok := strings.CutPrefix(text, "="); ok {
			code = x.function(name, source)
		}
		delays.add(name, code)
	}
	for _, part := range []struct {
		name string
		list fields
	}{{"guards", guards}, {"actions", actions}, {"delays", delays}} {
		if len(part.list) > 0 {
			all.add(part.name, part.list.object(1))
		}
	}
	return all.object(0)
}

// meaning is what a named action does. Several in a row are queued, so that
// each sees what the one before did.
func (x *xstate) meaning(list []chart.Action, name string) string {
	if len(list) == 1 && list[0].Do == "" {
		return x.action(list[0], name, 2)
	}
	var out []string
	for _, a := range list {
		out = append(out, "enqueue("+x.action(a, name, 3)+")")
	}
	return x.use("enqueueActions") + "(({ enqueue }) => { " + strings.Join(out, "; ") + " })"
}
