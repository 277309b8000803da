package pg_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"signalbox/engine/account"
	"signalbox/engine/event"
	"signalbox/engine/pg"
	"signalbox/engine/runtime"
)

// TestADeletedWorkspaceLeavesOnlyItsAuditLog looks into every table that names
// workspaces, also into those that a later migration brings.
func TestADeletedWorkspaceLeavesOnlyItsAuditLog(t *testing.T) {
	t.Parallel()
	w := newWorld(t, choiceFile)
	ctx := context.Background()
	accounts := pg.NewAccounts(w.db.Pool())
	w.play(t, uuid.Must(uuid.NewV7()), `{"n":9}`, echo)
	if _, err := w.db.Pool().Exec(ctx, `update runs set ended_at = null`); err != nil {
		t.Fatal(err)
	}
	var open *account.ErrRunsOpen
	if err := accounts.DeleteWorkspace(ctx, "main", time.Now()); !errors.As(err, &open) || open.Runs != 1 {
		t.Errorf("a run is open: %v", err)
	}
	if _, err := w.db.Pool().Exec(ctx, `update runs set ended_at = now()`); err != nil {
		t.Fatal(err)
	}
	if err := accounts.DeleteWorkspace(ctx, "main", time.Now()); err != nil {
		t.Fatal(err)
	}
	if err := accounts.DeleteWorkspace(ctx, "main", time.Now()); !errors.Is(err, account.ErrNotFound) {
		t.Errorf("it is deleted already: %v", err)
	}
	w.nothingLeft(t)
}

// nothingLeft looks into every table that names workspaces, and into the tables
// of what belongs to runs.
func (w *world) nothingLeft(t *testing.T) {
	t.Helper()
	ctx := t.Context()
	rows, err := w.db.Pool().Query(ctx, `select c.table_name from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
		where c.column_name = 'workspace_id' and c.table_schema = 'public' and t.table_type = 'BASE TABLE' and c.table_name not in ('audit', 'audit_log')`)
	if err != nil {
		t.Fatal(err)
	}
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(tables) < 25 {
		t.Fatalf("%v %v", tables, err)
	}
	for _, table := range append(tables, "workflow_events", "snapshots", "payload_uses") {
		var n int
		if err := w.db.Pool().QueryRow(ctx, "select count(*) from "+pgx.Identifier{table}.Sanitize()).Scan(&n); err != nil || n > 0 {
			t.Errorf("%s keeps %d rows, %v", table, n, err)
		}
	}
}

// began is a turn in which a run begins, perhaps to its end.
func (w *world) began(workspace string, ends bool) *runtime.Turn {
	id := uuid.Must(uuid.NewV7())
	at := time.Now().UTC().Truncate(time.Microsecond)
	e := event.Event{Seq: 1, At: at, Type: "RunStarted", Data: json.RawMessage(`{}`)}
	e.Hash = event.Chain([32]byte{}, &e)
	run := runtime.NewRun{Run: id, Workspace: workspace, Workflow: w.workflow, Version: w.version, Trigger: "start", Source: "test", Attributes: json.RawMessage(`{}`)}
	run.RunState = runtime.RunState{Status: runtime.StatusWaiting, Seq: 1, WakeAt: at.Add(time.Hour)}
	if ends {
		run.RunState = runtime.RunState{Status: runtime.StatusSucceeded, Seq: 1, EndedAt: at}
	}
	return &runtime.Turn{At: at, Epoch: w.epoch, New: []runtime.NewRun{run}, Events: []runtime.EventRow{{Run: id, Event: e}}}
}

// ended is the turn in which a run is canceled.
func (w *world) ended(run uuid.UUID) *runtime.Turn {
	at := time.Now().UTC().Truncate(time.Microsecond)
	e := event.Event{Seq: 2, At: at, Type: "RunCanceled", Data: json.RawMessage(`{}`)}
	e.Hash = event.Chain([32]byte{}, &e)
	return &runtime.Turn{
		At: at, Epoch: w.epoch, Events: []runtime.EventRow{{Run: run, Event: e}},
		Changed: []runtime.RunChange{{Run: run, RunState: runtime.RunState{Status: runtime.StatusCanceled, Seq: 2, EndedAt: at}}},
	}
}

