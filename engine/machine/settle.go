package machine

import "time"

// Settle goes on where a log was cut, perhaps in the middle of a step, and
// returns what follows from the state alone, already folded into s. A state
// that a step has left behind is settled: nothing follows.
func (m *Machine) Settle(s *Snapshot, at time.Time) ([]Event, error) {
	if s.Status != StatusRunning {
		return nil, nil
	}
	st := &step{m: m, s: s, at: at.UTC().Truncate(time.Microsecond)}
	if err := st.settle(); err != nil {
		return nil, err
	}
	return st.events, nil
}
