package runtime

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"

	"signalbox/engine/machine"
	"signalbox/engine/problem"
	"signalbox/engine/task"
)

// Limits of a shard's loop.
const (
	TurnMax    = 256              // inputs in one turn
	inlineMax  = 4                // a turn this small commits without a hand-over
	commitMax  = 30 * time.Second // a commit that takes longer has an unknown outcome
	backoffMin = 50 * time.Millisecond
	backoffMax = 2 * time.Second
	sweepEvery = 30 * time.Second // due runs that are not in memory, attempts that went silent
)

// job is one input on its way to a run.
type job struct {
	run       uuid.UUID
	workspace string        // when set, the run must belong to it
	fresh     bool          // the run cannot exist yet
	start     *StartRequest // of the first input
	wait      Wait
	input     machine.Input
	result    *task.Result // of a worker: becomes the input when the run is at hand
	settle    func()
	revive    bool       // the run was written by somebody else: hand out what it owes
	reply     chan reply // buffered; nil: nobody asks
}

// reply is what the sender of a job hears after the commit.
type reply struct {
	answer  *Answer
	changed bool // the input made events
	err     error
}

func (j *job) done(r reply) {
	if j.settle != nil {
		j.settle()
	}
	if j.reply != nil {
		j.reply <- r
	}
}

// shard owns a part of all runs: one goroutine touches their states.
type shard struct {
	n        int
	cfg      *Config
	machines *machines
	callers  *callers
	inbox    chan *job
	retry    []*job // inputs whose turn failed; they come first
	epoch    int64
	runs     map[uuid.UUID]*live
	waiters  map[uuid.UUID][]*job
	broken   map[uuid.UUID]bool // runs that were put aside in a turn under way
	deferred []*job             // inputs of those
	redo     bool               // what is owed is to be handed out again
	lost     chan struct{}      // tasks may have been lost
	timers   timers
	clock    *time.Timer
	tasks    chan []task.Task
	fault    error // the store failed while a turn was made
	owned    atomic.Bool
	standby  time.Time // since when another process owns it; zero: it does not
	swept    time.Time
	crowd    int  // so many runs are kept before it is looked which of them sleep
	missed   bool // a run could not be recovered: try again
	silent   bool // attempts that are silent for long are to be handed out again
}

func newShard(n int, cfg *Config, ms *machines, calls *callers) *shard {
	return &shard{
		n: n, cfg: cfg, machines: ms, callers: calls, inbox: make(chan *job, inboxMax),
		runs: map[uuid.UUID]*live{}, waiters: map[uuid.UUID][]*job{}, tasks: make(chan []task.Task, 1_024), lost: make(chan struct{}, 1),
	}
}

// run owns the shard again and again until the context ends.
func (s *shard) run(ctx context.Context, owned func()) error {
	g, gctx := errgroup.WithContext(ctx)
	g.Go(func() error { s.dispatcher(gctx); return nil })
	g.Go(func() error {
		wait := backoffMin
		for gctx.Err() == nil {
			began := s.cfg.Now()
			err := s.once(gctx, func() { owned(); owned = func() {} })
			if gctx.Err() != nil {
				break
			}
			if s.cfg.Now().Sub(began) > 10*time.Second {
				wait = backoffMin
			}
			s.standBy(err)
			s.cfg.Log.WarnContext(gctx, "turns stopped, starting again", "shard", s.n, "err", err)
			pause(gctx, wait)
			wait = min(2*wait, backoffMax)
		}
		s.refuse()
		return nil //nolint:nilerr // what failed was logged, and the end was asked for
	})
	return g.Wait()
}

// standBy refuses what waits here while another process owns the shard. A
// lease that merely has to run out is waited for; after that an input would
// only be taken when the other one dies, which its sender has long forgotten.
func (s *shard) standBy(err error) {
	if !errors.Is(err, ErrFenced) {
		return
	}
	now := s.cfg.Now()
	if s.standby.IsZero() {
		s.standby = now
	}
	if now.Sub(s.standby) > 2*s.cfg.Lease {
		s.refuse()
		s.retry, s.waiters = nil, map[uuid.UUID][]*job{}
	}
}

func pause(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d) //nolint:forbidigo // a back-off, not a decision
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C:
	}
}

