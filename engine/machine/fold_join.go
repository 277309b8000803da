package machine

import (
	"fmt"
	"slices"
)

// foldJoin folds what a join does beside its visit, and what ends a visit from
// outside.
func (m *Machine) foldJoin(s *Snapshot, f Fact) error {
	switch f := f.(type) {
	case *VisitCanceled:
		return m.foldCanceled(s, f)
	case *TokensCanceled:
		return m.foldTokensCanceled(s, f)
	case *RoundOpened:
		c, n, err := m.where(s, f.Scope, f.Node)
		if err != nil {
			return err
		}
		gave, err := f.Gave.List()
		if err != nil {
			return err
		}
		c.rounds = append(c.rounds, round{n, gave})
	case *TokensAbsorbed:
		return m.foldAbsorbed(s, f)
	case *RoundClosed:
		c, n, err := m.where(s, f.Scope, f.Node)
		if err != nil {
			return err
		}
		c.rounds = slices.DeleteFunc(c.rounds, func(r round) bool { return r.node == n })
		c.dirty = true
	}
	return nil
}

func (m *Machine) foldCanceled(s *Snapshot, f *VisitCanceled) error {
	n := m.Index(f.Node)
	keeper := s.scope(f.Keeps - 1)
	if c, i := s.stray(f.Scope, n, f.Visit); c != nil {
		if keeper != nil {
			keeper.strays = append(keeper.strays, c.strays[i])
		} else if d := c.strays[i].visit.undo; d != nil {
			d.state = undoOwed
		}
		c.strays = slices.Delete(c.strays, i, i+1)
		c.dirty = true
		return nil
	}
	c := s.scope(f.Scope)
	if c == nil || n < 0 || c.find(n, f.Visit) < 0 {
		return fmt.Errorf("%s has no visit %d that could be canceled", f.Node, f.Visit)
	}
	v := c.drop(m, s, c.find(n, f.Visit))
	switch {
	case v.serves != nil:
		c.withdrawn(v)
	case v.undo != nil && keeper == nil:
		v.undo.state = undoOwed
	case v.undo == nil:
		v.due = s.last.Add(m.Nodes[n].Timeout) // it is not tried again
	}
	if keeper != nil {
		keeper.strays = append(keeper.strays, stray{f.Scope, v, m.around(c)})
	}
	return nil
}

func (m *Machine) foldTokensCanceled(s *Snapshot, f *TokensCanceled) error {
	c, n, err := m.where(s, f.Scope, f.Node)
	if err != nil {
		return err
	}
	list, err := f.Edges.List()
	if err != nil {
		return err
	}
	for _, e := range list {
		if e < 0 || e >= len(m.Edges) {
			return fmt.Errorf("there is no edge %d", e)
		}
		q := &c.tokens[m.slot[e]]
		if m.Edges[e].To == n {
			*q = (*q)[:min(1, len(*q))]
			continue
		}
		if len(*q) > 0 {
			*q = nil
			c.head(m.local[m.Edges[e].To], -1)
		}
	}
	c.dirty = true
	return nil
}

func (m *Machine) foldAbsorbed(s *Snapshot, f *TokensAbsorbed) error {
	c, n, err := m.where(s, f.Scope, f.Node)
	if err != nil {
		return err
	}
	r := c.round(n)
	if r == nil {
		return fmt.Errorf("%s has no open round", f.Node)
	}
	list, err := f.Took.List()
	if err != nil {
		return err
	}
	for _, e := range list {
		if err := m.pop(c, n, e); err != nil {
			return err
		}
		r.gave = append(r.gave, e)
	}
	slices.Sort(r.gave)
	c.dirty = true
	return nil
}
