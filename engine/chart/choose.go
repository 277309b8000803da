package chart

import (
	"slices"
	"strings"
)

// Prefixes of the events that a chart sends itself, as XState names them.
const (
	initEvent  = "xstate.init"
	afterDelay = "xstate.after."
	doneState  = "xstate.done.state."
	doneTask   = "xstate.done.actor."
	errorTask  = "xstate.error.actor."
)

// matches tells whether a descriptor with a star means the event.
func matches(event, descriptor string) bool {
	if descriptor == "*" {
		return true
	}
	words, ok := strings.CutSuffix(descriptor, ".*")
	return ok && (event == words || strings.HasPrefix(event, words+"."))
}

// candidates lists the transitions of a state that name the event: those that
// name it in full first, then by the length of what they name.
func (n *node) candidates(event string) []*transition {
	var exact []*transition
	var stars []handler
	for _, h := range n.on {
		switch {
		case h.event == event:
			exact = append(exact, h.transitions...)
		case matches(event, h.event):
			stars = append(stars, h)
		}
	}
	slices.SortStableFunc(stars, func(a, b handler) int { return len(b.event) - len(a.event) })
	for _, h := range stars {
		exact = append(exact, h.transitions...)
	}
	return exact
}

// Handles reports whether any active state has a transition for an event,
// whatever its guard says.
func (c *Chart) Handles(s State, event string) bool {
	return s.Status == StatusActive && slices.ContainsFunc(c.numbers(s.Active), func(i int) bool {
		return len(c.nodes[i].candidates(event)) > 0
	})
}

// first is the first transition of a list whose guard passes.
func (s *step) first(list []*transition) *transition {
	for _, t := range list {
		if s.holds(t.guard, nil, 0) {
			return t
		}
	}
	return nil
}

// selected lists the transitions that the event takes, one for each branch of
// the active states that has one, looked for from the inside out.
func (s *step) selected(b branch) []*transition {
	var inner []*transition
	for _, child := range b.children {
		inner = append(inner, s.selected(child)...)
	}
	if len(inner) > 0 {
		return inner
	}
	if t := s.first(s.chart.nodes[b.at].candidates(s.event.Type)); t != nil {
		return []*transition{t}
	}
	return nil
}

// eventless lists the transitions that need no event.
func (s *step) eventless() []*transition {
	var list []*transition
	for _, leaf := range s.active.list {
		if !s.chart.atomic(leaf) {
			continue
		}
		for _, i := range append([]int{leaf}, s.chart.ancestors(leaf, none)...) {
			if t := s.first(s.chart.nodes[i].always); t != nil {
				if !slices.Contains(list, t) {
					list = append(list, t)
				}
				break
			}
		}
	}
	return s.compatible(list)
}

// compatible leaves out of each two transitions that would leave the same
// state the outer or later one.
func (s *step) compatible(list []*transition) []*transition {
	if len(list) < 2 {
		return list
	}
	var kept []*transition
	leaves := map[*transition]*set{}
	for _, t := range list {
		leaves[t] = s.exits([]*transition{t})
		var weaker []*transition
		beaten := false
		for _, k := range kept {
			if !leaves[t].overlaps(leaves[k]) {
				continue
			}
			if !s.chart.inside(t.source, k.source) {
				beaten = true
				break
			}
			weaker = append(weaker, k)
		}
		if beaten {
			continue
		}
		kept = slices.DeleteFunc(kept, func(k *transition) bool { return slices.Contains(weaker, k) })
		if !slices.Contains(kept, t) {
			kept = append(kept, t)
		}
	}
	return kept
}

// fallback is where a history leads before there is any.
func (c *Chart) fallback(i int) (targets []int, initial bool) {
	n := c.nodes[i]
	switch parent := c.nodes[n.parent]; {
	case len(n.fallback) > 0:
		return n.fallback, false
	case parent.kind == KindParallel:
		return []int{n.parent}, false
	default:
		return []int{parent.initial}, true
	}
}

// effective replaces histories among targets by what they stand for now.
func (s *step) effective(targets []int) *set {
	list := newSet()
	for _, t := range targets {
		switch past, ok := s.history[t]; {
		case !s.chart.history(t):
			list.add(t)
		case ok:
			for _, i := range past {
				list.add(i)
			}
		default:
			targets, _ := s.chart.fallback(t)
			for _, i := range s.effective(targets).list {
				list.add(i)
			}
		}
	}
	return list
}

// domain is the innermost state that a transition leaves untouched around
// what it changes.
func (s *step) domain(t *transition) int {
	targets := s.effective(t.targets).list
	within := !slices.ContainsFunc(targets, func(i int) bool { return i != t.source && !s.chart.inside(i, t.source) })
	if !t.reenter && within {
		return t.source
	}
	if d := s.chart.common(append(targets, t.source)); d != none || t.reenter {
		return d
	}
	return 0
}

// exits lists the states that transitions leave.
func (s *step) exits(list []*transition) *set {
	out := newSet()
	for _, t := range list {
		if len(t.targets) == 0 {
			continue
		}
		domain := s.domain(t)
		if t.reenter && t.source == domain {
			out.add(domain)
		}
		for _, i := range s.active.list {
			if s.chart.inside(i, domain) {
				out.add(i)
			}
		}
	}
	return out
}
