package pg

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"signalbox/engine/draft"
)

// Drafts stores workflows, their drafts and their versions.
type Drafts struct{ pool *pgxpool.Pool }

var _ draft.Store = (*Drafts)(nil)

// NewDrafts makes the adapter.
func NewDrafts(pool *pgxpool.Pool) *Drafts { return &Drafts{pool} }

// Create implements draft.Workflows.
func (d *Drafts) Create(ctx context.Context, w draft.Workflow, g json.RawMessage) error {
	return inTx(ctx, d.pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `
			insert into workflows (workspace_id, id, name, description, active, created_at, updated_at, created_by)
			values ($1, $2, $3, $4, $5, $6, $7, $8)`,
			w.Workspace, w.ID, w.Name, w.Description, w.Active, w.CreatedAt, w.UpdatedAt, w.CreatedBy.ID); err != nil {
			return err //nolint:wrapcheck // named by the service
		}
		_, err := tx.Exec(ctx, `insert into drafts (workspace_id, workflow_id, seq, graph_seq, graph) values ($1, $2, 0, 0, $3)`, w.Workspace, w.ID, g)
		return err //nolint:wrapcheck // named by the service
	})
}

// The newest run and the counts of a day come from the index of runs by
// workflow; runs of a draft count as well as others.
const workflowQuery = `
	select w.workspace_id, w.id, w.name, w.description, w.active, w.created_at, w.updated_at, w.created_by, coalesce(u.name, 'Signalbox'),
		d.seq, v.id, v.number, v.draft_seq, r.id, r.status, r.created_at, w.tags, day.hours, day.ok, day.failed, w.folder_id
	from workflows w
	join drafts d on d.workspace_id = w.workspace_id and d.workflow_id = w.id
	left join users u on u.id = w.created_by
	left join versions v on v.id = w.active_version_id
	left join lateral (
		select id, status, created_at from runs
		where workspace_id = w.workspace_id and workflow_id = w.id order by id desc limit 1) r on true
	left join lateral (
		select array_agg(hour order by hour) hours, array_agg(ok order by hour) ok, array_agg(failed order by hour) failed from (
			select least(23, greatest(0, floor(extract(epoch from now() - created_at) / 3600)))::int "hour",
				count(*) filter (where status = 'succeeded')::int ok, count(*) filter (where status = 'failed')::int failed
			from runs where workspace_id = w.workspace_id and workflow_id = w.id and id >= $2
			group by 1) hours) day on true
	where w.deleted_at is null and w.workspace_id = $1`

// dayAgo is the smallest id that a run can have which was made within the last
// 24 hours: ids are in order of time, so that the history before is not read.
func dayAgo() uuid.UUID {
	var id uuid.UUID
	binary.BigEndian.PutUint64(id[:], uint64(time.Now().Add(-24*time.Hour).UnixMilli())<<16) //nolint:gosec,forbidigo // after 1970; a bound, not a fact
	return id
}

func scanWorkflow(row pgx.CollectableRow) (draft.Workflow, error) {
	w := draft.Workflow{ActiveSeq: -1}
	var version, run, folder *uuid.UUID
	var number *int
	var seq *int64
	var status *string
	var at *time.Time
	var hours, ok, failed []int
	err := row.Scan(&w.Workspace, &w.ID, &w.Name, &w.Description, &w.Active, &w.CreatedAt, &w.UpdatedAt, &w.CreatedBy.ID, &w.CreatedBy.Name,
		&w.DraftSeq, &version, &number, &seq, &run, &status, &at, &w.Tags, &hours, &ok, &failed, &folder)
	if folder != nil {
		w.Folder = *folder
	}
	if version != nil && number != nil && seq != nil {
		w.ActiveID, w.ActiveVersion, w.ActiveSeq = *version, *number, *seq
	}
	if run != nil && status != nil {
		w.LastRun = &draft.LastRun{ID: *run, Status: *status, At: orZero(at)}
	}
	for i := range hours {
		if ok[i]+failed[i] > 0 {
			w.Day.Hours = append(w.Day.Hours, draft.HourRuns{Ago: hours[i], OK: ok[i], Failed: failed[i]})
			w.Day.OK, w.Day.Failed = w.Day.OK+ok[i], w.Day.Failed+failed[i]
		}
	}
	return w, err
}

