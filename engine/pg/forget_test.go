package pg_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"signalbox/engine/event"
	"signalbox/engine/pg"
	"signalbox/engine/runtime"
)

const oneTask = `{"signalbox":1,"nodes":[{"id":"s","key":"start","kind":"manual"},{"id":"a","key":"a","kind":"mock"}],
	"edges":[{"id":"1","from":"s","port":"success","to":"a"}],"layout":{}}`

// text is a large JSON text of one letter, and its digest.
func text(letter string) (raw json.RawMessage, digest string) {
	raw = json.RawMessage(`"` + strings.Repeat(letter, 20_000) + `"`)
	v, _ := event.NewValue(raw)
	return raw, v.Payload.Digest
}

// rows counts what is left of some runs, table by table.
func (w *world) rows(t *testing.T, runs ...uuid.UUID) map[string]int {
	t.Helper()
	left := map[string]int{}
	for table, column := range map[string]string{
		"runs": "id", "workflow_events": "run_id", "snapshots": "run_id", "trigger_ledger": "run_id", "payload_uses": "run_id", "shares": "target_id",
	} {
		var n int
		if err := w.db.Pool().QueryRow(context.Background(), `select count(*) from `+table+` where `+column+` = any($1)`, runs).Scan(&n); err != nil {
			t.Fatal(err)
		}
		if n > 0 {
			left[table] = n
		}
	}
	return left
}

func (w *world) exec(t *testing.T, sql string, args ...any) {
	t.Helper()
	if _, err := w.db.Pool().Exec(context.Background(), sql, args...); err != nil {
		t.Fatal(err)
	}
}

// kept reports whether a large value is there.
func (w *world) kept(t *testing.T, digest string) bool {
	t.Helper()
	_, err := w.store.Payload(context.Background(), "main", digest)
	if err != nil && !errors.Is(err, runtime.ErrNotFound) {
		t.Fatal(err)
	}
	return err == nil
}

func TestForgottenRunLeavesNothing(t *testing.T) {
	t.Parallel()
	w, ctx := newWorld(t, oneTask), context.Background()
	shared, sharedDigest := text("s")
	alone, aloneDigest := text("a")
	both := aged(3 * time.Hour)
	w.play(t, both, string(alone), func(string, int) json.RawMessage { return shared })
	other := aged(2 * time.Hour)
	w.play(t, other, `{}`, func(string, int) json.RawMessage { return shared })
	if _, err := w.store.ClaimStart(ctx, "main", "t", "key", both); err != nil {
		t.Fatal(err)
	}
	w.exec(t, `insert into snapshots (run_id, seq, data) values ($1, 1, '')`, both)
	w.exec(t, `insert into shares (workspace_id, id, target, target_id, title, hash, view, created_by, created_at, expires_at, views)
		values ('main', $2, 'run', $1, '', 'h', '{}', $2, now(), now(), 0)`, both, uuid.New())
	w.exec(t, `update payloads set stored_at = now() - interval '4 days'`)

	last, n, err := w.store.Forget(ctx, uuid.Nil, pg.Purge{Before: time.Now().Add(time.Hour), Limit: 1})
	if err != nil || n != 1 || last != both {
		t.Fatalf("got %s, %d, %v; want %s", last, n, err, both)
	}
	if left := w.rows(t, both); len(left) > 0 {
		t.Errorf("left of the run: %v", left)
	}
	if w.kept(t, aloneDigest) || !w.kept(t, sharedDigest) {
		t.Errorf("its own value is kept: %v; the one that another run names: %v", w.kept(t, aloneDigest), w.kept(t, sharedDigest))
	}
	if diff := cmp.Diff(map[string]int{"runs": 1, "workflow_events": 4, "payload_uses": 1}, w.rows(t, other)); diff != "" {
		t.Errorf("of the other run:\n%s", diff)
	}
	if _, n, err = w.store.Forget(ctx, last, pg.Purge{Before: time.Now().Add(time.Hour), Limit: 10}); err != nil || n != 1 || w.kept(t, sharedDigest) {
		t.Errorf("got %d, %v; the value is kept: %v", n, err, w.kept(t, sharedDigest))
	}
	if last, n, err = w.store.Forget(ctx, last, pg.Purge{Before: time.Now().Add(time.Hour), Limit: 10}); err != nil || n != 0 || last != uuid.Nil {
		t.Errorf("got %s, %d, %v at the end", last, n, err)
	}
}

