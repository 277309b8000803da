package pg

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"signalbox/engine/queue"
	"signalbox/engine/runtime"
	"signalbox/engine/task"
)

var _ runtime.Slots = (*Store)(nil)

// Take implements runtime.Slots. Whoever asks for a limit waits for the locks
// of its names, in order, so that nobody counts while another one takes; who
// gives back needs no lock.
func (s *Store) Take(ctx context.Context, wants []runtime.Want) ([]runtime.Grant, error) {
	var grants []runtime.Grant
	err := inTx(ctx, s.pool, func(tx pgx.Tx) error {
		t, err := openTaking(ctx, tx, wants)
		if err != nil {
			return err
		}
		grants = t.decide(wants)
		return t.write(ctx, tx)
	})
	if err != nil {
		return nil, fmt.Errorf("take slots: %w", err)
	}
	return grants, nil
}

// taking is one transaction of Take.
type taking struct {
	now   time.Time // of the database: all processes go by one clock
	book  queue.Book
	mine  map[int]int64 // epochs of the shards that are still theirs
	there map[task.ID]bool
	rows  columnsOfSlots
	rated []string
}

// columnsOfSlots are the rows to write.
type columnsOfSlots struct {
	run                           []uuid.UUID
	node, limit                   []string
	scope, visit, attempt, shards []int32
}

func openTaking(ctx context.Context, tx pgx.Tx, wants []runtime.Want) (*taking, error) {
	var names []string
	var shards []int32
	var runs []uuid.UUID
	for _, w := range wants {
		for _, n := range w.Needs {
			names = append(names, n.Name)
		}
		run, err := uuid.Parse(w.ID.Run)
		if err != nil {
			return nil, fmt.Errorf("read the id of a run: %w", err)
		}
		shards, runs = append(shards, int32(w.Shard)), append(runs, run) //nolint:gosec // small
	}
	slices.Sort(names)
	names = slices.Compact(names)
	t := &taking{book: queue.Book{}, mine: map[int]int64{}, there: map[task.ID]bool{}}
	b := &pgx.Batch{}
	b.Queue(`select pg_advisory_xact_lock(k) from (select distinct hashtextextended('slots ' || n, 0) k from unnest($1::text[]) n order by 1) o`, names)
	b.Queue(`select clock_timestamp()`).QueryRow(func(row pgx.Row) error { return row.Scan(&t.now) })
	b.Queue(`select shard, epoch from shards where shard = any($1) for share`, shards).Query(func(rows pgx.Rows) error {
		var shard int
		var epoch int64
		_, err := pgx.ForEachRow(rows, []any{&shard, &epoch}, func() error { t.mine[shard] = epoch; return nil })
		return err //nolint:wrapcheck // by the caller
	})
	b.Queue(`select limit_of, count(*) from queue_slots where limit_of = any($1) group by 1`, names).Query(func(rows pgx.Rows) error {
		var name string
		var used int
		_, err := pgx.ForEachRow(rows, []any{&name, &used}, func() error { t.book[name] = &queue.Tally{Used: used}; return nil })
		return err //nolint:wrapcheck // by the caller
	})
	b.Queue(`select limit_of, takes from queue_rates where limit_of = any($1)`, names).Query(func(rows pgx.Rows) error {
		var name string
		var takes []int64
		_, err := pgx.ForEachRow(rows, []any{&name, &takes}, func() error {
			if t.book[name] == nil {
				t.book[name] = &queue.Tally{}
			}
			t.book[name].Takes = slices.Clone(takes)
			return nil
		})
		return err //nolint:wrapcheck // by the caller
	})
	b.Queue(`select distinct run_id, node, scope, visit, attempt from queue_slots where run_id = any($1)`, runs).Query(func(rows pgx.Rows) error {
		_, err := collectIDs(rows, func(id task.ID) { t.there[id] = true })
		return err
	})
	return t, tx.SendBatch(ctx, b).Close() //nolint:wrapcheck // by the caller
}

func collectIDs(rows pgx.Rows, each func(task.ID)) (int, error) {
	var run uuid.UUID
	var id task.ID
	n := 0
	_, err := pgx.ForEachRow(rows, []any{&run, &id.Node, &id.Scope, &id.Visit, &id.Attempt}, func() error {
		id.Run = run.String()
		each(id)
		n++
		return nil
	})
	return n, err //nolint:wrapcheck // by the caller
}

