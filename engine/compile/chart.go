package compile

import (
	"encoding/json"

	"signalbox/engine/chart"
	"signalbox/engine/chart/draw"
	"signalbox/engine/graph"
	"signalbox/engine/machine"
)

// inChart reports whether a node is a state inside a statechart. Tokens know
// only the outermost container of one.
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

// flow lists the edges that tokens take: neither those to compensations nor the
// transitions of statecharts.
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

// checkChart reads the statechart that a container holds.
func (c *compiler) checkChart(n graph.Node) {
	d, issues := draw.FromGraph(*c.g, n.ID)
	for _, i := range issues {
		c.add(i)
	}
	if invokes(d.Node) {
		c.fail("unsupported_invoke", n, "", "A state of “%s” starts a task by itself, which is not possible here yet. Leave the state machine and come back instead.", c.title(n.ID))
	}
	c.charts[n.ID] = d
}

func invokes(n chart.Node) bool {
	if len(n.Invoke) > 0 {
		return true
	}
	for _, s := range n.States {
		if invokes(s) {
			return true
		}
	}
	return false
}

// lowerChart makes the chart the configuration of its machine node.
func (c *compiler) lowerChart(out *machine.Node, n graph.Node) {
	raw, err := json.Marshal(c.charts[n.ID])
	if err != nil {
		raw = json.RawMessage("{}") // a chart that was read can be written
	}
	out.Op, out.Config, out.Ports = machine.OpChart, raw, []string{machine.PortSuccess, machine.PortFailure}
}
