package runtime

import (
	"context"
	"sync"
	"time"
)

// sight is what this server knows of a shard's owner, whoever it is.
type sight struct {
	mu     sync.Mutex
	at     Holding
	era    context.Context //nolint:containedctx // ends when the owner changes
	change context.CancelFunc
	stop   context.CancelCauseFunc // ends this server's time as owner
	since  int64                   // looks at the roster that were begun before that time
}

func (g *sight) reset() { g.era, g.change = context.WithCancel(context.Background()) }

func (g *sight) holder() Holding {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.at
}

// hold keeps what ends this server's time as owner.
func (g *sight) hold(stop context.CancelCauseFunc) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.stop = stop
}

// took keeps when this server's time as owner began.
func (g *sight) took(looks int64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.since = looks
}

// see takes news of who owns the shard, from a look at the roster. A server that
// lives and owns the shard is named there: when nobody is, another one had it
// meanwhile, and what is in memory here is old.
func (s *shard) see(h Holding, look int64) {
	g := &s.sight
	g.mu.Lock()
	defer g.mu.Unlock()
	if h != g.at {
		g.at = h
		g.change()
		g.reset()
	}
	if s.owned.Load() && h.Server != s.cfg.Owner && (h.Server != "" || look > g.since) {
		g.stop(ErrFenced)
	}
}

// invite lets the shard be owned here.
func (s *shard) invite() {
	if s.busy.CompareAndSwap(false, true) {
		s.invited <- struct{}{}
	}
}

// yield gives the shard up: the turn under way is committed first.
func (s *shard) yield() {
	s.sight.mu.Lock()
	defer s.sight.mu.Unlock()
	if s.sight.stop != nil {
		s.sight.stop(errYielded)
	}
}

// onMove calls the function when the shard's owner changes, unless the returned
// one is called before.
func (s *shard) onMove(do func()) (leave func()) {
	s.sight.mu.Lock()
	defer s.sight.mu.Unlock()
	stop := context.AfterFunc(s.sight.era, do)
	return func() { stop() }
}

// moves waits until the shard's owner changes, or the time is over; false: the
// context has ended.
func (s *shard) moves(ctx context.Context, most time.Duration) bool {
	s.sight.mu.Lock()
	era := s.sight.era
	s.sight.mu.Unlock()
	t := time.NewTimer(most) //nolint:forbidigo // a back-off, not a decision
	defer t.Stop()
	select {
	case <-era.Done():
	case <-t.C:
	case <-ctx.Done():
		return false
	}
	return true
}

func wakeUp(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
