package soundness

import (
	"slices"

	"signalbox/engine/graph"
	"signalbox/engine/machine"
)

// structure finds the loops, and joins that have no place in one.
func (p *prover) structure() {
	for _, loop := range p.parts.found {
		if !cyclic(p.m, loop) {
			continue
		}
		for _, n := range loop {
			p.round[n] = true
			p.joinInLoop(n)
		}
	}
}

func (p *prover) joinInLoop(n int) {
	node := &p.m.Nodes[n]
	some := node.Join == machine.JoinN || node.Join == machine.JoinFirst
	if len(p.m.In(n)) < 2 || node.Join == machine.JoinEach {
		return
	}
	switch {
	case some && !node.Cancel:
		p.found = append(p.found, Finding{
			Code: AbsorbInLoop, Severity: graph.SeverityError, Node: n,
			Fix: &Fix{Node: n, Mode: node.Join, Cancel: true, NoDeadline: true},
		})
	case node.Deadline > 0:
		p.found = append(p.found, Finding{
			Code: AbsorbInLoop, Severity: graph.SeverityError, Node: n,
			Fix: &Fix{Node: n, Mode: node.Join, Cancel: node.Cancel, NoDeadline: true},
		})
	case some:
		p.found = append(p.found, Finding{Code: CancelInLoop, Severity: graph.SeverityWarning, Node: n})
	}
}

// loopKnown reports whether the loop of the node is already known to have no
// way out.
func (p *prover) loopKnown(node int) bool {
	return slices.ContainsFunc(p.found, func(f Finding) bool { return f.Code == NoExit && slices.Contains(f.Related, node) })
}

// endless finds loops that a token never leaves: every way of every node in
// them puts one back. A failure that nobody catches ends the scope, but is no
// way out.
func (p *prover) endless(n *net) {
	within := make([]bool, len(p.m.Nodes))
	for _, i := range n.nodes {
		within[i] = n.round[i] && n.join[i] != machine.JoinAll && n.join[i] != machine.JoinN
	}
	stays := func(w way) bool {
		return !w.fatal && slices.ContainsFunc(w.edges, func(e int) bool { return within[p.m.Edges[e].To] })
	}
	queue := slices.Clone(n.nodes)
	for len(queue) > 0 {
		i := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		if within[i] && (len(n.ways[i]) == 0 || slices.ContainsFunc(n.ways[i], func(w way) bool { return !stays(w) })) {
			within[i] = false
			for _, e := range p.m.In(i) {
				queue = append(queue, p.m.Edges[e].From)
			}
		}
	}
	for c, part := range n.parts {
		loop := slices.DeleteFunc(slices.Clone(part), func(i int) bool { return !within[i] })
		if c == 0 && n.anyhow {
			loop = slices.DeleteFunc(slices.Clone(n.nodes), func(i int) bool { return !within[i] || !n.unordered(i) })
		}
		if len(loop) > 0 {
			p.found = append(p.found, Finding{Code: NoExit, Severity: graph.SeverityError, Node: loop[0], Related: loop})
		}
	}
}
