package machine

import (
	"fmt"
	"slices"
	"time"

	"signalbox/engine/event"
)

// foldItems folds what happens to items that are runs.
func (m *Machine) foldItems(s *Snapshot, f Fact) error {
	switch f := f.(type) {
	case *ItemsStarted:
		v, err := m.crowd(s, f.Scope, f.Node, f.Visit)
		if err != nil {
			return err
		}
		p := v.body
		if f.From != p.next || f.Count < 1 || f.Count > p.count-p.next {
			return fmt.Errorf("item %d of %s follows item %d", f.From, f.Node, p.next)
		}
		for i := range f.Count {
			p.crowd.open = append(p.crowd.open, openItem{f.From + i, s.last})
		}
		p.next += f.Count
		v.state, v.due = visitOpen, time.Time{}
		s.scope(f.Scope).dirty = true
	case *ItemsEnded:
		return m.foldItemsEnded(s, f)
	case *ItemFailed:
		return m.foldItemFailed(s, f)
	case *ItemsCanceled:
		v, err := m.crowd(s, f.Scope, f.Node, f.Visit)
		if err != nil {
			return err
		}
		_, err = v.body.crowd.close(f.Items)
		return err
	}
	return nil
}

// crowd finds the live visit of a map whose items are runs.
func (m *Machine) crowd(s *Snapshot, scope int, key string, number int) (*visit, error) {
	v, err := m.container(s, scope, key, number)
	if err == nil && v.body.crowd == nil {
		err = fmt.Errorf("the items of %s are no runs", key)
	}
	return v, err
}

// close takes items out of those that are open.
func (w *crowd) close(items Edges) ([]int, error) {
	list, err := items.List()
	if err != nil {
		return nil, err
	}
	for _, i := range list {
		at, open := w.find(i)
		if !open {
			return nil, fmt.Errorf("item %d is not open", i)
		}
		w.open = slices.Delete(w.open, at, at+1)
	}
	return list, nil
}

func (m *Machine) foldItemsEnded(s *Snapshot, f *ItemsEnded) error {
	v, err := m.crowd(s, f.Scope, f.Node, f.Visit)
	if err != nil {
		return err
	}
	w := v.body.crowd
	ended, err := w.close(f.Items)
	if err != nil {
		return err
	}
	failed, err := f.Failed.List()
	if err != nil {
		return err
	}
	for _, i := range ended {
		w.kept.add(i)
	}
	for _, i := range failed {
		if i < 0 || i >= v.body.count {
			return fmt.Errorf("%s has no item %d", f.Node, i)
		}
		if f.Kept != "collect" {
			w.kept.del(i)
		}
	}
	v.body.failed += len(failed)
	if !f.Results.IsZero() {
		w.parts = append(w.parts, f.Results)
		w.bytes += f.Results.Size()
	}
	s.scope(f.Scope).dirty = true
	return nil
}

func (m *Machine) foldItemFailed(s *Snapshot, f *ItemFailed) error {
	v, err := m.crowd(s, f.Scope, f.Node, f.Visit)
	if err != nil {
		return err
	}
	p := v.body
	if _, err := p.crowd.close(MakeEdges([]int{f.Index})); err != nil {
		return err
	}
	p.failed++
	s.scope(f.Scope).dirty = true
	if !f.RetryAt.IsZero() {
		v.state, v.due, v.attempt = visitBackoff, f.RetryAt, v.attempt+1
		*p = progress{count: p.count, crowd: newCrowd(p.crowd.items, p.crowd.around, p.count)}
	}
	return nil
}

// foldItem starts a run that is an item of a map: its own scope is the body of
// that map.
func (m *Machine) foldItem(s *Snapshot, n int, f *RunStarted) error {
	if m.Nodes[n].Op != OpMap {
		return fmt.Errorf("%s has no items", f.Trigger)
	}
	s.Status, s.Started, s.trigger = StatusRunning, s.last, n
	s.around = &outside{box: s.box(f.Item.Around)}
	c := m.open(n+1, 0)
	c.node, c.index, c.item, c.dirty = n, f.Item.Index, s.box(f.Input), true
	s.scopes[0] = c
	m.enter(s, c)
	return nil
}

// enter gives the entry nodes of a scope their tokens.
func (m *Machine) enter(s *Snapshot, c *scope) {
	for _, n := range m.bodies[c.body].entries {
		s.arrived++
		c.starts = append(c.starts, start{n, s.arrived})
		c.head(m.local[n], 1)
	}
}

// outside is what an item's run knows of the run that its map is in.
type outside struct {
	box *box
	all map[string]any
}

// member is one thing of it; nil: there is none.
func (o *outside) member(name string) (any, error) {
	if o == nil {
		return nil, nil
	}
	if o.all == nil {
		v, err := o.box.any()
		if err != nil {
			return nil, err
		}
		o.all, _ = v.(map[string]any)
	}
	return o.all[name], nil
}

// ItemParts are where the results of a map's items are: an object by item for
// each batch. Only the items that are kept count.
type ItemParts struct {
	Count int
	Parts []event.Value
	kept  bits
}

// Has reports whether an item has a place in the list of results.
func (p *ItemParts) Has(item int) bool { return p.kept.has(item) }
