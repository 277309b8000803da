package pg_test

import (
	"context"
	"maps"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"signalbox/engine/history"
	"signalbox/engine/machine"
	"signalbox/engine/pg"
)

// lay puts an open, or with ended an ended, run there, whose events happened so
// long ago.
func (w *world) lay(t *testing.T, status string, owed bool, wake time.Duration, facts ...any) uuid.UUID {
	t.Helper()
	ctx, now := context.Background(), time.Now().UTC()
	id := aged(72 * time.Hour)
	var wakeAt, ended *time.Time
	if wake != 0 {
		at := now.Add(wake)
		wakeAt = &at
	}
	if status == "succeeded" {
		ended = &now
	}
	if _, err := w.db.Pool().Exec(ctx, `insert into runs (id, shard, workspace_id, workflow_id, version_id, trigger, source, test, attributes, status, seq, owed, wake_at, error, created_at, ended_at)
		values ($1, 0, 'main', $2, $3, 'start', 'api', false, '{}', $4, 0, $5, $6, '', $7, $8)`, id, w.workflow, w.version, status, owed, wakeAt, now.Add(-72*time.Hour), ended); err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(facts); i += 2 {
		ago, _ := facts[i].(time.Duration)
		fact, _ := facts[i+1].(machine.Fact)
		e, err := machine.Encode(machine.Event{Seq: i/2 + 1, At: now.Add(-ago), Fact: fact})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.db.Pool().Exec(ctx, `insert into workflow_events (run_id, seq, at, node, type, data, hash) values ($1, $2, $3, $4, $5, $6, '')`, id, e.Seq, e.At, e.Node, e.Type, []byte(e.Data)); err != nil {
			t.Fatal(err)
		}
	}
	return id
}

func (w *world) stuck(t *testing.T) map[uuid.UUID]string {
	t.Helper()
	list, err := w.history.Runs(t.Context(), "main", history.Query{Status: history.StatusStuck})
	if err != nil {
		t.Fatal(err)
	}
	found := map[uuid.UUID]string{}
	for _, r := range list {
		found[r.ID] = r.Stuck.Reason + " " + r.Stuck.Node
	}
	return found
}

// Each reason is found, and nothing else is: what waits for time, has waited a
// little, is paused, or is a little late with its timer.
func TestStuckRunsAreFoundWithTheirReason(t *testing.T) {
	t.Parallel()
	w, ctx := newWorld(t, oneTask), context.Background()
	start := func(ago time.Duration) []any { return []any{ago, &machine.RunStarted{Trigger: "start"}} }
	with := func(ago time.Duration, facts ...any) []any { return append(start(ago), facts...) }
	task := func(visit int) machine.Fact {
		return &machine.TaskScheduled{Node: "work", Visit: visit, Attempt: 1, Queue: "default"}
	}
	ask := &machine.WaitStarted{Node: "ask", Visit: 1, For: machine.ForHuman}
	day := 24 * time.Hour
	want := map[uuid.UUID]string{
		w.lay(t, "running", false, 0, start(2*day)...):                                       "nothing ",
		w.lay(t, "waiting", false, -time.Hour, start(2*day)...):                              "timer ",
		w.lay(t, "running", true, 0, with(2*day, 2*day, task(1))...):                         "silent work",
		w.lay(t, "waiting", false, 0, with(2*day, 2*day, ask)...):                            "waits ask",
		w.lay(t, "waiting", false, time.Hour, with(3*day, 30*time.Hour, ask)...):             "waits ask",
		w.lay(t, "running", true, 0, with(3*day, 2*day, ask, 2*day-time.Second, task(1))...): "waits ask",
	}
	w.lay(t, "waiting", false, 0, with(2*day, time.Hour, ask)...)
	w.lay(t, "waiting", false, -time.Second, start(2*day)...)
	w.lay(t, "paused", false, 0, with(2*day, 2*day, ask)...)
	w.lay(t, "waiting", false, day, with(2*day, 2*day, &machine.WaitStarted{Node: "rest", Visit: 1})...)
	w.lay(t, "running", true, 0, with(2*day, 2*day, task(1), time.Minute, &machine.TaskCompleted{Node: "work", Visit: 1, Attempt: 1}, time.Second, task(2))...)
	w.lay(t, "succeeded", false, 0, start(2*day)...)
	look := pg.NewStuckLook(w.store, pg.StuckConfig{After: day, Least: 5 * time.Minute})
	now := time.Now()
	if n, err := look.Look(ctx, now); err != nil || n != len(want) {
		t.Errorf("found %d, %v", n, err)
	}
	if d := cmp.Diff(want, w.stuck(t)); d != "" {
		t.Error(d)
	}
	if n, err := look.Look(ctx, now.Add(time.Second)); err != nil || n != 0 {
		t.Errorf("another server looked at once: %d, %v", n, err)
	}
	counts, err := w.store.StuckRuns(ctx)
	if d := cmp.Diff(map[string]int{"nothing": 1, "timer": 1, "silent": 1, "waits": 3}, counts); d != "" || err != nil {
		t.Error(d, err)
	}
	// One ends, one is answered: they are not stuck any more.
	for id, why := range maps.Clone(want) {
		switch why {
		case "nothing ":
			if _, err := w.db.Pool().Exec(ctx, `update runs set ended_at = now(), status = 'canceled' where id = $1`, id); err != nil {
				t.Fatal(err)
			}
			delete(want, id)
		case "timer ":
			if _, err := w.db.Pool().Exec(ctx, `update runs set wake_at = now() + interval '1 hour' where id = $1`, id); err != nil {
				t.Fatal(err)
			}
			delete(want, id)
		}
	}
	if _, err := look.Look(ctx, now.Add(30*time.Second)); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, w.stuck(t)); d != "" {
		t.Error(d)
	}
	if n, err := w.history.StuckCount(ctx, "main", w.workflow); err != nil || n != len(want) {
		t.Errorf("%d %v", n, err)
	}
}

// What is usual is told by the history of the node: here two seconds.
func TestStuckIsWhatTakesLongerThanUsual(t *testing.T) {
	t.Parallel()
	w := newWorld(t, oneTask)
	task := &machine.TaskScheduled{Node: "work", Visit: 1, Attempt: 1, Queue: "default"}
	for range 25 {
		w.lay(t, "succeeded", false, 0, time.Hour, &machine.RunStarted{Trigger: "start"}, time.Hour, task, time.Hour-2*time.Second, &machine.TaskCompleted{Node: "work", Visit: 1, Attempt: 1})
	}
	id := w.lay(t, "running", true, 0, time.Hour, &machine.RunStarted{Trigger: "start"}, 10*time.Minute, task)
	w.lay(t, "running", true, 0, time.Hour, &machine.RunStarted{Trigger: "start"}, 4*time.Minute, task)
	look := pg.NewStuckLook(w.store, pg.StuckConfig{After: 24 * time.Hour, Least: 5 * time.Minute})
	if _, err := look.Look(t.Context(), time.Now()); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(map[uuid.UUID]string{id: "silent work"}, w.stuck(t)); d != "" {
		t.Error(d)
	}
}
