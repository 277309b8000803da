package app

import (
	"context"
	"time"

	"signalbox/engine/pg"
)

const (
	stuckEvery = 30 * time.Second
	stuckLeast = 5 * time.Minute // what takes less is never stuck
)

// lookForStuck notes again and again which open runs nothing seems to move,
// until the context ends.
func (a *App) lookForStuck(ctx context.Context) error {
	after, err := parseKeep("--stuck-after", a.Config.StuckAfter)
	if err != nil || after == 0 {
		return err
	}
	look := pg.NewStuckLook(a.store, pg.StuckConfig{After: after, Least: stuckLeast})
	for {
		rest(ctx, stuckEvery)
		if ctx.Err() != nil {
			return nil //nolint:nilerr // the end was asked for
		}
		found, err := look.Look(ctx, time.Now())
		switch {
		case err != nil && ctx.Err() == nil:
			a.log.WarnContext(ctx, "stuck runs were not looked for", "err", err)
		case found > 0:
			a.log.DebugContext(ctx, "runs are stuck", "runs", found)
		}
	}
}
