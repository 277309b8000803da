package pg

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"signalbox/engine/draft"
)

// Draft implements draft.Drafts.
func (d *Drafts) Draft(ctx context.Context, workspace string, id uuid.UUID) (draft.Stored, error) {
	var s draft.Stored
	err := d.pool.QueryRow(ctx, `
		select d.seq, d.graph_seq, d.graph, w.hook_key from drafts d
		join workflows w on w.workspace_id = d.workspace_id and w.id = d.workflow_id
		where d.workspace_id = $1 and d.workflow_id = $2 and w.deleted_at is null`, workspace, id).
		Scan(&s.Seq, &s.GraphSeq, &s.Graph, &s.HookKey)
	return s, found(err, draft.ErrNotFound)
}

// Append implements draft.Drafts. The update is the lock: of two servers that
// add the same number the second finds the row changed and writes nothing.
func (d *Drafts) Append(ctx context.Context, workspace string, id uuid.UUID, b draft.Batch, name, description string) error {
	ops, err := json.Marshal(b.Ops)
	if err != nil {
		return fmt.Errorf("encode operations: %w", err)
	}
	err = inTx(ctx, d.pool, func(tx pgx.Tx) error {
		done, err := tx.Exec(ctx, `update workflows set name = $3, description = $4, updated_at = $5
			where workspace_id = $1 and id = $2 and deleted_at is null`, workspace, id, name, description, b.At)
		if err := changed(done, err, draft.ErrNotFound); err != nil {
			return err
		}
		done, err = tx.Exec(ctx, `update drafts set seq = $3 where workspace_id = $1 and workflow_id = $2 and seq = $3 - 1`, workspace, id, b.Seq)
		if err := changed(done, err, draft.ErrStale); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `insert into draft_ops (workspace_id, workflow_id, seq, batch, by_id, by_name, at, ops)
			values ($1, $2, $3, $4, $5, $6, $7, $8)`, workspace, id, b.Seq, b.ID, b.By.ID, b.By.Name, b.At, ops)
		return err //nolint:wrapcheck // named by the service
	})
	if violates(err, "draft_ops_batch_key") {
		return draft.ErrRepeated
	}
	return err
}

// Batches implements draft.Drafts.
func (d *Drafts) Batches(ctx context.Context, workspace string, id uuid.UUID, after int64, limit int) ([]draft.Batch, error) {
	rows, err := d.pool.Query(ctx, `select seq, batch, by_id, by_name, at, ops from draft_ops
		where workspace_id = $1 and workflow_id = $2 and seq > $3 order by seq limit $4`, workspace, id, after, limit)
	if err != nil {
		return nil, err //nolint:wrapcheck // named by the service
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (draft.Batch, error) { //nolint:wrapcheck // named by the service
		var b draft.Batch
		var ops []byte
		if err := row.Scan(&b.Seq, &b.ID, &b.By.ID, &b.By.Name, &b.At, &ops); err != nil {
			return b, err
		}
		return b, json.Unmarshal(ops, &b.Ops)
	})
}

// BatchSeq implements draft.Drafts.
func (d *Drafts) BatchSeq(ctx context.Context, workspace string, id, batch uuid.UUID) (int64, error) {
	var seq int64
	err := d.pool.QueryRow(ctx, `select seq from draft_ops where workspace_id = $1 and workflow_id = $2 and batch = $3`, workspace, id, batch).Scan(&seq)
	return seq, found(err, draft.ErrNotFound)
}

// Snapshot implements draft.Drafts.
func (d *Drafts) Snapshot(ctx context.Context, workspace string, id uuid.UUID, seq int64, g json.RawMessage) error {
	_, err := d.pool.Exec(ctx, `update drafts set graph = $4, graph_seq = $3
		where workspace_id = $1 and workflow_id = $2 and graph_seq < $3 and seq >= $3`, workspace, id, seq, g)
	return err //nolint:wrapcheck // named by the service
}

// Publish implements draft.Versions.
func (d *Drafts) Publish(ctx context.Context, v draft.Version, hooks []draft.Hook) (draft.Version, error) {
	err := inTx(ctx, d.pool, func(tx pgx.Tx) error {
		// The row of the workflow is the lock around its numbers and hooks.
		var one int
		err := tx.QueryRow(ctx, `select 1 from workflows where workspace_id = $1 and id = $2 and deleted_at is null for update`, v.Workspace, v.Workflow).Scan(&one)
		if err != nil {
			return found(err, draft.ErrNotFound)
		}
		if err := approve(ctx, tx, &v); err != nil {
			return err
		}
		if err := tx.QueryRow(ctx, `select coalesce(max(number), 0) + 1 from versions where workspace_id = $1 and workflow_id = $2`, v.Workspace, v.Workflow).Scan(&v.Number); err != nil {
			return err
		}
		if err := insertVersion(ctx, tx, v); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `update workflows set active_version_id = $3 where workspace_id = $1 and id = $2`, v.Workspace, v.Workflow, v.ID); err != nil {
			return err //nolint:wrapcheck // named by the service
		}
		if _, err := tx.Exec(ctx, `delete from hooks where workspace_id = $1 and workflow_id = $2`, v.Workspace, v.Workflow); err != nil {
			return err //nolint:wrapcheck // named by the service
		}
		for _, h := range hooks {
			if err := insertHook(ctx, tx, h); err != nil {
				return err
			}
		}
		return nil
	})
	return v, err
}

