package runtime

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"

	"signalbox/engine/event"
	"signalbox/engine/machine"
	"signalbox/engine/problem"
)

// Defaults of Config.
const (
	leaseAlone  = 5 * time.Second         // a silent owner loses its shards after this
	leaseShared = 1500 * time.Millisecond // the same where others wait to take over
	inboxMax    = 65_536                  // inputs that wait for a turn; more block the sender
)

// Config is what an Engine is made of.
type Config struct {
	Store   Store
	Channel Channel
	Ledger  Ledger // nil: idempotency keys are refused
	Log     *slog.Logger
	Owner   string           // unique name of this process
	Shards  int              // shards of the database; 0 is 1
	Peers   Peers            // nil: no other server can be reached, the first one owns all shards
	Lease   time.Duration    // 0 is 1.5 s, or 5 s without Peers
	Beat    time.Duration    // between two renewals; 0 is four fifteenths of Lease
	Queues  Queues           // nil: the standard routes, and nothing is limited
	Slots   Slots            // nil: limits hold within this process
	Now     func() time.Time // nil is time.Now
	Meter   Meter            // nil: nothing is counted
	Callees Callees          // nil: other workflows cannot be called
	Inside  int              // items of one map that are done inside its run; 0 is machine.ItemsMax
	// Watched says whether anybody may want traces of a run; nil: it is not
	// known, and every trace is published.
	Watched func(workspace string, run uuid.UUID) bool
	// Errand is told of what is about to be asked of a run from beside the
	// turns, and may hold it up: a simulation keeps such things apart by it.
	// nil: nobody wants to know.
	Errand func(ctx context.Context, run uuid.UUID, what string)
}

// Engine runs all machines of the shards that this process owns.
type Engine struct {
	cfg      Config
	shards   []*shard
	machines machines
	callers  callers
	roster   roster
	gate     *gate
	refused  atomic.Uint64 // starts, for a backlog
}

// New makes an engine; Run starts it.
func New(cfg Config) (*Engine, error) {
	var faults []error
	if cfg.Store == nil {
		faults = append(faults, errors.New("the engine needs a store"))
	}
	if cfg.Channel == nil {
		faults = append(faults, errors.New("the engine needs a channel"))
	}
	if cfg.Owner == "" {
		faults = append(faults, errors.New("the engine needs the name of its process"))
	}
	if err := errors.Join(faults...); err != nil {
		return nil, err
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.Shards == 0 {
		cfg.Shards = 1
	}
	if cfg.Lease == 0 && cfg.Peers == nil {
		cfg.Lease = leaseAlone
	}
	if cfg.Lease == 0 {
		cfg.Lease = leaseShared
	}
	if cfg.Beat == 0 {
		cfg.Beat = cfg.Lease * 4 / 15
	}
	if cfg.Now == nil {
		cfg.Now = time.Now //nolint:forbidigo // the one place where the engine's clock comes from
	}
	if cfg.Queues == nil {
		cfg.Queues = standard{}
	}
	if cfg.Meter == nil {
		cfg.Meter = unmetered{}
	}
	e := &Engine{cfg: cfg}
	e.machines.store = cfg.Store
	e.gate = newGate(&e.cfg)
	e.callers.init(e)
	e.roster.cfg, e.roster.tenure.born = &e.cfg, cfg.Now()
	e.roster.kick, e.roster.ready = make(chan struct{}, 1), make(chan struct{})
	for i := range cfg.Shards {
		e.shards = append(e.shards, newShard(i, e))
	}
	e.roster.shards = e.shards
	return e, nil
}

// Run owns shards and takes turns until the context ends; then the turns under
// way are committed and the shards are released.
func (e *Engine) Run(ctx context.Context) error {
	g, gctx := errgroup.WithContext(ctx)
	for _, s := range e.shards {
		g.Go(func() error { return s.run(gctx) })
	}
	g.Go(func() error { e.relayLost(gctx); return nil })
	g.Go(func() error { return e.roster.run(gctx) })
	g.Go(func() error { e.gate.run(gctx); return nil })
	err := g.Wait()
	e.callers.wg.Wait()
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseMax)
	defer cancel()
	if e := e.cfg.Store.Leave(last, e.cfg.Owner); e != nil && err == nil && ctx.Err() == nil {
		err = e
	}
	return err
}

// relayLost tells every shard when tasks may have been lost.
func (e *Engine) relayLost(ctx context.Context) {
	for {
		select {
		case <-e.cfg.Channel.Lost():
		case <-ctx.Done():
			return
		}
		e.gate.lost()
		for _, s := range e.shards {
			select {
			case s.lost <- struct{}{}:
			default: // it has not looked yet at the last time
			}
		}
	}
}

// Ready is closed when every shard is owned and recovered, here or elsewhere.
func (e *Engine) Ready() <-chan struct{} { return e.roster.ready }

// Able reports in an error why this server should get no requests for now.
func (e *Engine) Able() error {
	switch {
	case e.cfg.Peers == nil && !e.Owned():
		return errors.New("another server does the work at the moment")
	case e.cfg.Peers != nil && !e.roster.tenure.sure(e.cfg.Now()):
		return errors.New("the lease of this server was not renewed")
	}
	return nil
}

