package server_test

import (
	"net/http"
	"strings"
	"testing"

	"signalbox/engine/account"
)

func TestOpenAPIDescribesEveryRoute(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var doc struct {
		OpenAPI string
		Paths   map[string]map[string]struct {
			OperationID string
			Summary     string
		}
	}
	w.member("main", account.Viewer).get("/api/openapi.json").must(t, http.StatusOK).into(t, &doc)
	if !strings.HasPrefix(doc.OpenAPI, "3.1") {
		t.Errorf("version %q", doc.OpenAPI)
	}
	routes, err := w.server.Routes()
	if err != nil {
		t.Fatal(err)
	}
	ids := map[string]bool{}
	for _, r := range routes {
		if !strings.HasPrefix(r.Pattern, "/api/") || r.Pattern == "/api/openapi.json" {
			continue
		}
		op, ok := doc.Paths[r.Pattern][strings.ToLower(r.Method)]
		if !ok || op.Summary == "" || ids[op.OperationID] {
			t.Errorf("%s %s is described by %+v", r.Method, r.Pattern, op)
		}
		ids[op.OperationID] = true
	}
}

func TestAPISpeaksOneKindOfError(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.member("main", account.Editor)
	for _, c := range []struct {
		method, path, body string
		status             int
	}{
		{"GET", "/api/nothing", "", 404},
		{"DELETE", "/api/kinds", "", 405},
		{"GET", "/api/workflows/not-an-id", "", 422},
		{"GET", "/api/workflows?limit=0", "", 422},
		{"GET", "/api/workflows?limit=9999", "", 422},
		{"GET", "/api/workflows?after=x", "", 422},
		{"GET", "/api/workflows?unknown=1", "", 422},
		{"GET", "/api/runs?status=odd", "", 422},
		{"POST", "/api/workflows", "", 400},
		{"POST", "/api/tokens", `{"name":"","role":"viewer"}`, 422},
		{"POST", "/api/tokens", `{"name":"x","expires_in":"soon"}`, 422},
	} {
		res := b.json(c.method, c.path, c.body)
		var p struct {
			Title, Instance string
			Status          int
		}
		res.into(t, &p)
		if res.status != c.status || res.header.Get("Content-Type") != "application/problem+json" || p.Status != c.status || p.Title == "" || p.Instance != res.header.Get("X-Request-Id") {
			t.Errorf("%s %s: %d %s", c.method, c.path, res.status, res.text)
		}
	}
}

func TestWorkflowListPages(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.member("main", account.Editor)
	const all = 7
	for range all {
		b.template("reminder")
	}
	seen, after := map[string]bool{}, ""
	for range all {
		var page struct {
			Workflows []struct{ ID string }
			Next      string
		}
		b.get("/api/workflows?limit=3&after="+after).must(t, http.StatusOK).into(t, &page)
		for _, wf := range page.Workflows {
			if seen[wf.ID] {
				t.Errorf("%s comes twice", wf.ID)
			}
			seen[wf.ID] = true
		}
		if after = page.Next; after == "" {
			break
		}
	}
	if len(seen) != all {
		t.Errorf("%d of %d came", len(seen), all)
	}
}
