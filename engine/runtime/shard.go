package runtime

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"

	"signalbox/engine/machine"
	"signalbox/engine/mutant"
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
	unused    func()        // settle, when the result changed nothing; may be nil
	revive    bool          // the run was written by somebody else: hand out what it owes
	look      func(*live)   // only looks at the run
	quit      atomic.Bool   // nobody waits for the reply any more
	patience  time.Duration // for another server's answer
	reply     chan reply    // buffered; nil: nobody asks
}

// reply is what the sender of a job hears after the commit.
type reply struct {
	answer  *Answer
	changed bool // the input made events
	doubt   bool // an owner before may have taken it already
	err     error
}

func (j *job) done(r reply) {
	switch {
	case j.unused != nil && !r.changed && r.err == nil:
		j.unused()
	case j.settle != nil:
		j.settle()
	}
	if j.reply != nil {
		j.tell(r)
	}
}

// tell gives the sender its one reply and never waits. After a fault a job can
// be among those who wait for its run and among those that come again: it would
// be told twice, and a sender that has left in between would stop the shard for
// ever.
func (j *job) tell(r reply) {
	select {
	case j.reply <- r:
	default:
	}
}

// shard owns a part of all runs: one goroutine touches their states.
type shard struct {
	n        int
	cfg      *Config
	machines *machines
	callers  *callers
	tenure   *tenure
	looks    *atomic.Int64 // of this server at the roster, so far
	sight    sight
	invited  chan struct{}   // to own the shard
	busy     atomic.Bool     // invited, and not back yet
	kick     chan<- struct{} // tells the roster that something changed
	over     chan struct{}   // closed when nobody takes from the inbox any more
	life     context.Context //nolint:containedctx // of the time as owner: calls are placed in it
	gate     *gate
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
	tasks    chan outgoing
	sending  atomic.Int32 // what the dispatcher has
	fault    error        // the store failed while a turn was made
	owned    atomic.Bool
	standby  time.Time // since when another process owns it; zero: it does not
	swept    time.Time
	crowd    int  // so many runs are kept before it is looked which of them sleep
	missed   bool // a run could not be recovered: try again
	silent   bool // attempts that are silent for long are to be handed out again
}

func newShard(n int, e *Engine) *shard {
	s := &shard{
		n: n, cfg: &e.cfg, machines: &e.machines, callers: &e.callers, gate: e.gate, tenure: &e.roster.tenure, looks: &e.roster.looks, kick: e.roster.kick,
		invited: make(chan struct{}, 1), over: make(chan struct{}), inbox: make(chan *job, inboxMax),
		runs: map[uuid.UUID]*live{}, waiters: map[uuid.UUID][]*job{}, tasks: make(chan outgoing, 1_024), lost: make(chan struct{}, 1),
	}
	s.sight.reset()
	return s
}

// run owns the shard whenever it is invited to, until the context ends.
func (s *shard) run(ctx context.Context) error {
	g, gctx := errgroup.WithContext(ctx)
	g.Go(func() error { s.dispatcher(gctx); return nil })
	g.Go(func() error {
		for s.idle(gctx) {
			s.hold(gctx)
			s.busy.Store(false)
			wakeUp(s.kick)
		}
		s.surrender()
		close(s.over)
		return nil
	})
	return g.Wait()
}

// idle waits for an invitation; false: the context has ended. What comes
// meanwhile has to find the owner elsewhere; without other servers it waits.
func (s *shard) idle(ctx context.Context) bool {
	inbox := s.inbox
	if s.cfg.Peers == nil {
		inbox = nil
	}
	tick := time.NewTicker(s.cfg.Lease / 2) //nolint:forbidigo // a check, not a decision
	defer tick.Stop()
	for {
		select {
		case <-s.invited:
			return true
		case j := <-inbox:
			j.refuse(errMoved)
		case <-tick.C:
			s.standBy()
		case <-ctx.Done():
			return false
		}
	}
}

// hold owns the shard, again after every fault, until it is another's.
func (s *shard) hold(ctx context.Context) {
	for wait := backoffMin; ctx.Err() == nil; wait = min(2*wait, backoffMax) {
		began := s.cfg.Now()
		err := s.once(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case errors.Is(err, errYielded):
			s.surrender()
			return
		case errors.Is(err, errTaken): // somebody was faster
			s.lose()
			return
		case errors.Is(err, ErrFenced):
			s.cfg.Log.WarnContext(ctx, "turns stopped", "shard", s.n, "err", err)
			s.lose()
			return
		}
		if s.cfg.Now().Sub(began) > 10*time.Second {
			wait = backoffMin
		}
		s.cfg.Log.WarnContext(ctx, "turns stopped, starting again", "shard", s.n, "err", err)
		pause(ctx, wait)
	}
}

