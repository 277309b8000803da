package sim

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing/synctest"
	"time"

	"github.com/google/uuid"

	"signalbox/engine/runtime"
)

// Errors that a server hears.
var (
	errDead = errors.New("the process is dead")
	errCut  = errors.New("the connection was cut")
)

// server is one life of a process: an engine with what it sees of the world.
type server struct {
	w      *world
	slot   int
	life   int
	name   string
	engine *runtime.Engine
	cancel context.CancelFunc
	over   chan struct{}
	skew   atomic.Int64
	lost   chan struct{}

	// The world's lock holds for these.
	dead    bool
	buried  bool
	frozen  bool
	parked  []parked
	held    map[int]*holdup // by shard: a commit that waits for the scheduler
	asked   map[int]*act    // acts that it has not answered; only the scheduler knows
	deliver map[int]func(runtime.Delivered)
	listens map[int]func([]byte, func([]byte)) // to the questions of other servers
	nudged  chan struct{}
	notices map[uuid.UUID]bool // runs whose end it committed, until it told the workers
	hurt    bool               // it was frozen, or a call of it failed: it may have begun anew
}

// parked is a call of a frozen process.
type parked struct {
	kind string
	free chan struct{}
}

// holdup is a commit that waits.
type holdup struct {
	free  chan struct{}
	slow  bool // it waits for time to pass: no input comes meanwhile
	waits bool // it has its time already; only the scheduler knows
}

// slow reports whether a shard waits for time to pass; the lock is held.
func (s *server) slow(shard int) bool { return s.held[shard] != nil && s.held[shard].slow }

func nameOf(shard int) string { return strconv.Itoa(shard) }

func (w *world) shardOf(run uuid.UUID) int { return runtime.ShardOf(run, w.plan.Shards) }

// boot starts a process in a slot.
func (w *world) boot(slot int) {
	w.lives++
	s := &server{
		w: w, slot: slot, life: w.lives, name: fmt.Sprintf("server %d", w.lives), over: make(chan struct{}), lost: make(chan struct{}, 1),
		notices: map[uuid.UUID]bool{}, asked: map[int]*act{}, held: map[int]*holdup{}, deliver: map[int]func(runtime.Delivered){},
		listens: map[int]func([]byte, func([]byte)){}, nudged: make(chan struct{}, 1),
	}
	if old := w.servers[slot]; old != nil {
		s.skew.Store(old.skew.Load())
	}
	cfg := runtime.Config{
		Store: s, Ledger: s, Channel: channel{s}, Owner: s.name, Shards: w.plan.Shards, Callees: callees{s}, Inside: w.plan.Inside,
		Now: func() time.Time { return time.Now().Add(time.Duration(s.skew.Load())).Round(0) },
	}
	if !w.plan.Exact {
		cfg.Errand = s.errand
	}
	if w.plan.Peers {
		cfg.Peers = peers{s}
	}
	engine, err := runtime.New(cfg)
	if err != nil {
		panic(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	s.engine, s.cancel = engine, cancel
	w.servers[slot] = s
	w.say("%s starts", s.name)
	go func() {
		defer close(s.over)
		_ = engine.Run(ctx) // a dead one cannot leave in order
	}()
}

// bury has the goroutines of processes that died end, and others started. It
// does not wait for them: what they still call, and when, depends on their
// scheduling, and comes to nothing. Whoever asked such a process something hears
// right now that it is gone.
func (w *world) bury() (any bool) {
	for slot, s := range w.servers {
		w.mu.Lock()
		fell := s.dead && !s.buried
		s.buried = s.buried || s.dead
		w.mu.Unlock()
		if !fell {
			continue
		}
		any = true
		w.say("%s is dead", s.name)
		w.stop(s)
		w.graves = append(w.graves, s)
		for _, id := range slices.Sorted(maps.Keys(s.asked)) {
			w.answered(reply{act: s.asked[id], err: errDead})
		}
		w.in(w.between(50*time.Millisecond, 8*time.Second), "", func() { w.boot(slot) })
	}
	return any
}

// stop asks the goroutines of a process to end.
func (w *world) stop(s *server) {
	w.mu.Lock()
	s.open()
	w.mu.Unlock()
	s.cancel()
}

// open lets every call go on that waits; the lock is held.
func (s *server) open() {
	s.frozen = false
	for _, c := range s.parked {
		close(c.free)
	}
	s.parked = nil
	for shard, h := range s.held {
		close(h.free)
		delete(s.held, shard)
	}
}

// kill makes every call of a process fail from now on.
func (w *world) kill(s *server) {
	w.mu.Lock()
	defer w.mu.Unlock()
	s.dead = true
	w.wake()
}

// freeze parks every call; thaw lets them go on, one after the other.
func (w *world) freeze(s *server) {
	w.mu.Lock()
	defer w.mu.Unlock()
	s.frozen, s.hurt = true, true
}

func (w *world) thaw(s *server) {
	for {
		w.mu.Lock()
		s.frozen = false
		if len(s.parked) == 0 || s.dead {
			w.mu.Unlock()
			return
		}
		slices.SortStableFunc(s.parked, func(a, b parked) int { return strings.Compare(a.kind, b.kind) })
		i := w.rng.IntN(len(s.parked))
		c := s.parked[i]
		s.parked = append(s.parked[:i:i], s.parked[i+1:]...)
		close(c.free)
		w.mu.Unlock()
		synctest.Wait()
	}
}

// gate is the way of every call into the world.
func (s *server) gate(ctx context.Context, kind string, fails float64) error {
	s.w.mu.Lock()
	defer s.w.mu.Unlock()
	if s.frozen && !s.dead {
		c := make(chan struct{})
		s.parked = append(s.parked, parked{kind, c})
		s.w.mu.Unlock()
		<-c
		s.w.mu.Lock()
	}
	switch {
	case s.dead:
		return errDead
	case ctx.Err() != nil:
		return ctx.Err() //nolint:wrapcheck // as a driver does
	case fails > 0 && s.draw(kind) < fails:
		s.hurt = true
		return errCut
	}
	return nil
}

// die ends the process here; the lock is held.
func (s *server) die() error {
	s.dead = true
	s.w.wake()
	return errDead
}
