package pg

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"signalbox/engine/comment"
	"signalbox/engine/inbox"
)

// Comments stores what people say about drawings.
type Comments struct{ pool *pgxpool.Pool }

var _ comment.Store = (*Comments)(nil)

// NewComments makes the adapter.
func NewComments(pool *pgxpool.Pool) *Comments { return &Comments{pool} }

// A person has not seen what others wrote behind the number that they read up
// to, and since they joined.
const threadQuery = `
	select t.id, t.workspace_id, t.workflow_id, t.node, t.title, t.created_at, t.last_at, t.last_n, t.resolved_at, t.resolved_by, t.resolved_name, c.count, c.unread
	from comment_threads t
	join workflows w on w.workspace_id = t.workspace_id and w.id = t.workflow_id and w.deleted_at is null
	left join comment_reads r on r.thread_id = t.id and r.user_id = $2
	left join members m on m.workspace_id = t.workspace_id and m.user_id = $2
	cross join lateral (
		select count(*) "count", count(*) filter (where c.n > coalesce(r.n, 0) and c.by_id <> $2 and c.created_at >= m.created_at) unread
		from comments c where c.thread_id = t.id and c.deleted_at is null) c
	where t.workspace_id = $1`

func scanThread(row pgx.CollectableRow) (comment.Thread, error) {
	var t comment.Thread
	var at *time.Time
	var by *uuid.UUID
	var name string
	err := row.Scan(&t.ID, &t.Workspace, &t.Workflow, &t.Node, &t.Title, &t.CreatedAt, &t.LastAt, &t.Last, &at, &by, &name, &t.Count, &t.Unread)
	if at != nil && by != nil {
		t.Resolved = &comment.Resolution{By: comment.Person{ID: *by, Name: name}, At: *at}
	}
	return t, err
}

const commentColumns = `c.id, c.thread_id, t.workflow_id, c.n, c.by_id, c.by_name, c.text, c.mentions, c.created_at, c.edited_at, c.deleted_at is not null`

func scanComment(row pgx.CollectableRow) (comment.Comment, error) {
	var c comment.Comment
	var mentions []byte
	var edited *time.Time
	if err := row.Scan(&c.ID, &c.Thread, &c.Workflow, &c.N, &c.By.ID, &c.By.Name, &c.Text, &mentions, &c.CreatedAt, &edited, &c.Deleted); err != nil {
		return c, err
	}
	c.EditedAt = orZero(edited)
	return c, json.Unmarshal(mentions, &c.Mentions)
}

// List implements comment.Threads.
func (c *Comments) List(ctx context.Context, workspace string, workflow, reader uuid.UUID) ([]comment.Thread, error) {
	var one int
	if err := c.pool.QueryRow(ctx, `select 1 from workflows where workspace_id = $1 and id = $2 and deleted_at is null`, workspace, workflow).Scan(&one); err != nil {
		return nil, found(err, comment.ErrNotFound)
	}
	rows, err := c.pool.Query(ctx, threadQuery+` and t.workflow_id = $3 order by t.last_at desc, t.id desc`, workspace, reader, workflow)
	if err != nil {
		return nil, err //nolint:wrapcheck // named by the service
	}
	list, err := pgx.CollectRows(rows, scanThread)
	if err != nil || len(list) == 0 {
		return list, err //nolint:wrapcheck // named by the service
	}
	return list, c.addFirst(ctx, workspace, workflow, list)
}

// addFirst gives every thread of a workflow the comment that it begins with.
func (c *Comments) addFirst(ctx context.Context, workspace string, workflow uuid.UUID, list []comment.Thread) error {
	rows, err := c.pool.Query(ctx, `
		select distinct on (c.thread_id) c.id, c.thread_id, t.workflow_id, c.n, c.by_id, c.by_name, left(c.text, $3), c.mentions, c.created_at, c.edited_at, false
		from comment_threads t join comments c on c.thread_id = t.id
		where t.workspace_id = $1 and t.workflow_id = $2 and c.deleted_at is null order by c.thread_id, c.n`, workspace, workflow, comment.ExcerptMax)
	if err != nil {
		return err //nolint:wrapcheck // named by the service
	}
	first, err := pgx.CollectRows(rows, scanComment)
	if err != nil {
		return err //nolint:wrapcheck // named by the service
	}
	of := map[uuid.UUID]comment.Comment{}
	for _, f := range first {
		of[f.Thread] = f
	}
	for i, t := range list {
		if f, ok := of[t.ID]; ok {
			list[i].Comments = []comment.Comment{f}
		}
	}
	return nil
}

// Thread implements comment.Threads.
func (c *Comments) Thread(ctx context.Context, workspace string, id, reader uuid.UUID) (comment.Thread, error) {
	rows, err := c.pool.Query(ctx, threadQuery+` and t.id = $3`, workspace, reader, id)
	if err != nil {
		return comment.Thread{}, err //nolint:wrapcheck // named by the service
	}
	t, err := pgx.CollectExactlyOneRow(rows, scanThread)
	if err != nil {
		return t, found(err, comment.ErrNotFound)
	}
	if rows, err = c.pool.Query(ctx, `select `+commentColumns+` from comments c join comment_threads t on t.id = c.thread_id where c.thread_id = $1 order by c.n`, id); err != nil {
		return t, err //nolint:wrapcheck // named by the service
	}
	t.Comments, err = pgx.CollectRows(rows, scanComment)
	return t, err //nolint:wrapcheck // named by the service
}

