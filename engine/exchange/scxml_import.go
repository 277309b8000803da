package exchange

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"signalbox/engine/chart"
	"signalbox/engine/expr"
	"signalbox/engine/kind"
	"signalbox/engine/problem"
)

// FromSCXML reads an SCXML document with the data model of ECMAScript, or
// none. Its expressions are translated; those that cannot be are losses.
func FromSCXML(raw []byte) (chart.Def, []Loss, error) {
	root, err := readXML(raw)
	if err != nil {
		return chart.Def{}, nil, err
	}
	im := scxmlImporter{ids: map[string]*xmlNode{}, data: map[string]bool{}}
	if err := im.find(root, 0); err != nil {
		return chart.Def{}, nil, err
	}
	if m := root.attrs["datamodel"]; m != "" && m != "ecmascript" && m != "null" {
		im.lose("", "datamodel", "Expressions of the data model “"+clipText(m, 40)+"” are read as if they were those of ECMAScript.")
	}
	d := chart.Def{}
	d.ID = cmp.Or(root.attrs["name"], "chart")
	im.context(root, &d)
	im.fill(root, &d.Node)
	d.ID, d.Key = cmp.Or(root.attrs["name"], "chart"), ""
	if im.ids[d.ID] != nil {
		d.ID += "_chart"
	}
	return d, im.losses, nil
}

type scxmlImporter struct {
	ids    map[string]*xmlNode
	data   map[string]bool // ids of the data model
	whole  bool            // the context is one datum, as we write it
	losses []Loss
	done   bool // the event is the end of a state or task
	made   int
}

func (im *scxmlImporter) lose(at, what, message string) {
	if l := (Loss{at, what, message}); !slices.Contains(im.losses, l) {
		im.losses = append(im.losses, l)
	}
}

func stateElements() []string { return []string{"state", "parallel", "final", "history"} }

