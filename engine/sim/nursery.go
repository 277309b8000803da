package sim

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"

	"signalbox/engine/graph"
)

// nursery draws a workflow that starts runs which live for a while: side by
// side, calls and maps whose items wait for time or for a person. What random
// drawings start is often over before anything can happen to it.
func (s *sketch) nursery(r *rand.Rand, calls []string) graph.Graph {
	n := nest{r: r, g: graph.Graph{Format: graph.Format}}
	n.g.Transaction = r.IntN(4) == 0
	start := n.node("manual", "", map[string]any{})
	for range 1 + r.IntN(3) {
		at := start
		if r.IntN(2) == 0 {
			at = n.after(at, "", n.some())
		}
		if s.plan.Inside > 0 && (len(calls) == 0 || r.IntN(2) == 0) {
			at = n.after(at, "", "map")
			n.chain(n.g.Nodes[at].ID)
		} else if len(calls) > 0 {
			at = n.after(at, "", "call")
			n.g.Nodes[at].Config = written(map[string]any{"workflow": calls[r.IntN(len(calls))], "wait": r.IntN(6) > 0})
		}
		if r.IntN(2) == 0 {
			n.after(at, "", n.some())
		}
	}
	if len(calls) == 0 {
		n.chain("")
	}
	return n.g
}

// nest is a drawing in the making.
type nest struct {
	r *rand.Rand
	g graph.Graph
}

func written(v any) json.RawMessage {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return raw
}

func (n *nest) node(kind, in string, config map[string]any) int {
	i := len(n.g.Nodes)
	key := fmt.Sprintf("n%02d", i)
	o := graph.Node{ID: "id-" + key, Key: key, Kind: kind, In: in, Config: written(config)}
	if kind == "mock" {
		o.Retry = &graph.Retry{MaxAttempts: 1 + n.r.IntN(2), Initial: "500ms", Backoff: "fixed"}
	}
	n.g.Nodes = append(n.g.Nodes, o)
	return i
}

// some is a step that takes its time.
func (n *nest) some() string { return []string{"mock", "wait", "human"}[n.r.IntN(3)] }

// after draws a node behind another one; -1: it is an entry of its container.
func (n *nest) after(at int, in, kind string) int {
	config := map[string]any{}
	switch kind {
	case "mock":
		config["answer"] = "=input"
	case "wait":
		config["duration"] = fmt.Sprintf("%dus", 1+n.r.IntN(9_000_000))
	case "human":
		config["title"], config["decisions"] = "?", []any{map[string]any{"port": "success"}}
	case "map":
		config["items"], config["concurrency"] = "=[1, 2, 3, 4, 5]", 1+n.r.IntN(4)
		config["on_item_error"], config["max_failures"] = []string{"stop", "skip", "collect"}[n.r.IntN(3)], n.r.IntN(3)
	}
	i := n.node(kind, in, config)
	if at >= 0 {
		n.g.Edges = append(n.g.Edges, graph.Edge{ID: fmt.Sprintf("e%d", len(n.g.Edges)), From: n.g.Nodes[at].ID, Port: "success", To: n.g.Nodes[i].ID})
	}
	return i
}

// chain draws steps one behind the other.
func (n *nest) chain(in string) {
	at := -1
	if in == "" {
		at = 0
	}
	for range 1 + n.r.IntN(3) {
		at = n.after(at, in, n.some())
	}
}
