package pg

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"signalbox/engine/share"
)

// Shares stores share links.
type Shares struct{ pool *pgxpool.Pool }

var _ share.Store = (*Shares)(nil)

// NewShares makes the adapter.
func NewShares(pool *pgxpool.Pool) *Shares { return &Shares{pool} }

const (
	shareColumns = `id, workspace_id, target, target_id, version_id, parent_id, title, scope, with_data, forks, origins, slug,
		created_by, created_at, expires_at, views, viewed_at`
	shareOpen = ` (expires_at is null or expires_at > $2) and revoked_at is null`
)

// PutShare implements share.Store.
func (s *Shares) PutShare(ctx context.Context, sh share.Share, hash []byte, c share.Stored) error {
	_, err := s.pool.Exec(ctx, `
		insert into shares (`+shareColumns+`, hash, view, file, form)
		values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21)`,
		sh.ID, sh.Workspace, sh.Target, sh.TargetID, nullID(sh.Version), nullID(sh.Parent), sh.Title, sh.Scope, sh.WithData, sh.Forks,
		sh.Origins, nullText(sh.Slug), sh.By, sh.CreatedAt, nullTime(sh.ExpiresAt), sh.Views, nullTime(sh.ViewedAt),
		hash, c.View, c.File, c.Form)
	var refused *pgconn.PgError
	if errors.As(err, &refused) && refused.ConstraintName == "shares_slug" {
		return share.ErrSlugTaken
	}
	return err //nolint:wrapcheck // named by the service
}

func nullText(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// scanShare reads the columns of shareColumns, and more behind them.
func scanShare(row pgx.Row, more ...any) (share.Share, error) {
	var sh share.Share
	var version, parent *uuid.UUID
	var slug *string
	var expires, viewed *time.Time
	err := row.Scan(append([]any{
		&sh.ID, &sh.Workspace, &sh.Target, &sh.TargetID, &version, &parent, &sh.Title, &sh.Scope, &sh.WithData, &sh.Forks, &sh.Origins, &slug,
		&sh.By, &sh.CreatedAt, &expires, &sh.Views, &viewed,
	}, more...)...)
	if err != nil {
		return sh, err //nolint:wrapcheck // named by the service
	}
	if version != nil {
		sh.Version = *version
	}
	if parent != nil {
		sh.Parent = *parent
	}
	if slug != nil {
		sh.Slug = *slug
	}
	if expires != nil {
		sh.ExpiresAt = *expires
	}
	if viewed != nil {
		sh.ViewedAt = *viewed
	}
	return sh, nil
}

// ShareByHash implements share.Store.
func (s *Shares) ShareByHash(ctx context.Context, hash []byte, now time.Time) (share.Share, share.Stored, error) {
	return s.open(ctx, `hash = $1`, hash, now)
}

// ShareBySlug implements share.Store.
func (s *Shares) ShareBySlug(ctx context.Context, slug string, now time.Time) (share.Share, share.Stored, error) {
	return s.open(ctx, `slug = $1`, slug, now)
}

func (s *Shares) open(ctx context.Context, by string, key any, now time.Time) (share.Share, share.Stored, error) {
	var c share.Stored
	sh, err := scanShare(s.pool.QueryRow(ctx, `select `+shareColumns+`, view, file, form from shares where `+by+` and`+shareOpen, key, now), &c.View, &c.File, &c.Form)
	return sh, c, found(err, share.ErrNotFound)
}

// CountView implements share.Store.
func (s *Shares) CountView(ctx context.Context, id uuid.UUID, now time.Time) error {
	_, err := s.pool.Exec(ctx, `update shares set views = views + 1, viewed_at = $2 where id = $1`, id, now)
	return err //nolint:wrapcheck // named by the service
}

// ListShares implements share.Store.
func (s *Shares) ListShares(ctx context.Context, workspace string, now time.Time) ([]share.Share, error) {
	rows, err := s.pool.Query(ctx, `select `+shareColumns+` from shares
		where workspace_id = $1 and parent_id is null and`+shareOpen+` order by created_at desc, id`, workspace, now)
	if err != nil {
		return nil, err //nolint:wrapcheck // named by the service
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (share.Share, error) { return scanShare(row) }) //nolint:wrapcheck // named by the service
}

// CountRuns implements share.Store.
func (s *Shares) CountRuns(ctx context.Context, parent uuid.UUID, now time.Time) (int, error) {
	var n int
	err := s.pool.QueryRow(ctx, `select count(*) from shares where parent_id = $1 and`+shareOpen, parent, now).Scan(&n)
	return n, err //nolint:wrapcheck // named by the service
}

// RevokeShare implements share.Store.
func (s *Shares) RevokeShare(ctx context.Context, workspace string, id uuid.UUID, now time.Time) ([]uuid.UUID, error) {
	rows, err := s.pool.Query(ctx, `update shares set revoked_at = $3
		where workspace_id = $1 and (id = $2 or parent_id = $2) and revoked_at is null
			and exists (select 1 from shares where workspace_id = $1 and id = $2 and revoked_at is null)
		returning id`, workspace, id, now)
	if err != nil {
		return nil, fmt.Errorf("revoke: %w", err)
	}
	ended, err := pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
	if err != nil {
		return nil, fmt.Errorf("revoke: %w", err)
	}
	if len(ended) == 0 {
		return nil, share.ErrNotFound
	}
	return ended, nil
}
