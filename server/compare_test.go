package server_test

import (
	"testing"

	"github.com/google/uuid"

	"signalbox/engine/account"
)

func TestCompareOverTheAPI(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	viewer := w.member("main", account.Viewer)
	a, b, foreign := w.runs.add("main"), w.runs.add("main"), w.runs.add("other")
	var out struct {
		A, B struct {
			ID string `json:"id"`
		}
		Rows []struct {
			Node string `json:"node"`
			A    *struct {
				TookMS float64 `json:"took_ms"`
			} `json:"a"`
			SameWay bool `json:"same_way"`
		} `json:"rows"`
		Whole bool `json:"whole"`
	}
	path := func(x, y uuid.UUID) string { return "/api/runs/" + x.String() + "/compare/" + y.String() }
	viewer.get(path(a, b)).must(t, 200).into(t, &out)
	if out.A.ID != a.String() || out.B.ID != b.String() || !out.Whole || len(out.Rows) != 2 {
		t.Fatalf("%+v", out)
	}
	if r := out.Rows[0]; r.A == nil || r.A.TookMS != 1_000 || !r.SameWay {
		t.Errorf("%+v", r)
	}
	if r := out.Rows[1]; r.A != nil || r.SameWay {
		t.Errorf("%+v", r)
	}
	viewer.get(path(a, foreign)).must(t, 404)
	viewer.get(path(foreign, b)).must(t, 404)
	viewer.get("/api/runs/"+a.String()+"/compare/x").must(t, 422)
}
