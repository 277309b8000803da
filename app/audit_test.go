package app_test

import (
	"encoding/json"
	"strings"
	"testing"

	"signalbox/app"
	"signalbox/engine/local/postgres/postgrestest"
	"signalbox/engine/pg"
)

func TestAuditCommand(t *testing.T) {
	t.Parallel()
	db, err := pg.Open(t.Context(), postgrestest.Open(t))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	env := func(k string) string {
		return map[string]string{"DATABASE_URL": db.Pool().Config().ConnString()}[k]
	}
	audit := func(args ...string) (int, string) {
		var out strings.Builder
		return app.Audit(t.Context(), args, env, &out, &out), out.String()
	}
	if code, text := audit(); code != 0 || strings.Count(text, "holds\n") != 12 || strings.Contains(text, "BROKEN") {
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
