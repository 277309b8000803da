package app_test

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"signalbox/app"
)

// The command asks a server, prints what came of it, and says it by its exit
// code.
func TestCasesFromTheCommandLine(t *testing.T) {
	t.Parallel()
	answer, status, asked := "", http.StatusOK, ""
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body bytes.Buffer
		_, _ = body.ReadFrom(r.Body)
		asked = r.Method + " " + r.URL.Path + " " + r.Header.Get("Authorization") + " " + body.String()
		w.WriteHeader(status)
		_, _ = w.Write([]byte(answer))
	}))
	defer srv.Close()
	const id = "018f0000-0000-7000-8000-000000000001"
	file := filepath.Join(t.TempDir(), "draft.json")
	if err := os.WriteFile(file, []byte(`{"signalbox":1}`), 0o600); err != nil {
		t.Fatal(err)
	}
	token := "sb_test"
	run := func(args ...string) (int, string) {
		var out bytes.Buffer
		env := func(name string) string {
			return map[string]string{"SIGNALBOX_TOKEN": token, "SIGNALBOX_URL": srv.URL}[name]
		}
		code := app.Test(t.Context(), args, env, &out, &out)
		return code, out.String()
	}
	answer = `{"ok":true,"same":1,"cases":[{"case":{"name":"High"},"verdict":"same","differences":[]}]}`
	if code, text := run("--workflow", id, "--file", file); code != 0 || !strings.Contains(text, "1 do the same") {
		t.Errorf("%d %s", code, text)
	}
	if want := "POST /api/workflows/" + id + `/rehearsal Bearer sb_test {"graph":{"signalbox":1}}`; asked != want {
		t.Errorf("it asked %s", asked)
	}
	answer = `{"ok":false,"stopped":1,"differs":1,"cases":[{"case":{"name":"Low"},"verdict":"stopped","stopped":{"node":"call","why":"not_recorded"},"differences":[],"compare":"/runs/1?case=2"},
		{"case":{"name":"High"},"verdict":"differs","differences":[{"what":"result","counts":true,"was":"1","now":"2"},{"what":"data","node":"x","was":"3","now":"4"}]}]}`
	code, text := run("--workflow", id)
	if code != 1 || !strings.Contains(text, "stopped at call: not recorded, needs a real call") || !strings.Contains(text, "result: 1 -> 2") || strings.Contains(text, "3 -> 4") || !strings.Contains(text, srv.URL+"/runs/1?case=2") {
		t.Errorf("%d %s", code, text)
	}
	if code, text := run("--workflow", id, "--json"); code != 1 || !strings.HasPrefix(text, "{\n  \"ok\": false") {
		t.Errorf("%d %s", code, text)
	}
	answer, status = `{"detail":"There is no such workflow.","issues":[{"message":"An edge leads nowhere."}]}`, http.StatusNotFound
	if code, text := run("--workflow", id); code != 2 || !strings.Contains(text, "no such workflow") || !strings.Contains(text, "An edge leads nowhere.") {
		t.Errorf("%d %s", code, text)
	}
	for _, args := range [][]string{{}, {"--workflow", "x"}, {"--workflow", id, "--server", "nowhere"}, {"--workflow", id, "--file", "no-such-file"}} {
		if code, text := run(args...); code != 2 || text == "" {
			t.Errorf("%v: %d %s", args, code, text)
		}
	}
	token = ""
	if code, text := run("--workflow", id); code != 2 || !strings.Contains(text, "SIGNALBOX_TOKEN") {
		t.Errorf("%d %s", code, text)
	}
}
