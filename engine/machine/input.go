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
	Item       *Item           // the run is an item of the map Trigger; nil: it is none
	Rig        *Rig            // of a test run; nil: none
}

// Complete says that an attempt succeeded.
type Complete struct {
	Scope   int
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
	Scope      int
	Node       string // key
	Visit      int
	Attempt    int
	Error      event.Error
	RetryAfter time.Duration
	Worker     string
	Began      time.Time
}

// Began says that a worker has taken an attempt, where the time in the queue
// is limited.
type Began struct {
	Scope   int
	Node    string
	Visit   int
	Attempt int
	Worker  string
}

// Signal is a message from outside to whoever in the run waits for it.
type Signal struct {
	Name        string
	Correlation string
	ID          string          // the sender's: it counts once
	Value       json.RawMessage `json:",omitempty"`
	By          string
}

// Decide answers an open wait for a person or a call.
type Decide struct {
	Scope int
	Node  string
	Visit int
	Port  string          // the decision
	Value json.RawMessage `json:",omitempty"`
	By    string
}

// Called says what became of a call: the run that was started (Child), and
// when it is over, what it gave.
type Called struct {
	Scope  int
	Node   string
	Visit  int
	Child  string
	Over   bool
	Output json.RawMessage `json:",omitempty"`
	Ref    *event.Payload
	Error  *event.Error
}

// ItemsOver says that items of a map, which are runs of their own, are over.
type ItemsOver struct {
	Scope   int
	Node    string
	Visit   int
	Attempt int // of the map
	Ends    []ItemEnd
}

// ItemEnd is what an item came to.
type ItemEnd struct {
	Index  int
	Output json.RawMessage `json:",omitempty"`
	Error  *event.Error
}

// Gathered hands in the results of a map's items as one list.
type Gathered struct {
	Scope   int
	Node    string
	Visit   int
	Attempt int
	List    json.RawMessage `json:",omitempty"`
	Ref     *event.Payload  // instead of List: stored already
	Error   *event.Error    // instead of both
}

// Pause holds a run.
type Pause struct{ By string }

// Resume lets a paused run go on.
type Resume struct{ By string }

// RollBack undoes what the run has completed, and ends it.
type RollBack struct{ By string }

// Resolve is a person's decision about a compensation that failed.
type Resolve struct {
	Scope  int
	Node   string // of the compensation
	Visit  int
	Action string // retry, skip, complete
	By     string
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

func (Abort) input()     {}
func (Start) input()     {}
func (Complete) input()  {}
func (Fail) input()      {}
func (Began) input()     {}
func (Signal) input()    {}
func (Decide) input()    {}
func (Called) input()    {}
func (ItemsOver) input() {}
func (Gathered) input()  {}
func (Pause) input()     {}
func (Resume) input()    {}
func (RollBack) input()  {}
func (Resolve) input()   {}
func (Wake) input()      {}
func (Cancel) input()    {}
