package play

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"

	"signalbox/engine/graph"
	"signalbox/engine/kind"
)

// artist draws random workflows.
type artist struct {
	r    *rand.Rand
	g    graph.Graph
	keys []int
}

// Draw makes a workflow of 3 to 14 nodes, and more in its containers: every
// kind, joins of every mode, mostly forward edges and some back.
func Draw(r *rand.Rand) graph.Graph {
	a := &artist{r: r, g: graph.Graph{Format: graph.Format}, keys: r.Perm(100)} // so that the order of keys is not the order of drawing
	a.body("", 3+r.IntN(12), 0)
	a.rules()
	if r.IntN(3) == 0 {
		a.compensations()
	}
	return a.g
}

// body draws the nodes of one scope and the edges between them.
func (a *artist) body(in string, n, depth int) {
	var nodes []int
	for i := range n {
		kind := "manual"
		if i > 0 || in != "" {
			kind = a.kind(depth)
		}
		nodes = append(nodes, len(a.g.Nodes))
		a.node(kind, in)
	}
	for i := 1; i < n; i++ {
		if in == "" || a.r.IntN(6) > 0 {
			a.edge(a.source(nodes[:i]), nodes[i], 4)
		}
	}
	for range a.r.IntN(max(1, n)) {
		if n > 1 {
			i := 1 + a.r.IntN(n-1)
			a.edge(a.source(nodes[:i]), nodes[i], 2)
		}
	}
	if n > 1 && a.r.IntN(3) == 0 {
		for range 1 + a.r.IntN(2) { // loops
			from := 1 + a.r.IntN(n-1)
			a.edge(nodes[from], nodes[1+a.r.IntN(from)], 1)
		}
	}
	for _, i := range nodes {
		if n := a.g.Nodes[i]; n.Kind == "group" || n.Kind == "map" || n.Kind == "loop" {
			a.body(n.ID, min(a.r.IntN(20), 1+a.r.IntN(5)), depth+1)
		}
	}
}

func (a *artist) kind(depth int) string {
	if depth < 2 && a.r.IntN(10) == 0 {
		return a.pick("group", "map", "loop")
	}
	return a.pick("mock", "mock", "mock", "mock", "if", "if", "route", "set", "transform", "join", "join", "wait", "output", "respond", "end", "mock", "if", "wait", "join", a.pick("fail", "mock", "set"))
}

// compensations makes transactions, and draws nodes that undo others.
func (a *artist) compensations() {
	a.g.Transaction = a.r.IntN(2) == 0
	for i, n := range a.g.Nodes {
		if n.Kind == "group" {
			a.g.Nodes[i].Config = json.RawMessage(`{"transaction":true,"compensate":"` + a.pick("reverse", "reverse", "parallel") + `"}`)
		}
		if n.Kind == "manual" || n.Disabled || n.Join != nil && n.Join.Combine != "" || len(a.g.Nodes) == len(a.keys) {
			continue
		}
		a.g.Nodes[i].Pivot = a.r.IntN(30) == 0
		if a.r.IntN(3) == 0 {
			a.node("mock", n.In)
			undo := &a.g.Nodes[len(a.g.Nodes)-1]
			undo.Disabled, undo.MaxVisits = false, 0
			a.g.Edges = append(a.g.Edges, graph.Edge{ID: fmt.Sprint("u", i), From: n.ID, Port: graph.PortCompensate, To: undo.ID})
		}
	}
}

// source is one of the nodes, one from which a token can come.
func (a *artist) source(nodes []int) int {
	for range 20 {
		if from := nodes[a.r.IntN(len(nodes))]; len(ports(a.g.Nodes[from])) > 0 {
			return from
		}
	}
	return nodes[0]
}

// rules gives join rules to nodes where edges meet.
func (a *artist) rules() {
	for i := range a.g.Nodes {
		n := &a.g.Nodes[i]
		edges := 0
		for _, e := range a.g.Edges {
			if e.To == n.ID {
				edges++
			}
		}
		if edges < 2 {
			continue
		}
		n.Join = &graph.Join{Mode: a.pick("inclusive", "inclusive", "inclusive", "each", "each", "all", "all", "n", "first")}
		switch n.Join.Mode {
		case "n":
			n.Join.N = 1 + a.r.IntN(edges)
			n.Join.Then = a.pick("absorb", "cancel")
		case "first":
			n.Join.Then = a.pick("absorb", "cancel")
		}
		if n.Join.Mode != "each" && n.Kind == "join" && a.r.IntN(2) == 0 {
			a.combine(n.Join)
		}
		if n.Join.Mode != "each" && a.r.IntN(8) == 0 {
			n.Join.Deadline = fmt.Sprintf("%dus", 1+a.r.IntN(8_000_000))
		}
	}
}

