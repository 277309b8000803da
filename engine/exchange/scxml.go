package exchange

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"signalbox/engine/chart"
)

// The namespaces of SCXML and of what we add to it.
const (
	scxmlSpace = "http://www.w3.org/2005/07/scxml"
	ourSpace   = "urn:signalbox:chart"
)

// ToSCXML writes a statechart as SCXML with the data model of ECMAScript.
// Named actions, tags and descriptions stand in a namespace of ours.
func ToSCXML(d chart.Def) (string, []Loss, error) {
	root, byID := outline(d)
	x := scxml{def: d, byID: byID}
	x.ambiguous(root)
	x.shared(root)
	top := tag("scxml", "xmlns", scxmlSpace, "xmlns:sb", ourSpace, "version", "1.0", "datamodel", "ecmascript", "name", root.id, "initial", x.id(root))
	data := top.hold(tag("datamodel"))
	data.hold(tag("data", "id", "input"))
	if len(d.Context) > 0 {
		data.hold(tag("data", "id", "context", "expr", x.tree(root.id, d.Context)))
	}
	whole := top.hold(x.state(root))
	if root.Kind == chart.KindCompound && slices.ContainsFunc(root.children, func(c *state) bool { return c.Kind == chart.KindFinal }) || root.Kind == chart.KindParallel {
		end := x.names.name("\x00end", "-")
		whole.hold(tag("transition", "event", "done.state."+x.id(root), "target", end))
		final := top.hold(tag("final", "id", end))
		if len(root.Output) > 0 {
			x.done = true
			final.hold(tag("donedata")).hold(tag("content", "expr", x.tree(root.id, root.Output)))
		}
	}
	var b strings.Builder
	b.WriteString(xml.Header)
	enc := xml.NewEncoder(&b)
	enc.Indent("", "  ")
	if err := top.write(enc); err != nil {
		return "", nil, fmt.Errorf("write SCXML: %w", err)
	}
	if err := enc.Close(); err != nil {
		return "", nil, fmt.Errorf("write SCXML: %w", err)
	}
	b.WriteString("\n")
	return b.String(), x.losses, nil
}

// element is an XML element before it is written.
type element struct {
	name  string
	attrs []xml.Attr
	held  []*element
}

// tag makes an element with attributes, names and values in turn; those that
// are empty are left out.
func tag(name string, pairs ...string) *element {
	e := &element{name: name}
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			e.attrs = append(e.attrs, xml.Attr{Name: xml.Name{Local: pairs[i]}, Value: pairs[i+1]})
		}
	}
	return e
}

func (e *element) hold(child *element) *element {
	e.held = append(e.held, child)
	return child
}

func (e *element) write(enc *xml.Encoder) error {
	start := xml.StartElement{Name: xml.Name{Local: e.name}, Attr: e.attrs}
	if err := enc.EncodeToken(start); err != nil {
		return err //nolint:wrapcheck // the caller says what we were doing
	}
	for _, c := range e.held {
		if err := c.write(enc); err != nil {
			return err
		}
	}
	return enc.EncodeToken(start.End()) //nolint:wrapcheck // the caller says what we were doing
}

type scxml struct {
	def    chart.Def
	byID   map[string]*state
	names  shorten
	losses []Loss
	done   bool              // the event is the end of a state or task
	params map[string]string // of the named guard or action that is written
}

// id has no dots: a descriptor means all events that begin with it and a dot,
// so the end of a.b, done.state.a.b, would also be taken for that of a.
func (x *scxml) id(s *state) string { return x.names.name(s.id, "-") }

func (x *scxml) state(s *state) *element {
	names := map[chart.Kind]string{chart.KindParallel: "parallel", chart.KindFinal: "final", chart.KindHistory: "history"}
	e := tag(cmp.Or(names[s.Kind], "state"), "id", x.id(s), "sb:tags", strings.Join(s.Tags, " "), "sb:description", s.Description)
	if s.Kind == chart.KindHistory {
		return x.history(e, s)
	}
	if begin := s.child(s.Initial); begin != nil && s.Kind == chart.KindCompound {
		if len(s.InitialDo) == 0 {
			e.attrs = append(e.attrs, xml.Attr{Name: xml.Name{Local: "initial"}, Value: x.id(begin)})
		} else {
			t := e.hold(tag("initial")).hold(tag("transition", "target", x.id(begin)))
			x.actions(t, s.id, s.InitialDo, 0)
		}
	}
	entry, exit := tag("onentry"), tag("onexit")
	x.actions(entry, s.id, s.Entry, 0)
	x.actions(exit, s.id, s.Exit, 0)
	x.timers(s, entry, exit)
	for _, part := range []*element{entry, exit} {
		if len(part.held) > 0 {
			e.hold(part)
		}
	}
	x.transitions(e, s)
	x.invokes(e, s)
	if s.Kind == chart.KindFinal && len(s.Output) > 0 {
		e.hold(tag("donedata")).hold(tag("content", "expr", x.tree(s.id, s.Output)))
	}
	if len(s.Meta) > 0 {
		x.lose(s.id, "meta", "Meta data is left out.")
	}
	for _, c := range s.children {
		e.hold(x.state(c))
	}
	return e
}