// Comment implements comment.Comments.
func (c *Comments) Comment(ctx context.Context, workspace string, id uuid.UUID) (comment.Comment, error) {
	rows, err := c.pool.Query(ctx, `select `+commentColumns+` from comments c join comment_threads t on t.id = c.thread_id
		join workflows w on w.id = t.workflow_id and w.deleted_at is null
		where t.workspace_id = $1 and c.id = $2 and c.deleted_at is null`, workspace, id)
	if err != nil {
		return comment.Comment{}, err //nolint:wrapcheck // named by the service
	}
	one, err := pgx.CollectExactlyOneRow(rows, scanComment)
	return one, found(err, comment.ErrNotFound)
}

// People implements comment.Comments.
func (c *Comments) People(ctx context.Context, workspace string, ids []uuid.UUID) ([]comment.Person, error) {
	rows, err := c.pool.Query(ctx, `select u.id, u.name from members m join users u on u.id = m.user_id where m.workspace_id = $1 and m.user_id = any($2) order by u.id`, workspace, ids)
	if err != nil {
		return nil, err //nolint:wrapcheck // named by the service
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[comment.Person]) //nolint:wrapcheck // named by the service
}

// Begin implements comment.Comments. The row of the workflow is the lock around
// the number of its threads.
func (c *Comments) Begin(ctx context.Context, t comment.Thread, first comment.Comment) (told []uuid.UUID, err error) {
	err = inTx(ctx, c.pool, func(tx pgx.Tx) error {
		var have int
		err := tx.QueryRow(ctx, `select (select count(*) from comment_threads t where t.workspace_id = $1 and t.workflow_id = $2) from workflows
			where workspace_id = $1 and id = $2 and deleted_at is null for update`, t.Workspace, t.Workflow).Scan(&have)
		if err != nil {
			return found(err, comment.ErrNotFound)
		}
		if have >= comment.ThreadsMax {
			return comment.ErrFull
		}
		if _, err := tx.Exec(ctx, `insert into comment_threads (workspace_id, id, workflow_id, node, title, created_at, last_at, last_n) values ($1, $2, $3, $4, $5, $6, $6, 1)`,
			t.Workspace, t.ID, t.Workflow, t.Node, t.Title, t.CreatedAt); err != nil {
			return err //nolint:wrapcheck // named by the service
		}
		told, err = putComment(ctx, tx, t.Workspace, first)
		return err
	})
	return told, err
}

// Reply implements comment.Comments. The update of the thread is the lock: of
// two replies at once the second waits, and gets the next number.
func (c *Comments) Reply(ctx context.Context, workspace string, reply comment.Comment) (told []uuid.UUID, err error) {
	err = inTx(ctx, c.pool, func(tx pgx.Tx) error {
		err := tx.QueryRow(ctx, `update comment_threads set last_n = last_n + 1, last_at = greatest(last_at, $3), resolved_at = null, resolved_by = null, resolved_name = ''
			where workspace_id = $1 and id = $2 returning last_n`, workspace, reply.Thread, reply.CreatedAt).Scan(&reply.N)
		if err != nil {
			return found(err, comment.ErrNotFound)
		}
		if reply.N > comment.CommentsMax {
			return comment.ErrFull
		}
		told, err = putComment(ctx, tx, workspace, reply)
		return err
	})
	return told, err
}

// putComment writes a comment and tells whom it concerns.
func putComment(ctx context.Context, tx pgx.Tx, workspace string, c comment.Comment) ([]uuid.UUID, error) {
	mentions, err := json.Marshal(c.Mentions)
	if err != nil {
		return nil, fmt.Errorf("encode mentions: %w", err)
	}
	if _, err := tx.Exec(ctx, `insert into comments (thread_id, n, id, by_id, by_name, text, mentions, created_at) values ($1, $2, $3, $4, $5, $6, $7, $8)`,
		c.Thread, c.N, c.ID, c.By.ID, c.By.Name, c.Text, mentions, c.CreatedAt); err != nil {
		return nil, err //nolint:wrapcheck // named by the service
	}
	named, err := nudge(ctx, tx, about(workspace, c, inbox.Mention), idsOf(c.Mentions), []uuid.UUID{c.By.ID})
	if err != nil {
		return nil, err
	}
	rows, err := tx.Query(ctx, `select distinct by_id from comments where thread_id = $1 and deleted_at is null`, c.Thread)
	if err != nil {
		return nil, err //nolint:wrapcheck // named by the service
	}
	wrote, err := pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
	if err != nil {
		return nil, err //nolint:wrapcheck // named by the service
	}
	replied, err := nudge(ctx, tx, about(workspace, c, inbox.Reply), wrote, append(named, c.By.ID))
	return append(named, replied...), err
}

