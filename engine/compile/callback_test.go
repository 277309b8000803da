package compile_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"signalbox/engine/compile"
	"signalbox/engine/graph"
	"signalbox/engine/machine"
)

const calling = `reply:callback{"timeout":"1h","call":{"method":"POST","url":"https://example.org/jobs","body":{"to":"{callback}","for":"=input.id"}}}`

func calls(t *testing.T) *machine.Machine {
	t.Helper()
	return compiled(t, draw(t, "s:manual", calling, "good:output", "late:transform{\"expression\":\"'late'\"}", "bad:transform{\"expression\":\"input.error.node\"}",
		"s>reply", "reply>good", "reply.timeout>late", "reply.failure>bad"))
}

// TestCallbackHandsItsAddressOut: the request begins with the wait, names it for
// the worker, and holds no address.
func TestCallbackHandsItsAddressOut(t *testing.T) {
	t.Parallel()
	st := perform(t, calls(t), `{"id":7}`)
	d := st.task("reply_call")
	var c struct {
		Call struct {
			Method, URL string
			Body        map[string]any
		}
		Wait struct {
			Scope, Visit int
			Node         string
		}
	}
	raw := d.Config.Inline
	if d.Config.Payload != nil { // stored apart
		t.Fatalf("%d bytes", d.Config.Payload.Size)
	}
	if err := json.Unmarshal(raw, &c); err != nil {
		t.Fatal(err)
	}
	if d.Kind != "callback" || c.Call.Method != "POST" || c.Call.Body["to"] != "{callback}" || c.Call.Body["for"] != 7.0 || c.Wait.Node != "reply" || c.Wait.Visit != 1 {
		t.Errorf("%s %+v", d.Kind, c)
	}
	st.succeed("reply_call", `{"status":202}`)
	if st.s.Status != machine.StatusRunning {
		t.Fatalf("%s", st.s.Status)
	}
	answer := machine.Decide{Node: "reply", Visit: 1, Value: json.RawMessage(`{"ok":true}`)}
	st.step(answer)
	if n := st.step(answer); n != 0 {
		t.Errorf("%d events for a second answer", n)
	}
	st.ends(machine.StatusSucceeded, `{"ok":true}`)
}

func TestCallbackEndsItsRequest(t *testing.T) {
	t.Parallel()
	m := calls(t)
	st := perform(t, m, `{"id":7}`) // the answer comes before the request is through
	st.step(machine.Decide{Node: "reply", Visit: 1, Value: json.RawMessage(`1`)})
	st.ends(machine.StatusSucceeded, `1`)
	if !strings.Contains(trace(st.log), "VisitCanceled reply_call\nWaitCompleted reply\n") {
		t.Errorf("trace\n%s", trace(st.log))
	}
	st = perform(t, m, `{"id":7}`)
	st.pass(2 * time.Hour)
	st.ends(machine.StatusSucceeded, "")
	st = perform(t, m, `{"id":7}`) // nobody was told: nobody will answer
	st.breaks("reply_call")
	st.ends(machine.StatusSucceeded, `"reply"`)
}

func TestRequestOfACallbackIsChecked(t *testing.T) {
	t.Parallel()
	for call, want := range map[string]struct{ code, field string }{
		`{"url":"https://example.org","method":"SHOUT","body":"{callback}"}`: {"bad_config", "/config/call/method"},
		`{"url":"https://example.org"}`:                                      {"address_not_told", "/config/call"},
		`{"url":"=input.","body":"{callback}"}`:                              {"bad_expression", "/config/call/url"},
	} {
		_, issues := compile.Compile(draw(t, "s:manual", `reply:callback{"call":`+call+`}`, "s>reply"))
		if i, found := issue(issues, want.code); !found || i.Field != want.field {
			t.Errorf("%s: %+v", call, issues)
		}
	}
	g := draw(t, "s:manual", calling, "reply_call:mock", "s>reply", "s>reply_call")
	if m := compiled(t, g); m.Index("reply_call_2") < 0 {
		t.Errorf("%+v", m.Nodes)
	}
	g = with(draw(t, "s:manual", calling, "s>reply"), "reply", func(n *graph.Node) { n.Disabled = true })
	if m := compiled(t, g); len(m.Nodes) != 2 {
		t.Errorf("a disabled callback tells somebody: %+v", m.Nodes)
	}
}
