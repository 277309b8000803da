package pg_test

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"signalbox/engine/pg"
	"signalbox/engine/pg/pgtest"
	"signalbox/engine/runtime"
)

// waiting returns when so many connections of the database wait for a lock.
func waiting(t *testing.T, db *pg.DB, n int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	for {
		var have int
		err := db.Pool().QueryRow(ctx, `select count(*) from pg_sleep(0.005), pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`).Scan(&have)
		if err != nil {
			t.Fatalf("%d wait for a lock, want %d: %v", have, n, err)
		}
		if have >= n {
			return
		}
	}
}

// begin opens a transaction that is rolled back at the end.
func begin(t *testing.T, db *pg.DB) pgx.Tx {
	t.Helper()
	tx, err := db.Pool().Begin(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = tx.Rollback(context.Background()) })
	return tx
}

// Nobody gets a shard while a turn of its former owner is under way: it would
// recover runs from a log that still grows.
func TestTakeoverWaitsForTheTurnUnderWay(t *testing.T) {
	t.Parallel()
	db := open(t)
	s, ctx := pg.NewStore(db), context.Background()
	epoch, err := s.Acquire(ctx, 0, "old", -time.Second)
	if err != nil {
		t.Fatal(err)
	}
	id, turn := born(epoch)
	tx := begin(t, db) // holds the turn up: the same event, not yet committed
	if _, err := tx.Exec(ctx, `insert into workflow_events values ($1, 1, now(), 'n', 't', '{}', '')`, id); err != nil {
		t.Fatal(err)
	}
	written, taken := make(chan error, 1), make(chan error, 1)
	go func() { written <- s.Commit(ctx, turn) }()
	waiting(t, db, 1)
	go func() {
		_, err := s.Acquire(ctx, 0, "new", time.Minute)
		if err == nil {
			_, err = s.Load(ctx, id)
		}
		taken <- err
	}()
	waiting(t, db, 2)
	if err := tx.Rollback(ctx); err != nil {
		t.Fatal(err)
	}
	if err := <-taken; err != nil {
		t.Errorf("the new owner does not see the last turn of the old one: %v", err)
	}
	if err := <-written; err != nil {
		t.Errorf("the last turn: %v", err)
	}
}

// A turn that commits while a run is read changes nothing in what is read.
func TestLoadSeesOneMoment(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DSN(t)
	db, ctx := openAt(t, dsn), context.Background()
	s := pg.NewStore(openAt(t, dsn)) // its one connection knows the statements after the first time
	id, turn := born(owner(t, s))
	turn.Snaps = []runtime.Snap{{Run: id, Seq: 1, Format: runtime.SnapFormat, Data: []byte("one")}}
	if err := s.Commit(ctx, turn); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Load(ctx, id); err != nil {
		t.Fatal(err)
	}
	tx := begin(t, db)
	if _, err := tx.Exec(ctx, `lock table workflow_events in access exclusive mode`); err != nil {
		t.Fatal(err)
	}
	type loaded struct {
		rec *runtime.Record
		err error
	}
	done := make(chan loaded, 1)
	go func() {
		rec, err := s.Load(ctx, id)
		done <- loaded{rec, err}
	}()
	waiting(t, db, 1)
	for _, q := range []struct {
		sql  string
		args []any
	}{
		{`insert into workflow_events values ($1, 2, $2, '', 'RunSucceeded', '{}', '')`, []any{id, turn.At}},
		{`update snapshots set seq = 2, data = 'two' where run_id = $1`, []any{id}},
		{`update runs set status = 'succeeded', seq = 2 where id = $1`, []any{id}},
	} {
		if _, err := tx.Exec(ctx, q.sql, q.args...); err != nil {
			t.Fatal(err)
		}
	}
	if err := tx.Commit(ctx); err != nil {
		t.Fatal(err)
	}
	got := <-done
	if got.err != nil {
		t.Fatal(got.err)
	}
	if r := got.rec; r.Status != "running" || r.Snap == nil || r.Snap.Seq != 1 || len(r.Events) != 0 || r.LastHash != turn.Events[0].Event.Hash {
		t.Errorf("got %+v", r)
	}
	if rec, err := s.Load(ctx, id); err != nil || rec.Snap.Seq != 2 || rec.Status != "succeeded" {
		t.Errorf("afterwards: %+v %v", rec, err)
	}
}
