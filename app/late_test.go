package app_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"signalbox/app"
	"signalbox/engine/pg"
	"signalbox/engine/pg/pgtest"
)

func TestRunsThatComeLateIntoADeletedWorkspaceAreEnded(t *testing.T) {
	t.Parallel()
	db := pgtest.Open(t)
	accounts := pg.NewAccounts(db.Pool())
	if err := accounts.DeleteWorkspace(t.Context(), "main", time.Now()); err != nil {
		t.Fatal(err)
	}
	var runs []uuid.UUID
	for range 2 {
		id := uuid.Must(uuid.NewV7())
		runs = append(runs, id)
		if _, err := db.Pool().Exec(t.Context(), `insert into runs (id, shard, workspace_id, workflow_id, version_id, trigger, source, test, attributes, status, seq, owed, error, created_at, format, semantics)
			values ($1, 0, 'main', $1, $1, 'start', 'test', false, '{}', 'running', 0, true, '', now(), 1, 1)`, id); err != nil {
			t.Fatal(err)
		}
	}
	ended := 0
	end := func(workspace string, run uuid.UUID, reason string) error {
		if run == runs[0] {
			return errors.New("away")
		}
		if workspace != "main" || run != runs[1] || reason != "The workspace is deleted." {
			t.Errorf("%s %s is ended: %s", workspace, run, reason)
		}
		ended++
		return nil
	}
	// One that cannot be ended does not keep the others from it, and is told.
	if err := app.SweepDeleted(t.Context(), accounts, end); err == nil || !strings.Contains(err.Error(), runs[0].String()) || ended != 1 {
		t.Errorf("%d runs were ended, %v", ended, err)
	}
	if _, err := db.Pool().Exec(t.Context(), `update runs set ended_at = now()`); err != nil {
		t.Fatal(err)
	}
	if err := app.SweepDeleted(t.Context(), accounts, end); err != nil {
		t.Fatal(err)
	}
	var left int
	if err := db.Pool().QueryRow(t.Context(), `select count(*) from runs`).Scan(&left); err != nil || left != 0 || ended != 1 {
		t.Errorf("%d runs are left, %d were ended, %v", left, ended, err)
	}
}
