package pg_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"signalbox/engine/event"
	"signalbox/engine/insight"
	"signalbox/engine/machine"
	"signalbox/engine/pg"
	"signalbox/engine/runtime"
)

// write commits notes, each under an event of its own.
func (w *world) write(t *testing.T, notes ...runtime.Note) {
	t.Helper()
	turn := runtime.Turn{Epoch: w.epoch, At: time.Now()}
	for i := range notes {
		n := &notes[i]
		n.Run, n.Seq, n.Workspace, n.Node = uuid.Must(uuid.NewV7()), 1, "main", "n"
		if n.Workflow == uuid.Nil {
			n.Workflow, n.Version = w.workflow, w.version
		}
		e := event.Event{Seq: 1, At: n.At, Type: "RunPaused", Data: json.RawMessage(`{}`)}
		e.Hash = event.Chain([32]byte{}, &e)
		turn.Events = append(turn.Events, runtime.EventRow{Run: n.Run, Event: e})
	}
	turn.Notes = notes
	if err := w.store.Commit(context.Background(), &turn); err != nil {
		t.Fatal(err)
	}
}

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

func after(s int) time.Time { return noon.Add(time.Duration(s) * time.Second) }

func asJSON(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(raw)
}

func TestMetricsAreAddedUp(t *testing.T) {
	t.Parallel()
	w, ctx := newWorld(t, oneTask), context.Background()
	b := pg.NewBoards(w.db.Pool())
	span := insight.Span{From: noon, To: after(30), Tier: 10, Step: 10}
	point := func(s int, name, typ string, v float64, country string) runtime.Note {
		p := &machine.Point{Name: name, Type: typ, Value: v}
		if country != "" {
			p.Labels = map[string]string{"country": country}
		}
		return runtime.Note{At: after(s), Point: p}
	}
	w.write(t,
		point(0, "paid", "counter", 2, "NO"), point(9, "paid", "counter", 3, "NO"), point(20, "paid", "counter", 5, "NO"), point(1, "paid", "counter", 7, "SE"),
		point(1, "level", "gauge", 9, ""), point(3, "level", "gauge", 4, ""),
		point(10, "basket", "histogram", 1, ""), point(11, "basket", "histogram", 2, ""), point(12, "basket", "histogram", 10, ""),
		point(-1, "paid", "counter", 100, "NO"), point(30, "paid", "counter", 100, "NO"),
	)
	other := point(5, "paid", "counter", 50, "NO")
	other.Workflow, other.Version = uuid.New(), uuid.New()
	w.write(t, other)
	got, err := b.Metrics(ctx, "main", w.workflow, span)
	if err != nil {
		t.Fatal(err)
	}
	want := `[{"name":"basket","type":"histogram","series":[{"labels":{},"n":[null,3,null],"total":[null,13,null],"p50":[null,2,null],"p95":[null,9.2,null],"points":3,"sum":13}]},` +
		`{"name":"level","type":"gauge","series":[{"labels":{},"n":[2,null,null],"total":[13,null,null],"last":[4,null,null],"points":2,"sum":13}]},` +
		`{"name":"paid","type":"counter","series":[{"labels":{"country":"NO"},"n":[2,null,1],"total":[5,null,5],"points":3,"sum":10},` +
		`{"labels":{"country":"SE"},"n":[1,null,null],"total":[7,null,null],"points":1,"sum":7}]}]`
	if asJSON(got) != want {
		t.Errorf("got  %s\nwant %s", asJSON(got), want)
	}
	all, err := b.Metrics(ctx, "main", uuid.Nil, span)
	if err != nil || all[2].Series[0].Sum != 60 {
		t.Errorf("of all workflows: %s %v", asJSON(all), err)
	}
	if none, err := b.Metrics(ctx, "other", uuid.Nil, span); err != nil || len(none) != 0 {
		t.Errorf("another workspace sees %s %v", asJSON(none), err)
	}
}

