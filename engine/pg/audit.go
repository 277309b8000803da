package pg

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"signalbox/engine/runtime"
)

// EachRun calls the function for runs behind an id, at most so many, each with
// its row and all of its events as they are, seen at one moment.
func (s *Store) EachRun(ctx context.Context, after uuid.UUID, limit int, do func(*runtime.Record) error) (n int, last uuid.UUID, err error) {
	tx, err := s.pool.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
	if err != nil {
		return 0, after, fmt.Errorf("look at runs: %w", err)
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }()
	rows, err := tx.Query(ctx, `select id, shard, workspace_id, workflow_id, version_id, trigger, source, test, attributes, status, seq, owed, wake_at, error, created_at, ended_at, format, semantics
		from runs where id > $1 order by id limit $2`, after, limit)
	if err != nil {
		return 0, after, fmt.Errorf("list runs: %w", err)
	}
	list, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (*runtime.Record, error) {
		rec := &runtime.Record{}
		return rec, scanRecord(row, rec)
	})
	if err != nil {
		return 0, after, fmt.Errorf("list runs: %w", err)
	}
	for _, rec := range list {
		rows, err := tx.Query(ctx, `select seq, at, node, type, data, hash from workflow_events where run_id = $1 order by seq`, rec.Run)
		if err != nil {
			return n, last, fmt.Errorf("read events of run %s: %w", rec.Run, err)
		}
		if rec.Events, err = pgx.CollectRows(rows, scanEvent); err != nil {
			return n, last, fmt.Errorf("read events of run %s: %w", rec.Run, err)
		}
		if err := do(rec); err != nil {
			return n, last, err
		}
		n, last = n+1, rec.Run
	}
	return n, last, nil
}

// Orphans lists runs of which there are events and no row.
func (s *Store) Orphans(ctx context.Context, limit int) ([]uuid.UUID, error) {
	rows, err := s.pool.Query(ctx, `
		select distinct run_id from workflow_events e where not exists (select from runs r where r.id = e.run_id)
		and not exists (select from retired_weeks w where e.run_id >= w.low and e.run_id < w.high) limit $1`, limit)
	if err != nil {
		return nil, fmt.Errorf("look for events without a run: %w", err)
	}
	list, err := pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
	if err != nil {
		return nil, fmt.Errorf("look for events without a run: %w", err)
	}
	return list, nil
}
