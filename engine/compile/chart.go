package compile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"signalbox/engine/chart"
	"signalbox/engine/chart/draw"
	"signalbox/engine/graph"
	"signalbox/engine/kind"
	"signalbox/engine/machine"
)

// inChart reports whether a node stands in a statechart: what it means is that
// chart's business.
func inChart(g *graph.Graph, n *graph.Node) bool {
	for depth := 0; n.In != "" && depth <= graph.NestingMax; depth++ {
		if n = g.Node(n.In); n == nil {
			return false
		}
		if n.Kind == draw.KindStates {
			return true
		}
	}
	return false
}

// flow lists the edges that tokens take: not those to compensations, and not
// the transitions inside of statecharts.
func flow(g *graph.Graph) []graph.Edge {
	inner := map[string]bool{}
	for i := range g.Nodes {
		if inChart(g, &g.Nodes[i]) {
			inner[g.Nodes[i].ID] = true
		}
	}
	var edges []graph.Edge
	for _, e := range g.Edges {
		if e.Port != graph.PortCompensate && !inner[e.From] && !inner[e.To] {
			edges = append(edges, e)
		}
	}
	return edges
}

// checkChart reads the statechart that a node is the outermost container of.
func (c *compiler) checkChart(n graph.Node) {
	d, issues := draw.FromGraph(*c.g, n.ID)
	for _, i := range issues {
		c.add(i)
	}
	at := map[string]graph.Node{}
	for state, id := range draw.States(*c.g, n.ID) {
		at[state] = *c.node[id]
	}
	c.invokes(&d.Node, d.ID, n.ID, at)
	c.charts[n.ID] = d
}

// invokes checks the tasks that states start, and gives each of them the node
// of the machine that does it.
func (c *compiler) invokes(s *chart.Node, id, container string, at map[string]graph.Node) {
	for i := range s.Invoke {
		v, n := &s.Invoke[i], at[id]
		field := fmt.Sprintf("/config/invoke/%d", i)
		spec, known := kind.Find(v.Source)
		if !known || spec.Work != kind.WorkTask {
			c.fail("unknown_task", n, field+"/src", "“%s” starts “%.40s”, which is no task here. Expected: the kind of a step that a worker does, for example http, llm or mock", c.title(n.ID), v.Source)
			continue
		}
		c.checkFields(n, field+"/input", spec, v.Input)
		v.Input = spec.Defaults(v.Input)
		key := c.freeKey(n.Key)
		c.tasks = append(c.tasks, invoked{key: key, kind: spec.Name, spec: spec, container: container})
		v.Source = key
	}
	for i := range s.States {
		k := &s.States[i]
		inner := k.ID
		if inner == "" {
			inner = id + "." + k.Key
		}
		c.invokes(k, inner, container, at)
	}
}

// invoked is a task that a state starts, or the one of a callback.
type invoked struct {
	key       string
	kind      string // what the worker is asked for
	spec      kind.Spec
	container string // id of the chart's node, or the callback's
}

// kindCall is the task that hands a callback's address out: an http request in
// which the worker fills it in.
const kindCall = "callback"

// callsOut checks the request that hands a callback's address out, if it has
// one, and gives it the node of the machine that does it.
func (c *compiler) callsOut(n graph.Node) {
	call := callOf(n)
	if n.Kind != kindCall || call == nil || n.Disabled {
		return
	}
	spec, _ := kind.Find("http")
	c.checkFields(n, "/config/call", spec, call)
	if !bytes.Contains(call, []byte("{callback}")) {
		c.warn("address_not_told", n, "/config/call", "The request of “%s” does not tell its address: write {callback} where it belongs.", c.title(n.ID))
	}
	c.tasks = append(c.tasks, invoked{key: c.freeKey(n.Key[:min(len(n.Key), graph.KeyLengthMax-5)] + "_call"), kind: kindCall, spec: spec, container: n.ID})
}

// callOf is the request of a callback; nil when it makes none.
func callOf(n graph.Node) json.RawMessage {
	var c struct {
		Call json.RawMessage `json:"call"`
	}
	if json.Unmarshal(n.Config, &c) != nil || string(c.Call) == "null" {
		return nil
	}
	return c.Call
}

// lowerCallback fills in what the request leaves to the defaults of http.
func lowerCallback(out *machine.Node, n graph.Node) {
	call := callOf(n)
	if call == nil {
		return
	}
	spec, _ := kind.Find("http")
	fields := map[string]json.RawMessage{}
	if json.Unmarshal(out.Config, &fields) != nil {
		return
	}
	fields["call"] = spec.Defaults(call)
	if raw, err := json.Marshal(fields); err == nil {
		out.Config = raw
	}
}

// freeKey is the state's own key for its first task, and one that nobody has
// for another, or for one of the whole chart.
func (c *compiler) freeKey(key string) string {
	taken := func(k string) bool {
		for _, t := range c.tasks {
			if t.key == k {
				return true
			}
		}
		return c.key[k] != nil && (k != key || !inChart(c.g, c.key[k]))
	}
	free := key
	for i := 2; taken(free); i++ {
		tail := fmt.Sprintf("_%d", i)
		free = key[:min(len(key), graph.KeyLengthMax-len(tail))] + tail
	}
	return free
}

func (c *compiler) lowerChart(out *machine.Node, n graph.Node) {
	raw, err := json.Marshal(c.charts[n.ID])
	if err != nil {
		raw = json.RawMessage("{}") // a chart that was read can be written
	}
	out.Op, out.Config, out.Ports = machine.OpChart, raw, []string{machine.PortSuccess, machine.PortFailure}
}

// lowerTasks adds the nodes that do the tasks of states.
func (c *compiler) lowerTasks(m *machine.Machine, index map[string]int) {
	slices.SortFunc(c.tasks, func(a, b invoked) int { return strings.Compare(a.key, b.key) })
	for _, t := range c.tasks {
		of := index[t.container]
		out := machine.Node{
			Key: t.key, Kind: t.kind, Op: machine.OpTask, Config: json.RawMessage("{}"),
			Join: machine.JoinInclusive, MaxVisits: machine.VisitsMax, Ports: []string{}, In: m.Nodes[of].In, Of: of + 1,
		}
		for _, p := range t.spec.Ports {
			out.Ports = append(out.Ports, p.Name)
		}
		lowerTask(&out, graph.Node{}, t.spec)
		m.Nodes = append(m.Nodes, out)
	}
}
