package app

import (
	"context"
	"sync"
	"time"

	"signalbox/engine/meter"
	"signalbox/engine/worker"
	"signalbox/engine/worker/elastic"
)

// How often the workers of this process are looked at, and how many an outside
// scaler may be told of at most: the real limit is its own.
const (
	elasticEvery = time.Second
	outsideMax   = 1_000_000
)

// outside is the policy behind signalbox_queue_wanted_workers. Processes take
// seconds to start, so more are wanted, and sooner, than of slots.
func outside() elastic.Policy {
	return elastic.Policy{Max: outsideMax, Patience: -1, Spare: 0.5, Cool: time.Minute}
}

// scaler sizes the workers of this process, and says how many there should be
// altogether.
type scaler struct {
	look func(context.Context) (meter.Channel, error)
	pool *worker.Pool
	min  int // 0: there are always as many
	max  int

	mu   sync.Mutex
	next map[string]elastic.Size // what was told to the outside
}

// wanted is meter.Sources.Channel.
func (s *scaler) wanted(ctx context.Context) (meter.Channel, error) {
	held, err := s.look(ctx)
	if err != nil {
		return held, err
	}
	now := time.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.next == nil {
		s.next = map[string]elastic.Size{}
	}
	for name, q := range held.Queues {
		size := outside().Next(s.next[name], seen(q, q.Running), now)
		s.next[name], q.Wanted = size, size.Workers
		held.Queues[name] = q
	}
	return held, nil
}

// slots is meter.Sources.Slots.
func (s *scaler) slots() map[string]meter.Slots {
	out := map[string]meter.Slots{}
	if s.pool == nil { // it is still being built
		return out
	}
	for name, d := range s.pool.Slots() {
		out[name] = meter.Slots(d)
	}
	return out
}

// run sizes the workers of this process until the context ends.
func (s *scaler) run(ctx context.Context) error {
	if s.min == 0 || s.min == s.max {
		return nil
	}
	policy := elastic.Policy{Min: s.min, Max: s.max}
	if err := policy.Validate(); err != nil {
		return err
	}
	tick := time.NewTicker(elasticEvery)
	defer tick.Stop()
	sizes := map[string]elastic.Size{}
	for {
		s.step(ctx, policy, sizes)
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
	}
}

// step looks once. What cannot be seen is not changed.
func (s *scaler) step(ctx context.Context, policy elastic.Policy, sizes map[string]elastic.Size) {
	held, err := s.look(ctx)
	if err != nil {
		return
	}
	now := time.Now()
	for name, d := range s.pool.Slots() {
		sizes[name] = policy.Next(sizes[name], seen(held.Queues[name], d.Busy), now)
		s.pool.Resize(name, sizes[name].Workers)
	}
}

func seen(q meter.Queue, busy int) elastic.Seen {
	return elastic.Seen{Waiting: q.Waiting, Busy: busy, Oldest: q.Oldest}
}
