package server_test

import (
	"net/http"
	"testing"

	"signalbox/engine/account"
)

// Filters are kept for oneself or for all, found as chips, and one of them is
// what a person's list begins with.
func TestFiltersAreKept(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	owner, viewer, stranger := w.member("main", account.Owner), w.member("main", account.Viewer), w.member("other", account.Owner)
	type kept struct {
		ID, Name, Query      string
		Shared, Own, Default bool
	}
	var mine, ours kept
	viewer.json("POST", "/api/filters", `{"name":" My  failed ","query":"status=failed&after=&source=api"}`).must(t, http.StatusCreated).into(t, &mine)
	if mine.Name != "My failed" || mine.Query != "source=api&status=failed" {
		t.Errorf("%+v", mine)
	}
	viewer.json("POST", "/api/filters", `{"name":"Ours","query":"status=waiting","shared":true}`).must(t, http.StatusForbidden)
	owner.json("POST", "/api/filters", `{"name":"Ours","query":"status=waiting","shared":true}`).must(t, http.StatusCreated).into(t, &ours)
	for _, body := range []string{`{"name":"","query":"status=failed"}`, `{"name":"x","query":""}`, `{"name":"x","query":"status=sleepy"}`, `{"name":"x","query":"color=red"}`} {
		owner.json("POST", "/api/filters", body).must(t, http.StatusUnprocessableEntity)
	}
	names := func(b *browser) (list []string) {
		var out struct{ Filters []kept }
		b.get("/api/filters").must(t, http.StatusOK).into(t, &out)
		for _, f := range out.Filters {
			list = append(list, f.Name)
		}
		return list
	}
	if a, b, c := names(viewer), names(owner), names(stranger); len(a) != 2 || len(b) != 1 || len(c) != 0 {
		t.Errorf("%v %v %v", a, b, c)
	}
	html := http.Header{"Accept": {"text/html"}}
	contains(t, viewer.do("GET", "/runs?status=", nil, html).must(t, http.StatusOK).text, "My failed")
	stranger.json("PUT", "/api/filters/"+ours.ID+"/default", `{"default":true}`).must(t, http.StatusNotFound)
	owner.json("PUT", "/api/filters/"+mine.ID+"/default", `{"default":true}`).must(t, http.StatusNotFound)
	viewer.json("PUT", "/api/filters/"+mine.ID+"/default", `{"default":true}`).must(t, http.StatusNoContent)
	res := viewer.do("GET", "/runs", nil, html).must(t, http.StatusSeeOther)
	if to := res.header.Get("Location"); to != "/runs?source=api&status=failed" {
		t.Errorf("the list begins with %s", to)
	}
	viewer.do("GET", "/runs?status=", nil, html).must(t, http.StatusOK)
	viewer.json("PUT", "/api/filters/"+mine.ID+"/default", `{"default":false}`).must(t, http.StatusNoContent)
	viewer.do("GET", "/runs", nil, html).must(t, http.StatusOK)
	viewer.do("DELETE", "/api/filters/"+ours.ID, nil, nil).must(t, http.StatusNotFound)
	owner.do("DELETE", "/api/filters/"+mine.ID, nil, nil).must(t, http.StatusNotFound)
	viewer.do("DELETE", "/api/filters/"+mine.ID, nil, nil).must(t, http.StatusNoContent)
	owner.do("DELETE", "/api/filters/"+ours.ID, nil, nil).must(t, http.StatusNoContent)
}
