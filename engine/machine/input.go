package machine

import (
	"encoding/json"
	"time"

	"signalbox/engine/event"
)

// Input is what can happen to a run. The set is closed.
type Input interface{ input() }

// Start is the first input of every run.
type Start struct {
	Trigger    string // key of the trigger node that fired
	Value      json.RawMessage
	Attributes json.RawMessage // small object for lists and filters
	Source     string          // manual, api, webhook, test, bench
}

// Complete says that an attempt succeeded.
type Complete struct {
	Node    string // key
	Visit   int
	Attempt int
	Output  json.RawMessage
	Ref     *event.Payload // instead of Output: stored already
	Worker  string
	Began   time.Time // when the worker began
}

// Fail says that an attempt failed.
type Fail struct {
	Node       string // key
	Visit      int
	Attempt    int
	Error      event.Error
	RetryAfter time.Duration
	Worker     string
	Began      time.Time
}

// Wake says that time has passed.
type Wake struct{}

// Cancel ends the run.
type Cancel struct {
	By     string
	Reason string
}

// Abort ends a run that the program itself cannot carry on.
type Abort struct{ Message string }

func (Abort) input()    {}
func (Start) input()    {}
func (Complete) input() {}
func (Fail) input()     {}
func (Wake) input()     {}
func (Cancel) input()   {}
