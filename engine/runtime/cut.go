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
	for _, e := range log[:at] {
		if c, undoes := e.Fact.(*machine.CompensationStarted); undoes && c.Scope == 0 {
			return problem.New(problem.Invalid, "From event %d on the run undoes what it had done, so nothing behind it can be shared.", e.Seq)
		}
	}
	switch f := log[at-1].Fact.(type) {
	case *machine.RunSucceeded, *machine.RunFailed, *machine.RunCompensated, *machine.RunCanceled:
		return problem.New(problem.Invalid, "The run is over with event %d. Choose an earlier one.", at)
	default:
		if !stands(f) {
			return problem.New(problem.Invalid, "Event %d is in the midst of a step of the machine that cannot be cut. Choose one before or behind it.", at)
		}
	}
	return nil
}

// stands reports whether a fact can be the last one of what is shared. Some
// facts need the next one: a failure goes on to whoever catches it, a join
// that fires first ends what it cancels.
func stands(f machine.Fact) bool {
	switch f := f.(type) {
	case *machine.TaskFailed:
		return !f.RetryAt.IsZero()
	case *machine.NodeFailed:
		return f.Handled
	case *machine.BodyFailed:
		return f.Kept != "" || !f.RetryAt.IsZero()
	case *machine.ItemFailed:
		return !f.RetryAt.IsZero()
	case *machine.ItemsCanceled, *machine.VisitCanceled, *machine.TokensCanceled, *machine.RoundOpened, *machine.CompensationStarted, *machine.VisitReleased:
		return false
	default:
		return true
	}
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
	switch log[len(log)-1].Fact.(type) {
	case *machine.RunFailed:
	case *machine.RunCompensated:
		return 0, problem.New(problem.Conflict, "What this run had done is undone, so the step alone cannot be tried again. Fork it at an event before, or run it again.")
	default:
		return 0, problem.New(problem.Conflict, "This run has not failed.")
	}
	first := -1
	for i := len(log) - 2; i >= 0 && unwinds(log[i].Fact); i-- {
		switch log[i].Fact.(type) {
		case *machine.NodeFailed, *machine.ItemFailed:
			first = i
		}
	}
	if first < 0 {
		return 0, problem.New(problem.Conflict, "No step of this run failed by itself. Choose an earlier event to go on from.")
	}
	if node, is := log[first].Fact.(*machine.NodeFailed); is && first > 0 {
		if f, ok := log[first-1].Fact.(*machine.TaskFailed); ok && f.Node == node.Node && f.Scope == node.Scope && f.Visit == node.Visit {
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
	switch f := f.(type) {
	case *machine.NodeFailed:
		return !f.Handled
	case *machine.BodyFailed:
		return f.Kept == "" && f.RetryAt.IsZero()
	case *machine.ItemFailed:
		return f.RetryAt.IsZero()
	case *machine.VisitCanceled, *machine.ItemsCanceled:
		return true
	default:
		return false
	}
}
