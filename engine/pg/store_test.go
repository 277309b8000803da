package pg_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"

	"signalbox/engine/event"
	"signalbox/engine/local/postgres/postgrestest"
	"signalbox/engine/pg"
	"signalbox/engine/runtime"
	"signalbox/engine/runtime/runtimetest"
)

func open(t testing.TB) *pg.DB {
	t.Helper()
	db, err := pg.Open(context.Background(), postgrestest.Open(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	if _, err := db.Migrate(context.Background()); err != nil {
		t.Fatal(err)
	}
	return db
}

func TestStore(t *testing.T) {
	t.Parallel()
	runtimetest.Run(t, func(t *testing.T) runtimetest.Store { return pg.NewStore(open(t)) })
}

func TestMigrateTwice(t *testing.T) {
	t.Parallel()
	db := open(t)
	if n, err := db.Migrate(context.Background()); n != 0 || err != nil {
		t.Errorf("a second time: %d applied, %v", n, err)
	}
}

func BenchmarkCommit(b *testing.B) {
	db := open(b)
	s := pg.NewStore(db)
	ctx := context.Background()
	epoch, err := s.Acquire(ctx, 0, "me", time.Hour)
	if err != nil {
		b.Fatal(err)
	}
	now := time.Now().UTC()
	rows := 0
	for b.Loop() {
		turn := runtime.Turn{Epoch: epoch, At: now}
		for range 256 {
			id, _ := uuid.NewV7()
			turn.New = append(turn.New, runtime.NewRun{Run: id, Workspace: "main", Trigger: "a", Source: "bench", Attributes: []byte("{}"), RunState: runtime.RunState{Status: "running", Seq: 2}})
			for seq := 1; seq <= 2; seq++ {
				turn.Events = append(turn.Events, runtime.EventRow{Run: id, Event: event.Event{Seq: seq, At: now, Type: "TaskScheduled", Node: "n", Data: fmt.Appendf(nil, `{"visit":1,"attempt":1,"queue":"default","priority":2,"config":{"answer":{"ok":true},"latency_ms":0,"n":%d}}`, seq)}})
			}
		}
		rows += len(turn.Events)
		if err := s.Commit(ctx, &turn); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(rows)/b.Elapsed().Seconds(), "events/s")
}
