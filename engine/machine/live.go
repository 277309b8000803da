package machine

import (
	"time"

	"signalbox/engine/event"
)

// visit is one live activation of a node.
type visit struct {
	node    int
	number  int
	state   visitState
	attempt int
	input   *box
	config  event.Value // task: resolved
	queue   string
	labels  map[string]string // task: what it says of itself
	keys    [2]string         // task: of its limits of concurrency and rate
	prio    int
	due     time.Time // wait: until; backoff: next attempt; queued: until when a worker must have begun
	since   time.Time // task: its start
	limit   time.Time // of the visit with all of its attempts; zero is none

	kind        string // wait: what for
	name        string // signal
	correlation string
	from        time.Time
	call        *CallStarted
	child       string
	body        *progress // container
	chart       *box      // statechart: its state
	timers      []ChartTimer
	starts      []ChartStart // tasks that it wants started
	stops       []string     // tasks that it wants ended
	ended       []ended      // tasks whose end has not moved it yet
	serves      *Serves      // it does a task of a statechart
	chartNode   int          // of that chart
	undo        *done        // the visit that it undoes
}

// ends is when the time of the visit is over; zero is never. It does not count
// while a body is being undone: the container ends by itself then.
func (v *visit) ends() time.Time {
	if v.body != nil && v.body.undoing > 0 {
		return time.Time{}
	}
	return v.limit
}

type visitState int

const (
	visitQueued  visitState = iota + 1 // with the workers
	visitBackoff                       // waits for its next attempt
	visitWaiting                       // waits for time, a message or a person
	visitOpen                          // a container whose bodies run
	visitCalling                       // another run
	visitChart                         // a statechart that waits for events
)

// progress is how far a container has come.
type progress struct {
	undoing int // bodies that are being undone
	count   int // map: items
	next    int // body that opens next
	open    int // bodies open
	failed  int
	last    *box // what the last body gave
	items   *box
	results []*box // map: by item
	kept    []bool // map: the item has a result
	crowd   *crowd // map: its items are runs of their own; nil: they are scopes
}

// mail is a signal that came.
type mail struct {
	seq         int
	at          time.Time
	name        string
	correlation string
	box         *box
}

// trouble is a compensation that failed for good.
type trouble struct {
	visit  VisitRef // of the compensation
	undoes VisitRef
	of     *done
	error  event.Error
}
