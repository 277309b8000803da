package worker

import (
	"context"
	"encoding/json"
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
