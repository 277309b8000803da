package server_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"signalbox/engine/account"
	"signalbox/engine/insight"
	"signalbox/engine/pg"
	"signalbox/engine/pg/pgtest"
)

// boardOf is what tests read of an answer.
type boardOf struct {
	Step    int
	Times   []int64
	Covered []*float64
	Series  []struct {
		Measure, Label string
		Version        uuid.UUID
		N, P50         []*float64
	}
	Numbers map[string]int
	Marks   []struct {
		Name    string
		Version int
	}
	Metrics   []json.RawMessage
	Decisions []struct {
		Name   string
		Scores []struct {
			Predicted, Known, Right int
			Accuracy                *float64
		}
	}
}

// TestEventBoard reads what was counted of a workflow, by version, and of all.
func TestEventBoard(t *testing.T) {
	t.Parallel()
	db := pgtest.Open(t)
	r := newRuns()
	w := newWorldOf(t, db, parts{r, r, r, r, 0})
	b := w.owner()
	id := b.template("reminder")
	b.publish(id)
	workflow := uuid.MustParse(id)
	var version uuid.UUID
	if err := w.pool.QueryRow(t.Context(), `select active_version_id from workflows where id = $1`, workflow).Scan(&version); err != nil {
		t.Fatal(err)
	}
	at := w.clock.now().UTC().Truncate(10 * time.Second).Add(-20 * time.Second)
	sum := insight.Sum{N: 3, Total: 6, High: 3, Spread: insight.Spread{}.Put(1).Put(2).Put(3)}
	row := func(workspace string, workflow, version uuid.UUID, measure string, s insight.Sum) insight.Row {
		return insight.Row{Key: insight.Key{Workspace: workspace, Workflow: workflow, Version: version, Measure: measure, Label: "failed"}, Step: 10, At: at, Server: version, Sum: s}
	}
	if err := pg.NewStore(db).SaveRollups(t.Context(), []insight.Row{
		row("main", workflow, version, insight.RunTime, sum), row("main", uuid.Nil, uuid.Nil, insight.RunTime, sum),
		row("", uuid.Nil, uuid.Nil, insight.Turn, sum), row("", uuid.Nil, uuid.Nil, insight.Covered, insight.Sum{N: 10_000, Spread: insight.Spread{0: 1000, 1: 1000}}),
	}); err != nil {
		t.Fatal(err)
	}
	var one, all, infra boardOf
	b.get("/api/boards/events?last=15m&workflow="+id).must(t, http.StatusOK).into(t, &one)
	b.get("/api/boards/events?last=15m").must(t, http.StatusOK).into(t, &all)
	b.get("/api/boards/infrastructure?from="+at.Add(-time.Hour).Format(time.RFC3339)).must(t, http.StatusOK).into(t, &infra)
	if len(one.Series) != 2 || one.Series[1].Version != version || one.Numbers[version.String()] != 1 || len(one.Marks) != 1 || one.Marks[0].Version != 1 {
		t.Errorf("%+v", one)
	}
	if len(all.Series) != 1 || all.Series[0].Measure != insight.RunTime || all.Step != 10 || len(all.Times) > insight.PointsMax {
		t.Errorf("%+v", all)
	}
	if len(infra.Series) != 1 || infra.Series[0].Measure != insight.Turn {
		t.Errorf("%+v", infra)
	}
	for i, n := range all.Series[0].N { // a number where somebody counted, and nowhere else
		if there := all.Times[i] == at.Unix(); there != (n != nil) || there != (all.Covered[i] != nil) || there && (*n != 3 || *all.Series[0].P50[i] > 3) {
			t.Errorf("%d: %v %v", i, n, all.Covered[i])
		}
	}
	if other := w.member("other", account.Owner); true {
		var none boardOf
		other.get("/api/boards/events?workflow="+id).must(t, http.StatusOK).into(t, &none)
		if len(none.Series)+len(none.Marks) > 0 {
			t.Errorf("another workspace sees %+v", none)
		}
	}
}

func TestBoardsRefuse(t *testing.T) {
	t.Parallel()
	b := newWorld(t).owner()
	for query, want := range map[string]string{
		"last=soon":               "This is not a length of time.",
		"last=10s":                "a minute or longer",
		"last=20000h":             "longer than 400 days",
		"last=1h&from=2026-01-01": "either the last so long",
		"from=yesterday":          "This is not a time.",
		"to=2020-01-01&from=2021": "This is not a time.",
		"from=2999-01-01":         "begin in the past",
		"workflow=x":              "workflow",
		"last=1h&nothing=1":       "nothing",
	} {
		for _, board := range []string{"events", "business"} {
			contains(t, b.get("/api/boards/"+board+"?"+query).must(t, http.StatusUnprocessableEntity).text, want)
		}
	}
}

// TestOutcomesAreTold tells the truth of decisions that were predicted, by a
// token, and finds it on the board and in the audit log.
func TestOutcomesAreTold(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.owner()
	at := w.clock.now().Add(-time.Minute)
	for i := range 4 {
		if _, err := w.pool.Exec(t.Context(), `insert into predictions (run_id, seq, at, workspace_id, workflow_id, version_id, node, name, decision, value) values ($1, 1, $2, 'main', $3, $3, 'n', 'label', $4, 'spam')`,
			uuid.New(), at, uuid.UUID{7}, fmt.Sprint("d", i)); err != nil {
			t.Fatal(err)
		}
	}
	var told struct{ Told, Predicted int }
	operator := w.member("main", account.Operator)
	operator.json("POST", "/api/outcomes", `{"outcomes":[{"name":"label","decision":"d0","value":"spam"},{"name":"label","decision":"d1","value":"ham"},{"name":"label","decision":"later","value":"ham"}]}`).must(t, http.StatusOK).into(t, &told)
	if told.Told != 3 || told.Predicted != 2 {
		t.Errorf("%+v", told)
	}
	var board boardOf
	b.get("/api/boards/business").must(t, http.StatusOK).into(t, &board)
	if len(board.Decisions) != 1 {
		t.Fatalf("%+v", board)
	}
	if s := board.Decisions[0].Scores[0]; s.Predicted != 4 || s.Known != 2 || s.Right != 1 || *s.Accuracy != .5 {
		t.Errorf("%+v", s)
	}
	contains(t, b.get("/api/audit?action=outcome.tell").text, `"target":"label","detail":"3"`)

	w.member("main", account.Viewer).json("POST", "/api/outcomes", `{"outcomes":[{"name":"label","decision":"d0","value":"spam"}]}`).must(t, http.StatusForbidden)
	long := strings.Repeat("x", 101)
	for body, want := range map[string]string{
		`{"outcomes":[]}`: "has 0 entries",
		`{"outcomes":[` + strings.Repeat(`{"name":"a","decision":"b","value":"c"},`, 1_000) + `{"name":"a","decision":"b","value":"c"}]}`: "has 1001 entries",
		`{"outcomes":[{"name":"a","decision":"b","value":"c"},{"name":"a","decision":"","value":"c"}]}`:                                   "/outcomes/1/decision",
		`{"outcomes":[{"name":"a","decision":"b","value":"` + long + `"}]}`:                                                               "/outcomes/0/value",
	} {
		contains(t, operator.json("POST", "/api/outcomes", body).must(t, http.StatusUnprocessableEntity).text, want)
	}
}
