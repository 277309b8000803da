package server_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"signalbox/engine/account"
	"signalbox/engine/pg"
)

// tale is a drawing that answers with a mock, as a version or as another one.
func tale(answer, way string) string {
	return fmt.Sprintf(`{"signalbox":1,"name":"Tale","nodes":[
	 {"id":"s","key":"start","kind":"manual"},
	 {"id":"r","key":"pick","kind":"if","config":{"condition":"input.n > %s"}},
	 {"id":"a","key":"high","kind":"mock","config":{"answer":{"way":"high","n":"=input.n"}}},
	 {"id":"b","key":"low","kind":"mock","config":{"answer":{"way":"low"}}},
	 {"id":"o","key":"told","kind":"output","config":{"value":{"says":"%s","of":"=input"}}}],
	 "edges":[{"id":"1","from":"s","port":"success","to":"r"},{"id":"2","from":"r","port":"true","to":"a"},{"id":"3","from":"r","port":"false","to":"b"},
	  {"id":"4","from":"a","port":"success","to":"o"},{"id":"5","from":"b","port":"success","to":"o"}],"layout":{}}`, way, answer)
}

type caseReport struct {
	OK, Guarded                      bool
	Same, Differs, Stopped, Accepted int
	Cases                            []struct {
		Case        struct{ ID, Name, Run string }
		Verdict     string
		Accepted    bool
		Differences []struct {
			What, Node, Was, Now string
			Counts               bool
		}
		Compare string
	}
}

func (r caseReport) verdicts() string {
	var list []string
	for _, c := range r.Cases {
		list = append(list, c.Case.Name+" "+c.Verdict)
	}
	return strings.Join(list, ", ")
}

// drawn makes a workflow of a drawing and publishes it.
func (b *browser) drawn(t *testing.T, g string) string {
	t.Helper()
	var made struct{ ID string }
	b.json("POST", "/api/workflows", `{"name":"Tale","graph":`+g+`}`).must(t, http.StatusCreated).into(t, &made)
	b.json("POST", "/api/workflows/"+made.ID+"/publish", `{"seq":0}`).must(t, http.StatusOK)
	return made.ID
}

