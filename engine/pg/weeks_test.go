package pg_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"signalbox/engine/archive"
	"signalbox/engine/pg"
)

func noRest(context.Context) {}

// partitions lists those of the log by name, without the first one and the
// rest.
func (w *world) partitions(t *testing.T) (names []string) {
	t.Helper()
	if err := w.db.Pool().QueryRow(context.Background(), `select coalesce(array_agg(c.relname order by c.relname), '{}') from pg_inherits i join pg_class c on c.oid = i.inhrelid
		where i.inhparent = 'workflow_events'::regclass and c.relname ~ '[0-9]$'`).Scan(&names); err != nil {
		t.Fatal(err)
	}
	return names
}

// monday is the first day of the week in so many weeks.
func monday(weeks int) string {
	now := time.Now().UTC()
	return now.AddDate(0, 0, -(int(now.Weekday())+6)%7+7*weeks).Format("20060102")
}

func TestWeeksAreMadeAhead(t *testing.T) {
	t.Parallel()
	w, ctx := newWorld(t, oneTask), context.Background()
	done := make(chan error)
	for range 4 { // servers that start at once
		go func() { done <- w.store.MakeWeeks(ctx, time.Now()) }()
	}
	for range 4 {
		if err := <-done; err != nil {
			t.Fatal(err)
		}
	}
	// The first partition reaches to the end of the next week.
	want := []string{"workflow_events_" + monday(2), "workflow_events_" + monday(3), "workflow_events_" + monday(4)}
	if got := w.partitions(t); !slices.Equal(got, want) {
		t.Errorf("made %v, want %v", got, want)
	}
	if err := w.store.MakeWeeks(ctx, time.Now().AddDate(0, 0, 7)); err != nil {
		t.Fatal(err)
	}
	if got := w.partitions(t); !slices.Equal(got, append(want, "workflow_events_"+monday(5))) {
		t.Errorf("a week later there are %v", got)
	}
	run := aged(-16 * 24 * time.Hour)
	w.play(t, run, `{}`, echo)
	var in string
	if err := w.db.Pool().QueryRow(ctx, `select distinct tableoid::regclass::text from workflow_events where run_id = $1`, run).Scan(&in); err != nil || !slices.Contains(want, in) {
		t.Errorf("its events lie in %s, %v", in, err)
	}
}

// A week that was not made in time keeps working: what came lies with the rest.
func TestAWeekThatWasMissedStaysWithTheRest(t *testing.T) {
	t.Parallel()
	w, ctx := newWorld(t, oneTask), context.Background()
	run := aged(-16 * 24 * time.Hour)
	w.play(t, run, `{}`, echo)
	if err := w.store.MakeWeeks(ctx, time.Now()); err != nil {
		t.Fatal(err)
	}
	if got := w.partitions(t); len(got) != 2 {
		t.Errorf("there are %v", got)
	}
	purge := pg.Purge{Before: time.Now().AddDate(1, 0, 0), Limit: 10}
	if _, err := w.store.DropWeeks(ctx, purge, noRest); err != nil {
		t.Fatal(err)
	}
	if _, n, err := w.store.Forget(ctx, uuid.Nil, purge); err != nil || n != 1 || len(w.rows(t, run)) > 0 {
		t.Errorf("%d went, %v; left %v", n, err, w.rows(t, run))
	}
}

func TestAWeekGoesAsAWhole(t *testing.T) {
	t.Parallel()
	w, ctx := newWorld(t, oneTask), context.Background()
	if err := w.store.MakeWeeks(ctx, time.Now()); err != nil {
		t.Fatal(err)
	}
	day := 24 * time.Hour
	early, open := aged(-7*2*day), aged(-7*3*day)
	var gone []uuid.UUID
	large, digest := text("l")
	for i := range 5 {
		run := aged(-7*2*day - time.Duration(i+1)*time.Minute)
		w.play(t, run, string(large), echo)
		gone = append(gone, run)
	}
	gone = append(gone, early)
	w.play(t, early, `{}`, echo)
	stays := aged(-7*3*day - time.Minute)
	w.play(t, stays, `{}`, echo)
	w.play(t, open, `{}`, echo)
	w.exec(t, `update runs set ended_at = null where id = $1`, open)
	w.exec(t, `update payloads set stored_at = now() - interval '4 days'`)
	before := w.partitions(t)

	dir := archive.Dir(filepath.Join(t.TempDir(), "kept"))
	purge := pg.Purge{Before: time.Now().AddDate(1, 0, 0), Limit: 4, Save: func(first uuid.UUID) (pg.Saver, error) { return dir.Begin(first) }}
	seen := 0
	n, err := w.store.DropWeeks(ctx, purge, func(ctx context.Context) {
		seen++ // in the middle of it the events have no run, and the audit knows
		if orphans, err := w.store.Orphans(ctx, 10); err != nil || len(orphans) > 0 {
			t.Errorf("the audit complains of %v, %v", orphans, err)
		}
	})
	if err != nil || n != len(gone) || seen < 2 {
		t.Fatalf("%d runs went in %d pieces, %v; want %d", n, seen, err, len(gone))
	}
	if left := w.rows(t, gone...); len(left) > 0 || w.kept(t, digest) {
		t.Errorf("left %v; the value: %v", left, w.kept(t, digest))
	}
	if left := w.rows(t, stays, open); left["runs"] != 2 || left["workflow_events"] != 8 {
		t.Errorf("of the week with an open run there are %v", left)
	}
	if after := w.partitions(t); len(after) >= len(before) || !slices.Contains(after, "workflow_events_"+monday(3)) || slices.Contains(after, "workflow_events_"+monday(2)) {
		t.Errorf("partitions %v became %v", before, after)
	}
	report, err := dir.Check()
	if err != nil || len(report.Faults) > 0 || report.Runs != len(gone) || report.Values != 1 || report.Events != 4*len(gone) {
		t.Errorf("kept %+v, %v", report, err)
	}
	// Of the week that stays what may go goes row by row.
	if _, n, err := w.store.Forget(ctx, uuid.Nil, purge); err != nil || n != 1 {
		t.Errorf("%d went, %v", n, err)
	}
	if left := w.rows(t, stays, open); left["runs"] != 1 || left["workflow_events"] != 4 {
		t.Errorf("at last %v", left)
	}
}

