package pg

import (
	"context"
	"errors"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"signalbox/engine/draft"
)

// Folders implements draft.Folders.
func (d *Drafts) Folders(ctx context.Context, workspace string) ([]draft.Folder, error) {
	rows, err := d.pool.Query(ctx, `
		select f.id, f.workspace_id, f.name, f.created_at,
			(select count(*) from workflows w where w.folder_id = f.id and w.deleted_at is null)
		from folders f where f.workspace_id = $1 order by lower(f.name), f.id`, workspace)
	if err != nil {
		return nil, err //nolint:wrapcheck // named by the service
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (draft.Folder, error) { //nolint:wrapcheck // named by the service
		var f draft.Folder
		err := row.Scan(&f.ID, &f.Workspace, &f.Name, &f.CreatedAt, &f.Count)
		return f, err
	})
}

// PutFolder implements draft.Folders.
func (d *Drafts) PutFolder(ctx context.Context, f draft.Folder) error {
	done, err := d.pool.Exec(ctx, `
		insert into folders (workspace_id, id, name, created_at) values ($1, $2, $3, $4)
		on conflict (id) do update set name = excluded.name where folders.workspace_id = excluded.workspace_id`,
		f.Workspace, f.ID, f.Name, f.CreatedAt)
	var refused *pgconn.PgError
	if errors.As(err, &refused) && refused.ConstraintName == "folders_name" {
		return draft.ErrFolderTaken
	}
	return changed(done, err, draft.ErrNotFound)
}

// DeleteFolder implements draft.Folders. A workflow that was deleted lets go
// of the folder; one that is there holds it, by the foreign key, even when it
// comes in at this moment.
func (d *Drafts) DeleteFolder(ctx context.Context, workspace string, id uuid.UUID) error {
	err := inTx(ctx, d.pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `update workflows set folder_id = null where workspace_id = $1 and folder_id = $2 and deleted_at is not null`, workspace, id); err != nil {
			return err //nolint:wrapcheck // named by the service
		}
		done, err := tx.Exec(ctx, `delete from folders where workspace_id = $1 and id = $2`, workspace, id)
		return changed(done, err, draft.ErrNotFound)
	})
	var refused *pgconn.PgError
	if errors.As(err, &refused) && refused.Code == "23503" { // a foreign key still points here
		return draft.ErrFolderFull
	}
	return err
}

// Move implements draft.Folders.
func (d *Drafts) Move(ctx context.Context, workspace string, ids []uuid.UUID, folder uuid.UUID) error {
	return inTx(ctx, d.pool, func(tx pgx.Tx) error {
		done, err := tx.Exec(ctx, `update workflows set folder_id = $3 where workspace_id = $1 and id = any($2) and deleted_at is null`, workspace, ids, nullID(folder))
		if err != nil {
			return err //nolint:wrapcheck // named by the service
		}
		if int(done.RowsAffected()) != len(ids) {
			return draft.ErrNotFound
		}
		return nil
	})
}
