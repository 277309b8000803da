package graph

import (
	"fmt"

	"signalbox/engine/problem"
)

// NestingMax is how deep containers may stand in each other.
const NestingMax = 16

// Held lists the ids of the nodes that are drawn directly in a container.
func (g *Graph) Held(id string) []string {
	var held []string
	for _, n := range g.Nodes {
		if n.In == id {
			held = append(held, n.ID)
		}
	}
	return held
}

// Depth is how many containers a node stands in: 0 at the top, -1 when the way
// up never ends or leads nowhere.
func (g *Graph) Depth(n Node) int {
	depth := 0
	for n.In != "" {
		in := g.Node(n.In)
		if in == nil || depth > NestingMax {
			return -1
		}
		n, depth = *in, depth+1
	}
	return depth
}

// holds refuses a container that is not there, a node that would stand in
// itself, and a nesting too deep to draw.
func (g *Graph) holds(at string, n Node) *problem.Problem {
	depth := 0
	for id := n.In; id != ""; depth++ {
		in := g.Node(id)
		switch {
		case id == n.ID:
			return problem.New(problem.Invalid, "%q cannot stand in itself.", n.Key).At(at, "in itself", "another container, or none")
		case in == nil:
			return problem.New(problem.Conflict, "%q stands in a container that is not there.", n.Key).At(at, fmt.Sprintf("%.80q", id), "the id of a node, or none")
		case depth >= NestingMax:
			return problem.New(problem.TooLarge, "Containers may stand in each other %d deep.", NestingMax).At(at, "too deep", "at most "+fmt.Sprint(NestingMax))
		}
		id = in.In
	}
	return nil
}

// delHeld removes a container: first what is in it.
func (g *Graph) delHeld(op Op, held []string) ([]Op, error) {
	var inverse []Op
	for _, id := range held {
		inv, err := g.delNode(Op{Op: op.Op, ID: id})
		if err != nil {
			return nil, err
		}
		inverse = append(inv, inverse...)
	}
	inv, err := g.delNode(op)
	if err != nil {
		return nil, err
	}
	return append(inv, inverse...), nil
}
