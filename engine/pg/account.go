package pg

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"signalbox/engine/account"
)

// Accounts stores users, members, setup links and API tokens.
type Accounts struct{ pool *pgxpool.Pool }

var _ account.Store = (*Accounts)(nil)

// NewAccounts makes the adapter.
func NewAccounts(pool *pgxpool.Pool) *Accounts { return &Accounts{pool} }

// UserByEmail implements account.Users.
func (a *Accounts) UserByEmail(ctx context.Context, email string) (account.User, error) {
	u := account.User{Email: email}
	err := a.pool.QueryRow(ctx, `select id, name, password_hash, created_at from users where email = $1`, email).
		Scan(&u.ID, &u.Name, &u.PasswordHash, &u.CreatedAt)
	return u, found(err, account.ErrNotFound)
}

// Member implements account.Users.
func (a *Accounts) Member(ctx context.Context, workspace string, user uuid.UUID) (account.Member, error) {
	m, after := account.Member{User: user}, (*time.Time)(nil)
	err := a.pool.QueryRow(ctx, `
		select m.workspace_id, m.role, m.created_at, u.email, u.name, u.sessions_after
		from members m join users u on u.id = m.user_id
		where m.user_id = $1 and ($2 = '' or m.workspace_id = $2)
		order by m.created_at, m.workspace_id limit 1`, user, workspace).
		Scan(&m.Workspace, &m.Role, &m.Since, &m.Email, &m.Name, &after)
	m.SessionsAfter = orZero(after)
	return m, found(err, account.ErrNotFound)
}

// HasOwner implements account.Users.
func (a *Accounts) HasOwner(ctx context.Context) (bool, error) {
	var has bool
	err := a.pool.QueryRow(ctx, `select exists (select from members where role = 'owner')`).Scan(&has)
	return has, err
}

// PutSetupLink implements account.Links.
func (a *Accounts) PutSetupLink(ctx context.Context, hash []byte, expires time.Time) error {
	return inTx(ctx, a.pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `delete from setup_links`); err != nil {
			return err //nolint:wrapcheck // named by the service
		}
		_, err := tx.Exec(ctx, `insert into setup_links (hash, expires_at) values ($1, $2)`, hash, expires)
		return err //nolint:wrapcheck // named by the service
	})
}

// SetupLink implements account.Links.
func (a *Accounts) SetupLink(ctx context.Context, hash []byte, now time.Time) (bool, error) {
	var ok bool
	err := a.pool.QueryRow(ctx, `select exists (select from setup_links where hash = $1 and expires_at > $2)
		and not exists (select from members where role = 'owner')`, hash, now).Scan(&ok)
	return ok, err
}

// UseSetupLink implements account.Links.
func (a *Accounts) UseSetupLink(ctx context.Context, hash []byte, now time.Time, owner account.User) error {
	return inTx(ctx, a.pool, func(tx pgx.Tx) error {
		// The deleted row is the lock: of two people with one link the second
		// finds nothing.
		used, err := tx.Exec(ctx, `delete from setup_links where hash = $1 and expires_at > $2
			and not exists (select from members where role = 'owner')`, hash, now)
		if err != nil {
			return err //nolint:wrapcheck // named by the service
		}
		if used.RowsAffected() == 0 {
			return account.ErrNotFound
		}
		if _, err := tx.Exec(ctx, `insert into users (id, email, name, password_hash, created_at) values ($1, $2, $3, $4, $5)`,
			owner.ID, owner.Email, owner.Name, owner.PasswordHash, owner.CreatedAt); err != nil {
			return err //nolint:wrapcheck // named by the service
		}
		made, err := tx.Exec(ctx, `insert into members (workspace_id, user_id, role, created_at)
			select id, $1, 'owner', $2 from workspaces order by created_at, id limit 1`, owner.ID, owner.CreatedAt)
		if err == nil && made.RowsAffected() == 0 {
			return errors.New("there is no workspace")
		}
		return err //nolint:wrapcheck // named by the service
	})
}

// PutToken implements account.Tokens.
func (a *Accounts) PutToken(ctx context.Context, t account.Token, hash []byte) error {
	_, err := a.pool.Exec(ctx, `
		insert into api_tokens (id, workspace_id, user_id, name, role, hash, created_at, expires_at, scopes, workflows)
		values ($1, $2, $3, $4, $5, $6, $7, $8, coalesce($9::text[], '{}'), coalesce($10::uuid[], '{}'))`,
		t.ID, t.Workspace, t.User, t.Name, t.Role, hash, t.CreatedAt, nullTime(t.ExpiresAt), t.Limits.Scopes, t.Limits.Workflows)
	return err //nolint:wrapcheck // named by the service
}

const tokenColumns = `id, workspace_id, user_id, name, role, created_at, last_used_at, expires_at, scopes, workflows`

// TokenByHash implements account.Tokens. It notes the use, at most once a
// minute, so that reading stays reading.
func (a *Accounts) TokenByHash(ctx context.Context, hash []byte, now time.Time) (account.Token, error) {
	rows, err := a.pool.Query(ctx, `select `+tokenColumns+` from api_tokens where hash = $1 and (expires_at is null or expires_at > $2)`, hash, now)
	if err != nil {
		return account.Token{}, err //nolint:wrapcheck // named by the service
	}
	t, err := pgx.CollectExactlyOneRow(rows, scanToken)
	if err != nil {
		return t, found(err, account.ErrNotFound)
	}
	if now.Sub(t.LastUsedAt) > time.Minute {
		if _, err := a.pool.Exec(ctx, `update api_tokens set last_used_at = $2 where id = $1`, t.ID, now); err != nil {
			return t, fmt.Errorf("note the use of a token: %w", err)
		}
	}
	return t, nil
}

// ListTokens implements account.Tokens.
func (a *Accounts) ListTokens(ctx context.Context, workspace string, user uuid.UUID) ([]account.Token, error) {
	rows, err := a.pool.Query(ctx, `select `+tokenColumns+` from api_tokens
		where workspace_id = $1 and ($2::uuid is null or user_id = $2) order by created_at desc, id`, workspace, nullID(user))
	if err != nil {
		return nil, err //nolint:wrapcheck // named by the service
	}
	return pgx.CollectRows(rows, scanToken) //nolint:wrapcheck // named by the service
}

// DeleteToken implements account.Tokens.
func (a *Accounts) DeleteToken(ctx context.Context, workspace string, id, user uuid.UUID) error {
	gone, err := a.pool.Exec(ctx, `delete from api_tokens where workspace_id = $1 and id = $2 and ($3::uuid is null or user_id = $3)`,
		workspace, id, nullID(user))
	return changed(gone, err, account.ErrNotFound)
}

func scanToken(row pgx.CollectableRow) (account.Token, error) {
	var t account.Token
	var used, expires *time.Time
	err := row.Scan(&t.ID, &t.Workspace, &t.User, &t.Name, &t.Role, &t.CreatedAt, &used, &expires, &t.Limits.Scopes, &t.Limits.Workflows)
	t.LastUsedAt, t.ExpiresAt = orZero(used), orZero(expires)
	return t, err
}
