package soundness

import (
	"cmp"
	"slices"

	"signalbox/engine/machine"
)

// net is one scope of a machine as tables of small numbers: the run itself, or
// the body of a container, which is a box to the scope around it.
//
// Nodes are worked off part by part (strongly connected), those that lead to
// others first; inside a loop, what is furthest along first. Places, where
// tokens stand, are numbered in that order, so a sorted list of tokens is an
// agenda. If canceling joins or deadlines make order matter, they and all that
// leads to them are one part, the first, in which every order is tried.
type net struct {
	*tables
	m     *machine.Machine
	scope int   // as in machine.Node.In
	brief bool  // a deadline outside of loops may pass whenever its join has waited
	nodes []int // its members

	rank      []int   // per node: line-up in which only edges that close a loop lead back
	round     []bool  // per node: it is in a loop
	parts     [][]int // nodes, by part
	loop      []bool  // per part: it holds a cycle
	anyhow    bool    // the first part is tried in every order
	halfway   bool    // not every way is tried
	canceling bool    // some join cancels

	places []place
	ready  []move // room
	later  []move
}

// tables are what a net knows of each node and edge. Scopes share no node, so
// the nets of a machine share their tables: a body of five nodes in a drawing
// of ten thousand costs five.
type tables struct {
	join    []string // per node: join mode; empty when it does not join
	need    []int    // per node: edges that an `all`, n or first join wants
	cancel  []bool   // per node: its firing ends what could still come
	absorbs []bool   // per node: its firing, or its deadline, swallows what still comes
	ways    [][]way  // per node: the ways in which a visit can end; none: it fails the scope
	eager   []bool   // per node of the first part: its visits may end before anything else does
	chain   []int    // per node of the first part: the last of the nodes that simply follow it

	comp []int // per node: its part, in order
	bit  []int // per node: its position in its part

	edge  []int   // per edge: its place
	into  [][]int // per node: the places of its edges
	start []int   // per node: the place of the token that opens the scope there, or -1
	live  []int   // per node of the first part: the place of its visits under way
	gave  []int   // per edge into an absorbing join: the mark that it gave its token of this round
	doom  []int   // per node that can end the scope: the place of its visit that will, or -1

	reached []bool // per node: some state visits it
	twice   []bool // per node: it can overlap itself
	near    []bool // per node: a way leads there from a state that is not followed
}

func newTables(nodes, edges int) *tables {
	return &tables{
		join: make([]string, nodes), need: make([]int, nodes), cancel: make([]bool, nodes), absorbs: make([]bool, nodes),
		ways: make([][]way, nodes), eager: make([]bool, nodes), chain: make([]int, nodes), comp: make([]int, nodes), bit: make([]int, nodes),
		edge: make([]int, edges), into: make([][]int, nodes), start: make([]int, nodes), live: make([]int, nodes), gave: make([]int, edges), doom: make([]int, nodes),
		reached: make([]bool, nodes), twice: make([]bool, nodes), near: make([]bool, nodes),
	}
}

// clear forgets a node.
func (t *tables) clear(i int) {
	t.join[i], t.need[i], t.cancel[i], t.absorbs[i], t.eager[i] = "", 0, false, false, false
	t.comp[i], t.into[i], t.start[i], t.live[i], t.doom[i] = -1, nil, -1, -1, -1
	t.reached[i], t.twice[i], t.near[i] = false, false, false
}

// place is where a token can stand.
type place struct {
	sort placeSort
	node int // where it leads
	edge int // -1: none
}

type placeSort uint8

// Sorts of places, in order of the agenda.
const (
	onEdge   placeSort = iota
	isLive             // a visit under way
	isDoomed           // a visit that is about to end the scope: what others do before it ends is looked at
	isGiven            // no token: the edge gave one in the open round of an absorbing join
)

// way is one way in which a visit ends.
type way struct {
	ports []string
	edges []int // that get a token
	fatal bool  // in the same step a fail node ends the scope, before anything else can happen
}

// everyMax is up to how many rules of an "every match" choice all combinations
// are tried; beyond, each alone, all but each, and all together.
const everyMax = 10

// change is another join rule, put on trial for a node.
type change struct {
	node   int
	mode   string
	cancel bool
}

func newNet(p *prover, scope int, brief bool, trial []change) *net {
	n := &net{tables: p.tables, m: p.m, scope: scope, brief: brief, nodes: p.members[scope], rank: p.parts.rank, round: p.round}
	if trial != nil {
		n.tables = newTables(len(p.m.Nodes), len(p.m.Edges))
	}
	for _, i := range n.nodes {
		n.clear(i)
		n.rule(i, trial)
	}
	for _, i := range n.nodes {
		n.ways[i] = n.waysOf(i)
	}
	for _, i := range n.nodes {
		n.fatal(i)
	}
	n.split(p.scoped[scope])
	n.place()
	n.chains()
	n.hurry()
	return n
}

