package compile_test

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"signalbox/engine/compile"
	"signalbox/engine/graph"
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
