package chart

import (
	"slices"
)

// entry collects the states that a microstep enters.
type entry struct {
	s     *step
	enter *set
	holds map[int]bool // a state inside of it is entered
	fresh map[int]bool // begin in their initial state, so that its actions run
}

func (e *entry) add(i int) {
	e.enter.add(i)
	for p := e.s.chart.nodes[i].parent; p != none && !e.holds[p]; p = e.s.chart.nodes[p].parent {
		e.holds[p] = true
	}
}

// entries lists the states that transitions enter.
func (s *step) entries(list []*transition) *entry {
	e := &entry{s, newSet(), map[int]bool{}, map[int]bool{}}
	for _, t := range list {
		domain := s.domain(t)
		for _, i := range t.targets {
			if !s.chart.history(i) && (t.source != i || t.source != domain || t.reenter) {
				e.add(i)
				e.fresh[i] = true
			}
			e.down(i)
		}
		within := domain
		if s.chart.nodes[t.source].parent == none && t.reenter {
			within = none
		}
		for _, i := range s.effective(t.targets).list {
			around := s.chart.ancestors(i, domain)
			if domain != none && s.chart.nodes[domain].kind == KindParallel {
				around = append(around, domain)
			}
			e.up(around, within)
		}
	}
	return e
}

// down adds what becomes active inside a state.
func (e *entry) down(i int) {
	c := e.s.chart
	switch n := c.nodes[i]; n.kind {
	case KindHistory:
		past, ok := e.s.history[i]
		var initial bool
		if !ok {
			past, initial = c.fallback(i)
		}
		for _, k := range past {
			e.add(k)
			if initial {
				e.fresh[n.parent] = true
			}
			e.down(k)
		}
		for _, k := range past {
			e.up(c.ancestors(k, n.parent), none)
		}
	case KindCompound:
		if !c.history(n.initial) {
			e.add(n.initial)
			e.fresh[n.initial] = true
		}
		e.down(n.initial)
		e.up(c.ancestors(n.initial, i), none)
	case KindParallel:
		for _, k := range n.children {
			if e.holds[k] {
				continue
			}
			e.add(k)
			e.fresh[k] = true
			e.down(k)
		}
	default: // nothing stands inside
	}
}

// up adds the states around one that is entered, and the other regions of
// those that are parallel.
func (e *entry) up(around []int, within int) {
	for _, a := range around {
		if e.s.chart.inside(a, within) {
			e.add(a)
		}
		if e.s.chart.nodes[a].kind != KindParallel {
			continue
		}
		for _, k := range e.s.chart.nodes[a].children {
			if !e.holds[k] {
				e.add(k)
				e.down(k)
			}
		}
	}
}

// enter makes states active, the outer ones first.
func (s *step) enter(list []*transition, initial bool) {
	e := s.entries(list)
	if initial {
		e.fresh[0] = true
	}
	ended := map[int]bool{}
	for _, i := range slices.Sorted(slices.Values(e.enter.list)) {
		n := &s.chart.nodes[i]
		s.active.add(i)
		s.spend(20)
		s.run(n.entry, nil, 0)
		for _, v := range n.invoke {
			s.open(Open{Name: v.id}, Effect{Op: OpStart, Name: v.id, Source: v.source, Input: s.eval(v.input, nil), Event: s.event.Type})
			s.touched = true
		}
		if e.fresh[i] {
			s.run(n.initialDo, nil, 0)
		}
		if n.kind == KindFinal && s.failed == nil {
			s.end(i, ended)
		}
	}
}

// end tells the states around a final one that they are done, the root last.
func (s *step) end(i int, ended map[int]bool) {
	c, n := s.chart, &s.chart.nodes[i]
	up, last := none, i
	if n.parent != none {
		switch parent := &c.nodes[n.parent]; parent.kind {
		case KindCompound:
			s.queue = append(s.queue, s.doneEvent(n.parent, i))
			up = parent.parent
		default:
			up = n.parent
		}
	}
	if up != none {
		last = up
	}
	for up != none && c.nodes[up].kind == KindParallel && !ended[up] && c.finished(s.active, up) {
		ended[up] = true
		s.queue = append(s.queue, Event{Type: doneState + c.nodes[up].id})
		last, up = up, c.nodes[up].parent
	}
	if up != none {
		return
	}
	s.status, s.touched = StatusDone, true
	if c.nodes[0].output != nil {
		cause := s.event
		s.event = s.doneEvent(last, last)
		s.output = s.eval(c.nodes[0].output, nil)
		s.event = cause
	}
}

// doneEvent is what a state emits when a final state with an output is
// reached.
func (s *step) doneEvent(of, final int) Event {
	e := Event{Type: doneState + s.chart.nodes[of].id}
	if out := s.chart.nodes[final].output; out != nil && s.chart.nodes[final].parent != none {
		e.Data = map[string]any{"output": s.decoded(s.eval(out, nil))}
	}
	return e
}
