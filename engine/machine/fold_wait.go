package machine

import (
	"fmt"
	"slices"
	"time"

	"signalbox/engine/mutant"
)

// foldWaiting folds waits, signals and calls.
func (m *Machine) foldWaiting(s *Snapshot, f Fact) error {
	switch f := f.(type) {
	case *WaitStarted:
		c, n, in, err := m.begin(s, VisitRef{f.Scope, f.Node, f.Visit}, f.Took)
		if err != nil {
			return err
		}
		due := f.Until
		if mutant.On(mutant.WaitTooShort) && !due.IsZero() {
			due = due.Add(-time.Millisecond)
		}
		c.add(m, visit{
			node: n, number: f.Visit, state: visitWaiting, input: in, due: due,
			kind: f.For, name: f.Name, correlation: f.Correlation, from: f.From, config: f.Config, starts: f.Starts,
		})
	case *WaitCompleted:
		return m.foldWaitCompleted(s, f)
	case *SignalReceived:
		s.mail = append(s.mail, mail{s.Seq, s.last, f.Name, f.Correlation, s.box(f.Value)})
		if f.ID != "" {
			s.heard[f.ID] = true
		}
	case *CallStarted:
		c, n, in, err := m.begin(s, VisitRef{f.Scope, f.Node, f.Visit}, f.Took)
		if err != nil {
			return err
		}
		c.add(m, visit{node: n, number: f.Visit, state: visitCalling, attempt: 1, input: in, call: f})
	case *CallAnswered:
		v := m.live(s, f.Scope, f.Node, f.Visit)
		if v == nil {
			return fmt.Errorf("%s has no visit %d that calls", f.Node, f.Visit)
		}
		v.child = f.Child
	}
	return nil
}

func (m *Machine) foldWaitCompleted(s *Snapshot, f *WaitCompleted) error {
	return m.foldEnd(s, VisitRef{f.Scope, f.Node, f.Visit}, f.Port, func(v *visit) *box {
		if f.Signal > 0 {
			if i := slices.IndexFunc(s.mail, func(t mail) bool { return t.seq == f.Signal }); i >= 0 {
				b := s.mail[i].box
				s.mail = slices.Delete(s.mail, i, i+1)
				return b
			}
		}
		if !f.Output.IsZero() {
			return s.box(f.Output)
		}
		return v.input
	})
}
