package server_test

import (
	"bytes"
	"fmt"
	"image/png"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/google/uuid"

	"signalbox/engine/account"
	"signalbox/engine/runtime/brief"
)

// A workflow that guests may start, with a secret in every place that holds one.
const askGraph = `{"graph":{"signalbox":1,"name":"Ask away","description":"Anybody may try it",
"nodes":[
 {"id":"n1","key":"start","kind":"manual","config":{"description":"A name and a number"}},
 {"id":"n2","key":"pick","kind":"route","config":{"rules":[{"port":"vip","when":"input.number > 4141414141"}]}},
 {"id":"n3","key":"call","kind":"http","config":{"url":"https://public.example","headers":{"X-Key":"canary"},"auth":"credential","credential":"canary-name"}},
 {"id":"n4","key":"slow","kind":"mock","config":{"answer":{"a":1}}}],
"edges":[{"id":"e1","from":"n1","port":"success","to":"n2"},{"id":"e2","from":"n2","port":"vip","to":"n3"},{"id":"e3","from":"n2","port":"default","to":"n4"}],
"layout":{"nodes":{"n1":{"x":0,"y":0,"title":"Begin","notes":"canary note","pin":{"a":"canary"}},"n2":{"x":300,"y":0},"n3":{"x":600,"y":0},"n4":{"x":600,"y":200}},
"sample":{"name":"canary person","number":4242,"ready":true,"more":{"deep":"canary"}}}}}`

// link makes a share and returns its path.
func (b *browser) link(t *testing.T, choice map[string]any) (id, path string) {
	t.Helper()
	var sh struct{ Share struct{ ID, URL string } }
	b.json("POST", "/api/shares", choice).must(t, http.StatusCreated).into(t, &sh)
	return sh.Share.ID, strings.TrimPrefix(sh.Share.URL, b.w.http.URL)
}

// asked makes a published workflow that guests may start.
func asked(t *testing.T, w *world) (*browser, string) {
	t.Helper()
	b := w.member("main", account.Developer)
	b.json("POST", "/api/credentials", map[string]any{"name": "canary-name", "type": "bearer", "token": "canary-token"}).must(t, http.StatusOK)
	var wf struct{ ID string }
	b.json("POST", "/api/workflows", askGraph).must(t, http.StatusCreated).into(t, &wf)
	b.publish(wf.ID)
	return b, wf.ID
}

var html = http.Header{"Accept": {"text/html"}}

func form(v url.Values) []byte { return []byte(v.Encode()) }

var formHeader = http.Header{"Content-Type": {"application/x-www-form-urlencoded"}}

