package server_test

import (
	"net/http"
	"strings"
	"testing"

	"signalbox/engine/account"
)

// portsOf is what GET ports tells.
type portsOf struct {
	Seq   int64
	Ports map[string]struct {
		Gets, Takes map[string]any
		Gives       map[string]map[string]any
	}
	Issues []struct{ Code, Node, Message string }
}

func TestPortsOfADraft(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b, looker := w.member("main", account.Editor), w.member("main", account.Viewer)
	create := func(graph string) string {
		var made struct{ ID string }
		b.json("POST", "/api/workflows", graph).must(t, http.StatusCreated).into(t, &made)
		return made.ID
	}
	called := create(`{"name":"Charge","graph":{"signalbox":1,"nodes":[{"id":"s","key":"start","kind":"manual"},{"id":"r","key":"result","kind":"output","config":{"value":{"paid":true}}}],"edges":[{"id":"e","from":"s","port":"success","to":"r"}],"layout":{}}}`)
	b.json("POST", "/api/workflows/"+called+"/publish", `{"seq":0}`).must(t, http.StatusOK)
	id := create(`{"name":"Order","graph":{"signalbox":1,"nodes":[
		{"id":"s","key":"start","kind":"manual"},
		{"id":"c","key":"charge","kind":"call","config":{"workflow":"Charge"}},
		{"id":"t","key":"total","kind":"transform","config":{"expression":"input.total * 2"}}],
		"edges":[{"id":"e","from":"s","port":"success","to":"c"},{"id":"f","from":"c","port":"success","to":"t"}],"layout":{}}}`)

	var got portsOf
	looker.get("/api/workflows/"+id+"/ports").must(t, http.StatusOK).into(t, &got)
	if given := got.Ports["c"].Gives["success"]["properties"]; given == nil || !strings.Contains(looker.get("/api/workflows/"+id+"/ports").text, `"paid":{"type":["boolean"]}`) {
		t.Errorf("the call gives %v", got.Ports["c"].Gives)
	}
	if len(got.Ports["s"].Gives["success"]) != 0 {
		t.Errorf("a start by hand gives %v", got.Ports["s"].Gives)
	}
	if got.Ports["t"].Takes["required"] == nil {
		t.Errorf("the expression takes %v", got.Ports["t"].Takes)
	}
	if len(got.Issues) != 1 || got.Issues[0].Node != "t" || !strings.Contains(got.Issues[0].Message, "In “input” there is: paid.") {
		t.Errorf("found %+v", got.Issues)
	}
	looker.get("/api/workflows/01234567-0000-7000-8000-000000000000/ports").must(t, http.StatusNotFound)
}

func TestATriggerRefusesWhatItDoesNotDemand(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.member("main", account.Editor)
	var made struct{ ID string }
	b.json("POST", "/api/workflows", `{"name":"Charge","graph":{"signalbox":1,"nodes":[{"id":"s","key":"start","kind":"manual","config":{"input_schema":{"type":"object","required":["amount"],"properties":{"amount":{"type":"number"}},"additionalProperties":false}}},{"id":"r","key":"result","kind":"output"}],"edges":[{"id":"e","from":"s","port":"success","to":"r"}],"layout":{}}}`).must(t, http.StatusCreated).into(t, &made)
	url := "/api/workflows/" + made.ID + "/runs"
	for input, say := range map[string]string{
		`{}`:                   `"location":"/input/amount","message":"missing","expected":"a number"`,
		`{"amount":"3"}`:       `"location":"/input/amount","message":"text","expected":"a number"`,
		`{"amount":3,"tip":1}`: `"location":"/input/tip","message":"not taken","expected":"no such field"`,
		`[]`:                   `"location":"/input","message":"a list","expected":"an object"`,
	} {
		contains(t, b.json("POST", url, `{"version":"draft","input":`+input+`}`).must(t, http.StatusUnprocessableEntity).text, say)
	}
	b.json("POST", url, `{"version":"draft","input":{"amount":3}}`).must(t, http.StatusAccepted)
}
