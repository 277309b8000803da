package pg_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"signalbox/engine/draft"
	"signalbox/engine/history"
	"signalbox/engine/machine"
	"signalbox/engine/problem"
	"signalbox/engine/runtime"
)

const (
	chainFile = `{"signalbox":1,"nodes":[
 {"id":"s","key":"start","kind":"manual"},
 {"id":"a","key":"a","kind":"mock","config":{"answer":1}},
 {"id":"b","key":"b","kind":"mock","config":{"answer":1}}],
 "edges":[{"id":"1","from":"s","port":"success","to":"a"},{"id":"2","from":"a","port":"success","to":"b"}],"layout":{}}`
	forkFile = `{"signalbox":1,"nodes":[
 {"id":"s","key":"start","kind":"manual"},
 {"id":"a","key":"a","kind":"mock","config":{"answer":1}},
 {"id":"b","key":"b","kind":"mock","config":{"answer":1}}],
 "edges":[{"id":"1","from":"s","port":"success","to":"a"},{"id":"2","from":"s","port":"success","to":"b"}],"layout":{}}`
	choiceFile = `{"signalbox":1,"nodes":[
 {"id":"s","key":"start","kind":"manual"},
 {"id":"i","key":"urgent","kind":"if","config":{"condition":"input.n > 5"}},
 {"id":"a","key":"a","kind":"mock","config":{"answer":1}},
 {"id":"e","key":"over","kind":"end"}],
 "edges":[{"id":"1","from":"s","port":"success","to":"i"},{"id":"2","from":"i","port":"true","to":"a"},{"id":"3","from":"i","port":"false","to":"e"}],"layout":{}}`
)

