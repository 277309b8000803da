package pg

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"signalbox/engine/casebook"
	"signalbox/engine/machine"
	"signalbox/engine/rehearsal"
)

// Cases keeps past runs as cases.
type Cases struct{ *Store }

var _ casebook.Store = (*Cases)(nil)

// NewCases makes the adapter.
func NewCases(store *Store) *Cases { return &Cases{store} }

const caseQuery = `select c.workspace_id, c.id, c.workflow_id, c.run_id, c.name, c.created_by, c.created_at, c.accepted, c.accepted_by, c.accepted_why, c.accepted_at,
		r.version_id, coalesce(v.number, 0), r.status
	from cases c join runs r on r.id = c.run_id left join versions v on v.id = r.version_id where c.workspace_id = $1`

func scanCase(row pgx.CollectableRow) (casebook.Case, error) {
	var c casebook.Case
	var accepted *time.Time
	err := row.Scan(&c.Workspace, &c.ID, &c.Workflow, &c.Run, &c.Name, &c.By, &c.CreatedAt, &c.Accepted.Digest, &c.Accepted.By, &c.Accepted.Reason, &accepted,
		&c.Version, &c.Number, &c.Status)
	c.CreatedAt, c.Accepted.At = c.CreatedAt.UTC(), orZero(accepted).UTC()
	return c, err
}

// Cases implements casebook.Store.
func (c *Cases) Cases(ctx context.Context, workspace string, workflow uuid.UUID) ([]casebook.Case, error) {
	rows, err := c.pool.Query(ctx, caseQuery+` and c.workflow_id = $2 order by c.id`, workspace, workflow)
	if err != nil {
		return nil, err //nolint:wrapcheck // named by the service
	}
	return pgx.CollectRows(rows, scanCase) //nolint:wrapcheck // named by the service
}

// Case implements casebook.Store.
func (c *Cases) Case(ctx context.Context, workspace string, id uuid.UUID) (casebook.Case, error) {
	rows, err := c.pool.Query(ctx, caseQuery+` and c.id = $2`, workspace, id)
	if err != nil {
		return casebook.Case{}, err //nolint:wrapcheck // named by the service
	}
	one, err := pgx.CollectExactlyOneRow(rows, scanCase)
	return one, found(err, casebook.ErrNotFound)
}

// PutCase implements casebook.Store.
func (c *Cases) PutCase(ctx context.Context, k casebook.Case) error {
	_, err := c.pool.Exec(ctx, `insert into cases (workspace_id, id, workflow_id, run_id, name, created_by, created_at) values ($1, $2, $3, $4, $5, $6, $7)`,
		k.Workspace, k.ID, k.Workflow, k.Run, k.Name, k.By, k.CreatedAt)
	var pe *pgconn.PgError
	switch {
	case violates(err, "cases_run"):
		return casebook.ErrTaken
	case errors.As(err, &pe) && pe.Code == "23503": // the run was forgotten meanwhile
		return casebook.ErrNotFound
	default:
		return err
	}
}

// RenameCase implements casebook.Store.
func (c *Cases) RenameCase(ctx context.Context, workspace string, id uuid.UUID, name string) error {
	tag, err := c.pool.Exec(ctx, `update cases set name = $3 where workspace_id = $1 and id = $2`, workspace, id, name)
	return changed(tag, err, casebook.ErrNotFound)
}

// DeleteCase implements casebook.Store.
func (c *Cases) DeleteCase(ctx context.Context, workspace string, id uuid.UUID) error {
	tag, err := c.pool.Exec(ctx, `delete from cases where workspace_id = $1 and id = $2`, workspace, id)
	return changed(tag, err, casebook.ErrNotFound)
}

// Accept implements casebook.Store.
func (c *Cases) Accept(ctx context.Context, workspace string, list map[uuid.UUID]casebook.Acceptance) error {
	b := &pgx.Batch{}
	for id, a := range list {
		b.Queue(`update cases set accepted = $3, accepted_by = $4, accepted_why = $5, accepted_at = $6 where workspace_id = $1 and id = $2`,
			workspace, id, a.Digest, a.By, a.Reason, a.At)
	}
	return c.pool.SendBatch(ctx, b).Close() //nolint:wrapcheck // named by the service
}

// Guarded implements casebook.Store.
func (c *Cases) Guarded(ctx context.Context, workspace string, workflow uuid.UUID) (bool, error) {
	var on bool
	err := c.pool.QueryRow(ctx, `select guarded from workflows where workspace_id = $1 and id = $2 and deleted_at is null`, workspace, workflow).Scan(&on)
	return on, found(err, casebook.ErrNotFound)
}

// SetGuard implements casebook.Store.
func (c *Cases) SetGuard(ctx context.Context, workspace string, workflow uuid.UUID, on bool) error {
	tag, err := c.pool.Exec(ctx, `update workflows set guarded = $3 where workspace_id = $1 and id = $2 and deleted_at is null`, workspace, workflow, on)
	return changed(tag, err, casebook.ErrNotFound)
}

// Record implements casebook.Store.
func (c *Cases) Record(ctx context.Context, workspace string, run uuid.UUID) (casebook.Record, error) {
	rec := casebook.Record{Workspace: workspace}
	err := c.pool.QueryRow(ctx, `select r.workflow_id, r.version_id, v.machine from runs r join versions v on v.id = r.version_id where r.workspace_id = $1 and r.id = $2`,
		workspace, run).Scan(&rec.Workflow, &rec.Version, &rec.Machine)
	if err != nil {
		return rec, found(err, casebook.ErrNotFound)
	}
	stored, err := c.Beginning(ctx, run, rehearsal.EventsMax+1)
	if err != nil {
		return rec, err
	}
	rec.Log = make([]machine.Event, len(stored))
	for i := range stored {
		if rec.Log[i], err = machine.Decode(stored[i]); err != nil {
			return rec, fmt.Errorf("read run %s: %w", run, err)
		}
	}
	return rec, nil
}
