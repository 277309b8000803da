package pg

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"signalbox/engine/vault"
)

// Credentials stores sealed credentials. It never sees a value.
type Credentials struct{ pool *pgxpool.Pool }

var _ vault.Store = (*Credentials)(nil)

// NewCredentials makes the adapter.
func NewCredentials(pool *pgxpool.Pool) *Credentials { return &Credentials{pool} }

// PutCredential implements vault.Store.
func (c *Credentials) PutCredential(ctx context.Context, r vault.Row) error {
	_, err := c.pool.Exec(ctx, `
		insert into credentials (workspace_id, id, name, type, version, key_id, wrapped, data, created_at, updated_at)
		values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
		on conflict (workspace_id, id) do update set type = excluded.type, version = excluded.version, key_id = excluded.key_id,
			wrapped = excluded.wrapped, data = excluded.data, updated_at = excluded.updated_at
		where credentials.version < excluded.version`,
		r.Workspace, r.ID, r.Name, r.Type, r.Version, r.Sealed.KeyID, r.Sealed.Wrapped, r.Sealed.Data, r.CreatedAt, r.UpdatedAt)
	return err //nolint:wrapcheck // named by the service
}

// CredentialByName implements vault.Store.
func (c *Credentials) CredentialByName(ctx context.Context, workspace, name string) (vault.Row, error) {
	r := vault.Row{Credential: vault.Credential{Workspace: workspace, Name: name}}
	err := c.pool.QueryRow(ctx, `
		select id, type, version, key_id, wrapped, data, created_at, updated_at from credentials
		where workspace_id = $1 and name = $2`, workspace, name).
		Scan(&r.ID, &r.Type, &r.Version, &r.Sealed.KeyID, &r.Sealed.Wrapped, &r.Sealed.Data, &r.CreatedAt, &r.UpdatedAt)
	return r, found(err, vault.ErrNotFound)
}

// ListCredentials implements vault.Store.
func (c *Credentials) ListCredentials(ctx context.Context, workspace string) ([]vault.Credential, error) {
	rows, err := c.pool.Query(ctx, `select id, name, type, version, created_at, updated_at from credentials
		where workspace_id = $1 order by name`, workspace)
	if err != nil {
		return nil, err //nolint:wrapcheck // named by the service
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (vault.Credential, error) { //nolint:wrapcheck // named by the service
		v := vault.Credential{Workspace: workspace}
		err := row.Scan(&v.ID, &v.Name, &v.Type, &v.Version, &v.CreatedAt, &v.UpdatedAt)
		return v, err
	})
}

// DeleteCredential implements vault.Store.
func (c *Credentials) DeleteCredential(ctx context.Context, workspace string, id uuid.UUID) error {
	gone, err := c.pool.Exec(ctx, `delete from credentials where workspace_id = $1 and id = $2`, workspace, id)
	return changed(gone, err, vault.ErrNotFound)
}
