package pg

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"signalbox/engine/draft"
	"signalbox/engine/inbox"
	"signalbox/engine/review"
)

// Reviews stores reviews. The row of the workflow is the lock: edits,
// decisions and publications of one workflow wait for each other.
type Reviews struct{ pool *pgxpool.Pool }

var _ review.Store = (*Reviews)(nil)

// NewReviews makes the adapter.
func NewReviews(pool *pgxpool.Pool) *Reviews { return &Reviews{pool} }

const (
	reviewColumns = `r.id, r.workspace_id, r.workflow_id, r.seq, r.note, r.by_id, r.by_name, r.at, r.reviewers, r.state, r.decided_id, r.decided_name, r.decided_at, r.decided_note, r.decided_seq`
	reviewLive    = `r.state in ('open', 'approved', 'changes')`
)

func scanReview(row pgx.CollectableRow) (review.Review, error) {
	var r review.Review
	var reviewers []byte
	var id *uuid.UUID
	var name, note *string
	var at *time.Time
	var seq *int64
	if err := row.Scan(&r.ID, &r.Workspace, &r.Workflow, &r.Seq, &r.Note, &r.By.ID, &r.By.Name, &r.At, &reviewers, &r.State, &id, &name, &at, &note, &seq); err != nil {
		return r, err
	}
	if id != nil && name != nil && note != nil && seq != nil {
		r.Decision = &review.Decision{By: review.Person{ID: *id, Name: *name}, At: orZero(at), Note: *note, Seq: *seq}
	}
	return r, json.Unmarshal(reviewers, &r.Reviewers)
}

type queryer interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}

func oneReview(ctx context.Context, q queryer, where string, args ...any) (review.Review, error) {
	rows, err := q.Query(ctx, `select `+reviewColumns+` from reviews r join workflows w on w.id = r.workflow_id and w.deleted_at is null where `+where, args...)
	if err != nil {
		return review.Review{}, err //nolint:wrapcheck // named by the service
	}
	r, err := pgx.CollectExactlyOneRow(rows, scanReview)
	return r, found(err, review.ErrNotFound)
}

// Status implements review.Store.
func (r *Reviews) Status(ctx context.Context, workspace string, workflow uuid.UUID) (review.Status, error) {
	var s review.Status
	err := r.pool.QueryRow(ctx, `select p.review_required, d.seq from workflows w
		join workspaces p on p.id = w.workspace_id
		join drafts d on d.workspace_id = w.workspace_id and d.workflow_id = w.id
		where w.workspace_id = $1 and w.id = $2 and w.deleted_at is null`, workspace, workflow).Scan(&s.Required, &s.Seq)
	if err != nil {
		return s, found(err, review.ErrNotFound)
	}
	switch live, err := oneReview(ctx, r.pool, `r.workspace_id = $1 and r.workflow_id = $2 and `+reviewLive, workspace, workflow); {
	case err == nil:
		s.Review = &live
	case err != review.ErrNotFound: //nolint:errorlint // our own, unwrapped
		return s, err
	}
	return s, nil
}

// Review implements review.Store.
func (r *Reviews) Review(ctx context.Context, workspace string, id uuid.UUID) (review.Review, error) {
	return oneReview(ctx, r.pool, `r.workspace_id = $1 and r.id = $2`, workspace, id)
}

// Members implements review.Store.
func (r *Reviews) Members(ctx context.Context, workspace string, ids []uuid.UUID) ([]review.Member, error) {
	rows, err := r.pool.Query(ctx, `select u.id, u.name, m.role from members m join users u on u.id = m.user_id
		where m.workspace_id = $1 and m.user_id = any($2) order by lower(u.name), u.id`, workspace, ids)
	if err != nil {
		return nil, err //nolint:wrapcheck // named by the service
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (review.Member, error) { //nolint:wrapcheck // named by the service
		var m review.Member
		err := row.Scan(&m.ID, &m.Name, &m.Role)
		return m, err
	})
}

// Required implements review.Store.
func (r *Reviews) Required(ctx context.Context, workspace string) (required bool, err error) {
	err = r.pool.QueryRow(ctx, `select review_required from workspaces where id = $1`, workspace).Scan(&required)
	return required, found(err, review.ErrNotFound)
}

// SetRequired implements review.Store.
func (r *Reviews) SetRequired(ctx context.Context, workspace string, required bool) error {
	done, err := r.pool.Exec(ctx, `update workspaces set review_required = $2 where id = $1`, workspace, required)
	return changed(done, err, review.ErrNotFound)
}

// lockDraft locks a workflow and returns where its draft is.
func lockDraft(ctx context.Context, tx pgx.Tx, workspace string, workflow uuid.UUID) (seq int64, err error) {
	var one int
	if err := tx.QueryRow(ctx, `select 1 from workflows where workspace_id = $1 and id = $2 and deleted_at is null for update`, workspace, workflow).Scan(&one); err != nil {
		return 0, found(err, review.ErrNotFound)
	}
	err = tx.QueryRow(ctx, `select seq from drafts where workspace_id = $1 and workflow_id = $2`, workspace, workflow).Scan(&seq)
	return seq, found(err, review.ErrNotFound)
}

