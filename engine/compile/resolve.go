package compile

import (
	"encoding/json"
	"slices"
	"strings"

	"signalbox/engine/graph"
	"signalbox/engine/kind"
	"signalbox/engine/machine"
)

// resolve finds the kind of every node and checks that edges use ports that
// exist.
func (c *compiler) resolve() {
	for _, n := range c.g.Nodes {
		spec, ok := kind.Find(n.Kind)
		if !ok {
			c.fail("unknown_kind", n, "/kind", "“%s” is of a kind that is not known here (%s); it is kept, but it cannot run.", c.title(n.ID), n.Kind)
			continue
		}
		c.specs[n.ID] = spec
	}
	for _, e := range c.g.Edges {
		from, to := c.node[e.From], c.node[e.To]
		if e.Port == graph.PortCompensate {
			c.checkCompensation(e)
			continue
		}
		if inChart(c.g, from) && inChart(c.g, to) && from.In == to.In {
			continue // a transition: the chart looks at it
		}
		c.checkBorder(e)
		if spec, ok := c.specs[e.From]; ok && !hasPort(spec, from, e.Port) {
			i := graph.Issue{
				Code: "unknown_port", Severity: graph.SeverityError, Node: e.From, Edge: e.ID,
				Message: "“" + c.title(from.ID) + "” has no port “" + e.Port + "” any more, but an edge leaves there.",
				Fix:     &graph.Fix{Title: "Remove the edge", Ops: []graph.Op{{Op: "edge.del", ID: e.ID}}},
			}
			c.add(i)
		}
		if spec, ok := c.specs[e.To]; ok && spec.NoInput {
			c.add(graph.Issue{
				Code: "edge_into_trigger", Severity: graph.SeverityError, Node: to.ID, Edge: e.ID,
				Message: "“" + c.title(to.ID) + "” starts runs, so no edge can end there.",
				Fix:     &graph.Fix{Title: "Remove the edge", Ops: []graph.Op{{Op: "edge.del", ID: e.ID}}},
			})
		}
	}
	c.checkContainers()
	c.checkTriggers()
}

func hasPort(spec kind.Spec, n *graph.Node, port string) bool {
	if port == machine.PortTimeout && n.Join != nil && n.Join.Deadline != "" {
		return true
	}
	return slices.ContainsFunc(spec.PortsFor(n.Config), func(p kind.Port) bool { return p.Name == port })
}

func (c *compiler) trigger(n graph.Node) bool { return c.specs[n.ID].Work == kind.WorkTrigger }

// checkTriggers wants at least one trigger, and no two webhooks on one path.
func (c *compiler) checkTriggers() {
	found, paths := false, map[string]graph.Node{}
	for _, n := range c.g.Nodes {
		if !c.trigger(n) {
			continue
		}
		found = true
		if n.Disabled {
			c.fail("disabled_trigger", n, "/disabled", "“%s” is a trigger and cannot be disabled; remove it, or its edges.", c.title(n.ID))
		}
		if n.Kind != "webhook" {
			continue
		}
		var config struct {
			Path string `json:"path"`
		}
		if json.Unmarshal(n.Config, &config) == nil && config.Path != "" {
			if other, twice := paths[config.Path]; twice {
				c.fail("same_path", n, "/config/path", "“%s” and “%s” listen on the same path.", c.title(other.ID), c.title(n.ID))
			}
			paths[config.Path] = n
		}
	}
	if found {
		return
	}
	c.add(graph.Issue{
		Code: "no_trigger", Severity: graph.SeverityError,
		Message: "Nothing starts this workflow: it needs a trigger.",
		Fix:     c.addTrigger(),
	})
}

// addTrigger puts a manual trigger before the first node without an incoming
// edge.
func (c *compiler) addTrigger() *graph.Fix {
	x, y, first := 0, 0, ""
	for _, n := range c.g.Nodes {
		l := c.g.Layout.Nodes[n.ID]
		if len(c.in[n.ID]) == 0 && (first == "" || l.X < x) {
			x, y, first = l.X, l.Y, n.ID
		}
	}
	id, key := freeName("start", c.g)
	doc, err := json.Marshal(graph.NodeDoc{Node: graph.Node{ID: id, Key: key, Kind: "manual", Config: json.RawMessage("{}")}, X: x - 280, Y: y})
	if err != nil {
		return nil
	}
	fix := &graph.Fix{Title: "Add a manual trigger", Ops: []graph.Op{{Op: "node.add", ID: id, Value: doc}}}
	if first != "" {
		ends, err := json.Marshal(map[string]string{"from": id, "port": "success", "to": first})
		if err != nil {
			return nil
		}
		fix.Ops = append(fix.Ops, graph.Op{Op: "edge.add", ID: id + "-edge", Value: ends})
	}
	return fix
}

// freeName finds an id and a key that the graph does not use.
func freeName(word string, g *graph.Graph) (id, key string) {
	key = word
	taken := func() bool {
		return slices.ContainsFunc(g.Nodes, func(n graph.Node) bool { return n.Key == key || n.ID == "fix-"+key }) ||
			slices.ContainsFunc(g.Edges, func(e graph.Edge) bool { return strings.HasPrefix(e.ID, "fix-"+key) })
	}
	for i := 2; taken(); i++ {
		key = word + "_" + strings.Repeat("x", i-1)
	}
	return "fix-" + key, key
}