func (x *scxml) history(e *element, s *state) *element {
	depth := map[bool]string{true: "deep", false: "shallow"}[s.Deep]
	e.attrs = append(e.attrs, xml.Attr{Name: xml.Name{Local: "type"}, Value: depth})
	var targets []string
	switch begin := s.parent.child(s.parent.Initial); {
	case len(s.Targets) > 0:
		targets = x.targets(s.Targets)
	case s.parent.Kind == chart.KindParallel:
		for _, c := range s.parent.children {
			if c.Kind != chart.KindHistory {
				targets = append(targets, x.id(c))
			}
		}
	case begin != nil:
		targets = []string{x.id(begin)}
	}
	e.hold(tag("transition", "target", strings.Join(targets, " ")))
	return e
}

func (x *scxml) targets(ids []string) []string {
	var out []string
	for _, id := range ids {
		if s := x.byID[id]; s != nil {
			out = append(out, x.id(s))
		}
	}
	return out
}

// timers sets each delay of a state when it is entered.
func (x *scxml) timers(s *state, entry, exit *element) {
	seen := map[string]bool{}
	for _, t := range s.After {
		if seen[t.Delay] {
			continue
		}
		seen[t.Delay] = true
		event := afterEvent(x.id(s), t.Delay)
		entry.hold(tag("send", append([]string{"event", event, "id", event}, x.delay(s.id, t.Delay, 0)...)...))
		exit.hold(tag("cancel", "sendid", event))
	}
}

func afterEvent(id, delay string) string {
	clean := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, delay)
	return "after." + clean + "." + id
}

// delay gives the attribute that says how long.
func (x *scxml) delay(path, text string, depth int) []string {
	if _, err := strconv.ParseUint(text, 10, 63); err == nil {
		return []string{"delay", text + "ms"}
	}
	if d, err := time.ParseDuration(text); err == nil {
		return []string{"delay", strconv.FormatInt(d.Milliseconds(), 10) + "ms"}
	}
	if named, ok := x.def.Delays[text]; ok && depth < chart.DepthMax {
		return x.delay(path, named, depth+1)
	}
	if source, ok := strings.CutPrefix(text, "="); ok {
		return []string{"delayexpr", "(" + x.expr(path, source) + ") + \"ms\""}
	}
	x.lose(path, "delay "+text, "Nothing says how long “%s” is.", text)
	return []string{"delay", "0ms"}
}

// transitions writes those of a state: in SCXML the first in the document
// counts, so what names an event in full comes before what has a star.
func (x *scxml) transitions(e *element, s *state) {
	on := slices.Clone(s.On)
	slices.SortStableFunc(on, func(a, b chart.Transition) int { return weight(b.Event) - weight(a.Event) })
	for _, t := range on {
		x.transition(e, s, t.Event, t)
	}
	for _, t := range s.After {
		x.transition(e, s, afterEvent(x.id(s), t.Delay), t)
	}
	for _, t := range s.Always {
		x.transition(e, s, "", t)
	}
	x.done = true
	for _, t := range s.Done {
		x.transition(e, s, "done.state."+x.id(s), t)
	}
	for i, v := range s.Invoke {
		for _, t := range v.Done {
			x.transition(e, s, "done.invoke."+x.invokeID(s, v, i), t)
		}
	}
	x.done = false
	for _, v := range s.Invoke {
		for _, t := range v.Error {
			x.lose(s.id, "onError", "SCXML does not tell which task failed: “%s” is heard as error.communication.", v.Source)
			x.transition(e, s, "error.communication", t)
		}
	}
}

func weight(event string) int {
	if !strings.HasSuffix(event, "*") {
		return 1 << 20
	}
	return len(event)
}

func (x *scxml) invokeID(s *state, v chart.Invoke, i int) string {
	return x.names.name(cmp.Or(v.ID, "invoke."+strconv.Itoa(i)+"."+s.id), "-")
}

func (x *scxml) transition(e *element, s *state, event string, t chart.Transition) {
	cond := ""
	if t.Guard != nil {
		cond = x.guard(s.id, *t.Guard, 0)
	}
	targets, kind := t.Targets, ""
	if !t.Reenter && len(targets) > 0 && !slices.ContainsFunc(targets, func(id string) bool { return id != s.id && !x.byID[id].inside(s) }) {
		targets, kind = x.within(s, targets)
	}
	if kind == "" && len(targets) > 0 {
		x.between(s, targets)
	}
	to := e.hold(tag("transition", "event", event, "cond", cond, "target", strings.Join(x.targets(targets), " "), "type", kind))
	x.actions(to, s.id, t.Actions, 0)
}

// within says in SCXML that a transition stays inside its source.
func (x *scxml) within(s *state, targets []string) ([]string, string) {
	begin := s.child(s.Initial)
	switch {
	case len(s.children) == 0:
		return nil, "" // to itself without entering again: nothing is left
	case s.Kind == chart.KindParallel:
		x.lose(s.id, "transition inside a parallel state", "SCXML leaves and enters the parallel state again.")
		return targets, ""
	case slices.Contains(targets, s.id) && begin != nil:
		return []string{begin.id}, "internal"
	}
	return targets, "internal"
}

func (x *scxml) invokes(e *element, s *state) {
	for i, v := range s.Invoke {
		in := e.hold(tag("invoke", "id", x.invokeID(s, v, i), "src", v.Source))
		if len(v.Input) > 0 {
			in.hold(tag("param", "name", "input", "expr", x.tree(s.id, v.Input)))
		}
	}
}