// A guest fills in the form, gets a run of the pinned version and a page of
// its own to watch it on; ending the link ends that page too.
func TestGuestStartsARunWithAForm(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b, id := asked(t, w)
	shareID, page := b.link(t, map[string]any{"target": "workflow", "id": id, "scope": "run"})
	guest := w.browser()
	text := guest.do("GET", page, nil, html).must(t, http.StatusOK).text
	for _, want := range []string{`name="name"`, `name="number" type="number"`, `name="ready" value="true"`, `name="more"`, "A name and a number"} {
		contains(t, text, want)
	}
	input := url.Values{"name": {"Eve"}, "number": {"12345678901234567890"}, "more": {`{"a":[1]}`}}
	var made struct{ URL string }
	guest.do("POST", page+"/runs", form(input), formHeader).must(t, http.StatusCreated).into(t, &made)
	last := w.runs.starts[len(w.runs.starts)-1]
	if string(last.Input) != `{"more":{"a":[1]},"name":"Eve","number":12345678901234567890,"ready":false}` || last.Source != "share" || last.Trigger != "start" || last.Test {
		t.Errorf("started %+v with %s", last, last.Input)
	}
	contains(t, guest.do("GET", made.URL, nil, html).must(t, http.StatusOK).text, "Ask away")
	guest.get(made.URL+"/events").must(t, http.StatusOK)
	var ticket struct{ Ticket string }
	guest.json("POST", made.URL+"/ticket", "{}").must(t, http.StatusOK).into(t, &ticket)
	k := w.tab(ticket.Ticket)
	var run uuid.UUID
	for id, r := range w.runs.list {
		if r.Source == "share" {
			run = id
		}
	}
	k.sub("run:"+run.String(), 0)
	w.runs.write(run, brief.Brief{Type: "TaskScheduled", Node: "slow"}, true)
	if m := k.next(); m.T != "ev" {
		t.Errorf("got %+v", m)
	}
	// It is not among the links that were made by hand.
	if list := b.get("/api/shares").must(t, http.StatusOK).text; strings.Count(list, `"id"`) != 1 {
		t.Errorf("the list shows %s", list)
	}
	b.do("DELETE", "/api/shares/"+shareID, nil, nil).must(t, http.StatusNoContent)
	if m := k.next(); m.T != "gone" {
		t.Errorf("got %+v", m)
	}
	if code := k.closed(); code != 4403 {
		t.Errorf("closed with %d", code)
	}
	guest.get(made.URL).must(t, http.StatusNotFound)
	guest.do("POST", page+"/runs", form(input), formHeader).must(t, http.StatusNotFound)
	// A workflow that was switched off starts for nobody.
	_, page = b.link(t, map[string]any{"target": "workflow", "id": id, "scope": "run"})
	b.json("PATCH", "/api/workflows/"+id, `{"active":false}`).must(t, http.StatusOK)
	guest.do("POST", page+"/runs", form(input), formHeader).must(t, http.StatusConflict)
}

// Every route that a guest can reach takes data, and never a drawing, code, an
// expression or a credential: not as JSON, not as a field of a form, not in
// the address.
func TestGuestsSendDataOnly(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b, id := asked(t, w)
	_, runs := b.link(t, map[string]any{"target": "workflow", "id": id, "scope": "run", "listed": true})
	var started struct{ Run struct{ ID uuid.UUID } }
	b.json("POST", "/api/workflows/"+id+"/runs", `{}`).must(t, http.StatusAccepted).into(t, &started)
	w.runs.write(started.Run.ID, brief.Brief{Type: "RunStarted"}, false)
	_, sandbox := b.link(t, map[string]any{"target": "run", "id": started.Run.ID, "forks": true})
	_, copies := b.link(t, map[string]any{"target": "workflow", "id": id, "scope": "copy"})
	routes, err := w.server.Routes()
	if err != nil {
		t.Fatal(err)
	}
	before, tried := len(w.runs.starts), 0
	guest := w.browser()
	for _, route := range routes {
		shared := strings.HasPrefix(route.Pattern, "/s/") || strings.HasPrefix(route.Pattern, "/p/") || strings.HasPrefix(route.Pattern, "/embed/")
		if !shared || route.Method == http.MethodGet || route.Method == http.MethodHead {
			continue
		}
		for _, base := range []string{runs, sandbox, copies} {
			for _, word := range []string{"graph", "nodes", "code", "expression", "when", "config", "credential", "credentials", "secret", "version", "trigger", "workflow", "source"} {
				at := base + route.Pattern[strings.Index(route.Pattern, "}")+1:]
				for what, res := range map[string]response{
					"json":  guest.json(route.Method, at, map[string]any{word: map[string]any{"nodes": []any{}}}),
					"text":  guest.do(route.Method, at, []byte(`{"`+word+`":"1"}`), http.Header{"Content-Type": {"text/plain"}}),
					"form":  guest.do(route.Method, at, form(url.Values{"name": {"x"}, "at": {"1"}, word: {"{}"}}), formHeader),
					"again": guest.do(route.Method, at, form(url.Values{"name": {"x", "y"}}), formHeader),
				} {
					tried++
					if res.status < 400 || res.status >= 500 {
						t.Errorf("%s %s takes %s as %s with %d: %.100s", route.Method, route.Pattern, word, what, res.status, res.text)
					}
					w.server.ForgetLimits()
				}
			}
		}
	}
	if len(w.runs.starts) != before {
		t.Errorf("%d runs were started", len(w.runs.starts)-before)
	}
	if tried < 1_000 {
		t.Errorf("only %d requests: are the routes still there?", tried)
	}
	// What stands in the address counts for nothing.
	guest.do("POST", runs+"/runs?graph=1&trigger=x", form(url.Values{"name": {"x"}}), formHeader).must(t, http.StatusCreated)
	if last := w.runs.starts[len(w.runs.starts)-1]; last.Trigger != "start" {
		t.Errorf("the address chose the trigger %q", last.Trigger)
	}
	// A field that is data stays data, whatever is in it.
	guest.do("POST", runs+"/runs", form(url.Values{"name": {"=secret.key {{ secret.x }}"}}), formHeader).must(t, http.StatusCreated)
	guest.do("POST", runs+"/runs", form(url.Values{"name": {strings.Repeat("x", 70_000)}}), formHeader).must(t, http.StatusRequestEntityTooLarge)
	guest.do("POST", runs+"/runs", form(url.Values{"more": {"{"}}), formHeader).must(t, http.StatusUnprocessableEntity)
	guest.do("POST", runs+"/runs", form(url.Values{"more": {strings.Repeat("[", 60) + strings.Repeat("]", 60)}}), formHeader).must(t, http.StatusUnprocessableEntity)
	guest.do("POST", runs+"/runs", form(url.Values{"number": {"1e"}}), formHeader).must(t, http.StatusUnprocessableEntity)
	guest.do("POST", sandbox+"/sandbox", form(url.Values{"at": {"1"}, "output": {`{"n":1}`}}), formHeader).must(t, http.StatusOK)
	guest.do("POST", sandbox+"/sandbox", form(url.Values{"at": {"x"}}), formHeader).must(t, http.StatusUnprocessableEntity)
	guest.do("POST", sandbox+"/sandbox", form(url.Values{"at": {"1"}, "output": {"{"}}), formHeader).must(t, http.StatusUnprocessableEntity)
}

