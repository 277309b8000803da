package pg

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"signalbox/engine/proposal"
)

// Assistants keeps which model each workspace chose.
type Assistants struct{ pool *pgxpool.Pool }

var _ proposal.Store = (*Assistants)(nil)

// NewAssistants makes the store.
func NewAssistants(pool *pgxpool.Pool) *Assistants { return &Assistants{pool} }

// Setting implements proposal.Store.
func (a *Assistants) Setting(ctx context.Context, workspace string) (proposal.Setting, bool, error) {
	var s proposal.Setting
	err := a.pool.QueryRow(ctx, `select provider, base_url, model, credential, answer from assistants where workspace_id = $1`, workspace).
		Scan(&s.Provider, &s.BaseURL, &s.Model, &s.Credential, &s.Answer)
	if errors.Is(err, pgx.ErrNoRows) {
		return proposal.Setting{}, false, nil
	}
	return s, err == nil, err //nolint:wrapcheck // named by the service
}

// PutSetting implements proposal.Store.
func (a *Assistants) PutSetting(ctx context.Context, workspace string, s proposal.Setting, at time.Time) error {
	_, err := a.pool.Exec(ctx, `
		insert into assistants (workspace_id, provider, base_url, model, credential, answer, updated_at) values ($1, $2, $3, $4, $5, $6, $7)
		on conflict (workspace_id) do update set provider = excluded.provider, base_url = excluded.base_url, model = excluded.model,
			credential = excluded.credential, answer = excluded.answer, updated_at = excluded.updated_at`,
		workspace, s.Provider, s.BaseURL, s.Model, s.Credential, s.Answer, at)
	return err //nolint:wrapcheck // named by the service
}

// DropSetting implements proposal.Store.
func (a *Assistants) DropSetting(ctx context.Context, workspace string) error {
	_, err := a.pool.Exec(ctx, `delete from assistants where workspace_id = $1`, workspace)
	return err //nolint:wrapcheck // named by the service
}
