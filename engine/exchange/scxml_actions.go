package exchange

import (
	"encoding/json"

	"signalbox/engine/chart"
	"signalbox/engine/expr"
)

// script translates expressions to what an SCXML interpreter evaluates.
func (x *scxml) script() *expr.Script {
	return &expr.Script{Names: []string{"context", "event", "params", "input"}, Field: func(root, field string) string {
		switch {
		case root == "params":
			if code, ok := x.params[field]; ok {
				return "(" + code + ")"
			}
			return "undefined"
		case root != "event":
			return ""
		case field == "type":
			return "_event.name"
		case field == "":
			return "_event.data"
		case x.done && field == "output":
			return "_event.data"
		}
		return "_event.data[" + expr.Quote(field) + "]"
	}}
}

func (x *scxml) expr(path, source string) string {
	s := x.script()
	code, err := s.Expr(source)
	return x.checked(path, source, code, s, err)
}

func (x *scxml) tree(path string, raw json.RawMessage) string {
	s := x.script()
	code, _, err := s.Tree(raw)
	return x.checked(path, string(raw), code, s, err)
}

// checked reports what could not be translated, or means less than it did.
func (x *scxml) checked(path, source, code string, s *expr.Script, err error) string {
	switch {
	case err != nil:
		x.lose(path, "expression", "“%s” is not translated: %s. It is undefined there.", source, err)
		return "undefined"
	case s.Add:
		x.lose(path, "expression", "“%s” adds without saying what: there must be a function add.", source)
	case s.Equal:
		x.lose(path, "expression", "“%s” compares whole values: there must be a function equal.", source)
	}
	return code
}

func (x *scxml) guard(path string, g chart.Guard, depth int) string {
	several := func(list []chart.Guard, sign, none string) string {
		code := ""
		for i, g := range list {
			if i > 0 {
				code += sign
			}
			code += "(" + x.guard(path, g, depth) + ")"
		}
		if code == "" {
			return none
		}
		return code
	}
	switch {
	case g.Expr != "":
		return x.expr(path, g.Expr)
	case g.In != "":
		if s := x.byID[g.In]; s != nil {
			return "In(" + expr.Quote(x.id(s)) + ")"
		}
		return "false"
	case g.Not != nil:
		return "!(" + x.guard(path, *g.Not, depth) + ")"
	case g.Or != nil:
		return several(g.Or, " || ", "false")
	case g.Name == "":
		return several(g.And, " && ", "true")
	}
	named, ok := x.def.Guards[g.Name]
	if !ok || depth > chart.DepthMax {
		x.lose(path, "guard "+g.Name, "Nothing says what the guard “%s” means; it never passes.", g.Name)
		return "false"
	}
	defer x.with(path, g.Params)()
	return x.guard(path, named, depth+1)
}

// with makes params known until the function that it returns is called.
func (x *scxml) with(path string, raw json.RawMessage) func() {
	around := x.params
	params := map[string]string{}
	if o, err := readObject(raw); err == nil {
		for name, v := range o.values {
			params[name] = x.tree(path, v)
		}
	}
	x.params = params
	return func() { x.params = around }
}

// actions writes executable content.
func (x *scxml) actions(e *element, path string, list []chart.Action, depth int) {
	for _, a := range list {
		switch {
		case a.Do != "":
			x.named(e, path, a, depth)
		case a.Assign != nil:
			e.hold(tag("assign", "location", "context", "expr", "Object.assign({}, context, "+x.tree(path, a.Assign)+")"))
		case a.Raise != nil:
			x.raise(e, path, *a.Raise)
		case a.Send != nil:
			x.data(e.hold(tag("send", "event", a.Send.Event, "target", a.Send.To)), path, a.Send.Data)
		case a.Cancel != "":
			e.hold(tag("cancel", "sendid", x.names.name("send "+a.Cancel, "-")))
		default:
			e.hold(tag("log", "expr", x.tree(path, a.Log)))
		}
	}
}

func (x *scxml) named(e *element, path string, a chart.Action, depth int) {
	if list, ok := x.def.Actions[a.Do]; ok && depth <= chart.DepthMax {
		defer x.with(path, a.Params)()
		x.actions(e, path, list, depth+1)
		return
	}
	act := e.hold(tag("sb:action", "name", a.Do))
	if len(a.Params) > 0 {
		act.attrs = append(act.attrs, tag("", "params", x.tree(path, a.Params)).attrs...)
	}
}

func (x *scxml) raise(e *element, path string, r chart.Raise) {
	if r.Delay == "" && len(r.Data) == 0 {
		e.hold(tag("raise", "event", r.Event))
		return
	}
	attrs := []string{"event", r.Event, "target", "#_internal"}
	if r.Delay != "" {
		attrs = append([]string{"event", r.Event}, x.delay(path, r.Delay, 0)...)
	}
	if r.ID != "" {
		attrs = append(attrs, "id", x.names.name("send "+r.ID, "-"))
	}
	x.data(e.hold(tag("send", attrs...)), path, r.Data)
}

func (x *scxml) data(e *element, path string, raw json.RawMessage) {
	if len(raw) > 0 {
		e.hold(tag("content", "expr", x.tree(path, raw)))
	}
}
