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
	"signalbox/engine/span"
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
		_, _ = fmt.Sscanf(r.URL.Path, "/demo/%d", &code)
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

func TestHTTPAnswersAndQueries(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		config, body string // of the request; of the answer
		query, want  string // that arrives; body of the output
	}{
		"JSON":                         {`{"url":"BASEx"}`, `{"a":1.50, "b":9007199254740993}`, "", `{"a":1.50,"b":9007199254740993}`},
		"no JSON is text":              {`{"url":"BASEx"}`, `hello`, "", `"hello"`},
		"nothing":                      {`{"url":"BASEx"}`, ``, "", `null`},
		"JSON as text":                 {`{"url":"BASEx","response":"text"}`, `{"a":1}`, "", `"{\"a\":1}"`},
		"what cannot be stored":        {`{"url":"BASEx"}`, `{"a":1,"a":"x\u0000y"}`, "", `{"a":"x` + "\uFFFD" + `y"}`},
		"broken characters":            {`{"url":"BASEx","response":"text"}`, "a\xffb\x00", "", `"a` + "\uFFFD" + "b\uFFFD" + `"`},
		"two values are no JSON":       {`{"url":"BASEx"}`, `1 2`, "", `"1 2"`},
		"parameters":                   {`{"url":"BASEx?z=1&a=%20","query":{"b":"x y&","c":[1,true],"d":null}}`, `1`, "z=1&a=%20&b=x+y%26&c=1&c=true", `1`},
		"parameters before a fragment": {`{"url":"BASEx?#top","query":{"b":1}}`, `1`, "b=1", `1`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g, base := service(t, func(w http.ResponseWriter, r *http.Request) {
				if r.URL.RawQuery != c.query {
					t.Errorf("the query is %s, want %s", r.URL.RawQuery, c.query)
				}
				w.Header().Set("Set-Cookie", "session=1")
				fmt.Fprint(w, c.body)
			})
			raw, err := action.NewHTTP(g).Do(t.Context(), call(t, strings.ReplaceAll(c.config, "BASE", base)))
			if err != nil {
				t.Fatal(err)
			}
			var out struct {
				Headers map[string]string
				Body    json.RawMessage
			}
			if err := json.Unmarshal(raw, &out); err != nil || string(out.Body) != c.want || out.Headers["set-cookie"] != "" || out.Headers["content-length"] == "" {
				t.Errorf("got %s %v, want body %s", raw, err, c.want)
			}
		})
	}
}

func TestHTTPIsReadOnlyWithoutAKey(t *testing.T) {
	t.Parallel()
	g, base := service(t, func(_ http.ResponseWriter, r *http.Request) {
		want := map[string]string{http.MethodPost: "run/node/1", http.MethodPut: "mine"}[r.Method]
		if got := r.Header.Get("Idempotency-Key"); got != want {
			t.Errorf("%s: the key is %q, want %q", r.Method, got, want)
		}
	})
	for _, config := range []string{`{"url":"BASE","method":"GET"}`, `{"url":"BASE"}`, `{"url":"BASE","method":"post"}`, `{"url":"BASE","method":"PUT","headers":{"idempotency-key":"mine"}}`} {
		if _, err := action.NewHTTP(g).Do(t.Context(), call(t, strings.ReplaceAll(config, "BASE", base))); err != nil {
			t.Error(err)
		}
	}
}

func TestHTTPNamesItsTrace(t *testing.T) {
	t.Parallel()
	var got string
	g, base := service(t, func(_ http.ResponseWriter, r *http.Request) { got = r.Header.Get("Traceparent") })
	c := call(t, `{"url":"`+base+`"}`)
	c.Task.Run = "0197f0e2-0000-7000-8000-000000000001"
	mine := call(t, `{"url":"`+base+`","headers":{"traceparent":"mine"}}`)
	mine.Task.Run = c.Task.Run
	for _, want := range []struct {
		header string
		by     action.HTTP
		call   worker.Call
	}{
		{"", action.NewHTTP(g), c},
		{span.Parent(&c.Task), action.NewHTTP(g).Traced(), c},
		{"mine", action.NewHTTP(g).Traced(), mine},
	} {
		if _, err := want.by.Do(t.Context(), want.call); err != nil {
			t.Fatal(err)
		}
		if got != want.header {
			t.Errorf("the header is %q, want %q", got, want.header)
		}
	}
}
