package pg

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// OpenRuns counts the runs that are not over, by status, from the index alone.
func (s *Store) OpenRuns(ctx context.Context) (map[string]int, error) {
	rows, err := s.pool.Query(ctx, `
		select s.status, coalesce(sum((select count(*) from runs r where r.workspace_id = w.id and r.status = s.status)), 0)::bigint
		from (values ('running'), ('waiting'), ('compensating'), ('needs_attention')) s(status) cross join workspaces w group by 1`)
	if err != nil {
		return nil, fmt.Errorf("count open runs: %w", err)
	}
	open, err := collectPairs[int](rows)
	if err != nil {
		return nil, fmt.Errorf("count open runs: %w", err)
	}
	return open, nil
}

// namesMax is how many workflows are named to a monitor.
const namesMax = 1_000

// WorkflowNames gives the names of the workflows that changed last, by id.
func (s *Store) WorkflowNames(ctx context.Context) (map[string]string, error) {
	rows, err := s.pool.Query(ctx, `select id::text, name from workflows where deleted_at is null order by updated_at desc limit $1`, namesMax)
	if err != nil {
		return nil, fmt.Errorf("list names of workflows: %w", err)
	}
	names, err := collectPairs[string](rows)
	if err != nil {
		return nil, fmt.Errorf("list names of workflows: %w", err)
	}
	return names, nil
}

// collectPairs reads rows of two columns into a map.
func collectPairs[V any](rows pgx.Rows) (map[string]V, error) {
	pairs := map[string]V{}
	var key string
	var value V
	_, err := pgx.ForEachRow(rows, []any{&key, &value}, func() error {
		pairs[key] = value
		return nil
	})
	return pairs, err //nolint:wrapcheck // named by the caller
}
