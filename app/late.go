package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"signalbox/engine/pg"
)

// canceler ends runs. *runtime.Engine implements it.
type canceler interface {
	Cancel(ctx context.Context, workspace string, run uuid.UUID, by, reason string) error
}

// sweepDeleted ends the runs that began in a workspace while it was deleted, and
// deletes what they leave.
func sweepDeleted(ctx context.Context, accounts *pg.Accounts, engine canceler, log *slog.Logger) error {
	open, rows, err := accounts.SweepDeleted(ctx, time.Now())
	if err != nil {
		return err //nolint:wrapcheck // says it all
	}
	if rows > 0 {
		log.InfoContext(ctx, "a deleted workspace was swept", "rows", rows)
	}
	var failed []error
	for _, s := range open {
		if err := engine.Cancel(ctx, s.Workspace, s.Run, "", "The workspace is deleted."); err != nil {
			failed = append(failed, fmt.Errorf("end the run %s of a deleted workspace: %w", s.Run, err))
		}
	}
	return errors.Join(failed...)
}
