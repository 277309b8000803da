package pg

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"signalbox/engine/history"
	"signalbox/engine/problem"
)

// DeadLetters reads dead letters and keeps what was done about them.
type DeadLetters struct{ history *History }

// NewDeadLetters makes it.
func NewDeadLetters(h *History) *DeadLetters { return &DeadLetters{h} }

const letterQuery = `select d.run_id, d.seq, d.at, d.workflow_id, coalesce(w.name, ''), coalesce(v.number, 0), d.node, d.scope, d.visit,
		d.class, d.message, d.attempts, d.state, d.acted_at, d.acted_by, d.new_run
	from dead_letters d left join workflows w on w.id = d.workflow_id left join versions v on v.id = d.version_id
	where d.workspace_id = $1`

func scanLetter(row pgx.CollectableRow) (history.DeadLetter, error) {
	var d history.DeadLetter
	var acted *time.Time
	var fresh *uuid.UUID
	err := row.Scan(&d.Run, &d.Seq, &d.At, &d.Workflow, &d.WorkflowName, &d.VersionNumber, &d.Node, &d.Scope, &d.Visit,
		&d.Class, &d.Message, &d.Attempts, &d.State, &acted, &d.ActedBy, &fresh)
	d.At, d.ActedAt = d.At.UTC(), orZero(acted).UTC()
	if fresh != nil {
		d.NewRun = *fresh
	}
	return d, err
}

// List lists dead letters, the latest failure first, by keyset.
func (l *DeadLetters) List(ctx context.Context, workspace string, q history.LetterQuery) ([]history.DeadLetter, error) {
	if q.Limit <= 0 || q.Limit > pageMax {
		q.Limit = pageMax
	}
	sql, args := letterQuery, []any{planned, workspace}
	where := func(cond string, arg any) {
		args = append(args, arg)
		sql += " and " + fmt.Sprintf(cond, len(args)-1)
	}
	if q.Workflow != uuid.Nil {
		where("d.workflow_id = $%d", q.Workflow)
	}
	if q.Node != "" {
		where("d.node = $%d", q.Node)
	}
	if q.Class != "" {
		where("d.class = $%d", q.Class)
	}
	if q.State != "" {
		where("d.state = $%d", q.State)
	}
	if q.After != (history.LetterID{}) {
		last, err := l.Letter(ctx, workspace, q.After)
		if err != nil {
			return nil, err
		}
		args = append(args, last.At, last.Run, last.Seq)
		sql += fmt.Sprintf(" and (d.at, d.run_id, d.seq) < ($%d, $%d, $%d)", len(args)-3, len(args)-2, len(args)-1)
	}
	args = append(args, q.Limit)
	rows, err := l.history.store.pool.Query(ctx, sql+fmt.Sprintf(" order by d.at desc, d.run_id desc, d.seq desc limit $%d", len(args)-1), args...)
	if err != nil {
		return nil, fmt.Errorf("list dead letters: %w", err)
	}
	list, err := pgx.CollectRows(rows, scanLetter)
	if err != nil {
		return nil, fmt.Errorf("list dead letters: %w", err)
	}
	return list, nil
}

// Letter returns one dead letter.
func (l *DeadLetters) Letter(ctx context.Context, workspace string, id history.LetterID) (history.DeadLetter, error) {
	rows, err := l.history.store.pool.Query(ctx, letterQuery+` and d.run_id = $2 and d.seq = $3`, workspace, id.Run, id.Seq)
	if err != nil {
		return history.DeadLetter{}, fmt.Errorf("read dead letter: %w", err)
	}
	d, err := pgx.CollectExactlyOneRow(rows, scanLetter)
	if errors.Is(err, pgx.ErrNoRows) {
		return d, problem.New(problem.NotFound, "There is no such dead letter.")
	}
	if err != nil {
		return d, fmt.Errorf("read dead letter: %w", err)
	}
	return d, nil
}

// lettersCounted is up to how many open letters are counted.
const lettersCounted = 1_000

// Count says how many dead letters are open, of one workflow or of all (zero);
// it counts no further than 1,000.
func (l *DeadLetters) Count(ctx context.Context, workspace string, workflow uuid.UUID) (n int, err error) {
	err = l.history.store.pool.QueryRow(ctx, `select count(*) from (select from dead_letters
		where workspace_id = $1 and state = 'open' and ($2::uuid = $3::uuid or workflow_id = $2) limit $4) d`, planned, workspace, workflow, uuid.Nil, lettersCounted).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("count dead letters: %w", err)
	}
	return n, nil
}

// claimKept is how long a letter that somebody began to retry is theirs: a
// server that died before it said what became of it does not keep it for ever.
const claimKept = time.Minute

// Claim takes an open letter so that nobody else retries it. Settle says what
// became of it.
func (l *DeadLetters) Claim(ctx context.Context, workspace string, id history.LetterID, by string) error {
	tag, err := l.history.store.pool.Exec(ctx, `update dead_letters set state = 'retried', acted_at = now(), acted_by = $4
		where workspace_id = $1 and run_id = $2 and seq = $3
		and (state = 'open' or state = 'retried' and new_run is null and acted_at < now() - $5::interval)`, workspace, id.Run, id.Seq, by, claimKept)
	return l.acted(ctx, workspace, id, tag.RowsAffected(), err)
}

// Settle keeps the run that a retry started; without one (zero) the letter is
// open again.
func (l *DeadLetters) Settle(ctx context.Context, workspace string, id history.LetterID, run uuid.UUID) error {
	sql, args := `update dead_letters set new_run = $4 where workspace_id = $1 and run_id = $2 and seq = $3 and state = 'retried'`, []any{workspace, id.Run, id.Seq, run}
	if run == uuid.Nil {
		sql, args = `update dead_letters set state = 'open', acted_at = null, acted_by = ''
			where workspace_id = $1 and run_id = $2 and seq = $3 and state = 'retried' and new_run is null`, args[:3]
	}
	if _, err := l.history.store.pool.Exec(ctx, sql, args...); err != nil {
		return fmt.Errorf("settle a dead letter: %w", err)
	}
	return nil
}

// Discard closes an open letter.
func (l *DeadLetters) Discard(ctx context.Context, workspace string, id history.LetterID, by string) error {
	tag, err := l.history.store.pool.Exec(ctx, `update dead_letters set state = 'discarded', acted_at = now(), acted_by = $4
		where workspace_id = $1 and run_id = $2 and seq = $3 and state = 'open'`, workspace, id.Run, id.Seq, by)
	return l.acted(ctx, workspace, id, tag.RowsAffected(), err)
}

// DiscardRun closes the open letters of a run and counts them.
func (l *DeadLetters) DiscardRun(ctx context.Context, workspace string, run uuid.UUID, by string) (int, error) {
	tag, err := l.history.store.pool.Exec(ctx, `update dead_letters set state = 'discarded', acted_at = now(), acted_by = $3
		where workspace_id = $1 and run_id = $2 and state = 'open'`, workspace, run, by)
	if err != nil {
		return 0, fmt.Errorf("discard the dead letters of a run: %w", err)
	}
	return int(tag.RowsAffected()), nil
}

// acted says why nothing was done.
func (l *DeadLetters) acted(ctx context.Context, workspace string, id history.LetterID, n int64, err error) error {
	if err != nil {
		return fmt.Errorf("change a dead letter: %w", err)
	}
	if n > 0 {
		return nil
	}
	d, err := l.Letter(ctx, workspace, id)
	if err != nil {
		return err
	}
	return problem.New(problem.Conflict, "This dead letter is %s already.", d.State)
}
