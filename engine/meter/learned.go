package meter

import (
	"time"

	"signalbox/engine/machine"
	"signalbox/engine/routing"
	"signalbox/engine/runtime"
)

// Learned tells routing what became of attempts whose queue was learned. It
// implements runtime.Meter.
type Learned struct{ routing *routing.Service }

var _ runtime.Meter = Learned{}

// NewLearned makes it.
func NewLearned(r *routing.Service) Learned { return Learned{r} }

// Turn implements runtime.Meter.
func (Learned) Turn(int, time.Duration) {}

// Events implements runtime.Meter. Test runs teach nothing: people hold them,
// and stand in for workers.
func (l Learned) Events(run *runtime.NewRun, _ *machine.Machine, events []machine.Event) {
	if run.Test {
		return
	}
	for _, e := range events {
		switch f := e.Fact.(type) {
		case *machine.TaskScheduled:
			l.scheduled(run, f, e.At)
		case *machine.TaskCompleted:
			if l.routing.Following() {
				l.routing.Ended(run.Run, routing.Visit{Scope: f.Scope, Number: f.Visit, Node: f.Node}, true, false, e.At)
			}
		case *machine.TaskFailed:
			if l.routing.Following() {
				l.routing.Ended(run.Run, routing.Visit{Scope: f.Scope, Number: f.Visit, Node: f.Node}, false, !f.RetryAt.IsZero(), e.At)
			}
		case *machine.VisitCanceled:
			if l.routing.Following() {
				l.routing.Gone(run.Run, &routing.Visit{Scope: f.Scope, Number: f.Visit, Node: f.Node})
			}
		case *machine.RunSucceeded, *machine.RunFailed, *machine.RunCompensated, *machine.RunCanceled:
			if l.routing.Following() {
				l.routing.Gone(run.Run, nil)
			}
		default: // says nothing about an attempt
		}
	}
}

func (l Learned) scheduled(run *runtime.NewRun, f *machine.TaskScheduled, at time.Time) {
	v := routing.Visit{Scope: f.Scope, Number: f.Visit, Node: f.Node}
	switch {
	case f.Learned != nil && f.Learned.ShareOf(f.Queue) > 0: // else it went to the default
		l.routing.Sent(run.Run, v, run.Workspace, f.Queue, f.Learned, at)
	case f.Attempt > 1 && l.routing.Following():
		l.routing.SentAgain(run.Run, v, at)
	}
}
