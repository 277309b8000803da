package server_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"signalbox/engine/account"
	"signalbox/engine/event"
	"signalbox/engine/route"
	"signalbox/engine/runtime"
	"signalbox/engine/task"
)

// serveTasks opens the office of a world, with an owner that settles results.
func (w *world) serveTasks() (results chan task.Result) {
	w.t.Helper()
	results = make(chan task.Result, 10)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 2)
	go func() { done <- w.office.Run(ctx) }()
	go func() {
		done <- w.tasks.Results(ctx, 0, func(d runtime.Delivered) {
			results <- d.Result
			d.Settle()
		})
	}()
	w.t.Cleanup(func() {
		cancel()
		for range 2 {
			if err := <-done; err != nil {
				w.t.Error(err)
			}
		}
	})
	return results
}

// worker is a client with a token of the worker's role.
func (w *world) worker(workspace string) *browser {
	w.t.Helper()
	dev := w.member(workspace, account.Developer)
	var out struct {
		Token struct{ Token, Role string }
	}
	dev.json("POST", "/api/tokens", map[string]any{"name": "w", "role": "worker"}).must(w.t, http.StatusOK).into(w.t, &out)
	if out.Token.Role != "worker" {
		w.t.Fatalf("got a token of the role %s", out.Token.Role)
	}
	b := w.browser()
	b.token = out.Token.Token
	return b
}

func (w *world) external(workspace string, n int) task.Task {
	w.t.Helper()
	tk := task.Task{
		Workspace: workspace, Run: uuid.NewSHA1(uuid.Nil, fmt.Append(nil, n)).String(), Node: "resize", Visit: 1, Attempt: 1, Kind: "external",
		Queue: route.In(workspace, route.Own("resize")), Priority: task.Normal, Timeout: time.Minute, Key: "k",
		Config: event.Value{Inline: json.RawMessage(`{"type":"resize","input":{"n":1}}`)},
	}
	if err := w.tasks.Dispatch(w.t.Context(), []task.Task{tk}); err != nil {
		w.t.Fatal(err)
	}
	return tk
}

func TestAWorkerWorksOverHTTP(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	results := w.serveTasks()
	me := w.worker("main")
	me.json("POST", "/api/worker/announce", map[string]any{"worker": "w1", "types": []any{map[string]any{"name": "resize", "title": "Resize", "input": map[string]any{"type": "object"}}}}).must(t, http.StatusOK)
	w.external("main", 1)
	var taken struct {
		Tasks []struct {
			Lease string
			Input map[string]int
		}
	}
	take := map[string]any{"worker": "w1", "types": []string{"resize"}, "wait_seconds": 20}
	me.json("POST", "/api/worker/take", take).must(t, http.StatusOK).into(t, &taken)
	if len(taken.Tasks) != 1 || taken.Tasks[0].Input["n"] != 1 {
		t.Fatalf("got %+v", taken)
	}
	at := "/api/worker/leases/" + taken.Tasks[0].Lease
	contains(t, me.json("POST", at+"/heartbeat", map[string]any{"progress": "half"}).must(t, http.StatusOK).text, `"state":"held"`)
	contains(t, me.json("POST", at+"/complete", `{"ok":true}`).must(t, http.StatusOK).text, `"outcome":"committed"`)
	if r := <-results; string(r.Output) != `{"ok":true}` || r.Worker != "w1" {
		t.Errorf("got %+v", r)
	}
	viewer := w.member("main", account.Viewer)
	list := viewer.get("/api/workers").must(t, http.StatusOK).text
	contains(t, list, `"title":"Resize"`)
	contains(t, list, `"alive":1`)
	me.json("POST", "/api/worker/leave", map[string]any{"worker": "w1"}).must(t, http.StatusOK)
	contains(t, viewer.get("/api/workers").text, `"alive":0`)
	viewer.json("DELETE", "/api/workers/types/resize", "").must(t, http.StatusForbidden)
	w.member("main", account.Editor).json("DELETE", "/api/workers/types/resize", "").must(t, http.StatusNoContent)
	contains(t, viewer.get("/api/workers").text, `"types":[]`)
}

// A large result comes in pieces, so that a slow line carries each in time.
func TestAResultComesInPieces(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	results := w.serveTasks()
	me := w.worker("main")
	w.external("main", 1)
	var taken struct{ Tasks []struct{ Lease string } }
	me.json("POST", "/api/worker/take", map[string]any{"worker": "w1", "types": []string{"resize"}, "wait_seconds": 20}).must(t, http.StatusOK).into(t, &taken)
	at := "/api/worker/leases/" + taken.Tasks[0].Lease
	contains(t, me.json("POST", at+"/part?offset=0", `"ab`).must(t, http.StatusOK).text, `"state":"held"`)
	contains(t, me.json("POST", at+"/part?offset=1", `xyz"`).must(t, http.StatusOK).text, `"state":"held"`) // again, and more
	contains(t, me.json("POST", at+"/part?offset=9", `"`).must(t, http.StatusUnprocessableEntity).text, "the number of bytes sent so far")
	contains(t, me.json("POST", at+"/complete", "").must(t, http.StatusOK).text, `"outcome":"committed"`)
	if r := <-results; string(r.Output) != `"xyz"` {
		t.Errorf("got %s", r.Output)
	}
}

