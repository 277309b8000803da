package machine

// bits is a set of places in a body.
type bits []uint64

func newBits(n int) bits { return make(bits, (n+63)/64) }

func (b bits) has(i int) bool { return b[i/64]&(1<<(i%64)) != 0 }
func (b bits) add(i int)      { b[i/64] |= 1 << (i % 64) }
func (b bits) del(i int)      { b[i/64] &^= 1 << (i % 64) }

// meets reports whether a node is in both sets.
func (b bits) meets(c bits) bool {
	for i, w := range b {
		if w&c[i] != 0 {
			return true
		}
	}
	return false
}

// reachability answers rule 3's "can reach" for every edge into a join: the
// nodes from which, by any port, the edge can be reached without passing the
// join at its end. The join itself is in the set when its own way out leads
// back to the edge. Walked backwards from each edge: O(edges²) at worst, on a
// graph of joins only.
func (m *Machine) reachability() []bits {
	reach := make([]bits, len(m.Edges))
	queue := make([]int, 0, len(m.Nodes))
	for join, in := range m.in {
		if len(in) < 2 || m.Nodes[join].Join == JoinEach {
			continue
		}
		for _, e := range in {
			set := newBits(len(m.bodies[m.Nodes[join].In].nodes))
			queue = append(queue[:0], m.Edges[e].From)
			set.add(m.local[m.Edges[e].From])
			for len(queue) > 0 {
				n := queue[len(queue)-1]
				queue = queue[:len(queue)-1]
				if n == join {
					continue // a way may begin behind the join, not lead through it
				}
				for _, before := range m.in[n] {
					if from := m.Edges[before].From; !set.has(m.local[from]) {
						set.add(m.local[from])
						queue = append(queue, from)
					}
				}
			}
			reach[e] = set
		}
	}
	return reach
}
