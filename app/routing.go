package app

import (
	"context"
	"fmt"
	"time"

	"signalbox/engine/pg"
	"signalbox/engine/queue"
	"signalbox/engine/routing"
)

// openRouting reads the route tables and the settings of queues, and follows
// them as long as the program runs.
func (a *App) openRouting(ctx context.Context, owner string) error {
	a.routing = routing.New(pg.NewRouting(a.base.db.Pool()), a.log, time.Now)
	if err := a.routing.Load(ctx); err != nil {
		return fmt.Errorf("read routes and queues: %w", err)
	}
	look := func() []queue.Look { return a.engine.QueueLooks() }
	a.jobs = append(a.jobs, a.routing.Run, func(ctx context.Context) error { return a.routing.Report(ctx, owner, look) })
	return nil
}
