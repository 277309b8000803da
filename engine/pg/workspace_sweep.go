package pg

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// Straggler is a run of a workspace that is deleted. It was on its way when
// that was done: its start was let in before, and its first turn committed after
// the last look at the runs.
type Straggler struct {
	Workspace string
	Run       uuid.UUID
}

// sweptFor is how long after its end a workspace is looked at whether anything
// came late; one with runs is looked at for as long as it has any.
const sweptFor = 7 * 24 * time.Hour

// endWithin is how long a run that came late has to be ended. After that it is
// deleted as it is: no server has it in memory any more, and none can load it,
// for its version is gone.
const endWithin = time.Hour

// stragglersMax is how many runs of one workspace are told at a time.
const stragglersMax = 200

// SweepDeleted deletes what came late into workspaces that are deleted, and says
// how many rows those were. A turn asks nothing of workspaces, for every turn
// would pay for it; so what commits beside a deletion is found here. Runs that
// are not over are told: they have to be ended first, and their workspace is
// swept the next time.
func (a *Accounts) SweepDeleted(ctx context.Context, now time.Time) (open []Straggler, rows int64, err error) {
	list, err := a.pool.Query(ctx, `select id from workspaces w where deleted_at > $1
		or deleted_at is not null and exists (select from runs r where r.workspace_id = w.id) order by id`, now.Add(-sweptFor))
	if err != nil {
		return nil, 0, fmt.Errorf("list deleted workspaces: %w", err)
	}
	ids, err := pgx.CollectRows(list, pgx.RowTo[string])
	if err != nil {
		return nil, 0, fmt.Errorf("list deleted workspaces: %w", err)
	}
	for _, id := range ids {
		late, n, err := a.sweepDeleted(ctx, id, now)
		if err != nil {
			return open, rows, fmt.Errorf("sweep the deleted workspace %s: %w", id, err)
		}
		open, rows = append(open, late...), rows+n
	}
	return open, rows, nil
}

func (a *Accounts) sweepDeleted(ctx context.Context, id string, now time.Time) (open []Straggler, n int64, err error) {
	err = inTx(ctx, a.pool, func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, `select workspace_id, id from runs where workspace_id = $1 and ended_at is null and created_at > $2
			order by id limit $3`, id, now.Add(-endWithin), stragglersMax)
		if err != nil {
			return err //nolint:wrapcheck // by the caller
		}
		if open, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Straggler]); err != nil || len(open) > 0 {
			return err //nolint:wrapcheck // by the caller
		}
		for _, sql := range workspaceGone {
			tag, err := tx.Exec(ctx, sql, id)
			if err != nil {
				return fmt.Errorf("%s: %w", sql, err)
			}
			n += tag.RowsAffected()
		}
		return nil
	})
	return open, n, err
}
