// Package soundness proves a machine sound before it runs, or shows how it
// goes wrong: it explores the tokens of each scope by itself, data ignored,
// every port possible.
//
// A join that can fire stays able to, with the same edges, so the order in
// which visits end does not matter: one order with every choice finds every
// final state. Canceling joins and deadlines are the exception; there, every
// order is explored (docs/semantics.md, Proved before it runs). The exploration
// is bounded; past the bound it says so instead of guessing.
//
// It is pure.
package soundness

import (
	"slices"

	"signalbox/engine/graph"
	"signalbox/engine/machine"
)

// Bounds of one proof.
const (
	StatesMax = 100_000   // states of one scope
	TokensMax = 3         // tokens on one edge where they pile up; more are not followed
	LookMax   = 6_000_000 // tokens, and words of sets of nodes, looked at in all scopes together
)

// How many states are followed in the order in which they were found, and what
// may be looked at for it.
const (
	broadMax  = 1_000
	broadLook = LookMax / 20
)

// How many more states are looked at once tokens pile up or an error was found,
// and what for them.
const (
	moreMax  = 2_000
	moreLook = LookMax / 10
)

// exactMax is up to where every moment is tried at which a deadline can pass.
const exactMax = LookMax / 10

// The closed list of codes.
const (
	JoinStuck       = "join_stuck"
	JoinCycle       = "join_cycle"
	AbsorbInLoop    = "absorb_in_loop"
	NoExit          = "no_exit"
	DeadNode        = "dead_node"
	RunsTwice       = "runs_twice"
	GrowsWithoutEnd = "grows_without_end"
	CancelInLoop    = "cancel_in_loop"
	TooLarge        = "too_large_to_prove"
)

// Choice is one step of a counter-example: the visit of the node ended on the
// port.
type Choice struct {
	Node int // position in the machine
	Port string
	More bool // the visit of the choice before ended on this port too
}

// Finding is one thing that the exploration saw.
type Finding struct {
	Code     string
	Severity string
	Node     int // position in the machine, -1 for none
	Related  []int
	Example  []Choice
	Fix      *Fix
	States   int   // TooLarge: how far it looked
	Missing  []int // JoinStuck: where nothing comes from
}

// Fix is a change of one node's join that removes the finding, or of several.
type Fix struct {
	Node       int
	Others     []int  // nodes whose join changes in the same way
	Mode       string // empty: as it is
	Cancel     bool   // n and first: then cancel the others
	NoDeadline bool
}

// prover is one call of Prove.
type prover struct {
	m       *machine.Machine
	parts   parts
	tables  *tables
	members [][]int   // per scope: its nodes
	scoped  [][][]int // per scope: its parts
	round   []bool    // per node: it is in a loop
	budget  int
	apart   bool // no state stands for another that only has other pasts: tests compare
	exact   int  // of it, for trying every moment of a deadline
	tried   int  // looked at for fixes
	cycled  int  // the same, for fixes of several joins
	looked  int
	partial bool
	found   []Finding
}

// Prove explores the machine: the run from each of its triggers, and the body
// of each container.
func Prove(m *machine.Machine) []Finding {
	p := newProver(m)
	p.run()
	return p.found
}

func newProver(m *machine.Machine) *prover {
	p := &prover{
		m: m, parts: cut(m), tables: newTables(len(m.Nodes), len(m.Edges)), members: make([][]int, len(m.Nodes)+1), scoped: make([][][]int, len(m.Nodes)+1),
		budget: LookMax, exact: exactMax, round: make([]bool, len(m.Nodes)),
	}
	for i := range m.Nodes {
		p.members[m.Nodes[i].In] = append(p.members[m.Nodes[i].In], i)
	}
	for _, part := range p.parts.found {
		in := m.Nodes[part[0]].In
		p.scoped[in] = append(p.scoped[in], part)
	}
	return p
}

