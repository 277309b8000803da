package soundness

import (
	"math"
	"slices"

	"signalbox/engine/graph"
	"signalbox/engine/machine"
)

// final looks at a state in which nothing more happens: tokens that are left
// are joins that wait for ever. If the scope fails here, only a join that has
// no hope before it does counts.
func (x *explorer) final(at int) {
	s := x.states.get(at)
	fails := slices.ContainsFunc(s, func(t uint64) bool { return x.at(t).sort == isDoomed })
	if x.hopeless(at) > 0 || fails {
		return
	}
	waiting, counted := []int(nil), -1
	for i := 0; i < len(s); i = x.group(s, i) {
		node := x.at(s[i]).node
		if full, _ := x.count(s, i, x.group(s, i)); full == 0 {
			continue
		}
		waiting = append(waiting, node)
		if x.join[node] != machine.JoinInclusive && (counted < 0 || node < counted) {
			counted = node
		}
	}
	switch {
	case len(waiting) == 0:
	case counted >= 0:
		x.stuck(at, counted)
	default:
		slices.Sort(waiting)
		x.from, x.trail = at, x.trail[:0]
		x.report(Finding{Code: JoinCycle, Severity: graph.SeverityError, Node: waiting[0], Related: waiting})
	}
}

// hopeless reports the joins that hold a token and can get too few others, and
// counts them.
func (x *explorer) hopeless(at int) int {
	s := x.states.get(at)
	found := 0
	for i := 0; i < len(s); i = x.group(s, i) {
		j := x.group(s, i)
		node := x.at(s[i]).node
		full, given := x.count(s, i, j)
		lacks := x.need[node] - full
		if full == 0 || given > 0 || lacks <= 0 || x.join[node] == "" || x.join[node] == machine.JoinInclusive || x.deadline(node) {
			continue
		}
		if x.hope(s, i, j, lacks) < lacks {
			found++
			x.stuck(at, node)
		}
	}
	return found
}

// hasty reports whether a join without hope has to be found in this state
// already, for a canceling join may end what it waits with: some join waits,
// and only visits can go on.
func (x *explorer) hasty(s []uint64, moves []move) bool {
	if !x.canceling || len(moves) == 0 || moves[0].sort != finish && moves[0].sort != deadline {
		return false
	}
	for _, t := range s {
		p := x.at(t)
		if !x.unordered(p.node) {
			return false
		}
		if p.sort == onEdge && x.join[p.node] != machine.JoinInclusive {
			return true // after all that could start has started, a token on an edge waits
		}
	}
	return false
}

func (x *explorer) stuck(at, node int) {
	if x.known(JoinStuck, node) || x.replays {
		return
	}
	x.from, x.trail = at, x.trail[:0]
	example, left := x.replay(-1)
	x.report(Finding{Code: JoinStuck, Severity: graph.SeverityError, Node: node, Example: example, Missing: x.missing(left, node)})
}

// missing lists the nodes from which a join got no token.
func (x *explorer) missing(s []uint64, node int) []int {
	var from []int
	for _, k := range x.into[node] {
		if i, j := x.span(s, k); i == j {
			from = append(from, x.m.Edges[x.places[k].edge].From)
		}
	}
	return from
}

// endless finds states from which no end can be reached: a loop that a run
// cannot leave. What stands in them may still run, in another order.
func (x *explorer) endless() {
	n := x.states.len()
	before := make([][]int32, n)
	for _, a := range x.arcs {
		before[a[1]] = append(before[a[1]], a[0])
	}
	var queue []int32
	ends := make([]bool, n)
	mark := func(at int32) {
		if !ends[at] {
			ends[at] = true
			queue = append(queue, at)
		}
	}
	for at := range n {
		if x.ended[at] || !x.steps[at].done {
			mark(int32(at)) //nolint:gosec // below StatesMax
		}
	}
	for len(queue) > 0 {
		at := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		for _, b := range before[at] {
			mark(b)
		}
	}
	for at := range n {
		if !ends[at] {
			x.runsOn(at)
		}
	}
}

func (x *explorer) runsOn(at int) {
	x.hopeless(at)
	lead := -1
	for _, t := range x.states.get(at) {
		if p := x.at(t); p.sort != isGiven && (lead < 0 || x.round[p.node] && !x.round[lead]) {
			lead = p.node
		}
	}
	if lead >= 0 && !slices.ContainsFunc(x.found, func(f Finding) bool { return f.Code == NoExit }) {
		x.from, x.trail = at, x.trail[:0]
		x.report(Finding{Code: NoExit, Severity: graph.SeverityError, Node: lead})
	}
	x.mayRun(at)
}

// mayRun takes for reached what a way leads to from a state that is not
// followed to an end.
func (x *explorer) mayRun(at int) {
	var queue []int
	for _, t := range x.states.get(at) {
		if p := x.at(t); p.sort != isGiven {
			queue = append(queue, p.node)
		}
	}
	for len(queue) > 0 {
		n := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		if x.near[n] {
			continue
		}
		x.near[n], x.reached[n] = true, true
		for _, e := range x.m.Out(n) {
			queue = append(queue, x.m.Edges[e].To)
		}
	}
}

func (x *explorer) known(code string, node int) bool {
	return slices.ContainsFunc(x.found, func(f Finding) bool { return f.Code == code && f.Node == node })
}

// report keeps a finding that is new, with the choices that lead to the state
// under way.
func (x *explorer) report(f Finding) {
	if x.replays || x.known(f.Code, f.Node) {
		return
	}
	if len(f.Example) == 0 {
		node := -1
		if f.Code == RunsTwice {
			node = f.Node
		}
		f.Example, _ = x.replay(node)
	}
	x.found = append(x.found, f)
	if f.Severity == graph.SeverityError {
		x.soon()
	}
}

// replay repeats the moves that lead to the state under way, with every token
// where it is, and returns the choices made and the tokens that stand then.
// The choices are those to which the state owes what it knows of the node (-1:
// of none).
func (x *explorer) replay(node int) ([]Choice, []uint64) {
	var script []int
	for at := x.from; at >= 0; at = int(x.steps[at].parent) {
		if at = x.origin(at, node); x.steps[at].parent >= 0 {
			script = append(script, int(x.steps[at].choice))
		}
	}
	slices.Reverse(script)
	budget := math.MaxInt
	same := *x.net
	twin := *x.tables // it visits nodes in its own tables
	twin.reached, twin.twice = make([]bool, len(x.m.Nodes)), make([]bool, len(x.m.Nodes))
	same.tables = &twin
	y := newExplorer(&same, &budget)
	y.replays = true
	s := slices.Clone(x.first)
	if x.from >= 0 {
		s = y.advance(s)
	}
	for _, k := range script {
		y.back = false
		s = y.advance(y.apply(s, y.moves(nil, s)[k]))
	}
	var choices []Choice
	for _, m := range append(y.trail, x.trail...) {
		choices = x.choices(choices, m)
	}
	return choices, s
}

// choices adds what a move says to a counter-example.
func (x *explorer) choices(list []Choice, m move) []Choice {
	if m.sort == deadline {
		return append(list, Choice{Node: m.node, Port: machine.PortTimeout})
	}
	if m.sort != fire && m.sort != finish || m.way < 0 {
		return list
	}
	node := m.node
	for ; m.sort == finish && node != x.chain[m.node]; node = x.m.Edges[x.ways[node][0].edges[0]].To {
		list = append(list, Choice{Node: node, Port: x.ways[node][0].ports[0]})
	}
	for i, p := range x.ways[node][m.way].ports {
		list = append(list, Choice{Node: node, Port: p, More: i > 0})
	}
	return list
}
