package pg

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"signalbox/engine/bulk"
)

// Bulk keeps jobs on many runs.
type Bulk struct{ pool *pgxpool.Pool }

var _ bulk.Store = (*Bulk)(nil)

// NewBulk makes the adapter.
func NewBulk(pool *pgxpool.Pool) *Bulk { return &Bulk{pool} }

const jobColumns = `id, workspace_id, act, word, chosen, by_id, by_name, at, state, total, done, skipped, ended_at`

func scanJob(row pgx.CollectableRow) (bulk.Job, error) {
	var j bulk.Job
	var ended *time.Time
	err := row.Scan(&j.ID, &j.Workspace, &j.Act, &j.Word, &j.Filter, &j.By, &j.ByName, &j.At, &j.State, &j.Total, &j.Done, &j.Skipped, &ended)
	j.At, j.EndedAt = j.At.UTC(), orZero(ended).UTC()
	return j, err
}

// PutJob implements bulk.Store.
func (b *Bulk) PutJob(ctx context.Context, j bulk.Job, runs []uuid.UUID) error {
	return inTx(ctx, b.pool, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `insert into bulk_jobs (id, workspace_id, act, word, chosen, by_id, by_name, at, state, total) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
			j.ID, j.Workspace, j.Act, j.Word, j.Filter, j.By, j.ByName, j.At, j.State, j.Total)
		if err != nil {
			return err //nolint:wrapcheck // named by the service
		}
		_, err = tx.Exec(ctx, `insert into bulk_runs (job_id, run_id) select $1, unnest($2::uuid[])`, j.ID, runs)
		return err //nolint:wrapcheck // named by the service
	})
}

// Job implements bulk.Store.
func (b *Bulk) Job(ctx context.Context, workspace string, id uuid.UUID) (bulk.Job, error) {
	rows, err := b.pool.Query(ctx, `select `+jobColumns+` from bulk_jobs where workspace_id = $1 and id = $2`, workspace, id)
	if err != nil {
		return bulk.Job{}, err //nolint:wrapcheck // named by the service
	}
	j, err := pgx.CollectExactlyOneRow(rows, scanJob)
	return j, found(err, bulk.ErrNotFound)
}

// Jobs implements bulk.Store.
func (b *Bulk) Jobs(ctx context.Context, workspace string, working bool, limit int) ([]bulk.Job, error) {
	rows, err := b.pool.Query(ctx, `select `+jobColumns+` from bulk_jobs where workspace_id = $1 and (not $2 or state = 'working') order by id desc limit $3`, workspace, working, limit)
	if err != nil {
		return nil, err //nolint:wrapcheck // named by the service
	}
	return pgx.CollectRows(rows, scanJob) //nolint:wrapcheck // named by the service
}

// Results implements bulk.Store.
func (b *Bulk) Results(ctx context.Context, job uuid.UUID, limit int) ([]bulk.Result, error) {
	rows, err := b.pool.Query(ctx, `select run_id, state, reason, coalesce(new_run, '00000000-0000-0000-0000-000000000000') from bulk_runs
		where job_id = $1 and state <> 'left' order by state desc, run_id desc limit $2`, job, limit)
	if err != nil {
		return nil, err //nolint:wrapcheck // named by the service
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (r bulk.Result, err error) { //nolint:wrapcheck // named by the service
		err = row.Scan(&r.Run, &r.State, &r.Reason, &r.NewRun)
		return r, err
	})
}

// StopJob implements bulk.Store.
func (b *Bulk) StopJob(ctx context.Context, workspace string, id uuid.UUID, now time.Time) error {
	tag, err := b.pool.Exec(ctx, `update bulk_jobs set state = 'stopped', ended_at = $3 where workspace_id = $1 and id = $2 and state = 'working'`, workspace, id, now)
	return changed(tag, err, bulk.ErrNotFound)
}

// Claim implements bulk.Store.
func (b *Bulk) Claim(ctx context.Context, now time.Time, lease time.Duration) (bulk.Job, error) {
	rows, err := b.pool.Query(ctx, `update bulk_jobs set lease_until = $2 where id = (
		select id from bulk_jobs where state = 'working' and lease_until < $1 order by lease_until, id limit 1 for update skip locked) returning `+jobColumns, now, now.Add(lease))
	if err != nil {
		return bulk.Job{}, err //nolint:wrapcheck // named by the service
	}
	j, err := pgx.CollectExactlyOneRow(rows, scanJob)
	return j, found(err, bulk.ErrNotFound)
}

// Left implements bulk.Store.
func (b *Bulk) Left(ctx context.Context, job uuid.UUID, limit int) ([]uuid.UUID, error) {
	rows, err := b.pool.Query(ctx, `select r.run_id from bulk_runs r join bulk_jobs j on j.id = r.job_id and j.state = 'working'
		where r.job_id = $1 and r.state = 'left' order by r.run_id limit $2`, job, limit)
	if err != nil {
		return nil, err //nolint:wrapcheck // named by the service
	}
	return pgx.CollectRows(rows, pgx.RowTo[uuid.UUID]) //nolint:wrapcheck // named by the service
}

// Settle implements bulk.Store. A run that another server has settled meanwhile
// is not counted twice.
func (b *Bulk) Settle(ctx context.Context, job uuid.UUID, list []bulk.Result, until time.Time) error {
	return inTx(ctx, b.pool, func(tx pgx.Tx) error {
		done, skipped := 0, 0
		for _, r := range list {
			tag, err := tx.Exec(ctx, `update bulk_runs set state = $3, reason = $4, new_run = $5 where job_id = $1 and run_id = $2 and state = 'left'`,
				job, r.Run, r.State, storable(r.Reason), nullID(r.NewRun))
			switch {
			case err != nil:
				return err //nolint:wrapcheck // named by the service
			case tag.RowsAffected() == 0:
			case r.State == bulk.Done:
				done++
			default:
				skipped++
			}
		}
		_, err := tx.Exec(ctx, `update bulk_jobs set done = done + $2, skipped = skipped + $3, lease_until = $4 where id = $1`, job, done, skipped, until)
		return err //nolint:wrapcheck // named by the service
	})
}

// Finish implements bulk.Store.
func (b *Bulk) Finish(ctx context.Context, job uuid.UUID, now time.Time) error {
	_, err := b.pool.Exec(ctx, `update bulk_jobs set state = 'done', ended_at = $2 where id = $1 and state = 'working'`, job, now)
	return err //nolint:wrapcheck // named by the service
}

// Label implements bulk.Store.
func (b *Bulk) Label(ctx context.Context, workspace string, run uuid.UUID, label string, on bool) (bool, error) {
	sql := `update runs set labels = array_remove(labels, $3) where workspace_id = $1 and id = $2 and $3 = any(labels)`
	args := []any{workspace, run, label}
	if on {
		sql = `update runs set labels = labels || $3::text where workspace_id = $1 and id = $2 and not ($3::text = any(labels)) and cardinality(labels) < $4`
		args = append(args, bulk.LabelsMax)
	}
	tag, err := b.pool.Exec(ctx, sql, args...)
	return err == nil && tag.RowsAffected() > 0, err //nolint:wrapcheck // named by the service
}
