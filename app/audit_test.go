package app_test

import (
	"encoding/json"
	"log/slog"
	"strings"
	"testing"

	"signalbox/app"
	"signalbox/engine/pg/pgtest"
)

func TestAuditCommand(t *testing.T) {
	t.Parallel()
	db := pgtest.Open(t)
	env := func(k string) string {
		return map[string]string{"DATABASE_URL": db.Pool().Config().ConnString()}[k]
	}
	audit := func(args ...string) (int, string) {
		var out strings.Builder
		return app.Audit(t.Context(), args, env, &out, &out), out.String()
	}
	if code, text := audit(); code != 0 || strings.Count(text, "holds\n") != 13 || strings.Contains(text, "BROKEN") {
		t.Errorf("a sound database: exit %d\n%s", code, text)
	}
	if _, err := db.Pool().Exec(t.Context(), `insert into workflow_events values (gen_random_uuid(), 1, now(), '', 'RunStarted', '{}', '')`); err != nil {
		t.Fatal(err)
	}
	if code, text := audit(); code != 1 || !strings.Contains(text, "BROKEN 1 times") || !strings.Contains(text, "the run has no row") {
		t.Errorf("a corrupt database: exit %d\n%s", code, text)
	}
	code, text := audit("--json", "--since", "1h")
	var report struct {
		Violations []struct{ Rule, Run, Text string }
		Count      map[string]int
	}
	if err := json.Unmarshal([]byte(text), &report); err != nil || code != 1 || len(report.Violations) != 1 || report.Violations[0].Rule != "row" || report.Count["row"] != 1 {
		t.Errorf("as JSON: exit %d %v\n%s", code, err, text)
	}
	if code, text := audit("--since", "soon"); code != 2 {
		t.Errorf("a wrong flag: exit %d\n%s", code, text)
	}
	env = func(string) string { return "" }
	if code, text := audit("--data", t.TempDir()); code != 1 || !strings.Contains(text, "no Signalbox is running") {
		t.Errorf("nothing runs there: exit %d\n%s", code, text)
	}
}

// TestRunsOfANewerProgramStopTheStart and the audit tells of them; those that
// are over stop nobody.
func TestRunsOfANewerProgramStopTheStart(t *testing.T) {
	t.Parallel()
	db := pgtest.Open(t)
	dsn := db.Pool().Config().ConnString()
	if _, err := db.Pool().Exec(t.Context(), `insert into runs (id, shard, workspace_id, workflow_id, version_id, trigger, source, test, attributes, status, seq, owed, error, created_at, ended_at, format, semantics)
		select gen_random_uuid(), 0, 'main', gen_random_uuid(), gen_random_uuid(), 's', 'api', false, '{}', s, 0, false, '', now(), e, f, m
		from (values ('running', null::timestamptz, 1, 2), ('waiting', null, 1, 2), ('running', null, 3, 1), ('succeeded', now(), 1, 9), ('succeeded', now(), 1, 1)) v(s, e, f, m)`); err != nil {
		t.Fatal(err)
	}
	if newer, err := db.Newer(t.Context()); err != nil || len(newer) != 2 || newer[0].Semantics != 2 || newer[0].Open != 2 || newer[1].Format != 3 || newer[1].Open != 1 {
		t.Errorf("%+v %v", newer, err)
	}
	_, err := app.New(t.Context(), app.Config{Listen: "127.0.0.1:0", Data: t.TempDir(), DatabaseURL: dsn}, slog.New(slog.DiscardHandler))
	want := "the database holds 3 runs that a newer Signalbox began and that still go on:\n" +
		"  2 runs of format 1 and semantics 2\n  1 run of format 3 and semantics 1\n" +
		"This program reads formats up to 1 and executes semantics 1.\n" +
		"Start the newer program again; or let those runs end there, or cancel them there, and then start this one"
	if err == nil || err.Error() != want {
		t.Errorf("the start says\n%v\nwant\n%s", err, want)
	}
	var out strings.Builder
	code := app.Audit(t.Context(), nil, func(k string) string { return map[string]string{"DATABASE_URL": dsn}[k] }, &out, &out)
	for _, part := range []string{
		"A newer Signalbox wrote 2 runs with format 1 and semantics 2: 0 over, 2 that go on.", "1 run with format 1 and semantics 9: 1 over, 0 that go on.",
		"it goes on and has format 3 and semantics 1; this program reads formats up to 1", "known", "BROKEN 3 times",
	} {
		if code != 1 || !strings.Contains(out.String(), part) {
			t.Errorf("exit %d, %q is missing in\n%s", code, part, out.String())
		}
	}
	if _, err := db.Pool().Exec(t.Context(), `update runs set status = 'canceled', ended_at = now() where ended_at is null`); err != nil {
		t.Fatal(err)
	}
	if newer, err := db.Newer(t.Context()); err != nil || len(newer) != 0 {
		t.Errorf("runs that are over: %+v %v", newer, err)
	}
}
