package pg_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"signalbox/engine/account"
	"signalbox/engine/pg"
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
	rows, err := w.db.Pool().Query(ctx, `select c.table_name from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
		where c.column_name = 'workspace_id' and c.table_schema = 'public' and t.table_type = 'BASE TABLE' and c.table_name not in ('audit', 'audit_log')`)
	if err != nil {
		t.Fatal(err)
	}
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(tables) < 25 {
		t.Fatalf("%v %v", tables, err)
	}
	for _, table := range append(tables, "workflow_events", "snapshots") {
		var n int
		if err := w.db.Pool().QueryRow(ctx, "select count(*) from "+pgx.Identifier{table}.Sanitize()).Scan(&n); err != nil || n > 0 {
			t.Errorf("%s keeps %d rows, %v", table, n, err)
		}
	}
}
