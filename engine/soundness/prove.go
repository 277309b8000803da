// Package soundness proves a machine sound before it runs, or shows how it
// goes wrong: it explores the tokens of a run by itself, data ignored, every
// port possible.
//
// A join that can fire stays able to, with the same edges, so the order in
// which visits end does not matter: one order with every choice finds every
// final state (docs/semantics.md, Soundness). The exploration is bounded; past
// the bound it says so instead of guessing.
//
// It is pure.
package soundness

import (
	"fmt"
	"strings"

	"signalbox/engine/graph"
	"signalbox/engine/machine"
)

// Bounds of one exploration.
const (
	StatesMax = 20_000 // states looked at
	TokensMax = 3      // tokens on one edge, or live visits of one node: more grow without end
)

// The closed list of codes.
const (
	JoinStuck       = "join_stuck"
	JoinCycle       = "join_cycle"
	NoExit          = "no_exit"
	DeadNode        = "dead_node"
	GrowsWithoutEnd = "grows_without_end"
	TooLarge        = "too_large_to_prove"
)

// Choice is one step of a counter-example: the visit of the node ended on the
// port.
type Choice struct {
	Node int // position in the machine
	Port string
}

// Finding is one thing that the exploration saw.
type Finding struct {
	Code     string
	Severity string
	Node     int // position in the machine, -1 for none
	Related  []int
	Example  []Choice
	JoinFix  string // join mode that would put it right
	States   int    // TooLarge: how far it looked
	Missing  []string
}

// Sentence says the finding in words; title names a node.
func (f Finding) Sentence(title func(node int) string) string {
	name := ""
	if f.Node >= 0 {
		name = "“" + title(f.Node) + "”"
	}
	switch f.Code {
	case JoinStuck:
		return fmt.Sprintf("%s waits for all of its branches, but a choice can leave %s without a token; the run would fail there.", name, strings.Join(f.Missing, ", "))
	case JoinCycle:
		return fmt.Sprintf("%s and other joins can wait for each other for ever.", name)
	case NoExit:
		return fmt.Sprintf("The loop through %s has no way out: once in it, a run never ends by itself.", name)
	case DeadNode:
		return fmt.Sprintf("%s can never run: no choice leads there.", name)
	case GrowsWithoutEnd:
		return fmt.Sprintf("Tokens can pile up at %s without end.", name)
	default:
		return fmt.Sprintf("The drawing has too many combinations to be proved: %d states were looked at and nothing was wrong in them.", f.States)
	}
}

// Prove explores the machine from each of its triggers.
func Prove(m *machine.Machine) []Finding {
	var found []Finding
	found = append(found, noExit(m)...)
	reached := make([]bool, len(m.Nodes))
	complete := true
	for n := range m.Nodes {
		if m.Nodes[n].Op != machine.OpTrigger {
			continue
		}
		x := &explorer{m: m, seen: map[string]int{}, reached: reached, reported: map[string]bool{}}
		x.run(n)
		found = merge(found, x.found)
		if x.truncated {
			complete = false
			found = merge(found, []Finding{{Code: TooLarge, Severity: graph.SeverityWarning, Node: -1, States: len(x.states)}})
		}
	}
	if complete {
		for n, ok := range reached {
			if !ok {
				found = append(found, Finding{Code: DeadNode, Severity: graph.SeverityWarning, Node: n})
			}
		}
	}
	return found
}

// merge keeps the first finding of each code and node.
func merge(found, more []Finding) []Finding {
	for _, f := range more {
		known := false
		for _, o := range found {
			known = known || o.Code == f.Code && o.Node == f.Node
		}
		if !known {
			found = append(found, f)
		}
	}
	return found
}

// noExit finds loops in which every port of every node leads back into the
// loop. A failure that nobody catches ends the run, but is no way out.
func noExit(m *machine.Machine) []Finding {
	var found []Finding
	for _, loop := range loops(m) {
		in := map[int]bool{}
		for _, n := range loop {
			in[n] = true
		}
		exit := false
		for _, n := range loop {
			for _, port := range m.Nodes[n].Ports {
				exit = exit || leaves(m, n, port, in)
			}
			exit = exit || m.Nodes[n].Op == machine.OpEnd || m.Nodes[n].Op == machine.OpFail
		}
		if !exit {
			found = append(found, Finding{Code: NoExit, Severity: graph.SeverityError, Node: loop[0], Related: loop})
		}
	}
	return found
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
