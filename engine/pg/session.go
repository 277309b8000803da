package pg

import (
	"context"
	"errors"
	"time"

	"github.com/alexedwards/scs/v2"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Sessions stores browser sessions. The server hands it hashes of tokens only.
type Sessions struct{ pool *pgxpool.Pool }

var _ scs.CtxStore = (*Sessions)(nil)

// NewSessions makes the adapter.
func NewSessions(pool *pgxpool.Pool) *Sessions { return &Sessions{pool} }

// FindCtx implements scs.CtxStore.
func (s *Sessions) FindCtx(ctx context.Context, hash string) ([]byte, bool, error) {
	var data []byte
	err := s.pool.QueryRow(ctx, `select data from sessions where hash = $1 and expires_at > now()`, hash).Scan(&data)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, false, nil
	}
	return data, err == nil, err
}

// CommitCtx implements scs.CtxStore. A session that only lives on is written
// once a minute, not with every request.
func (s *Sessions) CommitCtx(ctx context.Context, hash string, data []byte, expires time.Time) error {
	_, err := s.pool.Exec(ctx, `
		insert into sessions (hash, data, expires_at) values ($1, $2, $3)
		on conflict (hash) do update set data = excluded.data, expires_at = excluded.expires_at
		where sessions.data is distinct from excluded.data or excluded.expires_at > sessions.expires_at + interval '1 minute'`,
		hash, data, expires)
	return err //nolint:wrapcheck // the interface is the library's
}

// DeleteCtx implements scs.CtxStore.
func (s *Sessions) DeleteCtx(ctx context.Context, hash string) error {
	_, err := s.pool.Exec(ctx, `delete from sessions where hash = $1`, hash)
	return err //nolint:wrapcheck // the interface is the library's
}

// Sweep removes sessions that have expired.
func (s *Sessions) Sweep(ctx context.Context) error {
	_, err := s.pool.Exec(ctx, `delete from sessions where expires_at <= now()`)
	return err //nolint:wrapcheck // named by the caller
}

// Find implements scs.Store; the library calls the methods with a context.
func (s *Sessions) Find(hash string) ([]byte, bool, error) {
	return s.FindCtx(context.Background(), hash)
}

// Commit implements scs.Store.
func (s *Sessions) Commit(hash string, data []byte, expires time.Time) error {
	return s.CommitCtx(context.Background(), hash, data, expires)
}

// Delete implements scs.Store.
func (s *Sessions) Delete(hash string) error { return s.DeleteCtx(context.Background(), hash) }
