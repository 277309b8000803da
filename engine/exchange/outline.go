package exchange

import (
	"slices"
	"strconv"
	"strings"

	"signalbox/engine/chart"
)

// state is a state of a chart with what stands around it.
type state struct {
	chart.Node
	id       string
	parent   *state
	children []*state
}

// outline resolves the ids of a chart.
func outline(d chart.Def) (*state, map[string]*state) {
	byID := map[string]*state{}
	root := d.Node
	if root.ID == "" {
		root.ID = "chart"
	}
	return resolve(root, nil, byID), byID
}

func resolve(n chart.Node, parent *state, byID map[string]*state) *state {
	s := &state{Node: n, id: n.ID, parent: parent}
	if s.id == "" {
		s.id = parent.id + "." + n.Key
	}
	if s.Kind == "" {
		s.Kind = chart.KindAtomic
		if len(n.States) > 0 {
			s.Kind = chart.KindCompound
		}
	}
	byID[s.id] = s
	for _, c := range n.States {
		s.children = append(s.children, resolve(c, s, byID))
	}
	return s
}

// inside reports whether s stands inside of outer.
func (s *state) inside(outer *state) bool {
	for p := s.parent; p != nil; p = p.parent {
		if p == outer {
			return true
		}
	}
	return false
}

// child is the state with the key.
func (s *state) child(key string) *state {
	for _, c := range s.children {
		if c.Key == key {
			return c
		}
	}
	return nil
}

// label is what a person reads on the state.
func (s *state) label() string {
	if s.Key != "" {
		return s.Key
	}
	return s.id
}

// arrow is a transition as it is drawn.
type arrow struct {
	from, to *state // to is nil: it goes nowhere
	text     string
}

// arrows lists the transitions of a state, one for each target.
func (s *state) arrows(byID map[string]*state) []arrow {
	var out []arrow
	add := func(name string, t chart.Transition) {
		text := name
		if t.Guard != nil {
			text += " [" + guardText(*t.Guard) + "]"
		}
		if len(t.Actions) > 0 {
			text += " / " + actionsText(t.Actions)
		}
		text = strings.TrimSpace(text)
		if len(t.Targets) == 0 {
			out = append(out, arrow{s, nil, text})
		}
		for _, id := range t.Targets {
			out = append(out, arrow{s, byID[id], text})
		}
	}
	for _, t := range s.On {
		add(t.Event, t)
	}
	for _, t := range s.After {
		add("after "+span(t.Delay), t)
	}
	for _, t := range s.Always {
		add("", t)
	}
	for _, t := range s.Done {
		add("done", t)
	}
	for _, v := range s.Invoke {
		for _, t := range v.Done {
			add(v.Source+" done", t)
		}
		for _, t := range v.Error {
			add(v.Source+" failed", t)
		}
	}
	return out
}

// span adds the unit to a delay that is only a number.
func span(delay string) string {
	if index(delay) >= 0 {
		return delay + " ms"
	}
	return delay
}

// guardText writes a condition for a person.
func guardText(g chart.Guard) string {
	several := func(list []chart.Guard, sign string) string {
		out := make([]string, 0, len(list))
		for _, g := range list {
			out = append(out, guardText(g))
		}
		return "(" + strings.Join(out, sign) + ")"
	}
	switch {
	case g.Expr != "":
		return g.Expr
	case g.Name != "":
		return g.Name
	case g.In != "":
		return "in " + g.In
	case g.Not != nil:
		return "not " + guardText(*g.Not)
	case g.Or != nil:
		return several(g.Or, " or ")
	}
	return several(g.And, " and ")
}

// actionsText writes actions for a person.
func actionsText(list []chart.Action) string {
	out := make([]string, 0, len(list))
	for _, a := range list {
		switch {
		case a.Do != "":
			out = append(out, a.Do)
		case a.Assign != nil:
			out = append(out, "assign")
		case a.Raise != nil:
			out = append(out, "raise "+a.Raise.Event)
		case a.Send != nil:
			out = append(out, "send "+a.Send.Event+" to "+a.Send.To)
		case a.Cancel != "":
			out = append(out, "cancel "+a.Cancel)
		default:
			out = append(out, "log")
		}
	}
	return strings.Join(out, ", ")
}

// shorten makes unique short names that a rule allows, in the order asked.
type shorten struct {
	taken map[string]bool
	given map[string]string
}

// name gives a thing a name of letters, digits and what else is allowed.
func (s *shorten) name(thing, allowed string) string {
	if s.taken == nil {
		s.taken, s.given = map[string]bool{}, map[string]string{}
	}
	if n, ok := s.given[thing]; ok {
		return n
	}
	n := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', strings.ContainsRune(allowed, r):
			return r
		}
		return '_'
	}, thing)
	if n == "" || n[0] >= '0' && n[0] <= '9' || strings.HasPrefix(n, ".") || strings.HasPrefix(n, "-") || slices.Contains([]string{"end", "graph", "state", "note", "default", "direction"}, strings.ToLower(n)) {
		n = "_" + n
	}
	free := n
	for i := 2; s.taken[free]; i++ {
		free = n + "_" + strconv.Itoa(i)
	}
	s.taken[free], s.given[thing] = true, free
	return free
}
