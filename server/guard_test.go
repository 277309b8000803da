package server_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"signalbox/engine/account"
)

func TestForeignHostsAreRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ours := strings.TrimPrefix(w.http.URL, "http://")
	_, port, _ := strings.Cut(ours, ":")
	for host, want := range map[string]int{
		ours: http.StatusOK, "evil.example": http.StatusForbidden, "evil.example:" + port: http.StatusForbidden, "127.0.0.1": http.StatusForbidden,
		ours + ".evil.example": http.StatusForbidden, "localhost:" + port: http.StatusForbidden, "0.0.0.0:" + port: http.StatusForbidden,
	} {
		if got := w.browser().do("GET", "/healthz", nil, http.Header{"Host": {host}}).status; got != want {
			t.Errorf("Host %s is answered with %d instead of %d", host, got, want)
		}
	}
}

// What another site can make a browser send must change nothing.
func TestCrossOriginMatrix(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.owner()
	https := strings.Replace(w.http.URL, "http:", "https:", 1)
	for _, c := range []struct {
		name   string
		header http.Header
		ok     bool
	}{
		{"our page", http.Header{"Origin": {w.http.URL}, "Sec-Fetch-Site": {"same-origin"}}, true},
		{"our page in an old browser", http.Header{"Origin": {w.http.URL}}, true},
		{"a program", http.Header{}, true},
		{"another site", http.Header{"Origin": {"https://evil.example"}, "Sec-Fetch-Site": {"cross-site"}}, false},
		{"another site in an old browser", http.Header{"Origin": {"https://evil.example"}}, false},
		{"another port of this host", http.Header{"Origin": {"http://127.0.0.1:1"}, "Sec-Fetch-Site": {"same-site"}}, false},
		{"our host by another scheme", http.Header{"Origin": {https}}, false},
		{"a sandboxed frame", http.Header{"Origin": {"null"}, "Sec-Fetch-Site": {"cross-site"}}, false},
		{"null alone", http.Header{"Origin": {"null"}}, false},
		{"two origins", http.Header{"Origin": {w.http.URL, "https://evil.example"}}, false},
		{"another site that says same-site", http.Header{"Sec-Fetch-Site": {"same-site"}}, false},
	} {
		for _, path := range []string{"/api/workflows", "/login", "/logout"} {
			if path == "/logout" && c.ok {
				continue
			}
			res := b.do("POST", path, []byte(`{"name":"x"}`), c.header)
			if (res.status != http.StatusForbidden) != c.ok {
				t.Errorf("%s: POST %s answered %d", c.name, path, res.status)
			}
		}
	}
	if got := b.do("GET", "/api/workflows", nil, http.Header{"Origin": {"https://evil.example"}}).header; got.Get("Access-Control-Allow-Origin") != "" {
		t.Error("another site may read our answers")
	}
}

func TestEveryAnswerCarriesTheHeaders(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.owner()
	for _, path := range []string{"/", "/login", "/api/me", "/api/nothing", "/nothing", "/healthz", "/s/AAAAAAAAAAAAAAAAAAAAAAAAAA", "/settings"} {
		h := b.do("GET", path, nil, http.Header{"Accept": {"text/html"}}).header
		csp := h.Get("Content-Security-Policy")
		for _, want := range []string{"default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "base-uri 'none'", "require-trusted-types-for 'script'", "trusted-types sb"} {
			if !strings.Contains(csp, want) {
				t.Errorf("%s: the policy lacks %s", path, want)
			}
		}
		if strings.Contains(csp, "unsafe") || strings.Contains(csp, "http:") {
			t.Errorf("%s: the policy allows too much: %s", path, csp)
		}
		if h.Get("X-Content-Type-Options") != "nosniff" || h.Get("X-Request-Id") == "" {
			t.Errorf("%s: %v", path, h)
		}
		if strings.HasPrefix(path, "/s/") && (h.Get("Referrer-Policy") != "no-referrer" || h.Get("Cache-Control") != "no-store" || !strings.Contains(h.Get("X-Robots-Tag"), "noindex")) {
			t.Errorf("%s: %v", path, h)
		}
	}
	if csp := b.get("/hooks/no-such-path").header.Get("Content-Security-Policy"); !strings.Contains(csp, "sandbox") {
		t.Errorf("a webhook answers with the policy %q", csp)
	}
}

