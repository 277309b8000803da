package nats

import (
	"context"
	"strings"

	client "github.com/nats-io/nats.go"

	"signalbox/engine/watch"
)

// Feed calls fn for the events of all runs as they are committed, and for what
// workers show, until the context ends. One feed serves a whole process; fn
// must not block. Frames of one run come in order; some may be lost.
func (c *Conn) Feed(ctx context.Context, fn func(watch.Frame)) error {
	for _, kind := range []string{"trace", "live"} {
		stop, err := c.subscribe(kind+".*.*", func(m *client.Msg) {
			parts := strings.Split(m.Subject, ".")
			fn(watch.Frame{Live: parts[0] == "live", Workspace: name(parts[1]), Run: name(parts[2]), Briefs: m.Data})
		})
		if err != nil {
			return err
		}
		defer stop()
	}
	<-ctx.Done()
	return nil
}