// What a crash left of a week that was being dropped is finished, unless a run
// came to stay meanwhile.
func TestARetiredWeekIsFinished(t *testing.T) {
	t.Parallel()
	for _, held := range []bool{false, true} {
		w, ctx := newWorld(t, oneTask), context.Background()
		if err := w.store.MakeWeeks(ctx, time.Now()); err != nil {
			t.Fatal(err)
		}
		run, other := aged(-16*24*time.Hour), aged(-16*24*time.Hour-time.Minute)
		w.play(t, run, `{}`, echo)
		w.play(t, other, `{}`, echo)
		w.exec(t, `insert into retired_weeks (name, low, high) select c.relname, '00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff'
			from workflow_events e join pg_class c on c.oid = e.tableoid where e.run_id = $1 limit 1`, run)
		w.exec(t, `delete from runs where id = $1`, run)
		if held {
			w.exec(t, `update runs set owed = true where id = $1`, other)
		}
		if _, err := w.store.DropWeeks(ctx, pg.Purge{Before: time.Now().AddDate(1, 0, 0), Limit: 4}, noRest); err != nil {
			t.Fatal(err)
		}
		want := 0
		if held {
			want = 4
		}
		if left := w.rows(t, run, other); left["workflow_events"] != want {
			t.Errorf("held %v: left %v", held, left)
		}
		var retired int
		if err := w.db.Pool().QueryRow(ctx, `select count(*) from retired_weeks`).Scan(&retired); err != nil || retired != 0 {
			t.Errorf("%d weeks are still retired, %v", retired, err)
		}
	}
}

// A run whose history cannot be kept is not deleted.
func TestWhatCannotBeKeptStays(t *testing.T) {
	t.Parallel()
	w, ctx := newWorld(t, oneTask), context.Background()
	run := aged(time.Hour)
	w.play(t, run, `{}`, echo)
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	purge := pg.Purge{Before: time.Now().Add(time.Hour), Limit: 10, Save: func(first uuid.UUID) (pg.Saver, error) { return archive.Dir(file).Begin(first) }}
	if _, _, err := w.store.Forget(ctx, uuid.Nil, purge); err == nil || !strings.Contains(err.Error(), "archive") {
		t.Errorf("%v", err)
	}
	if left := w.rows(t, run); left["runs"] != 1 || left["workflow_events"] != 4 {
		t.Errorf("left %v", left)
	}
}

// A history that somebody changed is found.
func TestTheArchiveIsChecked(t *testing.T) {
	t.Parallel()
	w, ctx := newWorld(t, oneTask), context.Background()
	large, digest := text("l")
	w.play(t, aged(time.Hour), string(large), echo)
	dir := t.TempDir()
	purge := pg.Purge{Before: time.Now().Add(time.Hour), Limit: 10, Save: func(first uuid.UUID) (pg.Saver, error) { return archive.Dir(dir).Begin(first) }}
	if _, n, err := w.store.Forget(ctx, uuid.Nil, purge); err != nil || n != 1 {
		t.Fatalf("%d, %v", n, err)
	}
	if err := os.WriteFile(filepath.Join(dir, "values", digest[:2], digest), bytes.Repeat([]byte("x"), 20_000), 0o600); err != nil {
		t.Fatal(err)
	}
	if r, err := archive.Dir(dir).Check(); err != nil || len(r.Faults) != 1 || !strings.Contains(r.Faults[0], "not what its name says") {
		t.Errorf("%+v %v", r, err)
	}
}