// lose lets those who wait here find the owner elsewhere. Without other
// servers they wait: perhaps it is dead, and its lease only has to run out.
func (s *shard) lose() {
	if s.cfg.Peers != nil {
		s.surrender()
	} else if s.standby.IsZero() {
		s.standby = s.cfg.Now()
	}
}

// standBy refuses what waits here while another process owns the shard. A
// lease that merely has to run out is waited for; after that an input would
// only be taken when the other one dies, which its sender has long forgotten.
func (s *shard) standBy() {
	if s.cfg.Peers != nil || s.sight.holder().Server == "" {
		return
	}
	if s.standby.IsZero() {
		s.standby = s.cfg.Now()
	}
	if s.cfg.Now().Sub(s.standby) > 2*s.cfg.Lease {
		s.surrender()
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
func (s *shard) once(ctx context.Context) (err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	s.sight.hold(cancel)
	defer func() {
		if errors.Is(context.Cause(ctx), errYielded) {
			err = errYielded
		}
	}()
	epoch, err := s.cfg.Store.Acquire(ctx, s.n, s.cfg.Owner, s.cfg.Lease)
	if errors.Is(err, ErrFenced) {
		return errTaken
	}
	if err != nil {
		return fmt.Errorf("own shard %d: %w", s.n, err)
	}
	defer s.release(ctx)
	s.sight.took(s.looks.Load())
	s.epoch, s.life = epoch, ctx
	kept := s.runs
	s.runs, s.broken, s.timers, s.fault, s.redo = map[uuid.UUID]*live{}, map[uuid.UUID]bool{}, nil, nil, false
	if mutant.On(mutant.StateKept) {
		s.runs = kept
	}
	s.silent, s.missed, s.crowd = false, false, 0
	defer s.gate.leave(s)
	s.clock = time.NewTimer(time.Hour) //nolint:forbidigo // set to the next deadline as it changes
	defer s.clock.Stop()
	if err := s.recover(ctx); err != nil {
		return fmt.Errorf("recover shard %d: %w", s.n, err)
	}
	s.standby = time.Time{}
	s.owned.Store(true)
	defer s.owned.Store(false)
	wakeUp(s.kick)
	var beside sync.WaitGroup
	side := func(do func(context.Context) error) {
		beside.Go(func() {
			if err := do(ctx); err != nil {
				cancel(err)
			}
		})
	}
	side(s.receive) // only an owner asks for results: it alone can settle them
	if s.cfg.Peers != nil {
		side(s.serve)
	}
	side(s.disown)
	err = s.loop(ctx)
	s.owned.Store(false)
	cancel(nil)
	beside.Wait()
	if cause := context.Cause(ctx); err == nil && !errors.Is(cause, context.Canceled) {
		err = cause
	}
	return err
}

// release lets the next owner begin at once.
func (s *shard) release(ctx context.Context) {
	free, stop := context.WithTimeout(context.WithoutCancel(ctx), releaseMax)
	defer stop()
	if err := s.cfg.Store.Release(free, s.n, s.cfg.Owner); err != nil {
		s.cfg.Log.DebugContext(ctx, "shard not released, its lease will end", "shard", s.n, "err", err)
	} else if s.cfg.Peers != nil {
		s.cfg.Peers.Nudge()
	}
}

// releaseMax is how long giving a shard up may take; after it the lease ends.
const releaseMax = 2 * time.Second

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
		case s.inbox <- &job{run: run, workspace: r.Workspace, result: &r, settle: d.Settle, unused: d.Unused}:
		case <-ctx.Done():
		}
	})
	if err != nil && ctx.Err() == nil {
		return fmt.Errorf("receive results of shard %d: %w", s.n, err)
	}
	return nil
}

// errStopped tells a sender that nobody here does the work.
func errStopped() error {
	return problem.New(problem.Unavailable, "This server is stopping, or another one has taken over; it is not known whether this was done. Ask again with the same idempotency key.")
}

// refuse answers a job without doing it.
func (j *job) refuse(err error) {
	if j.reply != nil {
		j.tell(reply{err: err})
	}
}

// surrender answers whoever still waits when the process stops or has lost the
// shard: with other servers they go on to the next owner. What they asked for
// may or may not have happened.
func (s *shard) surrender() {
	err := errMoved
	if s.cfg.Peers == nil {
		err = errStopped()
	}
	for _, list := range append([][]*job{s.retry, s.deferred}, slices.Collect(maps.Values(s.waiters))...) {
		for _, j := range list {
			j.refuse(err)
		}
	}
	s.retry, s.deferred, s.waiters = nil, nil, map[uuid.UUID][]*job{}
	for {
		select {
		case j := <-s.inbox:
			j.refuse(err)
		default:
			return
		}
	}
}
