package pg

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"signalbox/engine/history"
	"signalbox/engine/problem"
)

// Filters keeps filters of the list of runs.
type Filters struct{ pool *pgxpool.Pool }

// NewFilters makes it.
func NewFilters(pool *pgxpool.Pool) *Filters { return &Filters{pool} }

// Filters lists what a person has kept and what the workspace shares, the
// oldest first.
func (f *Filters) Filters(ctx context.Context, workspace string, user uuid.UUID) ([]history.Filter, error) {
	rows, err := f.pool.Query(ctx, `select f.id, f.workspace_id, f.workflow_id, f.name, f.query, f.shared, f.user_id, f.created_at, d.user_id is not null
		from run_filters f left join run_filter_defaults d on d.filter_id = f.id and d.user_id = $2
		where f.workspace_id = $1 and (f.shared or f.user_id = $2) order by f.created_at, f.id limit $3`, workspace, user, 4*history.FiltersMax)
	if err != nil {
		return nil, fmt.Errorf("list filters: %w", err)
	}
	list, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (k history.Filter, err error) {
		var workflow *uuid.UUID
		err = row.Scan(&k.ID, &k.Workspace, &workflow, &k.Name, &k.Query, &k.Shared, &k.User, &k.CreatedAt, &k.Default)
		if workflow != nil {
			k.Workflow = *workflow
		}
		return k, err
	})
	if err != nil {
		return nil, fmt.Errorf("list filters: %w", err)
	}
	return list, nil
}

// Put keeps a filter.
func (f *Filters) Put(ctx context.Context, k history.Filter) error {
	_, err := f.pool.Exec(ctx, `insert into run_filters (id, workspace_id, workflow_id, name, query, shared, user_id, created_at) values ($1, $2, $3, $4, $5, $6, $7, $8)`,
		k.ID, k.Workspace, nullID(k.Workflow), k.Name, k.Query, k.Shared, k.User, k.CreatedAt)
	if err != nil {
		return fmt.Errorf("keep a filter: %w", err)
	}
	return nil
}

// Delete takes a filter away: a person's own, or with any one that is shared.
func (f *Filters) Delete(ctx context.Context, workspace string, id, user uuid.UUID, anyShared bool) error {
	tag, err := f.pool.Exec(ctx, `delete from run_filters where workspace_id = $1 and id = $2 and (user_id = $3 or shared and $4)`, workspace, id, user, anyShared)
	if err != nil {
		return fmt.Errorf("delete a filter: %w", err)
	}
	if tag.RowsAffected() == 0 {
		return problem.New(problem.NotFound, "There is no such filter of yours.")
	}
	return nil
}

// SetDefault makes a filter the one that a person's list begins with; zero:
// none.
func (f *Filters) SetDefault(ctx context.Context, workspace string, id, user uuid.UUID) error {
	if id == uuid.Nil {
		if _, err := f.pool.Exec(ctx, `delete from run_filter_defaults where user_id = $1 and workspace_id = $2`, user, workspace); err != nil {
			return fmt.Errorf("choose a filter: %w", err)
		}
		return nil
	}
	tag, err := f.pool.Exec(ctx, `insert into run_filter_defaults (user_id, filter_id, workspace_id)
		select $3, id, workspace_id from run_filters where workspace_id = $1 and id = $2 and workflow_id is null and (shared or user_id = $3)
		on conflict (user_id, workspace_id) do update set filter_id = excluded.filter_id`, workspace, id, user)
	if err != nil {
		return fmt.Errorf("choose a filter: %w", err)
	}
	if tag.RowsAffected() == 0 {
		return problem.New(problem.NotFound, "There is no such filter for all runs.")
	}
	return nil
}
