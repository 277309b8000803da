package exchange

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"signalbox/engine/chart"
	"signalbox/engine/expr"
	"signalbox/engine/kind"
	"signalbox/engine/problem"
)

// FromXState reads the configuration of an XState 5 machine, as JSON. Guards
// and actions that are only names stay names: Def.Guards and Def.Actions say
// what they mean. Beside XState's own forms it knows {"cel": "…"} as a guard,
// {"stateIn"|"not"|"and"|"or": …}, and {"raise"|"assign"|…: …} as actions.
func FromXState(raw []byte) (chart.Def, []Loss, error) {
	root, err := readObject(raw)
	if err != nil {
		return chart.Def{}, nil, problem.New(problem.Invalid, "This is not the configuration of a machine: %s.", err)
	}
	im := importer{ids: map[string]*place{}}
	id, ok := word(root.values["id"])
	if !ok {
		id = "(machine)"
	}
	im.machine = id
	top := &place{id: id, key: id, config: root, children: map[string]*place{}}
	im.ids[id] = top
	im.places(top, nil, 0)
	d := chart.Def{Node: im.node(top)}
	d.ID, d.Key = id, ""
	if c := root.values["context"]; len(c) > 0 && c[0] == '{' {
		d.Context = c
	} else if len(c) > 0 {
		im.lose("/context", "context", "Only an object can be read; the context is empty now.")
	}
	if im.err != nil {
		return chart.Def{}, nil, im.err
	}
	return d, im.losses, nil
}

// place is a state while it is read.
type place struct {
	id, key  string
	at       string // JSON pointer
	parent   *place
	config   object
	order    []*place
	children map[string]*place
}

type importer struct {
	machine string
	ids     map[string]*place
	losses  []Loss
	err     error
}

func (im *importer) lose(at, what, message string) {
	im.losses = append(im.losses, Loss{at, what, message})
}

func (im *importer) refuse(at, format string, args ...any) {
	if im.err == nil {
		im.err = problem.New(problem.Invalid, "This machine cannot be read: %s", fmt.Sprintf(format, args...)).At(at, "not understood", "what XState 5 takes")
	}
}

// places finds all states and their ids, so that targets can be resolved.
func (im *importer) places(p *place, path []string, depth int) {
	if depth > chart.DepthMax {
		im.refuse(p.at, "states stand in each other more than %d deep.", chart.DepthMax)
		return
	}
	states := p.config.values["states"]
	if len(states) == 0 {
		return
	}
	held, err := readObject(states)
	if err != nil {
		im.refuse(pointer(p.at, "states"), "states: %s.", err)
		return
	}
	for _, key := range held.names {
		at := pointer(pointer(p.at, "states"), key)
		config, err := readObject(held.values[key])
		if err != nil {
			im.refuse(at, "the state %q: %s.", key, err)
			return
		}
		way := append(append([]string{}, path...), key)
		id, ok := word(config.values["id"])
		if !ok {
			id = strings.Join(append([]string{im.machine}, way...), ".")
		}
		child := &place{id: id, key: key, at: at, parent: p, config: config, children: map[string]*place{}}
		if im.ids[id] != nil {
			im.refuse(at, "two states have the id %q.", id)
		}
		im.ids[id] = child
		p.children[key], p.order = child, append(p.order, child)
		im.places(child, way, depth+1)
	}
}

// node reads one state.
func (im *importer) node(p *place) chart.Node {
	n := chart.Node{Key: p.key}
	if p.parent == nil || p.id != p.parent.id+"."+p.key {
		n.ID = p.id
	}
	for _, name := range p.config.names {
		im.field(p, &n, name, p.config.values[name])
	}
	if n.Kind == "" && len(p.config.values["history"]) > 0 && len(p.order) == 0 {
		n.Kind = chart.KindHistory
	}
	if n.Kind == chart.KindHistory {
		n.Deep = string(p.config.values["history"]) == `"deep"`
		n.Targets = im.targets(p, p.config.values["target"], pointer(p.at, "target"))
	}
	for _, c := range p.order {
		n.States = append(n.States, im.node(c))
	}
	return n
}

// field reads one field of a state.
func (im *importer) field(p *place, n *chart.Node, name string, raw json.RawMessage) {
	at := pointer(p.at, name)
	switch name {
	case "id", "context", "states", "history", "target":
	case "type":
		kind, _ := word(raw)
		n.Kind = chart.Kind(kind)
	case "initial":
		im.initial(n, raw, at)
	case "entry":
		n.Entry = im.actions(raw, at)
	case "exit":
		n.Exit = im.actions(raw, at)
	case "on":
		n.On = im.keyed(p, raw, at, func(t *chart.Transition, key string) { t.Event = key })
	case "after":
		n.After = im.keyed(p, raw, at, func(t *chart.Transition, key string) { t.Delay = key })
	case "always":
		n.Always = im.transitions(p, raw, at)
	case "onDone":
		n.Done = im.transitions(p, raw, at)
	case "invoke":
		for i, v := range list(raw) {
			n.Invoke = append(n.Invoke, im.invoke(p, v, at+"/"+strconv.Itoa(i)))
		}
	case "tags":
		for _, t := range list(raw) {
			tag, _ := word(t)
			n.Tags = append(n.Tags, tag)
		}
	case "output":
		n.Output = raw
	case "description":
		n.Description, _ = word(raw)
	case "meta":
		n.Meta = raw
	case "version", "types", "schemas", "options":
		im.lose(at, name, "It says nothing about what the machine does and is left out.")
	case "onEntry", "onExit", "activities", "data", "strict", "preserveActionOrder", "predictableActionArguments", "delimiter":
		im.lose(at, name, "It is a word of XState 4; XState 5 does not read it, and neither do we.")
	case "route":
		im.lose(at, name, "Routes to a state from anywhere are left out.")
	default:
		im.lose(at, name, "This is not a word of XState 5; it is left out.")
	}
}