// find collects the states by their ids, and gives one to those without.
func (im *scxmlImporter) find(n *xmlNode, depth int) error {
	if depth > chart.DepthMax {
		return problem.New(problem.TooLarge, "States may stand in each other %d deep.", chart.DepthMax)
	}
	for _, k := range n.all(stateElements()...) {
		if k.attrs["id"] == "" {
			im.made++
			k.attrs["id"] = k.name + "_" + strconv.Itoa(im.made)
		}
		if im.ids[k.attrs["id"]] != nil {
			return problem.New(problem.Invalid, "Two states have the id “%s”.", clipText(k.attrs["id"], 80))
		}
		im.ids[k.attrs["id"]] = k
		if len(im.ids) > chart.NodesMax {
			return problem.New(problem.TooLarge, "A statechart may have %d states.", chart.NodesMax)
		}
		if err := im.find(k, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// context reads the data model.
func (im *scxmlImporter) context(root *xmlNode, d *chart.Def) {
	fields := map[string]json.RawMessage{}
	for _, model := range append(root.all("datamodel"), im.inner(root)...) {
		for _, datum := range model.all("data") {
			id := datum.attrs["id"]
			if id == "input" || id == "" {
				continue
			}
			im.data[id] = true
			source := cmp.Or(datum.attrs["expr"], strings.TrimSpace(datum.text.String()), "null")
			fields[id] = im.value(id, source)
		}
	}
	if raw, ok := fields["context"]; ok && len(fields) == 1 && raw[0] == '{' {
		im.whole, d.Context = true, raw
		return
	}
	if len(fields) > 0 {
		raw, err := plainJSON(fields)
		if err == nil {
			d.Context = raw
		}
	}
}

// inner are data models within states: they are one with the first here.
func (im *scxmlImporter) inner(n *xmlNode) []*xmlNode {
	var out []*xmlNode
	for _, k := range n.all(stateElements()...) {
		out = append(append(out, k.all("datamodel")...), im.inner(k)...)
	}
	return out
}

// fill reads a state.
func (im *scxmlImporter) fill(n *xmlNode, out *chart.Node) {
	id := n.attrs["id"]
	out.Key, out.ID = id, id
	out.Description = n.ours["description"]
	out.Tags = strings.Fields(n.ours["tags"])
	switch n.name {
	case "parallel":
		out.Kind = chart.KindParallel
	case "final":
		out.Kind = chart.KindFinal
	case "history":
		out.Kind, out.Deep = chart.KindHistory, n.attrs["type"] == "deep"
		if t := n.first("transition"); t != nil {
			out.Targets = im.targets(id, t.attrs["target"])
		}
		return
	}
	for _, part := range n.all("onentry") {
		out.Entry = append(out.Entry, im.actions(id, part)...)
	}
	for _, part := range n.all("onexit") {
		out.Exit = append(out.Exit, im.actions(id, part)...)
	}
	for i, v := range n.all("invoke") {
		out.Invoke = append(out.Invoke, im.invoke(id, v, i))
	}
	for _, t := range n.all("transition") {
		im.transition(n, out, t)
	}
	if content := n.first("donedata"); content != nil {
		out.Output = im.content(id, content)
	}
	for _, k := range n.kids {
		switch {
		case slices.Contains(stateElements(), k.name):
			var child chart.Node
			im.fill(k, &child)
			out.States = append(out.States, child)
		case !slices.Contains([]string{"onentry", "onexit", "transition", "invoke", "donedata", "initial", "datamodel"}, k.name):
			im.lose(id, k.name, "It is left out: nothing here does what it does.")
		}
	}
	if out.Kind == "" && len(out.States) > 0 {
		im.initial(n, out)
	}
}

// initial reads where a state begins: a child, or what is inside of one.
func (im *scxmlImporter) initial(n *xmlNode, out *chart.Node) {
	target := n.attrs["initial"]
	if e := n.first("initial"); e != nil {
		if t := e.first("transition"); t != nil {
			target = t.attrs["target"]
			out.InitialDo = im.actions(n.attrs["id"], t)
		}
	}
	targets := strings.Fields(target)
	out.Initial = out.States[0].Key
	if len(targets) == 0 {
		return
	}
	at := im.ids[targets[0]]
	for at != nil && at.parent != n {
		at = at.parent
	}
	if at == nil {
		im.lose(n.attrs["id"], "initial", "There is no state “"+clipText(targets[0], 80)+"” inside; it begins in its first.")
		return
	}
	out.Initial = at.attrs["id"]
	if len(targets) > 1 || out.Initial != targets[0] {
		im.lose(n.attrs["id"], "initial", "It begins in “"+clipText(out.Initial, 80)+"”, and there where that begins.")
	}
}

// targets keeps those that are there.
func (im *scxmlImporter) targets(at, text string) []string {
	var out []string
	for _, id := range strings.Fields(text) {
		if im.ids[id] == nil {
			im.lose(at, "target", "There is no state “"+clipText(id, 80)+"” to go to.")
			continue
		}
		out = append(out, id)
	}
	return out
}

// transition sorts a transition by what sets it off.
func (im *scxmlImporter) transition(n *xmlNode, out *chart.Node, t *xmlNode) {
	id := n.attrs["id"]
	events := strings.Fields(t.attrs["event"])
	if len(events) == 0 {
		out.Always = append(out.Always, im.move(n, t))
		return
	}
	for _, event := range events {
		task := slices.IndexFunc(out.Invoke, func(v chart.Invoke) bool {
			return event == "done.invoke."+v.ID || event == "error.invoke."+v.ID || strings.HasPrefix(event, "error.") && len(out.Invoke) == 1
		})
		switch {
		case event == "done.state."+id:
			im.done = true
			out.Done = append(out.Done, im.move(n, t))
		case event == "done.invoke" && len(out.Invoke) == 1, task >= 0 && strings.HasPrefix(event, "done."):
			im.done = true
			v := &out.Invoke[max(task, 0)]
			v.Done = append(v.Done, im.move(n, t))
		case task >= 0:
			out.Invoke[task].Error = append(out.Invoke[task].Error, im.move(n, t))
		case strings.HasPrefix(event, "error."), strings.HasPrefix(event, "done.state."), strings.HasPrefix(event, "done.invoke."):
			im.lose(id, "event "+clipText(event, 80), "Nothing here tells this state of it; the transition is left out.")
		default:
			move := im.move(n, t)
			move.Event = strings.TrimSuffix(event, ".")
			out.On = append(out.On, move)
		}
		im.done = false
	}
}

func (im *scxmlImporter) move(n, t *xmlNode) chart.Transition {
	id := n.attrs["id"]
	m := chart.Transition{Targets: im.targets(id, t.attrs["target"]), Actions: im.actions(id, t)}
	if len(m.Targets) == 0 && t.attrs["target"] != "" {
		return m
	}
	for _, target := range m.Targets {
		inside := false
		for at := im.ids[target]; at != nil; at = at.parent {
			inside = inside || at == n
		}
		m.Reenter = m.Reenter || inside && t.attrs["type"] != "internal"
	}
	if cond, ok := t.attrs["cond"]; ok {
		g := im.guard(id, cond)
		m.Guard = &g
	}
	return m
}

func (im *scxmlImporter) guard(at, source string) chart.Guard {
	f, err := parseFormula(source)
	if err == nil {
		if g, ok := im.inState(f); ok {
			return g
		}
		w := im.writer()
		t, err := w.condition(f)
		if err == nil {
			if code, err := w.checkedCode(t.code); err == nil {
				return chart.Guard{Expr: code}
			}
		}
	}
	im.lose(at, "cond", "“"+clipText(source, 160)+"” is not translated; it is never true here.")
	return chart.Guard{Expr: "false"}
}

// inState reads In('a') with && || ! around.
func (im *scxmlImporter) inState(f *formula) (chart.Guard, bool) {
	switch {
	case f.op == "call" && named(f.kids[0], "In") && len(f.kids) == 2 && f.kids[1].op == "text":
		return chart.Guard{In: f.kids[1].text}, true
	case f.op == "!":
		g, ok := im.inState(f.kids[0])
		return chart.Guard{Not: &g}, ok
	case f.op == "&&" || f.op == "||":
		left, okLeft := im.inState(f.kids[0])
		right, okRight := im.inState(f.kids[1])
		if !okLeft && !okRight {
			return chart.Guard{}, false
		}
		if !okLeft {
			left, okLeft = im.plainGuard(f.kids[0])
		}
		if !okRight {
			right, okRight = im.plainGuard(f.kids[1])
		}
		list := []chart.Guard{left, right}
		if f.op == "||" {
			return chart.Guard{Or: list}, okLeft && okRight
		}
		return chart.Guard{And: list}, okLeft && okRight
	}
	return chart.Guard{}, false
}

func (im *scxmlImporter) plainGuard(f *formula) (chart.Guard, bool) {
	w := im.writer()
	t, err := w.condition(f)
	if err != nil {
		return chart.Guard{}, false
	}
	code, err := w.checkedCode(t.code)
	return chart.Guard{Expr: code}, err == nil
}

// writer translates expressions over the data model and the event.
func (im *scxmlImporter) writer() *formulaWriter {
	return &formulaWriter{vars: []string{"context", "event", "input"}, known: func(f *formula) (term, bool, error) {
		switch {
		case f.op == "field" && f.text == "data" && named(f.kids[0], "_event"):
			if im.done {
				return term{"event.output", tightField, anySort}, true, nil
			}
			return term{"event", tightField, anySort}, true, nil
		case f.op == "field" && f.text == "name" && named(f.kids[0], "_event"):
			return term{"event.type", tightField, textSort}, true, nil
		case f.op != "name":
			return term{}, false, nil
		case f.text == "input" && !im.data["input"]:
			return term{"input", tightField, anySort}, true, nil
		case im.whole && f.text == "context":
			return term{"context", tightField, anySort}, true, nil
		case im.data[f.text]:
			return term{dotted("context", f.text), tightField, anySort}, true, nil
		}
		return term{}, false, nil
	}}
}

// value translates an expression into a value of a configuration.
func (im *scxmlImporter) value(at, source string) json.RawMessage {
	var plain any
	if json.Unmarshal([]byte(source), &plain) == nil {
		if s, ok := plain.(string); ok {
			plain = constantText(s)
		}
		return must(plainJSON(plain))
	}
	f, err := parseFormula(source)
	if err == nil {
		if raw, ok := im.tree(f); ok {
			return raw
		}
	}
	im.lose(at, "expression", "“"+clipText(source, 160)+"” is not translated; it is null here.")
	return json.RawMessage("null")
}

// tree writes objects and lists as such, and what is in them as expressions.
func (im *scxmlImporter) tree(f *formula) (json.RawMessage, bool) {
	switch f.op {
	case "object":
		out := map[string]json.RawMessage{}
		for i := 0; i+1 < len(f.kids); i += 2 {
			v, ok := im.tree(f.kids[i+1])
			if !ok {
				return nil, false
			}
			out[f.kids[i].text] = v
		}
		return must(plainJSON(out)), true
	case "text":
		return must(plainJSON(constantText(f.text))), true
	}
	w := im.writer()
	t, err := w.checked(f)
	if err != nil {
		return nil, false
	}
	if _, fault := expr.ParseWith(w.vars, t.code); f.op == "number" && fault == nil {
		return json.RawMessage(t.code), true
	}
	if t.code == "true" || t.code == "false" || t.code == "null" {
		return json.RawMessage(t.code), true
	}
	return must(plainJSON("=" + t.code)), true
}

// content reads <content> and <param>.
func (im *scxmlImporter) content(at string, n *xmlNode) json.RawMessage {
	if c := n.first("content"); c != nil {
		if e := c.attrs["expr"]; e != "" {
			return im.value(at, e)
		}
		text := strings.TrimSpace(c.text.String())
		if json.Valid([]byte(text)) {
			return im.value(at, text)
		}
		return must(plainJSON(constantText(text)))
	}
	out := map[string]json.RawMessage{}
	for _, p := range n.all("param") {
		out[p.attrs["name"]] = im.value(at, cmp.Or(p.attrs["expr"], p.attrs["location"], "null"))
	}
	for _, name := range strings.Fields(n.attrs["namelist"]) {
		out[name] = im.value(at, name)
	}
	if len(out) == 0 {
		return nil
	}
	return must(plainJSON(out))
}

func (im *scxmlImporter) invoke(at string, n *xmlNode, i int) chart.Invoke {
	v := chart.Invoke{ID: cmp.Or(n.attrs["id"], fmt.Sprintf("%s_%d", at, i)), Source: cmp.Or(n.attrs["src"], n.attrs["type"])}
	if raw := im.content(at, n); raw != nil {
		v.Input = raw
		var input map[string]json.RawMessage
		if json.Unmarshal(raw, &input) == nil && len(input) == 1 && input["input"] != nil {
			v.Input = input["input"]
		}
	}
	if spec, known := kind.Find(v.Source); !known || spec.Work != kind.WorkTask {
		im.lose(at, "invoke", "There is no task "+expr.Quote(clipText(v.Source, 80))+" here: the state is kept, and says what it lacks until its source names the kind of a step that a worker does.")
	}
	for _, name := range []string{"srcexpr", "typeexpr", "autoforward"} {
		if n.attrs[name] != "" {
			im.lose(at, name, "It is left out: nothing here does what it does.")
		}
	}
	if n.first("finalize") != nil {
		im.lose(at, "finalize", "It is left out: nothing here does what it does.")
	}
	return v
}

// scxmlDelay reads 1.5s and 200ms into milliseconds.
func scxmlDelay(text string) (string, bool) {
	if n, err := strconv.ParseUint(text, 10, 63); err == nil {
		return strconv.FormatUint(n, 10), true
	}
	d, err := time.ParseDuration(strings.TrimSpace(text))
	return strconv.FormatInt(d.Milliseconds(), 10), err == nil && d >= 0
}
