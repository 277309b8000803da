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
	"signalbox/engine/graph"
	"signalbox/engine/machine"
	"signalbox/engine/route"
	"signalbox/engine/shape"
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

// Every snippet runs once a start by hand leads to it: nothing in it is a
// fault, and nothing in it is refused.
func TestSnippetsCompileOnceTheyAreStarted(t *testing.T) {
	t.Parallel()
	g, err := gallery.New()
	if err != nil {
		t.Fatal(err)
	}
	if len(g.Snippets()) != 4 {
		t.Fatalf("%d snippets", len(g.Snippets()))
	}
	for _, snippet := range g.Snippets() {
		whole := snippet.Graph.Clone()
		led := map[string]bool{}
		for _, e := range whole.Edges {
			led[e.To] = true
		}
		whole.Nodes = append(whole.Nodes, graph.Node{ID: "start", Key: "start", Kind: "manual"})
		for _, n := range snippet.Graph.Nodes {
			if n.In == "" && !led[n.ID] {
				whole.Edges = append(whole.Edges, graph.Edge{ID: "begin", From: "start", Port: "success", To: n.ID})
			}
		}
		_, issues := compile.Compile(whole)
		for _, i := range issues {
			t.Errorf("%s: %s at %s%s: %s", snippet.Name, i.Code, i.Node, i.Field, i.Message)
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

// act is what people and slow steps do in a played run.
type act struct {
	port, value string // a person's decision, and what they entered
	late        bool   // comes only after the run has had to wait for time
}

// play runs a template to its end with a worker that does at once what the
// configuration says, and returns the answer and the queues that were used.
// Acts are by the step's key.
func play(t *testing.T, name, input string, acts map[string]act) (answer, result string, queues []string) {
	t.Helper()
	return playBy(t, route.Standard(), name, input, acts)
}

// playBy is play with a route table.
func playBy(t *testing.T, table route.Table, name, input string, acts map[string]act) (answer, result string, queues []string) {
	t.Helper()
	m, sample := machineOf(t, name)
	ports := portsOf(t, name)
	if input == "" {
		input = sample
	}
	s, at := m.New("00000000-0000-7000-8000-000000000000"), time.Unix(1_800_000_000, 0).UTC()
	s.Routes = table.Choose
	var late []machine.Input
	inputs := []machine.Input{machine.Start{Trigger: triggerOf(m), Value: json.RawMessage(input), Attributes: json.RawMessage("{}"), Source: "test"}}
	for step := 0; !s.Status.Over(); step++ {
		if step > 200 {
			t.Fatalf("%s goes on and on", name)
		}
		if len(inputs) == 0 { // only time can help
			wake := m.WakeAt(s)
			if wake.IsZero() && len(late) == 0 {
				t.Fatalf("%s is stuck in %s", name, s.Status)
			}
			if !wake.IsZero() {
				at, inputs = wake, append(inputs, machine.Wake{})
			}
			inputs, late = append(inputs, late...), nil
		}
		events, err := m.Step(s, inputs[0], at)
		if err != nil {
			t.Fatal(err)
		}
		fit(t, name, m, s, ports)
		inputs = append(inputs[1:], decisions(events, acts)...)
		for _, c := range m.Commands(s, events) {
			switch c := c.(type) {
			case machine.Dispatch:
				queues = append(queues, c.Node+" on "+c.Queue)
				if done := work(t, c); acts[c.Node].late {
					late = append(late, done)
				} else {
					inputs = append(inputs, done)
				}
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

// fit checks that what the steps gave so far looks as the ports say.
func fit(t *testing.T, name string, m *machine.Machine, s *machine.Snapshot, ports map[string]compile.Ports) {
	t.Helper()
	for key, out := range s.Outputs(m) {
		given := shape.Shape{}
		for port, s := range ports[key].Gives {
			if port != machine.PortFailure {
				given = shape.Join(given, s)
			}
		}
		var v any
		if err := json.Unmarshal(out.Value, &v); err != nil {
			t.Fatal(err)
		}
		if f := given.Fits(v); f != nil && !given.Never() {
			t.Errorf("%s: %s gave %s, which does not fit at %q: %+v", name, key, out.Value, f.Pointer, f)
		}
	}
}

// portsOf is what is said of the steps' data, by key.
func portsOf(t *testing.T, name string) map[string]compile.Ports {
	t.Helper()
	g, err := gallery.New()
	if err != nil {
		t.Fatal(err)
	}
	tpl, _ := g.Find(name)
	all, issues := compile.PortsOf(tpl.Graph, compile.World{})
	if len(issues) > 0 {
		t.Errorf("%s: %+v", name, issues)
	}
	byKey := map[string]compile.Ports{}
	for _, n := range tpl.Graph.Nodes {
		byKey[n.Key] = all[n.ID]
	}
	return byKey
}

func machineOf(t *testing.T, name string) (m *machine.Machine, sample string) {
	t.Helper()
	g, err := gallery.New()
	if err != nil {
		t.Fatal(err)
	}
	tpl, ok := g.Find(name)
	if !ok {
		t.Fatalf("there is no template %s", name)
	}
	if m, _ = compile.Compile(tpl.Graph); m == nil {
		t.Fatalf("%s gives no machine", name)
	}
	return m, string(tpl.Graph.Layout.Sample)
}

func triggerOf(m *machine.Machine) (key string) {
	for _, n := range m.Nodes {
		if n.Op == machine.OpTrigger {
			key = n.Key
		}
	}
	return key
}

// decisions are the answers of the people who were asked.
func decisions(events []machine.Event, acts map[string]act) (out []machine.Input) {
	for _, e := range events {
		if w, ok := e.Fact.(*machine.WaitStarted); ok && w.For == machine.ForHuman {
			if a, known := acts[w.Node]; known {
				out = append(out, machine.Decide{Scope: w.Scope, Node: w.Node, Visit: w.Visit, Port: a.port, Value: json.RawMessage(a.value), By: "ada"})
			}
		}
	}
	return out
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
		answer, _, queues := play(t, gallery.Flagship, c.input, nil)
		if !slices.Equal(queues, c.queues) {
			t.Errorf("%s: %v, want %v", name, queues, c.queues)
		}
		if !strings.Contains(answer, `"case":"T-000001"`) || !strings.Contains(answer, c.says) {
			t.Errorf("%s is answered with %s", name, answer)
		}
	}
}

// The rule that the template's note names keeps the first look where the photo
// is; what the small model is not sure of goes on to the cloud.
func TestOnlyUnsurePhotosLeaveTheEdge(t *testing.T) {
	t.Parallel()
	table := route.Standard()
	table.Rules = append([]route.Rule{{When: []route.Condition{{Attribute: "location", Op: "is", Value: "shop-7"}}, Queue: route.At("shop-7")}}, table.Rules...)
	for name, c := range map[string]struct {
		input  string
		queues []string
	}{
		"not sure":  {"", []string{"ask on default", "file on default", "look on at:shop-7"}},
		"sure":      {`{"place":"shop-7","part":"P-1","sure_from":0.8,"photo":{"shows":"nothing","confidence":0.93}}`, []string{"file on default", "look on at:shop-7"}},
		"elsewhere": {`{"place":"shop-8","part":"P-1","sure_from":0.8,"photo":{"shows":"nothing","confidence":0.93}}`, []string{"file on default", "look on vision"}},
	} {
		if _, _, queues := playBy(t, table, "check-at-the-edge", c.input, nil); !slices.Equal(queues, c.queues) {
			t.Errorf("%s: %v, want %v", name, queues, c.queues)
		}
	}
}

func TestEveryTemplateRunsWithItsSample(t *testing.T) {
	t.Parallel()
	people := map[string]act{"decide": {port: "approved"}, "fix": {port: "corrected", value: `{"total":62.48}`}}
	wants := map[string]string{
		gallery.Flagship:        `"case":"T-000001"`,
		"order-saga":            `"sorry":"No courier delivers to NZ."`,
		"deep-research":         `"report":"4 parts, 8 answers`,
		"pull-request-approval": `"outcome":"merged"`,
		"quorum":                `"paid":"P-77"`,
		"document-life":         `{"rounds":1,"text":"How we handle refunds, draft 1"`,
		"answer-with-sources":   `"text":"Send it back within 30 days. [returns-1]`,
		"invoice-extraction":    `"total":62.48`,
		"sensor-alarm":          `{"alarms":2,"window":[86,85,79]}`,
		"check-at-the-edge":     `"by":"large model in the cloud"`,
		"parallel-research":     `"summary":"3 sources agree`,
		"write-judge-revise":    `"rounds":3`,
		"order-with-fallback":   `"parcel":"T-000001"`,
		"reminder":              `"message":"T-000001"`,
		"email-triage":          `"topic":"billing"`,
		"lead-score":            `"score":97`,
		"webhook-fan-out":       `"delivered":false`,
		"incident-runbook":      `"levels":3`,
		"two-system-sync":       `{"created":1,"receipt":"T-000001","updated":1}`,
	}
	for name, want := range wants {
		answer, result, _ := play(t, name, "", people)
		if !strings.Contains(answer+result, want) {
			t.Errorf("%s: the result is %s %s", name, answer, result)
		}
	}
	g, err := gallery.New()
	if err != nil {
		t.Fatal(err)
	}
	if n := len(g.All()); n != len(wants) {
		t.Errorf("%d templates are there, %d are tested here", n, len(wants))
	}
}

// TestTemplatesGoTheirOtherWays plays what the samples do not lead to.
func TestTemplatesGoTheirOtherWays(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		template, input string
		acts            map[string]act
		says            string
	}{
		"the parcel leaves":            {"order-saga", `{"country":"DE","items":[{"name":"Lamp","count":2,"price":20}]}`, nil, `{"lines":[{"item":"Lamp","total":40}],"parcel":"P-20260"}`},
		"two other searchers":          {"deep-research", "", map[string]act{"web": {late: true}}, `"source":"archive"`},
		"changes are asked for":        {"pull-request-approval", "", map[string]act{"decide": {port: "changes"}}, `"outcome":"changes"`},
		"nobody decides":               {"pull-request-approval", "", nil, `"outcome":"undecided"`},
		"a vote says no":               {"quorum", `{"payment":"P-78","amount":50000,"country":"NL"}`, map[string]act{"bureau": {late: true}}, `"held":"P-78"`},
		"two votes come late":          {"quorum", "", map[string]act{"model": {late: true}, "bureau": {late: true}}, `"held":"P-77"`},
		"a late vote is swallowed":     {"quorum", "", map[string]act{"bureau": {late: true}}, `"paid":"P-77"`},
		"no passage":                   {"answer-with-sources", `{"question":"Who won?"}`, nil, `"sources":[]`},
		"an invoice is sent back":      {"invoice-extraction", "", map[string]act{"fix": {port: "refused"}}, `"returned":true`},
		"nobody looks at an invoice":   {"invoice-extraction", "", nil, `"returned":true`},
		"a machine that stays cool":    {"sensor-alarm", `{"machine":"m","limit":80,"readings":[79,81,82,79]}`, nil, `{"alarms":0,"window":[81,82,79]}`},
		"the small model is sure":      {"check-at-the-edge", `{"place":"shop-7","part":"P-1","sure_from":0.8,"photo":{"shows":"nothing","confidence":0.93}}`, nil, `"by":"small model at shop-7"`},
		"a sensor that gives no value": {"sensor-alarm", `{"machine":"m","limit":80,"readings":[]}`, nil, `"readings":[]`},
	} {
		answer, result, _ := play(t, c.template, c.input, c.acts)
		if !strings.Contains(answer+result, c.says) {
			t.Errorf("%s: the result is %s %s", name, answer, result)
		}
	}
}

// TestADocumentFollowsItsSignals plays the statechart by hand.
func TestADocumentFollowsItsSignals(t *testing.T) {
	t.Parallel()
	m, sample := machineOf(t, "document-life")
	s, at := m.New("00000000-0000-7000-8000-000000000000"), time.Unix(1_800_000_000, 0).UTC()
	s.Routes = route.Standard().Choose
	take := func(in machine.Input) (drafts int) {
		for list := []machine.Input{in}; len(list) > 0; list = list[1:] {
			events, err := m.Step(s, list[0], at)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range m.Commands(s, events) {
				if d, ok := c.(machine.Dispatch); ok {
					drafts++
					list = append(list, work(t, d))
				}
			}
		}
		return drafts
	}
	for i, c := range []struct {
		in     machine.Input
		drafts int
	}{
		{machine.Start{Trigger: triggerOf(m), Value: json.RawMessage(sample), Attributes: json.RawMessage("{}"), Source: "test"}, 1},
		{machine.Signal{Name: "withdraw", ID: "1"}, 0}, // it is not published yet
		{machine.Signal{Name: "changes", ID: "2"}, 1},
		{machine.Signal{Name: "approve", ID: "3"}, 0},
		{machine.Signal{Name: "withdraw", ID: "4"}, 1},
		{machine.Signal{Name: "approve", ID: "5"}, 0},
	} {
		if n := take(c.in); n != c.drafts || s.Status.Over() {
			t.Fatalf("input %d: %d drafts, want %d; %s", i, n, c.drafts, s.Status)
		}
	}
	at = at.Add(4 * time.Second)
	take(machine.Wake{})
	raw, err := s.Result(m)
	if err != nil || s.Status != "succeeded" || !strings.Contains(string(raw), `"rounds":3`) {
		t.Errorf("it ends as %s with %s, %v", s.Status, raw, err)
	}
}
