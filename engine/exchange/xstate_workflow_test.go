package exchange_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"signalbox/engine/chart"
	"signalbox/engine/chart/draw"
	"signalbox/engine/compile"
	"signalbox/engine/exchange"
	"signalbox/engine/graph"
	"signalbox/engine/machine"
)

// workflows is how many random workflows of each sort are played.
const workflows = 200

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// TestRealXStateAgreesOnWorkflows draws random statecharts in workflows. What
// is exported of a workflow runs in XState, the workflow itself on the machine
// that it compiles to, both with the same signals and the same passing of time;
// after each, the states are the same.
func TestRealXStateAgreesOnWorkflows(t *testing.T) {
	t.Parallel()
	steps, limited, modules := 0, 0, map[string]string{}
	var traces bytes.Buffer
	for seed := uint64(1); len(modules) < workflows; seed++ {
		a := &author{Rand: rand.New(rand.NewPCG(seed, 11)), idle: true}
		id := fmt.Sprintf("w%d", seed)
		g := holding(t, a.chart(id))
		d, issues := draw.FromGraph(g, id)
		c, faults := chart.Compile(d)
		if len(issues)+len(faults) > 0 {
			continue // a chart that comes back to itself at once
		}
		trace, ok := drive(t, a, c)
		if !ok {
			continue // it does not come to rest: XState would go on for ever
		}
		m, found := compile.Compile(g)
		if m == nil {
			t.Fatalf("%s does not compile: %+v", id, found)
		}
		if !follow(t, m, c, id, trace) {
			limited++
			continue
		}
		module, losses, err := exchange.Workflow(g, exchange.XState, "")
		if err != nil || len(losses) > 0 {
			t.Fatalf("%s: %v %v", id, err, losses)
		}
		modules[id] = module
		line, err := json.Marshal(map[string]any{"id": id, "trace": trace})
		if err != nil {
			t.Fatal(err)
		}
		traces.Write(append(line, '\n'))
		steps += len(trace)
	}
	if steps < 5*workflows || limited > workflows/20 {
		t.Errorf("%d steps are few for %d workflows, or %d that came to a limit are many", steps, workflows, limited)
	}
	check(t, modules, traces.Bytes(), steps)
}

// holding draws a workflow with a trigger before a chart, and sends it through
// its file.
func holding(t *testing.T, d chart.Def) graph.Graph {
	t.Helper()
	g := graph.Graph{Name: d.ID}
	g.Nodes, g.Edges = draw.ToGraph(d)
	g.Nodes = append(g.Nodes, graph.Node{ID: "begin", Key: "begin", Kind: "manual"})
	g.Edges = append(g.Edges, graph.Edge{ID: "begin-chart", From: "begin", Port: "success", To: g.Nodes[0].ID})
	raw, err := g.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if g, err = graph.Decode(raw); err != nil {
		t.Fatal(err)
	}
	return g
}

// follow runs a workflow and compares where its chart stands after each step.
// It reports false when the run came to a limit that XState does not have: 60
// delays at once.
func follow(t *testing.T, m *machine.Machine, c *chart.Chart, id string, trace []map[string]any) bool {
	t.Helper()
	p := player{m: m, s: m.New("018f0000-0000-7000-8000-000000000001"), at: noon}
	var state chart.State
	for i, want := range trace {
		var events []machine.Event
		switch step := want["step"].(type) {
		case string:
			events = p.step(t, machine.Start{Trigger: "begin", Source: "test"})
		case map[string]any:
			if ms, passes := step["advance"].(int64); passes {
				p.at = p.at.Add(time.Duration(ms) * time.Millisecond)
				events = p.step(t, machine.Wake{})
				break
			}
			data, err := json.Marshal(step["data"])
			if err != nil {
				t.Fatal(err)
			}
			events = p.step(t, machine.Signal{Name: step["send"].(string), Value: data, ID: fmt.Sprint(i)})
		}
		if p.s.Failure != nil && p.s.Failure.Class == "limit" {
			return false
		}
		for _, e := range events {
			if f, moved := e.Fact.(*machine.ChartMoved); moved {
				state = chart.State{}
				if err := json.Unmarshal(f.State.Inline, &state); err != nil {
					t.Fatal(err)
				}
			}
		}
		got := map[string]any{"value": c.Value(state), "context": state.Context, "status": state.Status, "tags": c.Tags(state)}
		for name := range got {
			if diff := cmp.Diff(flat(t, want[name]), flat(t, got[name])); diff != "" {
				t.Fatalf("%s step %d, %s:\n%s", id, i, name, diff)
			}
		}
		ends := map[chart.Status]machine.Status{chart.StatusActive: machine.StatusRunning, chart.StatusDone: machine.StatusSucceeded, chart.StatusFailed: machine.StatusFailed}
		if p.s.Status != ends[state.Status] {
			t.Fatalf("%s step %d: the chart is %s and the run %s", id, i, state.Status, p.s.Status)
		}
	}
	return true
}

// flat is a value as JSON reads it.
func flat(t *testing.T, v any) any {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var out any
	if err := json.Unmarshal(raw, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// player hands inputs to a machine.
type player struct {
	m  *machine.Machine
	s  *machine.Snapshot
	at time.Time
}

// step takes an input, and what is due by then.
func (p *player) step(t *testing.T, in machine.Input) []machine.Event {
	t.Helper()
	events, err := p.m.Step(p.s, in, p.at)
	if err != nil {
		t.Fatal(err)
	}
	if due := p.m.WakeAt(p.s); !due.IsZero() && !due.After(p.at) {
		events = append(events, p.step(t, machine.Wake{})...)
	}
	return events
}
