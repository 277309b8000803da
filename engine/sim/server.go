package sim

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
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
	chance  map[string]*rand.Rand
	dead    bool
	buried  bool
	frozen  bool
	parked  []parked
	held    chan struct{} // a commit that waits for the scheduler
	waits   chan struct{} // the held commit that has its time already; only the scheduler knows
	asked   map[int]*act  // acts that it has not answered, the same
	slow    bool          // it waits for time to pass: no input comes meanwhile
	deliver func(runtime.Delivered)
	notices map[uuid.UUID]bool // runs whose end it committed, until it told the workers
	hurt    bool               // it was frozen, or a call of it failed: it may have begun anew
}

// parked is a call of a frozen process.
type parked struct {
	kind string
	free chan struct{}
}

// boot starts a process in a slot.
func (w *world) boot(slot int) {
	w.lives++
	s := &server{
		w: w, slot: slot, life: w.lives, name: fmt.Sprintf("server %d", w.lives), over: make(chan struct{}), lost: make(chan struct{}, 1),
		chance: map[string]*rand.Rand{}, notices: map[uuid.UUID]bool{}, asked: map[int]*act{},
	}
	if old := w.servers[slot]; old != nil {
		s.skew.Store(old.skew.Load())
	}
	engine, err := runtime.New(runtime.Config{
		Store: s, Ledger: s, Channel: channel{s}, Owner: s.name,
		Now: func() time.Time { return time.Now().Add(time.Duration(s.skew.Load())).Round(0) },
	})
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
	if s.held != nil {
		close(s.held)
		s.held = nil
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

// draw is the luck of one kind of call; the lock is held.
func (s *server) draw(kind string) float64 {
	r := s.roll(kind)
	if s.w.calm {
		return 1
	}
	return r.Float64()
}

func (s *server) roll(kind string) *rand.Rand {
	r := s.chance[kind]
	if r == nil {
		var n uint64
		for _, c := range kind {
			n = n*31 + uint64(c) //nolint:gosec // letters
		}
		r = rand.New(rand.NewPCG(s.w.seed^n, uint64(s.life))) //nolint:gosec // small
		s.chance[kind] = r
	}
	return r
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

// travel is the time that a call is on its way. It keeps calls of several
// goroutines apart: which comes first is then no matter of theirs.
func (s *server) travel(kind string) {
	if s.w.plan.Exact {
		return
	}
	s.w.mu.Lock()
	d := time.Duration(s.roll(kind+" on its way").IntN(1_500_000)+10_007) * time.Nanosecond
	s.w.mu.Unlock()
	time.Sleep(d)
}

// nap lets everybody else do what is to be done at this instant. A shard calls
// here between handing tasks to its dispatcher and ending its time as owner:
// else it would depend on the scheduling whether they still go out.
func (s *server) nap() {
	if !s.w.plan.Exact {
		time.Sleep(time.Nanosecond)
	}
}

// die ends the process here; the lock is held.
func (s *server) die() error {
	s.dead = true
	s.w.wake()
	return errDead
}

// Commit implements runtime.Log. It is where most goes wrong.
func (s *server) Commit(ctx context.Context, t *runtime.Turn) error {
	s.travel("commit")
	if err := s.gate(ctx, "commit", s.w.plan.CommitFails); err != nil {
		return err
	}
	s.w.mu.Lock()
	if s.draw("hold") < s.w.plan.Hold {
		held := make(chan struct{})
		s.held, s.slow = held, s.draw("hold") < 0.3
		s.w.wake()
		s.w.mu.Unlock()
		<-held
		if err := s.gate(ctx, "", 0); err != nil && !errors.Is(err, errDead) || errors.Is(err, errDead) && s.coin() {
			return err
		}
		s.w.mu.Lock()
	}
	defer s.w.mu.Unlock()
	if s.draw("crash before a commit") < s.w.plan.Crash {
		return s.die()
	}
	if err := s.w.store.Commit(ctx, t); err != nil {
		s.hurt = true
		return err //nolint:wrapcheck // as the store says it
	}
	if t.Epoch < s.w.epoch {
		s.w.accuse("fence", -1, "%s committed with epoch %d when epoch %d was given out", s.name, t.Epoch, s.w.epoch)
	}
	s.w.committed(s, t)
	if s.draw("crash after a commit") < s.w.plan.Crash {
		return s.die()
	}
	if s.draw("lie") < s.w.plan.CommitLies {
		s.hurt = true
		return errCut
	}
	if s.dead {
		return errDead
	}
	return nil
}

// coin decides whether a turn that was on its way when its process died is
// written.
func (s *server) coin() bool {
	s.w.mu.Lock()
	defer s.w.mu.Unlock()
	return s.draw("died at a commit") < 0.5
}

// Load implements runtime.Log.
func (s *server) Load(ctx context.Context, run uuid.UUID) (*runtime.Record, error) {
	if err := s.gate(ctx, "load", s.w.plan.ReadFails); err != nil {
		return nil, err
	}
	return s.w.store.Load(ctx, run) //nolint:wrapcheck // as the store says it
}

// Beat implements runtime.Shards.
func (s *server) Beat(ctx context.Context, name string, able bool, lease time.Duration) (runtime.Roster, error) {
	s.travel("beat")
	if err := s.gate(ctx, "beat", 0); err != nil {
		return runtime.Roster{}, err
	}
	return s.w.store.Beat(ctx, name, able, lease) //nolint:wrapcheck // as the store says it
}

// Acquire implements runtime.Shards.
func (s *server) Acquire(ctx context.Context, shard int, name string, lease time.Duration) (int64, error) {
	s.travel("acquire")
	if err := s.gate(ctx, "acquire", 0); err != nil {
		return 0, err
	}
	epoch, err := s.w.store.Acquire(ctx, shard, name, lease)
	s.w.mu.Lock()
	defer s.w.mu.Unlock()
	s.w.epoch = max(s.w.epoch, epoch)
	return epoch, err //nolint:wrapcheck // as the store says it
}

// Release implements runtime.Shards.
func (s *server) Release(ctx context.Context, shard int, name string) error {
	s.travel("release")
	if err := s.gate(ctx, "release", 0); err != nil {
		return err
	}
	return s.w.store.Release(ctx, shard, name) //nolint:wrapcheck // as the store says it
}

// Leave implements runtime.Shards.
func (s *server) Leave(ctx context.Context, name string) error {
	if err := s.gate(ctx, "leave", 0); err != nil {
		return err
	}
	return s.w.store.Leave(ctx, name) //nolint:wrapcheck // as the store says it
}

// Called implements runtime.Callings: nothing here calls.
func (s *server) Called(context.Context, int, int, uuid.UUID, int) ([]runtime.Calling, error) {
	return nil, nil
}

// Owed implements runtime.Recovery.
func (s *server) Owed(ctx context.Context, shard int, after uuid.UUID, limit int) ([]uuid.UUID, error) {
	s.nap()
	if err := s.gate(ctx, "owed", s.w.plan.ReadFails); err != nil {
		return nil, err
	}
	return s.w.store.Owed(ctx, shard, after, limit) //nolint:wrapcheck // as the store says it
}

// Due implements runtime.Recovery.
func (s *server) Due(ctx context.Context, shard int, before time.Time, limit int) ([]uuid.UUID, time.Time, error) {
	s.nap()
	if err := s.gate(ctx, "due", s.w.plan.ReadFails); err != nil {
		return nil, time.Time{}, err
	}
	return s.w.store.Due(ctx, shard, before, limit) //nolint:wrapcheck // as the store says it
}

// Machine implements runtime.Versions.
func (s *server) Machine(ctx context.Context, version uuid.UUID) (json.RawMessage, error) {
	if err := s.gate(ctx, "machine", s.w.plan.ReadFails); err != nil {
		return nil, err
	}
	return s.w.store.Machine(ctx, version) //nolint:wrapcheck // as the store says it
}

// PutPayload implements runtime.Payloads.
func (s *server) PutPayload(ctx context.Context, workspace, digest string, data []byte) error {
	if err := s.gate(ctx, "put", s.w.plan.CommitFails); err != nil {
		return err
	}
	s.w.mu.Lock()
	s.w.payloads[digest] = data
	s.w.mu.Unlock()
	return s.w.store.PutPayload(ctx, workspace, digest, data) //nolint:wrapcheck // as the store says it
}

// Payload implements runtime.Payloads.
func (s *server) Payload(ctx context.Context, workspace, digest string) ([]byte, error) {
	if err := s.gate(ctx, "payload", s.w.plan.ReadFails); err != nil {
		return nil, err
	}
	return s.w.store.Payload(ctx, workspace, digest) //nolint:wrapcheck // as the store says it
}

// ClaimStart implements runtime.Ledger. The key is the run's id: nothing is
// drawn that the seed does not draw.
func (s *server) ClaimStart(ctx context.Context, _, _, key string, _ uuid.UUID) (uuid.UUID, error) {
	if err := s.gate(ctx, "claim", 0); err != nil {
		return uuid.Nil, err
	}
	return uuid.Parse(key) //nolint:wrapcheck // made here
}
