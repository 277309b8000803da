// Package runtime runs machines: it collects inputs into turns, commits each
// turn to the Store, and only then lets anything happen outside.
//
// It alone knows both the pure machine and the world. It declares the ports
// that Postgres, NATS and the in-memory adapters implement.
package runtime

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/google/uuid"

	"signalbox/engine/event"
	"signalbox/engine/machine"
	"signalbox/engine/task"
)

// Errors that every Store returns for the same reasons.
var (
	// ErrFenced: another owner holds the shard; nothing was written.
	ErrFenced = errors.New("the shard has another owner")
	// ErrNotFound: there is no such run, version or payload.
	ErrNotFound = errors.New("not found")
)

// Status of a run. The last four are for ever.
const (
	StatusRunning   = "running"
	StatusWaiting   = "waiting" // only timers or messages are awaited
	StatusPaused    = "paused"  // a person stopped it for a while
	StatusSucceeded = "succeeded"
	StatusFailed    = "failed"
	StatusCanceled  = "canceled"
)

// Log is where turns become true.
type Log interface {
	// Commit writes the turn in one transaction and returns when it is on
	// disk. ErrFenced: the epoch is no longer ours and nothing was written.
	// Any other error leaves it unknown whether the turn was written.
	Commit(ctx context.Context, t *Turn) error
	// Load returns a run's row, its last snapshot and the events after it,
	// in order. ErrNotFound.
	Load(ctx context.Context, run uuid.UUID) (*Record, error)
}

// Shards are shared out among the servers that live. A server lives as long
// as its lease, and with it everything that it owns stays its own.
type Shards interface {
	// Beat renews the lease of a server and tells what is known of all. A
	// server that is not able keeps what it owns but should be given nothing.
	Beat(ctx context.Context, server string, able bool, lease time.Duration) (Roster, error)
	// Acquire takes a shard that no server that lives owns, or one that is the
	// server's own already, and returns its epoch, which rises with every
	// change of owner; the server lives then as long as the lease. ErrFenced:
	// another one owns it.
	Acquire(ctx context.Context, shard int, server string, lease time.Duration) (epoch int64, err error)
	// Release gives the shard up at once.
	Release(ctx context.Context, shard int, server string) error
	// Leave ends the lease of a server.
	Leave(ctx context.Context, server string) error
}

// Roster is who lives and who owns what at a moment.
type Roster struct {
	Count   int             // of shards; 0: the store does not care
	Servers []Member        // that live, by name
	Owners  map[int]Holding // of shards that a server that lives owns
}

// Member is a server that lives.
type Member struct {
	Server string
	Able   bool
	Left   time.Duration // until its lease ends unless it is renewed
}

// Holding is one server's time with a shard. The zero value is nobody's.
type Holding struct {
	Server string
	Epoch  int64
}

// Callings find the runs that others called.
type Callings interface {
	// Called lists open runs that were called by runs of a shard, by id, after
	// the given one.
	Called(ctx context.Context, shard, shards int, after uuid.UUID, limit int) ([]Calling, error)
}

// Calling is an open run that another one called.
type Calling struct {
	Run        uuid.UUID
	Workspace  string
	Attributes json.RawMessage // which say by whom
}

// Recovery finds the runs that need attention after a start.
type Recovery interface {
	// Owed lists runs with an unconfirmed effect, by id, after the given one.
	Owed(ctx context.Context, shard int, after uuid.UUID, limit int) ([]uuid.UUID, error)
	// Due lists open runs that want to be woken before the given time, the
	// earliest first, and returns the time of the next one after those.
	Due(ctx context.Context, shard int, before time.Time, limit int) ([]uuid.UUID, time.Time, error)
}

// Versions hold the machine of every run.
type Versions interface {
	// Machine returns the stored machine of a version. ErrNotFound.
	Machine(ctx context.Context, version uuid.UUID) (json.RawMessage, error)
}

// Payloads hold the values that are too large for an event.
type Payloads interface {
	// PutPayload stores bytes under their digest (hex SHA-256). Storing the
	// same twice is no error.
	PutPayload(ctx context.Context, workspace, digest string, data []byte) error
	// Payload returns the bytes. ErrNotFound.
	Payload(ctx context.Context, workspace, digest string) ([]byte, error)
}

// Forks make runs that begin as another one did.
type Forks interface {
	// Beginning returns the first events of a run, in order, at most as many
	// as the limit. A run that is not there has none.
	Beginning(ctx context.Context, run uuid.UUID, limit int) ([]event.Event, error)
	// Fork writes a run whose log repeats the first events of another one and
	// goes on with its own: all of it or nothing. No shard has to be owned for
	// it, for nobody knows the run yet.
	Fork(ctx context.Context, f *Fork) error
}

// Store is all of them: one adapter implements it, and one conformance suite
// (package runtimetest) tests every adapter.
type Store interface {
	Log
	Shards
	Callings
	Recovery
	Versions
	Payloads
	Forks
}

