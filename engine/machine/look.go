package machine

// Seen is a live visit as others may see it.
type Seen struct {
	Scope   int
	Node    string // key
	Visit   int
	Attempt int    // 0: it is no task
	Phase   string // queued, backoff, waiting, open, calling
}

// Look lists the live visits, by scope and start.
func (s *Snapshot) Look(m *Machine) []Seen {
	phases := map[visitState]string{visitQueued: "queued", visitBackoff: "backoff", visitWaiting: "waiting", visitOpen: "open", visitCalling: "calling", visitChart: "chart"}
	list := []Seen{}
	s.eachVisit(func(scope int, v *visit) bool {
		list = append(list, Seen{Scope: scope, Node: m.Nodes[v.node].Key, Visit: v.number, Attempt: v.attempt, Phase: phases[v.state]})
		return true
	})
	return list
}

// Standing is the number of tokens on each edge in all scopes, by the edge's
// position.
func (s *Snapshot) Standing(m *Machine) []int {
	list := make([]int, len(m.Edges))
	for _, c := range s.scopes {
		for at, q := range c.tokens {
			list[m.bodies[c.body].edges[at]] += len(q)
		}
	}
	return list
}
