package soundness

import (
	"slices"

	"signalbox/engine/machine"
)

// Where every order is tried, some visits may still end before anything else
// does: what they do can neither start a canceling join nor be missed behind
// one. Whoever is canceled before he ends leaves the same tokens as one who
// ends and whose tokens are canceled. That holds without deadlines, and where
// no node runs twice, so that no overlap goes unseen.

// hurry marks the nodes of the first part whose visits may end at once.
func (n *net) hurry() {
	if !n.anyhow || !n.once() {
		return
	}
	strict := n.strict()
	for _, i := range n.nodes {
		if !n.unordered(i) {
			continue
		}
		n.eager[i] = len(n.ways[i]) > 0
		for _, w := range n.ways[i] {
			for _, e := range w.edges {
				to := n.m.Edges[e].To
				n.eager[i] = n.eager[i] && !w.fatal && !n.cancel[to] && (n.unordered(to) || !strict[to])
			}
		}
	}
}

// once reports whether no node of the first part can run twice, whatever is
// chosen.
func (n *net) once() bool {
	part := slices.DeleteFunc(slices.Clone(n.nodes), func(i int) bool { return !n.unordered(i) })
	slices.SortFunc(part, func(a, b int) int { return n.rank[a] - n.rank[b] })
	most := make([]int, len(n.m.Nodes))
	for _, i := range part {
		if n.round[i] || n.deadline(i) {
			return false
		}
		for k, e := range n.m.In(i) {
			from := most[n.m.Edges[e].From]
			switch {
			case n.join[i] == "":
				most[i] += from
			case n.join[i] == machine.JoinAll && k > 0:
				most[i] = min(most[i], from)
			default:
				most[i] = max(most[i], from)
			}
		}
		if n.start[i] >= 0 || n.cancel[i] {
			most[i] = 1
		}
		if most[i] > 1 {
			return false
		}
	}
	return true
}

// strict marks the nodes from which a join can be reached that fails, or fires
// otherwise, when a token is missing.
func (n *net) strict() []bool {
	found := make([]bool, len(n.m.Nodes))
	var queue []int
	for _, i := range n.nodes {
		if n.join[i] != "" && n.join[i] != machine.JoinInclusive && n.join[i] != machine.JoinFirst || n.cancel[i] || n.deadline(i) {
			found[i] = true
			queue = append(queue, i)
		}
	}
	for len(queue) > 0 {
		i := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		for _, e := range n.m.In(i) {
			if from := n.m.Edges[e].From; !found[from] {
				found[from] = true
				queue = append(queue, from)
			}
		}
	}
	return found
}
