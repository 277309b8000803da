package meter_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"

	"signalbox/engine/compile"
	"signalbox/engine/event"
	"signalbox/engine/graph"
	"signalbox/engine/insight"
	"signalbox/engine/machine"
	"signalbox/engine/meter"
	"signalbox/engine/runtime"
)

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// archive keeps rows as the database does: one that comes again replaces.
type archive struct {
	mu   sync.Mutex
	rows map[string]insight.Row
	down bool
}

func (a *archive) SaveRollups(_ context.Context, rows []insight.Row) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, r := range rows {
		r.Spread = insight.Unpack(r.Spread.Pack())
		a.rows[key(&r)] = r
	}
	if a.down { // it was written, but nobody heard of it
		return errors.New("away")
	}
	return nil
}

func key(r *insight.Row) string {
	return r.At.Format("15:04:05") + " " + r.Server.String() + r.Workspace + r.Workflow.String() + r.Version.String() + r.Measure + r.Label + time.Duration(r.Step*int(time.Second)).String()
}

// board folds what the archive has.
func (a *archive) board(workspace string, workflow uuid.UUID, span insight.Span) map[string]insight.Column {
	var rows []insight.Row
	for _, r := range a.rows {
		if r.Step == span.Tier && (r.Workspace == workspace && r.Workflow == workflow || r.Measure == insight.Covered) {
			rows = append(rows, r)
		}
	}
	b := insight.Fold(span, rows)
	list := map[string]insight.Column{"covered": b.Covered}
	for _, s := range b.Series {
		list[s.Measure+" "+s.Label] = s.N
	}
	return list
}

type moment struct{ at time.Time }

func (m *moment) now() time.Time { return m.at }

// counted is one process with rollups.
func counted(t *testing.T, a *archive, clock *moment, owned *bool) (*meter.Runs, *meter.Rollups) {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	runs, err := meter.NewRuns(prometheus.NewRegistry(), log)
	if err != nil {
		t.Fatal(err)
	}
	r := meter.NewRollups(meter.RollupConfig{
		Archive: a, Log: log, Now: clock.now, Owned: func() bool { return *owned },
		Look: func(context.Context) []insight.Look {
			return []insight.Look{{Measure: insight.Waiting, Label: "q", Value: 3}}
		},
	})
	runs.To(r)
	return runs, r
}

func bornAt(at time.Time) uuid.UUID {
	id := uuid.Must(uuid.NewV7())
	ms := uint64(at.UnixMilli())
	for i := range 6 {
		id[i] = byte(ms >> (8 * (5 - i)))
	}
	return id
}

const grouped = `{"signalbox":1,"nodes":[{"id":"s","key":"start","kind":"manual"},{"id":"g","key":"g","kind":"group"},{"id":"a","key":"a","kind":"mock","in":"g"}],
	"edges":[{"id":"1","from":"s","port":"success","to":"g"}],"layout":{}}`

func compiled(t *testing.T, file string) *machine.Machine {
	t.Helper()
	g, err := graph.Decode([]byte(file))
	if err != nil {
		t.Fatal(err)
	}
	m, issues := compile.Compile(g)
	if m == nil {
		t.Fatalf("%+v", issues)
	}
	return m
}

