package action_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"

	"signalbox/engine/vault"
	"signalbox/engine/worker"
	"signalbox/engine/worker/action"
)

// TestCallbackTellsTheAddressToNobodyElse: the other system gets it; what it
// says back, well or not, is kept without it.
func TestCallbackTellsTheAddressToNobodyElse(t *testing.T) {
	t.Parallel()
	var told string
	status := http.StatusAccepted
	c, base := service(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		told = string(body)
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		fmt.Fprintf(w, `{"error":{"message":"I got %s"}}`, strings.ReplaceAll(told, `"`, `'`))
	})
	run := uuid.New()
	want := vault.Wait{Workspace: "main", Run: run, Scope: 2, Node: "reply", Visit: 3}
	a := action.Callback{HTTP: action.NewHTTP(c), Address: func(w vault.Wait) string {
		if w != want {
			t.Errorf("the address is made for %+v", w)
		}
		return "https://flows.example.org/callback/s3cr3t-t0ken"
	}}
	in := call(t, `{"call":{"method":"POST","url":"`+base+`jobs","body_type":"json","body":{"to":"{callback}"}},"wait":{"scope":2,"node":"reply","visit":3}}`)
	in.Task.Workspace, in.Task.Run = "main", run.String()
	out, err := a.Do(t.Context(), in)
	if err != nil || told != `{"to":"https://flows.example.org/callback/s3cr3t-t0ken"}` {
		t.Fatalf("told %s (%v)", told, err)
	}
	if strings.Contains(string(out), "s3cr3t") || !strings.Contains(string(out), `"status":202`) {
		t.Errorf("the output is %s", out)
	}
	status = http.StatusBadRequest
	_, err = a.Do(t.Context(), in)
	var f *worker.Failure
	if !errors.As(err, &f) || strings.Contains(f.Message+string(f.Details), "s3cr3t") || f.Class != worker.ClassInvalidInput {
		t.Errorf("it failed with %+v", err)
	}
	if _, err := (action.Callback{HTTP: action.NewHTTP(c)}).Do(t.Context(), in); !errors.As(err, &f) || f.Class != worker.ClassInternal {
		t.Errorf("a worker that knows no address: %v", err)
	}
}
