package app

import (
	"context"
	"time"

	"github.com/google/uuid"

	"signalbox/engine/account"
	"signalbox/engine/bulk"
	"signalbox/engine/casebook"
	"signalbox/engine/pg"
)

// openBulk makes what acts on many runs, and what such an act needs.
func (a *App) openBulk(h *pg.History, letters *pg.DeadLetters) {
	a.cases = casebook.New(pg.NewCases(a.store), time.Now)
	a.bulk = bulk.New(bulk.Config{
		Store: pg.NewBulk(a.base.db.Pool()), Log: a.log, Now: time.Now,
		Acts: bulk.Acts{
			Run: h.Run, Engine: a.engine, Discard: letters.DiscardRun,
			Keep: func(ctx context.Context, workspace string, run uuid.UUID, name, by string) error {
				_, err := a.cases.Add(ctx, workspace, run, name, by)
				return err
			},
		},
		Role: func(ctx context.Context, workspace string, user uuid.UUID) (account.Role, error) {
			who, err := a.accounts.Identity(ctx, workspace, user)
			return who.Role, err
		},
	})
	a.jobs = append(a.jobs, a.bulk.Run)
}