// Nothing that a link gives away, in whatever form, shows a secret.
func TestNoPublicOutputShowsASecret(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b, id := asked(t, w)
	var started struct{ Run struct{ ID uuid.UUID } }
	b.json("POST", "/api/workflows/"+id+"/runs", `{"input":{"name":"canary"}}`).must(t, http.StatusAccepted).into(t, &started)
	w.runs.write(started.Run.ID, brief.Brief{Type: "NodeFailed", Node: "call", Worker: "canary-host", By: "canary", Text: "canary", Source: "canary", Error: &brief.Error{Class: "http_500", Message: "canary"}}, false)
	outputs, seen := 0, map[string]bool{}
	for _, choice := range []map[string]any{
		{"target": "workflow", "id": id}, {"target": "workflow", "id": id, "scope": "run"}, {"target": "workflow", "id": id, "scope": "copy"},
		{"target": "workflow", "id": id, "scope": "copy", "listed": true}, {"target": "run", "id": started.Run.ID, "forks": true},
	} {
		_, page := b.link(t, choice)
		key := page[strings.LastIndex(page, "/")+1:]
		preview := b.json("POST", "/api/shares/preview", choice).must(t, http.StatusOK)
		texts := map[string]string{"preview": preview.text}
		guest := w.browser()
		for _, at := range []string{page, page + ".svg", page + ".svg?theme=dark", page + "/badge.svg", page + "/events", page + "/workflow.json", "/embed/" + key} {
			res := guest.do("GET", at, nil, html)
			if res.status == http.StatusOK {
				texts[at] = res.text
				seen[regexp.MustCompile(`^/(s|p|embed)/[^/.?]+`).ReplaceAllString(at, "")] = true
			}
		}
		sandbox := guest.do("POST", page+"/sandbox", form(url.Values{"at": {"1"}}), formHeader)
		if sandbox.status == http.StatusOK {
			texts["sandbox"] = sandbox.text
			seen["sandbox"] = true
		}
		for at, text := range texts {
			outputs++
			lower := strings.ToLower(text)
			for _, secret := range []string{"canary", "4242"} {
				if i := strings.Index(lower, secret); i >= 0 {
					t.Errorf("%s of %v shows %q: …%.120s", at, choice, secret, text[max(0, i-80):])
				}
			}
			if choice["scope"] != "copy" && strings.Contains(text, "4141414141") {
				t.Errorf("%s of %v shows an expression", at, choice)
			}
		}
		img, err := png.Decode(bytes.NewReader([]byte(guest.get(page+".png").must(t, http.StatusOK).text)))
		if err != nil || img.Bounds().Dx() != 1200 {
			t.Errorf("the preview image: %v", err)
		}
	}
	if outputs < 25 || len(seen) < 7 {
		t.Errorf("only %d outputs of %d sorts were read", outputs, len(seen))
	}
}

