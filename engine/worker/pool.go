package worker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"signalbox/engine/task"
	"signalbox/engine/vault"
)

// Limits of a pool.
const (
	SlotsMax     = 10_000           // attempts of one queue at once
	slotsDefault = 16               // per queue
	queuesUsual  = 1_000            // queues that one pool serves
	timeoutUsual = 5 * time.Minute  // of an attempt whose task names none
	timeoutMax   = time.Hour        // of any attempt
	drainUsual   = 20 * time.Second // for attempts under way when the pool stops
	extendEvery  = 3 * time.Second  // heartbeat of an attempt
	overrunMax   = 5 * time.Second  // an action that ignores its deadline longer is given up
	canceledKept = 10_000           // runs that are remembered as canceled
)

// Payloads hold large values.
type Payloads interface {
	PutPayload(ctx context.Context, workspace, digest string, data []byte) error
	Payload(ctx context.Context, workspace, digest string) ([]byte, error)
}

// Config is what a Pool is made of.
type Config struct {
	Source   Source
	Actions  map[string]Action // by kind
	Payloads Payloads
	Secret   func(ctx context.Context, workspace, name string) (vault.Secret, error) // nil: there are no credentials
	Redact   func([]byte) []byte                                                     // cuts secrets out; nil: nothing is cut out
	Log      *slog.Logger
	Name     string                                              // of this worker, shown in the run view
	Slots    map[string]int                                      // per queue
	Default  int                                                 // slots of a queue that Slots does not name; 0 is 16
	Only     []string                                            // queues to serve; empty: all
	Serves   func(queue string) bool                             // whether a queue is for this pool; nil: every one of those
	Demand   func(queue string) int                              // how many more tasks of a queue are wanted now; nil: as many as it has free slots
	Queues   int                                                 // queues to serve at most; 0 is 1,000
	Opened   func(queue string, d *Desk)                         // told when a queue is served; may be nil
	Closed   func(queue string)                                  // told when the source does not serve a queue any more; may be nil
	Output   int                                                 // bytes of an output at most; 0 is OutputMax
	Drain    time.Duration                                       // 0 is 20 s
	Now      func() time.Time                                    // nil is time.Now
	Meter    func(queue, kind, class string, took time.Duration) // told after each attempt, class empty on success; may be nil
	Witness  Witness                                             // remembers what this process died of; nil: nobody does
}

// Pool runs attempts.
type Pool struct {
	cfg       Config
	suspect   chan struct{} // held by the one attempt at work that may be deadly
	draining  chan struct{} // closed when the pool stops
	announcer *announcer

	mu       sync.Mutex
	desks    map[string]*Desk
	running  map[*attempt]struct{}
	canceled map[string]struct{} // runs
	order    []string            // the same, the oldest first
}

