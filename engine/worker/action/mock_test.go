package action_test

import (
	"testing"

	"signalbox/engine/worker/action"
)

func TestMock(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		config  string
		attempt int
		want    string // output, or class and message
		shown   string
	}{
		"answers what it is told":       {`{"answer":{"label":"billing","score":0.97}}`, 1, `{"label":"billing","score":0.97}`, ""},
		"answers null":                  {`{}`, 1, `null`, ""},
		"fails as often as it is told":  {`{"answer":1,"fail_times":2,"error_class":"rate_limited","error_message":"Later."}`, 2, "rate_limited: Later.", ""},
		"and then answers":              {`{"answer":1,"fail_times":2}`, 3, `1`, ""},
		"fails with words of its own":   {`{"fail_times":1}`, 1, "unavailable: The mock fails 1 times, as asked; this was attempt 1.", ""},
		"streams words":                 {`{"answer":"one two  three","stream":true,"latency_ms":3}`, 1, `"one two  three"`, "one two  three"},
		"streams the text of an answer": {`{"answer":{"text":"a b","n":1},"stream":true}`, 1, `{"text":"a b","n":1}`, "a b"},
		"takes no time for ever":        {`{"latency_ms":1e12}`, 1, "limit: A mock may take 0 to 10m0s.", ""},
		"is told a list":                {`[]`, 1, "invalid_input: The mock's configuration cannot be read: it is not an object", ""},
		"is told what makes no sense":   {`{"latency_ms":"soon"}`, 1, "invalid_input: The mock's configuration cannot be read: /latency_ms cannot be text", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in, shown := call(t, c.config), ""
			in.Task.Attempt, in.Progress = c.attempt, func(s string) { shown += s }
			out, err := action.Mock{}.Do(t.Context(), in)
			got := string(out)
			if err != nil {
				got = err.Error()
			}
			if got != c.want || shown != c.shown {
				t.Errorf("got %s, shown %q; want %s, %q", got, shown, c.want, c.shown)
			}
		})
	}
}
