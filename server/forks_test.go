package server_test

import (
	"testing"

	"signalbox/engine/account"
	"signalbox/engine/runtime/brief"
)

func TestForksOverTheAPI(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	operator, viewer := w.member("main", account.Operator), w.member("main", account.Viewer)
	id := w.runs.add("main")
	for _, typ := range []string{"RunStarted", "NodeCompleted", "RunFailed"} {
		w.runs.write(id, brief.Brief{Type: typ}, false)
	}
	path := "/api/runs/" + id.String()
	var out struct {
		Run struct {
			ID         string `json:"id"`
			Source     string `json:"source"`
			ForkedFrom struct {
				Run string `json:"run"`
				At  int    `json:"at"`
			} `json:"forked_from"`
		} `json:"run"`
	}
	operator.json("POST", path+"/fork", map[string]any{"at": 2, "output": map[string]any{"n": 1}}).must(t, 202).into(t, &out)
	if out.Run.Source != "fork" || out.Run.ForkedFrom.Run != id.String() || out.Run.ForkedFrom.At != 2 {
		t.Errorf("%+v", out)
	}
	operator.json("POST", path+"/retry", map[string]any{}).must(t, 202).into(t, &out)
	if out.Run.Source != "retry" {
		t.Errorf("%+v", out)
	}
	var list struct {
		Runs []struct {
			ID string `json:"id"`
		} `json:"runs"`
	}
	viewer.get(path+"/forks").must(t, 200).into(t, &list)
	if len(list.Runs) != 2 {
		t.Errorf("%d forks, want 2", len(list.Runs))
	}
	viewer.json("POST", path+"/retry", map[string]any{}).must(t, 403)
	viewer.json("POST", path+"/fork", map[string]any{"at": 2}).must(t, 403)
	operator.json("POST", path+"/fork", map[string]any{"at": 0}).must(t, 422)
	operator.json("POST", path+"/fork", map[string]any{}).must(t, 422)
	stranger := w.member("other", account.Owner)
	stranger.json("POST", path+"/retry", map[string]any{}).must(t, 404)
	stranger.get(path+"/forks").must(t, 404)
}
