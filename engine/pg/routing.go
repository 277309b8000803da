package pg

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"signalbox/engine/queue"
	"signalbox/engine/routing"
)

// Routing stores route tables and the settings of queues.
type Routing struct{ pool *pgxpool.Pool }

var _ routing.Store = (*Routing)(nil)

// NewRouting makes the adapter.
func NewRouting(pool *pgxpool.Pool) *Routing { return &Routing{pool} }

// Changes implements routing.Store.
func (r *Routing) Changes(ctx context.Context) (int64, error) {
	var n int64
	err := r.pool.QueryRow(ctx, `select n from routing_changes`).Scan(&n)
	return n, err //nolint:wrapcheck // named by the service
}

// Everything implements routing.Store.
func (r *Routing) Everything(ctx context.Context) ([]routing.Table, []routing.Queue, error) {
	rows, err := r.pool.Query(ctx, `select workspace_id, workflow_id, revision, rules, updated_at, updated_by from routes`)
	if err != nil {
		return nil, nil, err //nolint:wrapcheck // named by the service
	}
	tables, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (routing.Table, error) {
		var t routing.Table
		var raw []byte
		if err := row.Scan(&t.Workspace, &t.Workflow, &t.Revision, &raw, &t.UpdatedAt, &t.UpdatedBy); err != nil {
			return t, err //nolint:wrapcheck // below
		}
		return t, json.Unmarshal(raw, &t.Rules)
	})
	if err != nil {
		return nil, nil, fmt.Errorf("read route tables: %w", err)
	}
	rows, err = r.pool.Query(ctx, `select workspace_id, name, revision, settings, updated_at, updated_by from queues`)
	if err != nil {
		return nil, nil, err //nolint:wrapcheck // named by the service
	}
	queues, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (routing.Queue, error) {
		var q routing.Queue
		var raw []byte
		if err := row.Scan(&q.Workspace, &q.Name, &q.Revision, &raw, &q.UpdatedAt, &q.UpdatedBy); err != nil {
			return q, err //nolint:wrapcheck // below
		}
		return q, json.Unmarshal(raw, &q.Settings)
	})
	if err != nil {
		return nil, nil, fmt.Errorf("read queues: %w", err)
	}
	return tables, queues, nil
}

// change runs a statement that has to change one row, and counts it.
func (r *Routing) change(ctx context.Context, sql string, args ...any) (bool, error) {
	done := false
	err := inTx(ctx, r.pool, func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, sql, args...)
		if err != nil {
			return err //nolint:wrapcheck // named by the service
		}
		if done = tag.RowsAffected() == 1; !done {
			return nil
		}
		_, err = tx.Exec(ctx, `update routing_changes set n = n + 1`)
		return err //nolint:wrapcheck // named by the service
	})
	return done, err
}

// PutTable implements routing.Store.
func (r *Routing) PutTable(ctx context.Context, t routing.Table) (bool, error) {
	raw, err := json.Marshal(t.Rules)
	if err != nil {
		return false, fmt.Errorf("write the table: %w", err)
	}
	if t.Revision == 1 {
		return r.change(ctx, `insert into routes (workspace_id, workflow_id, revision, rules, updated_at, updated_by)
			values ($1, $2, 1, $3, $4, $5) on conflict do nothing`, t.Workspace, t.Workflow, raw, t.UpdatedAt, t.UpdatedBy)
	}
	return r.change(ctx, `update routes set revision = $3, rules = $4, updated_at = $5, updated_by = $6
		where workspace_id = $1 and workflow_id = $2 and revision = $3 - 1`, t.Workspace, t.Workflow, t.Revision, raw, t.UpdatedAt, t.UpdatedBy)
}

// DropTable implements routing.Store.
func (r *Routing) DropTable(ctx context.Context, workspace string, workflow uuid.UUID, revision int) (bool, error) {
	return r.change(ctx, `delete from routes where workspace_id = $1 and workflow_id = $2 and revision = $3`, workspace, workflow, revision)
}

// PutQueue implements routing.Store.
func (r *Routing) PutQueue(ctx context.Context, q routing.Queue) (bool, error) {
	raw, err := json.Marshal(q.Settings)
	if err != nil {
		return false, fmt.Errorf("write the settings: %w", err)
	}
	if q.Revision == 1 {
		return r.change(ctx, `insert into queues (workspace_id, name, revision, settings, updated_at, updated_by)
			values ($1, $2, 1, $3, $4, $5) on conflict do nothing`, q.Workspace, q.Name, raw, q.UpdatedAt, q.UpdatedBy)
	}
	return r.change(ctx, `update queues set revision = $3, settings = $4, updated_at = $5, updated_by = $6
		where workspace_id = $1 and name = $2 and revision = $3 - 1`, q.Workspace, q.Name, q.Revision, raw, q.UpdatedAt, q.UpdatedBy)
}

var _ routing.Looks = (*Routing)(nil)

// PutLooks implements routing.Looks. It also forgets processes that are long
// gone, and rates that nobody asks for any more.
func (r *Routing) PutLooks(ctx context.Context, owner string, seen []queue.Seen, at time.Time) error {
	raw, err := json.Marshal(seen)
	if err != nil {
		return fmt.Errorf("write what is seen: %w", err)
	}
	b := &pgx.Batch{}
	b.Queue(`insert into queue_looks (owner, looks, at) values ($1, $2, $3)
		on conflict (owner) do update set looks = excluded.looks, at = excluded.at`, owner, raw, at)
	b.Queue(`delete from queue_looks where at < $1`, at.Add(-time.Hour))
	b.Queue(`delete from queue_rates where at < $1`, at.Add(-2*queue.PerMax))
	return r.pool.SendBatch(ctx, b).Close() //nolint:wrapcheck // named by the service
}

// Looks implements routing.Looks.
func (r *Routing) Looks(ctx context.Context, since time.Time) ([][]queue.Seen, error) {
	rows, err := r.pool.Query(ctx, `select looks from queue_looks where at >= $1`, since)
	if err != nil {
		return nil, err //nolint:wrapcheck // named by the service
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) ([]queue.Seen, error) { //nolint:wrapcheck // named by the service
		var raw []byte
		if err := row.Scan(&raw); err != nil {
			return nil, err //nolint:wrapcheck // above
		}
		var seen []queue.Seen
		return seen, json.Unmarshal(raw, &seen)
	})
}

// SlotsUsed implements routing.Looks.
func (r *Routing) SlotsUsed(ctx context.Context) (map[string]int, error) {
	return slotsUsed(ctx, r.pool)
}