func (p *prover) run() {
	p.structure()
	for scope := range len(p.m.Nodes) + 1 {
		if p.opens(scope) {
			p.scope(scope)
		}
	}
	if p.partial {
		p.found = append(p.found, Finding{Code: TooLarge, Severity: graph.SeverityWarning, Node: -1, States: p.looked})
	}
}

// opens reports whether the scope is one: the run, or a container's body.
func (p *prover) opens(scope int) bool {
	if scope == 0 {
		return true
	}
	op := p.m.Nodes[scope-1].Op
	return op == machine.OpGroup || op == machine.OpMap || op == machine.OpLoop
}

// scope explores one scope in each way to open it.
func (p *prover) scope(scope int) {
	n, budget := newNet(p, scope, false, nil), p.budget
	brief := slices.ContainsFunc(n.nodes, func(i int) bool { return n.deadline(i) && !n.round[i] })
	if brief {
		budget = min(budget, p.exact)
	}
	p.endless(n)
	seen := p.explore(n, &budget)
	p.budget -= seen.work
	if brief && seen.partial {
		n = newNet(p, scope, true, nil)
		seen = p.explore(n, &p.budget)
	}
	p.looked += seen.states
	p.partial = p.partial || seen.partial || n.halfway
	for _, f := range p.fold(seen.found) {
		if !has(p.found, f.Code, f.Node) && !(f.Code == NoExit && n.round[f.Node] && p.loopKnown(f.Node)) {
			p.fix(&f, n, seen)
			p.found = append(p.found, f)
		}
	}
	if seen.partial {
		return
	}
	for _, i := range n.nodes {
		if !n.reached[i] && !p.m.Nodes[i].Apart() {
			p.found = append(p.found, Finding{Code: DeadNode, Severity: graph.SeverityWarning, Node: i})
		}
	}
}

// fold leaves, of the nodes that can run twice and those where tokens pile up,
// the first of each row: what follows it does so for its sake.
func (p *prover) fold(found []Finding) []Finding {
	var kept []Finding
	type spot struct {
		code string
		node int
	}
	first := map[spot]int{} // the finding in kept that stands for it
	for _, f := range found {
		if f.Code != RunsTwice && f.Code != GrowsWithoutEnd {
			kept = append(kept, f)
			continue
		}
		lead := len(kept)
		for _, e := range p.m.In(f.Node) {
			if k, ok := first[spot{f.Code, p.m.Edges[e].From}]; ok {
				lead = min(lead, k)
			}
		}
		if lead == len(kept) {
			kept = append(kept, f)
		} else {
			kept[lead].Related = append(kept[lead].Related, f.Node)
		}
		first[spot{f.Code, f.Node}] = lead
	}
	return kept
}

// seen is what the exploration of a scope saw.
type seen struct {
	found   []Finding
	states  int
	work    int
	partial bool
}

func (p *prover) explore(n *net, budget *int) seen {
	all := seen{work: *budget}
	for _, entries := range p.entries(n) {
		for _, i := range n.nodes {
			n.twice[i] = false
		}
		x := newExplorer(n, budget)
		x.apart = p.apart
		x.run(entries)
		all.states += x.expanded
		all.partial = all.partial || x.truncated()
		for _, f := range x.found {
			if !has(all.found, f.Code, f.Node) {
				all.found = append(all.found, f)
			}
		}
	}
	all.work -= *budget
	return all
}

// entries lists the ways to open a scope: a run by one of its triggers, a body
// by all of its entry nodes at once.
func (p *prover) entries(n *net) [][]int {
	var triggers [][]int
	var all []int
	for _, i := range n.nodes {
		switch {
		case n.start[i] < 0 || p.m.Nodes[i].Apart():
		case p.m.Nodes[i].Op == machine.OpTrigger:
			triggers = append(triggers, []int{i})
		default:
			all = append(all, i)
		}
	}
	if n.scope == 0 {
		return triggers
	}
	return [][]int{all}
}

func has(found []Finding, code string, node int) bool {
	for _, f := range found {
		if f.Code == code && f.Node == node {
			return true
		}
	}
	return false
}
