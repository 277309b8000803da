package gallery_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"signalbox/engine/compile"
	"signalbox/engine/event"
	"signalbox/engine/gallery"
	"signalbox/engine/machine"
	"signalbox/engine/route"
)

// Every template must be publishable as it is, and without a warning: it is
// the first thing that a person sees.
func TestTemplatesCompileWithoutFindings(t *testing.T) {
	t.Parallel()
	g, err := gallery.New()
	if err != nil {
		t.Fatal(err)
	}
	for _, tpl := range g.All() {
		m, issues := compile.Compile(tpl.Graph)
		for _, i := range issues {
			t.Errorf("%s: %s at %s%s: %s", tpl.Name, i.Code, i.Node, i.Field, i.Message)
		}
		if m == nil {
			t.Errorf("%s gives no machine", tpl.Name)
		}
	}
}

func TestTemplatesCallThisServer(t *testing.T) {
	t.Parallel()
	g, err := gallery.New()
	if err != nil {
		t.Fatal(err)
	}
	tpl, ok := g.Find(gallery.Flagship)
	if !ok {
		t.Fatal("the flagship is missing")
	}
	raw, err := tpl.Graph.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if text := string(raw); !strings.Contains(text, gallery.Here+"/demo/") {
		t.Error("the flagship does not call the demo endpoint of this server")
	}
	// A copy that is changed changes no later one.
	tpl.Graph.Nodes[0].Key = "changed"
	again, _ := g.Find(gallery.Flagship)
	if again.Graph.Nodes[0].Key == "changed" {
		t.Error("two copies of a template share their nodes")
	}
}

// play runs a template to its end with a worker that does at once what the
// configuration says, and returns the answer and the queues that were used.
func play(t *testing.T, name, input string) (answer, result string, queues []string) {
	t.Helper()
	g, err := gallery.New()
	if err != nil {
		t.Fatal(err)
	}
	tpl, ok := g.Find(name)
	if !ok {
		t.Fatalf("there is no template %s", name)
	}
	m, _ := compile.Compile(tpl.Graph)
	if m == nil {
		t.Fatalf("%s gives no machine", name)
	}
	trigger := ""
	for _, n := range m.Nodes {
		if n.Op == machine.OpTrigger {
			trigger = n.Key
		}
	}
	if input == "" {
		input = string(tpl.Graph.Layout.Sample)
	}
	s, at := m.New("00000000-0000-7000-8000-000000000000"), time.Unix(1_800_000_000, 0).UTC()
	s.Routes = route.Standard().Choose
	inputs := []machine.Input{machine.Start{Trigger: trigger, Value: json.RawMessage(input), Attributes: json.RawMessage("{}"), Source: "test"}}
	for step := 0; !s.Status.Over(); step++ {
		if step > 200 {
			t.Fatalf("%s goes on and on", name)
		}
		if len(inputs) == 0 { // only time can help
			if at = m.WakeAt(s); at.IsZero() {
				t.Fatalf("%s is stuck in %s", name, s.Status)
			}
			inputs = append(inputs, machine.Wake{})
		}
		events, err := m.Step(s, inputs[0], at)
		if err != nil {
			t.Fatal(err)
		}
		inputs = inputs[1:]
		for _, c := range m.Commands(s, events) {
			switch c := c.(type) {
			case machine.Dispatch:
				queues = append(queues, c.Node+" on "+c.Queue)
				inputs = append(inputs, work(t, c))
			case machine.Answer:
				answer = string(c.Body)
			case machine.Finish:
			}
		}
	}
	if s.Status != "succeeded" {
		t.Fatalf("%s ends as %s: %+v", name, s.Status, s.Failure)
	}
	raw, err := s.Result(m)
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(queues)
	return answer, string(raw), queues
}

// work is what the mock model and the demo endpoint would say.
func work(t *testing.T, d machine.Dispatch) machine.Input {
	t.Helper()
	var c struct {
		Answer    json.RawMessage
		URL       string
		FailTimes int `json:"fail_times"`
	}
	if err := json.Unmarshal(d.Config.Inline, &c); err != nil {
		t.Fatal(err)
	}
	if d.Attempt <= c.FailTimes {
		return machine.Fail{Scope: d.Scope, Node: d.Node, Visit: d.Visit, Attempt: d.Attempt, Error: event.Error{Class: "unavailable", Message: "not now"}}
	}
	out := c.Answer
	if d.Kind == "http" {
		if !strings.HasPrefix(c.URL, "http://signalbox.invalid/demo/") {
			t.Errorf("%s calls %s", d.Node, c.URL)
		}
		out = json.RawMessage(`{"status":200,"headers":{},"body":{"ticket":"T-000001"}}`)
	}
	return machine.Complete{Scope: d.Scope, Node: d.Node, Visit: d.Visit, Attempt: d.Attempt, Output: out}
}

func TestFlagshipRoutesByAttributes(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		input  string
		queues []string
		says   string
	}{
		"urgent with a picture": {"", []string{"look on vision", "open_case on default", "urgent on express"}, `"urgent"`},
		"urgent":                {`{"subject":"Down","priority":8}`, []string{"open_case on default", "urgent on express"}, "on call"},
		"a picture":             {`{"subject":"Look","attachments":[{"name":"a","type":"image/jpeg"}]}`, []string{"look on vision", "open_case on default"}, "frontend"},
		"another attachment":    {`{"subject":"Look","attachments":[{"name":"a","type":"text/plain"},{"name":"b"}]}`, []string{"classify on default", "open_case on default"}, "billing"},
		"nothing at all":        {`{}`, []string{"classify on default", "open_case on default"}, "No subject"},
	} {
		answer, _, queues := play(t, gallery.Flagship, c.input)
		if !slices.Equal(queues, c.queues) {
			t.Errorf("%s: %v, want %v", name, queues, c.queues)
		}
		if !strings.Contains(answer, `"case":"T-000001"`) || !strings.Contains(answer, c.says) {
			t.Errorf("%s is answered with %s", name, answer)
		}
	}
}

func TestEveryTemplateRunsWithItsSample(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		gallery.Flagship:      `"case":"T-000001"`,
		"order-saga":          `"sorry":"No courier delivers to NZ."`,
		"parallel-research":   `"summary":"3 sources agree`,
		"write-judge-revise":  `"rounds":3`,
		"order-with-fallback": `"parcel":"T-000001"`,
		"reminder":            `"message":"T-000001"`,
		"email-triage":        `"topic":"billing"`,
		"lead-score":          `"score":97`,
		"webhook-fan-out":     `"delivered":false`,
		"incident-runbook":    `"levels":3`,
		"two-system-sync":     `{"created":1,"receipt":"T-000001","updated":1}`,
	} {
		answer, result, _ := play(t, name, "")
		if !strings.Contains(answer+result, want) {
			t.Errorf("%s: the result is %s %s", name, answer, result)
		}
	}
	g, err := gallery.New()
	if err != nil {
		t.Fatal(err)
	}
	if n := len(g.All()); n != 11 {
		t.Errorf("%d templates are there, 11 are tested here", n)
	}
}