// TestWhatComesLateIntoADeletedWorkspaceIsFound: a start that was let in before
// commits after the workspace is gone.
func TestWhatComesLateIntoADeletedWorkspaceIsFound(t *testing.T) {
	t.Parallel()
	w := newWorld(t, choiceFile)
	ctx := t.Context()
	accounts := pg.NewAccounts(w.db.Pool())
	if err := accounts.DeleteWorkspace(ctx, "main", time.Now()); err != nil {
		t.Fatal(err)
	}
	over, open := w.began("main", true), w.began("main", false)
	for _, turn := range []*runtime.Turn{over, open} {
		if err := w.store.Commit(ctx, turn); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.store.ClaimStart(ctx, "main", "t", "key", uuid.Must(uuid.NewV7())); err != nil {
		t.Fatal(err)
	}
	late, n, err := accounts.SweepDeleted(ctx, time.Now())
	if want := []pg.Straggler{{Workspace: "main", Run: open.New[0].Run}}; err != nil || n != 0 || !slices.Equal(late, want) {
		t.Fatalf("%v, %d rows, %v; want %v and nothing deleted while a run is open", late, n, err, want)
	}
	if err := w.store.Commit(ctx, w.ended(open.New[0].Run)); err != nil {
		t.Fatal(err)
	}
	if late, n, err = accounts.SweepDeleted(ctx, time.Now()); err != nil || len(late) > 0 || n != 4 {
		t.Errorf("%v, %d rows, %v; want two runs with their three events, and a key", late, n, err)
	}
	w.nothingLeft(t)
	// A run that nobody could end goes as it is, however late it is seen.
	if err := w.store.Commit(ctx, w.began("main", false)); err != nil {
		t.Fatal(err)
	}
	if late, n, err = accounts.SweepDeleted(ctx, time.Now().AddDate(0, 1, 0)); err != nil || len(late) > 0 || n != 1 {
		t.Errorf("%v, %d rows, %v; want the event of a run that nobody ended", late, n, err)
	}
	w.nothingLeft(t)
	if _, n, err = accounts.SweepDeleted(ctx, time.Now()); err != nil || n != 0 {
		t.Errorf("the second time %d rows, %v", n, err)
	}
}

// TestAWorkspaceIsDeletedWhileRunsBegin does both at once, many times: either it
// is refused and everything is as it was, or nothing is left in the end.
func TestAWorkspaceIsDeletedWhileRunsBegin(t *testing.T) {
	t.Parallel()
	w := newWorld(t, choiceFile)
	ctx := t.Context()
	accounts := pg.NewAccounts(w.db.Pool())
	deleted := 0
	for round := range 60 {
		id := "w" + strconv.Itoa(round)
		w.exec(t, `insert into workspaces (id, name, created_at) values ($1, $1, now())`, id)
		w.exec(t, `insert into snippets (workspace_id, id, name, about, graph, created_by, created_at) values ($1, gen_random_uuid(), 'kept', '', '{}', gen_random_uuid(), now())`, id)
		var both sync.WaitGroup
		both.Go(func() {
			for n := range 4 {
				if err := w.store.Commit(ctx, w.began(id, n%2 == round%2)); err != nil {
					t.Error(err)
				}
			}
		})
		err := accounts.DeleteWorkspace(ctx, id, time.Now())
		both.Wait()
		var open *account.ErrRunsOpen
		if errors.As(err, &open) {
			if n := w.count(t, `select count(*) from runs where workspace_id = $1`, id); n != 4 {
				t.Errorf("%s: %d of 4 runs are there after the deletion was refused", id, n)
			}
			if n := w.count(t, `select count(*) from snippets where workspace_id = $1`, id); n != 1 {
				t.Errorf("%s lost a snippet though its deletion was refused", id)
			}
			w.exec(t, `update runs set ended_at = now() where workspace_id = $1`, id)
			err = accounts.DeleteWorkspace(ctx, id, time.Now())
		} else {
			deleted++
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d of 60 were deleted while runs began", deleted)
	late, _, err := accounts.SweepDeleted(ctx, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range late {
		if err := w.store.Commit(ctx, w.ended(s.Run)); err != nil {
			t.Fatal(err)
		}
	}
	if late, _, err = accounts.SweepDeleted(ctx, time.Now()); err != nil || len(late) > 0 {
		t.Errorf("%v, %v after the runs were ended", late, err)
	}
	if err := accounts.DeleteWorkspace(ctx, "main", time.Now()); err != nil {
		t.Fatal(err)
	}
	w.nothingLeft(t)
}
