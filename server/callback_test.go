package server_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"

	"signalbox/engine/account"
	"signalbox/engine/vault"
)

// TestOneTimeAddress: only who is allowed gets it, whoever has it can answer,
// once; a guess is told nothing.
func TestOneTimeAddress(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	operator, viewer, stranger := w.member("main", account.Operator), w.member("main", account.Viewer), w.member("other", account.Owner)
	run := w.runs.add("main")
	path, wait := "/api/runs/"+run.String()+"/callback", map[string]any{"node": "reply", "visit": 1}
	viewer.json("POST", path, wait).must(t, http.StatusForbidden)
	stranger.json("POST", path, wait).must(t, http.StatusNotFound)
	var out struct{ URL string }
	operator.json("POST", path, wait).must(t, http.StatusOK).into(t, &out)
	at, ok := strings.CutPrefix(out.URL, w.http.URL)
	if !ok || !strings.HasPrefix(at, "/callback/") {
		t.Fatalf("the address is %s", out.URL)
	}
	outside := w.browser()
	plain := http.Header{"Content-Type": {"application/json"}}
	outside.do("GET", at, nil, nil).must(t, http.StatusMethodNotAllowed)
	outside.do("POST", at, []byte(`{"a":`), plain).must(t, http.StatusUnprocessableEntity)
	outside.do("POST", at, []byte(`{"ok":true}`), plain).must(t, http.StatusNoContent)
	outside.do("POST", at, []byte(`{"ok":true}`), plain).must(t, http.StatusConflict)
	outside.do("POST", at[:len(at)-2]+"AA", []byte(`{}`), plain).must(t, http.StatusNotFound)
	gone := w.vault.Token(vault.Wait{Workspace: "main", Run: uuid.New(), Node: "reply", Visit: 1})
	if got := outside.do("POST", "/callback/"+gone, []byte(`{}`), plain).status; got != http.StatusNotFound {
		t.Errorf("an address of a run that is gone answers %d", got)
	}
	if token := strings.TrimPrefix(at, "/callback/"); strings.Contains(w.log.String(), token) {
		t.Error("the access log holds the address")
	}
}
