package compile_test

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"signalbox/engine/compile"
	"signalbox/engine/graph"
	"signalbox/engine/machine"
)

// limitedBy draws one task that says this of itself.
func limitedBy(task *graph.Task) graph.Graph {
	return graph.Graph{
		Format: graph.Format,
		Nodes:  []graph.Node{{ID: "s", Key: "start", Kind: "manual"}, {ID: "a", Key: "a", Kind: "mock", Task: task}},
		Edges:  []graph.Edge{{ID: "e", From: "s", Port: "success", To: "a"}},
	}
}

func TestLimitsOfANodeAreChecked(t *testing.T) {
	t.Parallel()
	for field, task := range map[string]*graph.Task{
		"/task/queue":             {Queue: "No Queue"},
		"/task/labels":            {Labels: json.RawMessage(`[1]`)},
		"/task/concurrency/limit": {Concurrency: &graph.Concurrency{Limit: -1}},
		"/task/concurrency/key":   {Concurrency: &graph.Concurrency{Limit: 1, Key: json.RawMessage(`"=input."`)}},
		"/task/rate/n":            {Rate: &graph.Rate{N: 5_000, Per: "1s"}},
		"/task/rate/per":          {Rate: &graph.Rate{N: 5, Per: "soon"}},
		"/task/circuit/threshold": {Circuit: &graph.Circuit{Threshold: -2}},
		"/task/circuit/cooldown":  {Circuit: &graph.Circuit{Threshold: 2, Cooldown: "1ms"}},
	} {
		m, issues := compile.Compile(limitedBy(task))
		if m != nil || !slices.ContainsFunc(issues, func(i graph.Issue) bool { return i.Field == field && i.Severity == graph.SeverityError }) {
			t.Errorf("%s was not found: %+v", field, issues)
		}
	}
}

func TestLimitsOfANodeReachTheMachine(t *testing.T) {
	t.Parallel()
	m, issues := compile.Compile(limitedBy(&graph.Task{
		Concurrency: &graph.Concurrency{Limit: 3, Key: json.RawMessage(`"=input.k"`)}, Rate: &graph.Rate{N: 5, Per: "2s"}, Circuit: &graph.Circuit{Threshold: 4},
	}))
	if m == nil {
		t.Fatalf("%+v", issues)
	}
	l := m.Nodes[m.Index("a")].Limits
	if l == nil || l.Concurrency != 3 || string(l.ConcurrencyKey) != `"=input.k"` || l.Rate != 5 || l.Per != 2*time.Second || l.Threshold != 4 || l.Cooldown != 30*time.Second {
		t.Errorf("the machine has %+v", l)
	}
	// What a form leaves behind when nothing is filled in.
	m, issues = compile.Compile(limitedBy(&graph.Task{Concurrency: &graph.Concurrency{}, Rate: &graph.Rate{}, Circuit: &graph.Circuit{}}))
	if m == nil || m.Nodes[m.Index("a")].Limits != nil {
		t.Errorf("empty limits are limits: %+v", issues)
	}
}

// An external task that asks for a location waits for workers there. What no
// worker's location can be is found while one draws, or said by the event.
func TestAnExternalTaskWaitsAtItsLocation(t *testing.T) {
	t.Parallel()
	for location, c := range map[string]struct {
		queue   string
		warns   bool
		finding bool
	}{
		"":                {"worker:resize", false, false},
		`"shop-7"`:        {"worker:resize@shop-7", false, false},
		`"=input.shop"`:   {"worker:resize@shop-8", false, false},
		`"=input.title"`:  {"worker:resize@?", true, false},
		`"Shop 7"`:        {"worker:resize@?", true, true},
		`"=input.nobody"`: {"worker:resize", false, false},
	} {
		g := limitedBy(&graph.Task{Location: json.RawMessage(location)})
		g.Nodes[1].Kind, g.Nodes[1].Config = "external", json.RawMessage(`{"type":"resize"}`)
		m, issues := compile.Compile(g)
		if m == nil {
			t.Fatalf("%s: %+v", location, issues)
		}
		found := slices.ContainsFunc(issues, func(i graph.Issue) bool { return i.Code == "bad_location" && i.Field == "/task/location" })
		if found != c.finding {
			t.Errorf("%s: %+v", location, issues)
		}
		s := m.New("00000000-0000-7000-8000-000000000000")
		events, err := m.Step(s, machine.Start{Trigger: "start", Value: json.RawMessage(`{"shop":"shop-8","title":"Shop 8","nobody":null}`), Attributes: json.RawMessage("{}"), Source: "test"}, time.Unix(1, 0).UTC())
		if err != nil {
			t.Fatal(err)
		}
		scheduled := false
		for _, e := range events {
			if f, ok := e.Fact.(*machine.TaskScheduled); ok {
				scheduled = true
				if f.Queue != c.queue || (f.Warning != "") != c.warns {
					t.Errorf("%s: queue %s, warning %q", location, f.Queue, f.Warning)
				}
			}
		}
		if !scheduled {
			t.Errorf("%s: no task is scheduled", location)
		}
	}
}