// TestRollupsSurviveARestart counts in one process, which stops, and in a
// second one that begins later; the database was away for a while and writes
// twice.
func TestRollupsSurviveARestart(t *testing.T) {
	t.Parallel()
	a, clock, owned := &archive{rows: map[string]insight.Row{}}, &moment{noon}, true
	ctx := context.Background()
	workflow, version := uuid.New(), uuid.New()
	mach := compiled(t, grouped)
	one := func(runs *meter.Runs) {
		run := runtime.NewRun{Run: bornAt(clock.at.Add(-2 * time.Second)), Workspace: "main", Workflow: workflow, Version: version}
		at := clock.at
		runs.Events(&run, mach, []machine.Event{
			{At: at.Add(-2 * time.Second), Fact: &machine.RunStarted{Source: "api"}},
			{At: at.Add(-2 * time.Second), Fact: &machine.TaskScheduled{Node: "a", Visit: 1, Attempt: 1, Queue: "q", Priority: 1}},
			{At: at.Add(-time.Second), Fact: &machine.TaskFailed{Node: "a", Visit: 1, Attempt: 1, Began: at.Add(-1500 * time.Millisecond), RetryAt: at}},
			{At: at, Fact: &machine.NodeFailed{Node: "a", Visit: 1, Error: event.Error{Class: "timeout"}}},
			{At: at, Fact: &machine.NodeFailed{Node: "g", Visit: 1, Error: event.Error{Class: "timeout"}, Handled: true}},
			{At: at, Fact: &machine.CompensationStarted{}},
			{At: at, Fact: &machine.RunFailed{Error: event.Error{Class: "timeout"}}},
		})
		runs.Turn(4, 2*time.Millisecond)
	}
	pass := func(r *meter.Rollups, seconds int) {
		for range seconds {
			r.Tick(ctx)
			clock.at = clock.at.Add(time.Second)
		}
		r.Tick(ctx)
	}
	runs, r := counted(t, a, clock, &owned)
	one(runs)
	pass(r, 8) // 12:00:08
	a.down = true
	one(runs)
	pass(r, 7) // 12:00:15
	a.down = false
	one(runs)
	r.Flush(ctx)
	r.Flush(ctx)
	clock.at = noon.Add(35 * time.Second) // it stopped; the next one begins
	runs, r = counted(t, a, clock, &owned)
	pass(r, 5)
	one(runs)
	owned = false
	pass(r, 8) // 12:00:48
	clock.at = clock.at.Add(time.Minute)
	r.Tick(ctx) // it stood still for a minute and measured nothing
	r.Flush(ctx)

	fine := insight.Span{From: noon, To: noon.Add(time.Minute), Tier: 10, Step: 10}
	for _, where := range []uuid.UUID{workflow, uuid.Nil} {
		got := a.board("main", where, fine)
		row := func(n float64) insight.Column { return insight.Column{2 * n, n, nan(), 0, n, nan()} }
		want := map[string]insight.Column{
			"covered":         {10, 5, nan(), 5, nan(), nan()},
			"run.started api": row(1), "run.time failed": row(1), "events ": row(7), "queue.time high": row(1), "work.time mock": row(1),
			"retry mock": row(1), "failure mock": row(1), "dead mock": row(1), "saga begun": row(1),
		}
		if diff := cmp.Diff(want, got, columns()); diff != "" {
			t.Errorf("by 10 s, of %s (-want +got):\n%s", where, diff)
		}
	}
	for _, tier := range []int{60, 600, 3600} {
		span := insight.Span{From: noon, To: noon.Add(time.Duration(tier) * time.Second), Tier: tier, Step: tier}
		got := a.board("main", workflow, span)
		if got["run.started api"][0] != 4 || got["events "][0] != 28 || got["covered"][0] != 20 {
			t.Errorf("by %d s: %v", tier, got)
		}
	}
	infra := a.board("", uuid.Nil, insight.Span{From: noon, To: noon.Add(time.Minute), Tier: 60, Step: 60})
	if infra["turn "][0] != 4 || infra["inputs "][0] != 16 || infra["shared.waiting q"][0] < 4 {
		t.Errorf("infrastructure: %v", infra)
	}
}

func nan() float64 { return insight.Spread(nil).At(.5, 0) }

func columns() cmp.Option {
	return cmp.Comparer(func(a, b insight.Column) bool {
		x, err := a.MarshalJSON()
		y, fault := b.MarshalJSON()
		return err == nil && fault == nil && bytes.Equal(x, y)
	})
}

// BenchmarkRolledEvents is what two events of a step cost with rollups.
func BenchmarkRolledEvents(b *testing.B) {
	runs, err := meter.NewRuns(prometheus.NewRegistry(), slog.New(slog.DiscardHandler))
	if err != nil {
		b.Fatal(err)
	}
	runs.To(meter.NewRollups(meter.RollupConfig{Log: slog.New(slog.DiscardHandler)}))
	run := runtime.NewRun{Run: uuid.Must(uuid.NewV7()), Workspace: "main", Workflow: uuid.New()}
	at := time.Now()
	events := []machine.Event{
		{At: at, Fact: &machine.TaskScheduled{Node: "a", Visit: 1, Attempt: 1, Queue: "default"}},
		{At: at, Fact: &machine.TaskCompleted{Node: "a", Visit: 1, Attempt: 1, Began: at}},
	}
	m := &machine.Machine{}
	b.ReportAllocs()
	for b.Loop() {
		runs.Events(&run, m, events)
	}
}
