package server_test

import (
	"encoding/json"
	"strings"
	"testing"

	"signalbox/engine/account"
	"signalbox/engine/draft"
)

const kept = `{"signalbox":1,"nodes":[{"id":"a","key":"a","kind":"http","config":{"url":"https://example.com","auth":"credential","credential":"shop"}},{"id":"b","key":"b","kind":"set"}],` +
	`"edges":[{"id":"e","from":"a","port":"success","to":"b"}],"layout":{"nodes":{"a":{"x":0,"y":0,"pin":{"secret":1}},"b":{"x":300,"y":0}},"sample":{"x":1}}}`

func TestSnippetsAreKeptNamedAndDeleted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.member("main", account.Editor)
	save := func(name, graph string) response {
		raw, err := json.Marshal(map[string]any{"name": name, "about": "Two steps", "graph": json.RawMessage(graph)})
		if err != nil {
			t.Fatal(err)
		}
		return b.json("POST", "/api/snippets", string(raw))
	}
	var made struct{ ID, Name string }
	answer := save("  Call   and set ", kept).must(t, 201)
	answer.into(t, &made)
	if made.Name != "Call and set" || strings.Contains(answer.text, "secret") || !strings.Contains(answer.text, `"credential":"shop"`) {
		t.Errorf("%s", answer.text)
	}
	save("call AND set", kept).must(t, 409)
	save("", kept).must(t, 422)
	save("none", `{"signalbox":1,"nodes":[],"edges":[],"layout":{}}`).must(t, 422)
	save("odd", `{"signalbox":1,"nodes":[{"id":"a","key":"A","kind":"set"}],"edges":[],"layout":{}}`).must(t, 422)
	list := func(b *browser) (out struct {
		Snippets []struct{ ID, Name, About string }
	}) {
		b.get("/api/snippets").must(t, 200).into(t, &out)
		return out
	}
	if got := list(b); len(got.Snippets) != 5 || got.Snippets[0].Name != "Call and set" || got.Snippets[1].Name != "Try again, then otherwise" {
		t.Errorf("%+v", got)
	}
	viewer := w.member("main", account.Viewer)
	if got := list(viewer); len(got.Snippets) != 5 {
		t.Errorf("%+v", got)
	}
	if picture := viewer.get("/snippets/"+made.ID+"/picture").must(t, 200).text; !strings.HasPrefix(picture, "<svg") {
		t.Errorf("%.80s", picture)
	}
	if picture := viewer.get("/snippets/two-step-saga/picture").must(t, 200).text; !strings.Contains(picture, "Both or none") {
		t.Errorf("%.80s", picture)
	}
	viewer.get("/snippets/nothing/picture").must(t, 404)
	viewer.json("DELETE", "/api/snippets/"+made.ID, "").must(t, 403)
	other := w.member("other", account.Owner)
	other.json("PATCH", "/api/snippets/"+made.ID, `{"name":"mine"}`).must(t, 404)
	other.json("DELETE", "/api/snippets/"+made.ID, "").must(t, 404)
	other.get("/snippets/"+made.ID+"/picture").must(t, 404)
	b.json("PATCH", "/api/snippets/"+made.ID, `{"name":"Other","about":"x"}`).must(t, 200)
	b.json("PATCH", "/api/snippets/"+made.ID, `{"name":"Other","about":"`+strings.Repeat("x", draft.SnippetAboutMax+1)+`"}`).must(t, 422)
	if got := list(b); got.Snippets[0].Name != "Other" || got.Snippets[0].About != "x" {
		t.Errorf("%+v", got)
	}
	b.json("DELETE", "/api/snippets/"+made.ID, "").must(t, 204)
	b.json("DELETE", "/api/snippets/"+made.ID, "").must(t, 404)
}
