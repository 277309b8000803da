package rehearsal_test

import (
	"errors"
	"testing"

	"signalbox/engine/machine"
	"signalbox/engine/rehearsal"
	"signalbox/engine/sim"
)

// A run that is played on its own machine does what it did: over the runs of
// simulated worlds with faults, retries, waits, signals and answers. Where a
// person or the program itself interfered, it may not be repeatable; these are
// counted, and must be few.
func TestRunsRepeatThemselves(t *testing.T) {
	t.Parallel()
	same, other := 0, map[string]int{}
	for seed := range uint64(60) {
		for _, r := range sim.Play(t, seed).Stored {
			if r.Inside > 0 {
				continue // its items are runs of their own, which a rehearsal does not start
			}
			was, ok := recorded(t, r.Machine, r.Record.Run.String(), r.Record.Workspace, r.Record.Workflow.String(), r.Record.Version.String(), r.Record.Events)
			if !ok {
				continue
			}
			v, err := rehearse(was, was.Machine)
			if errors.Is(err, errNone) {
				continue // its large values are gone with its world
			}
			if err != nil {
				t.Fatal(err)
			}
			if v.Says == rehearsal.Same {
				same++
				continue
			}
			why := v.Says
			if len(v.Differences) > 0 {
				why += " " + v.Differences[0].What
			}
			other[why]++
			if other[why] < 3 {
				t.Logf("seed %d run %s: %s %+v", seed, was.Run, v.Says, first(v.Differences))
			}
		}
	}
	strays := 0
	for _, n := range other {
		strays += n
	}
	if same < 100 || strays*20 > same { // a timer that came late, and something else came between
		t.Errorf("%d runs repeat themselves, others: %v", same, other)
	}
}

func first(list []rehearsal.Difference) any {
	if len(list) == 0 {
		return "no difference"
	}
	return list[0]
}

var errNone = errors.New("no large value is here")

func rehearse(was *rehearsal.Recorded, m *machine.Machine) (rehearsal.Verdict, error) {
	before, err := rehearsal.Ended(was)
	if err != nil {
		return rehearsal.Verdict{}, err
	}
	now, err := rehearsal.Play(was, m, nil, func() error { return nil })
	if err != nil {
		return rehearsal.Verdict{}, err
	}
	return rehearsal.Judge(was, before, now, m), nil
}