func insertVersion(ctx context.Context, tx pgx.Tx, v draft.Version) error {
	var number *int
	if v.Number > 0 {
		number = &v.Number
	}
	_, err := tx.Exec(ctx, `
		insert into versions (workspace_id, id, workflow_id, number, draft_seq, hash, graph, machine, note, created_by, created_at, review_id, overridden)
		values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
		v.Workspace, v.ID, v.Workflow, number, v.DraftSeq, v.Hash, v.Graph, v.Machine, v.Note, v.By.ID, v.CreatedAt, nullID(v.Review), v.Overridden)
	return err //nolint:wrapcheck // named by the service
}

func insertHook(ctx context.Context, tx pgx.Tx, h draft.Hook) error {
	config := h.Config
	if len(config) == 0 {
		config = json.RawMessage("{}")
	}
	done, err := tx.Exec(ctx, `insert into hooks (path, workspace_id, workflow_id, version_id, node, config)
		values ($1, $2, $3, $4, $5, $6) on conflict (path) do nothing`, h.Path, h.Workspace, h.Workflow, h.Version, h.Node, config)
	return changed(done, err, &draft.ErrHookTaken{Path: h.Path})
}

// PutTest implements draft.Versions.
func (d *Drafts) PutTest(ctx context.Context, v draft.Version) (draft.Version, error) {
	old, err := d.testVersion(ctx, v)
	if !errors.Is(err, draft.ErrNotFound) {
		return old, err
	}
	err = inTx(ctx, d.pool, func(tx pgx.Tx) error { return insertVersion(ctx, tx, v) })
	if violates(err, "versions_test_key") {
		return d.testVersion(ctx, v)
	}
	return v, err
}

func (d *Drafts) testVersion(ctx context.Context, v draft.Version) (draft.Version, error) {
	return d.version(ctx, `v.workspace_id = $1 and v.workflow_id = $2 and v.draft_seq = $3 and v.number is null`, v.Workspace, v.Workflow, v.DraftSeq)
}

const versionColumns = `v.id, v.workspace_id, v.workflow_id, coalesce(v.number, 0), v.draft_seq, v.hash, v.note, v.created_by, coalesce(u.name, 'Signalbox'), v.created_at,
	coalesce(v.review_id, '00000000-0000-0000-0000-000000000000'), coalesce(r.decided_id, '00000000-0000-0000-0000-000000000000'), coalesce(r.decided_name, ''), v.overridden`

const versionFrom = ` from versions v left join users u on u.id = v.created_by left join reviews r on r.id = v.review_id where `

func versionFields(v *draft.Version) []any {
	return []any{&v.ID, &v.Workspace, &v.Workflow, &v.Number, &v.DraftSeq, &v.Hash, &v.Note, &v.By.ID, &v.By.Name, &v.CreatedAt, &v.Review, &v.ApprovedBy.ID, &v.ApprovedBy.Name, &v.Overridden}
}

func (d *Drafts) version(ctx context.Context, where string, args ...any) (draft.Version, error) {
	var v draft.Version
	err := d.pool.QueryRow(ctx, `select `+versionColumns+`, v.graph`+versionFrom+where, args...).
		Scan(append(versionFields(&v), &v.Graph)...)
	return v, found(err, draft.ErrNotFound)
}

// Version implements draft.Versions.
func (d *Drafts) Version(ctx context.Context, workspace string, id uuid.UUID) (draft.Version, error) {
	return d.version(ctx, `v.workspace_id = $1 and v.id = $2`, workspace, id)
}

// Numbered implements draft.Versions.
func (d *Drafts) Numbered(ctx context.Context, workspace string, workflow uuid.UUID, number int) (draft.Version, error) {
	return d.version(ctx, `v.workspace_id = $1 and v.workflow_id = $2 and v.number = $3`, workspace, workflow, number)
}

// ListVersions implements draft.Versions.
func (d *Drafts) ListVersions(ctx context.Context, workspace string, workflow uuid.UUID, limit int) ([]draft.Version, error) {
	rows, err := d.pool.Query(ctx, `select `+versionColumns+versionFrom+`v.workspace_id = $1 and v.workflow_id = $2 and v.number is not null order by v.number desc limit $3`, workspace, workflow, limit)
	if err != nil {
		return nil, err //nolint:wrapcheck // named by the service
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (draft.Version, error) { //nolint:wrapcheck // named by the service
		var v draft.Version
		err := row.Scan(versionFields(&v)...)
		return v, err
	})
}

// HookByPath implements draft.Versions.
func (d *Drafts) HookByPath(ctx context.Context, path string) (draft.Hook, error) {
	h := draft.Hook{Path: path}
	err := d.pool.QueryRow(ctx, `
		select h.workspace_id, h.workflow_id, h.version_id, h.node, h.config, w.active from hooks h
		join workflows w on w.workspace_id = h.workspace_id and w.id = h.workflow_id where h.path = $1`, path).
		Scan(&h.Workspace, &h.Workflow, &h.Version, &h.Node, &h.Config, &h.Active)
	return h, found(err, draft.ErrNotFound)
}
