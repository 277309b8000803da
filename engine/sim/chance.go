package sim

import (
	"hash/fnv"
	"math/rand/v2"
	"time"
)

// draw is the luck of one call; the lock is held. Its name says which: two
// calls of one instant with one name have the same luck, so it is no matter
// which of two goroutines comes first.
func (s *server) draw(name string) float64 {
	if s.w.calm {
		return 1
	}
	return s.roll(name).Float64()
}

func (s *server) roll(name string) *rand.Rand {
	h := fnv.New64a()
	_, _ = h.Write([]byte(name))
	return rand.New(rand.NewPCG(s.w.seed^h.Sum64(), uint64(s.life)<<48^uint64(s.w.now().Sub(s.w.began)))) //nolint:gosec // small, and never negative
}

// travel is the time that a call is on its way. It keeps calls of several
// goroutines apart: which comes first is then no matter of theirs.
func (s *server) travel(name string) {
	if !s.w.plan.Exact {
		s.stroll(name, 0)
	}
}

// stroll lets time pass until an instant that is nobody else's: no timer of an
// engine ends there, and the scheduler does nothing.
func (s *server) stroll(name string, most time.Duration) {
	r := s.roll(name + " on its way")
	d := time.Duration(r.IntN(1_500_000)+10_007) * time.Nanosecond
	if most > 0 {
		d = time.Duration(r.Int64N(int64(most)) + 10_007)
	}
	now := s.w.now()
	at := now.Add(d).Truncate(time.Microsecond).Add(time.Duration(200 + r.IntN(700)))
	time.Sleep(at.Sub(now))
}

// nap lets everybody else do what is to be done at this instant. A shard calls
// here between handing tasks to its dispatcher and ending its time as owner:
// else it would depend on the scheduling whether they still go out.
func (s *server) nap() {
	if !s.w.plan.Exact {
		time.Sleep(time.Nanosecond)
	}
}
