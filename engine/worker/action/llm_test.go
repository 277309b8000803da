package action_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"signalbox/engine/worker"
	"signalbox/engine/worker/action"
)

// ask calls a model's server that answers every question with h.
func ask(t *testing.T, config string, h http.HandlerFunc) (output, shown string, err error) {
	t.Helper()
	c, base := service(t, h)
	in := call(t, strings.ReplaceAll(config, "BASE", base))
	in.Progress = func(s string) { shown += s }
	raw, err := action.NewLLM(c).Do(t.Context(), in)
	return string(raw), shown, err
}

const hello = `{"base_url":"BASE","model":"m","messages":[{"role":"user","content":"hi"}]}`

func TestLLMServerThatDoesNotStream(t *testing.T) {
	t.Parallel()
	out, shown, err := ask(t, hello, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, "{\n \"model\": \"m-2\",\n \"choices\": [{\"message\": {\"role\": \"assistant\", \"content\": \"Hello\"}, \"finish_reason\": \"stop\"}],\n \"usage\": {\"prompt_tokens\": 3, \"completion_tokens\": 1}\n}")
	})
	want := `{"text":"Hello","usage":{"in":3,"out":1},"finish_reason":"stop","model":"m-2"}`
	if err != nil || out != want || shown != "Hello" {
		t.Errorf("got  %s %q %v\nwant %s", out, shown, err, want)
	}
}

func TestLLMRequest(t *testing.T) {
	t.Parallel()
	config := `{"base_url":"BASEv1/","model":"m","messages":[{"role":"system","content":"<b>"},{"role":"user","content":"hi"}],"temperature":0,"max_tokens":5,"json_schema":{"type":"object"}}`
	_, _, err := ask(t, config, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		want := `{"model":"m","messages":[{"role":"system","content":"<b>"},{"role":"user","content":"hi"}],"temperature":0,"max_tokens":5,"stream":true,"stream_options":{"include_usage":true},` +
			`"response_format":{"json_schema":{"name":"answer","schema":{"type":"object"}},"type":"json_schema"}}`
		if string(body) != want || r.URL.Path != "/demo/v1/chat/completions" {
			t.Errorf("%s got %s\nwant %s", r.URL.Path, body, want)
		}
		fmt.Fprint(w, ": hello\n\nevent: x\ndata: {\"choices\":[{\"delta\":{\"content\":\"```json\\n{}\\n```\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
	})
	if err != nil {
		t.Error(err)
	}
}

func TestLLMFailures(t *testing.T) {
	t.Parallel()
	schema := strings.TrimSuffix(hello, "}") + `,"json_schema":{"type":"object","required":["label"]}}`
	for name, c := range map[string]struct {
		config, class, saying string
		h                     http.HandlerFunc
	}{
		"the stream breaks off":      {hello, worker.ClassUnavailable, "broke off", says(`data: {"choices":[{"delta":{"content":"Hel"}}]}`)},
		"an error inside the stream": {hello, worker.ClassUnavailable, "overloaded", says(`data: {"error":{"message":"overloaded"}}`)},
		"not the protocol":           {hello, worker.ClassBadOutput, "protocol", says(`data: <html>`)},
		"a key that is refused": {hello, worker.ClassUnauthorized, "Incorrect API key", func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusUnauthorized)
			fmt.Fprint(w, `{"error":{"message":"Incorrect API key provided","type":"invalid_request_error"}}`)
		}},
		"an answer that never fits":      {schema, worker.ClassBadOutput, "does not fit", says(`data: {"choices":[{"delta":{"content":"[]"},"finish_reason":"stop"}]}`)},
		"an answer that is cut off":      {schema, worker.ClassBadOutput, "cut off", says(`data: {"choices":[{"delta":{"content":"{\"lab"},"finish_reason":"length"}]}`)},
		"a schema that is none":          {strings.Replace(schema, `"object"`, `"thing"`, 1), worker.ClassInvalidInput, "JSON Schema is not valid", nil},
		"a schema that reads files":      {strings.Replace(schema, `"type":"object"`, `"$ref":"file:///etc/passwd"`, 1), worker.ClassInvalidInput, "may not refer", nil},
		"a credential that is not there": {strings.TrimSuffix(hello, "}") + `,"credential":"gone"}`, worker.ClassUnauthorized, "no such credential", nil},
		"an address that is not public":  {strings.Replace(hello, "BASE", "http://10.1.1.1/v1", 1), worker.ClassInvalidInput, "not public", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out, _, err := ask(t, c.config, c.h)
			var f *worker.Failure
			if !errors.As(err, &f) || f.Class != c.class || !strings.Contains(f.Message, c.saying) {
				t.Errorf("got %s %v, want %s: %s", out, err, c.class, c.saying)
			}
		})
	}
}

func says(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, text+"\n\n") }
}

func TestLLMEndsWithItsContext(t *testing.T) {
	t.Parallel()
	asked := make(chan struct{})
	c, base := service(t, func(w http.ResponseWriter, r *http.Request) {
		_ = http.NewResponseController(w).Flush()
		close(asked)
		<-r.Context().Done()
	})
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("the run is over")
	go func() { <-asked; cancel(why) }()
	began := time.Now()
	_, err := action.NewLLM(c).Do(ctx, call(t, strings.ReplaceAll(hello, "BASE", base)))
	if !errors.Is(err, why) || time.Since(began) > 5*time.Second {
		t.Errorf("got %v after %s", err, time.Since(began))
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
