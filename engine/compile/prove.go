package compile

import (
	"encoding/json"
	"fmt"

	"signalbox/engine/graph"
	"signalbox/engine/machine"
	"signalbox/engine/soundness"
)

// prove explores the tokens and translates what it finds back to the drawing.
func (c *compiler) prove(m *machine.Machine) {
	ids := make([]string, len(m.Nodes))
	for _, n := range c.g.Nodes {
		if at := m.Index(n.Key); at >= 0 { // states of a chart are no nodes of the machine
			ids[at] = n.ID
		}
	}
	found := soundness.Prove(m)
	echo := echoes(m, found)
	for _, f := range found {
		if f.Code == soundness.DeadNode && echo[f.Node] {
			continue
		}
		i := graph.Issue{Code: f.Code, Severity: f.Severity, Message: f.Sentence(func(node int) string { return c.title(ids[node]) })}
		if f.Node >= 0 {
			i.Node = ids[f.Node]
		}
		for _, r := range f.Related {
			i.Related = append(i.Related, ids[r])
		}
		for _, ch := range f.Example {
			i.Example = append(i.Example, graph.Choice{Node: ids[ch.Node], Port: ch.Port})
		}
		if f.Fix != nil {
			i.Fix = c.joinFix(c.node[ids[f.Fix.Node]], *f.Fix)
			for _, other := range f.Fix.Others {
				if more := c.joinFix(c.node[ids[other]], *f.Fix); more != nil && i.Fix != nil {
					i.Fix.Ops = append(i.Fix.Ops, more.Ops...)
				}
			}
			if more := len(f.Fix.Others); more > 0 && i.Fix != nil {
				i.Fix.Title = fmt.Sprintf("Let “%s” and %d more join each branch by itself", c.title(ids[f.Fix.Node]), more)
			}
		}
		c.add(i)
	}
}

// echoes are the nodes that can never run for another finding's sake: they lie
// behind joins that wait for ever, or behind another node that can never run.
// What cures that one cures them, so that nobody need be told of them too.
func echoes(m *machine.Machine, found []soundness.Finding) map[int]bool {
	echo := map[int]bool{}
	var follow func(node int)
	follow = func(node int) {
		for _, e := range m.Out(node) {
			if to := m.Edges[e].To; !echo[to] {
				echo[to] = true
				follow(to)
			}
		}
	}
	var dead []int
	for _, f := range found {
		switch f.Code {
		case soundness.JoinStuck, soundness.JoinCycle:
			for _, node := range append([]int{f.Node}, f.Related...) {
				follow(node)
			}
		case soundness.DeadNode:
			dead = append(dead, f.Node)
		}
	}
	entered := map[int]bool{} // by another node that can never run
	for _, node := range dead {
		for _, e := range m.Out(node) {
			entered[m.Edges[e].To] = entered[m.Edges[e].To] || m.Edges[e].To != node
		}
	}
	// The first of each row tells for all; of a ring without one, the first in order.
	for _, first := range []bool{true, false} {
		for _, node := range dead {
			if echo[node] || first == entered[node] {
				continue
			}
			follow(node)
			echo[node] = false
		}
	}
	return echo
}

// joinFix writes a change of a node's join as operations; the rest of the join
// stays. With a deadline go the edges that leave by it.
func (c *compiler) joinFix(n *graph.Node, f soundness.Fix) *graph.Fix {
	join := graph.Join{}
	if n.Join != nil {
		join = *n.Join
	}
	if join.Mode == "" {
		join.Mode = machine.JoinInclusive
	}
	title := "Take the deadline off “%s”"
	switch {
	case f.Cancel && join.Then != "cancel":
		join.Then, title = "cancel", "Let “%s” cancel the other branches"
	case f.Mode == join.Mode:
	case f.Mode == machine.JoinInclusive:
		title = "Let “%s” wait for what still comes"
	default:
		title = "Let “%s” join each branch by itself"
	}
	if f.Mode != join.Mode {
		join.Mode, join.N, join.Then = f.Mode, 0, ""
	}
	var ops []graph.Op
	if join.Deadline != "" && (f.NoDeadline || f.Mode == machine.JoinEach) {
		join.Deadline = ""
		waits := &graph.Node{Config: n.Config} // it may have such a port of its own
		for _, e := range c.out[n.ID] {
			if e.Port == machine.PortTimeout && !hasPort(c.specs[n.ID], waits, e.Port) {
				ops = append(ops, graph.Op{Op: "edge.del", ID: e.ID})
			}
		}
	}
	value, err := json.Marshal(join)
	if err != nil {
		return nil
	}
	ops = append(ops, graph.Op{Op: "node.set", ID: n.ID, Path: "/join", Value: value})
	return &graph.Fix{Title: fmt.Sprintf(title, c.title(n.ID)), Ops: ops}
}
