package machine

import (
	"slices"

	"signalbox/engine/event"
	"signalbox/engine/mutant"
)

// What a person can do about a compensation that failed.
const (
	ActionRetry    = "retry"
	ActionSkip     = "skip"     // leave the effect as it is
	ActionComplete = "complete" // it was undone by hand
)

// undoable reports whether the scope's failure has to undo something first: it
// is a transaction, or one is open in it, in which visits completed or are with
// the workers.
func (st *step) undoable(c *scope) bool {
	if c.tx && !st.m.transaction(c) {
		return false // the transaction around it decides, if the error gets there
	}
	for _, o := range st.s.scopes {
		if !o.within(c) || !o.tx && !o.hasTx() {
			continue
		}
		if o.hasTx() || st.m.covered(o) && st.undoableTask(o) || len(o.strays) > 0 {
			return true
		}
	}
	return false
}

func (c *scope) hasTx() bool {
	for i := range c.done {
		if c.done[i].tx {
			return true
		}
	}
	return false
}

// undoableTask reports whether a task in flight could be undone.
func (st *step) undoableTask(c *scope) bool {
	for i := range c.visits {
		if v := &c.visits[i]; st.m.flies(v) {
			return true
		}
	}
	return false
}

// compensate turns a scope around: what is live in it ends, but for tasks whose
// effect may have happened and for compensations that have begun.
func (st *step) compensate(c *scope, f *CompensationStarted) error {
	if err := st.cancelItemsUnder(c, "what was done is undone"); err != nil {
		return err
	}
	ends := func(o *scope, v *visit, stray bool) bool {
		stays := st.m.flies(v) && (f.All || st.m.covered(o))
		return !stays && !stray && v.undo == nil
	}
	for _, r := range st.liveUnder(c, ends) {
		if err := st.emit(r.canceled(st.m, "what was done is undone")); err != nil {
			return err
		}
	}
	return st.emit(f)
}

// settleUndoing does the next thing in a scope that compensates: it waits for
// tasks in flight, undoes what completed, the latest first, and lets the error
// go up.
func (st *step) settleUndoing(c *scope) error {
	if len(c.strays) > 0 {
		c.dirty = false
		return nil
	}
	held := len(c.visits) > 0
	for i := range c.done {
		held = held || c.done[i].state == undoFailed
	}
	parallel := c.body > 0 && st.m.links[c.body-1].box.Compensate == "parallel"
	for i := len(c.done) - 1; i >= 0; i-- {
		if mutant.On(mutant.UndoForward) && slices.ContainsFunc(c.done[:i], func(d *done) bool { return d.state == undoOwed }) {
			continue
		}
		if c.done[i].state != undoOwed {
			continue
		}
		if held && !parallel {
			break
		}
		return st.undo(c, i)
	}
	if held {
		c.dirty = false
		return nil
	}
	if err := st.emit(&CompensationCompleted{Scope: c.id, Undone: len(c.done)}); err != nil {
		return err
	}
	return st.fails(c, c.cause)
}

// undo starts the compensation of one completed visit.
func (st *step) undo(c *scope, at int) error {
	d := c.done[at]
	n := st.m.Nodes[d.node].Undo - 1
	node := &st.m.Nodes[n]
	undoes := VisitRef{d.scope, st.m.Nodes[d.node].Key, d.visit}
	sc := &view{m: st.m, s: st.s, c: c, node: n, input: undoInput(d), about: &d.about}
	id := visitID{scope: c.id, number: c.undone[n] + 1}
	fact, err := st.schedule(node, &st.m.links[n], sc, id)
	if err == nil {
		err = sc.err
	}
	if err != nil {
		return st.emit(&AttentionNeeded{Node: node.Key, Scope: c.id, Visit: id.number, Undoes: undoes, Error: failure(err, node.Key)})
	}
	fact.Undoes = &undoes
	return st.emit(fact)
}

// undoFails stops a compensation that failed for good: a person decides. When
// the scope that began it is gone, and the one that waits for it now goes on, it
// is owed there.
func (st *step) undoFails(c *scope, v visit, f *TaskFailed) error {
	d := v.undo
	if e := st.emit(&NodeFailed{Node: f.Node, Scope: f.Scope, Visit: f.Visit, Error: f.Error}); e != nil || !c.undoing {
		return e
	}
	undoes := VisitRef{d.scope, st.m.Nodes[d.node].Key, d.visit}
	return st.emit(&AttentionNeeded{Node: f.Node, Scope: f.Scope, Visit: f.Visit, Undoes: undoes, Error: f.Error})
}

// rollBack undoes the whole run because a person wants it.
func (st *step) rollBack(in RollBack) error {
	root := st.s.scopes[0]
	if !st.s.alive() || root.undoing {
		return nil
	}
	err := tidy(event.Error{Class: "rolled_back", Message: "rolled back by " + in.By}, "", 0)
	return st.compensate(root, &CompensationStarted{Error: err, All: true, By: in.By})
}

// resolve takes a person's decision about a compensation that failed.
func (st *step) resolve(in Resolve) error {
	for _, t := range st.s.trouble {
		if t.visit.Scope == in.Scope && t.visit.Node == in.Node && t.visit.Visit == in.Visit {
			return st.emit(&AttentionResolved{Node: in.Node, Scope: in.Scope, Visit: in.Visit, Undoes: t.undoes, Action: in.Action, By: in.By})
		}
	}
	return nil
}
