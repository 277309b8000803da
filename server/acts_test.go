package server_test

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"github.com/google/uuid"

	"signalbox/engine/account"
	"signalbox/engine/machine"
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

func TestControlOfATestRun(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	operator, viewer := w.member("main", account.Operator), w.member("main", account.Viewer)
	real := "/api/runs/" + w.runs.add("main").String()
	test := w.runs.add("main")
	w.runs.mu.Lock()
	w.runs.list[test].Test = true
	w.runs.mu.Unlock()
	path := "/api/runs/" + test.String()
	for _, c := range []struct {
		act  string
		body map[string]any
		said machine.Input
	}{
		{"clock", map[string]any{"advance": "72h"}, machine.Advance{For: 72 * time.Hour}},
		{"clock", map[string]any{"advance": "3d"}, machine.Advance{For: 72 * time.Hour}},
		{"clock", map[string]any{"to": "next"}, machine.Advance{Next: true}},
		{"arrange", map[string]any{"breakpoints": []string{"a", "b"}}, machine.Arrange{Breaks: &[]string{"a", "b"}}},
		{"release", map[string]any{"node": "a", "visit": 1, "step": true, "input": map[string]any{"n": 1}}, machine.Release{Node: "a", Visit: 1, Step: true, Input: json.RawMessage(`{"n":1}`)}},
	} {
		viewer.json("POST", path+"/"+c.act, c.body).must(t, 403)
		operator.json("POST", real+"/"+c.act, c.body).must(t, 409)
		operator.json("POST", path+"/"+c.act, c.body).must(t, 204)
		w.runs.mu.Lock()
		said := w.runs.list[test].told[len(w.runs.list[test].told)-1]
		w.runs.mu.Unlock()
		if got := anonymous(said); !reflect.DeepEqual(got, c.said) {
			t.Errorf("%s %v told the run %+v, want %+v", c.act, c.body, got, c.said)
		}
	}
	for _, bad := range []map[string]any{{}, {"advance": "yesterday"}, {"advance": "-1h"}, {"advance": "1h", "to": "next"}, {"to": "end"}} {
		operator.json("POST", path+"/clock", bad).must(t, 422)
	}
}

// anonymous leaves out who said it, and the id that makes it count once.
func anonymous(in machine.Input) machine.Input {
	switch in := in.(type) {
	case machine.Advance:
		in.By, in.ID = "", ""
		return in
	case machine.Arrange:
		in.By = ""
		return in
	case machine.Release:
		in.By = ""
		return in
	default:
		return in
	}
}