func TestLogHasNoSecrets(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.owner()
	canary := "CANARYCANARYCANARYCANARYCA"
	id := b.template("reminder")
	var sh struct{ Share struct{ URL string } }
	b.json("POST", "/api/shares", map[string]any{"target": "workflow", "id": id}).must(t, http.StatusCreated).into(t, &sh)
	token := sh.Share.URL[strings.LastIndex(sh.Share.URL, "/")+1:]
	b.get("/s/" + token)
	b.get("/s/" + canary)
	b.get("/s/" + canary + "/more")
	b.get("/setup/" + canary)
	b.get("/hooks/" + canary)
	b.get("/login?next=" + canary)
	b.json("POST", "/api/credentials", map[string]any{"name": "c", "type": "bearer", "token": canary})
	b.json("POST", "/api/credentials", map[string]any{"name": "c", "type": canary, "token": canary})
	machine := w.browser()
	machine.token = "sb_" + canary
	machine.get("/api/me")
	login(w.browser(), ownerEmail, canary)
	text := w.log.String()
	if !strings.Contains(text, "/api/credentials") {
		t.Fatal("the log has no requests")
	}
	for _, secret := range []string{canary, token, ownerPassword, ownerEmail} {
		if i := strings.Index(text, secret); i >= 0 {
			t.Errorf("the log shows a secret: %.200s", text[max(0, i-150):])
		}
	}
}

func TestMetricsAndDemoAnswerThisMachineOnly(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.browser()
	contains(t, b.get("/metrics").must(t, http.StatusOK).text, "signalbox_websockets")
	b.json("POST", "/demo/cases", `{"a":1}`).must(t, http.StatusOK)
	for _, name := range []string{"X-Forwarded-For", "Forwarded"} {
		h := http.Header{name: {"127.0.0.1"}}
		b.do("GET", "/metrics", nil, h).must(t, http.StatusNotFound)
		b.do("POST", "/demo/cases", []byte("{}"), h).must(t, http.StatusNotFound)
	}
}

func TestDemoEndpointIsRepeatable(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.browser()
	one, two := b.json("POST", "/demo/cases", `{"a":1}`), b.json("POST", "/demo/cases", `{"a":1}`)
	if one.text != two.text {
		t.Errorf("%s and %s", one.text, two.text)
	}
	contains(t, one.text, `"ticket":"T-`)
	b.json("POST", "/demo/cases", `{"a":1,"a":2}`).must(t, http.StatusUnprocessableEntity)
	b.json("POST", "/demo/cases", `"`+strings.Repeat("x", 70_000)+`"`).must(t, http.StatusRequestEntityTooLarge)
}

// A refused value must not come back: it may be a secret in the wrong field.
func TestErrorsDoNotRepeatValues(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.member("main", account.Owner)
	for _, body := range []string{
		`{"name":"c","type":"canary-secret","token":"x"}`, `{"name":"c","type":"bearer","token":["canary-secret"]}`, `{"name":"c","canary-secret":1}`,
		`{"name":"c","type":"header","header":"canary-secret bad","value":"canary-secret"}`, `canary-secret`, `{"name":"canary-secret!","type":"bearer","token":"x"}`,
	} {
		res := b.json("POST", "/api/credentials", body)
		if res.status < 400 || strings.Contains(strings.ReplaceAll(res.text, "/canary-secret", ""), "canary-secret") {
			t.Errorf("%s: %d %s", body, res.status, res.text)
		}
	}
}

// What PostgreSQL cannot take for text, or for a number, or JSON for a time, is
// the caller's fault wherever it stands in an address or a form.
func TestAddressesThatCannotBeLookedUp(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.member("main", account.Admin)
	run := w.runs.add("main").String()
	for _, address := range []string{
		"/api/audit?action=a%00b", "/api/audit?action=%ff", "/settings/audit?action=%00", "/settings/audit/export?action=%ff", "/api/audit?%00=1",
		"/api/runs?source=%00", "/api/dead-letters?class=%ff", "/api/dead-letters?node=%00", "/hooks/demo%ff",
		"/api/runs/" + run + "/events?after=2147483648", "/api/runs/" + run + "/events/9223372036854775807",
		"/api/boards/events?to=9999-12-31T23:59:59Z", "/api/boards/business?to=9999-12-31T23:59:59Z", "/api/boards/infrastructure?from=9999-12-31",
	} {
		if r := b.get(address); r.status != http.StatusUnprocessableEntity {
			t.Errorf("%s is answered by %d: %.200s", address, r.status, r.text)
		}
	}
	b.get("/api/audit?before=9223372036854775807").must(t, http.StatusOK)
	b.page("/settings/audit?before=99999999999999999999").must(t, http.StatusOK)
	b.get("/api/runs?source=%F0%9F%92%A9").must(t, http.StatusOK)
	for _, email := range []string{"a\x00b@example.org", "\xff", "ada@example.org\x00"} {
		r := w.browser().form("/login", url.Values{"email": {email}, "password": {"a long enough password"}})
		if at := r.header.Get("Location"); r.status != http.StatusSeeOther || !strings.HasPrefix(at, "/login") {
			t.Errorf("%q is answered by %d, %s", email, r.status, at)
		}
	}
}
