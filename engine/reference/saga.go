package reference

import (
	"cmp"
	"maps"
	"slices"

	"signalbox/engine/graph"
)

// saga is what a scope keeps so that it can be undone.
type saga struct {
	pivoted bool              // past the point of no return
	strays  []*visit          // canceled, with a task that may still have an effect
	done    []effect          // what completed in it, and in the scopes that were in it
	undoing bool              // it failed, and is being undone
	why     *Error            // the failure
	running map[*visit]effect // compensations, its own and those of scopes that were in it
}

// effect is a completed visit that has a compensation.
type effect struct {
	undo   graph.Node
	where  *scope // where the visit was
	input  any
	output any
	order  int  // of completion
	owed   bool // a transaction would undo it
}

// compensation is the node drawn on the compensate handle of another.
func (d drawing) compensation(id string) (graph.Node, bool) {
	for _, e := range d.g.Edges {
		if e.From == id && e.Port == graph.PortCompensate {
			return d.node(e.To), true
		}
	}
	return graph.Node{}, false
}

// transaction reports whether a scope is a saga of its own.
func (w *world) transaction(s *scope) bool {
	if s.of == nil {
		return w.drawing.g.Transaction
	}
	return s.of.node.Kind == "group" && s.of.body.config["transaction"] == true
}

// nearest is the transaction that a scope belongs to, if any.
func (w *world) nearest(s *scope) *scope {
	for ; s != nil; s = s.parent {
		if w.transaction(s) {
			return s
		}
	}
	return nil
}

// covered reports whether what completes in a scope would be undone: it
// belongs to a transaction that is not past its point of no return.
func (w *world) covered(s *scope) bool {
	t := w.nearest(s)
	return t != nil && !t.pivoted
}

// remember keeps a visit that completed in case it must be undone. A pivot is
// the point of no return: what its transaction did stays.
func (w *world) remember(v *visit, s *scope, output any) {
	if undo, has := w.drawing.compensation(v.node.ID); has {
		w.tick++
		s.done = append(s.done, effect{undo, v.scope, v.input, output, w.tick, w.covered(s)})
	}
	t := w.nearest(s)
	if !v.node.Pivot || t == nil {
		return
	}
	t.pivoted = true
	for _, o := range w.within(t) {
		for i := range o.done {
			o.done[i].owed = false
		}
	}
}

// within lists a scope and all scopes in it.
func (w *world) within(s *scope) []*scope {
	var list []*scope
	for _, o := range w.scopes {
		for up := o; up != nil; up = up.parent {
			if up == s {
				list = append(list, o)
			}
		}
	}
	return list
}

// handUp leaves to the scope around what could still be undone in one that
// closes.
func (w *world) handUp(s *scope) {
	if s.parent == nil {
		return
	}
	for _, v := range slices.Clone(s.strays) {
		if w.covered(s.parent) {
			w.keep(v, s.parent)
		} else {
			w.agenda = slices.DeleteFunc(w.agenda, func(a appointment) bool { return a.visit == v })
		}
	}
	for v := range maps.Clone(s.running) {
		if w.covered(s.parent) {
			w.adopt(v, s.parent)
		} else {
			w.agenda = slices.DeleteFunc(w.agenda, func(a appointment) bool { return a.visit == v })
		}
	}
	for _, e := range s.effects() {
		e.owed = w.covered(s.parent)
		s.parent.done = append(s.parent.done, e)
	}
	slices.SortFunc(s.parent.done, func(a, b effect) int { return cmp.Compare(a.order, b.order) })
}

// adopt lets another scope wait for the end of a compensation that has begun:
// it must not run twice.
func (w *world) adopt(v *visit, owner *scope) {
	v.scope.live = slices.DeleteFunc(v.scope.live, func(other *visit) bool { return other == v })
	holder := v.holder()
	if owner.running == nil {
		owner.running = map[*visit]effect{}
	}
	owner.running[v] = holder.running[v]
	if holder != owner {
		delete(holder.running, v)
	}
	v.stray = owner
}

// holder is the scope that waits for a compensation.
func (v *visit) holder() *scope {
	if v.stray != nil {
		return v.stray
	}
	return v.scope
}

// effects lists what a scope has done and not undone.
func (s *saga) effects() []effect {
	list := slices.Clone(s.done)
	for _, e := range s.running {
		list = append(list, e)
	}
	return list
}

// cancel ends a live visit of a scope that closes. When its task may have an
// effect that a transaction would have to undo, the scope around waits for it.
func (w *world) cancel(v *visit) {
	if s := v.scope; v.undoes && s.parent != nil && w.covered(s.parent) {
		w.adopt(v, s.parent)
		return
	}
	if s := v.scope; s.parent != nil && w.flies(s, v, false) && w.covered(s.parent) {
		w.keep(v, s.parent)
		return
	}
	w.forget(v)
}

// keep takes a visit out of the live ones, but for the result of its task, for
// which its time still counts.
func (w *world) keep(v *visit, owner *scope) {
	v.scope.live = slices.DeleteFunc(v.scope.live, func(other *visit) bool { return other == v })
	w.agenda = slices.DeleteFunc(w.agenda, func(a appointment) bool { return a.visit == v && a.why != result && a.why != timeIsUp })
	if v.stray != nil {
		v.stray.strays = slices.DeleteFunc(v.stray.strays, func(other *visit) bool { return other == v })
	}
	v.stray = owner
	owner.strays = append(owner.strays, v)
}