// Holds counts the shards that this process owns at the moment.
func (e *Engine) Holds() int {
	n := 0
	for _, s := range e.shards {
		if s.owned.Load() {
			n++
		}
	}
	return n
}

// Owned reports whether this process owns every shard at the moment: another
// one may have taken over since it was ready.
func (e *Engine) Owned() bool { return e.Holds() == len(e.shards) }

// Wait says what a StartRequest waits for beside the commit.
type Wait int

// The closed list of Wait.
const (
	WaitNone   Wait = iota // the run is on disk
	WaitAnswer             // a respond node, or the end
	WaitEnd                // the end
)

// StartRequest asks for a new run.
type StartRequest struct {
	Workspace  string
	Workflow   uuid.UUID
	Version    uuid.UUID
	Trigger    string          // key of the trigger node
	Input      json.RawMessage `json:",omitempty"`
	Attributes json.RawMessage `json:",omitempty"` // small object for lists; nil is {}
	Source     string
	Test       bool
	Rig        *machine.Rig `json:",omitempty"` // of a test run: clock, breakpoints, pins; nil: none
	Key        string       // idempotency key; empty: none
	Wait       Wait
	Item       *machine.Item `json:",omitempty"` // the run is an item of the map Trigger; nil: it is none

	run   uuid.UUID // of an item: the id that it has to have
	first bool      // and nobody has asked for it before
}

// rig is what the machine is set up with: a run that is no test has none,
// whoever asks.
func (r *StartRequest) rig() *machine.Rig {
	if !r.Test {
		return nil
	}
	return r.Rig
}

// Started is what became of it.
type Started struct {
	Run      uuid.UUID
	Existing bool    // an earlier request with the same key started it
	Answer   *Answer // with Wait, when it came in time
}

// Answer is what a run says to whoever waits for it.
type Answer struct {
	Status  int // of a respond node; 0: the run ended without one
	Headers map[string]string
	Body    json.RawMessage `json:",omitempty"`
	Run     string          // status of the run at that moment
	Error   *event.Error    // of a failed run
}

// Start begins a run and returns when it is committed, or, with Wait, when it
// answered. When the context ends first the run goes on; the error then is the
// context's, and Started still names the run.
func (e *Engine) Start(ctx context.Context, r StartRequest) (Started, error) {
	if err := e.room(&r); err != nil {
		return Started{}, err
	}
	run, err := uuid.NewV7()
	if err != nil {
		return Started{}, fmt.Errorf("make a run id: %w", err)
	}
	out := Started{Run: run}
	if r.run != uuid.Nil {
		out.Run, out.Existing = r.run, !r.first
	}
	if r.Key != "" {
		if e.cfg.Ledger == nil {
			return out, problem.New(problem.Invalid, "Idempotency keys are not kept here.")
		}
		winner, err := e.cfg.Ledger.ClaimStart(ctx, r.Workspace, r.Workflow.String()+"/"+r.Trigger, r.Key, run)
		if err != nil {
			return out, fmt.Errorf("claim idempotency key: %w", err)
		}
		out.Existing, out.Run = winner != run, winner
	}
	if len(r.Attributes) == 0 {
		r.Attributes = json.RawMessage("{}")
	}
	j := &job{
		run: out.Run, fresh: !out.Existing, start: &r, wait: r.Wait,
		input: r.input(), reply: make(chan reply, 1),
	}
	rep, err := e.submit(ctx, j)
	out.Answer = rep.answer
	return out, err
}

func (r *StartRequest) input() machine.Start {
	return machine.Start{Trigger: r.Trigger, Value: r.Input, Attributes: r.Attributes, Source: r.Source, Rig: r.rig(), Item: r.Item}
}

// Cancel ends a run. Canceling one that is over changes nothing.
func (e *Engine) Cancel(ctx context.Context, workspace string, run uuid.UUID, by, reason string) error {
	j := &job{run: run, workspace: workspace, input: machine.Cancel{By: by, Reason: reason}, reply: make(chan reply, 1)}
	_, err := e.submit(ctx, j)
	return err
}

// ShardOf says which shard a run belongs to, by the random end of its id.
func ShardOf(run uuid.UUID, shards int) int {
	return (int(run[14])<<8 | int(run[15])) % shards
}

// machines keeps the linked machine of each version, which never changes.
type machines struct {
	store Versions
	mu    sync.Mutex
	byID  map[uuid.UUID]*machine.Machine
}

func (c *machines) get(ctx context.Context, version uuid.UUID) (*machine.Machine, error) {
	c.mu.Lock()
	m := c.byID[version]
	c.mu.Unlock()
	if m != nil {
		return m, nil
	}
	raw, err := c.store.Machine(ctx, version)
	if err != nil {
		return nil, fmt.Errorf("load the machine of version %s: %w", version, err)
	}
	if m, err = machine.Load(raw); err != nil {
		return nil, &unreadableError{err: fmt.Errorf("version %s: %w", version, err)}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.byID == nil || len(c.byID) >= machinesMax {
		c.byID = map[uuid.UUID]*machine.Machine{}
	}
	c.byID[version] = m
	return m, nil
}

// machinesMax is how many linked machines are kept; then all are forgotten and
// those still used come back.
const machinesMax = 1_000
