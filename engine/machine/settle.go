package machine

import (
	"time"

	"signalbox/engine/event"
	"signalbox/engine/mutant"
)

// Settle goes on where a log was cut, perhaps in the middle of a step, and
// returns what follows from the state alone, already folded into s. A state
// that a step has left behind is settled: nothing follows.
func (m *Machine) Settle(s *Snapshot, at time.Time) ([]Event, error) {
	if !s.alive() {
		return nil, nil
	}
	st := &step{m: m, s: s, at: at.UTC().Truncate(time.Microsecond)}
	if err := st.settle(); err != nil {
		return nil, err
	}
	if err := st.skip(); err != nil {
		return nil, err
	}
	return st.events, nil
}

// settle starts whatever can start, until nothing can, and then asks of each
// scope whether it is over. The scopes are settled by their ids: they share
// nothing but their containers.
func (st *step) settle() error {
	s := st.s
	if err := st.freed(); err != nil {
		return err
	}
	for s.alive() {
		if len(st.events) > StepEventsMax {
			return nil // the rest follows with the next Wake, which is due at once
		}
		if s.rig != nil && s.rig.reached > 0 {
			return st.stopHere()
		}
		c := s.unsettled()
		if c == nil {
			return nil
		}
		if err := st.settleScope(c); err != nil {
			return err
		}
	}
	return nil
}

// unsettled returns the first scope in which something changed.
func (s *Snapshot) unsettled() *scope {
	for _, c := range s.scopes {
		if c.dirty {
			return c
		}
	}
	return nil
}

// settleScope does the next thing in one scope; nothing to do settles it.
func (st *step) settleScope(c *scope) error {
	if st.s.paused && !mutant.On(mutant.PauseIgnored) {
		c.dirty = false
		return nil
	}
	if c.undoing {
		return st.settleUndoing(c)
	}
	if _, held := st.s.Held(); held {
		c.dirty = false
		return nil
	}
	if len(c.rounds) > 0 {
		if did, err := st.rounds(c); did || err != nil {
			return err
		}
	}
	if next, ok := st.next(c); ok {
		if held, err := st.hold(c, next); held || err != nil {
			return err
		}
		return st.visit(c, next)
	}
	if did, err := st.deliver(c); did || err != nil {
		return err
	}
	if did, err := st.tend(c); did || err != nil {
		return err
	}
	if did, err := st.endCharts(c); did || err != nil {
		return err
	}
	if did, err := st.advance(c); did || err != nil {
		return err
	}
	if st.starved(c) >= 0 {
		return st.fails(c, st.unsatisfied(c))
	}
	if st.quiet(c) {
		return st.finish(c)
	}
	c.dirty = false
	return nil
}

// quiet reports whether nothing can happen in the scope any more (rule 6). A
// round may still be open: joins that wait for each other can keep it so.
func (st *step) quiet(c *scope) bool {
	if len(c.visits) > 0 {
		return false
	}
	for _, n := range st.m.bodies[c.body].late {
		if c.heads[st.m.local[n]] > 0 && c.round(n) == nil && st.s.rig.wants(n) {
			return false
		}
	}
	return true
}

// finish ends a quiet scope: without tokens in success, with tokens because
// joins wait for ever (rule 6).
func (st *step) finish(c *scope) error {
	if st.left(c) > 0 {
		return st.fails(c, st.unsatisfied(c))
	}
	if c.up == nil && st.s.rig != nil && st.s.rig.stop > 0 {
		return st.stopHere() // no way led there
	}
	results, keyed := st.outcome(c)
	if c.up == nil {
		return st.emit(&RunSucceeded{Results: results, Keyed: keyed})
	}
	return st.emit(&BodyCompleted{
		Node: st.m.Nodes[c.node].Key, Scope: c.up.id, Visit: c.visit, Index: c.index,
		Closes: c.id, Results: results, Keyed: keyed,
	})
}

// resultsMax is how many results one event names, so that it stays below its
// limit. With more, the result is read from the state alone.
const resultsMax = 150

// outcome names the result of a scope: the latest value of an output node;
// without one, that of the only node where tokens ended; of several, an object
// by node.
func (st *step) outcome(c *scope) (results []ResultRef, keyed bool) {
	latest, ended := ResultRef{}, []ResultRef{}
	for at, n := range st.m.bodies[c.body].nodes {
		ref := ResultRef{Node: st.m.Nodes[n].Key, Seq: c.outputs[at].seq}
		if st.m.Nodes[n].Op == OpOutput && ref.Seq > latest.Seq {
			latest = ref
		}
		if c.ends[at] > 0 {
			ended = append(ended, ref)
		}
	}
	switch {
	case latest.Seq > 0:
		return []ResultRef{latest}, false
	case len(ended) <= 1:
		return ended, false
	case len(ended) > resultsMax:
		return []ResultRef{}, true
	default:
		return ended, true
	}
}

// fails lets an error go up from a scope (rule 5): what is live in it ends, or
// what it completed is undone first; then its container fails, or the run, whose
// end itself withdraws the tasks.
func (st *step) fails(c *scope, err event.Error) error {
	if !c.undoing && st.undoable(c) {
		return st.compensate(c, &CompensationStarted{Scope: c.id, Error: err})
	}
	if c.up == nil {
		if e := st.cancelCalls(); e != nil {
			return e
		}
		if c.undoing {
			return st.emit(&RunCompensated{Error: err})
		}
		return st.emit(&RunFailed{Error: err})
	}
	if e := st.cancelUnder(c, "the scope failed"); e != nil {
		return e
	}
	return st.bodyFails(c, err)
}

// WakeAt is when the run next wants a Wake; zero is never. A state that was
// folded from a log and not settled since wants one at once: the last step may
// have stopped half-way.
func (m *Machine) WakeAt(s *Snapshot) time.Time {
	if !s.alive() {
		return time.Time{}
	}
	if s.unsettled() != nil || m.skips(s) {
		return s.last
	}
	return m.timerAt(s)
}

// timerAt is when the next timer is due; zero is never.
func (m *Machine) timerAt(s *Snapshot) time.Time {
	if _, held := s.Held(); held {
		return time.Time{}
	}
	var at time.Time
	sooner := func(t time.Time) {
		if !t.IsZero() && (at.IsZero() || t.Before(at)) {
			at = t
		}
	}
	s.eachVisit(func(_ int, v *visit) bool {
		if !(s.paused && v.state == visitBackoff) {
			sooner(v.due)
		}
		sooner(v.ends())
		return true
	})
	if s.paused {
		return at
	}
	for _, c := range s.scopes {
		for _, n := range m.bodies[c.body].late {
			if c.round(n) == nil && s.rig.wants(n) {
				sooner(m.deadline(c, n))
			}
		}
	}
	return at
}
