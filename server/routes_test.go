package server_test

import (
	"net/http"
	"strings"
	"testing"

	"signalbox/engine/account"
)

func TestRouteTableIsReplacedByRevision(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	admin, viewer := w.member("main", account.Admin), w.member("main", account.Viewer)
	if r := viewer.json(http.MethodGet, "/api/routes", ""); r.status != http.StatusOK || !strings.Contains(r.text, `"express"`) || !strings.Contains(r.text, `"revision":0`) {
		t.Fatalf("%d %s", r.status, r.text)
	}
	table := `{"revision":0,"rules":[{"when":[{"attribute":"kind","op":"is","value":"llm"}],"queue":"models","priority":"high"}],"default":"rest"}`
	if r := viewer.json(http.MethodPut, "/api/routes", table); r.status != http.StatusForbidden {
		t.Errorf("a viewer changed the table: %d", r.status)
	}
	if r := admin.json(http.MethodPut, "/api/routes", table); r.status != http.StatusOK || !strings.Contains(r.text, `"revision":1`) {
		t.Fatalf("%d %s", r.status, r.text)
	}
	if r := admin.json(http.MethodPut, "/api/routes", table); r.status != http.StatusConflict || !strings.Contains(r.text, `"/revision"`) {
		t.Errorf("an old revision: %d %s", r.status, r.text)
	}
	if r := admin.json(http.MethodPut, "/api/routes", strings.Replace(strings.Replace(table, `"revision":0`, `"revision":1`, 1), `"kind"`, `"colour"`, 1)); r.status != http.StatusBadRequest && r.status != http.StatusUnprocessableEntity ||
		!strings.Contains(r.text, `/rules/0/when/0/attribute`) {
		t.Errorf("an unknown attribute: %d %s", r.status, r.text)
	}
	other := w.member("other", account.Admin)
	if r := other.json(http.MethodGet, "/api/routes", ""); strings.Contains(r.text, "models") {
		t.Errorf("another workspace sees the table: %s", r.text)
	}
	for _, c := range []struct{ ask, want string }{
		{`{"kind":"llm","priority":"low"}`, `"queue":"models"`},
		{`{"kind":"http","priority":9}`, `"queue":"rest"`},
		{`{"kind":"llm","priority":"urgent!!"}`, `is no priority`},
		{`{"kind":"http","rules":[{"when":[{"attribute":"kind","op":"is","value":"http"}],"queue":"mine"}]}`, `"queue":"mine"`},
	} {
		if r := viewer.json(http.MethodPost, "/api/routes/test", c.ask); r.status != http.StatusOK || !strings.Contains(r.text, c.want) {
			t.Errorf("%s: %d %s, want %s", c.ask, r.status, r.text, c.want)
		}
	}
}

func TestWorkflowHasATableOfItsOwn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	editor := w.member("main", account.Editor)
	var made struct {
		Workflow struct{ ID string }
		ID       string
	}
	r := editor.json(http.MethodPost, "/api/workflows", `{"name":"Mine"}`)
	r.into(t, &made)
	id := made.ID + made.Workflow.ID
	at := "/api/workflows/" + id + "/routes"
	own := `{"revision":0,"rules":[{"when":[{"attribute":"priority","op":"is","value":"low"}],"queue":"slow"}]}`
	if r := editor.json(http.MethodPut, at, own); r.status != http.StatusOK {
		t.Fatalf("%d %s", r.status, r.text)
	}
	ask := `{"workflow":"` + id + `","kind":"http","priority":"low"}`
	if r := editor.json(http.MethodPost, "/api/routes/test", ask); !strings.Contains(r.text, `"queue":"slow"`) || !strings.Contains(r.text, `"of":"workflow"`) {
		t.Errorf("%d %s", r.status, r.text)
	}
	if r := editor.json(http.MethodDelete, at+"?revision=7", ""); r.status != http.StatusConflict {
		t.Errorf("an old revision was removed: %d", r.status)
	}
	if r := editor.json(http.MethodDelete, at+"?revision=1", ""); r.status != http.StatusNoContent {
		t.Errorf("%d %s", r.status, r.text)
	}
	if r := editor.json(http.MethodPost, "/api/routes/test", ask); !strings.Contains(r.text, `"queue":"default"`) {
		t.Errorf("%d %s", r.status, r.text)
	}
	if r := w.member("other", account.Admin).json(http.MethodGet, at, ""); r.status != http.StatusNotFound {
		t.Errorf("another workspace reads the table: %d", r.status)
	}
}

func TestQueueIsSetPausedAndResumed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	admin, operator, viewer := w.member("main", account.Admin), w.member("main", account.Operator), w.member("main", account.Viewer)
	if r := operator.json(http.MethodPut, "/api/queues/express", `{"revision":0,"settings":{"concurrency":3}}`); r.status != http.StatusForbidden {
		t.Errorf("an operator set a limit: %d", r.status)
	}
	if r := admin.json(http.MethodPut, "/api/queues/express", `{"revision":0,"settings":{"concurrency":3,"rate":10,"per":"1s","fair":"workflow"}}`); r.status != http.StatusOK {
		t.Fatalf("%d %s", r.status, r.text)
	}
	if r := admin.json(http.MethodPut, "/api/queues/express", `{"revision":1,"settings":{"concurrency":-1,"rate":10,"per":"soon","fair":"colour"}}`); r.status < 400 ||
		!strings.Contains(r.text, `/concurrency`) || !strings.Contains(r.text, `/per`) || !strings.Contains(r.text, `/fair`) {
		t.Errorf("%d %s", r.status, r.text)
	}
	if r := viewer.json(http.MethodPost, "/api/queues/express/pause", ""); r.status != http.StatusForbidden {
		t.Errorf("a viewer paused a queue: %d", r.status)
	}
	if r := operator.json(http.MethodPost, "/api/queues/express/pause", ""); r.status != http.StatusOK || !strings.Contains(r.text, `"paused":true`) || !strings.Contains(r.text, `"revision":2`) {
		t.Errorf("%d %s", r.status, r.text)
	}
	if s := w.routing.Settings("main", "express"); !s.Paused || s.Concurrency != 3 {
		t.Errorf("the engine sees %+v", s)
	}
	if r := operator.json(http.MethodPost, "/api/queues/express/resume", ""); r.status != http.StatusOK || strings.Contains(r.text, `"paused":true`) {
		t.Errorf("%d %s", r.status, r.text)
	}
	if r := viewer.json(http.MethodGet, "/api/queues", ""); r.status != http.StatusOK || !strings.Contains(r.text, `"name":"vision"`) || !strings.Contains(r.text, `"concurrency":3`) {
		t.Errorf("%d %s", r.status, r.text)
	}
	if r := admin.json(http.MethodPut, "/api/queues/No%20Queue", `{"revision":0,"settings":{}}`); r.status < 400 || r.status >= 500 {
		t.Errorf("%d %s", r.status, r.text)
	}
}