func about(workspace string, c comment.Comment, kind inbox.Kind) telling {
	return telling{workspace: workspace, kind: kind, by: c.By.Name, at: c.CreatedAt, workflow: c.Workflow, thread: c.Thread, n: c.N}
}

func idsOf(people []comment.Person) []uuid.UUID {
	ids := make([]uuid.UUID, len(people))
	for i, p := range people {
		ids[i] = p.ID
	}
	return ids
}

// Edit implements comment.Comments.
func (c *Comments) Edit(ctx context.Context, workspace string, e comment.Comment) (told []uuid.UUID, err error) {
	mentions, err := json.Marshal(e.Mentions)
	if err != nil {
		return nil, fmt.Errorf("encode mentions: %w", err)
	}
	err = inTx(ctx, c.pool, func(tx pgx.Tx) error {
		old, err := ownComment(ctx, tx, workspace, e.ID, e.By.ID, false)
		if err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `update comments set text = $2, mentions = $3, edited_at = $4 where id = $1`, e.ID, e.Text, mentions, e.EditedAt); err != nil {
			return err //nolint:wrapcheck // named by the service
		}
		e.N = old.N
		told, err = nudge(ctx, tx, about(workspace, e, inbox.Mention), idsOf(e.Mentions), append(idsOf(old.Mentions), e.By.ID))
		return err
	})
	return told, err
}

// ownComment locks a comment, and its thread first, so that a reply does not
// come into a thread that goes.
func ownComment(ctx context.Context, tx pgx.Tx, workspace string, id, by uuid.UUID, anybodys bool) (comment.Comment, error) {
	var thread uuid.UUID
	err := tx.QueryRow(ctx, `select t.id from comment_threads t where t.workspace_id = $1 and t.id = (select thread_id from comments where id = $2) for update`, workspace, id).Scan(&thread)
	if err != nil {
		return comment.Comment{}, found(err, comment.ErrNotFound)
	}
	rows, err := tx.Query(ctx, `select `+commentColumns+` from comments c join comment_threads t on t.id = c.thread_id where c.id = $1 and c.deleted_at is null`, id)
	if err != nil {
		return comment.Comment{}, err //nolint:wrapcheck // named by the service
	}
	c, err := pgx.CollectExactlyOneRow(rows, scanComment)
	switch {
	case err != nil:
		return c, found(err, comment.ErrNotFound)
	case c.By.ID != by && !anybodys:
		return c, comment.ErrNotOwn
	}
	return c, nil
}

// Delete implements comment.Comments.
func (c *Comments) Delete(ctx context.Context, workspace string, d comment.Deletion) error {
	return inTx(ctx, c.pool, func(tx pgx.Tx) error {
		old, err := ownComment(ctx, tx, workspace, d.ID, d.By, d.Anybody)
		if err != nil {
			return err
		}
		b := &pgx.Batch{}
		b.Queue(`update comments set text = '', mentions = '[]', deleted_at = $2 where id = $1`, d.ID, d.At)
		b.Queue(`delete from nudges where thread_id = $1 and comment_n = $2`, old.Thread, old.N)
		b.Queue(`delete from comment_threads t where t.id = $1 and not exists (select from comments c where c.thread_id = t.id and c.deleted_at is null)`, old.Thread)
		return tx.SendBatch(ctx, b).Close() //nolint:wrapcheck // named by the service
	})
}

// Resolve implements comment.Threads.
func (c *Comments) Resolve(ctx context.Context, workspace string, id uuid.UUID, r *comment.Resolution) (changed bool, err error) {
	var at *time.Time
	var by *uuid.UUID
	name := ""
	if r != nil {
		at, by, name = &r.At, &r.By.ID, r.By.Name
	}
	done, err := c.pool.Exec(ctx, `update comment_threads set resolved_at = $3, resolved_by = $4, resolved_name = $5
		where workspace_id = $1 and id = $2 and (resolved_at is null) = ($3::timestamptz is not null)`, workspace, id, at, by, name)
	if err != nil {
		return false, err //nolint:wrapcheck // named by the service
	}
	return done.RowsAffected() > 0, nil
}

// MarkRead implements comment.Threads.
func (c *Comments) MarkRead(ctx context.Context, workspace string, id, reader uuid.UUID, upTo int, at time.Time) error {
	return inTx(ctx, c.pool, func(tx pgx.Tx) error {
		done, err := tx.Exec(ctx, `insert into comment_reads (thread_id, user_id, n)
			select id, $3, least($4, last_n) from comment_threads where workspace_id = $1 and id = $2
			on conflict (thread_id, user_id) do update set n = greatest(comment_reads.n, excluded.n)`, workspace, id, reader, upTo)
		if err := changed(done, err, comment.ErrNotFound); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `update nudges set read_at = $4 where user_id = $1 and thread_id = $2 and comment_n <= $3 and read_at is null`, reader, id, upTo, at)
		return err //nolint:wrapcheck // named by the service
	})
}
