package pg

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"signalbox/engine/event"
	"signalbox/engine/history"
	"signalbox/engine/runtime"
)

// Beginning implements runtime.Forks.
func (s *Store) Beginning(ctx context.Context, run uuid.UUID, limit int) ([]event.Event, error) {
	rows, err := s.pool.Query(ctx, `select seq, at, node, type, data, hash from workflow_events where run_id = $1 order by seq limit $2`, run, limit)
	if err != nil {
		return nil, fmt.Errorf("read the beginning of a run: %w", err)
	}
	list, err := pgx.CollectRows(rows, scanEvent)
	if err != nil {
		return nil, fmt.Errorf("read the beginning of a run: %w", err)
	}
	return list, nil
}

// Fork implements runtime.Forks. The shared events are copied where they are:
// they may be many, and none of them leaves the database.
func (s *Store) Fork(ctx context.Context, f *runtime.Fork) error {
	r := &f.New
	err := inTx(ctx, s.pool, func(tx pgx.Tx) error {
		// The source and what it names must not be forgotten meanwhile.
		_, err := tx.Exec(ctx, `with source as materialized (select id from runs where id = $1 for share)
			insert into payload_uses (digest, run_id)
			select u.digest, $2 from source, payload_uses u where u.run_id = source.id`, f.From, r.Run)
		if err != nil {
			return err //nolint:wrapcheck // below
		}
		_, err = tx.Exec(ctx, `insert into runs (id, shard, workspace_id, workflow_id, version_id, trigger, source, test, attributes,
				status, seq, owed, wake_at, error, created_at, ended_at, forked_from, forked_at, format, semantics)
			values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20)`,
			r.Run, f.Shard, r.Workspace, r.Workflow, r.Version, r.Trigger, r.Source, r.Test, []byte(r.Attributes),
			r.Status, r.Seq, r.Owed, nullTime(r.WakeAt), storable(r.Error), f.At, nullTime(r.EndedAt), f.From, f.Point, r.Format, r.Semantics)
		if err != nil {
			return err //nolint:wrapcheck // below
		}
		tag, err := tx.Exec(ctx, `insert into workflow_events (run_id, seq, at, node, type, data, hash)
			select $1, seq, at, node, type, data, hash from workflow_events where run_id = $2 and seq <= $3`, r.Run, f.From, f.Shared)
		if err != nil {
			return err //nolint:wrapcheck // below
		}
		if tag.RowsAffected() != int64(f.Shared) {
			return fmt.Errorf("run %s has no %d events", f.From, f.Shared)
		}
		for i := range f.Events {
			e := &f.Events[i]
			if e.Seq != f.Shared+1+i {
				return fmt.Errorf("event %d of run %s does not follow event %d", e.Seq, r.Run, f.Shared+i)
			}
			for digest := range event.Digests(e.Data) {
				if _, err := tx.Exec(ctx, `insert into payload_uses (digest, run_id) values ($1, $2) on conflict do nothing`, digest, r.Run); err != nil {
					return err //nolint:wrapcheck // below
				}
			}
		}
		for i := range f.Dead {
			d := &f.Dead[i]
			if _, err := tx.Exec(ctx, `insert into dead_letters (run_id, seq, at, workspace_id, workflow_id, version_id, node, class, scope, visit, message, attempts)
				values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
				d.Run, d.Seq, d.At, d.Workspace, d.Workflow, d.Version, d.Node, storable(d.Dead.Error.Class), d.Dead.Scope, d.Dead.Visit, storable(d.Dead.Error.Message), d.Dead.Error.Attempts); err != nil {
				return err //nolint:wrapcheck // below
			}
		}
		_, err = tx.CopyFrom(ctx, pgx.Identifier{"workflow_events"}, []string{"run_id", "seq", "at", "node", "type", "data", "hash"},
			pgx.CopyFromSlice(len(f.Events), func(i int) ([]any, error) {
				e := &f.Events[i]
				return []any{r.Run, e.Seq, e.At, e.Node, e.Type, []byte(e.Data), e.Hash[:]}, nil
			}))
		return err //nolint:wrapcheck // below
	})
	if err != nil {
		return fmt.Errorf("write a fork: %w", err)
	}
	return nil
}

// forksMax is how many forks of one run are listed.
const forksMax = 50

// Forks lists the runs that began as a run, the newest first.
func (h *History) Forks(ctx context.Context, workspace string, run uuid.UUID) ([]history.Run, error) {
	rows, err := h.store.pool.Query(ctx, runQuery+` and r.forked_from = $2 order by r.id desc limit $3`, workspace, run, forksMax)
	if err != nil {
		return nil, fmt.Errorf("list forks: %w", err)
	}
	list, err := pgx.CollectRows(rows, scanRun)
	if err != nil {
		return nil, fmt.Errorf("list forks: %w", err)
	}
	return list, nil
}