// rule reads the join of one node.
func (n *net) rule(i int, trial []change) {
	node := &n.m.Nodes[i]
	mode, cancel, m := node.Join, node.Cancel, len(n.m.In(i))
	for _, c := range trial {
		if c.node == i {
			mode, cancel = c.mode, c.cancel
		}
	}
	if m < 2 || mode == machine.JoinEach {
		return
	}
	n.join[i], n.need[i] = mode, m
	switch mode {
	case machine.JoinFirst:
		n.need[i] = 1
	case machine.JoinN:
		n.need[i] = min(max(1, node.JoinN), m)
	}
	some := mode == machine.JoinFirst || mode == machine.JoinN
	n.cancel[i] = some && cancel
	n.absorbs[i] = some && !cancel || node.Deadline > 0
	n.anyhow, n.canceling = n.anyhow || n.special(i), n.canceling || n.cancel[i]
}

func (n *net) deadline(i int) bool { return n.join[i] != "" && n.m.Nodes[i].Deadline > 0 }

// special reports whether order matters at the join. A deadline outside of
// loops only decides by which port each round leaves: all tokens of the round
// are taken or swallowed either way. Exactly when it can pass shows only in
// every order; in brief, it is taken to be possible whenever several edges
// count.
func (n *net) special(i int) bool {
	return n.cancel[i] || n.deadline(i) && (!n.brief || n.round[i])
}

// split puts the nodes into their parts.
func (n *net) split(parts [][]int) {
	count := 0
	if n.anyhow {
		n.gather()
		n.loop, n.parts = append(n.loop, false), append(n.parts, nil)
		count = 1
	}
	for _, part := range parts {
		if n.anyhow && n.comp[part[0]] == 0 {
			continue
		}
		for k, i := range part {
			n.comp[i], n.bit[i] = count, k
		}
		n.loop, n.parts = append(n.loop, n.round[part[0]]), append(n.parts, part)
		count++
	}
}

// gather makes one part of the joins that make order matter and all that leads
// to them.
func (n *net) gather() {
	var queue []int
	add := func(i int) {
		if n.comp[i] < 0 {
			n.comp[i] = 0
			queue = append(queue, i)
		}
	}
	for _, i := range n.nodes {
		if n.special(i) {
			add(i)
		}
	}
	for len(queue) > 0 {
		i := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		for _, e := range n.m.In(i) {
			add(n.m.Edges[e].From)
		}
	}
}

// unordered reports whether the node is of the part in which every order is
// tried.
func (n *net) unordered(i int) bool { return n.anyhow && n.comp[i] == 0 }

// place numbers the places in the order of the agenda.
func (n *net) place() {
	for _, i := range n.nodes {
		if len(n.ways[i]) == 0 || slices.ContainsFunc(n.ways[i], func(w way) bool { return w.fatal }) {
			n.places = append(n.places, place{isDoomed, i, -1})
		}
		if len(n.m.In(i)) == 0 {
			n.places = append(n.places, place{onEdge, i, -1})
		}
		for _, e := range n.m.In(i) {
			n.places = append(n.places, place{onEdge, i, e})
			if n.absorbs[i] {
				n.places = append(n.places, place{isGiven, i, e})
			}
		}
		if n.unordered(i) {
			n.places = append(n.places, place{isLive, i, -1})
		}
	}
	slices.SortFunc(n.places, func(a, b place) int {
		return cmp.Or(n.comp[a.node]-n.comp[b.node], n.rank[b.node]-n.rank[a.node], int(a.sort)-int(b.sort), a.edge-b.edge)
	})
	for k, p := range n.places {
		switch {
		case p.sort == isLive:
			n.live[p.node] = k
		case p.sort == isDoomed:
			n.doom[p.node] = k
		case p.sort == isGiven:
			n.gave[p.edge] = k
		case p.edge < 0:
			n.start[p.node] = k
		default:
			n.edge[p.edge] = k
			n.into[p.node] = append(n.into[p.node], k)
		}
	}
}

// chains finds, in the part in which every order is tried, nodes that have one
// way on, to a node that has one way in: where in such a chain a token is
// changes nothing.
func (n *net) chains() {
	for _, i := range n.nodes {
		end := i
		for steps := 0; n.unordered(end) && steps < len(n.nodes); steps++ {
			w := n.ways[end]
			if len(w) != 1 || len(w[0].edges) != 1 || w[0].fatal {
				break
			}
			to := n.m.Edges[w[0].edges[0]].To
			if !n.unordered(to) || len(n.m.In(to)) != 1 {
				break
			}
			end = to
		}
		n.chain[i] = end
	}
}

// instant reports whether a visit of the node takes no time.
func instant(op machine.Op) bool {
	switch op {
	case machine.OpTask, machine.OpWait, machine.OpGroup, machine.OpMap, machine.OpLoop, machine.OpCall,
		machine.OpSignal, machine.OpHuman, machine.OpCallback:
		return false
	default:
		return true
	}
}
