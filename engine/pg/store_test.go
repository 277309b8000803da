package pg_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"signalbox/engine/event"
	"signalbox/engine/pg"
	"signalbox/engine/pg/pgtest"
	"signalbox/engine/runtime"
	"signalbox/engine/runtime/runtimetest"
)

func open(t testing.TB) *pg.DB {
	t.Helper()
	return pgtest.Open(t)
}

func openAt(t testing.TB, dsn string) *pg.DB {
	t.Helper()
	db, err := pg.Open(context.Background(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	return db
}

func TestStore(t *testing.T) {
	t.Parallel()
	runtimetest.Run(t, func(t *testing.T) runtimetest.Store {
		t.Helper()
		return pg.NewStore(open(t))
	})
}

func TestSlots(t *testing.T) {
	t.Parallel()
	runtimetest.Slotted(t, func(t *testing.T) runtimetest.Slots {
		t.Helper()
		return pg.NewStore(open(t))
	})
}

// born is a turn that makes one run.
func born(epoch int64) (uuid.UUID, *runtime.Turn) {
	id, now := uuid.Must(uuid.NewV7()), time.Now().UTC().Truncate(time.Microsecond)
	e := event.Event{Seq: 1, At: now, Type: "RunStarted", Node: "start", Data: []byte(`{}`)}
	e.Hash = event.Chain([32]byte{}, &e)
	return id, &runtime.Turn{
		Epoch: epoch, At: now, Events: []runtime.EventRow{{Run: id, Event: e}},
		New: []runtime.NewRun{{Run: id, Workspace: "main", Trigger: "start", Source: "test", Attributes: []byte("{}"), RunState: runtime.RunState{Status: "running", Seq: 1, Owed: true}}},
	}
}

func owner(t *testing.T, s *pg.Store) int64 {
	t.Helper()
	epoch, err := s.Acquire(context.Background(), 0, "me", time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	return epoch
}

// Whatever is lost on the way, a turn is there as a whole or not at all, and
// the next one goes through.
func TestCutWire(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fault int32
		there bool
	}{
		"the turn is lost on its way":   {faultRequest, false},
		"the answer is lost on its way": {faultReply, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, dsn := newWire(t)
			s := pg.NewStore(openAt(t, dsn))
			epoch, ctx := owner(t, s), context.Background()
			_, turn := born(epoch)
			if err := s.Commit(ctx, turn); err != nil {
				t.Fatal(err)
			}
			id, turn := born(epoch)
			w.fault.Store(c.fault)
			err := s.Commit(ctx, turn)
			if err == nil || errors.Is(err, runtime.ErrFenced) {
				t.Errorf("the wire is cut: %v, want an unknown outcome", err)
			}
			w.fault.Store(faultNone)
			_, err = s.Load(ctx, id)
			if there := err == nil; there != c.there {
				t.Errorf("there: %t, %v", there, err)
			}
			err = s.Commit(ctx, turn) // what it wrote the first time it cannot write again
			if again := err == nil; again == c.there {
				t.Errorf("the same turn again: %v", err)
			}
			if rec, err := s.Load(ctx, id); err != nil || len(rec.Events) != 1 {
				t.Errorf("%+v %v, want one event", rec, err)
			}
			_, turn = born(epoch)
			if err := s.Commit(ctx, turn); err != nil {
				t.Errorf("the next turn: %v", err)
			}
		})
	}
}

func TestCommitInTime(t *testing.T) {
	t.Parallel()
	s := pg.NewStore(open(t))
	epoch := owner(t, s)
	id, turn := born(epoch)
	late, cancel := context.WithCancel(context.Background())
	cancel()
	if err := s.Commit(late, turn); err == nil || errors.Is(err, runtime.ErrFenced) {
		t.Errorf("a turn after its deadline: %v", err)
	}
	if err := s.Commit(context.Background(), turn); err != nil {
		t.Errorf("the same turn in time: %v", err)
	}
	if _, err := s.Load(context.Background(), id); err != nil {
		t.Error(err)
	}
}

// A server that was restarted has ended all connections.
func TestLostConnections(t *testing.T) {
	t.Parallel()
	db := open(t)
	s := pg.NewStore(db)
	epoch, ctx := owner(t, s), context.Background()
	_, turn := born(epoch)
	if err := s.Commit(ctx, turn); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Pool().Exec(ctx, `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`); err != nil {
		t.Fatal(err)
	}
	_, turn = born(epoch)
	if err := s.Commit(ctx, turn); err == nil {
		t.Error("a turn over a connection that is gone was committed")
	}
	if err := s.Commit(ctx, turn); err != nil {
		t.Errorf("the next turn: %v", err)
	}
}

func TestClosedStore(t *testing.T) {
	t.Parallel()
	db := open(t)
	s := pg.NewStore(db)
	_, turn := born(owner(t, s))
	if err := s.Commit(context.Background(), turn); err != nil {
		t.Fatal(err)
	}
	db.Close()
	_, turn = born(1)
	if err := s.Commit(context.Background(), turn); err == nil {
		t.Error("a closed store has committed a turn")
	}
}

// TestSpreadSettlesTheNumberOfShards lets servers come with different wishes.
func TestSpreadSettlesTheNumberOfShards(t *testing.T) {
	t.Parallel()
	s, ctx := pg.NewStore(open(t)), context.Background()
	spread := func(server string, wish, want int) {
		t.Helper()
		if n, err := s.Spread(ctx, server, wish, time.Minute); err != nil || n != want {
			t.Errorf("%s wants %d shards and gets %d, %v; want %d", server, wish, n, err, want)
		}
	}
	spread("one", 1, 1)
	epoch, err := s.Acquire(ctx, 0, "one", time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	id, turn := born(epoch)
	if err := s.Commit(ctx, turn); err != nil {
		t.Fatal(err)
	}
	spread("two", 8, 1) // the other one lives
	for _, server := range []string{"one", "two"} {
		if err := s.Leave(ctx, server); err != nil {
			t.Fatal(err)
		}
	}
	spread("two", 8, 8)
	rec, err := s.Load(ctx, id)
	if err != nil || rec.Shard != runtime.ShardOf(id, 8) {
		t.Errorf("the open run is in shard %d, %v", rec.Shard, err)
	}
	late := runtime.Turn{Epoch: epoch, Changed: []runtime.RunChange{{Run: id, RunState: runtime.RunState{Status: "failed"}}}}
	if err := s.Commit(ctx, &late); !errors.Is(err, runtime.ErrFenced) {
		t.Errorf("who had the old number of shards writes: %v", err)
	}
	spread("three", 0+8, 8)
	if r, err := s.Beat(ctx, "three", true, time.Minute); err != nil || r.Count != 8 {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestATicketIsTakenOnce(t *testing.T) {
	t.Parallel()
	k, ctx := pg.NewTickets(open(t).Pool()), context.Background()
	now := time.Now().Truncate(time.Microsecond)
	put := func(hash string, at time.Time, want bool) {
		t.Helper()
		if kept, err := k.Put(ctx, hash, []byte(hash), at, at.Add(time.Minute), 2); err != nil || kept != want {
			t.Errorf("ticket %s: kept %v, %v", hash, kept, err)
		}
	}
	put("a", now, true)
	put("b", now, true)
	put("c", now, false) // too many wait
	if data, ok, err := k.Take(ctx, "a", now); err != nil || !ok || string(data) != "a" {
		t.Errorf("%s %v %v", data, ok, err)
	}
	if _, ok, err := k.Take(ctx, "a", now); err != nil || ok {
		t.Errorf("it is taken twice: %v", err)
	}
	put("c", now, true)
	if _, ok, err := k.Take(ctx, "b", now.Add(time.Minute)); err != nil || ok {
		t.Errorf("it is taken late: %v", err)
	}
	put("d", now.Add(time.Minute), true) // the old ones have left
	put("e", now.Add(time.Minute), true)
}

// Turns of a few events and nothing else have a statement of their own, by
// their number: what is written and what the fence refuses is the same.
func TestTurnsOfEveryNumberOfEvents(t *testing.T) {
	t.Parallel()
	s := pg.NewStore(open(t))
	epoch, ctx := owner(t, s), context.Background()
	id, turn := born(epoch)
	if err := s.Commit(ctx, turn); err != nil {
		t.Fatal(err)
	}
	want := []event.Event{turn.Events[0].Event}
	for n := 1; n <= 6; n++ {
		next := runtime.Turn{Epoch: epoch, At: turn.At}
		for range n {
			last := want[len(want)-1]
			e := event.Event{Seq: last.Seq + 1, At: turn.At, Type: "TaskScheduled", Node: []string{"", "分类"}[last.Seq%2], Data: []byte(`{"text":"\"quoted\", 分类 ` + strings.Repeat("x", last.Seq) + `"}`)}
			e.Hash = event.Chain(last.Hash, &e)
			next.Events, want = append(next.Events, runtime.EventRow{Run: id, Event: e}), append(want, e)
		}
		fenced := next
		fenced.Epoch--
		if err := s.Commit(ctx, &fenced); !errors.Is(err, runtime.ErrFenced) {
			t.Errorf("%d events of an owner before: %v, want that it is fenced", n, err)
		}
		if err := s.Commit(ctx, &next); err != nil {
			t.Fatalf("%d events: %v", n, err)
		}
	}
	rec, err := s.Load(ctx, id)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, rec.Events); diff != "" {
		t.Errorf("what was written is not there (-want +got):\n%s", diff)
	}
}
