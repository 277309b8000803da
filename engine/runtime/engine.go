package runtime

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"

	"signalbox/engine/event"
	"signalbox/engine/machine"
	"signalbox/engine/problem"
	"signalbox/engine/route"
)

// Defaults of Config.
const (
	leaseDefault = 5 * time.Second // a silent owner loses its shards after this
	inboxMax     = 65_536          // inputs that wait for a turn; more block the sender
)

// Config is what an Engine is made of.
type Config struct {
	Store   Store
	Channel Channel
	Ledger  Ledger // nil: idempotency keys are refused
	Log     *slog.Logger
	Owner   string                        // unique name of this process
	Shards  int                           // shards of the database; 0 is 1
	Lease   time.Duration                 // 0 is 5 s
	Routes  func(route.Attributes) string // nil is route.Standard
	Now     func() time.Time              // nil is time.Now
	Meter   Meter                         // nil: nothing is counted
	Callees Callees                       // nil: other workflows cannot be called
	// Watched says whether anybody may want traces of a run; nil: it is not
	// known, and every trace is published.
	Watched func(workspace string, run uuid.UUID) bool
}

// Engine runs all machines of the shards that this process owns.
type Engine struct {
	cfg      Config
	shards   []*shard
	machines machines
	callers  callers
	ready    chan struct{}
	once     sync.Once
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
	if cfg.Lease == 0 {
		cfg.Lease = leaseDefault
	}
	if cfg.Now == nil {
		cfg.Now = time.Now //nolint:forbidigo // the one place where the engine's clock comes from
	}
	if cfg.Routes == nil {
		cfg.Routes = route.Standard().Queue
	}
	if cfg.Meter == nil {
		cfg.Meter = unmetered{}
	}
	e := &Engine{cfg: cfg, ready: make(chan struct{})}
	e.machines.store = cfg.Store
	e.callers.engine, e.callers.open = e, map[string]bool{}
	for i := range cfg.Shards {
		e.shards = append(e.shards, newShard(i, &e.cfg, &e.machines, &e.callers))
	}
	return e, nil
}

// Run owns shards and takes turns until the context ends; then the turn under
// way is committed and the shards are released.
func (e *Engine) Run(ctx context.Context) error {
	g, ctx := errgroup.WithContext(ctx)
	e.callers.begin(ctx)
	owned := make(chan struct{}, len(e.shards))
	for _, s := range e.shards {
		g.Go(func() error { return s.run(ctx, func() { owned <- struct{}{} }) })
	}
	g.Go(func() error { e.relayLost(ctx); return nil })
	g.Go(func() error {
		<-ctx.Done()
		e.callers.wg.Wait()
		return nil
	})
	g.Go(func() error {
		for range e.shards {
			select {
			case <-owned:
			case <-ctx.Done():
				return nil
			}
		}
		e.once.Do(func() { close(e.ready) })
		return nil
	})
	return g.Wait()
}

// relayLost tells every shard when tasks may have been lost.
func (e *Engine) relayLost(ctx context.Context) {
	for {
		select {
		case <-e.cfg.Channel.Lost():
		case <-ctx.Done():
			return
		}
		for _, s := range e.shards {
			select {
			case s.lost <- struct{}{}:
			default: // it has not looked yet at the last time
			}
		}
	}
}

// Ready is closed when every shard is owned and recovered.
func (e *Engine) Ready() <-chan struct{} { return e.ready }

// Owned reports whether this process owns every shard at the moment: another
// one may have taken over since it was ready.
func (e *Engine) Owned() bool {
	for _, s := range e.shards {
		if !s.owned.Load() {
			return false
		}
	}
	return true
}

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
	Trigger    string // key of the trigger node
	Input      json.RawMessage
	Attributes json.RawMessage // small object for lists; nil is {}
	Source     string
	Test       bool
	Key        string // idempotency key; empty: none
	Wait       Wait
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
	Body    json.RawMessage
	Run     string       // status of the run at that moment
	Error   *event.Error // of a failed run
}

// Start begins a run and returns when it is committed, or, with Wait, when it
// answered. When the context ends first the run goes on; the error then is the
// context's, and Started still names the run.
func (e *Engine) Start(ctx context.Context, r StartRequest) (Started, error) {
	run, err := uuid.NewV7()
	if err != nil {
		return Started{}, fmt.Errorf("make a run id: %w", err)
	}
	out := Started{Run: run}
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
		input: machine.Start{Trigger: r.Trigger, Value: r.Input, Attributes: r.Attributes, Source: r.Source},
		reply: make(chan reply, 1),
	}
	rep, err := e.submit(ctx, j)
	out.Answer = rep.answer
	return out, err
}

// Cancel ends a run. Canceling one that is over changes nothing.
func (e *Engine) Cancel(ctx context.Context, workspace string, run uuid.UUID, by, reason string) error {
	j := &job{run: run, workspace: workspace, input: machine.Cancel{By: by, Reason: reason}, reply: make(chan reply, 1)}
	_, err := e.submit(ctx, j)
	return err
}

// submit hands an input to its shard and waits for the reply.
func (e *Engine) submit(ctx context.Context, j *job) (reply, error) {
	s := e.shards[ShardOf(j.run, len(e.shards))]
	select {
	case s.inbox <- j:
	case <-ctx.Done():
		return reply{}, ctx.Err()
	}
	select {
	case r := <-j.reply:
		return r, r.err
	case <-ctx.Done():
		return reply{}, ctx.Err()
	}
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
		return nil, fmt.Errorf("version %s: %w", version, err)
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
