package pg

import (
	"context"
	"encoding/json"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"signalbox/engine/share"
)

// Shares stores share links.
type Shares struct{ pool *pgxpool.Pool }

var _ share.Store = (*Shares)(nil)

// NewShares makes the adapter.
func NewShares(pool *pgxpool.Pool) *Shares { return &Shares{pool} }

const shareColumns = `id, workspace_id, target, target_id, title, created_by, created_at, expires_at, views`

// PutShare implements share.Store.
func (s *Shares) PutShare(ctx context.Context, sh share.Share, hash []byte, view json.RawMessage) error {
	_, err := s.pool.Exec(ctx, `
		insert into shares (id, workspace_id, target, target_id, title, created_by, created_at, expires_at, views, hash, view)
		values ($1, $2, $3, $4, $5, $6, $7, $8, 0, $9, $10)`,
		sh.ID, sh.Workspace, sh.Target, sh.TargetID, sh.Title, sh.By, sh.CreatedAt, sh.ExpiresAt, hash, view)
	return err //nolint:wrapcheck // named by the service
}

// ShareByHash implements share.Store.
func (s *Shares) ShareByHash(ctx context.Context, hash []byte, now time.Time) (share.Share, json.RawMessage, error) {
	var sh share.Share
	var view json.RawMessage
	err := s.pool.QueryRow(ctx, `select `+shareColumns+`, view from shares
		where hash = $1 and expires_at > $2 and revoked_at is null`, hash, now).
		Scan(&sh.ID, &sh.Workspace, &sh.Target, &sh.TargetID, &sh.Title, &sh.By, &sh.CreatedAt, &sh.ExpiresAt, &sh.Views, &view)
	return sh, view, found(err, share.ErrNotFound)
}

// CountView implements share.Store.
func (s *Shares) CountView(ctx context.Context, id uuid.UUID) error {
	_, err := s.pool.Exec(ctx, `update shares set views = views + 1 where id = $1`, id)
	return err //nolint:wrapcheck // named by the service
}

// ListShares implements share.Store.
func (s *Shares) ListShares(ctx context.Context, workspace string, now time.Time) ([]share.Share, error) {
	rows, err := s.pool.Query(ctx, `select `+shareColumns+` from shares
		where workspace_id = $1 and expires_at > $2 and revoked_at is null order by created_at desc, id`, workspace, now)
	if err != nil {
		return nil, err //nolint:wrapcheck // named by the service
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (share.Share, error) { //nolint:wrapcheck // named by the service
		var sh share.Share
		err := row.Scan(&sh.ID, &sh.Workspace, &sh.Target, &sh.TargetID, &sh.Title, &sh.By, &sh.CreatedAt, &sh.ExpiresAt, &sh.Views)
		return sh, err
	})
}

// RevokeShare implements share.Store.
func (s *Shares) RevokeShare(ctx context.Context, workspace string, id uuid.UUID, now time.Time) error {
	done, err := s.pool.Exec(ctx, `update shares set revoked_at = $3 where workspace_id = $1 and id = $2 and revoked_at is null`, workspace, id, now)
	return changed(done, err, share.ErrNotFound)
}
