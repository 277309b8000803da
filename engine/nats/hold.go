package nats

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"signalbox/engine/runtime"
)

var _ runtime.Pauser = (*Channel)(nil)

// pausedFor is how long a paused queue stays so, if nobody resumes it.
const pausedFor = 100 * 365 * 24 * time.Hour

// PauseQueue implements runtime.Pauser. The server keeps what is in the stream
// and hands nothing out; what workers have already goes on.
func (c *Channel) PauseQueue(ctx context.Context, queue string, paused bool) error {
	ctx, cancel := context.WithTimeout(ctx, apiWait)
	defer cancel()
	for prio := range lanes {
		var err error
		if paused {
			_, err = c.conn.js.PauseConsumer(ctx, streamTasks, durable(queue, prio), c.conn.cfg.Now().Add(pausedFor))
		} else {
			_, err = c.conn.js.ResumeConsumer(ctx, streamTasks, durable(queue, prio))
		}
		if err != nil && !isMissing(err) { // without a consumer nothing is handed out either
			return fmt.Errorf("pause or resume queue %s: %w", queue, err)
		}
	}
	return nil
}

func isMissing(err error) bool { return errors.Is(err, jetstream.ErrConsumerNotFound) }
