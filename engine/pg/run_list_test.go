package pg_test

import (
	"context"
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"signalbox/engine/history"
	"signalbox/engine/runtime"
)

// listed commits runs that are over, the oldest first, and returns their ids.
func listed(t *testing.T, w *world, rows []runtime.NewRun) []uuid.UUID {
	t.Helper()
	turn := runtime.Turn{At: time.Now().UTC(), Epoch: w.epoch}
	ids := make([]uuid.UUID, len(rows))
	for i := range rows {
		r := &rows[i]
		r.Run = aged(time.Duration(len(rows)-i) * time.Hour)
		r.Workspace, r.EndedAt = "main", turn.At
		if r.Workflow == uuid.Nil {
			r.Workflow, r.Version = w.workflow, w.version
		}
		if r.Trigger == "" {
			r.Trigger = "start"
		}
		if r.Attributes == nil {
			r.Attributes = json.RawMessage("{}")
		}
		ids[i] = r.Run
	}
	turn.New = rows
	if err := w.store.Commit(context.Background(), &turn); err != nil {
		t.Fatal(err)
	}
	return ids
}

func TestFindRuns(t *testing.T) {
	t.Parallel()
	w := newWorld(t, `{"signalbox":1,"nodes":[{"id":"s","key":"start","kind":"manual"}],"edges":[],"layout":{}}`)
	other := uuid.New()
	failed := func(sentence string) runtime.RunState { return runtime.RunState{Status: "failed", Error: sentence} }
	good := runtime.RunState{Status: "succeeded"}
	ids := listed(t, w, []runtime.NewRun{
		{Source: "api", RunState: failed("The connection timed out after 30 s")},
		{Source: "webhook", RunState: good, Attributes: json.RawMessage(`{"order":"o-17","n":3}`)},
		{Source: "retry", RunState: failed("Karte „Müller“ wurde abgelehnt"), Attributes: json.RawMessage(`{"order":"o-18"}`)},
		{Source: "api", RunState: good, Trigger: "nightly", Attributes: json.RawMessage(`{"order":"o-17","odd":"\u0000"}`)},
		{Source: "api", RunState: good, Workflow: other, Version: other, Attributes: json.RawMessage(`["order=o-17"]`)},
		{Source: "api", RunState: failed("It's 100% broken: timeout_error")},
	})
	start := time.Now()
	for name, c := range map[string]struct {
		q    history.Query
		want []int // places in ids, the newest first
	}{
		"all":                       {history.Query{}, []int{5, 4, 3, 2, 1, 0}},
		"by status":                 {history.Query{Status: "failed"}, []int{5, 2, 0}},
		"by source":                 {history.Query{Source: "retry"}, []int{2}},
		"by trigger":                {history.Query{Workflow: w.workflow, Trigger: "nightly"}, []int{3}},
		"by version":                {history.Query{Version: other}, []int{4}},
		"by attribute":              {history.Query{Attribute: history.Attribute{Name: "order", Value: "o-17"}}, []int{1}},
		"by a number as attribute":  {history.Query{Attribute: history.Attribute{Name: "n", Value: "3"}}, []int{1}},
		"no such attribute":         {history.Query{Attribute: history.Attribute{Name: "order", Value: "o-99"}}, nil},
		"by a word of the error":    {history.Query{Text: "timed"}, []int{0}},
		"by the beginning of words": {history.Query{Text: "CONN time"}, []int{0}},
		"by letters of any script":  {history.Query{Text: "müller"}, []int{2}},
		"signs are no syntax":       {history.Query{Text: "100% & ' | broken:"}, []int{5}},
		"only signs are no filter":  {history.Query{Text: "%&'", Status: "failed"}, []int{5, 2, 0}},
		"no such word":              {history.Query{Text: "moon"}, nil},
		"since":                     {history.Query{From: start.Add(-150 * time.Minute)}, []int{5, 4}},
		"until":                     {history.Query{To: start.Add(-5*time.Hour - 30*time.Minute)}, []int{0}},
		"between":                   {history.Query{From: start.Add(-210 * time.Minute), To: start.Add(-150 * time.Minute)}, []int{3}},
		"before there were any":     {history.Query{To: time.Unix(-5, 0)}, nil},
		"several at once":           {history.Query{Status: "failed", Source: "api", Text: "broken"}, []int{5}},
		"behind one":                {history.Query{Status: "failed", After: ids[2]}, []int{0}},
		"a page":                    {history.Query{Limit: 2}, []int{5, 4}},
	} {
		list, err := w.history.Runs(context.Background(), "main", c.q)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var got []int
		for _, r := range list {
			got = append(got, slices.Index(ids, r.ID))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: runs %v, want %v", name, got, c.want)
		}
	}
	if list, err := w.history.Runs(context.Background(), "other", history.Query{}); err != nil || len(list) != 0 {
		t.Errorf("another workspace sees %d runs (%v)", len(list), err)
	}
}

// An attribute that many runs have is found as one that few have.
func TestFindByACommonAttribute(t *testing.T) {
	t.Parallel()
	w := newWorld(t, `{"signalbox":1,"nodes":[{"id":"s","key":"start","kind":"manual"}],"edges":[],"layout":{}}`)
	_, err := w.db.Pool().Exec(context.Background(), `insert into runs (id, shard, workspace_id, workflow_id, version_id, trigger, source, test, attributes, status, seq, owed, error, created_at)
		select gen_random_uuid(), 0, 'main', $1, $2, 'start', 'api', false, json_build_object('tier', 'gold'), 'succeeded', 1, false, '', now() from generate_series(1, 5100)`, w.workflow, w.version)
	if err != nil {
		t.Fatal(err)
	}
	q := history.Query{Attribute: history.Attribute{Name: "tier", Value: "gold"}, Limit: 51}
	seen := map[uuid.UUID]bool{}
	for range 4 {
		list, err := w.history.Runs(context.Background(), "main", q)
		if err != nil || len(list) != 51 {
			t.Fatalf("%d runs (%v)", len(list), err)
		}
		for _, r := range list {
			if seen[r.ID] {
				t.Errorf("run %s comes twice", r.ID)
			}
			seen[r.ID] = true
		}
		q.After = list[50].ID
	}
	q.Attribute.Value, q.After = "silver", uuid.Nil
	if list, err := w.history.Runs(context.Background(), "main", q); err != nil || len(list) != 0 {
		t.Errorf("%d runs (%v)", len(list), err)
	}
}
