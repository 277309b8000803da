package pg

import (
	"context"
	"errors"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"signalbox/engine/draft"
)

// Snippets implements draft.Snippets.
func (d *Drafts) Snippets(ctx context.Context, workspace string) ([]draft.Snippet, error) {
	rows, err := d.pool.Query(ctx, `
		select s.id, s.workspace_id, s.name, s.about, s.graph, s.created_by, coalesce(u.name, ''), s.created_at
		from snippets s left join users u on u.id = s.created_by
		where s.workspace_id = $1 order by lower(s.name), s.id`, workspace)
	if err != nil {
		return nil, err //nolint:wrapcheck // named by the service
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (draft.Snippet, error) { //nolint:wrapcheck // named by the service
		var s draft.Snippet
		err := row.Scan(&s.ID, &s.Workspace, &s.Name, &s.About, &s.Graph, &s.By.ID, &s.By.Name, &s.CreatedAt)
		return s, err
	})
}

// PutSnippet implements draft.Snippets.
func (d *Drafts) PutSnippet(ctx context.Context, s draft.Snippet) error {
	done, err := d.pool.Exec(ctx, `
		insert into snippets (workspace_id, id, name, about, graph, created_by, created_at) values ($1, $2, $3, $4, $5, $6, $7)
		on conflict (id) do update set name = excluded.name, about = excluded.about where snippets.workspace_id = excluded.workspace_id`,
		s.Workspace, s.ID, s.Name, s.About, s.Graph, s.By.ID, s.CreatedAt)
	var refused *pgconn.PgError
	if errors.As(err, &refused) && refused.ConstraintName == "snippets_name" {
		return draft.ErrSnippetTaken
	}
	return changed(done, err, draft.ErrNotFound)
}

// DeleteSnippet implements draft.Snippets.
func (d *Drafts) DeleteSnippet(ctx context.Context, workspace string, id uuid.UUID) error {
	done, err := d.pool.Exec(ctx, `delete from snippets where workspace_id = $1 and id = $2`, workspace, id)
	return changed(done, err, draft.ErrNotFound)
}
