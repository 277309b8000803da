package pg

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"signalbox/engine/archive"
	"signalbox/engine/event"
	"signalbox/engine/runtime"
)

// Saver keeps runs that are about to be deleted. *archive.Batch implements it.
type Saver interface {
	Run(r *archive.Run) error
	Event(e *event.Event) error
	Value(digest string, bytes []byte) error
	Close() error // all of it is on disk
	Abort()       // none of it is needed
}

// save writes runs, their events and the large values that they name.
func (s *Store) save(ctx context.Context, tx pgx.Tx, runs []uuid.UUID, begin func(uuid.UUID) (Saver, error)) error {
	to, err := begin(runs[0])
	if err != nil {
		return err
	}
	defer to.Abort()
	for _, run := range runs {
		if err := s.saveRun(ctx, tx, run, to); err != nil {
			return fmt.Errorf("save run %s: %w", run, err)
		}
	}
	return to.Close() //nolint:wrapcheck // says it all
}

func (s *Store) saveRun(ctx context.Context, tx pgx.Tx, run uuid.UUID, to Saver) error {
	rec := &runtime.Record{}
	if err := scanRecord(tx.QueryRow(ctx, `select id, shard, workspace_id, workflow_id, version_id, trigger, source, test, attributes, status, seq, owed, wake_at, error, created_at, ended_at, format, semantics
		from runs where id = $1`, run), rec); err != nil {
		return err
	}
	var digests []string
	var events int
	if err := tx.QueryRow(ctx, `select coalesce(array_agg(digest order by digest), '{}'), (select count(*) from workflow_events where run_id = $1)
		from payload_uses where run_id = $1`, run).Scan(&digests, &events); err != nil {
		return err //nolint:wrapcheck // by the caller
	}
	if err := to.Run(&archive.Run{
		ID: rec.Run, Workspace: rec.Workspace, Workflow: rec.Workflow, Version: rec.Version, Trigger: rec.Trigger, Source: rec.Source,
		Test: rec.Test, Attributes: rec.Attributes, Status: rec.Status, Error: rec.Error, CreatedAt: rec.CreatedAt, EndedAt: rec.EndedAt,
		Events: events, Values: digests,
	}); err != nil {
		return err //nolint:wrapcheck // by the caller
	}
	rows, err := tx.Query(ctx, `select seq, at, node, type, data, hash from workflow_events where run_id = $1 order by seq`, run)
	if err != nil {
		return err //nolint:wrapcheck // by the caller
	}
	defer rows.Close()
	for rows.Next() {
		e, err := scanEvent(rows)
		if err == nil {
			err = to.Event(&e)
		}
		if err != nil {
			return err //nolint:wrapcheck // by the caller
		}
	}
	if err := rows.Err(); err != nil {
		return err //nolint:wrapcheck // by the caller
	}
	return s.saveValues(ctx, tx, rec.Workspace, digests, to)
}

// saveValues writes large values one at a time: together they may be larger
// than memory.
func (s *Store) saveValues(ctx context.Context, tx pgx.Tx, workspace string, digests []string, to Saver) error {
	for _, digest := range digests {
		whole, err := s.payload(ctx, tx, workspace, digest)
		if errors.Is(err, runtime.ErrNotFound) {
			continue
		}
		if err == nil {
			err = to.Value(digest, whole)
		}
		if err != nil {
			return err //nolint:wrapcheck // by the caller
		}
	}
	return nil
}