func TestOnlyOldRunsThatAreOverAreForgotten(t *testing.T) {
	t.Parallel()
	w, ctx := newWorld(t, oneTask), context.Background()
	open, turn := born(w.epoch)
	if err := w.store.Commit(ctx, turn); err != nil {
		t.Fatal(err)
	}
	owed, young := aged(time.Hour), aged(time.Hour)
	w.play(t, owed, `{}`, echo)
	w.play(t, young, `{}`, echo)
	w.exec(t, `update runs set owed = true, ended_at = now() - interval '1 day' where id = $1`, owed)
	if _, n, err := w.store.Forget(ctx, uuid.Nil, pg.Purge{Before: time.Now().Add(-30 * time.Minute), Limit: 10}); err != nil || n != 0 {
		t.Errorf("%d runs were forgotten, %v", n, err)
	}
	if got := w.rows(t, open, owed, young)["runs"]; got != 3 {
		t.Errorf("%d of 3 runs are left", got)
	}
}

// A value is stored before the turn that names it: it waits for that, and for
// longer when it is stored again.
func TestValueThatNobodyNamesIsForgottenLate(t *testing.T) {
	t.Parallel()
	w, ctx := newWorld(t, oneTask), context.Background()
	list := map[string]bool{} // whether it has to be there in the end
	for letter, age := range map[string]string{"y": "1 day", "o": "4 days", "a": "4 days", "n": "4 days"} {
		raw, digest := text(letter)
		if err := w.store.PutPayload(ctx, "main", digest, raw); err != nil {
			t.Fatal(err)
		}
		w.exec(t, `update payloads set stored_at = now() - $2::interval where digest = $1`, digest, age)
		switch letter {
		case "a":
			if err := w.store.PutPayload(ctx, "main", digest, raw); err != nil { // again
				t.Fatal(err)
			}
		case "n":
			w.play(t, aged(time.Hour), string(raw), echo)
			w.exec(t, `update payloads set stored_at = now() - $2::interval where digest = $1`, digest, age)
		}
		list[digest] = letter != "o"
	}
	gone := 0
	for after, more := "", true; more; more = after != "" {
		var n int
		var err error
		if after, n, err = w.store.ForgetValues(ctx, after, 1); err != nil {
			t.Fatal(err)
		}
		gone += n
	}
	for digest, want := range list {
		if got := w.kept(t, digest); got != want {
			t.Errorf("value %s is kept: %v, want %v", digest[:6], got, want)
		}
	}
	if gone != 1 {
		t.Errorf("%d pieces were deleted, want 1", gone)
	}
}

func TestKeysWithoutRunAreForgotten(t *testing.T) {
	t.Parallel()
	w, ctx := newWorld(t, oneTask), context.Background()
	run := aged(time.Hour)
	w.play(t, run, `{}`, echo)
	never := uuid.Must(uuid.NewV7())
	for key, id := range map[string]uuid.UUID{"there": run, "old": never, "new": never} {
		if _, err := w.store.ClaimStart(ctx, "main", "t", key, id); err != nil {
			t.Fatal(err)
		}
	}
	w.exec(t, `update trigger_ledger set at = now() - interval '1 day' where key <> 'new'`)
	if n, err := w.store.ForgetKeys(ctx, time.Now().Add(-time.Hour), 10); err != nil || n != 1 {
		t.Errorf("%d keys were forgotten, %v", n, err)
	}
	if winner, err := w.store.ClaimStart(ctx, "main", "t", "there", never); err != nil || winner != run {
		t.Errorf("the key of a run that is there leads to %s, %v", winner, err)
	}
}

// A fork names what it shares: it stays when the run that it began as goes.
func TestForkKeepsWhatItShares(t *testing.T) {
	t.Parallel()
	w, ctx := newWorld(t, oneTask), context.Background()
	input, digest := text("i")
	from, to := aged(2*time.Hour), uuid.Must(uuid.NewV7())
	w.play(t, from, string(input), echo)
	w.exec(t, `update payloads set stored_at = now() - interval '4 days'`)
	err := w.store.Fork(ctx, &runtime.Fork{
		New:  runtime.NewRun{Run: to, Workspace: "main", Workflow: w.workflow, Version: w.version, Trigger: "start", Source: "test", Attributes: json.RawMessage("{}"), RunState: runtime.RunState{Status: "running", Seq: 1}},
		From: from, Shared: 1, Point: 1, At: time.Now(),
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, n, err := w.store.Forget(ctx, uuid.Nil, pg.Purge{Before: time.Now().Add(time.Hour), Limit: 10}); err != nil || n != 1 {
		t.Fatalf("%d, %v", n, err)
	}
	if !w.kept(t, digest) {
		t.Error("a value that the fork names is gone")
	}
}
