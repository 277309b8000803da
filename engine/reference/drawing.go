package reference

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"signalbox/engine/graph"
	"signalbox/engine/kind"
)

// drawing answers questions by looking at the graph, each time from the start.
type drawing struct {
	g     graph.Graph
	edges []graph.Edge // the ways that tokens can take, in the order that settles ties
}

// read puts the edges in order.
func read(g graph.Graph) drawing {
	d := drawing{g: g}
	for _, e := range g.Edges {
		if e.Port != graph.PortCompensate {
			d.edges = append(d.edges, e)
		}
	}
	slices.SortFunc(d.edges, func(a, b graph.Edge) int {
		return cmp.Or(cmp.Compare(d.node(a.From).Key, d.node(b.From).Key), cmp.Compare(a.Port, b.Port), cmp.Compare(d.node(a.To).Key, d.node(b.To).Key))
	})
	return d
}

// check refuses what cannot be played and finds the trigger.
func (d drawing) check(trigger string) (graph.Node, error) {
	var found graph.Node
	for _, n := range d.g.Nodes {
		spec, known := kind.Find(n.Kind)
		if !known {
			return found, fmt.Errorf("node %s: unknown kind %q", n.Key, n.Kind)
		}
		if n.Key == trigger && spec.Work == kind.WorkTrigger {
			found = n
		}
	}
	if found.ID == "" {
		return found, errors.New("there is no such trigger")
	}
	return found, nil
}

func (d drawing) node(id string) graph.Node {
	for _, n := range d.g.Nodes {
		if n.ID == id {
			return n
		}
	}
	return graph.Node{}
}

// into lists the edges that end at a node.
func (d drawing) into(id string) []graph.Edge {
	var list []graph.Edge
	for _, e := range d.edges {
		if e.To == id {
			list = append(list, e)
		}
	}
	return list
}

// outOf lists the edges of one port of a node.
func (d drawing) outOf(id, port string) []graph.Edge {
	var list []graph.Edge
	for _, e := range d.edges {
		if e.From == id && e.Port == port {
			list = append(list, e)
		}
	}
	return list
}

// entries lists the nodes of a body without an incoming edge, by their keys. A
// node that undoes another stands outside of the flow.
func (d drawing) entries(container string) []graph.Node {
	var list []graph.Node
	for _, n := range d.g.Nodes {
		undoes := slices.ContainsFunc(d.g.Edges, func(e graph.Edge) bool { return e.Port == graph.PortCompensate && e.To == n.ID })
		if n.In == container && !undoes && len(d.into(n.ID)) == 0 {
			list = append(list, n)
		}
	}
	slices.SortFunc(list, func(a, b graph.Node) int { return cmp.Compare(a.Key, b.Key) })
	return list
}

// joins reports whether a node has a join rule at all.
func (d drawing) joins(n graph.Node) bool { return len(d.into(n.ID)) > 1 }

// mode is the join rule of a node. With one edge every rule but a deadline
// means the same, and each is the plainest.
func (d drawing) mode(n graph.Node) string {
	switch {
	case !d.joins(n):
		return "each"
	case n.Join == nil || n.Join.Mode == "":
		return "inclusive"
	}
	return n.Join.Mode
}

// firstPort is where a disabled node passes its input on.
func (d drawing) firstPort(n graph.Node) []string {
	spec, _ := kind.Find(n.Kind)
	for _, p := range spec.PortsFor(n.Config) {
		return []string{p.Name}
	}
	return nil
}

// reaches reports whether control that is inside a node, or about to enter it,
// can come to an edge: by any port, without passing the node that the edge
// leads to. Seen holds the nodes that the walk has been to.
func (d drawing) reaches(id string, goal graph.Edge, seen map[string]bool) bool {
	if seen[id] {
		return false
	}
	seen[id] = true
	for _, e := range d.edges {
		if e.From != id {
			continue
		}
		if e.ID == goal.ID {
			return true
		}
		if e.To != goal.To && d.reaches(e.To, goal, seen) {
			return true
		}
	}
	return false
}

// leads reports whether control that is inside a node, or about to enter it,
// can come to another node.
func (d drawing) leads(id, goal string) bool {
	return slices.ContainsFunc(d.into(goal), func(e graph.Edge) bool { return d.reaches(id, e, map[string]bool{}) })
}
