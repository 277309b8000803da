package machine

import "fmt"

// foldRig folds how a test run is controlled.
func (m *Machine) foldRig(s *Snapshot, f Fact) error {
	r := s.arranged(m)
	switch f := f.(type) {
	case *TestArranged:
		return m.foldArranged(r, f)
	case *OutputPinned:
		return m.foldPin(s, f)
	case *ClockMoved:
		r.ahead, r.until = f.Ahead, f.Until
		if f.ID != "" {
			r.moved = f.ID
		}
	case *VisitHeld:
		if _, _, err := m.where(s, f.Scope, f.Node); err != nil {
			return err
		}
		r.held = &VisitRef{f.Scope, f.Node, f.Visit}
	case *VisitReleased:
		v := VisitRef{f.Scope, f.Node, f.Visit}
		if r.held == nil || *r.held != v {
			return fmt.Errorf("visit %d of %s is not held", f.Visit, f.Node)
		}
		r.held, r.passed, r.edited = nil, v, nil
		if !f.Input.IsZero() {
			r.edited = s.box(f.Input)
		}
		if r.virtual {
			r.ahead = f.Ahead
		}
		if f.How != HowGone {
			r.step = f.How == HowStep
		}
		for _, c := range s.scopes {
			c.dirty = true
		}
	}
	return nil
}

func (m *Machine) foldArranged(r *rig, f *TestArranged) error {
	r.virtual, r.skip, r.step = f.Virtual, f.Skip, f.Step
	r.breaks = newBits(len(m.Nodes))
	for _, key := range f.Breaks {
		i := m.Index(key)
		if i < 0 {
			return fmt.Errorf("there is no node %q", key)
		}
		r.breaks.add(i)
	}
	if f.Stop == "" || r.stop > 0 {
		return nil
	}
	i := m.Index(f.Stop)
	if i < 0 {
		return fmt.Errorf("there is no node %q", f.Stop)
	}
	r.stop, r.wanted = i+1, m.leads(i)
	return nil
}

// foldPin keeps what stands in for a node. Where only one node runs, the
// others have put theirs out already.
func (m *Machine) foldPin(s *Snapshot, f *OutputPinned) error {
	i := m.Index(f.Node)
	if i < 0 {
		return fmt.Errorf("there is no node %q", f.Node)
	}
	if s.rig.pins == nil {
		s.rig.pins = make([]*box, len(m.Nodes))
	}
	b := s.box(f.Output)
	if s.rig.only {
		if m.Nodes[i].In == 0 {
			s.scopes[0].outputs[m.local[i]] = output{s.Seq, b}
		}
		return nil
	}
	s.rig.pins[i] = b
	return nil
}

// foldOnly begins a run of one node by itself.
func (m *Machine) foldOnly(s *Snapshot, f *RunStarted) error {
	i := m.Index(f.Only)
	if i < 0 || m.Nodes[i].In != 0 {
		return fmt.Errorf("there is no node %q in the run's own scope", f.Only)
	}
	r, c := s.arranged(m), s.scopes[0]
	r.only, r.stop, r.wanted = true, i+1, newBits(len(m.Nodes))
	for n := range m.Nodes {
		in := n
		for in >= 0 && in != i {
			in = m.Nodes[in].In - 1
		}
		if in == i {
			r.wanted.add(n) // it, and what stands in it
		}
	}
	c.outputs[m.local[s.trigger]] = output{s.Seq, s.began}
	c.item = s.box(f.Given)
	s.arrived++
	c.starts = append(c.starts, start{node: i, arrival: s.arrived})
	c.head(m.local[i], 1)
	c.dirty = true
	return nil
}
