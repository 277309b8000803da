package exchange

import (
	"encoding/json"
	"strconv"
	"strings"

	"signalbox/engine/chart"
)

// guard reads a condition.
func (im *importer) guard(raw json.RawMessage, at string) *chart.Guard {
	if name, ok := word(raw); ok {
		return &chart.Guard{Name: name}
	}
	o, err := readObject(raw)
	if err != nil {
		im.refuse(at, "a guard is neither a name nor an object.")
		return nil
	}
	kind, _ := word(o.values["type"])
	get := func(names ...string) json.RawMessage {
		params, _ := readObject(o.values["params"]) // no params: nothing is in it
		for _, n := range names {
			if v, ok := o.values[n]; ok {
				return v
			}
			if v, ok := params.values[n]; ok {
				return v
			}
		}
		return nil
	}
	has := func(name string) bool { return o.values[name] != nil && kind == "" || kind == "xstate."+name }
	switch {
	case has("cel"):
		source, _ := word(get("cel", "expr"))
		return &chart.Guard{Expr: source}
	case has("stateIn"):
		return im.stateIn(get("stateIn", "stateValue", "value"), at)
	case has("not"):
		return &chart.Guard{Not: im.guard(get("not", "guard"), at)}
	case has("and"):
		return &chart.Guard{And: im.guards(get("and", "guards"), at)}
	case has("or"):
		return &chart.Guard{Or: im.guards(get("or", "guards"), at)}
	case kind == "":
		im.refuse(at, "a guard has no type.")
		return nil
	}
	return &chart.Guard{Name: kind, Params: o.values["params"]}
}

func (im *importer) guards(raw json.RawMessage, at string) []chart.Guard {
	out := []chart.Guard{}
	for i, item := range list(raw) {
		if g := im.guard(item, at+"/"+strconv.Itoa(i)); g != nil {
			out = append(out, *g)
		}
	}
	return out
}

// stateIn reads "#id", "path.of.keys", or an object of keys: all of its leaves.
func (im *importer) stateIn(raw json.RawMessage, at string) *chart.Guard {
	root := im.ids[im.machine]
	if text, ok := word(raw); ok {
		p := root.find(split(text))
		if strings.HasPrefix(text, "#") {
			p = im.resolve(root, text)
		}
		if p == nil {
			im.refuse(at, "a guard asks for the state %q, which is not there.", text)
			return nil
		}
		return &chart.Guard{In: p.id}
	}
	all := []chart.Guard{}
	var leaves func(p *place, raw json.RawMessage)
	leaves = func(p *place, raw json.RawMessage) {
		if key, ok := word(raw); ok {
			if p = p.find(split(key)); p == nil {
				im.refuse(at, "a guard asks for the state %q, which is not there.", key)
				return
			}
			all = append(all, chart.Guard{In: p.id})
			return
		}
		o, err := readObject(raw)
		if err != nil {
			im.refuse(at, "stateIn: %s.", err)
			return
		}
		for _, key := range o.names {
			child := p.find([]string{key})
			if child == nil {
				im.refuse(at, "a guard asks for the state %q, which is not there.", key)
				return
			}
			leaves(child, o.values[key])
		}
	}
	leaves(root, raw)
	return &chart.Guard{And: all}
}

// actions reads a list of actions, or one.
func (im *importer) actions(raw json.RawMessage, at string) []chart.Action {
	var out []chart.Action
	for i, item := range list(raw) {
		at := at + "/" + strconv.Itoa(i)
		if name, ok := word(item); ok {
			out = append(out, chart.Action{Do: name})
			continue
		}
		o, err := readObject(item)
		if err != nil {
			im.refuse(at, "an action is neither a name nor an object.")
			return nil
		}
		if a, ok := im.action(o, at); ok {
			out = append(out, a)
		}
	}
	return out
}

// action reads one that is written as an object.
func (im *importer) action(o object, at string) (chart.Action, bool) {
	kind, _ := word(o.values["type"])
	if kind == "" && len(o.names) == 1 {
		if text, ok := word(o.values["raise"]); ok {
			return chart.Action{Raise: &chart.Raise{Event: text}}, true
		}
		kind = "xstate." + o.names[0]
		if inner, err := readObject(o.values[o.names[0]]); err == nil && kind != "xstate.assign" {
			o = inner
		}
	}
	if !strings.HasPrefix(kind, "xstate.") {
		if kind == "" {
			im.refuse(at, "an action has no type.")
			return chart.Action{}, false
		}
		return chart.Action{Do: kind, Params: o.values["params"]}, true
	}
	if params, err := readObject(o.values["params"]); err == nil {
		o = params
	}
	return im.builtin(strings.TrimPrefix(kind, "xstate."), o, at)
}

// builtin reads the actions that XState itself has.
func (im *importer) builtin(kind string, o object, at string) (chart.Action, bool) {
	event, data := im.event(o.values["event"])
	id, _ := word(o.values["id"])
	switch kind {
	case "raise":
		if event == "" {
			break
		}
		delay, ok := word(o.values["delay"])
		if !ok && len(o.values["delay"]) > 0 {
			delay = string(o.values["delay"])
		}
		return chart.Action{Raise: &chart.Raise{Event: event, Data: data, Delay: delay, ID: id}}, true
	case "assign":
		if raw := first(o, "assign", "assignment"); len(raw) > 0 && raw[0] == '{' {
			return chart.Action{Assign: raw}, true
		}
	case "cancel":
		if name, ok := word(first(o, "cancel", "sendId", "id")); ok {
			return chart.Action{Cancel: name}, true
		}
	case "sendTo", "send":
		to, ok := word(first(o, "to", "target", "targetId"))
		if ok && event != "" {
			return chart.Action{Send: &chart.Send{To: to, Event: event, Data: data}}, true
		}
	case "log":
		if raw := first(o, "log", "value", "label"); len(raw) > 0 {
			return chart.Action{Log: raw}, true
		}
	}
	im.lose(at, "xstate."+kind, "What it does is code, which JSON does not carry; it is left out.")
	return chart.Action{}, false
}

// event reads {"type": "…", field: …} or a bare name.
func (im *importer) event(raw json.RawMessage) (string, json.RawMessage) {
	if name, ok := word(raw); ok {
		return name, nil
	}
	o, err := readObject(raw)
	if err != nil {
		return "", nil
	}
	name, _ := word(o.values["type"])
	if delete(o.values, "type"); len(o.values) == 0 {
		return name, nil
	}
	data, err := json.Marshal(o.values)
	if err != nil {
		return name, nil
	}
	return name, data
}

func first(o object, names ...string) json.RawMessage {
	for _, n := range names {
		if v := o.values[n]; len(v) > 0 {
			return v
		}
	}
	return nil
}