// decide grants in order.
func (t *taking) decide(wants []runtime.Want) []runtime.Grant {
	grants := make([]runtime.Grant, len(wants))
	for i, w := range wants {
		if epoch, owned := t.mine[w.Shard]; !owned || epoch != w.Epoch {
			continue
		}
		if t.there[w.ID] {
			grants[i].OK = true
			continue
		}
		limit, until := t.book.Grant(w.Needs, t.now)
		if limit != "" {
			grants[i] = runtime.Grant{Limit: limit, Until: until}
			continue
		}
		grants[i].OK = true
		t.there[w.ID] = true
		run := uuid.MustParse(w.ID.Run) // it was read before
		for _, n := range w.Needs {
			t.rows.add(run, w, n.Name)
			if n.Rate > 0 {
				t.rated = append(t.rated, n.Name)
			}
		}
	}
	return grants
}

func (c *columnsOfSlots) add(run uuid.UUID, w runtime.Want, limit string) {
	c.run, c.node, c.limit = append(c.run, run), append(c.node, w.ID.Node), append(c.limit, limit)
	c.scope, c.visit = append(c.scope, int32(w.ID.Scope)), append(c.visit, int32(w.ID.Visit))      //nolint:gosec // small
	c.attempt, c.shards = append(c.attempt, int32(w.ID.Attempt)), append(c.shards, int32(w.Shard)) //nolint:gosec // small
}

func (t *taking) write(ctx context.Context, tx pgx.Tx) error {
	if len(t.rows.run) == 0 {
		return nil
	}
	b := &pgx.Batch{}
	c := &t.rows
	b.Queue(`insert into queue_slots (run_id, node, limit_of, scope, visit, attempt, shard, taken_at)
		select *, $8::timestamptz from unnest($1::uuid[], $2::text[], $3::text[], $4::int[], $5::int[], $6::int[], $7::int[]) on conflict do nothing`,
		c.run, c.node, c.limit, c.scope, c.visit, c.attempt, c.shards, t.now)
	slices.Sort(t.rated)
	for _, name := range slices.Compact(t.rated) {
		b.Queue(`insert into queue_rates (limit_of, takes, at) values ($1, $2, $3)
			on conflict (limit_of) do update set takes = excluded.takes, at = excluded.at`, name, t.book[name].Takes, t.now)
	}
	return tx.SendBatch(ctx, b).Close() //nolint:wrapcheck // by the caller
}

// Free implements runtime.Slots.
func (s *Store) Free(ctx context.Context, has []runtime.Want) error {
	var c columnsOfSlots
	var epochs []int64
	for _, w := range has {
		run, err := uuid.Parse(w.ID.Run)
		if err != nil {
			return fmt.Errorf("read the id of a run: %w", err)
		}
		c.add(run, w, "")
		epochs = append(epochs, w.Epoch)
	}
	_, err := s.pool.Exec(ctx, `with own as materialized (select shard, epoch from shards where shard = any($6) for share)
		delete from queue_slots s using own o, unnest($1::uuid[], $2::text[], $3::int[], $4::int[], $5::int[], $6::int[], $7::bigint[]) u(r, n, s, v, a, sh, ep)
		where o.shard = u.sh and o.epoch = u.ep and s.run_id = u.r and s.node = u.n and s.scope = u.s and s.visit = u.v and s.attempt = u.a`,
		c.run, c.node, c.scope, c.visit, c.attempt, c.shards, epochs)
	if err != nil {
		return fmt.Errorf("give slots back: %w", err)
	}
	return nil
}

// Taken implements runtime.Slots.
func (s *Store) Taken(ctx context.Context, shard int) (map[task.ID][]string, error) {
	rows, err := s.pool.Query(ctx, `select run_id, node, scope, visit, attempt, limit_of from queue_slots where shard = $1`, shard)
	if err != nil {
		return nil, fmt.Errorf("list slots: %w", err)
	}
	taken := map[task.ID][]string{}
	var run uuid.UUID
	var id task.ID
	var limit string
	if _, err := pgx.ForEachRow(rows, []any{&run, &id.Node, &id.Scope, &id.Visit, &id.Attempt, &limit}, func() error {
		id.Run = run.String()
		taken[id] = append(taken[id], limit)
		return nil
	}); err != nil {
		return nil, fmt.Errorf("list slots: %w", err)
	}
	return taken, nil
}

// SlotsUsed counts the slots of each limit.
func (s *Store) SlotsUsed(ctx context.Context) (map[string]int, error) { return slotsUsed(ctx, s.pool) }

func slotsUsed(ctx context.Context, pool *pgxpool.Pool) (map[string]int, error) {
	rows, err := pool.Query(ctx, `select limit_of, count(*) from queue_slots group by 1`)
	if err != nil {
		return nil, fmt.Errorf("count slots: %w", err)
	}
	used := map[string]int{}
	var limit string
	var n int
	if _, err := pgx.ForEachRow(rows, []any{&limit, &n}, func() error { used[limit] = n; return nil }); err != nil {
		return nil, fmt.Errorf("count slots: %w", err)
	}
	return used, nil
}
