package machine

import (
	"slices"

	"signalbox/engine/mutant"
)

// cancelOthers ends what could still reach a join that fires: every other
// token on its edges, and every token and live visit on the way to it (rule 3).
func (st *step) cancelOthers(c *scope, node int) error {
	m := st.m
	reach := newBits(len(m.bodies[c.body].nodes))
	for _, e := range m.in[node] {
		for i, w := range m.reach[e] {
			reach[i] |= w
		}
	}
	for _, v := range slices.Clone(c.visits) {
		if mutant.On(mutant.CancelLeavesVisits) || !reach.has(m.local[v.node]) {
			continue
		}
		if err := st.cancelVisit(c, &v, "another branch was first"); err != nil {
			return err
		}
	}
	var edges []int
	for _, e := range m.bodies[c.body].edges {
		to, n := m.Edges[e].To, len(c.tokens[m.slot[e]])
		if to == node && n > 1 || to != node && n > 0 && reach.has(m.local[to]) {
			edges = append(edges, e)
		}
	}
	if len(edges) == 0 {
		return nil
	}
	return st.emit(&TokensCanceled{Node: m.Nodes[node].Key, Scope: c.id, Edges: MakeEdges(edges)})
}

// cancelVisit ends one live visit, and what a container has opened.
func (st *step) cancelVisit(c *scope, v *visit, reason string) error {
	if v == nil {
		return nil
	}
	one := *v
	v = &one
	if err := st.cancelBodies(c, v, reason); err != nil {
		return err
	}
	if v.state == visitChart || v.state == visitWaiting {
		if err := st.cancelTasks(c, v, reason); err != nil {
			return err
		}
	}
	return st.emit(liveRef{c.id, *v}.canceled(st.m, reason))
}

// cancelBodies ends what is live in the scopes that a visit opened.
func (st *step) cancelBodies(c *scope, v *visit, reason string) error {
	if v.body == nil {
		return nil
	}
	if err := st.cancelItems(c, v, reason, -1); err != nil {
		return err
	}
	for _, o := range slices.Clone(st.s.scopes) {
		if o.up == c && o.node == v.node && o.visit == v.number {
			if err := st.cancelUnder(o, reason); err != nil {
				return err
			}
		}
	}
	return nil
}

// cancelUnder ends what is live in a scope and in those within, as far as the
// outside has to know: the scope is about to close. The scope around waits for
// tasks in flight whose effect a transaction may have to undo, and for
// compensations that have begun: they must not run twice.
func (st *step) cancelUnder(c *scope, reason string) error {
	if err := st.cancelItemsUnder(c, reason); err != nil {
		return err
	}
	type id struct{ scope, node, number int }
	kept := map[id]bool{}
	all := st.liveUnder(c, func(o *scope, v *visit, stray bool) bool {
		if stray || v.undo != nil || st.m.covered(o) && st.m.flies(v) {
			kept[id{o.id, v.node, v.number}] = true
		}
		return true
	})
	for _, r := range all {
		f := r.canceled(st.m, reason)
		if kept[id{r.scope, r.visit.node, r.visit.number}] && st.m.covered(c.up) {
			f.Attempt, f.Keeps = 0, c.up.id+1
		}
		if err := st.emit(f); err != nil {
			return err
		}
	}
	return nil
}

// flies reports whether a task is with the workers whose effect can be undone.
func (m *Machine) flies(v *visit) bool {
	return !mutant.On(mutant.FlightNotAwaited) && v.state == visitQueued && v.undo == nil && m.Nodes[v.node].Undo > 0
}

// liveRef is a live visit with its scope.
type liveRef struct {
	scope int
	visit visit
}

func (r liveRef) canceled(m *Machine, reason string) *VisitCanceled {
	f := &VisitCanceled{Node: m.Nodes[r.visit.node].Key, Scope: r.scope, Visit: r.visit.number, Reason: reason, Child: r.visit.child}
	if r.visit.state == visitQueued {
		f.Attempt = r.visit.attempt
	}
	return f
}

// liveUnder lists the live visits of a scope and of those within, the inner
// ones first, without containers.
func (st *step) liveUnder(c *scope, want func(c *scope, v *visit, stray bool) bool) []liveRef {
	var list []liveRef
	for i := len(st.s.scopes) - 1; i >= 0; i-- {
		o := st.s.scopes[i]
		if !o.within(c) {
			continue
		}
		for j := range o.visits {
			if v := &o.visits[j]; v.body == nil && want(o, v, false) {
				list = append(list, liveRef{o.id, *v})
			}
		}
		for j := range o.strays {
			if t := &o.strays[j]; want(o, &t.visit, true) {
				list = append(list, liveRef{t.scope, t.visit})
			}
		}
	}
	return list
}
