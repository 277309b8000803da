package runtime

import (
	"time"

	"github.com/google/uuid"

	"signalbox/engine/event"
	"signalbox/engine/machine"
	"signalbox/engine/problem"
	"signalbox/engine/task"
)

// shedAfter is how long an attempt that was shed is left alone.
const shedAfter = 10 * time.Second

// shedJob fails an attempt that waits: it may be tried again, later.
func shedJob(run uuid.UUID, id task.ID) *job {
	return &job{run: run, input: machine.Fail{
		Scope: id.Scope, Node: id.Node, Visit: id.Visit, Attempt: id.Attempt, RetryAfter: shedAfter,
		Error: event.Error{Class: "unavailable", Message: "The queue is overfull, and what is least urgent is put off."},
	}}
}

// room refuses a start while a queue of the workspace has too long a backlog.
// Runs that other runs call are part of what is under way and go on.
func (e *Engine) room(r *StartRequest) error {
	full := e.gate.full.Load()
	if full == nil || r.Source == sourceCall {
		return nil
	}
	f, ok := (*full)[r.Workspace]
	if !ok {
		return nil
	}
	e.refused.Add(1)
	return problem.New(problem.TooMany, "The queue %q has %d tasks that are not done, more than its limit of %d; no run is started until it has fewer.", f.queue, f.backlog, f.limit)
}
