package pg

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

const (
	// unnamedKept is how long a large value waits to be named: a worker stores
	// it before the turn that names it, and the engine may be away meanwhile.
	unnamedKept = 72 * time.Hour
	// forgetEvents is about how many events one transaction deletes.
	forgetEvents = 20_000
)

// Purge is what is deleted of what is old.
type Purge struct {
	Before time.Time // runs that ended before it
	Limit  int       // of runs in one transaction
	// Save is where runs are kept before they go; nil: nowhere. What it keeps is
	// on disk when its Close returns, and only then the runs are deleted.
	Save func(first uuid.UUID) (Saver, error)

	until      uuid.UUID // only runs with smaller ids; zero: all
	eventsStay bool      // they go otherwise
}

// Forget deletes runs that ended before a time, with all that belongs to them:
// events, snapshots, idempotency keys, links to them, and the large values
// that no other run names. It looks at runs after the given one, in order of
// their ids, takes at most so many, and returns the last of them; the zero id:
// there are no more.
func (s *Store) Forget(ctx context.Context, after uuid.UUID, purge Purge) (last uuid.UUID, n int, err error) {
	err = inTx(ctx, s.pool, func(tx pgx.Tx) error {
		runs, err := forgettable(ctx, tx, after, &purge)
		if err != nil || len(runs) == 0 {
			return err
		}
		if purge.Save != nil {
			if err := s.save(ctx, tx, runs, purge.Save); err != nil {
				return err
			}
		}
		last, n = runs[len(runs)-1], len(runs)
		digests, err := unname(ctx, tx, runs)
		if err != nil {
			return err
		}
		b := &pgx.Batch{}
		if !purge.eventsStay {
			b.Queue(`delete from workflow_events where run_id = any($1)`, runs)
		}
		for _, sql := range []string{
			`delete from snapshots where run_id = any($1)`,
			`delete from dead_letters where run_id = any($1)`,
			`delete from trigger_ledger where run_id = any($1)`,
			`delete from shares where target = 'run' and target_id = any($1)`,
			`delete from runs where id = any($1)`,
		} {
			b.Queue(sql, runs)
		}
		if len(digests) > 0 {
			b.Queue(deleteUnnamed, digests, unnamedKept)
		}
		return tx.SendBatch(ctx, b).Close() //nolint:wrapcheck // below
	})
	if err != nil {
		return uuid.Nil, 0, fmt.Errorf("forget runs: %w", err)
	}
	return last, n, nil
}

// deleteUnnamed deletes those of some large values that no run names and that
// nobody has stored lately.
const deleteUnnamed = `delete from payloads p
	where p.digest = any($1) and p.stored_at < now() - $2::interval
	and not exists (select from payload_uses x where x.digest = p.digest)`

// mayGo is the condition under which a run may be deleted: it ended before $1,
// nobody has yet to confirm its end, and it is no case.
const mayGo = `ended_at is not null and ended_at < $1 and not owed and not exists (select from cases c where c.run_id = runs.id)`

// forgettable locks the runs that go. What another server is at is left out.
func forgettable(ctx context.Context, tx pgx.Tx, after uuid.UUID, purge *Purge) ([]uuid.UUID, error) {
	until := firstID(purge.Before)
	if purge.until != uuid.Nil {
		until = purge.until
	}
	rows, err := tx.Query(ctx, `select id, seq from runs where id > $2 and id < $3 and `+mayGo+`
		order by id limit $4 for update skip locked`, purge.Before, after, until, purge.Limit)
	if err != nil {
		return nil, err //nolint:wrapcheck // by the caller
	}
	defer rows.Close()
	var list []uuid.UUID
	for events := 0; rows.Next() && events < forgetEvents; {
		var id uuid.UUID
		var seq int
		if err := rows.Scan(&id, &seq); err != nil {
			return nil, err //nolint:wrapcheck // by the caller
		}
		list, events = append(list, id), events+seq
	}
	rows.Close()
	return list, rows.Err() //nolint:wrapcheck // by the caller
}

// unname takes the runs from the large values that they name, and returns the
// digests of those.
func unname(ctx context.Context, tx pgx.Tx, runs []uuid.UUID) ([]string, error) {
	rows, err := tx.Query(ctx, `with gone as (delete from payload_uses where run_id = any($1) returning digest) select distinct digest from gone`, runs)
	if err != nil {
		return nil, err //nolint:wrapcheck // by the caller
	}
	return pgx.CollectRows(rows, pgx.RowTo[string]) //nolint:wrapcheck // by the caller
}

// ForgetValues deletes large values that no run names: what a worker stored
// for a run that did not want it any more. It looks at so many digests after
// the given one and returns the last of them; empty: there are no more.
func (s *Store) ForgetValues(ctx context.Context, after string, limit int) (last string, n int, err error) {
	rows, err := s.pool.Query(ctx, `select distinct digest from payloads where digest > $1 order by digest limit $2`, after, limit)
	if err != nil {
		return "", 0, fmt.Errorf("list large values: %w", err)
	}
	digests, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return "", 0, fmt.Errorf("list large values: %w", err)
	}
	tag, err := s.pool.Exec(ctx, deleteUnnamed, digests, unnamedKept)
	if err != nil {
		return "", 0, fmt.Errorf("forget large values: %w", err)
	}
	if len(digests) == limit {
		last = digests[limit-1]
	}
	return last, int(tag.RowsAffected()), nil
}

// ForgetKeys deletes idempotency keys from before a time whose run is not, or
// never was, there.
func (s *Store) ForgetKeys(ctx context.Context, before time.Time, limit int) (n int, err error) {
	tag, err := s.pool.Exec(ctx, `delete from trigger_ledger where ctid = any(array(
		select l.ctid from trigger_ledger l where l.at < $1 and not exists (select from runs r where r.id = l.run_id) limit $2))`, before, limit)
	if err != nil {
		return 0, fmt.Errorf("forget idempotency keys: %w", err)
	}
	return int(tag.RowsAffected()), nil
}
