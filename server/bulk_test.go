package server_test

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"signalbox/engine/account"
)

type bulkJob struct {
	ID, State            string
	Total, Done, Skipped int
	Results              []struct{ Run, State, Reason, New_Run string }
}

// worked works the jobs off until one is over, and returns it.
func (w *world) worked(t *testing.T, b *browser, id string) (j bulkJob) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error)
	go func() { done <- w.bulk.Run(ctx) }()
	defer func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	}()
	for range 1_000 {
		b.get("/api/bulk/"+id).must(t, http.StatusOK).into(t, &j)
		if j.State != "working" {
			return j
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("the job does not end: %+v", j)
	return j
}

// Many runs are acted on as a job: what was done, what was skipped and why; it
// waits for a server, and asks each time whether the person still may.
func TestActsOnManyRuns(t *testing.T) {
	t.Parallel()
	w := live(t)
	owner, operator, viewer, stranger := w.member("main", account.Owner), w.member("main", account.Operator), w.member("main", account.Viewer), w.member("other", account.Owner)
	id := owner.drawn(t, `{"signalbox":1,"name":"Wait","nodes":[{"id":"s","key":"start","kind":"manual"},{"id":"w","key":"rest","kind":"wait","config":{"duration":"1h"}}],
	 "edges":[{"id":"1","from":"s","port":"success","to":"w"}],"layout":{}}`)
	var runs []string
	for range 6 {
		var started struct{ Run struct{ ID string } }
		owner.json("POST", "/api/workflows/"+id+"/runs", `{}`).must(t, http.StatusAccepted).into(t, &started)
		runs = append(runs, started.Run.ID)
	}
	var counted struct {
		Count  int
		More   bool
		Status map[string]int
	}
	operator.json("POST", "/api/bulk/preview", map[string]any{"filter": map[string]string{}, "workflow": id}).must(t, http.StatusOK).into(t, &counted)
	if counted.Count != 6 || counted.More || counted.Status["running"]+counted.Status["waiting"] != 6 {
		t.Errorf("%+v", counted)
	}
	start := func(b *browser, body map[string]any) string {
		var j bulkJob
		b.json("POST", "/api/bulk", body).must(t, http.StatusAccepted).into(t, &j)
		return j.ID
	}
	gone := uuid.NewString()
	j := w.worked(t, viewer, start(operator, map[string]any{"act": "cancel", "ids": []string{runs[0], runs[1], runs[1], gone}}))
	if j.State != "done" || j.Total != 3 || j.Done != 2 || j.Skipped != 1 || j.Results[0].Run != gone || j.Results[0].Reason != "There is no such run." {
		t.Errorf("%+v", j)
	}
	j = w.worked(t, operator, start(operator, map[string]any{"act": "cancel", "filter": map[string]string{}, "workflow": id}))
	if j.Total != 6 || j.Done != 4 || j.Skipped != 2 || j.Results[0].Reason != "The run is over already." {
		t.Errorf("%+v", j)
	}
	// Labels are found again, and taken away.
	w.worked(t, operator, start(operator, map[string]any{"act": "label", "word": " looked  at ", "ids": runs[:2]}))
	operator.json("POST", "/api/bulk/preview", map[string]any{"filter": map[string]string{"label": "looked at"}}).must(t, http.StatusOK).into(t, &counted)
	if counted.Count != 2 {
		t.Errorf("%d runs have the label", counted.Count)
	}
	contains(t, viewer.get("/api/runs/"+runs[0]).text, `"labels":["looked at"]`)
	j = w.worked(t, operator, start(operator, map[string]any{"act": "unlabel", "word": "looked at", "ids": runs[:3]}))
	if j.Done != 2 || j.Skipped != 1 {
		t.Errorf("%+v", j)
	}
	for act, reason := range map[string]string{"pause": "The run is paused already, or over.", "resume": "The run is not paused.", "retry": "The run has not failed.", "discard": "The run has no open dead letter."} {
		j = w.worked(t, operator, start(operator, map[string]any{"act": act, "ids": runs[:1]}))
		if j.Skipped != 1 || j.Results[0].Reason != reason {
			t.Errorf("%s: %+v", act, j)
		}
	}
	// Who loses the right meanwhile, does no more of it; what is stopped, stays.
	late := start(operator, map[string]any{"act": "label", "word": "late", "ids": runs})
	stopped := start(operator, map[string]any{"act": "label", "word": "stopped", "ids": runs})
	if _, err := w.pool.Exec(t.Context(), `update members set role = 'viewer' where role = 'operator'`); err != nil {
		t.Fatal(err)
	}
	owner.json("POST", "/api/bulk/"+stopped+"/stop", `{}`).must(t, http.StatusNoContent)
	owner.json("POST", "/api/bulk/"+stopped+"/stop", `{}`).must(t, http.StatusConflict)
	if j := w.worked(t, owner, late); j.Done != 0 || j.Skipped != 6 || j.Results[0].Reason != "Whoever began this may not do it any more." {
		t.Errorf("%+v", j)
	}
	if j := w.worked(t, owner, stopped); j.State != "stopped" || j.Done+j.Skipped != 0 {
		t.Errorf("%+v", j)
	}
	viewer.json("POST", "/api/bulk", map[string]any{"act": "cancel", "ids": runs}).must(t, http.StatusForbidden)
	stranger.get("/api/bulk/"+late).must(t, http.StatusNotFound)
	for _, body := range []map[string]any{
		{"act": "cancel"}, {"act": "cancel", "ids": runs, "filter": map[string]string{}}, {"act": "eat", "ids": runs},
		{"act": "label", "ids": runs}, {"act": "cancel", "filter": map[string]string{"color": "red"}}, {"act": "cancel", "filter": map[string]string{"status": "sleepy"}},
	} {
		owner.json("POST", "/api/bulk", body).must(t, http.StatusUnprocessableEntity)
	}
	contains(t, owner.get("/api/audit?action=run.bulk").text, "label late: 6 chosen")
	for page, said := range map[string]string{"/api/audit?action=run.bulk": `cancel: {\"workflow\":\"Tale\"}`, "/settings/audit?action=run.bulk": "Cancel: Workflow: Tale"} {
		contains(t, owner.get(page).text, said)
	}
}

// A job that a server left is taken up by another one when the lease is over,
// and each run is counted once.
func TestAJobOutlivesItsServer(t *testing.T) {
	t.Parallel()
	w := live(t)
	owner := w.member("main", account.Owner)
	id := owner.drawn(t, tale("yes", "5"))
	var runs []string
	for i := range 5 {
		runs = append(runs, owner.ran(t, id, fmt.Sprintf(`{"n":%d}`, i)))
	}
	var j bulkJob
	owner.json("POST", "/api/bulk", map[string]any{"act": "case", "word": "Small", "ids": runs}).must(t, http.StatusAccepted).into(t, &j)
	// A server took it, kept two of the runs, and died.
	if _, err := w.pool.Exec(t.Context(), `update bulk_jobs set lease_until = $1, done = 2 where id = $2`, w.clock.now().Add(time.Minute), j.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := w.pool.Exec(t.Context(), `update bulk_runs set state = 'done' where job_id = $1 and run_id = any($2)`, j.ID, runs[:2]); err != nil {
		t.Fatal(err)
	}
	w.clock.advance(2 * time.Minute)
	got := w.worked(t, owner, j.ID)
	if got.State != "done" || got.Done != 5 || got.Skipped != 0 {
		t.Errorf("%+v", got)
	}
	var cases struct{ Cases []struct{ Run string } }
	owner.get("/api/workflows/"+id+"/cases").must(t, http.StatusOK).into(t, &cases)
	var kept []string
	for _, c := range cases.Cases {
		kept = append(kept, c.Run)
	}
	if d := cmp.Diff(3, len(kept)); d != "" {
		t.Error(d, kept)
	}
}