// once owns the shard, recovers it and takes turns until something fails.
func (s *shard) once(ctx context.Context, owned func()) error {
	epoch, err := s.cfg.Store.Acquire(ctx, s.n, s.cfg.Owner, s.cfg.Lease)
	if err != nil {
		return fmt.Errorf("own shard %d: %w", s.n, err)
	}
	s.epoch = epoch
	s.runs, s.broken, s.timers, s.fault, s.redo = map[uuid.UUID]*live{}, map[uuid.UUID]bool{}, nil, nil, false
	s.silent, s.missed, s.crowd = false, false, 0
	s.clock = time.NewTimer(time.Hour) //nolint:forbidigo // set to the next deadline as it changes
	defer s.clock.Stop()
	if err := s.recover(ctx); err != nil {
		return fmt.Errorf("recover shard %d: %w", s.n, err)
	}
	owned()
	s.standby = time.Time{}
	s.owned.Store(true)
	defer s.owned.Store(false)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var beside sync.WaitGroup
	beside.Go(func() { s.renew(ctx, cancel) })
	beside.Go(func() { // only an owner asks for results: it alone can settle them
		if err := s.receive(ctx); err != nil {
			cancel(err)
		}
	})
	err = s.loop(ctx)
	cancel(nil)
	beside.Wait()
	if cause := context.Cause(ctx); err == nil && !errors.Is(cause, context.Canceled) {
		err = cause
	}
	free, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer stop()
	if e := s.cfg.Store.Release(free, s.n, s.cfg.Owner); e != nil && err == nil {
		s.cfg.Log.DebugContext(ctx, "shard not released, its lease will end", "shard", s.n, "err", e)
	}
	return err
}

// renew keeps the lease. Losing it ends the loop; the fence in every turn
// keeps a late owner from writing meanwhile.
func (s *shard) renew(ctx context.Context, lost context.CancelCauseFunc) {
	for {
		pause(ctx, s.cfg.Lease/3)
		if ctx.Err() != nil {
			return
		}
		epoch, err := s.cfg.Store.Acquire(ctx, s.n, s.cfg.Owner, s.cfg.Lease)
		if errors.Is(err, ErrFenced) || err == nil && epoch != s.epoch {
			lost(ErrFenced)
			return
		}
	}
}

// receive turns results into jobs.
func (s *shard) receive(ctx context.Context) error {
	err := s.cfg.Channel.Results(ctx, s.n, func(d Delivered) {
		run, err := uuid.Parse(d.Result.Run)
		if err != nil {
			d.Settle()
			return
		}
		r := d.Result
		select {
		case s.inbox <- &job{run: run, workspace: r.Workspace, result: &r, settle: d.Settle}:
		case <-ctx.Done():
		}
	})
	if err != nil && ctx.Err() == nil {
		return fmt.Errorf("receive results of shard %d: %w", s.n, err)
	}
	return nil
}

// dispatcher hands tasks to the channel, again and again until it takes them:
// they are committed, so they must go out.
func (s *shard) dispatcher(ctx context.Context) {
	for {
		var tasks []task.Task
		select {
		case tasks = <-s.tasks:
		case <-ctx.Done():
			return
		}
		for wait := backoffMin; ; wait = min(2*wait, backoffMax) {
			err := s.cfg.Channel.Dispatch(ctx, tasks)
			if err == nil || ctx.Err() != nil {
				break
			}
			s.cfg.Log.WarnContext(ctx, "tasks not dispatched yet", "shard", s.n, "count", len(tasks), "err", err)
			pause(ctx, wait)
		}
	}
}

// refuse answers whoever still waits when the process stops or has lost the
// shard. What they asked for may or may not have happened.
func (s *shard) refuse() {
	stopped := problem.New(problem.Unavailable, "This server is stopping, or another one has taken over; it is not known whether this was done. Ask again with the same idempotency key.")
	answer := func(j *job) {
		if j.reply != nil {
			select {
			case j.reply <- reply{err: stopped}:
			default:
			}
		}
	}
	for _, j := range s.retry {
		answer(j)
	}
	for _, list := range s.waiters {
		for _, j := range list {
			answer(j)
		}
	}
	for {
		select {
		case j := <-s.inbox:
			answer(j)
		default:
			return
		}
	}
}