// Whatever a result is, the worker hears what became of it.
func TestWorkersResultsAreAnswered(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	results := w.serveTasks()
	me := w.worker("main")
	var lease string
	for name, c := range map[string]struct {
		body, want string
		failed     bool
	}{
		"not JSON": {`{"a":`, `"outcome":"refused"`, true},
		"10 MB":    {`"` + strings.Repeat("x", 10<<20) + `"`, `"outcome":"committed"`, false},
		"18 MB":    {`"` + strings.Repeat("x", 18<<20) + `"`, "too large", true},
	} {
		w.external("main", len(c.body))
		var taken struct{ Tasks []struct{ Lease string } }
		me.json("POST", "/api/worker/take", map[string]any{"worker": "w1", "types": []string{"resize"}, "wait_seconds": 20}).must(t, http.StatusOK).into(t, &taken)
		lease = taken.Tasks[0].Lease
		res := me.json("POST", "/api/worker/leases/"+lease+"/complete", c.body)
		if name == "18 MB" {
			if res.status != http.StatusRequestEntityTooLarge {
				t.Errorf("%s: %d %.200s", name, res.status, res.text)
			}
			continue
		}
		contains(t, res.must(t, http.StatusOK).text, c.want)
		if r := <-results; (r.Error != nil) != c.failed {
			t.Errorf("%s: %+v", name, r.Error)
		}
	}
	me.json("POST", "/api/worker/leases/office.unknown/complete", `1`).must(t, http.StatusNotFound)
}

func TestWorkersTokensOpenNothingElse(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	me := w.worker("main")
	routes, err := w.server.Routes()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range routes {
		if r.Role == "" || r.Role == account.Worker || r.Method == http.MethodHead {
			continue
		}
		if got := me.json(r.Method, path(r.Pattern), "{}").status; got != http.StatusForbidden {
			t.Errorf("%s %s answers a worker's token with %d", r.Method, r.Pattern, got)
		}
	}
	for _, role := range []account.Role{account.Editor, account.Operator, account.Viewer} {
		w.member("main", role).json("POST", "/api/tokens", map[string]any{"name": "w", "role": "worker"}).must(t, http.StatusForbidden)
	}
	// Who lost the role that may have code run has no workers any more, and
	// their tokens do not turn into something else.
	if _, err := w.pool.Exec(t.Context(), `update members set role = 'viewer' where role = 'developer'`); err != nil {
		t.Fatal(err)
	}
	me.json("POST", "/api/worker/take", map[string]any{"worker": "w1", "types": []string{"resize"}}).must(t, http.StatusForbidden)
	me.get("/api/workflows").must(t, http.StatusForbidden)
}

func TestAWorkerOfAnotherWorkspaceIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.serveTasks()
	me, stranger := w.worker("main"), w.worker("other")
	w.external("main", 1)
	take := map[string]any{"worker": "w1", "types": []string{"resize"}, "wait_seconds": 20}
	var taken struct{ Tasks []struct{ Lease string } }
	me.json("POST", "/api/worker/take", take).must(t, http.StatusOK).into(t, &taken)
	res := stranger.json("POST", "/api/worker/leases/"+taken.Tasks[0].Lease+"/complete", `1`).must(t, http.StatusNotFound)
	guess := stranger.json("POST", "/api/worker/leases/office.guess/complete", `1`).must(t, http.StatusNotFound)
	var a, b struct{ Detail string }
	res.into(t, &a)
	guess.into(t, &b)
	if a.Detail != b.Detail {
		t.Errorf("%q, a guess %q", a.Detail, b.Detail)
	}
	if got := <-w.refused; got != taken.Tasks[0].Lease {
		t.Errorf("refused %s", got)
	}
}

// A place where nobody works is told on the page of queues and in the API.
func TestWhereNobodyWorksIsTold(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.serveTasks()
	me, admin := w.worker("main"), w.member("main", account.Admin)
	rules := map[string]any{"rules": []any{map[string]any{
		"when": []any{map[string]any{"attribute": "location", "op": "is", "value": "shop-7"}}, "queue": "at:shop-7",
	}}, "default": "default", "revision": 0}
	admin.json("PUT", "/api/routes", rules).must(t, http.StatusOK)
	at := func() (workers int, location string) {
		t.Helper()
		var list struct {
			Queues []struct {
				Name, Location string
				Workers        *int
			}
		}
		admin.get("/api/queues").must(t, http.StatusOK).into(t, &list)
		for _, q := range list.Queues {
			if q.Name == "at:shop-7" && q.Workers != nil {
				return *q.Workers, q.Location
			}
			if q.Name == "default" && q.Workers != nil {
				t.Error("the program's own queue counts workers of one's own")
			}
		}
		return -1, ""
	}
	if n, location := at(); n != 0 || location != "shop-7" {
		t.Errorf("before: %d workers at %q", n, location)
	}
	me.json("POST", "/api/worker/announce", map[string]any{"worker": "till-1", "location": "shop-7", "steps": true}).must(t, http.StatusOK)
	if n, _ := at(); n != 1 {
		t.Errorf("after: %d workers", n)
	}
	contains(t, admin.get("/api/workers").text, `"location":"shop-7"`)
	page := admin.get("/queues").must(t, http.StatusOK).text
	contains(t, page, "Only at shop-7")
	contains(t, page, "till-1")
	bad := me.json("POST", "/api/worker/announce", map[string]any{"worker": "till-2", "location": "Shop 7", "steps": true}).must(t, http.StatusUnprocessableEntity)
	contains(t, bad.text, "/location")
	contains(t, bad.text, "for example shop-7")
}
