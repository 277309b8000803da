package pg_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
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
	before := serverTime(b)
	for b.Loop() {
		write()
		events += len(turn.Events)
	}
	seconds := b.Elapsed().Seconds()
	b.ReportMetric(float64(serverTime(b)-before)/1e3/(float64(events)/2*5/6), "server-µs/step")
	b.ReportMetric(float64(events)/seconds, "events/s")
	b.ReportMetric(float64(events)/2*5/6/seconds, "steps/s")
}

// BenchmarkStep writes the smallest turn: one transition of one run, in a
// database without a past, and in one with a million events, of runs that are
// over and of 100,000 that sleep. They must cost the same.
func BenchmarkStep(b *testing.B) {
	for _, full := range []bool{false, true} {
		b.Run(map[bool]string{false: "empty", true: "full"}[full], func(b *testing.B) {
			s := durable(b)
			if full {
				seed(b, s, 180_000, 100_000)
			}
			steps(b, s)
		})
	}
}

func steps(b *testing.B, s *pg.Store) {
	b.Helper()
	ctx := context.Background()
	epoch, err := s.Acquire(ctx, 0, "me", time.Hour)
	if err != nil {
		b.Fatal(err)
	}
	l := line{step: 6}
	turn := runtime.Turn{Epoch: epoch}
	step := func() {
		if l.step == 6 {
			l = line{id: uuid.Must(uuid.NewV7())}
		}
		turn.At = time.Now().UTC().Truncate(time.Microsecond)
		turn.Events, turn.New, turn.Changed = turn.Events[:0], turn.New[:0], turn.Changed[:0]
		l.advance(&turn)
		if err := s.Commit(ctx, &turn); err != nil {
			b.Fatal(err)
		}
	}
	for range 60 { // its statements are prepared, its pages are there
		step()
	}
	before, n := serverTime(b), 0
	for b.Loop() {
		step()
		n++
	}
	b.ReportMetric(float64(serverTime(b)-before)/1e3/float64(n), "server-µs/op")
}

// seed fills the database with runs that are over, of five events each, and
// runs that sleep for days, of one event each.
func seed(b *testing.B, s *pg.Store, over, asleep int) {
	b.Helper()
	began := time.Now()
	for _, q := range []struct {
		sql  string
		args []any
	}{
		{`create table past as select n, encode(set_byte(set_byte(substring(int8send((extract(epoch from now()) * 1000)::bigint - 1000 * n) from 3) || '\x70008000000000000000'::bytea, 12, (n >> 16) & 255), 13, n & 255), 'hex')::uuid id
			from generate_series(1, $1::int) n`, []any{over + asleep}},
		{`insert into runs (id, shard, workspace_id, workflow_id, version_id, trigger, source, test, attributes, status, seq, owed, wake_at, error, created_at, ended_at)
			select id, 0, 'main', '00000000-0000-7000-8000-000000000001', '00000000-0000-7000-8000-000000000002', 'start', 'webhook', false, '{"type":"invoice"}',
				case when n <= $1 then 'succeeded' else 'waiting' end, case when n <= $1 then 5 else 1 end, false,
				case when n > $1 then now() + n * interval '1 minute' end, '', now() - n * interval '1 second', case when n <= $1 then now() end
			from past`, []any{over}},
		{`insert into workflow_events (run_id, seq, at, node, type, data, hash)
			select id, seq, now(), 'classify', 'TaskCompleted', '{"visit":1,"attempt":1,"queue":"default","output":{"label":"billing","text":"The customer says that the payment failed twice and asks for a refund."}}', '\x00'
			from past, generate_series(1, case when n <= $1 then 5 else 1 end) seq order by n desc, seq`, []any{over}},
		{`drop table past`, nil}, {`vacuum analyze`, nil},
	} {
		if err := exec(s, q.sql, q.args...); err != nil {
			b.Fatal(err)
		}
	}
	b.Logf("seeded in %s", time.Since(began).Round(time.Second))
}

func exec(s *pg.Store, sql string, args ...any) error {
	_, err := s.Pool().Exec(context.Background(), sql, args...)
	return err
}

// serverTime is the processor's time, in nanoseconds, of what this process has
// started: the server and its backends. Where it cannot be known it is 0.
func serverTime(b *testing.B) (sum int64) {
	b.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		b.Fatal(err)
	}
	parent := map[string]string{}
	for _, f := range files {
		raw, err := os.ReadFile(f)
		if err != nil {
			continue // it has ended
		}
		_, rest, _ := strings.Cut(string(raw), ") ")
		if fields := strings.Fields(rest); len(fields) > 1 {
			parent[filepath.Base(filepath.Dir(f))] = fields[1]
		}
	}
	self := strconv.Itoa(os.Getpid())
	for pid := range parent {
		for p := parent[pid]; p != "" && p != "1"; p = parent[p] {
			if p == self {
				raw, _ := os.ReadFile("/proc/" + pid + "/schedstat") // nothing: it has ended
				ns, _, _ := strings.Cut(string(raw), " ")
				n, _ := strconv.ParseInt(ns, 10, 64)
				sum += n
				break
			}
		}
	}
	return sum
}