func TestRuns(t *testing.T) {
	t.Parallel()
	w := newWorld(t, chainFile)
	ctx := context.Background()
	other := uuid.Must(uuid.NewV7())
	var ids []uuid.UUID // the newest first
	for i := range 5 {
		id := uuid.Must(uuid.NewV7())
		ids = append([]uuid.UUID{id}, ids...)
		w.play(t, id, `{}`, func(node string, visit int) json.RawMessage {
			if i == 2 {
				return nil
			}
			return echo(node, visit)
		})
	}
	for name, c := range map[string]struct {
		query history.Query
		want  []uuid.UUID
	}{
		"all":               {history.Query{}, ids},
		"of the workflow":   {history.Query{Workflow: w.workflow}, ids},
		"of another":        {history.Query{Workflow: other}, nil},
		"failed":            {history.Query{Status: runtime.StatusFailed}, ids[2:3]},
		"the first two":     {history.Query{Limit: 2}, ids[:2]},
		"the two behind":    {history.Query{Limit: 2, After: ids[1]}, ids[2:4]},
		"the rest":          {history.Query{Workflow: w.workflow, After: ids[3]}, ids[4:]},
		"behind the oldest": {history.Query{After: ids[4]}, nil},
	} {
		list, err := w.history.Runs(ctx, "main", c.query)
		if err != nil {
			t.Fatal(err)
		}
		var got []uuid.UUID
		for _, r := range list {
			got = append(got, r.ID)
		}
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
	if list, err := w.history.Runs(ctx, "other", history.Query{}); err != nil || len(list) > 0 {
		t.Errorf("another workspace sees %d runs, %v", len(list), err)
	}
	r, err := w.history.Run(ctx, "main", ids[2])
	if err != nil {
		t.Fatal(err)
	}
	if r.WorkflowName != "Orders" || r.VersionNumber != 1 || r.Status != "failed" || r.Error == "" || r.Seq < 4 || r.EndedAt.IsZero() || string(r.Attributes) != `{"type":"text/plain"}` {
		t.Errorf("got %+v", r)
	}
}

func TestForeignRunIsNotThere(t *testing.T) {
	t.Parallel()
	w := newWorld(t, chainFile)
	ctx, id := context.Background(), uuid.Must(uuid.NewV7())
	w.play(t, id, `{}`, echo)
	for name, read := range map[string]func(workspace string, run uuid.UUID) error{
		"run":    func(ws string, run uuid.UUID) error { _, err := w.history.Run(ctx, ws, run); return err },
		"exists": func(ws string, run uuid.UUID) error { return w.history.Exists(ctx, ws, run) },
		"briefs": func(ws string, run uuid.UUID) error { _, err := w.history.Briefs(ctx, ws, run, 0, 10); return err },
		"event":  func(ws string, run uuid.UUID) error { _, err := w.history.Event(ctx, ws, run, 1); return err },
		"result": func(ws string, run uuid.UUID) error { _, err := w.history.Result(ctx, ws, run); return err },
	} {
		if err := read("main", id); err != nil {
			t.Errorf("%s of one's own: %v", name, err)
		}
		for _, err := range []error{read("other", id), read("main", uuid.New())} {
			var p *problem.Problem
			if !errors.As(err, &p) || p.Code != problem.NotFound {
				t.Errorf("%s of another: %v, want not found", name, err)
			}
		}
	}
}

func TestEvents(t *testing.T) {
	t.Parallel()
	w := newWorld(t, chainFile)
	ctx, id := context.Background(), uuid.Must(uuid.NewV7())
	state := w.play(t, id, `{"n":1}`, sized(100_000))
	var types []string
	for after := 0; ; {
		page, err := w.history.Briefs(ctx, "main", id, after, 2)
		if err != nil {
			t.Fatal(err)
		}
		if len(page) == 0 {
			break
		}
		for _, b := range page {
			if after++; b.Seq != after {
				t.Fatalf("event %d where %d should be", b.Seq, after)
			}
			types = append(types, b.Type)
		}
	}
	if got := strings.Join(types, " "); got != "RunStarted TaskScheduled TaskCompleted TaskScheduled TaskCompleted RunSucceeded" || len(types) != state.Seq {
		t.Errorf("got %s", got)
	}
	e, err := w.history.Event(ctx, "main", id, 3)
	if err != nil {
		t.Fatal(err)
	}
	var data struct{ Output string }
	if err := json.Unmarshal(e.Data, &data); err != nil || len(data.Output) != 100_000-2 {
		t.Errorf("the large output has %d characters, %v", len(data.Output), err)
	}
	if _, err := w.history.Event(ctx, "main", id, 99); err == nil {
		t.Error("event 99 of 6 is there")
	}
}

func TestResult(t *testing.T) {
	t.Parallel()
	w := newWorld(t, chainFile)
	fail := func(string, int) json.RawMessage { return nil }
	for name, c := range map[string]struct {
		file, input string
		answer      func(string, int) json.RawMessage
		want        string
	}{
		"of the last node":             {chainFile, `{}`, echo, `{"from":"b","visit":1}`},
		"of two ends":                  {forkFile, `{}`, echo, `{"a":{"from":"a","visit":1},"b":{"from":"b","visit":1}}`},
		"that was passed on":           {choiceFile, `{"n":1}`, echo, `{"n":1}`},
		"of the branch that was taken": {choiceFile, `{"n":9}`, echo, `{"from":"a","visit":1}`},
		"of a run that failed":         {chainFile, `{}`, fail, ``},
		"that looks like a reference":  {chainFile, `{}`, func(string, int) json.RawMessage { return json.RawMessage(`{"$payload":{"digest":"x"}}`) }, `{"$payload":{"digest":"x"}}`},
		"null":                         {chainFile, `{}`, func(string, int) json.RawMessage { return json.RawMessage(`null`) }, `null`},
	} {
		w.workflow, w.version = w.publish(t, name, c.file)
		id := uuid.Must(uuid.NewV7())
		w.play(t, id, c.input, c.answer)
		got, err := w.history.Result(context.Background(), "main", id)
		if err != nil || string(got) != c.want {
			t.Errorf("%s: got %s %v, want %s", name, got, err, c.want)
		}
		r, err := runtime.Rebuild(context.Background(), w.store, id)
		if err != nil {
			t.Fatal(err)
		}
		if r.State.Status != machine.StatusSucceeded {
			continue
		}
		if state, err := r.State.Result(r.Machine); err != nil || string(state) != string(got) {
			t.Errorf("%s: the state says %s %v, the events say %s", name, state, err, got)
		}
	}
}

func TestLargeResult(t *testing.T) {
	t.Parallel()
	w := newWorld(t, chainFile)
	ctx := context.Background()
	whole, much := uuid.Must(uuid.NewV7()), uuid.Must(uuid.NewV7())
	w.play(t, whole, `{}`, sized(200_000))
	w.play(t, much, `{}`, sized(5_000_000))
	if got, err := w.history.Result(ctx, "main", whole); err != nil || len(got) != 200_000 {
		t.Errorf("%d bytes came back, %v", len(got), err)
	}
	got, err := w.history.Result(ctx, "main", much)
	if err != nil || !strings.HasPrefix(string(got), `{"$payload":{"digest":`) || len(got) > 1_000 {
		t.Errorf("%d bytes came back, %v, want a reference", len(got), err)
	}
}

func TestSeen(t *testing.T) {
	t.Parallel()
	w := newWorld(t, choiceFile)
	ctx := context.Background()
	if seen, err := w.history.Seen(ctx, "main", w.workflow); err != nil || len(seen.Nodes) > 0 || seen.Trigger != nil {
		t.Errorf("nothing has run: %+v %v", seen, err)
	}
	first, second := uuid.Must(uuid.NewV7()), uuid.Must(uuid.NewV7())
	w.play(t, first, `{"n":9}`, echo)
	w.play(t, second, `{"n":1}`, echo)
	seen, err := w.history.Seen(ctx, "main", w.workflow)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{"": string(seen.Trigger)}
	for key, o := range seen.Nodes {
		got[key] = string(o.Output) + " " + map[uuid.UUID]string{first: "first", second: "second"}[o.Run]
		if o.At.IsZero() {
			t.Errorf("%s has no time", key)
		}
	}
	want := map[string]string{"": `{"n":1}`, "start": `{"n":1} second`, "urgent": `{"n":1} second`, "over": `{"n":1} second`, "a": `{"from":"a","visit":1} first`}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	traffic := []history.Way{{Node: "start", Port: "success", N: 1}, {Node: "urgent", Port: "false", N: 1}}
	if seen.Last == nil || seen.Last.Run != second || seen.Last.At.IsZero() || !slices.Equal(seen.Last.Ways, traffic) {
		t.Errorf("the last run is %+v, want %+v", seen.Last, traffic)
	}
	var passed []string
	for _, p := range seen.Passed {
		passed = append(passed, p.Node+"."+p.Port+" "+string(p.Output)+" "+map[uuid.UUID]string{first: "first", second: "second"}[p.Run])
	}
	slices.Sort(passed)
	ways := []string{
		`a.success {"from":"a","visit":1} first`, `start.success {"n":1} second`, `start.success {"n":9} first`,
		`urgent.false {"n":1} second`, `urgent.true {"n":9} first`,
	}
	for _, way := range ways {
		if !slices.Contains(passed, way) {
			t.Errorf("nothing tells of %s: %v", way, passed)
		}
	}
	if seen, err := w.history.Seen(ctx, "other", w.workflow); err != nil || len(seen.Nodes) > 0 {
		t.Errorf("another workspace sees %+v, %v", seen, err)
	}
}

func TestDayOfAWorkflow(t *testing.T) {
	t.Parallel()
	w := newWorld(t, chainFile)
	ctx := context.Background()
	for _, age := range []time.Duration{48 * time.Hour, 24*time.Hour + time.Minute, 24*time.Hour - time.Minute, time.Hour} {
		w.play(t, aged(age), `{}`, echo)
	}
	last := aged(time.Minute)
	w.play(t, last, `{}`, func(string, int) json.RawMessage { return nil })
	one, err := w.drafts.Workflow(ctx, "main", w.workflow)
	if err != nil {
		t.Fatal(err)
	}
	list, err := w.drafts.List(ctx, "main", draft.Cursor{}, 10)
	if err != nil || len(list) != 1 {
		t.Fatalf("%d workflows, %v", len(list), err)
	}
	for _, got := range []draft.Workflow{one, list[0]} {
		if got.Day.OK != 2 || got.Day.Failed != 1 || got.LastRun == nil || got.LastRun.ID != last || got.LastRun.Status != "failed" {
			t.Errorf("got %+v, last run %+v", got.Day, got.LastRun)
		}
	}
}

// A run that changes while it is read shows the status that belongs to the
// number of its last event.
func TestARunIsReadAsOfOneMoment(t *testing.T) {
	t.Parallel()
	w := newWorld(t, chainFile)
	ctx, id := t.Context(), uuid.Must(uuid.NewV7())
	if _, err := w.db.Pool().Exec(ctx, `insert into runs (id, shard, workspace_id, workflow_id, version_id, trigger, source, test, attributes, status, seq, owed, error, created_at)
		values ($1, 0, 'main', $2, $3, 'start', 'api', false, '{}', 'even', 0, false, '', now())`, id, w.workflow, w.version); err != nil {
		t.Fatal(err)
	}
	const changes = 400
	written := make(chan error, 1)
	go func() {
		var err error
		for seq := 1; seq <= changes && err == nil; seq++ {
			_, err = w.db.Pool().Exec(ctx, `with e as (insert into workflow_events (run_id, seq, at, node, type, data, hash) values ($1, $2, now(), '', 'Tick', '{}', ''))
				update runs set status = $3 where id = $1`, id, seq, []string{"even", "odd"}[seq%2])
		}
		written <- err
	}()
	for last := 0; last < changes; {
		r, err := w.history.Run(ctx, "main", id)
		if err != nil {
			t.Fatal(err)
		}
		if want := []string{"even", "odd"}[r.Seq%2]; r.Status != want || r.Seq < last {
			t.Fatalf("after event %d it is shown as %s, %d events before", r.Seq, r.Status, last)
		}
		last = r.Seq
		select {
		case err := <-written:
			if err != nil {
				t.Fatal(err)
			}
			written = nil
		default:
		}
	}
}
