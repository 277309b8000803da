package server_test

import (
	"testing"

	"github.com/google/uuid"

	"signalbox/engine/account"
)

func TestActsOnARun(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	operator, viewer, stranger := w.member("main", account.Operator), w.member("main", account.Viewer), w.member("other", account.Owner)
	path := "/api/runs/" + w.runs.add("main").String()
	for name, body := range map[string]map[string]any{
		"signal":   {"name": "paid", "correlation": "7", "id": "x", "value": map[string]any{"ok": true}},
		"decide":   {"node": "ask", "visit": 1, "port": "yes"},
		"pause":    {},
		"resume":   {},
		"rollback": {},
		"resolve":  {"node": "refund", "visit": 1, "action": "skip"},
	} {
		viewer.json("POST", path+"/"+name, body).must(t, 403)
		stranger.json("POST", path+"/"+name, body).must(t, 404)
		operator.json("POST", "/api/runs/"+uuid.NewString()+"/"+name, body).must(t, 404)
		operator.json("POST", path+"/"+name, body).must(t, 204)
		operator.json("POST", path+"/"+name, body).must(t, 409) // it changed nothing
	}
	operator.json("POST", path+"/signal", map[string]any{"name": ""}).must(t, 422)
	operator.json("POST", path+"/decide", map[string]any{"node": "ask", "visit": 0}).must(t, 422)
	operator.json("POST", path+"/resolve", map[string]any{"node": "refund", "visit": 1, "action": "forget"}).must(t, 422)
}
