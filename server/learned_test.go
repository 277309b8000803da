package server_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"signalbox/engine/account"
	"signalbox/engine/route"
	"signalbox/engine/routing"
)

const learnedRule = `{"when":[{"attribute":"kind","op":"is","value":"llm"}],"learn":{"among":[{"queue":"quick"},{"queue":"careful"}],"goal":"fastest"}}`

// putLearned stores a table with one learned rule and returns the rule's id.
func putLearned(t *testing.T, as *browser, at string) string {
	t.Helper()
	var got struct {
		Rules []route.Rule `json:"rules"`
	}
	r := as.json(http.MethodPut, at, `{"revision":0,"rules":[`+learnedRule+`],"default":"rest"}`)
	if r.status != http.StatusOK {
		t.Fatalf("%d %s", r.status, r.text)
	}
	r.into(t, &got)
	if len(got.Rules) != 1 || got.Rules[0].Learn == nil || got.Rules[0].Learn.ID == "" {
		t.Fatalf("stored is %s", r.text)
	}
	return got.Rules[0].Learn.ID
}

// measure sends tasks by the rule and says what became of them.
func (w *world) measure(t *testing.T, n int) {
	t.Helper()
	at := w.clock.now()
	for i := range n {
		run := uuid.NewSHA1(uuid.Nil, fmt.Append(nil, i))
		d := w.routing.Choose(route.Attributes{Workspace: "main", Kind: "llm", ID: route.Attempt{Run: run.String(), Node: "ask", Visit: 1}})
		v := routing.Visit{Node: "ask", Number: 1}
		w.routing.Sent(run, v, "main", d.Queue, d.Learned, at)
		took := map[string]time.Duration{"quick": time.Second, "careful": 8 * time.Second}[d.Queue]
		w.routing.Ended(run, v, true, false, at.Add(took))
	}
	if err := w.routing.LearnNow(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func TestLearnedRuleIsShownForgottenAndPinned(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	admin, operator, viewer := w.member("main", account.Admin), w.member("main", account.Operator), w.member("main", account.Viewer)
	id := putLearned(t, admin, "/api/routes")
	w.measure(t, 200)

	r := viewer.json(http.MethodGet, "/api/routes/learned", "")
	for _, want := range []string{`"id":"` + id + `"`, `"value":1,`, `"value":8,`, `"went"`, `"estimate"`} {
		if r.status != http.StatusOK || !strings.Contains(r.text, want) {
			t.Errorf("%d %s, without %s", r.status, r.text, want)
		}
	}
	if r := viewer.json(http.MethodPost, "/api/routes/test", `{"kind":"llm"}`); !strings.Contains(r.text, `"learned"`) || !strings.Contains(r.text, `"share"`) {
		t.Errorf("a try says %s", r.text)
	}
	if r := operator.json(http.MethodPost, "/api/routes/learned/"+id+"/pin", `{"queue":"careful"}`); r.status != http.StatusForbidden {
		t.Errorf("an operator pinned: %d", r.status)
	}
	if r := admin.json(http.MethodPost, "/api/routes/learned/"+id+"/pin", `{"queue":"other"}`); r.status < 400 || !strings.Contains(r.text, "/rules/0/learn/pin") {
		t.Errorf("pinned to what is not among them: %d %s", r.status, r.text)
	}
	if r := admin.json(http.MethodPost, "/api/routes/learned/"+id+"/pin", `{"queue":"careful"}`); r.status != http.StatusOK || !strings.Contains(r.text, `"pin":"careful"`) {
		t.Errorf("%d %s", r.status, r.text)
	}
	if d := w.routing.Choose(route.Attributes{Workspace: "main", Kind: "llm"}); d.Queue != "careful" || d.Learned.Why != route.WhyPinned {
		t.Errorf("the engine sees %+v", d)
	}
	if r := admin.json(http.MethodPost, "/api/routes/learned/"+id+"/forget", ""); r.status != http.StatusOK || strings.Contains(r.text, id) {
		t.Errorf("%d %s", r.status, r.text)
	}
	if r := admin.json(http.MethodPost, "/api/routes/learned/"+id+"/forget", ""); r.status != http.StatusNotFound {
		t.Errorf("forgotten twice: %d %s", r.status, r.text)
	}
	log := admin.json(http.MethodGet, "/api/audit", "")
	for _, want := range []string{"routes.pin", "routes.forget", id} {
		if !strings.Contains(log.text, want) {
			t.Errorf("the audit log has no %s: %d %.400s", want, log.status, log.text)
		}
	}
}

// A table with a learned rule can be taken elsewhere as it is read, and what is
// wrong with one is refused with its place.
func TestLearnedRulesAreCarriedAndChecked(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	admin, other := w.member("main", account.Admin), w.member("other", account.Admin)
	id := putLearned(t, admin, "/api/routes")
	read := admin.json(http.MethodGet, "/api/routes", "")
	carried := `{"revision":0,"default":"rest","rules":` + read.text[strings.Index(read.text, "["):strings.LastIndex(read.text, "]")+1] + `}`
	if r := other.json(http.MethodPut, "/api/routes", carried); r.status != http.StatusOK || !strings.Contains(r.text, id) {
		t.Errorf("%d %s", r.status, r.text)
	}
	w.measure(t, 50)
	if r := other.json(http.MethodGet, "/api/routes/learned", ""); strings.Contains(r.text, `"seconds"`) {
		t.Errorf("another workspace has learned from this one: %s", r.text)
	}
	for bad, at := range map[string]string{
		`[{"queue":"a"}]`: "/rules/0/learn/among",
		`[{"queue":"a"},{"queue":"b"},{"queue":"c"},{"queue":"d"},{"queue":"e"},{"queue":"f"},{"queue":"g"}]`: "/rules/0/learn/among",
		`[{"queue":"a"},{"queue":"a"}]`: "/rules/0/learn/among/1/queue",
	} {
		body := `{"revision":1,"rules":[` + strings.Replace(learnedRule, `[{"queue":"quick"},{"queue":"careful"}]`, bad, 1) + `],"default":"rest"}`
		if r := admin.json(http.MethodPut, "/api/routes", body); r.status < 400 || r.status >= 500 || !strings.Contains(r.text, `"`+at+`"`) {
			t.Errorf("%s: %d %s", bad, r.status, r.text)
		}
	}
	body := `{"revision":1,"rules":[` + strings.Replace(learnedRule, `fastest`, `nicest`, 1) + `],"default":"rest"}`
	if r := admin.json(http.MethodPut, "/api/routes", body); !strings.Contains(r.text, "/rules/0/learn/goal") || !strings.Contains(r.text, "fastest, most_reliable, cheapest") {
		t.Errorf("%d %s", r.status, r.text)
	}
}

func TestLearnedRuleOfAWorkflow(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	editor := w.member("main", account.Editor)
	var made struct {
		Workflow struct{ ID string }
		ID       string
	}
	editor.json(http.MethodPost, "/api/workflows", `{"name":"Mine"}`).into(t, &made)
	at := "/api/workflows/" + made.ID + made.Workflow.ID + "/routes"
	id := putLearned(t, editor, at)
	if r := editor.json(http.MethodGet, at+"/learned", ""); !strings.Contains(r.text, id) {
		t.Errorf("%d %s", r.status, r.text)
	}
	if r := editor.json(http.MethodPost, at+"/learned/"+id+"/pin", `{"queue":"quick"}`); r.status != http.StatusOK {
		t.Errorf("%d %s", r.status, r.text)
	}
	if r := editor.json(http.MethodPost, "/api/routes/learned/"+id+"/pin", `{"queue":"quick"}`); r.status != http.StatusForbidden {
		t.Errorf("an editor changed the workspace's table: %d", r.status)
	}
	if r := editor.json(http.MethodPost, at+"/learned/"+id+"/forget", ""); r.status != http.StatusOK {
		t.Errorf("%d %s", r.status, r.text)
	}
	if r := w.member("other", account.Admin).json(http.MethodPost, at+"/learned/"+id+"/forget", ""); r.status != http.StatusNotFound {
		t.Errorf("another workspace: %d", r.status)
	}
}
