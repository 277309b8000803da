package soundness

import (
	"slices"

	"signalbox/engine/graph"
	"signalbox/engine/machine"
)

// structure finds what the drawing alone shows: loops that nothing leaves, and
// joins that have no place in a loop.
func (p *prover) structure() {
	for _, loop := range p.parts.found {
		if !cyclic(p.m, loop) {
			continue
		}
		if !exits(p.m, loop) {
			p.found = append(p.found, Finding{Code: NoExit, Severity: graph.SeverityError, Node: loop[0], Related: loop})
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

// exits reports whether a port of a node in the loop leads out of it. A
// failure that nobody catches ends the run, but is no way out.
func exits(m *machine.Machine, loop []int) bool {
	in := make(map[int]bool, len(loop))
	for _, n := range loop {
		in[n] = true
	}
	for _, n := range loop {
		if m.Nodes[n].Op == machine.OpEnd || m.Nodes[n].Op == machine.OpFail {
			return true
		}
		for _, port := range m.Nodes[n].Ports {
			if leaves(m, n, port, in) {
				return true
			}
		}
	}
	return false
}

// leaves reports whether a token that takes the port puts none back into the
// loop.
func leaves(m *machine.Machine, node int, port string, loop map[int]bool) bool {
	leads := false
	for _, e := range m.Out(node) {
		if m.Edges[e].Port != port {
			continue
		}
		leads = true
		if loop[m.Edges[e].To] {
			return false
		}
	}
	return leads || port != machine.PortFailure
}
