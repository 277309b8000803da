package task_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"signalbox/engine/event"
	"signalbox/engine/task"
)

// full returns values of which no field is empty: a field that the codec does
// not know makes a test fail.
func full() (task.Task, task.Result) {
	at := time.Date(2026, 3, 1, 12, 0, 0, 123_456_000, time.UTC)
	t := task.Task{
		Workspace: "main", Workflow: "wf", Run: "0190", Shard: 3, Node: "classify", Visit: 2, Attempt: 4, Kind: "http", Queue: "GPU \"large\"", Priority: 1,
		Config: event.Value{Inline: json.RawMessage(`{"url": "https://a.example/?q=\"}", "list": [1, {"x": "]"}]}`)},
		Key:    "ключ\n", Timeout: time.Minute, Deadline: &at, Labels: json.RawMessage(`{"a":1}`),
	}
	r := task.Result{
		Workspace: "main", Run: "0190", Shard: 3, Node: "classify", Visit: 2, Attempt: 4, Output: json.RawMessage(`{"ok": true, "text": "a\\"}`),
		OutputRef: &event.Payload{Digest: "d", Size: 9, Preview: "p"}, Error: &event.Error{Class: "timeout", Message: "Too late."},
		RetryAfter: time.Second, Worker: "w<1>", StartedAt: at, EndedAt: at.Add(time.Millisecond),
	}
	return t, r
}

func whole(t *testing.T, v any) {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(raw, &fields); err != nil {
		t.Fatal(err)
	}
	for name, f := range fields {
		if s := string(f); s == "0" || s == `""` || s == "null" {
			t.Errorf("the example leaves %s empty: the codec's test would not see it missing", name)
		}
	}
}

func TestWireCarriesEveryField(t *testing.T) {
	t.Parallel()
	tk, r := full()
	whole(t, tk)
	whole(t, r)
	simple, plainResult := tk, r
	simple.Deadline, simple.Queue, simple.Key = nil, "default", "k"
	plainResult.OutputRef, plainResult.Error = nil, nil
	for _, want := range []task.Task{tk, simple, {}} {
		raw, err := want.Encode([]byte("x"))
		if err != nil || raw[0] != 'x' {
			t.Fatalf("%s: %v", raw, err)
		}
		var ours, general task.Task
		if err := ours.Decode(raw[1:]); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(raw[1:], &general); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(general, ours); diff != "" {
			t.Errorf("our reader and the general one differ:\n%s", diff)
		}
		if want.Config.IsZero() {
			want.Config.Inline = json.RawMessage("null")
		}
		if diff := cmp.Diff(want, ours); diff != "" {
			t.Errorf("a task changed on its way:\n%s", diff)
		}
	}
	for _, want := range []task.Result{r, plainResult, {}} {
		raw, err := want.Encode(nil)
		if err != nil {
			t.Fatal(err)
		}
		var got task.Result
		if err := got.Decode(raw); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("a result changed on its way:\n%s", diff)
		}
	}
}

func TestWireReadsWhatOthersWrite(t *testing.T) {
	t.Parallel()
	tk, r := full()
	raw, err := json.MarshalIndent(tk, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	var got task.Task
	if err := got.Decode(raw); err != nil || got.Key != tk.Key || got.Visit != 2 {
		t.Errorf("got %+v, %v", got, err)
	}
	newer := `{"run":"1","new_field":{"a":[1]},"output":7,"started_at":"2026-03-01T12:00:00Z","ended_at":"2026-03-01T12:00:00Z"}`
	if err := r.Decode([]byte(newer)); err != nil || r.Run != "1" || string(r.Output) != "7" || r.Node != "" {
		t.Errorf("got %+v, %v", r, err)
	}
	for _, bad := range []string{``, `{`, `{}x`, `{"run":"a}`, `{"run":"a",}`, `{"run":1}`, `{"output":{]}`, `{"output":}`, `{"visit":-}`, `{"run" "a"}`, `{"run":"a""node":"b"}`, `{"run":"a` + "\x01" + `"}`, `{"visit":1e3}`, `{,"run":"a"}`, `{"output":tru}`} {
		if err := r.Decode([]byte(bad)); err == nil {
			t.Errorf("%q was read as %+v", bad, r)
		}
	}
}

// FuzzWire: whatever our reader takes, the general one reads as the same.
func FuzzWire(f *testing.F) {
	tk, r := full()
	for _, v := range []any{tk, r, task.Task{}} {
		raw, err := json.Marshal(v)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		var ours, general task.Result
		if ours.Decode(raw) != nil {
			return
		}
		if err := json.Unmarshal(raw, &general); err != nil {
			t.Fatalf("%q is no JSON: %v", raw, err)
		}
		if strings.Count(string(raw), `"output"`) < 2 { // of a name that comes twice the general one keeps a part
			if diff := cmp.Diff(general, ours); diff != "" {
				t.Errorf("%q:\n%s", raw, diff)
			}
		}
	})
}

func BenchmarkWire(b *testing.B) {
	tk, r := full()
	tk.Deadline, tk.Queue, tk.Key = nil, "default", "k"
	r.Error, r.OutputRef = nil, nil
	b.Run("task", func(b *testing.B) {
		b.ReportAllocs()
		var buf []byte
		var got task.Task
		for b.Loop() {
			buf, _ = tk.Encode(buf[:0])
			if err := got.Decode(buf); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("result", func(b *testing.B) {
		b.ReportAllocs()
		var buf []byte
		var got task.Result
		for b.Loop() {
			buf, _ = r.Encode(buf[:0])
			if err := got.Decode(buf); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("task general", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			raw, _ := json.Marshal(&tk)
			var got task.Task
			if err := json.Unmarshal(raw, &got); err != nil {
				b.Fatal(err)
			}
		}
	})
}
