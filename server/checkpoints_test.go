package server_test

import (
	"strings"
	"testing"

	"signalbox/engine/account"
)

func TestCheckpointsKeepADrawingUnderAName(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.member("main", account.Editor)
	var flow struct{ ID string }
	b.json("POST", "/api/workflows", `{"name":"Kept"}`).must(t, 201).into(t, &flow)
	at := "/api/workflows/" + flow.ID + "/checkpoints"
	b.json("POST", at, `{"name":"  "}`).must(t, 422)
	b.json("POST", at, `{"name":"`+strings.Repeat("x", 81)+`"}`).must(t, 422)
	var made struct{ ID, Name, By string }
	b.json("POST", at, `{"name":" Before   the rework "}`).must(t, 201).into(t, &made)
	if made.Name != "Before the rework" || made.By == "" {
		t.Errorf("%+v", made)
	}
	viewer := w.member("main", account.Viewer)
	if text := viewer.get(at).must(t, 200).text; !strings.Contains(text, made.ID) || strings.Contains(text, `"graph"`) {
		t.Errorf("%s", text)
	}
	if text := viewer.get(at+"/"+made.ID).must(t, 200).text; !strings.Contains(text, `"graph":{"signalbox":1`) {
		t.Errorf("%s", text)
	}
	if page := viewer.get("/w/"+flow.ID+"/versions").must(t, 200).text; !strings.Contains(page, "Before the rework") {
		t.Error("the page of versions does not tell of it")
	}
	viewer.json("DELETE", at+"/"+made.ID, "").must(t, 403)
	other := w.member("other", account.Owner)
	other.get(at).must(t, 404)
	other.get(at+"/"+made.ID).must(t, 404)
	other.json("POST", at, `{"name":"mine"}`).must(t, 404)
	other.json("DELETE", at+"/"+made.ID, "").must(t, 404)
	b.json("DELETE", at+"/"+made.ID, "").must(t, 204)
	b.get(at+"/"+made.ID).must(t, 404)
}
