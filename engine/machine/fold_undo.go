package machine

import (
	"cmp"
	"fmt"
	"slices"
)

// foldUndo folds the course of a compensation.
func (m *Machine) foldUndo(s *Snapshot, f Fact) error {
	switch f := f.(type) {
	case *CompensationStarted:
		if err := m.foldCompensation(s, f); err != nil {
			return err
		}
	case *CompensationCompleted:
	case *AttentionNeeded:
		c, d := m.undoOf(s, f.Undoes)
		if d == nil {
			return fmt.Errorf("%s undoes what is not to be undone", f.Node)
		}
		d.state, c.dirty = undoFailed, true
		s.trouble = append(s.trouble, trouble{VisitRef{f.Scope, f.Node, f.Visit}, f.Undoes, d, f.Error})
	case *AttentionResolved:
		c, d := m.undoOf(s, f.Undoes)
		if d == nil {
			return fmt.Errorf("nothing is to be decided about visit %d of %s", f.Visit, f.Node)
		}
		s.trouble = slices.DeleteFunc(s.trouble, func(t trouble) bool { return t.of == d })
		d.state, c.dirty = undoOver, true
		if f.Action == ActionRetry {
			d.state = undoOwed
		}
	}
	s.restate()
	return nil
}

// undoOf finds what a compensation undoes, and the scope that has to see to it.
func (m *Machine) undoOf(s *Snapshot, v VisitRef) (*scope, *done) {
	n := m.Index(v.Node)
	for _, c := range s.scopes {
		for _, d := range c.done {
			if d.scope == v.Scope && d.node == n && d.visit == v.Visit {
				return c, d
			}
		}
	}
	return nil, nil
}

// foldCompensation turns a scope around: nothing in it goes on, what can be
// undone is listed, tasks in flight are kept apart until they end, and so are
// compensations that a scope within has begun.
func (m *Machine) foldCompensation(s *Snapshot, f *CompensationStarted) error {
	c := s.scope(f.Scope)
	if c == nil {
		return fmt.Errorf("scope %d is not open", f.Scope)
	}
	var all []*done
	for _, o := range s.scopes {
		if !o.within(c) {
			continue
		}
		for _, d := range o.done {
			if f.All || d.tx || d.state == undoBusy || d.state == undoFailed {
				all = append(all, d)
			}
		}
		if o != c {
			c.strays, o.strays, o.done = append(c.strays, o.strays...), nil, nil
		}
		for _, v := range o.visits {
			if m.flies(&v) {
				v.due = s.last.Add(m.Nodes[v.node].Timeout)
			} else if v.undo == nil {
				continue
			}
			c.strays = append(c.strays, stray{o.id, v, m.around(o)})
		}
	}
	slices.SortStableFunc(all, func(a, b *done) int { return cmp.Compare(a.seq, b.seq) })
	for i := range c.visits { // their bodies close
		if c.visits[i].state == visitOpen {
			m.closeUnder(s, c, c.visits[i].node, c.visits[i].number)
		}
	}
	c.done, c.visits, c.starts, c.rounds = all, nil, nil, nil
	for i := range c.tokens {
		c.tokens[i] = nil
	}
	clear(c.busy)
	clear(c.heads)
	clear(c.liveBits)
	clear(c.headBits)
	c.undoing, c.cause, c.dirty = true, f.Error, true
	if c.up != nil {
		c.up.visits[c.up.find(c.node, c.visit)].body.undoing++
	}
	c.undone = map[int]int{}
	return nil
}

// foldUndoes begins the visit of a compensation.
func (m *Machine) foldUndoes(s *Snapshot, f *TaskScheduled) error {
	c, n, err := m.where(s, f.Scope, f.Node)
	if err != nil {
		return err
	}
	target := m.Index(f.Undoes.Node)
	at := slices.IndexFunc(c.done, func(d *done) bool {
		return d.scope == f.Undoes.Scope && d.node == target && d.visit == f.Undoes.Visit
	})
	if at < 0 || !c.undoing || f.Visit != c.undone[n]+1 {
		return fmt.Errorf("%s undoes what is not to be undone", f.Node)
	}
	c.undone[n]++
	d := c.done[at]
	d.state = undoBusy
	v := m.queued(s, n, f, undoInput(d))
	v.undo = d
	c.add(m, v)
	return nil
}

// undoInput is what a compensation gets.
func undoInput(d *done) *box {
	return &box{parts: []part{{"input", d.input}, {"output", d.output}}}
}

// restate derives the status of a run that is alive.
func (s *Snapshot) restate() {
	if !s.alive() {
		return
	}
	s.Status = StatusRunning
	for _, c := range s.scopes {
		if c.undoing {
			s.Status = StatusCompensating
		}
	}
	if len(s.trouble) > 0 {
		s.Status = StatusAttention
	}
}