// Ask implements review.Store.
func (r *Reviews) Ask(ctx context.Context, a review.Review) (told []uuid.UUID, err error) {
	reviewers, err := json.Marshal(a.Reviewers)
	if err != nil {
		return nil, fmt.Errorf("encode reviewers: %w", err)
	}
	err = inTx(ctx, r.pool, func(tx pgx.Tx) error {
		seq, err := lockDraft(ctx, tx, a.Workspace, a.Workflow)
		if err != nil {
			return err
		}
		if seq != a.Seq {
			return &review.ErrStale{Seq: seq}
		}
		if err := endReview(ctx, tx, a.Workspace, a.Workflow, review.Replaced); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `insert into reviews (workspace_id, id, workflow_id, seq, note, by_id, by_name, at, reviewers, state)
			values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`, a.Workspace, a.ID, a.Workflow, a.Seq, a.Note, a.By.ID, a.By.Name, a.At, reviewers, a.State); err != nil {
			return err //nolint:wrapcheck // named by the service
		}
		ids := make([]uuid.UUID, len(a.Reviewers))
		for i, p := range a.Reviewers {
			ids[i] = p.ID
		}
		told, err = nudge(ctx, tx, telling{workspace: a.Workspace, kind: inbox.Asked, by: a.By.Name, at: a.At, workflow: a.Workflow, review: a.ID}, ids, []uuid.UUID{a.By.ID})
		return err
	})
	return told, err
}

// endReview ends the review of a workflow that goes on, if there is one. What
// people were told of it is no matter any more.
func endReview(ctx context.Context, tx pgx.Tx, workspace string, workflow uuid.UUID, to review.State) error {
	_, err := tx.Exec(ctx, `with ended as (
			update reviews r set state = $3 where r.workspace_id = $1 and r.workflow_id = $2 and `+reviewLive+` returning r.id)
		delete from nudges n using ended where n.review_id = ended.id and n.kind = 'asked'`, workspace, workflow, to)
	return err //nolint:wrapcheck // named by the caller
}

// Decide implements review.Store.
func (r *Reviews) Decide(ctx context.Context, workspace string, id uuid.UUID, to review.State, d review.Decision) (told []uuid.UUID, err error) {
	before, err := r.Review(ctx, workspace, id)
	if err != nil {
		return nil, err
	}
	err = inTx(ctx, r.pool, func(tx pgx.Tx) error {
		seq, err := lockDraft(ctx, tx, workspace, before.Workflow)
		if err != nil {
			return err
		}
		if seq != d.Seq {
			return &review.ErrStale{Seq: seq}
		}
		done, err := tx.Exec(ctx, `update reviews r set state = $3, decided_id = $4, decided_name = $5, decided_at = $6, decided_note = $7, decided_seq = $8
			where r.workspace_id = $1 and r.id = $2 and `+reviewLive, workspace, id, to, d.By.ID, d.By.Name, d.At, d.Note, d.Seq)
		if err := changed(done, err, review.ErrOver); err != nil {
			return err
		}
		// Only the last decision counts.
		if _, err := tx.Exec(ctx, `delete from nudges where review_id = $1 and kind in ('approved', 'changes')`, id); err != nil {
			return err //nolint:wrapcheck // named by the service
		}
		kind := inbox.Approved
		if to == review.Changes {
			kind = inbox.Changes
		}
		told, err = nudge(ctx, tx, telling{workspace: workspace, kind: kind, by: d.By.Name, at: d.At, workflow: before.Workflow, review: id}, []uuid.UUID{before.By.ID}, []uuid.UUID{d.By.ID})
		return err
	})
	return told, err
}

// Withdraw implements review.Store.
func (r *Reviews) Withdraw(ctx context.Context, workspace string, id uuid.UUID) error {
	before, err := r.Review(ctx, workspace, id)
	if err != nil {
		return err
	}
	return inTx(ctx, r.pool, func(tx pgx.Tx) error {
		if _, err := lockDraft(ctx, tx, workspace, before.Workflow); err != nil {
			return err
		}
		live, err := oneReview(ctx, tx, `r.workspace_id = $1 and r.workflow_id = $2 and `+reviewLive, workspace, before.Workflow)
		switch {
		case err == review.ErrNotFound || err == nil && live.ID != id: //nolint:errorlint // our own, unwrapped
			return review.ErrOver
		case err != nil:
			return err
		}
		return endReview(ctx, tx, workspace, before.Workflow, review.Withdrawn)
	})
}

// approve looks whether a version may be published: with an approval of exactly
// its position of the draft, or where nobody asks for one, or over that. The
// workflow is locked.
func approve(ctx context.Context, tx pgx.Tx, v *draft.Version) error {
	var required bool
	if err := tx.QueryRow(ctx, `select review_required from workspaces where id = $1`, v.Workspace).Scan(&required); err != nil {
		return err //nolint:wrapcheck // named by the service
	}
	over := v.Overridden
	v.Overridden = false
	live, err := oneReview(ctx, tx, `r.workspace_id = $1 and r.workflow_id = $2 and `+reviewLive, v.Workspace, v.Workflow)
	if err != nil && err != review.ErrNotFound { //nolint:errorlint // our own, unwrapped
		return err
	}
	state := string(live.State)
	if live.State == review.Approved {
		if live.Decision != nil && live.Decision.Seq == v.DraftSeq {
			v.Review, v.ApprovedBy = live.ID, draft.Person(live.Decision.By)
			return endReview(ctx, tx, v.Workspace, v.Workflow, review.Published)
		}
		state = draft.ApprovalStale
	}
	if required && !over {
		return &draft.ErrNotApproved{State: state}
	}
	v.Overridden = required
	return endReview(ctx, tx, v.Workspace, v.Workflow, review.Replaced)
}
