package play

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"signalbox/engine/graph"
	"signalbox/engine/reference"
)

// Meet makes some waits of a drawing wait for a signal, a person or the call of
// an address, and lets some tasks be other workflows.
func Meet(r *rand.Rand, g *graph.Graph, workflows ...string) {
	for i := range g.Nodes {
		n := &g.Nodes[i]
		undoes := slices.ContainsFunc(g.Edges, func(e graph.Edge) bool { return e.Port == graph.PortCompensate && e.To == n.ID })
		switch {
		case n.Kind == "wait", n.Kind == "set" && r.IntN(2) == 0:
			await(r, g, n)
		case n.Kind == "mock" && !undoes && len(workflows) > 0 && r.IntN(5) == 0:
			call(r, n, workflows)
		}
	}
}

// Call lets some tasks of a drawing be other workflows: one in so many.
func Call(r *rand.Rand, g *graph.Graph, one int, workflows ...string) {
	for i := range g.Nodes {
		n := &g.Nodes[i]
		undoes := slices.ContainsFunc(g.Edges, func(e graph.Edge) bool { return e.Port == graph.PortCompensate && e.To == n.ID })
		if n.Kind == "mock" && !undoes && r.IntN(one) == 0 {
			call(r, n, workflows)
		}
	}
}

func call(r *rand.Rand, n *graph.Node, workflows []string) {
	config := map[string]any{"workflow": workflows[r.IntN(len(workflows))], "wait": r.IntN(5) > 0}
	if r.IntN(2) == 0 {
		config["input"] = "=input"
	}
	n.Kind, n.Config, n.Retry, n.Timeout = "call", written(config), nil, nil
}

// await makes a wait one for a message, a person or a call. Some of its ways on
// are others then.
func await(r *rand.Rand, g *graph.Graph, n *graph.Node) {
	config := map[string]any{}
	ways := []string{"timeout"}
	switch r.IntN(5) {
	case 0:
		n.Kind = "human"
		config["title"], config["decisions"] = "?", []any{map[string]any{"port": "success"}, map[string]any{"port": "other"}}
		ways = append(ways, "other")
	case 1:
		n.Kind = "callback"
	case 2, 3:
		n.Kind, config["name"] = "signal", names[r.IntN(len(names))]
		if r.IntN(2) == 0 {
			config["correlation"] = []any{"x", 1.0, "=" + marks + " % 2"}[r.IntN(3)]
		}
		if r.IntN(2) == 0 {
			config["keep"] = fmt.Sprintf("%dus", r.IntN(6_000_000))
		}
	default:
		return
	}
	if r.IntN(3) > 0 {
		config["timeout"] = fmt.Sprintf("%dus", 1+r.IntN(6_000_000))
	}
	n.Config = written(config)
	for i := range g.Edges {
		if e := &g.Edges[i]; e.From == n.ID && e.Port == "success" && r.IntN(3) == 0 {
			e.Port = ways[r.IntN(len(ways))]
		}
	}
}

var names = []string{"go", "stop"} //nolint:gochecknoglobals // a constant

func written(v any) json.RawMessage {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return raw
}

// Messages are signals that come to a run in its first seconds, some of them
// twice.
func Messages(r *rand.Rand, from time.Time) []reference.Signal {
	var list []reference.Signal
	for range r.IntN(12) {
		s := reference.Signal{
			At:   from.Add(time.Duration(1+r.IntN(12_000_000)) * time.Microsecond),
			Name: names[r.IntN(len(names))], Correlation: []string{"", "", "", "x", "1", "0"}[r.IntN(6)],
			Value: map[string]any{"r": float64(r.IntN(10))},
		}
		if r.IntN(2) == 0 {
			s.ID = fmt.Sprint("m", r.IntN(4))
		}
		list = append(list, s)
	}
	slices.SortFunc(list, func(a, b reference.Signal) int { return a.At.Compare(b.At) })
	return list
}
