package server_test

import (
	"flag"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"signalbox/engine/account"
)

var update = flag.Bool("update", false, "rewrite testdata")

// path fills a pattern with ids that exist nowhere.
func path(pattern string) string {
	r := strings.NewReplacer("{id}", uuid.NewString(), "{token}", "AAAAAAAAAAAAAAAAAAAAAAAAAA", "{slug}", "no-such-name", "{seq}", "1", "{name}", "x", "{rule}", "x", "{path}", "no-such-path", "/*", "/x")
	return r.Replace(pattern)
}

// The matrix is made from the routes themselves, so that a new one is in it.
func TestEveryRouteAsksForItsRole(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	routes, err := w.server.Routes()
	if err != nil {
		t.Fatal(err)
	}
	clients := map[account.Role]*browser{}
	for _, role := range account.Roles() {
		if role != account.Guest {
			clients[role] = w.member("main", role)
		}
	}
	nobody := w.browser()
	for _, route := range routes {
		if route.Role == "" || route.Method == http.MethodHead {
			continue
		}
		name := route.Method + " " + route.Pattern
		if got := nobody.json(route.Method, path(route.Pattern), "{}").status; got != http.StatusUnauthorized && got != http.StatusSeeOther {
			t.Errorf("%s lets nobody in with %d", name, got)
		}
		for role, client := range clients {
			got := client.json(route.Method, path(route.Pattern), "{}").status
			if role.AtLeast(route.Role) == (got == http.StatusForbidden || got == http.StatusUnauthorized) {
				t.Errorf("%s needs %s and answers %s with %d", name, route.Role, role, got)
			}
		}
	}
}

// Tricks that got past the login of other programs.
func TestPathTricksDoNotGetIn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	nobody := w.browser()
	for _, p := range []string{
		"/api/workflows/", "//api/workflows", "/api//workflows", "/API/workflows", "/api/workflows;x=/healthz", "/api/workflows%2f", "/%61pi/workflows",
		"/healthz/../api/workflows", "/static/../api/workflows", "/static/%2e%2e/api/workflows", "/api/workflows?/healthz", "/api/workflows#/healthz",
		"/login/../api/workflows", "/hooks/../api/workflows", "/api/./workflows", "/api/workflows/configs",
	} {
		res := nobody.get(p)
		if res.status < 300 && p != "/healthz" {
			t.Errorf("%s answered %d: %.80s", p, res.status, res.text)
		}
	}
}

func TestWrongTokensAreAllTheSame(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	good := w.member("main", account.Viewer)
	good.get("/api/me").must(t, http.StatusOK)
	var list struct {
		Tokens []struct{ ID string }
	}
	good.get("/api/tokens").must(t, http.StatusOK).into(t, &list)
	good.do("DELETE", "/api/tokens/"+list.Tokens[0].ID, nil, nil).must(t, http.StatusNoContent)
	answers := map[string]bool{}
	for _, token := range []string{good.token, "sb_AAAAAAAAAAAAAAAAAAAAAAAAAA", "sb_", "x", strings.Repeat("s", 8000)} {
		b := w.browser()
		b.token = token
		res := b.get("/api/me").must(t, http.StatusUnauthorized)
		var p struct{ Title, Detail string }
		res.into(t, &p)
		answers[p.Title+p.Detail] = true
	}
	if len(answers) != 1 {
		t.Errorf("revoked and unknown tokens can be told apart: %v", answers)
	}
}

// A wrong token must never fall back to the session beside it.
func TestWrongTokenIsNotTheSession(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.owner()
	b.get("/api/me").must(t, http.StatusOK)
	b.token = "sb_wrong"
	b.get("/api/me").must(t, http.StatusUnauthorized)
}

