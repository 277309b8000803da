package exchange

import (
	"fmt"
	"slices"
	"strings"

	"signalbox/engine/chart"
)

// What follows finds where SCXML would do something else than XState and we.

// lose reports a loss, once.
func (x *scxml) lose(path, what, format string, args ...any) {
	l := Loss{path, what, fmt.Sprintf(format, args...)}
	if !slices.Contains(x.losses, l) {
		x.losses = append(x.losses, l)
	}
}

// ambiguous finds events that SCXML would take for others: there, a name also
// means all events that begin with it and a dot.
func (x *scxml) ambiguous(root *state) {
	var plain, names []string
	var walk func(s *state)
	walk = func(s *state) {
		for _, t := range s.On {
			names = append(names, t.Event)
			if !strings.HasSuffix(t.Event, "*") {
				plain = append(plain, t.Event)
			}
		}
		for _, c := range s.children {
			walk(c)
		}
	}
	walk(root)
	slices.Sort(plain)
	for _, n := range slices.Compact(plain) {
		if slices.ContainsFunc(names, func(m string) bool { return strings.HasPrefix(m, n+".") }) {
			x.lose(root.id, "event "+n, "In SCXML “%s” also means every event that begins with “%s.”.", n, n)
		}
	}
}

// between reports a transition from one region of a parallel state to another.
func (x *scxml) between(s *state, targets []string) {
	around := s.parent
	for around != nil && slices.ContainsFunc(targets, func(id string) bool { return !x.byID[id].inside(around) }) {
		around = around.parent
	}
	if around != nil && around.Kind == chart.KindParallel {
		x.lose(s.id, "transition between regions", "SCXML leaves and enters “%s” with all of its regions; XState leaves only what is inside.", around.id)
	}
}

// shared reports events that both a region of a parallel state and a state
// around the regions take.
func (x *scxml) shared(s *state) {
	if s.Kind == chart.KindParallel {
		inner := []string{}
		for _, c := range s.children {
			inner = append(inner, c.events()...)
		}
		for p := s; p != nil; p = p.parent {
			for _, t := range p.On {
				if slices.ContainsFunc(inner, func(e string) bool { return e == t.Event || overlap(e, t.Event) || overlap(t.Event, e) }) {
					x.lose(s.id, "event "+t.Event, "When one region takes it and another does not, SCXML also lets “%s” take it; XState does not.", p.id)
				}
			}
		}
	}
	for _, c := range s.children {
		x.shared(c)
	}
}

// events lists what a state and those inside of it wait for.
func (s *state) events() []string {
	var out []string
	for _, t := range s.On {
		out = append(out, t.Event)
	}
	for _, c := range s.children {
		out = append(out, c.events()...)
	}
	return out
}

// overlap reports whether the descriptor with a star may mean what another
// means.
func overlap(star, other string) bool {
	prefix, ok := strings.CutSuffix(star, "*")
	return ok && strings.HasPrefix(other, prefix)
}