func (a *artist) combine(j *graph.Join) {
	switch j.Combine = a.pick("append", "zip", "merge", "reduce"); j.Combine {
	case "merge":
		j.Key = "r"
	case "reduce":
		j.Reduce = a.pick("{'acc': acc, 'item': item}", "item", "acc + size(json(item).split('\"'))")
		j.Start = a.pick("", "1")
	}
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

func (a *artist) node(kind, in string) {
	i := len(a.g.Nodes)
	key := fmt.Sprintf("n%02d", a.keys[i])
	n := graph.Node{ID: "id-" + key, Key: key, Kind: kind, In: in}
	container := kind == "group" || kind == "map" || kind == "loop"
	if kind != "manual" {
		n.Disabled = !container && a.r.IntN(25) == 0
		n.MaxVisits = 2 + a.r.IntN(6)
	}
	if container && a.r.IntN(4) == 0 {
		n.Retry = &graph.Retry{MaxAttempts: 2, Initial: fmt.Sprintf("%dms", 100+a.r.IntN(5_000))}
	}
	if n.Kind == "mock" { // a kind's own policy has jitter, which the reference leaves out
		n.Retry = &graph.Retry{MaxAttempts: 1 + a.r.IntN(3), Initial: fmt.Sprintf("%dms", 100+a.r.IntN(5_000)), Backoff: a.pick("fixed", "exponential")}
		if a.r.IntN(3) == 0 {
			n.Retry.On = []string{"invalid_input", "unavailable"}
		}
	}
	if n.Retry != nil {
		switch a.r.IntN(6) {
		case 0:
			n.Retry.Total = fmt.Sprintf("%dus", 1+a.r.IntN(9_000_000))
		case 1:
			n.Retry.When = a.pick("error.class != 'own'", "size(inputs) > 1", "false", "error.attempts < 2")
		}
	}
	if (container || kind == "mock") && a.r.IntN(10) == 0 {
		n.Timeout = &graph.Timeout{Total: fmt.Sprintf("%dus", 1+a.r.IntN(9_000_000))}
	}
	n.Config = a.config(n.Kind, i)
	if a.repeats(in) && a.r.IntN(3) == 0 {
		switch kind {
		case "transform":
			n.Config = json.RawMessage(`{"expression":"[item, index]"}`)
		case "if":
			n.Config = json.RawMessage(`{"condition":"index % 2 == 0"}`)
		case "output":
			n.Config = json.RawMessage(`{"value":{"of":"=item","at":"=index","got":"=input"}}`)
		}
	}
	a.g.Nodes = append(a.g.Nodes, n)
}

// repeats reports whether a container stands in a map or a loop, so that there
// is an item.
func (a *artist) repeats(in string) bool {
	for n := a.g.Node(in); n != nil; n = a.g.Node(n.In) {
		if n.Kind == "map" || n.Kind == "loop" {
			return true
		}
	}
	return false
}

func (a *artist) pick(list ...string) string { return list[a.r.IntN(len(list))] }

// marks is a number that nearly every part of a value has a share in, save the
// words of an error's message, which no law tells.
const marks = `size(json(input).split('"'))`

// condition mostly depends on every part of the input, so that a value that
// differs anywhere soon leads another way.
func (a *artist) condition() string {
	if a.r.IntN(20) == 0 {
		return "input.none > 1"
	}
	return a.pick(marks+" % 2 == 0", marks+" % 3 > 0", "true", "has(input.r) && input.r > 4", "size(inputs) > 1")
}

func (a *artist) config(kind string, i int) json.RawMessage {
	config := map[string]any{}
	switch kind {
	case "mock":
		config["answer"] = "=input"
	case "map":
		config["items"] = a.pick("=[input, {'r': 7}, 3]", "=[1, 2, 3, 4, 5]", "=[]", "=[input]", "=input")
		config["concurrency"] = 1 + a.r.IntN(3)
		config["on_item_error"] = a.pick("stop", "skip", "collect")
		config["max_failures"] = a.r.IntN(3)
	case "loop":
		config["condition"] = a.pick("index < 3", "index < 2", marks+" % 3 > 0", "false")
		config["check"] = a.pick("before", "after")
		config["max"] = 1 + a.r.IntN(4)
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
		config["fields"] = map[string]any{"s": i, "deep.n": "=" + marks}
	case "transform":
		config["expression"] = a.pick("{'v': "+marks+"}", "input", "{'t': trigger, 'n': size(inputs)}", "[input, 1]", "[{'r': 1, 's': 2}, {'r': 3}, input]")
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
			config["output"] = "{{ " + marks + " }} at the end"
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
