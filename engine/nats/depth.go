package nats

import (
	"context"
	"fmt"
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
	Waiting int // not handed out
	Running int // handed out, not settled
}

// Depth asks the server what it holds.
func (c *Conn) Depth(ctx context.Context) (Depth, error) {
	d := Depth{Streams: map[string]StreamDepth{}, Queues: map[string]QueueDepth{}}
	if !c.nc.IsConnected() {
		return d, errNotConnected
	}
	for _, cfg := range streams(1) {
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
				d.Queues[queue] = q
			}
		}
		if err := list.Err(); err != nil {
			return d, fmt.Errorf("list the queues: %w", err)
		}
	}
	return d, nil
}