// The image is drawn from the same public view: a secret changes no pixel.
func TestPreviewImageKnowsNoSecret(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.member("main", account.Developer)
	var images []string
	for _, graph := range []string{askGraph, strings.ReplaceAll(strings.ReplaceAll(askGraph, "canary", "another"), "4242", "1")} {
		var wf struct{ ID string }
		b.json("POST", "/api/workflows", graph).must(t, http.StatusCreated).into(t, &wf)
		_, page := b.link(t, map[string]any{"target": "workflow", "id": wf.ID})
		images = append(images, w.browser().get(page+".png").must(t, http.StatusOK).text)
	}
	if images[0] != images[1] {
		t.Error("what is secret shows in the picture")
	}
}

// Guessing is slowed down for everybody who misses, and only for them.
func TestGuessingLinksIsSlow(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b, id := asked(t, w)
	_, page := b.link(t, map[string]any{"target": "workflow", "id": id})
	guest := w.browser()
	codes := map[int]int{}
	for i := range 60 {
		at := fmt.Sprintf("/s/%026d", i)
		if i%3 == 0 {
			at = "/p/no-such-" + fmt.Sprint(i)
		}
		codes[guest.get(at).status]++
	}
	if codes[http.StatusNotFound] != 30 || codes[http.StatusTooManyRequests] != 30 {
		t.Errorf("60 guesses gave %v", codes)
	}
	guest.get(page).must(t, http.StatusOK)
}

func TestFramesAreForNamedSites(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b, id := asked(t, w)
	policy := func(at string) (string, string) {
		res := w.browser().do("GET", at, nil, html).must(t, http.StatusOK)
		csp := res.header.Get("Content-Security-Policy")
		return csp[strings.Index(csp, "frame-ancestors"):strings.Index(csp, "; base-uri")], res.header.Get("X-Frame-Options")
	}
	_, closed := b.link(t, map[string]any{"target": "workflow", "id": id, "scope": "run"})
	_, open := b.link(t, map[string]any{"target": "workflow", "id": id, "scope": "run", "origins": []string{"https://B.example/", "http://a.example:8080"}})
	embed := func(page string) string { return "/embed/" + strings.TrimPrefix(page, "/s/") }
	for at, want := range map[string][2]string{
		closed: {"frame-ancestors 'none'", "DENY"}, embed(closed): {"frame-ancestors 'none'", "DENY"},
		open: {"frame-ancestors 'none'", "DENY"}, embed(open): {"frame-ancestors http://a.example:8080 https://b.example", ""},
	} {
		if csp, x := policy(at); csp != want[0] || x != want[1] {
			t.Errorf("%s answers with %q and %q instead of %q", at, csp, x, want)
		}
	}
	// The frame reads no cookie, sets none, and has nothing that starts a run.
	ada := w.owner()
	res := ada.do("GET", embed(open), nil, html).must(t, http.StatusOK)
	for _, no := range []string{"share-form", "/runs", ownerEmail, "data-copy-shared", "data-theme-next"} {
		if strings.Contains(res.text, no) {
			t.Errorf("the frame shows %q", no)
		}
	}
	if c := res.header.Values("Set-Cookie"); len(c) > 0 {
		t.Errorf("the frame sets %v", c)
	}
	w.browser().get(open+"?embed=1").must(t, http.StatusSeeOther)
	for _, bad := range []string{"*", "https://*.example.com", "javascript:alert(1)", "https://x.example/path", "https://x.example; script-src *", "https://u:p@x.example", "x.example", "'self'", ""} {
		b.json("POST", "/api/shares", map[string]any{"target": "workflow", "id": id, "origins": []string{bad}}).must(t, http.StatusUnprocessableEntity)
	}
}

