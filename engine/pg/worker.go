package pg

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"signalbox/engine/worker/remote"
)

// Limits of what is kept about workers of one's own.
const (
	workersMax  = 1_000 // of a workspace; who comes above it is not listed
	workersKeep = 30 * 24 * time.Hour
)

// Workers stores what workers of one's own announce.
type Workers struct{ pool *pgxpool.Pool }

var _ remote.Kept = (*Workers)(nil)

// NewWorkers makes the adapter.
func NewWorkers(pool *pgxpool.Pool) *Workers { return &Workers{pool} }

// Announce implements remote.Kept.
func (w *Workers) Announce(ctx context.Context, p remote.Presence, types []remote.Type) (fits bool, err error) {
	err = pgx.BeginFunc(ctx, w.pool, func(tx pgx.Tx) error {
		// One at a time in a workspace, so that the limit holds.
		if _, err := tx.Exec(ctx, `select pg_advisory_xact_lock(hashtext('workers'), hashtext($1))`, p.Workspace); err != nil {
			return fmt.Errorf("lock the workers of a workspace: %w", err)
		}
		for _, t := range types {
			if _, err := tx.Exec(ctx, `
				insert into worker_types (workspace_id, name, title, description, icon, input, output, announced_at, announced_by)
				values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
				on conflict (workspace_id, name) do update set (title, description, icon, input, output, announced_at, announced_by)
				= (excluded.title, excluded.description, excluded.icon, excluded.input, excluded.output, excluded.announced_at, excluded.announced_by)`,
				p.Workspace, t.Name, t.Title, t.Description, t.Icon, t.Input, t.Output, p.SeenAt, p.Worker); err != nil {
				return fmt.Errorf("store task type %s: %w", t.Name, err)
			}
		}
		var n int
		if err := tx.QueryRow(ctx, `select count(*) from worker_types where workspace_id = $1`, p.Workspace).Scan(&n); err != nil {
			return fmt.Errorf("count task types: %w", err)
		}
		if n > remote.TypesMax {
			return errFull // nothing of it is kept
		}
		if _, err := tx.Exec(ctx, `delete from workers where workspace_id = $1 and seen_at < $2`, p.Workspace, p.SeenAt.Add(-workersKeep)); err != nil {
			return fmt.Errorf("forget old workers: %w", err)
		}
		return seen(ctx, tx, p)
	})
	if errors.Is(err, errFull) {
		return false, nil
	}
	return err == nil, err
}

var errFull = errors.New("there are too many task types")

type execer interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
}

// seen stores a worker; one that does not say what it does keeps what it had
// said, with its location.
func seen(ctx context.Context, db execer, p remote.Presence) error {
	types := p.Types
	if types == nil {
		types = []string{}
	}
	_, err := db.Exec(ctx, `
		insert into workers as w (workspace_id, name, types, token_id, seen_at, left_work, location, steps)
		select $1, $2, $3, $4, $5, $6, $8, $9
		where (select count(*) from workers where workspace_id = $1) < $7 or exists (select 1 from workers where workspace_id = $1 and name = $2)
		on conflict (workspace_id, name) do update set
			types = case when $10 then excluded.types else w.types end,
			location = case when $10 then excluded.location else w.location end,
			steps = case when $10 then excluded.steps else w.steps end,
			token_id = excluded.token_id, seen_at = excluded.seen_at, left_work = excluded.left_work`,
		p.Workspace, p.Worker, types, p.Token, p.SeenAt, p.Left, workersMax, p.Location, p.Steps, len(types) > 0 || p.Steps)
	if err != nil {
		return fmt.Errorf("store worker %s: %w", p.Worker, err)
	}
	return nil
}

// Seen implements remote.Kept.
func (w *Workers) Seen(ctx context.Context, p remote.Presence) error { return seen(ctx, w.pool, p) }

// Known implements remote.Kept.
func (w *Workers) Known(ctx context.Context, workspace string, since time.Time) ([]remote.KnownType, []remote.Presence, error) {
	rows, err := w.pool.Query(ctx, `select name, title, description, icon, input, output, announced_at, announced_by
		from worker_types where workspace_id = $1 order by name`, workspace)
	if err != nil {
		return nil, nil, fmt.Errorf("read task types: %w", err)
	}
	types, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (t remote.KnownType, err error) {
		err = row.Scan(&t.Name, &t.Title, &t.Description, &t.Icon, &t.Input, &t.Output, &t.AnnouncedAt, &t.By)
		return t, err //nolint:wrapcheck // by the caller
	})
	if err != nil {
		return nil, nil, fmt.Errorf("read task types: %w", err)
	}
	rows, err = w.pool.Query(ctx, `select name, types, token_id, seen_at, left_work, location, steps from workers
		where workspace_id = $1 and seen_at >= $2 order by name`, workspace, since)
	if err != nil {
		return nil, nil, fmt.Errorf("read workers: %w", err)
	}
	workers, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (remote.Presence, error) {
		p := remote.Presence{Workspace: workspace}
		err := row.Scan(&p.Worker, &p.Types, &p.Token, &p.SeenAt, &p.Left, &p.Location, &p.Steps)
		return p, err //nolint:wrapcheck // by the caller
	})
	if err != nil {
		return nil, nil, fmt.Errorf("read workers: %w", err)
	}
	return types, workers, nil
}

// ForgetType implements remote.Kept.
func (w *Workers) ForgetType(ctx context.Context, workspace, name string) (bool, error) {
	done, err := w.pool.Exec(ctx, `delete from worker_types where workspace_id = $1 and name = $2`, workspace, name)
	if err != nil {
		return false, fmt.Errorf("forget task type %s: %w", name, err)
	}
	return done.RowsAffected() > 0, nil
}
