package nats

import (
	"context"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// Depth is what the streams hold.
type Depth struct {
	Streams map[string]StreamDepth
	Queues  map[string]QueueDepth
}

// StreamDepth is what one stream holds.
type StreamDepth struct{ Messages, Bytes uint64 }

// QueueDepth is what one queue holds, all priorities together.
type QueueDepth struct {
	Waiting int           // not handed out
	Running int           // handed out, not settled
	Oldest  time.Duration // wait of the task that waits longest
}

// Depth asks the server what it holds.
func (c *Conn) Depth(ctx context.Context) (Depth, error) {
	d := Depth{Streams: map[string]StreamDepth{}, Queues: map[string]QueueDepth{}}
	if !c.nc.IsConnected() {
		return d, errNotConnected
	}
	for _, cfg := range streams(1, false) {
		s, err := c.js.Stream(ctx, cfg.Name)
		if err != nil {
			return d, fmt.Errorf("look at stream %s: %w", cfg.Name, err)
		}
		state := s.CachedInfo().State
		d.Streams[cfg.Name] = StreamDepth{state.Msgs, state.Bytes}
		if cfg.Name != streamTasks {
			continue
		}
		list := s.ListConsumers(ctx)
		for info := range list.Info() {
			if queue, ok := queueOf(info.Name); ok {
				q := d.Queues[queue]
				q.Waiting += int(info.NumPending) //nolint:gosec // fits
				q.Running += info.NumAckPending
				if info.NumPending > 0 {
					q.Oldest = max(q.Oldest, c.oldest(ctx, s, info))
				}
				d.Queues[queue] = q
			}
		}
		if err := list.Err(); err != nil {
			return d, fmt.Errorf("list the queues: %w", err)
		}
	}
	return d, nil
}

// oldest is how long the next task of a consumer has waited; 0 when it was
// taken in this moment.
func (c *Conn) oldest(ctx context.Context, s jetstream.Stream, info *jetstream.ConsumerInfo) time.Duration {
	m, err := s.GetMsg(ctx, info.Delivered.Stream+1, jetstream.WithGetMsgSubject(info.Config.FilterSubject))
	if err != nil {
		return 0
	}
	return max(0, c.cfg.Now().Sub(m.Time))
}
