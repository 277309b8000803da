package pg

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"signalbox/engine/account"
)

// workspaceGone deletes what is in a workspace, in an order that the references
// between the tables allow. What hangs on a workflow, a run or a member by a
// reference goes with it.
var workspaceGone = []string{
	// First what starts runs and lets people in.
	`delete from hooks where workspace_id = $1`,
	`delete from shares where workspace_id = $1`,
	`delete from invitations where workspace_id = $1`,
	`delete from api_tokens where workspace_id = $1`,
	`delete from cases where workspace_id = $1`,
	`delete from stuck_runs where workspace_id = $1`,
	`delete from bulk_jobs where workspace_id = $1`,
	`delete from run_filter_defaults where workspace_id = $1`,
	`delete from run_filters where workspace_id = $1`,
	`delete from dead_letters where workspace_id = $1`,
	`delete from trigger_ledger where workspace_id = $1`,
	`delete from metric_points where workspace_id = $1`,
	`delete from predictions where workspace_id = $1`,
	`delete from truths where workspace_id = $1`,
	`delete from rollups where workspace_id = $1`,
	// In one statement: of a run that commits between two of them, the events
	// would stay without it, and nobody would find them again.
	`with gone as (delete from runs where workspace_id = $1 returning id),
		s as (delete from snapshots using gone where run_id = gone.id),
		u as (delete from payload_uses using gone where run_id = gone.id)
		delete from workflow_events using gone where run_id = gone.id`,
	`delete from payloads where workspace_id = $1`,
	`delete from nudges where workspace_id = $1`,
	`delete from versions where workspace_id = $1`,
	`delete from reviews where workspace_id = $1`,
	`delete from workflows where workspace_id = $1`,
	`delete from folders where workspace_id = $1`,
	`delete from snippets where workspace_id = $1`,
	`delete from assistants where workspace_id = $1`,
	`delete from credentials where workspace_id = $1`,
	`delete from learned where workspace_id = $1`,
	`delete from routes where workspace_id = $1`,
	`delete from queues where workspace_id = $1`,
	`delete from worker_types where workspace_id = $1`,
	`delete from workers where workspace_id = $1`,
	`delete from members where workspace_id = $1`,
}

// DeleteWorkspace implements account.Workspaces.
func (a *Accounts) DeleteWorkspace(ctx context.Context, id string, at time.Time) error {
	return inTx(ctx, a.pool, func(tx pgx.Tx) error {
		var found string
		err := tx.QueryRow(ctx, `select id from workspaces where id = $1 and deleted_at is null for update`, id).Scan(&found)
		if errors.Is(err, pgx.ErrNoRows) {
			return account.ErrNotFound
		}
		if err != nil {
			return err //nolint:wrapcheck // named by the service
		}
		if err := runsOver(ctx, tx, id); err != nil {
			return err
		}
		for _, sql := range workspaceGone {
			if _, err := tx.Exec(ctx, sql, id); err != nil {
				return fmt.Errorf("%s: %w", sql, err)
			}
		}
		// A run that began meanwhile came by what is deleted only now. One that
		// commits after this look is found by SweepDeleted.
		if err := runsOver(ctx, tx, id); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `update workspaces set deleted_at = $2 where id = $1`, id, at)
		return err //nolint:wrapcheck // named by the service
	})
}

// runsOver refuses while runs of a workspace are open.
func runsOver(ctx context.Context, tx pgx.Tx, workspace string) error {
	var open int
	if err := tx.QueryRow(ctx, `select count(*) from runs where workspace_id = $1 and ended_at is null`, workspace).Scan(&open); err != nil {
		return err //nolint:wrapcheck // named by the service
	}
	if open > 0 {
		return &account.ErrRunsOpen{Runs: open}
	}
	return nil
}
