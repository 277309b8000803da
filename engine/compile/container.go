package compile

import (
	"fmt"

	"signalbox/engine/graph"
	"signalbox/engine/kind"
)

// checkContainers wants nodes to stand only in containers, and containers to
// hold something.
func (c *compiler) checkContainers() {
	holds := map[string]bool{}
	for _, n := range c.g.Nodes {
		if n.In == "" {
			continue
		}
		holds[n.In] = true
		if spec, ok := c.specs[n.In]; ok && !spec.Container {
			c.fail("bad_container", n, "/in", "“%s” stands in “%s”, which is no container.", c.title(n.ID), c.title(n.In))
		}
		if c.trigger(n) {
			c.fail("trigger_in_container", n, "/in", "“%s” starts runs and cannot stand in “%s”.", c.title(n.ID), c.title(n.In))
		}
	}
	for _, n := range c.g.Nodes {
		spec, ok := c.specs[n.ID]
		if !ok || !spec.Container {
			continue
		}
		if n.Disabled {
			c.fail("disabled_container", n, "/disabled", "“%s” holds steps and cannot be disabled.", c.title(n.ID))
		}
		if !holds[n.ID] {
			c.warn("empty_container", n, "", "Nothing stands in “%s”: it gives its input back.", c.title(n.ID))
		}
	}
}

// checkBorder refuses an edge that crosses the border of a scope.
func (c *compiler) checkBorder(e graph.Edge) {
	from, to := c.node[e.From], c.node[e.To]
	if from.In == to.In {
		return
	}
	c.add(graph.Issue{
		Code: "crosses_scope", Severity: graph.SeverityError, Node: from.ID, Edge: e.ID,
		Message: fmt.Sprintf("The edge from “%s” to “%s” crosses the border of a container. What leaves a container leaves by its own ports.", c.title(from.ID), c.title(to.ID)),
		Fix:     &graph.Fix{Title: "Remove the edge", Ops: []graph.Op{{Op: "edge.del", ID: e.ID}}},
	})
}

// checkCompensation looks at an edge to the node that undoes another.
func (c *compiler) checkCompensation(e graph.Edge) {
	from, to := c.node[e.From], c.node[e.To]
	say := func(format string, args ...any) {
		c.add(graph.Issue{
			Code: "bad_compensation", Severity: graph.SeverityError, Node: to.ID, Edge: e.ID, Message: fmt.Sprintf(format, args...),
			Fix: &graph.Fix{Title: "Remove the edge", Ops: []graph.Op{{Op: "edge.del", ID: e.ID}}},
		})
	}
	spec, known := c.specs[to.ID]
	others := 0
	for _, o := range c.out[from.ID] {
		if o.Port == graph.PortCompensate {
			others++
		}
	}
	switch {
	case from.In != to.In:
		say("“%s” and the step that undoes it, “%s”, must stand in the same container.", c.title(from.ID), c.title(to.ID))
	case others > 1:
		say("“%s” can be undone by one step only.", c.title(from.ID))
	case known && spec.Work != kind.WorkTask:
		say("“%s” cannot undo anything: only a step that a worker does can.", c.title(to.ID))
	case len(c.out[to.ID]) > 0:
		say("“%s” undoes “%s”; nothing can come after it.", c.title(to.ID), c.title(from.ID))
	case len(c.flowIn(to.ID)) > 0:
		say("“%s” undoes “%s” and cannot be part of the flow as well.", c.title(to.ID), c.title(from.ID))
	case c.trigger(*from):
		say("“%s” starts runs; that cannot be undone.", c.title(from.ID))
	}
}

// flowIn lists the edges into a node that tokens take.
func (c *compiler) flowIn(id string) []graph.Edge {
	var flow []graph.Edge
	for _, e := range c.in[id] {
		if e.Port != graph.PortCompensate {
			flow = append(flow, e)
		}
	}
	return flow
}

// undoes reports whether a node is there to undo others.
func (c *compiler) undoes(id string) bool {
	for _, e := range c.in[id] {
		if e.Port == graph.PortCompensate {
			return true
		}
	}
	return false
}

// lift returns the node or that container around it that stands in the scope;
// nil when neither does.
func (c *compiler) lift(n *graph.Node, scope string) *graph.Node {
	for n != nil && n.In != scope {
		n = c.node[n.In]
	}
	return n
}
