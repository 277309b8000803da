package machine

// Seen is a live visit as others may see it.
type Seen struct {
	Node    string // key
	Visit   int
	Attempt int    // 0: it is no task
	Phase   string // queued, backoff, waiting
}

// Look lists the live visits, by start.
func (s *Snapshot) Look(m *Machine) []Seen {
	phases := map[visitState]string{visitQueued: "queued", visitBackoff: "backoff", visitWaiting: "waiting"}
	list := make([]Seen, 0, len(s.visits))
	for i := range s.visits {
		v := &s.visits[i]
		list = append(list, Seen{Node: m.Nodes[v.node].Key, Visit: v.number, Attempt: v.attempt, Phase: phases[v.state]})
	}
	return list
}

// Standing is the number of tokens on each edge, by position.
func (s *Snapshot) Standing() []int {
	list := make([]int, len(s.tokens))
	for i, queue := range s.tokens {
		list[i] = len(queue)
	}
	return list
}
