package server_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"signalbox/engine/account"
)

// A graph full of things that nobody outside may see.
const secretGraph = `{"graph":{"signalbox":1,"name":"Shared","description":"For all to see",
"nodes":[
 {"id":"n1","key":"hook","kind":"webhook","config":{"path":"canary-path","auth":"none"}},
 {"id":"n2","key":"pick","kind":"route","config":{"rules":[{"port":"vip","when":"input.canary_field == 'canary'"}]}},
 {"id":"n3","key":"call","kind":"http","config":{"url":"https://canary.example","headers":{"X-Key":"canary"}},"task":{"queue":"canary-queue"}}],
"edges":[{"id":"e1","from":"n1","port":"success","to":"n2"},{"id":"e2","from":"n2","port":"vip","to":"n3"}],
"layout":{"nodes":{"n1":{"x":0,"y":0,"title":"Order comes in","notes":"canary note","pin":{"a":"canary"}},"n2":{"x":300,"y":0},"n3":{"x":600,"y":0,"title":"Call"}},
"notes":{"t1":{"x":0,"y":200,"w":200,"h":80,"text":"Anybody may read this"}},"sample":{"x":"canary"}}}}`

func TestShareShowsTheAllowListOnly(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.member("main", account.Editor)
	var wf struct{ ID string }
	b.json("POST", "/api/workflows", secretGraph).must(t, http.StatusCreated).into(t, &wf)
	var sh struct {
		Share struct {
			ID, URL string
			Views   int
		}
	}
	b.json("POST", "/api/shares", map[string]any{"target": "workflow", "id": wf.ID}).must(t, http.StatusCreated).into(t, &sh)
	guest := w.browser()
	page := strings.TrimPrefix(sh.Share.URL, w.http.URL)
	text := guest.do("GET", page, nil, http.Header{"Accept": {"text/html"}}).must(t, http.StatusOK).text
	for _, want := range []string{"Shared", "Order comes in", "vip"} {
		contains(t, text, want)
	}
	if i := strings.Index(strings.ToLower(text), "canary"); i >= 0 {
		t.Errorf("the page shows a secret: %.200s", text[max(0, i-100):])
	}
	// The link is pinned: what is drawn later does not show.
	b.json("POST", "/api/workflows/"+wf.ID+"/ops", batch(uuid.New(), 0, `{"op":"node.set","id":"n1","path":"/title","value":"Later title"}`)).must(t, 200)
	if text := guest.do("GET", page, nil, http.Header{"Accept": {"text/html"}}).text; strings.Contains(text, "Later title") {
		t.Error("the link shows what was drawn after it")
	}
	// The list has views, never the address.
	list := b.get("/api/shares").must(t, 200).text
	contains(t, list, `"views":2`)
	if token := page[len("/s/"):]; len(token) < 26 || strings.Contains(list, token) {
		t.Errorf("the token %q", token)
	}
	guest.get(page+"/events").must(t, http.StatusNotFound) // a drawing has no events
}

func TestEndedLinksLookLikeUnknownOnes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.member("main", account.Editor)
	id := b.template("reminder")
	link := func() (string, string) {
		var sh struct{ Share struct{ ID, URL string } }
		b.json("POST", "/api/shares", map[string]any{"target": "workflow", "id": id, "expires_in": "2h"}).must(t, http.StatusCreated).into(t, &sh)
		return sh.Share.ID, strings.TrimPrefix(sh.Share.URL, w.http.URL)
	}
	revokedID, revoked := link()
	b.do("DELETE", "/api/shares/"+revokedID, nil, nil).must(t, http.StatusNoContent)
	b.do("DELETE", "/api/shares/"+revokedID, nil, nil).must(t, http.StatusNotFound)
	_, expired := link()
	w.clock.advance(2 * time.Hour)
	texts := map[string]bool{}
	for _, path := range []string{revoked, expired, "/s/AAAAAAAAAAAAAAAAAAAAAAAAAA", "/s/x"} {
		for _, suffix := range []string{"/ticket", "/events"} {
			method := "GET"
			if suffix == "/ticket" {
				method = "POST"
			}
			res := w.browser().json(method, path+suffix, "{}").must(t, http.StatusNotFound)
			var p struct{ Detail string }
			res.into(t, &p)
			texts[p.Detail] = true
		}
		w.browser().get(path).must(t, http.StatusNotFound)
	}
	if len(texts) != 1 {
		t.Errorf("the answers differ: %v", texts)
	}
	for _, bad := range []string{"0s", "-1h", "9000h", "soon"} {
		b.json("POST", "/api/shares", map[string]any{"target": "workflow", "id": id, "expires_in": bad}).must(t, http.StatusUnprocessableEntity)
	}
}
