package soundness

import (
	"slices"

	"signalbox/engine/graph"
	"signalbox/engine/machine"
)

// explorer walks the states of a run that one trigger starts.
type explorer struct {
	m         *machine.Machine
	states    []state
	seen      map[string]int // state by its bytes
	reached   []bool         // nodes that some state visits
	reported  map[string]bool
	found     []Finding
	truncated bool
}

// state is how many tokens stand on each edge and how many visits of each node
// are live, and how the state was reached.
type state struct {
	marks  []byte // edges, then nodes
	parent int
	choice Choice
}

func (x *explorer) run(trigger int) {
	start := make([]byte, len(x.m.Edges)+len(x.m.Nodes))
	x.reached[trigger] = true
	x.put(start, trigger, []string{machine.PortSuccess})
	x.visit(x.settle(start), -1, Choice{trigger, machine.PortSuccess})
	for at := 0; at < len(x.states); at++ {
		if len(x.states) > StatesMax {
			x.truncated = true
			return
		}
		x.expand(at)
	}
}

// visit adds a state that is new.
func (x *explorer) visit(marks []byte, parent int, choice Choice) {
	if _, known := x.seen[string(marks)]; known {
		return
	}
	x.seen[string(marks)] = len(x.states)
	x.states = append(x.states, state{marks, parent, choice})
	for i, k := range marks {
		if k > TokensMax {
			n := i - len(x.m.Edges)
			if n < 0 {
				n = x.m.Edges[i].To
			}
			x.report(Finding{Code: GrowsWithoutEnd, Severity: graph.SeverityWarning, Node: n, Example: x.path(len(x.states) - 1)})
		}
	}
}

// expand ends the first live visit in every way it can end.
func (x *explorer) expand(at int) {
	marks := x.states[at].marks
	edges := len(x.m.Edges)
	for _, k := range marks {
		if k > TokensMax {
			return // it grows; that is reported, and going on would not end
		}
	}
	node := slices.IndexFunc(marks[edges:], func(k byte) bool { return k > 0 })
	if node < 0 {
		x.final(at)
		return
	}
	for _, ports := range x.ways(node) {
		next := slices.Clone(marks)
		next[edges+node]--
		x.put(next, node, ports)
		port := ""
		if len(ports) > 0 {
			port = ports[0]
		}
		x.visit(x.settle(next), at, Choice{node, port})
	}
}

// everyMax is up to how many rules of an "every match" choice all combinations
// are explored; beyond, each alone and all together.
const everyMax = 6

// ways lists the sets of ports on which a visit can end. A failure that nobody
// catches ends the run and needs no exploring.
func (x *explorer) ways(node int) [][]string {
	n := &x.m.Nodes[node]
	if n.Op == machine.OpPass {
		return [][]string{{n.Port}}
	}
	var ways [][]string
	var rules []string
	for _, p := range n.Ports {
		switch {
		case p == machine.PortFailure:
			if x.connected(node, p) {
				ways = append(ways, []string{p})
			}
		case x.m.Every(node) && p != machine.PortDefault:
			rules = append(rules, p)
		default:
			ways = append(ways, []string{p})
		}
	}
	if len(n.Ports) == 0 {
		return [][]string{{}}
	}
	if len(rules) > everyMax {
		for _, r := range rules {
			ways = append(ways, []string{r})
		}
		return append(ways, rules)
	}
	for set := 1; set < 1<<len(rules); set++ {
		var ports []string
		for i, r := range rules {
			if set&(1<<i) != 0 {
				ports = append(ports, r)
			}
		}
		ways = append(ways, ports)
	}
	return ways
}

func (x *explorer) connected(node int, port string) bool {
	return slices.ContainsFunc(x.m.Out(node), func(e int) bool { return x.m.Edges[e].Port == port })
}

// put gives every edge of the ports a token.
func (x *explorer) put(marks []byte, node int, ports []string) {
	for _, e := range x.m.Out(node) {
		if slices.Contains(ports, x.m.Edges[e].Port) && marks[e] < 255 {
			marks[e]++
		}
	}
}

// settle starts every visit that can start, until none can.
func (x *explorer) settle(marks []byte) []byte {
	edges := len(x.m.Edges)
	for again := true; again; {
		again = false
		for e := range x.m.Edges {
			if marks[e] == 0 || marks[e] > TokensMax {
				continue
			}
			n := x.m.Edges[e].To
			take := x.ready(marks, n, e)
			if take == nil || marks[edges+n] > TokensMax {
				continue
			}
			for _, k := range take {
				marks[k]--
			}
			marks[edges+n]++
			x.reached[n] = true
			again = true
		}
	}
	return marks
}

// ready returns the edges that a visit of the node would take now; nil when it
// waits.
func (x *explorer) ready(marks []byte, node, edge int) []int {
	in := x.m.In(node)
	if len(in) == 1 || x.m.Nodes[node].Join == machine.JoinEach {
		return []int{edge}
	}
	full, empty := []int{}, []int{}
	for _, e := range in {
		if marks[e] > 0 {
			full = append(full, e)
		} else {
			empty = append(empty, e)
		}
	}
	if len(empty) == 0 {
		return full
	}
	if x.m.Nodes[node].Join == machine.JoinAll {
		return nil
	}
	for _, e := range empty {
		if x.comes(marks, node, e) {
			return nil
		}
	}
	return full
}

// comes reports whether something live can still put a token on the edge.
func (x *explorer) comes(marks []byte, join, edge int) bool {
	edges := len(x.m.Edges)
	for n := range x.m.Nodes {
		if marks[edges+n] > 0 && x.m.Reaches(n, edge) {
			return true
		}
	}
	for e := range x.m.Edges {
		if to := x.m.Edges[e].To; marks[e] > 0 && to != join && x.m.Reaches(to, edge) {
			return true
		}
	}
	return false
}

// final looks at a state in which nothing is live: tokens that are left are
// joins that wait for ever.
func (x *explorer) final(at int) {
	marks := x.states[at].marks
	var waiting []int
	stuck := -1
	for e := range x.m.Edges {
		n := x.m.Edges[e].To
		if marks[e] == 0 || slices.Contains(waiting, n) {
			continue
		}
		waiting = append(waiting, n)
		if x.m.Nodes[n].Join == machine.JoinAll && (stuck < 0 || n < stuck) {
			stuck = n
		}
	}
	if len(waiting) == 0 {
		return
	}
	f := Finding{Code: JoinCycle, Severity: graph.SeverityError, Node: slices.Min(waiting), Related: waiting, Example: x.path(at), JoinFix: machine.JoinEach}
	if stuck >= 0 {
		f.Code, f.Node, f.JoinFix = JoinStuck, stuck, machine.JoinInclusive
		for _, e := range x.m.In(stuck) {
			if marks[e] == 0 {
				f.Missing = append(f.Missing, "the branch from “"+x.m.Nodes[x.m.Edges[e].From].Key+"”")
			}
		}
	}
	x.report(f)
}

func (x *explorer) report(f Finding) {
	id := f.Code + "/" + x.m.Nodes[f.Node].Key
	if !x.reported[id] {
		x.reported[id] = true
		x.found = append(x.found, f)
	}
}

// path lists the choices that lead to a state.
func (x *explorer) path(at int) []Choice {
	var back []Choice
	for ; at >= 0; at = x.states[at].parent {
		back = append(back, x.states[at].choice)
	}
	slices.Reverse(back)
	return back
}
