package server_test

import (
	"net/http"
	"testing"

	"github.com/google/uuid"

	"signalbox/engine/account"
)

type letterActs struct {
	Results []struct {
		ID     string
		Done   bool
		Run    string
		Reason string
	}
}

// TestDeadLettersOverTheAPI lists, retries and discards, and says for each what
// came of it.
func TestDeadLettersOverTheAPI(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	operator, viewer, stranger := w.member("main", account.Operator), w.member("main", account.Viewer), w.member("other", account.Owner)
	run := w.runs.add("main")
	for seq := 1; seq <= 3; seq++ {
		if _, err := w.pool.Exec(t.Context(), `insert into dead_letters (run_id, seq, at, workspace_id, workflow_id, version_id, node, scope, visit, class, message, attempts)
			values ($1, $2::int, now() + $2::int * interval '1 second', 'main', $3, $3, 'charge', 0, 1, 'timeout', 'It took too long.', 3)`, run, seq, uuid.New()); err != nil {
			t.Fatal(err)
		}
	}
	var list struct {
		Letters []struct {
			ID, Node, Class, Message, State string
			Attempts                        int
		} `json:"dead_letters"`
		Next string
	}
	viewer.get("/api/dead-letters?limit=2&class=timeout&node=charge").must(t, http.StatusOK).into(t, &list)
	if len(list.Letters) != 2 || list.Letters[0].ID != run.String()+".3" || list.Letters[0].Attempts != 3 || list.Letters[0].State != "open" || list.Next != list.Letters[1].ID {
		t.Fatalf("%+v", list)
	}
	viewer.json("POST", "/api/dead-letters/retry", map[string]any{"ids": []string{list.Letters[0].ID}}).must(t, http.StatusForbidden)
	viewer.json("POST", "/api/dead-letters/discard", map[string]any{"ids": []string{list.Letters[0].ID}}).must(t, http.StatusForbidden)
	var acts letterActs
	stranger.json("POST", "/api/dead-letters/discard", map[string]any{"ids": []string{list.Letters[0].ID}}).must(t, http.StatusOK).into(t, &acts)
	if acts.Results[0].Done || acts.Results[0].Reason == "" {
		t.Errorf("a stranger discarded it: %+v", acts)
	}
	operator.json("POST", "/api/dead-letters/retry", map[string]any{"ids": []string{list.Letters[0].ID, list.Letters[0].ID}}).must(t, http.StatusOK).into(t, &acts)
	if len(acts.Results) != 2 || !acts.Results[0].Done || acts.Results[0].Run == "" || acts.Results[1].Done || acts.Results[1].Reason == "" {
		t.Errorf("one letter is retried once: %+v", acts)
	}
	operator.json("POST", "/api/dead-letters/discard", map[string]any{"filter": map[string]any{"class": "timeout"}}).must(t, http.StatusOK).into(t, &acts)
	if len(acts.Results) != 2 || !acts.Results[0].Done || !acts.Results[1].Done {
		t.Errorf("%+v", acts)
	}
	viewer.get("/api/dead-letters").must(t, http.StatusOK).into(t, &list)
	if len(list.Letters) != 0 {
		t.Errorf("%+v are still open", list.Letters)
	}
	operator.json("POST", "/api/dead-letters/retry", map[string]any{}).must(t, http.StatusUnprocessableEntity)
	operator.json("POST", "/api/dead-letters/retry", map[string]any{"ids": []string{"nonsense"}}).must(t, http.StatusUnprocessableEntity)
	admin := w.member("main", account.Admin)
	contains(t, admin.get("/api/audit?action=letter.retry").text, `"detail":"1"`)
	contains(t, admin.get("/api/audit?action=letter.discard").text, `"detail":"2"`)
	contains(t, viewer.get("/api/dead-letters?state=retried").text, `"new_run"`)
}