func (im *importer) initial(n *chart.Node, raw json.RawMessage, at string) {
	if key, ok := word(raw); ok {
		n.Initial = key
		return
	}
	o, err := readObject(raw)
	if err != nil {
		im.refuse(at, "initial is neither a key nor an object.")
		return
	}
	n.Initial, _ = word(o.values["target"])
	n.InitialDo = im.actions(o.values["actions"], pointer(at, "actions"))
}

// keyed reads transitions that stand in an object under an event or a delay.
func (im *importer) keyed(p *place, raw json.RawMessage, at string, name func(*chart.Transition, string)) []chart.Transition {
	o, err := readObject(raw)
	if err != nil {
		im.refuse(at, "%s.", err)
		return nil
	}
	var out []chart.Transition
	for _, key := range o.names {
		list := im.transitions(p, o.values[key], pointer(at, key))
		if len(list) == 0 && string(o.values[key]) == "null" {
			list = []chart.Transition{{}}
		}
		for _, t := range list {
			name(&t, key)
			out = append(out, t)
		}
	}
	return out
}

func (im *importer) transitions(p *place, raw json.RawMessage, at string) []chart.Transition {
	var out []chart.Transition
	for i, item := range list(raw) {
		at := at + "/" + strconv.Itoa(i)
		if _, ok := word(item); ok {
			out = append(out, chart.Transition{Targets: im.targets(p, item, at)})
			continue
		}
		o, err := readObject(item)
		if err != nil {
			im.refuse(at, "a transition is neither a target nor an object.")
			return nil
		}
		var t chart.Transition
		for _, name := range o.names {
			im.part(p, &t, name, o.values[name], pointer(at, name))
		}
		out = append(out, t)
	}
	return out
}

// part reads one field of a transition.
func (im *importer) part(p *place, t *chart.Transition, name string, raw json.RawMessage, at string) {
	switch name {
	case "target":
		t.Targets = im.targets(p, raw, at)
	case "guard":
		t.Guard = im.guard(raw, at)
	case "actions":
		t.Actions = im.actions(raw, at)
	case "reenter":
		t.Reenter = string(raw) == "true"
	case "description":
		t.Description, _ = word(raw)
	case "meta":
		im.lose(at, name, "Notes of a transition are left out.")
	case "cond", "internal", "in":
		im.lose(at, name, "It is a word of XState 4; XState 5 does not read it, and neither do we.")
	default:
		im.lose(at, name, "This is not a word of XState 5; it is left out.")
	}
}

func (im *importer) invoke(p *place, raw json.RawMessage, at string) chart.Invoke {
	var v chart.Invoke
	o, err := readObject(raw)
	if err != nil {
		im.refuse(at, "an invoke: %s.", err)
		return v
	}
	for _, name := range o.names {
		raw, at := o.values[name], pointer(at, name)
		switch name {
		case "id":
			v.ID, _ = word(raw)
		case "src":
			src, ok := word(raw)
			if !ok {
				im.lose(at, name, "A source written in place cannot be read; name it.")
			}
			v.Source = src
			if spec, known := kind.Find(src); ok && (!known || spec.Work != kind.WorkTask) {
				im.lose(at, name, "There is no task "+expr.Quote(src)+" here: the state is kept, and says what it lacks until its source names the kind of a step that a worker does.")
			}
		case "input":
			v.Input = raw
		case "onDone":
			v.Done = im.transitions(p, raw, at)
		case "onError":
			v.Error = im.transitions(p, raw, at)
		case "onSnapshot":
			im.lose(at, name, "A task shows no states on its way; only its end is heard.")
		default:
			im.lose(at, name, "It is left out.")
		}
	}
	return v
}

// targets resolves "#id", "#id.path", ".child" and "sibling.path".
func (im *importer) targets(p *place, raw json.RawMessage, at string) []string {
	var ids []string
	for _, item := range list(raw) {
		text, ok := word(item)
		if !ok {
			im.refuse(at, "a target is a text.")
			return nil
		}
		if t := im.resolve(p, text); t != nil {
			ids = append(ids, t.id)
		} else {
			im.refuse(at, "there is no state %q to go to.", text)
		}
	}
	return ids
}

func (im *importer) resolve(p *place, text string) *place {
	path := split(text)
	switch {
	case strings.HasPrefix(text, "#"):
		return im.ids[path[0][1:]].find(path[1:])
	case strings.HasPrefix(text, "."):
		return p.find(path[1:])
	case p.parent == nil:
		return nil
	}
	return p.parent.find(path)
}

func (p *place) find(path []string) *place {
	for _, key := range path {
		if p == nil {
			return nil
		}
		p = p.children[key]
	}
	return p
}

// split cuts a path at its dots; a backslash takes the next letter as it is.
func split(text string) []string {
	path, word := []string{}, ""
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && i+1 < len(text):
			i++
			word += text[i : i+1]
		case c == '.':
			path, word = append(path, word), ""
		default:
			word += text[i : i+1]
		}
	}
	return append(path, word)
}
