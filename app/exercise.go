package app

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"signalbox/engine/invariant"
	"signalbox/engine/runtime"
)

// Exercise publishes a chain of tasks and returns a function that starts one
// run of it and returns when the start is on disk. Fault tests drive the
// program with it.
func (a *App) Exercise(ctx context.Context, steps int) (start func(context.Context) (uuid.UUID, error), err error) {
	b := &bench{app: a}
	p, err := b.publish(ctx, chainGraph(steps, "mock"))
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) (uuid.UUID, error) {
		s, err := a.engine.Start(ctx, runtime.StartRequest{
			Workspace: mainWorkspace, Workflow: p.workflow, Version: p.version, Trigger: "start",
			Input: json.RawMessage(`{"n":1}`), Source: "bench",
		})
		return s.Run, err
	}, nil
}

// OpenRuns counts the runs that are not over.
func (a *App) OpenRuns(ctx context.Context) (int, error) {
	var n int
	err := a.base.db.Pool().QueryRow(ctx, `select count(*) from runs where ended_at is null`).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("count open runs: %w", err)
	}
	return n, nil
}

// Audit checks every run of the database.
func (a *App) Audit(ctx context.Context) (*invariant.Report, error) {
	return invariant.Audit(ctx, a.store, time.Time{}, time.Now())
}

// Missing lists those of the runs that are not in the database.
func (a *App) Missing(ctx context.Context, runs []uuid.UUID) ([]uuid.UUID, error) {
	rows, err := a.base.db.Pool().Query(ctx, `select i from unnest($1::uuid[]) i where not exists (select from runs where id = i)`, runs)
	if err != nil {
		return nil, fmt.Errorf("look for runs: %w", err)
	}
	list, err := pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
	if err != nil {
		return nil, fmt.Errorf("look for runs: %w", err)
	}
	return list, nil
}
