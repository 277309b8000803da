package machine

import "time"

// Clock is the run's time at a real time. They are the same but for a test run
// with a virtual clock, which stands still while it is held.
func (s *Snapshot) Clock(now time.Time) time.Time {
	switch {
	case s.rig == nil || !s.rig.virtual:
		return now
	case s.rig.held != nil:
		return s.last
	default:
		return now.Add(s.rig.ahead)
	}
}

// Real is the real time at which the run's clock shows a time; zero stays zero.
func (s *Snapshot) Real(at time.Time) time.Time {
	if s.rig == nil || at.IsZero() {
		return at
	}
	return at.Add(-s.rig.ahead)
}

// advanceClock moves the clock as a person wants. A time to go is gone timer by
// timer, and what they set off is waited for; the next timer is due at once.
func (st *step) advanceClock(in Advance) error {
	r := st.s.rig
	if r == nil || !r.virtual || r.held != nil || st.s.paused || in.ID != "" && in.ID == r.moved {
		return nil
	}
	if !in.Next {
		if in.For <= 0 || in.For > WaitMax {
			return nil
		}
		return st.emit(&ClockMoved{Ahead: r.ahead, Until: st.at.Add(in.For), ID: clip(in.ID, 80), By: clip(in.By, 200)})
	}
	at := st.m.timerAt(st.s)
	if at.IsZero() {
		return nil
	}
	if err := st.moveTo(at, in); err != nil {
		return err
	}
	return st.wake()
}

// moveTo sets the clock to a time that has not come yet.
func (st *step) moveTo(at time.Time, in Advance) error {
	r := st.s.rig
	f := &ClockMoved{Ahead: r.ahead, Until: r.until, ID: clip(in.ID, 80), By: clip(in.By, 200)}
	if d := at.Sub(st.at); d > 0 {
		f.Ahead += d
		st.at = at
	}
	if !f.Until.After(st.at) {
		f.Until = time.Time{}
	}
	return st.emit(f)
}

// skip moves a virtual clock on while nothing but time can move the run.
func (st *step) skip() error {
	for st.m.skips(st.s) && len(st.events) <= StepEventsMax {
		at, until := st.m.timerAt(st.s), st.s.rig.until
		if !until.IsZero() && (at.IsZero() || at.After(until)) {
			at = until
		}
		if err := st.moveTo(at, Advance{}); err != nil {
			return err
		}
		if err := st.wake(); err != nil {
			return err
		}
		if err := st.settle(); err != nil {
			return err
		}
	}
	return nil
}

// skips reports whether the clock has to move on by itself.
func (m *Machine) skips(s *Snapshot) bool {
	r := s.rig
	if r == nil || !r.virtual || !r.skip && r.until.IsZero() {
		return false
	}
	if !s.alive() || r.held != nil || s.paused || s.Owed() || s.unsettled() != nil {
		return false
	}
	return !r.until.IsZero() || !m.timerAt(s).IsZero()
}