// compensate begins to undo a scope that failed, if it is a transaction, or
// transactions are open in it, and there is something to undo. In a scope of a
// transaction around it that one decides, when the error gets there. What is
// live is canceled; tasks in flight whose effect may happen are waited for.
func (w *world) compensate(s *scope, err *Error) bool {
	if t := w.nearest(s); s.undoing || t != nil && t != s {
		return false
	}
	return w.turn(s, err, false)
}

// turn lets a scope undo what was done in it; all: also what no transaction
// covers, and even when there is nothing.
func (w *world) turn(s *scope, err *Error, all bool) bool {
	var owed []effect
	var flying, running []*visit
	for _, o := range w.within(s) {
		owed = append(owed, slices.DeleteFunc(slices.Clone(o.done), func(e effect) bool { return !e.owed && !all })...)
		running = slices.AppendSeq(running, maps.Keys(o.running))
		flying = append(flying, o.strays...)
		flying = append(flying, slices.DeleteFunc(slices.Clone(o.live), func(v *visit) bool { return !w.flies(o, v, all) })...)
	}
	if !all && len(owed) == 0 && len(flying) == 0 && len(running) == 0 {
		return false
	}
	for _, v := range running {
		w.adopt(v, s)
	}
	for _, v := range flying {
		w.keep(v, s)
	}
	for _, v := range slices.Clone(s.live) {
		w.forget(v)
	}
	slices.SortFunc(owed, func(a, b effect) int { return cmp.Compare(a.order, b.order) })
	s.tokens, s.rounds = nil, map[string]round{}
	s.done, s.strays = owed, flying
	s.undoing, s.why = true, err
	return true
}

// flies reports whether a task is with a worker whose effect would have to be
// undone.
func (w *world) flies(s *scope, v *visit, all bool) bool {
	_, has := w.drawing.compensation(v.node.ID)
	return has && (all || w.covered(s)) && slices.ContainsFunc(w.agenda, func(a appointment) bool { return a.visit == v && a.why == result })
}

// undo does the next thing of a compensation: once nothing is in flight, the
// completed visits are undone, the latest first, one after the other or all at
// once. Then the failure goes up.
func (w *world) undo(s *scope) bool {
	switch {
	case len(s.strays) > 0 || len(s.running) > 0:
		return false
	case len(s.done) == 0:
		w.goUp(s, s.why, StatusCompensated)
		return true
	}
	n := 1
	if s.of != nil && s.of.body.config["compensate"] == "parallel" {
		n = len(s.done)
	}
	for range n {
		last := s.done[len(s.done)-1]
		s.done = s.done[:len(s.done)-1]
		v := w.begin(s, last.undo, map[string]any{"input": last.input, "output": last.output}, map[string]any{})
		v.undoes, v.about = true, last.where
		if s.running == nil {
			s.running = map[*visit]effect{}
		}
		s.running[v] = last
		w.bound(v)
		w.attempt(v)
	}
	return true
}

// sagaAttempted takes the result of a task that is in flight, or that undoes.
func (w *world) sagaAttempted(v *visit, o Outcome) {
	if !v.undoes {
		err := o.Error
		if err == nil {
			w.report.Visits[v.record].Ports, w.report.Visits[v.record].Output = []string{"success"}, o.Output
			w.remember(v, v.stray, o.Output)
		}
		w.lost(v, err)
		return
	}
	if o.Error == nil {
		delete(v.holder().running, v)
		w.forget(v)
		w.report.Visits[v.record].Output = o.Output
		return
	}
	err := *o.Error
	err.Node, err.Attempts = v.node.Key, v.attempt
	if v.attempt >= attempts(v.node) || !w.again(v, &err) {
		w.undoFailed(v, &err)
	}
}

// undoFailed ends a compensation for good: a person decides, unless the scope
// that waits for it goes on; there it is owed again.
func (w *world) undoFailed(v *visit, err *Error) {
	s := v.holder()
	w.report.Visits[v.record].Error = err
	w.forget(v)
	if s.undoing {
		w.report.Status, w.report.Error = StatusNeedsAttention, err
		w.over, w.halted = w.parent == nil, true
		return
	}
	e := s.running[v]
	delete(s.running, v)
	e.owed = w.covered(s)
	s.done = append(s.done, e)
	slices.SortFunc(s.done, func(a, b effect) int { return cmp.Compare(a.order, b.order) })
}

// lost ends the waiting for a task whose visit was canceled.
func (w *world) lost(v *visit, err *Error) {
	v.stray.strays = slices.DeleteFunc(v.stray.strays, func(other *visit) bool { return other == v })
	w.agenda = slices.DeleteFunc(w.agenda, func(a appointment) bool { return a.visit == v })
	if err != nil {
		w.report.Visits[v.record].Error = &Error{Class: err.Class, Message: err.Message, Node: v.node.Key, Attempts: v.attempt}
	}
}