func TestSeriesBeyondTheLimitAreAddedUp(t *testing.T) {
	t.Parallel()
	w := newWorld(t, oneTask)
	var notes []runtime.Note
	for i := range insight.DrawnMax + 3 {
		for range 20 - i { // the first ones have the most points
			for _, typ := range []string{"counter", "gauge"} {
				notes = append(notes, runtime.Note{At: after(1), Point: &machine.Point{Name: typ, Type: typ, Value: 1, Labels: map[string]string{"i": string(rune('a' + i))}}})
			}
		}
	}
	w.write(t, notes...)
	got, err := pg.NewBoards(w.db.Pool()).Metrics(context.Background(), "main", uuid.Nil, insight.Span{From: noon, To: after(10), Tier: 10, Step: 10})
	if err != nil {
		t.Fatal(err)
	}
	last := got[0].Series[len(got[0].Series)-1]
	if len(got[0].Series) != insight.DrawnMax+1 || !last.Rest || last.Points != 8+7+6 || last.Total[0] != 21 || got[0].More != 3 {
		t.Errorf("counter: %s", asJSON(got[0]))
	}
	if len(got[1].Series) != insight.DrawnMax || got[1].More != 3 {
		t.Errorf("gauge: %s", asJSON(got[1]))
	}
}

func TestTruthsFindTheirPredictions(t *testing.T) {
	t.Parallel()
	w, ctx := newWorld(t, oneTask), context.Background()
	b := pg.NewBoards(w.db.Pool())
	say := func(s int, says, decision, value string) runtime.Note {
		return runtime.Note{At: after(s), Said: &machine.Statement{Name: "label", Says: says, Decision: decision, Value: value}}
	}
	early := insight.Truth{Name: "label", Decision: "d1", Value: "spam", At: after(0)}
	if n, err := b.TellTruths(ctx, "main", []insight.Truth{early}); err != nil || n != 0 {
		t.Fatalf("%d %v", n, err)
	}
	w.write(t, say(1, "prediction", "d1", "spam"), say(2, "prediction", "d2", "spam"), say(3, "prediction", "d3", "ham"), say(4, "truth", "d3", "spam"))
	n, err := b.TellTruths(ctx, "main", []insight.Truth{
		{Name: "label", Decision: "d2", Value: "spam", At: after(20)}, {Name: "label", Decision: "d2", Value: "ham", At: after(20)}, // the second word counts
		{Name: "label", Decision: "nobody", Value: "ham", At: after(20)},
	})
	if err != nil || n != 1 {
		t.Errorf("%d decisions were predicted, want 1: %v", n, err)
	}
	if n, err := b.TellTruths(ctx, "other", []insight.Truth{{Name: "label", Decision: "d1", Value: "ham", At: after(20)}}); err != nil || n != 0 {
		t.Errorf("another workspace: %d %v", n, err)
	}
	list, err := b.Verdicts(ctx, "main", w.workflow, insight.Span{From: noon, To: after(10), Tier: 10, Step: 10})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]int64{}
	for _, v := range list {
		got[v.Predicted+"/"+v.Truth] += v.N
	}
	if diff := cmp.Diff(map[string]int64{"spam/spam": 1, "spam/ham": 1, "ham/spam": 1}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestRollupsAreReplaced writes rows twice, the second time with more, and
// reads those of a workflow, of the workspace and of the infrastructure.
func TestRollupsAreReplaced(t *testing.T) {
	t.Parallel()
	w, ctx := newWorld(t, oneTask), context.Background()
	b := pg.NewBoards(w.db.Pool())
	server := uuid.New()
	row := func(workspace string, workflow uuid.UUID, measure string, n int64) insight.Row {
		return insight.Row{Key: insight.Key{Workspace: workspace, Workflow: workflow, Measure: measure, Label: "x\x00"}, Step: 10, At: noon, Server: server, Sum: insight.Sum{N: n, Total: 2, High: 1.5, Spread: insight.Spread{}.Put(1.5)}}
	}
	rows := []insight.Row{row("main", w.workflow, insight.RunTime, 1), row("main", uuid.Nil, insight.RunTime, 1), row("", uuid.Nil, insight.Turn, 1), row("", uuid.Nil, insight.Covered, 9)}
	for range 2 {
		if err := w.store.SaveRollups(ctx, rows); err != nil {
			t.Fatal(err)
		}
		for i := range rows {
			rows[i].N++
		}
	}
	span := insight.Span{From: noon, To: after(10), Tier: 10, Step: 10}
	for _, c := range []struct {
		workspace string
		workflow  uuid.UUID
		want      map[string]int64
	}{
		{"main", w.workflow, map[string]int64{"run.time": 2, "covered": 10}},
		{"main", uuid.Nil, map[string]int64{"run.time": 2, "covered": 10}},
		{"main", uuid.New(), map[string]int64{"covered": 10}},
		{"", uuid.Nil, map[string]int64{"turn": 2, "covered": 10}},
		{"other", w.workflow, map[string]int64{"covered": 10}},
	} {
		list, err := b.Rollups(ctx, c.workspace, c.workflow, span)
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]int64{}
		for _, r := range list {
			got[r.Measure] += r.N
			if r.Label != "x" || r.High != 1.5 || len(r.Spread) != 1 || r.Server != server || !r.At.Equal(noon) {
				t.Errorf("%+v", r)
			}
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%q %s (-want +got):\n%s", c.workspace, c.workflow, diff)
		}
	}
	for step, want := range map[int]int{60: 0, 10: 3} {
		if n, err := w.store.ForgetRollups(ctx, step, after(1), 3); err != nil || n != want {
			t.Errorf("forgot %d rows of %d s, want %d: %v", n, step, want, err)
		}
	}
	if n := w.count(t, `select count(*) from rollups`); n != 1 {
		t.Errorf("%d rows are left, want 1", n)
	}
}