func TestListedLinksAreFound(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b, id := asked(t, w)
	_, hidden := b.link(t, map[string]any{"target": "workflow", "id": id})
	firstID, first := b.link(t, map[string]any{"target": "workflow", "id": id, "listed": true})
	_, second := b.link(t, map[string]any{"target": "workflow", "id": id, "listed": true, "expires_in": "1h"})
	if first != "/p/ask-away" || second != "/p/ask-away-2" {
		t.Errorf("they stand at %s and %s", first, second)
	}
	guest := w.browser()
	listed := guest.do("GET", first, nil, html).must(t, http.StatusOK)
	if listed.header.Get("X-Robots-Tag") != "" || strings.Contains(listed.text, "noindex") {
		t.Error("search engines are sent away from a listed link")
	}
	for _, want := range []string{`property="og:image" content="` + w.http.URL + `/p/ask-away.png"`, `rel="canonical"`, "summary_large_image"} {
		contains(t, listed.text, want)
	}
	res := guest.do("GET", hidden, nil, html).must(t, http.StatusOK)
	if !strings.Contains(res.header.Get("X-Robots-Tag"), "noindex") || !strings.Contains(res.text, "noindex") || res.header.Get("Referrer-Policy") != "no-referrer" {
		t.Errorf("a link by token: %v", res.header)
	}
	contains(t, guest.get(first+"/badge.svg").must(t, http.StatusOK).text, "not run yet")
	if got := guest.get(first+".svg").must(t, http.StatusOK).header; got.Get("Cross-Origin-Resource-Policy") != "cross-origin" || got.Get("Content-Type") != "image/svg+xml" {
		t.Errorf("the drawing: %v", got)
	}
	b.do("DELETE", "/api/shares/"+firstID, nil, nil).must(t, http.StatusNoContent)
	guest.get(first).must(t, http.StatusNotFound)
	// The name is free again.
	if _, again := b.link(t, map[string]any{"target": "workflow", "id": id, "listed": true}); again != first {
		t.Errorf("again at %s", again)
	}
	b.json("POST", "/api/shares", map[string]any{"target": "workflow", "id": id, "expires_in": "never"}).must(t, http.StatusUnprocessableEntity)
}

// A member copies what the link gives away, and a guest takes the same along.
func TestCopiesHaveNoCredentials(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b, id := asked(t, w)
	_, page := b.link(t, map[string]any{"target": "workflow", "id": id, "scope": "copy"})
	_, looks := b.link(t, map[string]any{"target": "workflow", "id": id})
	guest := w.browser()
	guest.get(looks+"/workflow.json").must(t, http.StatusNotFound)
	file := guest.get(page+"/workflow.json").must(t, http.StatusOK)
	contains(t, file.header.Get("Content-Disposition"), `filename="ask-away.json"`)
	contains(t, file.text, "https://public.example")
	guest.json("POST", page+"/copy", "{}").must(t, http.StatusUnauthorized)
	w.member("other", account.Viewer).json("POST", page+"/copy", "{}").must(t, http.StatusForbidden)
	other := w.member("other", account.Editor)
	var made struct{ ID string }
	other.json("POST", page+"/copy", "{}").must(t, http.StatusCreated).into(t, &made)
	draft := other.get("/api/workflows/"+made.ID+"/draft").must(t, http.StatusOK).text
	contains(t, draft, "Ask away")
	if strings.Contains(draft, "canary") {
		t.Error("the copy holds a secret")
	}
	b.get("/api/workflows/"+made.ID).must(t, http.StatusNotFound)
}
