package app

import (
	"context"
	"fmt"
	"time"

	"signalbox/engine/meter"
	"signalbox/engine/pg"
	"signalbox/engine/queue"
	"signalbox/engine/routing"
)

// openRouting reads the route tables and the settings of queues, and follows
// them as long as the program runs, as well as what comes of them.
func (a *App) openRouting(ctx context.Context, owner string) error {
	a.routing = routing.New(pg.NewRouting(a.base.db.Pool()), a.log, time.Now)
	if err := a.routing.Load(ctx); err != nil {
		return fmt.Errorf("read routes and queues: %w", err)
	}
	if err := a.routing.LearnNow(ctx); err != nil {
		return fmt.Errorf("read what routing has learned: %w", err)
	}
	a.meters = append(a.meters, meter.NewLearned(a.routing))
	a.toWorkers, a.fromEngine = a.channel, a.source
	if a.conn != nil {
		h := newHandover(a.channel, a.source, a.routing.Settings)
		a.toWorkers, a.fromEngine = h, h
	}
	look := func() []queue.Look { return a.engine.QueueLooks() }
	a.jobs = append(a.jobs, a.routing.Run, a.routing.Learn, func(ctx context.Context) error { return a.routing.Report(ctx, owner, look) })
	if err := meter.RegisterQueues(a.registry, look, func() (refused, shed uint64) { return a.engine.Overload() }); err != nil {
		return fmt.Errorf("register metrics: %w", err)
	}
	return nil
}
