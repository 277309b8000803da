package pg_test

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/google/uuid"

	"signalbox/engine/event"
	"signalbox/engine/local/postgres"
	"signalbox/engine/pg"
	"signalbox/engine/runtime"
)

// durable is a database that really syncs, as a laptop's does.
func durable(b *testing.B) *pg.Store {
	b.Helper()
	dir, err := os.MkdirTemp("", "signalbox-bench-pg-")
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil { // the server's user must be able to enter
		b.Fatal(err)
	}
	root, err := os.Getwd()
	if err != nil {
		b.Fatal(err)
	}
	ctx := context.Background()
	server, err := postgres.Start(ctx, postgres.Config{Dir: dir, SearchFrom: []string{root}, BinDir: os.Getenv("SIGNALBOX_PG_BIN")})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := server.Stop(ctx); err != nil {
			b.Error(err)
		}
	})
	db, err := pg.Open(ctx, server.DSN())
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(db.Close)
	if _, err := db.Migrate(ctx); err != nil {
		b.Fatal(err)
	}
	return pg.NewStore(db)
}

// line is a run of five tasks in a row: six transitions of two events each,
// its row written at birth and at the end.
type line struct {
	id   uuid.UUID
	step int
	hash [32]byte
}

func (l *line) advance(turn *runtime.Turn) {
	types := [2]string{"TaskCompleted", "TaskScheduled"}
	state := runtime.RunState{Status: "running", Seq: 2*l.step + 2, Owed: true}
	switch l.step {
	case 0:
		types[0] = "RunStarted"
		turn.New = append(turn.New, runtime.NewRun{Run: l.id, Workspace: "main", Trigger: "start", Source: "bench", Attributes: []byte("{}"), RunState: state})
	case 5:
		types[1] = "RunSucceeded"
		state.Status, state.Owed, state.EndedAt = "succeeded", false, turn.At
		turn.Changed = append(turn.Changed, runtime.RunChange{Run: l.id, RunState: state})
	}
	for i, typ := range types {
		e := event.Event{Seq: 2*l.step + i + 1, At: turn.At, Type: typ, Node: "classify", Data: fmt.Appendf(nil,
			`{"visit":1,"attempt":1,"queue":"default","priority":2,"worker":"w1","output":{"label":"billing","score":0.93,"text":"The customer says that the payment failed twice and asks for a refund.","n":%d}}`, l.step)}
		e.Hash = event.Chain(l.hash, &e)
		l.hash = e.Hash
		turn.Events = append(turn.Events, runtime.EventRow{Run: l.id, Event: e})
	}
	l.step++
}

// BenchmarkCommit writes turns of 256 transitions, as the runtime makes them.
func BenchmarkCommit(b *testing.B) {
	const transitions = 256
	s := durable(b)
	ctx := context.Background()
	epoch, err := s.Acquire(ctx, 0, "me", time.Hour)
	if err != nil {
		b.Fatal(err)
	}
	runs := make([]line, transitions)
	for i := range runs {
		runs[i].id = uuid.Must(uuid.NewV7())
	}
	turn := runtime.Turn{Epoch: epoch}
	events, warm := 0, 0
	write := func() {
		turn.At = time.Now().UTC().Truncate(time.Microsecond)
		turn.Events, turn.New, turn.Changed = turn.Events[:0], turn.New[:0], turn.Changed[:0]
		for i := range runs {
			if i%6 > warm { // so that runs of every age meet in a turn
				continue
			}
			if runs[i].step == 6 {
				runs[i] = line{id: uuid.Must(uuid.NewV7())}
			}
			runs[i].advance(&turn)
		}
		if err := s.Commit(ctx, &turn); err != nil {
			b.Fatal(err)
		}
	}
	for ; warm < 6; warm++ {
		write()
	}
	for b.Loop() {
		write()
		events += len(turn.Events)
	}
	seconds := b.Elapsed().Seconds()
	b.ReportMetric(float64(events)/seconds, "events/s")
	b.ReportMetric(float64(events)/2*5/6/seconds, "steps/s")
}
