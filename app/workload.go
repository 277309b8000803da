package app

import (
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"signalbox/engine/graph"
)

// load is a workload of runs: so many at once, each of so many steps.
type load struct {
	name        string
	graph       graph.Graph
	concurrency int
	steps       int
	branches    int // 0: one after the other
}

// latencies collects durations.
type latencies struct {
	mu   sync.Mutex
	list []time.Duration
}

func (l *latencies) add(d time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.list = append(l.list, d)
}

// at is a quantile in milliseconds.
func (l *latencies) at(q float64) float64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.list) == 0 {
		return 0
	}
	slices.Sort(l.list)
	return ms(l.list[int(float64(len(l.list)-1)*q)])
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1_000 }

func chainGraph(n int, kind string) graph.Graph {
	g := graph.Graph{Format: graph.Format, Name: "Bench: a chain", Nodes: []graph.Node{{ID: "start", Key: "start", Kind: "manual"}}}
	from := "start"
	for i := range n {
		id := fmt.Sprintf("t%d", i)
		g.Nodes = append(g.Nodes, graph.Node{ID: id, Key: id, Kind: kind, Config: json.RawMessage(`{"answer":{"ok":true,"status":200,"label":"invoice","total":{"currency":"EUR","net":1042.5}}}`)})
		g.Edges = append(g.Edges, graph.Edge{ID: "e" + id, From: from, Port: "success", To: id})
		from = id
	}
	return g
}

func fanGraph(n int) graph.Graph {
	g := graph.Graph{Format: graph.Format, Name: fmt.Sprintf("Bench: %d branches", n), Nodes: []graph.Node{{ID: "start", Key: "start", Kind: "manual"}, {ID: "meet", Key: "meet", Kind: "join"}}}
	for i := range n {
		id := fmt.Sprintf("t%d", i)
		g.Nodes = append(g.Nodes, graph.Node{ID: id, Key: id, Kind: "mock", Config: json.RawMessage(`{"answer":{"ok":true}}`)})
		g.Edges = append(g.Edges, graph.Edge{ID: "a" + id, From: "start", Port: "success", To: id}, graph.Edge{ID: "b" + id, From: id, Port: "success", To: "meet"})
	}
	return g
}

func hookGraph() graph.Graph {
	nodes := []graph.Node{
		{ID: "hook", Key: "hook", Kind: "webhook", Config: json.RawMessage(`{"path":"bench-hook","auth":"none","respond":"by_node"}`)},
		{ID: "a", Key: "a", Kind: "set", Config: json.RawMessage(`{"fields":{"total":"=input.n * 2"}}`)},
		{ID: "b", Key: "b", Kind: "if", Config: json.RawMessage(`{"condition":"input.total > 1"}`)},
		{ID: "c", Key: "c", Kind: "transform", Config: json.RawMessage(`{"expression":"{\"name\": input.name, \"total\": input.total}"}`)},
		{ID: "d", Key: "d", Kind: "set", Config: json.RawMessage(`{"fields":{"currency":"EUR"}}`)},
		{ID: "e", Key: "e", Kind: "join"},
		{ID: "reply", Key: "reply", Kind: "respond", Config: json.RawMessage(`{}`)},
	}
	g := graph.Graph{Format: graph.Format, Name: "Bench: a webhook", Nodes: nodes}
	for i := range len(nodes) - 1 {
		port := "success"
		if nodes[i].Kind == "if" {
			port = "true"
		}
		g.Edges = append(g.Edges, graph.Edge{ID: fmt.Sprintf("e%d", i), From: nodes[i].ID, Port: port, To: nodes[i+1].ID})
	}
	return g
}