// Fork is a run to be born with a beginning.
type Fork struct {
	New    NewRun
	Shard  int
	At     time.Time
	From   uuid.UUID     // the run that it began as
	Point  int           // the event of From up to which it did, as it is shown
	Shared int           // how many events of From are repeated as they are
	Events []event.Event // those behind them
	Dead   []Note        // the dead letters among those
}

// Turn is what one commit writes.
type Turn struct {
	Shard   int
	Epoch   int64
	At      time.Time
	Events  []EventRow
	New     []NewRun
	Changed []RunChange
	Snaps   []Snap
	Freed   []task.ID // attempts that give their slots back
	Notes   []Note
}

// Note is what is to be found beside the events of runs: a point or a statement
// that a node wrote down for the boards, or a dead letter. It is named by its event, and so written once.
type Note struct {
	Run       uuid.UUID
	Seq       int
	At        time.Time
	Workspace string
	Workflow  uuid.UUID
	Version   uuid.UUID
	Node      string
	Point     *machine.Point     // or
	Said      *machine.Statement // or
	Dead      *DeadLetter        // this
}

// DeadLetter is a visit that failed for good while nothing caught it, so that
// its run failed.
type DeadLetter struct {
	Scope int
	Visit int
	Error event.Error
}

// EventRow is one event of one run.
type EventRow struct {
	Run   uuid.UUID
	Event event.Event
}

// NewRun is a run that is born in this turn. It may be over already.
type NewRun struct {
	Run        uuid.UUID // version 7
	Workspace  string
	Workflow   uuid.UUID
	Version    uuid.UUID
	Trigger    string          // key of the trigger node
	Source     string          // manual, api, webhook, test, bench
	Test       bool            // a test run of a draft
	Attributes json.RawMessage // small object, never nil
	Semantics  int             // of its machine
	RunState
}

// RunChange changes a run's row: written only when one of its fields changed.
type RunChange struct {
	Run uuid.UUID
	RunState
}

// RunState is what a run's row says beside its identity.
type RunState struct {
	Status  string
	Seq     int       // number of events so far
	Owed    bool      // an effect is unconfirmed
	WakeAt  time.Time // zero: never
	EndedAt time.Time // zero: not over
	Error   string    // sentence, for lists; empty unless failed
	Format  int       // of the program that wrote the row: no event before has a higher one
}

// SnapFormat is that of the snapshots that this program reads and writes.
const SnapFormat = machine.Format

// Snap is a run's state at an event number. It only saves folding: one whose
// format is not the reader's is as if it were not there.
type Snap struct {
	Run    uuid.UUID
	Seq    int
	Format int
	Data   []byte
}

// Numbered counts runs by what they are stored as.
type Numbered struct {
	Format    int `json:"format"`
	Semantics int `json:"semantics"`
	Open      int `json:"open"` // go on
	Over      int `json:"over"`
}

// Knows reports whether this program can read a run, and carry it on.
func (r *NewRun) Knows() bool {
	return machine.Released().Knows(max(1, r.Format), max(1, r.Semantics))
}

// Record is a run as stored.
type Record struct {
	NewRun
	CreatedAt time.Time
	Shard     int
	Snap      *Snap // nil: none
	Events    []event.Event
	LastHash  [32]byte // hash of the last event
}

// Channel carries tasks to workers, results back and traces out. It may lose
// everything it holds; the runtime issues again what is owed.
type Channel interface {
	// Dispatch hands out tasks whose scheduling has been committed. A second
	// dispatch of the same attempt is absorbed.
	Dispatch(ctx context.Context, tasks []task.Task) error
	// Results delivers results for a shard to the function until the context
	// ends. The function may be called from several goroutines.
	Results(ctx context.Context, shard int, deliver func(Delivered)) error
	// Trace publishes committed events of one run to whoever watches: a JSON
	// array of brief.Brief. It may be lost; it never blocks.
	Trace(workspace string, run uuid.UUID, briefs []byte)
	// CancelTasks tells workers that a run's attempts are no longer wanted.
	CancelTasks(workspace string, run uuid.UUID)
	// Lost returns a channel that says when tasks may have been lost: a
	// stream was made anew or the connection came back. What is owed is then
	// dispatched again.
	Lost() <-chan struct{}
}

// Prompt is a Channel that hands out without being waited for.
type Prompt interface {
	// Hand is Dispatch for a few tasks, and does not wait for anything. Taken:
	// it has begun, and the tasks are handed out when landed, unless it is nil,
	// returns nil. Not taken: they are for Dispatch.
	Hand(tasks []task.Task) (landed func(context.Context) error, taken bool)
}

// Delivered is a result with the means to say that it is settled: committed,
// or of no use any more.
type Delivered struct {
	Result task.Result
	Settle func()
	// Unused is Settle for a result that changed nothing: the attempt was over,
	// perhaps by this very result. nil: Settle is called for those too.
	Unused func()
}
