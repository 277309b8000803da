package remote

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"signalbox/engine/worker"
)

// Limits of an office.
const (
	heldMax     = 1_000               // tasks of one type that workers hold by this server
	queuesMax   = 2_000               // queues that are served, of all workspaces
	queuesOwn   = 1_000               // of those, of one workspace
	queueIdle   = time.Minute         // a queue that nobody has asked for so long makes room for others
	askedMax    = 50                  // types that one question names
	takenMax    = 100                 // tasks that one question gets
	takersMax   = 10_000              // workers that wait for a task
	handMax     = time.Second         // a task whose worker has gone meanwhile waits so long for another
	leaseMin    = time.Second         // a lease
	leaseMax    = 10 * time.Minute    // a lease
	leaseUsual  = 30 * time.Second    // a lease whose node does not say
	lossesMax   = 3                   // workers that may fall silent over one attempt before it fails
	lossesKept  = 10_000              // attempts whose losses are remembered
	endedKept   = 10_000              // leases that are over and whose names are still answered
	settleMax   = 10 * time.Second    // a worker waits so long for the word that its result is on disk
	seenEvery   = 10 * time.Second    // how often it is stored that a worker is alive
	outputMax   = 16 << 20            // bytes of an output
	partsMax    = 256 << 20           // bytes of outputs that come in pieces, of all leases
	pieceMax    = 256 << 10           // bytes of a piece of an input
	stopWait    = time.Millisecond    // the door is closed before the office is: who holds a task cannot bring it
	workersKept = 10_000              // workers that are remembered between their questions
	takeTick    = 30 * time.Second    // longest wait for a task
	TypesMax    = 200                 // types of a workspace
	kind        = "external"          // of the nodes whose tasks are handed out here
	seenWindow  = 30 * 24 * time.Hour // how far back one looks for workers
)

// Peers reach the offices of other servers, where a worker's question may
// arrive that is about a lease of ours, and the other way round.
type Peers interface {
	Forward(ctx context.Context, server string, c Caller, q Question) ([]byte, error)
}

// Config is what an Office is made of. Required: Source, Payloads, Kept, Name.
type Config struct {
	Source   worker.Source
	Payloads worker.Payloads
	Redact   func([]byte) []byte // cuts secrets out; nil: nothing is cut out
	Kept     Kept
	Name     string                                    // of this server, unlike any other's; no dot in it
	Callback func(request worker.Action) worker.Action // the step that tells a callback's address by a request; nil: it is not done elsewhere
	Peers    Peers                                     // nil: there are no other servers
	Log      *slog.Logger
	Now      func() time.Time                                                   // nil is time.Now
	Meter    func(queue, kind, class string, took time.Duration)                // told after each attempt; may be nil
	Count    func(outcome string)                                               // told of each result's outcome; may be nil
	Refused  func(ctx context.Context, c Caller, lease, workspace, what string) // told when somebody names a lease of another workspace; may be nil
}

// Office hands external tasks to workers.
type Office struct {
	cfg  Config
	pool *worker.Pool
	want chan string // queues to be served

	mu      sync.Mutex
	closed  chan struct{} // no task is handed out any more
	desks   map[string]*worker.Desk
	asked   map[string]*hatch   // queues that are served, or will be
	takers  map[string][]*taker // who waits for a task, by queue, the first come first
	waiting map[string][]*lease // tasks whose worker has gone, by queue
	leases  map[string]*lease   // held, and the last ones that are over
	ended   []string            // those, the oldest first
	pieces  int                 // bytes of outputs that come in pieces
	losses  map[attemptKey]int
	lost    []attemptKey            // the same, the oldest first
	lapsed  map[attemptKey][]*lease // whose worker fell silent, of attempts that nobody has ended since
	seen    map[workerKey]time.Time
	notices map[workerKey]*notice
}

// workerKey names a worker.
type workerKey struct{ workspace, worker string }

// New makes an office; Run opens it.
func New(cfg Config) (*Office, error) {
	if cfg.Kept == nil || cfg.Name == "" {
		return nil, errors.New("the office of workers needs a name and a place for what they announce")
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.Now == nil {
		cfg.Now = time.Now //nolint:forbidigo // the one place where the office's clock comes from
	}
	if cfg.Count == nil {
		cfg.Count = func(string) {}
	}
	o := &Office{
		cfg: cfg, want: make(chan string, queuesMax+queuesOwn), closed: make(chan struct{}), desks: map[string]*worker.Desk{}, asked: map[string]*hatch{},
		takers: map[string][]*taker{}, waiting: map[string][]*lease{}, leases: map[string]*lease{}, losses: map[attemptKey]int{}, lapsed: map[attemptKey][]*lease{},
		seen: map[workerKey]time.Time{}, notices: map[workerKey]*notice{},
	}
	var err error
	o.pool, err = worker.New(worker.Config{
		Source: source{cfg.Source, o}, Actions: actions(o), Payloads: cfg.Payloads, Redact: cfg.Redact,
		Log: cfg.Log, Name: cfg.Name, Default: heldMax, Output: outputMax, Drain: stopWait, Now: cfg.Now, Meter: cfg.Meter,
		Queues: queuesMax + queuesOwn, Demand: o.demand, Opened: o.opened, Closed: o.shut,
	})
	if err != nil {
		return nil, err //nolint:wrapcheck // it says what is missing
	}
	return o, nil
}

// Run serves until the context ends; tasks that are held then go to other
// servers.
func (o *Office) Run(ctx context.Context) error {
	defer o.Close()
	return o.pool.Run(ctx) //nolint:wrapcheck // it says which queue
}

// Close ends the waiting of workers; no task is handed out any more.
func (o *Office) Close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	select {
	case <-o.closed:
	default:
		close(o.closed)
	}
}

// demand is how many tasks of a queue its waiting workers would take.
func (o *Office) demand(queue string) int {
	o.mu.Lock()
	defer o.mu.Unlock()
	n := -len(o.waiting[queue])
	for _, t := range o.takers[queue] {
		n += t.room
	}
	return max(0, n)
}

// wake says at the desks of some queues that there may be more demand. The
// lock is held.
func (o *Office) wake(queues []string) {
	for _, q := range queues {
		if d := o.desks[q]; d != nil {
			d.Wake()
		}
	}
}
