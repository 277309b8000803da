package runtime

import (
	"signalbox/engine/machine"
	"signalbox/engine/problem"
)

// canCut says whether a log can be shared up to an event: not behind a failure
// that nothing catches, nor behind the end, for nothing could follow there.
func canCut(log []machine.Event, at int) error {
	if at < 1 || at > len(log) {
		return problem.New(problem.Invalid, "The run has no event %d that could be shared.", at).At("/at", "out of range", "the number of an event of this run")
	}
	if at > sharedMax {
		return problem.New(problem.TooLarge, "A new run may share at most %d events.", sharedMax)
	}
	switch f := log[at-1].Fact.(type) {
	case *machine.RunSucceeded, *machine.RunFailed, *machine.RunCanceled:
		return problem.New(problem.Invalid, "The run is over with event %d. Choose an earlier one.", at)
	case *machine.TaskFailed:
		if f.RetryAt.IsZero() {
			return failing(at)
		}
	case *machine.NodeFailed:
		if !f.Handled {
			return failing(at)
		}
	default:
	}
	return nil
}

func failing(at int) error {
	return problem.New(problem.Invalid, "Event %d is part of the failure that ended the run. Choose one before it, or retry the failed step.", at)
}

// beforeFailure finds the last event before the failure that ended the run.
// What other branches had done by then is shared as well; only the attempt
// that failed is made again.
func beforeFailure(log []machine.Event) (int, error) {
	if len(log) > sharedMax {
		return 0, problem.New(problem.TooLarge, "A new run may share at most %d events.", sharedMax)
	}
	if len(log) == 0 {
		return 0, problem.New(problem.Conflict, "This run has not failed.")
	}
	if _, failed := log[len(log)-1].Fact.(*machine.RunFailed); !failed {
		return 0, problem.New(problem.Conflict, "This run has not failed.")
	}
	first := -1
	for i := len(log) - 2; i >= 0 && unwinds(log[i].Fact); i-- {
		if _, failed := log[i].Fact.(*machine.NodeFailed); failed {
			first = i
		}
	}
	if first < 0 {
		return 0, problem.New(problem.Conflict, "No step of this run failed by itself. Choose an earlier event to go on from.")
	}
	node := log[first].Fact.(*machine.NodeFailed) //nolint:forcetypeassert // found as one
	if first > 0 {
		if f, ok := log[first-1].Fact.(*machine.TaskFailed); ok && f.Node == node.Node && f.Visit == node.Visit {
			first--
		}
	}
	if first == 0 {
		return 0, problem.New(problem.Conflict, "There is nothing before the failure that could be shared.")
	}
	return first, nil // events are numbered from 1: the one before
}

// unwinds reports whether a fact can stand between the failure of a step and
// the end of its run.
func unwinds(f machine.Fact) bool {
	n, failed := f.(*machine.NodeFailed)
	return failed && !n.Handled
}
