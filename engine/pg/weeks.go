package pg

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

const (
	weeksAhead = 4 // made before they are needed
	week       = 7 * 24 * time.Hour
	weekLock   = 7_316_220_511                   // of PostgreSQL's advisory locks: one makes or drops at a time
	weekWait   = `set local lock_timeout = '2s'` // nobody waits behind us for long
)

// weekPart is one partition of the log: the events of runs with ids from low up to,
// but not with, high.
type weekPart struct {
	name      string
	low, high uuid.UUID
	rest      bool // holds whatever no other one does
}

var boundsOf = regexp.MustCompile(`^FOR VALUES FROM \((MINVALUE|'([0-9a-f-]{36})')\) TO \('([0-9a-f-]{36})'\)$`) //nolint:gochecknoglobals // a constant

// weekParts lists the partitions of the log, the oldest first.
func weekParts(ctx context.Context, tx pgx.Tx) ([]weekPart, error) {
	rows, err := tx.Query(ctx, `select c.relname, pg_get_expr(c.relpartbound, c.oid) from pg_inherits i join pg_class c on c.oid = i.inhrelid
		where i.inhparent = 'workflow_events'::regclass order by 2`)
	if err != nil {
		return nil, err //nolint:wrapcheck // by the callers
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (weekPart, error) { //nolint:wrapcheck // by the callers
		var p weekPart
		var bounds string
		if err := row.Scan(&p.name, &bounds); err != nil {
			return p, err //nolint:wrapcheck // by the callers
		}
		m := boundsOf.FindStringSubmatch(bounds)
		if p.rest = m == nil; p.rest {
			return p, nil
		}
		if m[2] != "" {
			p.low = uuid.MustParse(m[2])
		}
		p.high = uuid.MustParse(m[3])
		return p, nil
	})
}

// MakeWeeks makes the partitions of this week and of those to come.
func (s *Store) MakeWeeks(ctx context.Context, now time.Time) error {
	now = now.UTC().Truncate(24 * time.Hour)
	monday := now.AddDate(0, 0, -(int(now.Weekday())+6)%7)
	for i := range weeksAhead + 1 {
		if err := s.makeWeek(ctx, monday.AddDate(0, 0, 7*i)); err != nil {
			return fmt.Errorf("make a week of the log: %w", err)
		}
	}
	return nil
}

// makeWeek makes one partition. It is filled in beside the log and attached
// then, which stops nobody who writes.
func (s *Store) makeWeek(ctx context.Context, monday time.Time) error {
	low, high := firstID(monday), firstID(monday.Add(week))
	return inTx(ctx, s.pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `select pg_advisory_xact_lock($1)`, weekLock); err != nil {
			return err //nolint:wrapcheck // by the caller
		}
		list, err := weekParts(ctx, tx)
		if err != nil {
			return err
		}
		for _, p := range list {
			if !p.rest && less(p.low, high) && less(low, p.high) {
				return nil
			}
		}
		var taken bool // by ids of this week that came while there was none
		if err := tx.QueryRow(ctx, `select exists (select from workflow_events where run_id >= $1 and run_id < $2)`, low, high).Scan(&taken); err != nil || taken {
			return err //nolint:wrapcheck // by the caller
		}
		name := "workflow_events_" + monday.Format("20060102")
		_, err = tx.Exec(ctx, weekWait+`;
			create table `+name+` (like workflow_events including all);
			alter table workflow_events attach partition `+name+` for values from ('`+low.String()+`') to ('`+high.String()+`')`)
		return err //nolint:wrapcheck // by the caller
	})
}

func less(a, b uuid.UUID) bool { return strings.Compare(string(a[:]), string(b[:])) < 0 }

// DropWeeks deletes what Forget deletes, whole partitions at once: those all of
// whose runs may go. It returns how many runs went.
func (s *Store) DropWeeks(ctx context.Context, purge Purge, between func(context.Context)) (runs int, err error) {
	var list []weekPart
	if err := inTx(ctx, s.pool, func(tx pgx.Tx) (err error) { list, err = weekParts(ctx, tx); return err }); err != nil {
		return 0, fmt.Errorf("list the weeks of the log: %w", err)
	}
	for _, p := range list {
		if p.rest || less(firstID(purge.Before), p.high) {
			continue
		}
		n, err := s.dropWeek(ctx, p, purge, between)
		if runs += n; err != nil {
			return runs, fmt.Errorf("drop a week of the log: %w", err)
		}
	}
	return runs, nil
}

// dropWeek drops one partition, unless one of its runs has to stay. The runs
// go first, in batches; meanwhile their events are known to have none.
func (s *Store) dropWeek(ctx context.Context, p weekPart, purge Purge, between func(context.Context)) (runs int, err error) {
	var retired bool
	if err := s.pool.QueryRow(ctx, `with now as (insert into retired_weeks (name, low, high) select $2, $3, $4
		where not exists (select from runs where id >= $3 and id < $4 and not (`+mayGo+`)) on conflict do nothing returning name)
		select exists (select from now) or exists (select from retired_weeks where name = $2)`,
		purge.Before, p.name, p.low, p.high).Scan(&retired); err != nil || !retired {
		return 0, err //nolint:wrapcheck // by the caller
	}
	purge.until, purge.eventsStay = p.high, true
	for last := lastBefore(p.low); ; between(ctx) {
		var n int
		if last, n, err = s.Forget(ctx, last, purge); err != nil {
			return runs, err
		}
		if runs += n; last == uuid.Nil {
			break
		}
	}
	return runs, inTx(ctx, s.pool, func(tx pgx.Tx) error { return drop(ctx, tx, p) })
}

// lastBefore is the id before the first one of a partition.
func lastBefore(low uuid.UUID) uuid.UUID {
	for i := len(low) - 1; i >= 0; i-- {
		if low[i]--; low[i] != 0xff {
			return low
		}
	}
	return uuid.Nil // low was zero: nothing comes before it
}

// drop drops a partition none of whose runs is left. One may have to stay after
// all, or another server may be at it: then what belongs to no run goes row by
// row, and the week stays.
func drop(ctx context.Context, tx pgx.Tx, p weekPart) error {
	var left bool
	if err := tx.QueryRow(ctx, `select exists (select from runs where id >= $1 and id < $2)`, p.low, p.high).Scan(&left); err != nil {
		return err //nolint:wrapcheck // by the caller
	}
	if left {
		if _, err := tx.Exec(ctx, `delete from workflow_events e where run_id >= $1 and run_id < $2 and not exists (select from runs r where r.id = e.run_id)`, p.low, p.high); err != nil {
			return err //nolint:wrapcheck // by the caller
		}
		_, err := tx.Exec(ctx, `delete from retired_weeks where name = $1`, p.name)
		return err //nolint:wrapcheck // by the caller
	}
	_, err := tx.Exec(ctx, fmt.Sprintf(`%s; select pg_advisory_xact_lock(%d); delete from retired_weeks where name = '%s'; drop table if exists %s`,
		weekWait, weekLock, p.name, pgx.Identifier{p.name}.Sanitize()))
	return err //nolint:wrapcheck // by the caller
}
