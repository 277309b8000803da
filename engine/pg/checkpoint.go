package pg

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"signalbox/engine/draft"
)

const checkpointFrom = ` from checkpoints c left join users u on u.id = c.created_by where c.workspace_id = $1 and c.workflow_id = $2`

// Checkpoints implements draft.Checkpoints.
func (d *Drafts) Checkpoints(ctx context.Context, workspace string, workflow uuid.UUID) ([]draft.Checkpoint, error) {
	rows, err := d.pool.Query(ctx, `select c.id, c.draft_seq, c.name, c.created_by, coalesce(u.name, ''), c.created_at`+
		checkpointFrom+` order by c.created_at desc, c.id desc`, workspace, workflow)
	if err != nil {
		return nil, err //nolint:wrapcheck // named by the service
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (draft.Checkpoint, error) { //nolint:wrapcheck // named by the service
		c := draft.Checkpoint{Workspace: workspace, Workflow: workflow}
		err := row.Scan(&c.ID, &c.DraftSeq, &c.Name, &c.By.ID, &c.By.Name, &c.CreatedAt)
		return c, err
	})
}

// Checkpoint implements draft.Checkpoints.
func (d *Drafts) Checkpoint(ctx context.Context, workspace string, workflow, id uuid.UUID) (draft.Checkpoint, error) {
	c := draft.Checkpoint{Workspace: workspace, Workflow: workflow}
	err := d.pool.QueryRow(ctx, `select c.id, c.draft_seq, c.name, c.graph, c.created_by, coalesce(u.name, ''), c.created_at`+
		checkpointFrom+` and c.id = $3`, workspace, workflow, id).
		Scan(&c.ID, &c.DraftSeq, &c.Name, &c.Graph, &c.By.ID, &c.By.Name, &c.CreatedAt)
	if errors.Is(err, pgx.ErrNoRows) {
		return c, draft.ErrNotFound
	}
	return c, err //nolint:wrapcheck // named by the service
}

// PutCheckpoint implements draft.Checkpoints.
func (d *Drafts) PutCheckpoint(ctx context.Context, c draft.Checkpoint) error {
	done, err := d.pool.Exec(ctx, `
		insert into checkpoints (workspace_id, id, workflow_id, draft_seq, name, graph, created_by, created_at)
		select $1, $2, $3, $4, $5, $6, $7, $8 from workflows where workspace_id = $1 and id = $3`,
		c.Workspace, c.ID, c.Workflow, c.DraftSeq, c.Name, c.Graph, c.By.ID, c.CreatedAt)
	if err != nil {
		return fmt.Errorf("keep a checkpoint: %w", err)
	}
	return changed(done, nil, draft.ErrNotFound)
}

// DeleteCheckpoint implements draft.Checkpoints.
func (d *Drafts) DeleteCheckpoint(ctx context.Context, workspace string, workflow, id uuid.UUID) error {
	done, err := d.pool.Exec(ctx, `delete from checkpoints where workspace_id = $1 and workflow_id = $2 and id = $3`, workspace, workflow, id)
	return changed(done, err, draft.ErrNotFound)
}
