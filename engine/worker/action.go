package worker

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"signalbox/engine/event"
	"signalbox/engine/task"
	"signalbox/engine/vault"
)

// Action does the work of one kind of node. It must end soon after its context
// does. An error that is a *Failure keeps its class; any other is internal.
type Action interface {
	Do(ctx context.Context, c Call) (output json.RawMessage, err error)
}

// Call is what an action gets.
type Call struct {
	Task   task.Task
	Config json.RawMessage // resolved; a large one is loaded already
	// Secret opens a credential of the task's workspace.
	Secret func(ctx context.Context, name string) (vault.Secret, error)
	// Progress shows text to whoever watches the run. It may be lost.
	Progress func(text string)
	// By names who does the work, when it is not the pool itself.
	By func(worker string)
	// Settled asks to be told, once, when the engine has the result on disk, or
	// that it changed nothing; r is what was sent, which may be a failure in
	// place of an output that cannot be stored.
	Settled func(told func(r *task.Result, used bool))
}

// ErrReturn is what an action gives back when the task is for another worker,
// or a later time: nothing has been tried.
var ErrReturn = errors.New("the task is given back")

// Reasons why the context of an action ends.
const (
	OverCanceled = "canceled" // nobody wants the result any more
	OverTimeout  = "timeout"  // the attempt ran out of time
	OverStopped  = "stopped"  // this process ends: another one gets the task
)

// Over says why the context of an action has ended; empty: it has not.
func Over(ctx context.Context) string {
	switch cause := context.Cause(ctx); {
	case cause == nil:
		return ""
	case errors.Is(cause, errCanceled):
		return OverCanceled
	case errors.Is(cause, errTimeout):
		return OverTimeout
	}
	return OverStopped
}

// Classes of failures, the same words as in event.Error.
const (
	ClassTimeout      = "timeout"
	ClassRateLimited  = "rate_limited"
	ClassUnavailable  = "unavailable"
	ClassInvalidInput = "invalid_input"
	ClassUnauthorized = "unauthorized"
	ClassCanceled     = "canceled"
	ClassLimit        = "limit"
	ClassInternal     = "internal"
	ClassCrash        = "crash"          // the program died of it, again and again
	ClassBadOutput    = "invalid_output" // the other side answered what its caller cannot use
)

// Failure is how an attempt fails.
type Failure struct {
	Class      string
	Message    string          // a sentence
	Details    json.RawMessage // small, or nil
	RetryAfter time.Duration   // what the other side asked for
}

// Fail makes a failure without details.
func Fail(class, message string) *Failure { return &Failure{Class: class, Message: message} }

// Error is the class with the sentence.
func (f *Failure) Error() string { return f.Class + ": " + f.Message }

// event is the failure as the log has it.
func (f *Failure) event(t *task.Task) *event.Error {
	return &event.Error{Class: f.Class, Message: cut(f.Message, messageMax), Node: t.Node, Attempts: t.Attempt, Details: f.Details}
}
