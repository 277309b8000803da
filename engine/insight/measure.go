// Package insight is what people see of many runs together: what is counted,
// in which intervals, how the parts of several server processes are added up,
// and how predictions are held against the truth.
//
// It is pure. Package meter counts, package pg keeps, the boards show.
package insight

import (
	"time"

	"github.com/google/uuid"
)

// What is counted of runs. Times are in seconds.
const (
	RunStarted = "run.started" // runs that began, by source
	RunTime    = "run.time"    // runs that are over, by outcome, with the time since they began
	Events     = "events"      // events on disk
	QueueTime  = "queue.time"  // attempts that a worker took, by priority, with the time since they were scheduled
	WorkTime   = "work.time"   // attempts that ended, by kind of node, with the time that the worker took
	Retry      = "retry"       // attempts that failed and are tried again, by kind of node
	Failure    = "failure"     // visits of nodes that failed for good, by kind of node
	Dead       = "dead"        // those of them that no failure port took
	Saga       = "saga"        // transactions, by what became of them
)

// What became of transactions.
const (
	SagaBegun    = "begun"    // undoing began
	SagaUndone   = "undone"   // all was undone
	SagaStuck    = "stuck"    // a compensation failed for good: a person is needed
	SagaResolved = "resolved" // a person said what becomes of it
)

// What is counted of the infrastructure.
const (
	Covered = "covered" // milliseconds in which a process owned runs and counted; its spread is by Part
	Turn    = "turn"    // turns, with the time of their commit
	Inputs  = "inputs"  // inputs in turns
)

// What is looked at every few seconds. Those of one process are added up over
// processes; the others are the same wherever one looks.
const (
	Goroutines  = "own.goroutines"
	Memory      = "own.memory" // bytes in use by the heap
	Connections = "own.connections"
	Database    = "shared.database" // bytes
	Streams     = "shared.stream"   // messages, by stream
	Waiting     = "shared.waiting"  // tasks that no worker took yet, by queue
	Working     = "shared.working"  // tasks that workers have, by queue
	Open        = "shared.open"     // runs that are not over, by status
)

// Key names what is counted.
type Key struct {
	Workspace string    // empty: the infrastructure
	Workflow  uuid.UUID // zero: all of the workspace
	Version   uuid.UUID // zero: all of the workflow
	Measure   string
	Label     string
}

// Sum is what was counted in one interval.
type Sum struct {
	N      int64
	Total  float64
	High   float64
	Spread Spread // of measures that are times
}

// Add adds another one.
func (s *Sum) Add(o *Sum) {
	s.N, s.Total, s.High = s.N+o.N, s.Total+o.Total, max(s.High, o.High)
	s.Spread = s.Spread.Add(o.Spread)
}

// Row is what one server process counted in one interval.
type Row struct {
	Key
	Step   int // seconds of the interval
	At     time.Time
	Server uuid.UUID
	Sum
}

// Look is something that was looked at.
type Look struct {
	Measure string
	Label   string
	Value   float64
}
