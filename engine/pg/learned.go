package pg

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"signalbox/engine/learn"
	"signalbox/engine/routing"
)

var _ routing.Figures = (*Routing)(nil)

// AddKnown implements routing.Figures. The caller's order is the order of the
// locks: it is the same in all processes.
func (r *Routing) AddKnown(ctx context.Context, since []routing.Known) ([]routing.Known, error) {
	var stored []routing.Known
	err := inTx(ctx, r.pool, func(tx pgx.Tx) error {
		stored = stored[:0]
		for _, k := range since {
			merged, err := addKnown(ctx, tx, k)
			if err != nil {
				return err
			}
			stored = append(stored, merged)
		}
		return nil
	})
	return stored, err
}

func addKnown(ctx context.Context, tx pgx.Tx, k routing.Known) (routing.Known, error) {
	if _, err := tx.Exec(ctx, `insert into learned (workspace_id, rule, subject, figures, changed_at)
		values ($1, $2, $3, '{}', clock_timestamp()) on conflict do nothing`, k.Workspace, k.Rule, k.For); err != nil {
		return k, fmt.Errorf("make room for figures: %w", err)
	}
	var raw []byte
	var passed float64
	if err := tx.QueryRow(ctx, `select figures, extract(epoch from clock_timestamp() - changed_at)::float8 from learned
		where workspace_id = $1 and rule = $2 and subject = $3 for update`, k.Workspace, k.Rule, k.For).Scan(&raw, &passed); err != nil {
		return k, fmt.Errorf("read figures: %w", err)
	}
	was := learn.Table{}
	if err := json.Unmarshal(raw, &was); err != nil {
		return k, fmt.Errorf("read figures: %w", err)
	}
	k.Table = learn.Merge(was, k.Table, time.Duration(passed*float64(time.Second)))
	raw, err := json.Marshal(k.Table)
	if err != nil {
		return k, fmt.Errorf("write figures: %w", err)
	}
	_, err = tx.Exec(ctx, `update learned set figures = $4, changed_at = clock_timestamp()
		where workspace_id = $1 and rule = $2 and subject = $3`, k.Workspace, k.Rule, k.For, raw)
	return k, err //nolint:wrapcheck // named by the service
}

// overlap is how far back a look goes again: what was written before the last
// one may have been committed after it.
const overlap = 10 * time.Second

// KnownSince implements routing.Figures.
func (r *Routing) KnownSince(ctx context.Context, since time.Time) ([]routing.Known, time.Time, error) {
	var now time.Time
	if err := r.pool.QueryRow(ctx, `select clock_timestamp()`).Scan(&now); err != nil {
		return nil, since, err
	}
	rows, err := r.pool.Query(ctx, `select workspace_id, rule, subject, figures from learned where changed_at >= $1`, since)
	if err != nil {
		return nil, since, err //nolint:wrapcheck // named by the service
	}
	list, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (routing.Known, error) {
		var k routing.Known
		var raw []byte
		if err := row.Scan(&k.Workspace, &k.Rule, &k.For, &raw); err != nil {
			return k, err
		}
		return k, json.Unmarshal(raw, &k.Table)
	})
	if err != nil {
		return nil, since, fmt.Errorf("read figures: %w", err)
	}
	return list, now.Add(-overlap), nil
}

// DropKnown implements routing.Figures.
func (r *Routing) DropKnown(ctx context.Context, workspace, rule string) error {
	_, err := r.pool.Exec(ctx, `delete from learned where workspace_id = $1 and rule = $2`, workspace, rule)
	return err //nolint:wrapcheck // named by the service
}

// SweepKnown implements routing.Figures.
func (r *Routing) SweepKnown(ctx context.Context, age time.Duration) error {
	_, err := r.pool.Exec(ctx, `delete from learned where changed_at < clock_timestamp() - make_interval(secs => $1)`, age.Seconds())
	return err //nolint:wrapcheck // named by the service
}
