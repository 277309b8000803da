package local

import (
	"context"

	"signalbox/engine/runtime"
)

var _ runtime.Pauser = (*Channel)(nil)

// PauseQueue implements runtime.Pauser: what waits in the queue stays there.
func (c *Channel) PauseQueue(_ context.Context, name string, paused bool) error {
	c.mu.Lock()
	q := c.queue(name)
	c.mu.Unlock()
	q.mu.Lock()
	defer q.mu.Unlock()
	q.paused = paused
	q.wake()
	return nil
}
