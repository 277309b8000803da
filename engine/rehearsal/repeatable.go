package rehearsal

import (
	"signalbox/engine/machine"
	"signalbox/engine/problem"
)

// Repeatable refuses runs whose log does not say all that moved them: those
// that are not over, that a person ended or moved otherwise than by an answer,
// and test runs that were not run as a whole.
func Repeatable(log []machine.Event) error {
	if len(log) == 0 || !over(log[len(log)-1].Fact) {
		return problem.New(problem.Conflict, "The run is not over yet. Only a run that ended by itself can be a case.")
	}
	for _, e := range log {
		switch f := e.Fact.(type) {
		case *machine.RunStarted:
			if f.Only != "" {
				return problem.New(problem.Conflict, "This was a test of one step. Only a whole run can be a case.")
			}
		case *machine.TestArranged:
			if f.Stop != "" {
				return problem.New(problem.Conflict, "This test run was to stop at a step. Only a whole run can be a case.")
			}
		case *machine.OutputPinned:
			return problem.New(problem.Conflict, "In this test run pinned data stood in for the step %s. A case needs what the step really gave.", f.Node)
		case *machine.VisitReleased:
			if !f.Input.IsZero() {
				return problem.New(problem.Conflict, "In this test run a person changed what the step %s got. Only a run that nobody changed can be a case.", f.Node)
			}
		case *machine.RunCanceled:
			return problem.New(problem.Conflict, "A person canceled this run. Only a run that ended by itself can be a case.")
		case *machine.AttentionResolved:
			return problem.New(problem.Conflict, "A person decided about a compensation of this run. Only a run that ended by itself can be a case.")
		case *machine.CompensationStarted:
			if f.By != "" {
				return problem.New(problem.Conflict, "A person rolled this run back. Only a run that ended by itself can be a case.")
			}
		default: // what the machine did, or the world answered
		}
	}
	return nil
}

func over(f machine.Fact) bool {
	switch f.(type) {
	case *machine.RunSucceeded, *machine.RunFailed, *machine.RunCompensated, *machine.RunCanceled:
		return true
	default:
		return false
	}
}
