package action_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"signalbox/engine/guard"
	"signalbox/engine/task"
	"signalbox/engine/vault"
	"signalbox/engine/worker"
	"signalbox/engine/worker/action"
)

// service is a server that the guard lets us call below /demo/.
func service(t *testing.T, h http.HandlerFunc) (*guard.Client, string) {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	c, err := guard.New(guard.Config{Exceptions: []guard.Exception{{Origin: s.URL, Path: "/demo/"}}})
	if err != nil {
		t.Fatal(err)
	}
	return c, s.URL + "/demo/"
}

func call(t *testing.T, config string) worker.Call {
	t.Helper()
	return worker.Call{
		Task: task.Task{Key: "run/node/1", Attempt: 1}, Config: json.RawMessage(config), Progress: func(string) {},
		Secret: func(_ context.Context, name string) (vault.Secret, error) {
			if name != "key" {
				return vault.Secret{}, worker.Fail(worker.ClassUnauthorized, "There is no such credential.")
			}
			return vault.Secret{Type: vault.TypeBearer, Token: "s3cret"}, nil
		},
	}
}

func TestHTTPRequest(t *testing.T) {
	t.Parallel()
	c, base := service(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"method":%q,"q":%q,"h":%q,"auth":%q,"key":%q,"body":%s}`, r.Method, r.URL.Query().Get("a"), r.Header.Get("X-A"), r.Header.Get("Authorization"), r.Header.Get("Idempotency-Key"), body)
	})
	out, err := action.NewHTTP(c).Do(t.Context(), call(t, `{"method":"POST","url":"`+base+`x?b=1","query":{"a":5},"headers":{"X-A":"y"},"auth":"credential","credential":"key","body_type":"json","body":{"n":1}}`))
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Status int
		Body   map[string]any
	}
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"method": "POST", "q": "5", "h": "y", "auth": "Bearer s3cret", "key": "run/node/1"}
	for k, v := range want {
		if got.Body[k] != v {
			t.Errorf("%s is %v, want %v", k, got.Body[k], v)
		}
	}
	if got.Status != 200 || fmt.Sprint(got.Body["body"]) != "map[n:1]" {
		t.Errorf("%s", out)
	}
}

func TestHTTPFailuresHaveClasses(t *testing.T) {
	t.Parallel()
	c, base := service(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Retry-After", "7")
		var code int
		fmt.Sscanf(r.URL.Path, "/demo/%d", &code)
		http.Error(w, "no", code)
	})
	for code, class := range map[int]string{400: worker.ClassInvalidInput, 401: worker.ClassUnauthorized, 404: worker.ClassInvalidInput, 429: worker.ClassRateLimited, 500: worker.ClassUnavailable, 503: worker.ClassUnavailable} {
		_, err := action.NewHTTP(c).Do(t.Context(), call(t, fmt.Sprintf(`{"url":"%s%d"}`, base, code)))
		var f *worker.Failure
		if !errors.As(err, &f) || f.Class != class || f.RetryAfter != 7*time.Second {
			t.Errorf("%d: %+v", code, err)
		}
	}
	for config, class := range map[string]string{
		`{"url":"http://169.254.169.254/latest"}`: worker.ClassInvalidInput,
		`{"url":"::"}`: worker.ClassInvalidInput,
		`{"url":"` + base + `1","auth":"credential","credential":"other"}`: worker.ClassUnauthorized,
		`{"url":"` + base + `1","headers":{"X":"a\r\nY: b"}}`:              worker.ClassInvalidInput,
		`{"url":"` + strings.Replace(base, "/demo/", "/api/", 1) + `"}`:    worker.ClassInvalidInput,
	} {
		_, err := action.NewHTTP(c).Do(t.Context(), call(t, config))
		var f *worker.Failure
		if !errors.As(err, &f) || f.Class != class {
			t.Errorf("%s: %+v, want %s", config, err, class)
		}
	}
}

func TestLLMStreamsCountsAndRepairs(t *testing.T) {
	t.Parallel()
	asked := 0
	c, base := service(t, func(w http.ResponseWriter, r *http.Request) {
		asked++
		text := []string{`not`, ` json`}
		if asked > 1 {
			text = []string{`{"label":`, `"billing"}`}
		}
		for _, s := range text {
			fmt.Fprintf(w, "data: {\"model\":\"m-1\",\"choices\":[{\"delta\":{\"content\":%q}}]}\n\n", s)
		}
		fmt.Fprint(w, "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":10,\"completion_tokens\":3}}\n\ndata: [DONE]\n\n")
		if r.Header.Get("Authorization") != "Bearer s3cret" {
			t.Error("the credential was not joined in")
		}
	})
	in := call(t, `{"base_url":"`+base+`v1","credential":"key","model":"m","messages":[{"role":"user","content":"hi"}],"json_schema":{"type":"object","required":["label"],"properties":{"label":{"type":"string"}}}}`)
	var seen strings.Builder
	in.Progress = func(s string) { seen.WriteString(s) }
	out, err := action.NewLLM(c).Do(t.Context(), in)
	want := `{"text":"{\"label\":\"billing\"}","json":{"label":"billing"},"usage":{"in":20,"out":6},"finish_reason":"stop","model":"m-1"}`
	if err != nil || string(out) != want {
		t.Errorf("got  %s %v\nwant %s", out, err, want)
	}
	if seen.String() != `not json{"label":"billing"}` || asked != 2 {
		t.Errorf("seen %q, asked %d times", seen.String(), asked)
	}
}
