package server_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/uuid"

	"signalbox/engine/runtime/brief"
)

// page asks as a browser does.
func (b *browser) page(path string) response {
	b.w.t.Helper()
	return b.do("GET", path, nil, http.Header{"Accept": {"text/html"}})
}

// has fails the test unless the page holds all the texts.
func (r response) has(t *testing.T, texts ...string) response {
	t.Helper()
	for _, text := range texts {
		if !strings.Contains(r.text, text) {
			t.Errorf("the page lacks %q:\n%s", text, r.text)
		}
	}
	return r
}

func (r response) lacks(t *testing.T, texts ...string) response {
	t.Helper()
	for _, text := range texts {
		if strings.Contains(r.text, text) {
			t.Errorf("the page has %q", text)
		}
	}
	return r
}

// triage makes a workflow from the first template.
func (b *browser) triage() string {
	b.w.t.Helper()
	var made struct{ ID string }
	b.json("POST", "/api/workflows", map[string]string{"template": "support-ticket-triage"}).must(b.w.t, http.StatusCreated).into(b.w.t, &made)
	return made.ID
}

// testRun starts a test run of the draft and returns its id.
func (b *browser) testRun(workflow string) string {
	b.w.t.Helper()
	var started struct{ Run struct{ ID string } }
	b.json("POST", "/api/workflows/"+workflow+"/runs", map[string]any{"version": "draft", "input": map[string]string{"subject": "Secret subject"}}).
		must(b.w.t, http.StatusAccepted).into(b.w.t, &started)
	return started.Run.ID
}

func TestPagesOfAMember(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.owner()
	b.page("/").must(t, http.StatusOK).has(t, "Draw your first workflow", "Support ticket triage", `data-try="support-ticket-triage"`)
	id := b.triage()
	b.page("/").must(t, http.StatusOK).has(t, "1 workflow", `href="/w/`+id+`"`, `class="pic mini"`, "no runs")
	run := b.testRun(id)
	for path, want := range map[string]string{
		"/w/" + id:               `<script id="props" type="application/json">{"workflow":{"id":"` + id,
		"/w/" + id + "/runs":     `href="/runs/` + run,
		"/w/" + id + "/versions": "Nothing is published yet",
		"/runs":                  `href="/runs/` + run,
		"/runs/" + run:           `{"run":{"id":"` + run,
		"/settings":              "API tokens",
		"/help/keys":             "Keyboard keys",
	} {
		res := b.page(path).must(t, http.StatusOK).has(t, want, "<title>", `data-theme="system"`)
		if got := res.header.Get("Content-Type"); got != "text/html; charset=utf-8" {
			t.Errorf("%s has the type %s", path, got)
		}
	}
}

func TestGalleryFilters(t *testing.T) {
	t.Parallel()
	b := newWorld(t).owner()
	id := b.triage()
	link := `href="/w/` + id + `"`
	b.page("/?q=TICKET").has(t, link)
	b.page("/?q=nothing+like+it").has(t, "Nothing matches", `value="nothing like it"`).lacks(t, link)
	b.page("/?show=draft").has(t, link)
	b.page("/?show=published").lacks(t, link)
	b.page("/?show=failing").lacks(t, link)
}

func TestRunsFilterAndFragment(t *testing.T) {
	t.Parallel()
	b := newWorld(t).owner()
	run := b.testRun(b.triage())
	b.page("/runs?status=running").has(t, run, `href="/runs?status=running" aria-current="page"`, `href="/runs?status=failed" aria-current="false"`)
	b.page("/runs?after=nonsense").must(t, http.StatusUnprocessableEntity)
	part := b.do("GET", "/runs", nil, http.Header{"Accept": {"text/html"}, "Sb-Fragment": {"rows"}}).must(t, http.StatusOK)
	part.has(t, run, `<div id="rows"`).lacks(t, "<html", "<title>")
}