func TestForeignThingsDoNotExist(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ours, theirs := w.member("main", account.Owner), w.member("other", account.Owner)
	id := ours.template("reminder")
	ours.publish(id)
	var versions struct {
		Versions []struct{ ID string }
	}
	ours.get("/api/workflows/"+id+"/versions").must(t, http.StatusOK).into(t, &versions)
	run := w.runs.add("main").String()
	var sh struct{ Share struct{ ID string } }
	ours.json("POST", "/api/shares", map[string]any{"target": "workflow", "id": id}).must(t, http.StatusCreated).into(t, &sh)
	var cred struct{ Credential struct{ ID string } }
	ours.json("POST", "/api/credentials", map[string]any{"name": "c", "type": "bearer", "token": "secret-token"}).must(t, http.StatusOK).into(t, &cred)
	var tok struct{ Token struct{ ID string } }
	ours.json("POST", "/api/tokens", map[string]any{"name": "t"}).must(t, http.StatusOK).into(t, &tok)
	batch := `{"batch":"` + uuid.NewString() + `","base":0,"ops":[{"op":"graph.set","path":"/name","value":"stolen"}]}`
	// Twice: the first one as a stranger, before anything is in memory; then
	// after the owner has opened it.
	for range 2 {
		for _, c := range []struct{ method, path, body string }{
			{"GET", "/api/workflows/" + id, ""},
			{"PATCH", "/api/workflows/" + id, `{"name":"stolen"}`},
			{"PATCH", "/api/workflows/" + id, `{"active":false}`},
			{"DELETE", "/api/workflows/" + id, ""},
			{"GET", "/api/workflows/" + id + "/draft", ""},
			{"GET", "/api/workflows/" + id + "/ops", ""},
			{"POST", "/api/workflows/" + id + "/ops", batch},
			{"PUT", "/api/workflows/" + id + "/camera", `{"x":1,"y":1,"z":1}`},
			{"POST", "/api/workflows/" + id + "/publish", `{"seq":0}`},
			{"GET", "/api/workflows/" + id + "/versions", ""},
			{"POST", "/api/workflows/" + id + "/runs", `{"version":"draft"}`},
			{"POST", "/api/workflows/" + id + "/runs", `{"version":1}`},
			{"GET", "/api/workflows/" + id + "/samples", ""},
			{"GET", "/api/workflows/" + id + "/ports", ""},
			{"GET", "/api/versions/" + versions.Versions[0].ID, ""},
			{"GET", "/api/runs/" + run, ""},
			{"GET", "/api/runs/" + run + "/events", ""},
			{"GET", "/api/runs/" + run + "/events/1", ""},
			{"POST", "/api/runs/" + run + "/cancel", "{}"},
			{"POST", "/api/shares", `{"target":"workflow","id":"` + id + `"}`},
			{"POST", "/api/shares", `{"target":"run","id":"` + run + `"}`},
			{"DELETE", "/api/shares/" + sh.Share.ID, ""},
			{"DELETE", "/api/credentials/" + cred.Credential.ID, ""},
			{"DELETE", "/api/tokens/" + tok.Token.ID, ""},
			{"GET", "/w/" + id, ""},
			{"GET", "/w/" + id + "/versions", ""},
			{"GET", "/w/" + id + "/runs", ""},
			{"GET", "/runs/" + run, ""},
		} {
			if res := theirs.json(c.method, c.path, c.body); res.status != http.StatusNotFound {
				t.Errorf("%s %s answers a stranger with %d: %.100s", c.method, c.path, res.status, res.text)
			}
		}
		ours.get("/api/workflows/"+id+"/draft").must(t, http.StatusOK)
	}
	if list := theirs.get("/api/workflows").text; strings.Contains(list, id) {
		t.Error("a list shows a foreign workflow")
	}
	for _, p := range []string{"/api/shares", "/api/credentials", "/api/tokens", "/api/runs"} {
		if text := theirs.get(p).must(t, http.StatusOK).text; strings.Contains(text, sh.Share.ID) || strings.Contains(text, cred.Credential.ID) || strings.Contains(text, tok.Token.ID) || strings.Contains(text, run) {
			t.Errorf("%s shows foreign things", p)
		}
	}
}

// TestAccessMatrix holds every route against the reviewed matrix in testdata,
// one line for each: who may use it, and what the audit log calls it. -update
// writes it anew; read the difference.
func TestAccessMatrix(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	routes, err := w.server.Routes()
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, r := range routes {
		who := "everybody"
		switch {
		case r.Loopback:
			who = "this machine"
		case r.Role != "":
			who = string(r.Role)
		}
		lines = append(lines, strings.TrimSpace(fmt.Sprintf("%-7s %-34s %-13s %-18s %s", r.Method, r.Pattern, who, r.Scope, r.Does)))
	}
	slices.Sort(lines)
	got, file := strings.Join(slices.Compact(lines), "\n")+"\n", filepath.Join("testdata", "access.txt")
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("the routes differ from the matrix (-matrix +routes):\n%s", diff)
	}
}

// What changes something is recorded, or stands here with the reason.
func TestEveryChangeIsRecorded(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	routes, err := w.server.Routes()
	if err != nil {
		t.Fatal(err)
	}
	quiet := map[string]string{
		"POST /api/workflows/{id}/rehearsal": "reading: nothing is stored",
		"POST /language":                     "one's own look",
		"PATCH /api/me":                      "one's own look",
		"POST /s/{token}/ticket":             "reading",
		"POST /p/{slug}/ticket":              "reading",
		"POST /s/{token}/sandbox":            "reading: nothing is stored",
		"POST /p/{slug}/sandbox":             "reading: nothing is stored",
		"POST /api/shares/preview":           "reading",
		"POST /api/ticket":                   "reading",
		"POST /import":                       "reading: nothing is saved",
		"POST /api/import":                   "reading: nothing is saved",
		"POST /api/expr/check":               "reading",
		"POST /api/routes/test":              "reading",
		"PUT /api/workflows/{id}/camera":     "one's own look",
		"POST /api/workflows":                "drafts have a log of their own",
		"PATCH /api/workflows/{id}":          "drafts have a log of their own",
		"POST /api/workflows/{id}/ops":       "drafts have a log of their own",
		"POST /callback/{token}":             "the answer stands in the log of its run",

		"POST /api/inbox/read":             "one's own look",
		"PUT /api/threads/{id}/read":       "one's own look",
		"POST /api/workflows/{id}/threads": "comments stay, with their author",
		"POST /api/threads/{id}/comments":  "comments stay, with their author",
		"PATCH /api/comments/{id}":         "comments say that they were edited",
		"POST /api/bulk/preview":           "reading",
		"POST /api/filters":                "one's own look, and that of the list of runs",
		"DELETE /api/filters/{id}":         "one's own look, and that of the list of runs",
		"PUT /api/filters/{id}/default":    "one's own look",
	}
	for _, r := range routes {
		name := r.Method + " " + r.Pattern
		// What a worker does stands in the log of its run, with the worker's name.
		machines := r.Loopback || r.Pattern == "/hooks/{path}" || r.Role == account.Worker
		reads := r.Method == http.MethodGet || r.Method == http.MethodHead
		if r.Does == "" && quiet[name] == "" && !reads && !machines {
			t.Errorf("%s changes something and is not recorded", name)
		}
		if r.Does != "" && quiet[name] != "" {
			t.Errorf("%s is recorded and excused", name)
		}
	}
}
