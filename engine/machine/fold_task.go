package machine

import (
	"fmt"
	"slices"
	"time"
)

// foldTask folds what happens to a task.
func (m *Machine) foldTask(s *Snapshot, f Fact) error {
	switch f := f.(type) {
	case *TaskScheduled:
		return m.foldScheduled(s, f)
	case *TaskStarted:
		v := m.live(s, f.Scope, f.Node, f.Visit)
		if v == nil {
			return fmt.Errorf("%s has no visit %d that could start", f.Node, f.Visit)
		}
		v.due = time.Time{}
	case *TaskCompleted:
		return m.foldCompleted(s, f)
	case *TaskFailed:
		v := m.live(s, f.Scope, f.Node, f.Visit)
		if v == nil {
			return fmt.Errorf("%s has no visit %d that could fail", f.Node, f.Visit)
		}
		if !f.RetryAt.IsZero() {
			v.state, v.due = visitBackoff, f.RetryAt
		}
	}
	return nil
}

func (m *Machine) foldCompleted(s *Snapshot, f *TaskCompleted) error {
	n := m.Index(f.Node)
	c, i := s.stray(f.Scope, n, f.Visit)
	if c == nil {
		return m.foldEnd(s, VisitRef{f.Scope, f.Node, f.Visit}, f.Port, func(*visit) *box { return s.box(f.Output) })
	}
	v, about := c.strays[i].visit, c.strays[i].about
	c.strays = slices.Delete(c.strays, i, i+1)
	c.dirty = true
	if v.undo != nil {
		v.undo.state = undoOver
		return nil
	}
	// It ended while its scope compensates: it is undone, too.
	c.done = append(c.done, &done{scope: f.Scope, node: n, visit: f.Visit, seq: s.Seq, input: v.input, output: s.box(f.Output), about: about, tx: c.undoing || m.covered(c)})
	return nil
}

// live finds a live visit, also a stray one.
func (m *Machine) live(s *Snapshot, id int, key string, number int) *visit {
	n := m.Index(key)
	if n < 0 {
		return nil
	}
	if c := s.scope(id); c != nil {
		if i := c.find(n, number); i >= 0 {
			return &c.visits[i]
		}
	}
	if c, i := s.stray(id, n, number); c != nil {
		return &c.strays[i].visit
	}
	return nil
}

// stray finds a task in flight of a scope that compensates.
func (s *Snapshot) stray(id, node, number int) (*scope, int) {
	for _, c := range s.scopes {
		for i := range c.strays {
			if t := &c.strays[i]; t.scope == id && t.visit.node == node && t.visit.number == number {
				return c, i
			}
		}
	}
	return nil, 0
}

func (m *Machine) foldScheduled(s *Snapshot, f *TaskScheduled) error {
	if f.Attempt > 1 {
		v := m.live(s, f.Scope, f.Node, f.Visit)
		if v == nil {
			return fmt.Errorf("attempt %d of %s has no visit", f.Attempt, f.Node)
		}
		v.state, v.attempt, v.queue, v.prio, v.due = visitQueued, f.Attempt, f.Queue, f.Priority, m.begun(s, v.node)
		return nil
	}
	switch {
	case f.Undoes != nil:
		return m.foldUndoes(s, f)
	case f.Serves != nil:
		return m.foldServes(s, f)
	}
	c, n, in, err := m.begin(s, VisitRef{f.Scope, f.Node, f.Visit}, f.Took)
	if err != nil {
		return err
	}
	c.add(m, m.queued(s, n, f, in))
	return nil
}

func (m *Machine) queued(s *Snapshot, n int, f *TaskScheduled, in *box) visit {
	v := visit{node: n, number: f.Visit, state: visitQueued, attempt: 1, input: in, config: f.Config, queue: f.Queue, prio: f.Priority, labels: f.Labels, keys: [2]string{f.ConcurrencyKey, f.RateKey}, since: s.last, due: m.begun(s, n)}
	if total := m.Nodes[n].Total; total > 0 {
		v.limit = s.last.Add(total)
	}
	return v
}

// begun is until when a worker must have begun; zero is for ever.
func (m *Machine) begun(s *Snapshot, node int) time.Time {
	if d := m.Nodes[node].InQueue; d > 0 {
		return s.last.Add(d)
	}
	return time.Time{}
}
