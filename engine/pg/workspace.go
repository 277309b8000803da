package pg

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"signalbox/engine/account"
)

// ListWorkspaces implements account.Workspaces.
func (a *Accounts) ListWorkspaces(ctx context.Context, user uuid.UUID) ([]account.Workspace, error) {
	rows, err := a.pool.Query(ctx, `select w.id, w.name, m.role, w.created_at from members m join workspaces w on w.id = m.workspace_id
		where m.user_id = $1 order by lower(w.name), w.id`, user)
	if err != nil {
		return nil, err //nolint:wrapcheck // named by the service
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[account.Workspace]) //nolint:wrapcheck // named by the service
}

// PutWorkspace implements account.Workspaces.
func (a *Accounts) PutWorkspace(ctx context.Context, w account.Workspace, owner uuid.UUID) error {
	return inTx(ctx, a.pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `insert into workspaces (id, name, created_at) values ($1, $2, $3)`, w.ID, w.Name, w.CreatedAt); err != nil {
			return err //nolint:wrapcheck // named by the service
		}
		_, err := tx.Exec(ctx, `insert into members (workspace_id, user_id, role, created_at) values ($1, $2, 'owner', $3)`, w.ID, owner, w.CreatedAt)
		return err //nolint:wrapcheck // named by the service
	})
}

// RenameWorkspace implements account.Workspaces.
func (a *Accounts) RenameWorkspace(ctx context.Context, id, name string) error {
	done, err := a.pool.Exec(ctx, `update workspaces set name = $2 where id = $1`, id, name)
	return changed(done, err, account.ErrNotFound)
}