// New makes a pool; Run starts it.
func New(cfg Config) (*Pool, error) {
	var faults []error
	if cfg.Source == nil {
		faults = append(faults, errors.New("the workers need a source of tasks"))
	}
	if cfg.Payloads == nil {
		faults = append(faults, errors.New("the workers need a place for large values"))
	}
	if len(cfg.Actions) == 0 {
		faults = append(faults, errors.New("the workers need actions"))
	}
	for queue, n := range cfg.Slots {
		if n < 1 || n > SlotsMax {
			faults = append(faults, fmt.Errorf("queue %s: %d slots, but 1 to %d are possible", queue, n, SlotsMax))
		}
	}
	if cfg.Default < 0 || cfg.Default > SlotsMax {
		faults = append(faults, fmt.Errorf("%d slots a queue, but 1 to %d are possible", cfg.Default, SlotsMax))
	}
	if err := errors.Join(faults...); err != nil {
		return nil, err
	}
	if cfg.Witness == nil {
		cfg.Witness = nobody{}
	}
	if cfg.Redact == nil {
		cfg.Redact = func(b []byte) []byte { return b }
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.Default == 0 {
		cfg.Default = slotsDefault
	}
	if cfg.Queues == 0 {
		cfg.Queues = queuesUsual
	}
	if cfg.Output == 0 {
		cfg.Output = OutputMax
	}
	if cfg.Drain == 0 {
		cfg.Drain = drainUsual
	}
	if cfg.Now == nil {
		cfg.Now = time.Now //nolint:forbidigo // the one place where the workers' clock comes from
	}
	return &Pool{cfg: cfg, suspect: make(chan struct{}, 1), draining: make(chan struct{}), announcer: newAnnouncer(), desks: map[string]*Desk{}, running: map[*attempt]struct{}{}, canceled: map[string]struct{}{}}, nil
}

// errStopped is the cause of a context that ends because the pool stops.
var errStopped = errors.New("the worker is stopping")

// errCanceled is the cause of a context that ends because the run does.
var errCanceled = errors.New("the run is over")

// Run serves all queues until the context ends. Then no task is taken any
// more, attempts under way may end within the drain time, and what is left is
// given back for another worker.
func (p *Pool) Run(ctx context.Context) error {
	work, stop := context.WithCancelCause(context.WithoutCancel(ctx))
	defer stop(errStopped)
	beat := make(chan struct{})
	go func() { defer close(beat); p.heartbeat(work) }()

	g, serve := errgroup.WithContext(ctx)
	g.Go(func() error { return p.cfg.Source.Canceled(serve, p.cancel) })
	g.Go(func() error {
		return p.cfg.Source.Queues(serve, func(queue string) {
			if d := p.open(work, queue); d != nil {
				g.Go(func() error {
					if err := p.cfg.Source.Serve(serve, queue, d); err != nil && serve.Err() == nil {
						return fmt.Errorf("serve queue %s: %w", queue, err)
					}
					p.close(queue)
					return nil
				})
			}
		})
	})
	err := g.Wait()
	close(p.draining)
	p.drain(stop)
	stop(errStopped)
	<-beat
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// open makes the desk of a queue that is not served yet.
func (p *Pool) open(ctx context.Context, queue string) *Desk {
	if len(p.cfg.Only) > 0 && !slices.Contains(p.cfg.Only, queue) {
		return nil
	}
	if p.cfg.Serves != nil && !p.cfg.Serves(queue) {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.desks[queue] != nil || len(p.desks) >= p.cfg.Queues {
		return nil
	}
	slots, ok := p.cfg.Slots[queue]
	if !ok {
		slots = p.cfg.Default
	}
	d := newDesk(slots, func(d *Desk, j Job) { p.do(ctx, j) })
	if demand := p.cfg.Demand; demand != nil {
		d.demand = func() int { return demand(queue) }
	}
	p.desks[queue] = d
	if p.cfg.Opened != nil {
		p.cfg.Opened(queue, d)
	}
	p.cfg.Log.InfoContext(ctx, "queue served", "queue", queue, "slots", slots)
	return d
}

// close forgets the desk of a queue that is not served any more. What is at work
// goes on.
func (p *Pool) close(queue string) {
	p.mu.Lock()
	delete(p.desks, queue)
	p.mu.Unlock()
	if p.cfg.Closed != nil {
		p.cfg.Closed(queue)
	}
}

// Slots is what a queue has in this process.
type Slots struct{ Open, Busy int }

// Slots lists the queues that are served.
func (p *Pool) Slots() map[string]Slots {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := make(map[string]Slots, len(p.desks))
	for name, d := range p.desks {
		out[name] = Slots{d.Slots(), d.Busy()}
	}
	return out
}

// Resize changes how many attempts of a queue run at once.
func (p *Pool) Resize(queue string, slots int) {
	p.mu.Lock()
	d := p.desks[queue]
	p.mu.Unlock()
	if d != nil && d.Slots() != slots {
		d.Resize(slots)
	}
}

// heartbeat keeps the tasks of attempts under way from being handed out again,
// and gives up attempts whose action ignores its deadline.
func (p *Pool) heartbeat(ctx context.Context) {
	tick := time.NewTicker(time.Second) //nolint:forbidigo // a heartbeat, not a decision
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		now := p.cfg.Now()
		for _, a := range p.atWork() {
			a.beat(now)
		}
	}
}

func (p *Pool) atWork() []*attempt {
	p.mu.Lock()
	defer p.mu.Unlock()
	list := make([]*attempt, 0, len(p.running))
	for a := range p.running {
		list = append(list, a)
	}
	return list
}

// drain waits for attempts under way, then ends them.
func (p *Pool) drain(stop context.CancelCauseFunc) {
	const settle = overrunMax + time.Second // for actions to notice
	end := time.NewTimer(p.cfg.Drain)       //nolint:forbidigo // the drain deadline
	defer end.Stop()
	look := time.NewTicker(10 * time.Millisecond) //nolint:forbidigo // only while stopping
	defer look.Stop()
	stopped := false
	for {
		p.mu.Lock()
		n := len(p.running)
		p.mu.Unlock()
		if n == 0 {
			return
		}
		select {
		case <-look.C:
		case <-end.C:
			if stopped {
				p.abandon()
				return
			}
			stopped = true
			stop(errStopped)
			end.Reset(settle)
		}
	}
}

// abandon gives back the tasks of attempts whose action does not end.
func (p *Pool) abandon() {
	for _, a := range p.atWork() {
		if a.end() {
			a.job.Return()
		}
	}
}

// cancel ends the attempts of a run that is over, and those that come later.
func (p *Pool) cancel(workspace, run string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, there := p.canceled[run]; !there {
		if len(p.order) >= canceledKept {
			delete(p.canceled, p.order[0])
			p.order = p.order[1:]
		}
		p.canceled[run] = struct{}{}
		p.order = append(p.order, run)
	}
	for a := range p.running {
		if t := a.job.Task(); t.Run == run && t.Workspace == workspace {
			a.cancel(errCanceled)
		}
	}
}

// admit registers an attempt unless its run is over.
func (p *Pool) admit(a *attempt) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, over := p.canceled[a.job.Task().Run]; over {
		return false
	}
	p.running[a] = struct{}{}
	return true
}

func (p *Pool) leave(a *attempt) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.running, a)
}

// timeoutOf is how long an attempt may take.
func (p *Pool) timeoutOf(t *task.Task, now time.Time) time.Duration {
	d := t.Timeout
	if d <= 0 {
		d = timeoutUsual
	}
	d = min(d, timeoutMax)
	if t.Deadline != nil {
		d = min(d, t.Deadline.Sub(now))
	}
	return d
}