// ran starts a run and waits for its end.
func (b *browser) ran(t *testing.T, workflow, input string) string {
	t.Helper()
	var started struct{ Run struct{ ID, Status string } }
	b.json("POST", "/api/workflows/"+workflow+"/runs", `{"input":`+input+`}`).must(t, http.StatusAccepted).into(t, &started)
	for range 400 {
		var run struct{ Run struct{ Status string } }
		b.get("/api/runs/"+started.Run.ID).must(t, http.StatusOK).into(t, &run)
		if run.Run.Status != "running" && run.Run.Status != "waiting" {
			return started.Run.ID
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("the run does not end")
	return ""
}

// A run becomes a case; a draft is rehearsed on it; a guarded workflow is not
// published while it differs, unless an owner says why; what was accepted once
// is no fault again.
func TestCasesStandBeforePublishing(t *testing.T) {
	t.Parallel()
	w := live(t)
	owner, editor, viewer, stranger := w.member("main", account.Owner), w.member("main", account.Editor), w.member("main", account.Viewer), w.member("other", account.Owner)
	id := owner.drawn(t, tale("yes", "5"))
	high, low := owner.ran(t, id, `{"n":9}`), owner.ran(t, id, `{"n":1}`)
	cases := "/api/workflows/" + id + "/cases"
	viewer.json("POST", cases, map[string]string{"run": high, "name": "High"}).must(t, http.StatusForbidden)
	stranger.json("POST", cases, map[string]string{"run": high, "name": "High"}).must(t, http.StatusNotFound)
	editor.json("POST", cases, map[string]string{"run": high, "name": " "}).must(t, http.StatusUnprocessableEntity)
	editor.json("POST", cases, map[string]string{"run": high, "name": "High"}).must(t, http.StatusCreated)
	editor.json("POST", cases, map[string]string{"run": low, "name": "Low"}).must(t, http.StatusCreated)
	contains(t, editor.json("POST", cases, map[string]string{"run": low, "name": "Again"}).must(t, http.StatusConflict).text, "a case already")
	contains(t, editor.json("POST", "/api/workflows/"+uuid.NewString()+"/cases", map[string]string{"run": low, "name": "Low"}).must(t, http.StatusUnprocessableEntity).text, "another workflow")

	rehearse := func(graph string) (r caseReport) {
		body := `{}`
		if graph != "" {
			body = `{"graph":` + graph + `}`
		}
		viewer.json("POST", "/api/workflows/"+id+"/rehearsal", body).must(t, http.StatusOK).into(t, &r)
		return r
	}
	if r := rehearse(""); !r.OK || r.verdicts() != "High same, Low same" {
		t.Errorf("the version itself: %+v", r)
	}
	r := rehearse(tale("yes", "10"))
	if r.OK || r.verdicts() != "High differs, Low same" || r.Cases[0].Differences[0].What != "result" || !strings.Contains(r.Cases[0].Differences[0].Now, `"low"`) {
		t.Errorf("another way: %+v", r)
	}
	if r := rehearse(strings.Replace(tale("yes", "5"), `"kind":"mock","config":{"answer":{"way":"low"}}`, `"kind":"http","config":{"url":"https://example.org"}`, 1)); r.verdicts() != "High same, Low stopped" || r.Stopped != 1 {
		t.Errorf("a call that has no record: %+v", r)
	}
	viewer.json("POST", "/api/workflows/"+id+"/rehearsal", `{"graph":{"signalbox":1,"nodes":[],"edges":[],"layout":{}}}`).must(t, http.StatusUnprocessableEntity)

	editor.json("PUT", "/api/workflows/"+id+"/guard", `{"guarded":true}`).must(t, http.StatusForbidden)
	owner.json("PUT", "/api/workflows/"+id+"/guard", `{"guarded":true}`).must(t, http.StatusNoContent)
	change := func(base int, says string) {
		editor.json("POST", "/api/workflows/"+id+"/ops", fmt.Sprintf(`{"batch":"%s","base":%d,"ops":[{"op":"node.set","id":"o","path":"/config/value/says","value":"%s"}]}`, uuid.NewString(), base, says)).must(t, http.StatusOK)
	}
	change(0, "no")
	refused := editor.json("POST", "/api/workflows/"+id+"/publish", `{"seq":1}`).must(t, http.StatusConflict)
	contains(t, refused.text, "2 of 2 cases do not do the same")
	contains(t, refused.text, "/override")
	editor.json("POST", "/api/workflows/"+id+"/publish", `{"seq":1,"override":"It is fine."}`).must(t, http.StatusForbidden)
	owner.json("POST", "/api/workflows/"+id+"/publish", `{"seq":1,"override":"It says no from now on."}`).must(t, http.StatusOK)
	contains(t, owner.get("/api/audit?action=workflow.publish").text, "although 2 of 2 cases differ: It says no from now on.")
	if r := rehearse(""); !r.OK || r.Accepted != 2 || r.Differs != 2 {
		t.Errorf("what was accepted: %+v", r)
	}
	change(1, "perhaps")
	editor.json("POST", "/api/workflows/"+id+"/publish", `{"seq":2}`).must(t, http.StatusConflict)
	change(2, "yes")
	editor.json("POST", "/api/workflows/"+id+"/publish", `{"seq":3}`).must(t, http.StatusOK)

	var compared struct {
		A, B    struct{ ID, Status string }
		Rows    []struct{ Node string }
		Outcome struct{ Verdict string }
	}
	viewer.get("/api/cases/"+r.Cases[0].Case.ID+"/compare").must(t, http.StatusOK).into(t, &compared)
	if compared.A.ID != high || compared.B.Status != "succeeded" || len(compared.Rows) != 4 || compared.Outcome.Verdict != "same" {
		t.Errorf("%+v", compared)
	}
	contains(t, viewer.get("/api/cases/"+r.Cases[0].Case.ID+"/events/1").must(t, http.StatusOK).text, `"RunStarted"`)
	viewer.get("/api/cases/"+r.Cases[0].Case.ID+"/events/999").must(t, http.StatusNotFound)
	stranger.get("/api/cases/"+r.Cases[0].Case.ID+"/compare").must(t, http.StatusNotFound)
	stranger.do("DELETE", "/api/cases/"+r.Cases[0].Case.ID, nil, nil).must(t, http.StatusNotFound)

	// What is a case is kept; when it is none any more, it goes like any other.
	store := pg.NewStore(w.db)
	if _, n, err := store.Forget(t.Context(), uuid.Nil, pg.Purge{Before: time.Now().Add(time.Hour), Limit: 10}); err != nil || n != 0 {
		t.Errorf("%d cases were forgotten: %v", n, err)
	}
	contains(t, editor.json("PATCH", "/api/cases/"+r.Cases[0].Case.ID, `{"name":"Much"}`).must(t, http.StatusOK).text, `"Much"`)
	editor.do("DELETE", "/api/cases/"+r.Cases[0].Case.ID, nil, nil).must(t, http.StatusNoContent)
	if _, n, err := store.Forget(t.Context(), uuid.Nil, pg.Purge{Before: time.Now().Add(time.Hour), Limit: 10}); err != nil || n != 1 {
		t.Errorf("%d runs were forgotten: %v", n, err)
	}
}

// A run that a person canceled, or that still goes on, says nothing that could
// be repeated.
func TestNotEveryRunIsACase(t *testing.T) {
	t.Parallel()
	w := live(t)
	b := w.owner()
	id := b.drawn(t, `{"signalbox":1,"name":"Wait","nodes":[{"id":"s","key":"start","kind":"manual"},{"id":"w","key":"rest","kind":"wait","config":{"duration":"1h"}}],
	 "edges":[{"id":"1","from":"s","port":"success","to":"w"}],"layout":{}}`)
	var started struct{ Run struct{ ID string } }
	b.json("POST", "/api/workflows/"+id+"/runs", `{}`).must(t, http.StatusAccepted).into(t, &started)
	body := map[string]string{"run": started.Run.ID, "name": "Rest"}
	contains(t, b.json("POST", "/api/workflows/"+id+"/cases", body).must(t, http.StatusConflict).text, "not over yet")
	b.json("POST", "/api/runs/"+started.Run.ID+"/cancel", `{}`).must(t, http.StatusAccepted)
	contains(t, b.json("POST", "/api/workflows/"+id+"/cases", body).must(t, http.StatusConflict).text, "canceled")
}
