package machine

import "errors"

// PortTimeout is where a join with a deadline, and a wait that nobody
// answered, go on.
const PortTimeout = "timeout"

// body is what the scopes of one kind run: the nodes of the run itself, or
// those of one container. Nodes and edges have places in it, so that a scope's
// tables are no larger than its body.
type body struct {
	nodes   []int // by place: positions in the machine
	edges   []int
	entries []int // nodes that get a token when the scope opens
	picky   []int // joins that wait for a number of edges and have no deadline
	late    []int // joins with a deadline
}

func (m *Machine) linkBodies() error {
	m.bodies = make([]*body, len(m.Nodes)+1)
	m.bodies[0] = &body{}
	m.local, m.slot = make([]int, len(m.Nodes)), make([]int, len(m.Edges))
	for i := range m.Nodes {
		in := m.Nodes[i].In
		if in < 0 || in > len(m.Nodes) || in == i+1 || in > 0 && !m.Nodes[in-1].Op.holds() {
			return errors.New("a node of the machine stands in what is no container")
		}
		if u := m.Nodes[i].Undo; u < 0 || u > len(m.Nodes) || u > 0 && m.Nodes[u-1].In != in {
			return errors.New("a node of the machine is undone by a node of another scope")
		}
		b := m.bodies[in]
		if b == nil {
			b = &body{}
			m.bodies[in] = b
		}
		m.local[i] = len(b.nodes)
		b.nodes = append(b.nodes, i)
		m.linkJoin(b, i)
	}
	for i := range m.Nodes {
		of := m.Nodes[i].Of
		if of < 0 || of > len(m.Nodes) || of > 0 && (m.Nodes[of-1].Op != OpChart && m.Nodes[of-1].Op != OpCallback || m.Nodes[of-1].In != m.Nodes[i].In) {
			return errors.New("a node of the machine does the task of what has none in its scope")
		}
		if of > 0 {
			m.links[of-1].task = i + 1
		}
		if m.Nodes[i].Op.holds() && m.bodies[i+1] == nil {
			m.bodies[i+1] = &body{}
		}
	}
	for i, e := range m.Edges {
		in := m.Nodes[e.From].In
		if m.Nodes[e.To].In != in {
			return errors.New("an edge of the machine crosses the border of a scope")
		}
		b := m.bodies[in]
		m.slot[i] = len(b.edges)
		b.edges = append(b.edges, i)
	}
	return nil
}

func (m *Machine) linkJoin(b *body, i int) {
	n := &m.Nodes[i]
	if len(m.in[i]) == 0 && !n.Apart() && n.Op != OpTrigger {
		b.entries = append(b.entries, i)
	}
	switch {
	case !m.joins(i):
	case n.Deadline > 0:
		b.late = append(b.late, i)
	case n.Join == JoinAll, n.Join == JoinN:
		b.picky = append(b.picky, i)
	}
}

// holds reports whether nodes stand in a node of this operation.
func (o Op) holds() bool { return o == OpGroup || o == OpMap || o == OpLoop }

// wants is how many edges with a token start the join: 0 for an inclusive one.
func (m *Machine) wants(node int) int {
	n := &m.Nodes[node]
	switch n.Join {
	case JoinAll:
		return len(m.in[node])
	case JoinFirst:
		return 1
	case JoinN:
		return min(max(1, n.JoinN), len(m.in[node]))
	default:
		return 0
	}
}
