package pg

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"signalbox/engine/account"
)

// ListMembers implements account.Members.
func (a *Accounts) ListMembers(ctx context.Context, workspace string) ([]account.Member, error) {
	rows, err := a.pool.Query(ctx, `
		select m.workspace_id, m.user_id, u.email, u.name, m.role, m.created_at
		from members m join users u on u.id = m.user_id
		where m.workspace_id = $1 order by lower(u.name), u.id`, workspace)
	if err != nil {
		return nil, err //nolint:wrapcheck // named by the service
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (account.Member, error) { //nolint:wrapcheck // named by the service
		var m account.Member
		err := row.Scan(&m.Workspace, &m.User, &m.Email, &m.Name, &m.Role, &m.Since)
		return m, err
	})
}

// SetRole implements account.Members.
func (a *Accounts) SetRole(ctx context.Context, workspace string, user uuid.UUID, role account.Role) error {
	return a.changeMember(ctx, workspace, user, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `update members set role = $3 where workspace_id = $1 and user_id = $2`, workspace, user, role)
		return err //nolint:wrapcheck // named by the service
	}, role != account.Owner)
}

// RemoveMember implements account.Members. The tokens go with the row.
func (a *Accounts) RemoveMember(ctx context.Context, workspace string, user uuid.UUID) error {
	return a.changeMember(ctx, workspace, user, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `delete from members where workspace_id = $1 and user_id = $2`, workspace, user)
		return err //nolint:wrapcheck // named by the service
	}, true)
}

// changeMember locks the workspace, so that two owners cannot take each
// other's role at the same time, and keeps the last one.
func (a *Accounts) changeMember(ctx context.Context, workspace string, user uuid.UUID, change func(pgx.Tx) error, loses bool) error {
	return inTx(ctx, a.pool, func(tx pgx.Tx) error {
		var role account.Role
		var owners int
		if _, err := tx.Exec(ctx, `select from workspaces where id = $1 for update`, workspace); err != nil {
			return err //nolint:wrapcheck // named by the service
		}
		err := tx.QueryRow(ctx, `
			select role, (select count(*) from members o where o.workspace_id = $1 and o.role = 'owner')
			from members where workspace_id = $1 and user_id = $2`, workspace, user).Scan(&role, &owners)
		if err != nil {
			return found(err, account.ErrNotFound)
		}
		if loses && role == account.Owner && owners < 2 {
			return account.ErrLastOwner
		}
		return change(tx)
	})
}

// UserByID implements account.Profiles.
func (a *Accounts) UserByID(ctx context.Context, id uuid.UUID) (account.User, error) {
	u := account.User{ID: id}
	err := a.pool.QueryRow(ctx, `select email, name, password_hash, created_at from users where id = $1`, id).
		Scan(&u.Email, &u.Name, &u.PasswordHash, &u.CreatedAt)
	return u, found(err, account.ErrNotFound)
}

// SetPassword implements account.Profiles.
func (a *Accounts) SetPassword(ctx context.Context, id uuid.UUID, hash string, sessionsAfter time.Time) error {
	done, err := a.pool.Exec(ctx, `update users set password_hash = $2, sessions_after = $3 where id = $1`, id, hash, sessionsAfter)
	return changed(done, err, account.ErrNotFound)
}

// Preferences implements account.Profiles.
func (a *Accounts) Preferences(ctx context.Context, id uuid.UUID) (account.Preferences, error) {
	var p account.Preferences
	err := a.pool.QueryRow(ctx, `select language, tour_done from users where id = $1`, id).Scan(&p.Language, &p.TourDone)
	return p, found(err, account.ErrNotFound)
}

// SetPreferences implements account.Profiles.
func (a *Accounts) SetPreferences(ctx context.Context, id uuid.UUID, p account.Preferences) error {
	done, err := a.pool.Exec(ctx, `update users set language = $2, tour_done = $3 where id = $1`, id, p.Language, p.TourDone)
	return changed(done, err, account.ErrNotFound)
}

// PutInvitation implements account.Invitations.
func (a *Accounts) PutInvitation(ctx context.Context, i account.Invitation, hash []byte) error {
	_, err := a.pool.Exec(ctx, `
		insert into invitations (id, workspace_id, role, note, hash, created_by, created_at, expires_at)
		values ($1, $2, $3, $4, $5, $6, $7, $8)`,
		i.ID, i.Workspace, i.Role, i.Note, hash, i.By, i.CreatedAt, i.ExpiresAt)
	return err //nolint:wrapcheck // named by the service
}

const invitationColumns = `i.id, i.workspace_id, i.role, i.note, i.created_by, u.name, i.created_at, i.expires_at
	from invitations i join users u on u.id = i.created_by`

// ListInvitations implements account.Invitations.
func (a *Accounts) ListInvitations(ctx context.Context, workspace string, now time.Time) ([]account.Invitation, error) {
	rows, err := a.pool.Query(ctx, `select `+invitationColumns+` where i.workspace_id = $1 and i.expires_at > $2 order by i.created_at desc, i.id`, workspace, now)
	if err != nil {
		return nil, err //nolint:wrapcheck // named by the service
	}
	return pgx.CollectRows(rows, scanInvitation) //nolint:wrapcheck // named by the service
}

// InvitationByHash implements account.Invitations.
func (a *Accounts) InvitationByHash(ctx context.Context, hash []byte, now time.Time) (account.Invitation, error) {
	rows, err := a.pool.Query(ctx, `select `+invitationColumns+` where i.hash = $1 and i.expires_at > $2`, hash, now)
	if err != nil {
		return account.Invitation{}, err //nolint:wrapcheck // named by the service
	}
	i, err := pgx.CollectExactlyOneRow(rows, scanInvitation)
	return i, found(err, account.ErrNotFound)
}

// DeleteInvitation implements account.Invitations.
func (a *Accounts) DeleteInvitation(ctx context.Context, workspace string, id uuid.UUID) error {
	gone, err := a.pool.Exec(ctx, `delete from invitations where workspace_id = $1 and id = $2`, workspace, id)
	return changed(gone, err, account.ErrNotFound)
}

// UseInvitation implements account.Invitations.
func (a *Accounts) UseInvitation(ctx context.Context, hash []byte, now time.Time, user account.User) error {
	return inTx(ctx, a.pool, func(tx pgx.Tx) error {
		// The deleted row is the lock: of two people with one link the second
		// finds nothing.
		var workspace string
		var role account.Role
		err := tx.QueryRow(ctx, `delete from invitations where hash = $1 and expires_at > $2 returning workspace_id, role`, hash, now).Scan(&workspace, &role)
		if err != nil {
			return found(err, account.ErrNotFound)
		}
		if _, err := tx.Exec(ctx, `insert into users (id, email, name, password_hash, created_at) values ($1, $2, $3, $4, $5) on conflict (id) do nothing`,
			user.ID, user.Email, user.Name, user.PasswordHash, user.CreatedAt); err != nil {
			return err //nolint:wrapcheck // named by the service
		}
		_, err = tx.Exec(ctx, `insert into members (workspace_id, user_id, role, created_at) values ($1, $2, $3, $4)
			on conflict (workspace_id, user_id) do nothing`, workspace, user.ID, role, now)
		return err //nolint:wrapcheck // named by the service
	})
}

func scanInvitation(row pgx.CollectableRow) (account.Invitation, error) {
	var i account.Invitation
	err := row.Scan(&i.ID, &i.Workspace, &i.Role, &i.Note, &i.By, &i.ByName, &i.CreatedAt, &i.ExpiresAt)
	return i, err
}
