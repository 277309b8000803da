package server_test

import (
	"net/http"
	"strings"
	"testing"
)

func TestGalleryFindsByTags(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.owner()
	one, two := b.template("reminder"), b.template("lead-score")
	tag := func(id, tags string) response {
		return b.json("PATCH", "/api/workflows/"+id, map[string]string{"tags": tags})
	}
	tag(one, " Sales,urgent, sales ,").must(t, http.StatusOK).has(t, `"tags":["sales","urgent"]`)
	tag(two, "sales").must(t, http.StatusOK)
	tag(one, strings.Repeat("x", 41)).must(t, http.StatusUnprocessableEntity)
	tag(one, "a,b,c,d,e,f,g,h,i,j,k").must(t, http.StatusUnprocessableEntity)
	b.page("/").must(t, http.StatusOK).has(t, `href="/?tag=sales"`, `href="/?tag=urgent"`, "/w/"+one, "/w/"+two)
	b.page("/?tag=urgent").must(t, http.StatusOK).has(t, "/w/"+one).lacks(t, `href="/w/`+two)
	b.page("/?tag=nothing").must(t, http.StatusOK).has(t, "Nothing matches")
	tag(one, "").must(t, http.StatusOK).has(t, `"tags":[]`)
	b.page("/").must(t, http.StatusOK).lacks(t, `href="/?tag=urgent"`)
}

func TestGalleryShowsWhatTheProofFound(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.owner()
	b.template("reminder")
	b.page("/").must(t, http.StatusOK).has(t, "Sound")
	var made struct{ ID string }
	b.json("POST", "/api/workflows", map[string]string{"name": "empty"}).must(t, http.StatusCreated).into(t, &made)
	b.page("/").must(t, http.StatusOK).has(t, "1 error")
}