// Workflow implements draft.Workflows.
func (d *Drafts) Workflow(ctx context.Context, workspace string, id uuid.UUID) (draft.Workflow, error) {
	rows, err := d.pool.Query(ctx, workflowQuery+` and w.id = $3`, workspace, dayAgo(), id)
	if err != nil {
		return draft.Workflow{}, err //nolint:wrapcheck // named by the service
	}
	w, err := pgx.CollectExactlyOneRow(rows, scanWorkflow)
	return w, found(err, draft.ErrNotFound)
}

// List implements draft.Workflows.
func (d *Drafts) List(ctx context.Context, workspace string, after draft.Cursor, limit int) ([]draft.Workflow, error) {
	rows, err := d.pool.Query(ctx, workflowQuery+`
		and ($3::timestamptz is null or (w.updated_at, w.id) < ($3, $4::uuid))
		order by w.updated_at desc, w.id desc limit $5`, workspace, dayAgo(), nullTime(after.At), nullID(after.ID), limit)
	if err != nil {
		return nil, err //nolint:wrapcheck // named by the service
	}
	return pgx.CollectRows(rows, scanWorkflow) //nolint:wrapcheck // named by the service
}

// SetActive implements draft.Workflows.
func (d *Drafts) SetActive(ctx context.Context, workspace string, id uuid.UUID, active bool) error {
	done, err := d.pool.Exec(ctx, `update workflows set active = $3 where workspace_id = $1 and id = $2 and deleted_at is null`, workspace, id, active)
	return changed(done, err, draft.ErrNotFound)
}

// SetTags implements draft.Workflows.
func (d *Drafts) SetTags(ctx context.Context, workspace string, id uuid.UUID, tags []string) error {
	done, err := d.pool.Exec(ctx, `update workflows set tags = $3 where workspace_id = $1 and id = $2 and deleted_at is null`, workspace, id, tags)
	return changed(done, err, draft.ErrNotFound)
}

// Delete implements draft.Workflows.
func (d *Drafts) Delete(ctx context.Context, workspace string, id uuid.UUID) error {
	return inTx(ctx, d.pool, func(tx pgx.Tx) error {
		done, err := tx.Exec(ctx, `update workflows set deleted_at = now(), active = false where workspace_id = $1 and id = $2 and deleted_at is null`, workspace, id)
		if err := changed(done, err, draft.ErrNotFound); err != nil {
			return err
		}
		if _, err = tx.Exec(ctx, `delete from hooks where workspace_id = $1 and workflow_id = $2`, workspace, id); err != nil {
			return err //nolint:wrapcheck // named by the service
		}
		_, err = tx.Exec(ctx, `delete from cases where workspace_id = $1 and workflow_id = $2`, workspace, id)
		return err //nolint:wrapcheck // named by the service
	})
}

// Camera implements draft.Cameras.
func (d *Drafts) Camera(ctx context.Context, workflow, user uuid.UUID) (draft.Camera, bool, error) {
	var c draft.Camera
	err := d.pool.QueryRow(ctx, `select x, y, z from cameras where workflow_id = $1 and user_id = $2`, workflow, user).Scan(&c.X, &c.Y, &c.Z)
	if found(err, draft.ErrNotFound) == draft.ErrNotFound { //nolint:errorlint // the value itself
		return c, false, nil
	}
	return c, err == nil, err
}

// PutCamera implements draft.Cameras.
func (d *Drafts) PutCamera(ctx context.Context, workspace string, workflow, user uuid.UUID, c draft.Camera) error {
	done, err := d.pool.Exec(ctx, `
		insert into cameras (workspace_id, workflow_id, user_id, x, y, z)
		select workspace_id, id, $3, $4, $5, $6 from workflows where workspace_id = $1 and id = $2 and deleted_at is null
		on conflict (workflow_id, user_id) do update set x = excluded.x, y = excluded.y, z = excluded.z`, workspace, workflow, user, c.X, c.Y, c.Z)
	return changed(done, err, draft.ErrNotFound)
}
