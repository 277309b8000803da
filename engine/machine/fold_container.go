package machine

import (
	"fmt"
	"time"
)

// foldContainer folds what happens to a container and its bodies.
func (m *Machine) foldContainer(s *Snapshot, f Fact) error {
	switch f := f.(type) {
	case *ContainerStarted:
		c, n, in, err := m.begin(s, VisitRef{f.Scope, f.Node, f.Visit}, f.Took)
		if err != nil {
			return err
		}
		v := visit{node: n, number: f.Visit, state: visitOpen, attempt: 1, input: in, since: s.last, body: &progress{count: f.Count}}
		switch {
		case f.Runs:
			v.body.crowd = newCrowd(f.Items, f.Around, f.Count)
		case !f.Items.IsZero():
			v.body.items = s.box(f.Items)
		}
		if d := m.Nodes[n].Timeout; d > 0 {
			v.limit = s.last.Add(d)
		}
		c.add(m, v)
	case *BodyStarted:
		return m.foldBody(s, f)
	case *BodyCompleted:
		return m.foldBodyCompleted(s, f)
	case *BodyFailed:
		return m.foldBodyFailed(s, f)
	case *ContainerCompleted:
		return m.foldEnd(s, VisitRef{f.Scope, f.Node, f.Visit}, f.Port, func(v *visit) *box {
			if !f.Output.IsZero() {
				return s.box(f.Output)
			}
			return m.containerBox(v)
		})
	}
	return nil
}

// container finds the live visit of a container.
func (m *Machine) container(s *Snapshot, scope int, key string, number int) (*visit, error) {
	v := m.live(s, scope, key, number)
	if v == nil || v.body == nil {
		return nil, fmt.Errorf("container %s has no visit %d that is open", key, number)
	}
	return v, nil
}

func (m *Machine) foldBody(s *Snapshot, f *BodyStarted) error {
	v, err := m.container(s, f.Scope, f.Node, f.Visit)
	if err != nil {
		return err
	}
	if f.Opens != s.opened+1 {
		return fmt.Errorf("scope %d follows scope %d", f.Opens, s.opened)
	}
	s.opened++
	p, up := v.body, s.scope(f.Scope)
	v.state, v.due = visitOpen, time.Time{}
	p.next, p.open = f.Index+1, p.open+1
	c := m.open(v.node+1, f.Opens)
	c.up, c.node, c.visit, c.index, c.dirty = up, v.node, v.number, f.Index, true
	c.tx = m.transaction(c) || up.tx
	up.dirty = true // a map opens the next items too, also when a timer let it begin anew
	switch {
	case p.items != nil:
		c.item = &box{of: p.items, at: f.Index}
	case f.Index > 0:
		c.item = p.last
	default:
		c.item = v.input
	}
	m.enter(s, c)
	s.scopes = append(s.scopes, c)
	return nil
}

// transaction reports whether a scope is a saga of its own.
func (m *Machine) transaction(c *scope) bool {
	if c.body == 0 {
		return m.Transaction
	}
	return m.links[c.body-1].box.Transaction
}

// covered reports whether what completes in a scope would be undone.
func (m *Machine) covered(c *scope) bool {
	for ; c != nil; c = c.up {
		if m.transaction(c) {
			return !c.pivoted
		}
	}
	return false
}

func (m *Machine) foldBodyCompleted(s *Snapshot, f *BodyCompleted) error {
	v, err := m.container(s, f.Scope, f.Node, f.Visit)
	if err != nil {
		return err
	}
	c := s.scope(f.Closes)
	if c == nil {
		return fmt.Errorf("scope %d is not open", f.Closes)
	}
	p := v.body
	p.open--
	p.last = m.resultBox(c, f.Results, f.Keyed)
	if len(m.bodies[c.body].nodes) == 0 {
		p.last = c.item // nothing stands in the container: it gives its input back
	}
	if p.last == nil {
		p.last = &box{}
	}
	if p.items != nil {
		p.keep(f.Index, p.last)
		p.last = nil
	}
	m.handUp(s, c)
	return nil
}

// keep stores the result of an item.
func (p *progress) keep(index int, b *box) {
	if p.results == nil {
		p.results, p.kept = make([]*box, p.count), make([]bool, p.count)
	}
	p.results[index], p.kept[index] = b, true
}

// handUp closes a scope. What it completed can still be undone by the
// transaction around it.
func (m *Machine) handUp(s *Snapshot, c *scope) {
	m.bequeath(s, c.up, func(o *scope) bool { return o.within(c) })
	c.up.dirty = true
	s.closeScope(c)
}

func (m *Machine) foldBodyFailed(s *Snapshot, f *BodyFailed) error {
	v, err := m.container(s, f.Scope, f.Node, f.Visit)
	if err != nil {
		return err
	}
	c, up := s.scope(f.Closes), s.scope(f.Scope)
	if c == nil || up == nil {
		return fmt.Errorf("scope %d is not open", f.Closes)
	}
	p := v.body
	p.open--
	p.failed++
	if f.Kept == "collect" {
		p.keep(f.Index, boxError(f.Error))
	}
	if c.undoing {
		p.undoing--
		c.done = nil
	}
	m.handUp(s, c)
	if !f.RetryAt.IsZero() {
		m.closeUnder(s, up, v.node, v.number)
		v.state, v.due, v.attempt = visitBackoff, f.RetryAt, v.attempt+1
		*p = progress{count: p.count, items: p.items}
	}
	s.restate()
	return nil
}

// containerBox is what a container gives: the last result, or of a map the
// list of all in the order of the items.
func (m *Machine) containerBox(v *visit) *box {
	p := v.body
	if p.items == nil {
		if p.last == nil {
			return v.input // a loop that never ran
		}
		return p.last
	}
	list := make([]*box, 0, p.count)
	for i, b := range p.results {
		if p.kept[i] {
			list = append(list, b)
		}
	}
	return &box{list: list}
}
