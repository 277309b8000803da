package pg

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"signalbox/engine/comment"
	"signalbox/engine/inbox"
)

// Inboxes stores what people are told.
type Inboxes struct{ pool *pgxpool.Pool }

var _ inbox.Store = (*Inboxes)(nil)

// NewInboxes makes the adapter.
func NewInboxes(pool *pgxpool.Pool) *Inboxes { return &Inboxes{pool} }

// telling is what a nudge says, before it is known to whom.
type telling struct {
	workspace string
	kind      inbox.Kind
	by        string
	at        time.Time
	workflow  uuid.UUID
	thread    uuid.UUID // zero: none
	n         int       // of the comment
	review    uuid.UUID // zero: none
}

// nudge tells people, except some, and returns who was told: members only. What
// a person does not keep any more goes.
func nudge(ctx context.Context, tx pgx.Tx, t telling, to, except []uuid.UUID) ([]uuid.UUID, error) {
	if len(to) == 0 {
		return nil, nil
	}
	var n *int
	if t.n > 0 {
		n = &t.n
	}
	rows, err := tx.Query(ctx, `
		insert into nudges (id, workspace_id, user_id, kind, by_name, at, workflow_id, thread_id, comment_n, review_id)
		select gen_random_uuid(), $1, m.user_id, $2, $3, $4, $5, $6, $7, $10 from members m
		where m.workspace_id = $1 and m.user_id = any($8) and m.user_id <> all($9) order by m.user_id
		returning user_id`, t.workspace, t.kind, t.by, t.at, t.workflow, nullID(t.thread), n, to, except, nullID(t.review))
	if err != nil {
		return nil, err //nolint:wrapcheck // named by the service
	}
	told, err := pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
	if err != nil {
		return nil, err //nolint:wrapcheck // named by the service
	}
	for _, user := range told {
		if _, err := tx.Exec(ctx, `delete from nudges where id in (
			select id from nudges where workspace_id = $1 and user_id = $2 order by at desc, id offset $3)`, t.workspace, user, inbox.KeptMax); err != nil {
			return nil, err //nolint:wrapcheck // named by the service
		}
	}
	return told, nil
}

// Nudges implements inbox.Store.
func (i *Inboxes) Nudges(ctx context.Context, workspace string, user uuid.UUID, limit int) ([]inbox.Nudge, error) {
	rows, err := i.pool.Query(ctx, `
		select n.id, n.kind, n.by_name, n.at, n.read_at is not null, n.workflow_id, w.name, n.thread_id, n.review_id, coalesce(t.title, ''),
			left(coalesce(c.text, case n.kind when 'asked' then r.note else r.decided_note end, ''), $4)
		from nudges n join workflows w on w.id = n.workflow_id and w.deleted_at is null
		left join comment_threads t on t.id = n.thread_id
		left join comments c on c.thread_id = n.thread_id and c.n = n.comment_n
		left join reviews r on r.id = n.review_id
		where n.workspace_id = $1 and n.user_id = $2 order by n.at desc, n.id limit $3`, workspace, user, limit, comment.ExcerptMax)
	if err != nil {
		return nil, err //nolint:wrapcheck // named by the service
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (inbox.Nudge, error) { //nolint:wrapcheck // named by the service
		var n inbox.Nudge
		var thread, review *uuid.UUID
		err := row.Scan(&n.ID, &n.Kind, &n.By, &n.At, &n.Read, &n.Workflow, &n.Name, &thread, &review, &n.Title, &n.Text)
		if thread != nil {
			n.Thread = *thread
		}
		if review != nil {
			n.Review = *review
		}
		return n, err
	})
}

// Unread implements inbox.Store.
func (i *Inboxes) Unread(ctx context.Context, workspace string, user uuid.UUID) (n int, err error) {
	err = i.pool.QueryRow(ctx, `select count(*) from nudges n join workflows w on w.id = n.workflow_id and w.deleted_at is null
		where n.workspace_id = $1 and n.user_id = $2 and n.read_at is null`, workspace, user).Scan(&n)
	return n, err //nolint:wrapcheck // named by the service
}

// MarkRead implements inbox.Store.
func (i *Inboxes) MarkRead(ctx context.Context, workspace string, user uuid.UUID, ids []uuid.UUID, at time.Time) error {
	_, err := i.pool.Exec(ctx, `update nudges set read_at = $3 where workspace_id = $1 and user_id = $2 and read_at is null and (cardinality($4::uuid[]) = 0 or id = any($4))`,
		workspace, user, at, append([]uuid.UUID{}, ids...))
	return err //nolint:wrapcheck // named by the service
}