func TestOldNotesAreForgotten(t *testing.T) {
	t.Parallel()
	w, ctx := newWorld(t, oneTask), context.Background()
	w.write(t, w.notes(uuid.New(), noon)...)
	w.write(t, runtime.Note{At: after(100), Point: &machine.Point{Name: "paid", Type: "counter", Value: 1}})
	for n := 1; n > 0; {
		var err error
		if n, err = w.store.ForgetNotes(ctx, after(50), 1); err != nil {
			t.Fatal(err)
		}
	}
	for table, want := range map[string]int{"metric_points": 1, "predictions": 0, "truths": 0} {
		if n := w.count(t, `select count(*) from `+table); n != want {
			t.Errorf("%d rows are left in %s, want %d", n, table, want)
		}
	}
}

func TestMarksArePublications(t *testing.T) {
	t.Parallel()
	w, ctx := newWorld(t, oneTask), context.Background()
	b, now := pg.NewBoards(w.db.Pool()), time.Now().UTC()
	span := insight.Span{From: now.Add(-time.Hour), To: now.Add(time.Hour), Step: 10}
	other, _ := w.publish(t, "Other", oneTask)
	all, err := b.Marks(ctx, "main", uuid.Nil, span)
	if err != nil || len(all) != 2 {
		t.Fatalf("%+v %v", all, err)
	}
	one, err := b.Marks(ctx, "main", other, span)
	if err != nil || len(one) != 1 || one[0].Name != "Other" || one[0].Version != 1 || one[0].What != "publish" {
		t.Errorf("%+v %v", one, err)
	}
	numbers, err := b.VersionNumbers(ctx, "main", []uuid.UUID{w.version, uuid.New()})
	if err != nil || len(numbers) != 1 || numbers[w.version] != 1 {
		t.Errorf("%v %v", numbers, err)
	}
}
