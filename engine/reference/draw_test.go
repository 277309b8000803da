package reference_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"

	"signalbox/engine/graph"
	"signalbox/engine/kind"
)

// artist draws random workflows.
type artist struct {
	r *rand.Rand
	g graph.Graph
}

// draw makes a workflow of 3 to 14 nodes: every kind that stands outside of
// containers, joins of every mode, mostly forward edges and some back.
func draw(r *rand.Rand) graph.Graph {
	a := &artist{r: r, g: graph.Graph{Format: graph.Format}}
	keys := r.Perm(40) // so that the order of keys is not the order of drawing
	n := 3 + r.IntN(12)
	for i := range n {
		a.node(fmt.Sprintf("n%02d", keys[i]), i)
	}
	for to := 1; to < n; to++ {
		a.edge(a.source(to), to, 4)
	}
	for range r.IntN(n) {
		to := 1 + r.IntN(n-1)
		a.edge(a.source(to), to, 2)
	}
	if r.IntN(3) == 0 {
		for range 1 + r.IntN(2) { // loops
			from := 1 + r.IntN(n-1)
			a.edge(from, 1+r.IntN(from), 1)
		}
	}
	return a.g
}

// source is an earlier node from which a token can come.
func (a *artist) source(to int) int {
	for range 20 {
		if from := a.r.IntN(to); len(ports(a.g.Nodes[from])) > 0 {
			return from
		}
	}
	return 0
}

func ports(n graph.Node) []kind.Port {
	spec, _ := kind.Find(n.Kind)
	return spec.PortsFor(n.Config)
}

// edge draws a line from a random port; the luckier, the likelier one that
// does not carry an error.
func (a *artist) edge(from, to, luck int) {
	list := ports(a.g.Nodes[from])
	if len(list) == 0 {
		return
	}
	port := list[a.r.IntN(len(list))]
	for range luck {
		if port.Failure {
			port = list[a.r.IntN(len(list))]
		}
	}
	e := graph.Edge{From: a.g.Nodes[from].ID, Port: port.Name, To: a.g.Nodes[to].ID}
	for _, other := range a.g.Edges {
		if other.From == e.From && other.Port == e.Port && other.To == e.To {
			return
		}
	}
	e.ID = fmt.Sprintf("e%d", len(a.g.Edges))
	a.g.Edges = append(a.g.Edges, e)
}

func (a *artist) node(key string, i int) {
	n := graph.Node{ID: "id-" + key, Key: key, Kind: "manual"}
	if i > 0 {
		n.Kind = a.pick("mock", "mock", "mock", "mock", "if", "if", "route", "set", "transform", "join", "join", "wait", "output", "respond", "end", "mock", "if", "wait", "join", a.pick("fail", "mock", "set"))
		n.Disabled = a.r.IntN(25) == 0
		n.MaxVisits = 2 + a.r.IntN(6)
	}
	switch a.r.IntN(4) {
	case 0:
		n.Join = &graph.Join{Mode: "each"}
	case 1:
		n.Join = &graph.Join{Mode: "all"}
	}
	n.Config = a.config(n.Kind, i)
	if n.Kind == "mock" { // a kind's own policy has jitter, which the reference leaves out
		n.Retry = &graph.Retry{MaxAttempts: 1 + a.r.IntN(3), Initial: fmt.Sprintf("%dms", 100+a.r.IntN(5_000)), Backoff: a.pick("fixed", "exponential")}
		if a.r.IntN(3) == 0 {
			n.Retry.On = []string{"invalid_input", "unavailable"}
		}
	}
	a.g.Nodes = append(a.g.Nodes, n)
}

func (a *artist) pick(list ...string) string { return list[a.r.IntN(len(list))] }

// condition mostly depends on every part of the input, so that a value that
// differs anywhere soon leads another way.
func (a *artist) condition() string {
	if a.r.IntN(20) == 0 {
		return "input.none > 1"
	}
	return a.pick("size(json(input)) % 2 == 0", "size(json(input)) % 3 > 0", "true", "has(input.r) && input.r > 4", "size(inputs) > 1")
}

func (a *artist) config(kind string, i int) json.RawMessage {
	config := map[string]any{}
	switch kind {
	case "mock":
		config["answer"] = "=input"
	case "if":
		config["condition"] = a.condition()
	case "route":
		config["match"] = a.pick("first", "every")
		var rules []any
		for j := range 1 + a.r.IntN(3) {
			rules = append(rules, map[string]any{"port": string(rune('a' + j)), "when": a.condition()})
		}
		config["rules"] = rules
	case "set":
		config["keep"] = a.r.IntN(3) > 0
		config["fields"] = map[string]any{"s": i, "deep.n": "=size(json(input))"}
	case "transform":
		config["expression"] = a.pick("{'v': size(json(input))}", "input", "{'t': trigger, 'n': size(inputs)}")
	case "wait":
		config["duration"] = fmt.Sprintf("%dus", a.r.IntN(5_000_000))
	case "output":
		if a.r.IntN(2) == 0 {
			config["value"] = map[string]any{"o": "=input"}
		}
	case "respond":
		config["body"] = map[string]any{"b": "=input"}
	case "end":
		if a.r.IntN(2) == 0 {
			config["output"] = "{{ size(json(input)) }} at the end"
		}
	case "fail":
		config["code"], config["message"] = "mine", "No."
	}
	raw, err := json.Marshal(config)
	if err != nil {
		panic(err)
	}
	return raw
}