func TestThemeComesFromTheCookie(t *testing.T) {
	t.Parallel()
	b := newWorld(t).browser()
	dark := http.Header{"Accept": {"text/html"}, "Cookie": {"theme=dark; motion=less"}}
	b.do("GET", "/login", nil, dark).must(t, http.StatusOK).has(t, `data-theme="dark"`, `data-motion="less"`)
	odd := http.Header{"Accept": {"text/html"}, "Cookie": {`theme="><script>`}}
	b.do("GET", "/login", nil, odd).must(t, http.StatusOK).has(t, `data-theme="system"`)
}

func TestDoors(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	guest := w.browser()
	guest.page("/setup/never-was").must(t, http.StatusNotFound).has(t, "This link is used up")
	token, err := w.accounts.SetupLink(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	guest.page("/setup/"+token+"?error=password").must(t, http.StatusOK).has(t, `action="/setup/`+token, `minlength="10" maxlength="200" autofocus aria-invalid="true" aria-describedby="password-hint"`)
	guest.page("/login?error=wrong&next=//evil.example").must(t, http.StatusOK).has(t, "is wrong", `name="next" value="/"`)
	w.owner().page("/login").must(t, http.StatusSeeOther)
	guest.page("/nowhere").must(t, http.StatusNotFound).has(t, "Nothing is here", "404")
}

func TestMissingThingsArePages(t *testing.T) {
	t.Parallel()
	b := newWorld(t).owner()
	for _, path := range []string{"/w/not-an-id", "/w/" + uuid.NewString(), "/runs/" + uuid.NewString(), "/w/" + uuid.NewString() + "/versions", "/s/unknown"} {
		b.page(path).must(t, http.StatusNotFound).has(t, "<h1>Nothing is here</h1>")
	}
}

func TestSettingsNeverShowSecrets(t *testing.T) {
	t.Parallel()
	b := newWorld(t).owner()
	const canary = "canary-3f9a1c-value"
	b.json("POST", "/api/credentials", map[string]string{"name": "crm", "type": "bearer", "token": canary})
	var made struct{ Token struct{ Token string } }
	b.json("POST", "/api/tokens", map[string]string{"name": "deploy", "role": "viewer"}).into(t, &made)
	if made.Token.Token == "" {
		t.Fatal("the answer has no token")
	}
	b.page("/settings").must(t, http.StatusOK).has(t, "crm", "deploy").lacks(t, canary, made.Token.Token)
}

func TestSharePage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.owner()
	run := b.testRun(b.triage())
	id := uuid.MustParse(run)
	w.runs.write(id, brief.Brief{Type: "RunStarted", Trigger: "ticket", Port: "success", Visit: 1}, false)
	w.runs.write(id, brief.Brief{Type: "NodeFailed", Node: "facts", Visit: 1, Error: &brief.Error{Class: "invalid_input", Message: "canary message"}}, false)
	w.runs.write(id, brief.Brief{Type: "RunFailed", Error: &brief.Error{Class: "invalid_input", Message: "canary message"}}, false)
	var made struct{ Share struct{ URL string } }
	b.json("POST", "/api/shares", map[string]string{"target": "run", "id": run}).must(t, http.StatusCreated).into(t, &made)
	link, err := url.Parse(made.Share.URL)
	if err != nil {
		t.Fatal(err)
	}
	res := w.browser().page(link.Path).must(t, http.StatusOK)
	// All of it is there without a script.
	res.has(t, "Read only", `name="robots" content="noindex"`, `property="og:title"`, `class="pic"`, `class="n st-ok"`, `class="n st-fail"`, "Failed for good", `class="foot" x="12" y="74.5">invalid_input<`, "Collect the facts")
	res.lacks(t, "canary message", "Secret subject", "demo-ticket", "has(input.subject)", `href="/settings"`)
	if got := res.header.Get("Referrer-Policy"); got != "no-referrer" {
		t.Errorf("the referrer policy is %q", got)
	}
}
