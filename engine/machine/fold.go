package machine

import (
	"fmt"
	"time"

	"signalbox/engine/event"
)

// Fold repeats on s what the events did. It decides nothing: everything that a
// step decided stands in its events. An event that does not fit the state is
// an error, and s is then of no use.
func (m *Machine) Fold(s *Snapshot, events ...Event) error {
	for _, e := range events {
		if e.Seq != s.Seq+1 {
			return fmt.Errorf("event %d follows event %d", e.Seq, s.Seq)
		}
		if err := m.fold(s, e); err != nil {
			return fmt.Errorf("fold event %d: %w", e.Seq, err)
		}
	}
	return nil
}

func (m *Machine) fold(s *Snapshot, e Event) error {
	s.Seq = e.Seq
	switch f := e.Fact.(type) {
	case *RunStarted:
		return m.foldStart(s, f, e.At)
	case *NodeCompleted:
		return m.foldInline(s, f.Node, f.Visit, f.Took, f.Ports, f.Output)
	case *Responded:
		s.answer = f
		return m.foldInline(s, f.Node, f.Visit, f.Took, f.Ports, f.Output)
	case *NodeFailed:
		return m.foldFailure(s, f)
	case *TaskScheduled:
		return m.foldScheduled(s, f)
	case *TaskCompleted:
		return m.foldEnd(s, f.Node, f.Visit, f.Port, func(*visit) *box { return s.box(f.Output) })
	case *TaskFailed:
		return m.foldTaskFailed(s, f)
	case *WaitStarted:
		return m.foldWait(s, f)
	case *WaitCompleted:
		return m.foldEnd(s, f.Node, f.Visit, f.Port, func(v *visit) *box { return v.input })
	case *RunSucceeded:
		s.results, s.keyed = f.Results, f.Keyed
		s.close(StatusSucceeded)
	case *RunFailed:
		s.Failure = &f.Error
		s.close(StatusFailed)
	case *RunCanceled:
		s.close(StatusCanceled)
	}
	return nil
}

// close ends the run: what was live is over, what stood on edges is gone.
func (s *Snapshot) close(status Status) {
	s.Status = status
	s.visits = nil
	clear(s.busy)
	clear(s.liveBits)
	if status != StatusSucceeded {
		for i := range s.tokens {
			s.tokens[i] = nil
		}
		clear(s.heads)
		clear(s.headBits)
	}
}

func (m *Machine) foldStart(s *Snapshot, f *RunStarted, at time.Time) error {
	n := m.Index(f.Trigger)
	if n < 0 {
		return fmt.Errorf("there is no trigger %q", f.Trigger)
	}
	s.Status, s.Started, s.trigger = StatusRunning, at, n
	s.began = s.box(f.Input)
	s.count[n] = 1
	m.emit(s, n, []string{PortSuccess}, s.began)
	return nil
}

// box makes the shared holder of a value and finds its bytes when they are
// loaded already.
func (s *Snapshot) box(v event.Value) *box {
	b := &box{value: v}
	if v.Payload != nil {
		b.blob = s.blobs[v.Payload.Digest]
	}
	return b
}

// emit ends a visit: its value becomes the node's output, and every edge of
// the ports gets a token (rule 2).
func (m *Machine) emit(s *Snapshot, node int, ports []string, b *box) {
	s.outputs[node] = output{s.Seq, b}
	if !m.push(s, node, ports, b) {
		s.ends[node] = s.Seq
	}
}

func (m *Machine) push(s *Snapshot, node int, ports []string, b *box) bool {
	sent := false
	for _, port := range ports {
		for _, e := range m.out[node] {
			edge := &m.Edges[e]
			if edge.Port != port {
				continue
			}
			sent = true
			s.arrived++
			s.tokens[e] = append(s.tokens[e], token{s.Seq, s.arrived, b})
			if len(s.tokens[e]) == 1 {
				s.heads[edge.To]++
				s.headBits.add(edge.To)
			}
		}
	}
	return sent
}

// take removes the first token of each edge and returns the value that the
// visit gets: the token's, or an object keyed by source when several edges
// join here (rule 3).
func (m *Machine) take(s *Snapshot, node int, took Edges) (*box, error) {
	list, err := took.List()
	if err != nil {
		return nil, err
	}
	in := m.peek(s, node, list)
	for _, e := range list {
		if e < 0 || e >= len(s.tokens) || len(s.tokens[e]) == 0 || m.Edges[e].To != node {
			return nil, fmt.Errorf("there is no token for %s on edge %d", m.Nodes[node].Key, e)
		}
		s.tokens[e] = s.tokens[e][1:]
		if len(s.tokens[e]) == 0 {
			s.tokens[e] = nil
			if s.heads[node]--; s.heads[node] == 0 {
				s.headBits.del(node)
			}
		}
	}
	return in, nil
}

// peek is the value that a visit would get for the first tokens of the edges.
func (m *Machine) peek(s *Snapshot, node int, edges []int) *box {
	if !m.joins(node) {
		if len(edges) == 1 && len(s.tokens[edges[0]]) > 0 {
			return s.tokens[edges[0]][0].box
		}
		return nil
	}
	joined := &box{parts: make([]part, 0, len(edges))}
	at := 0
	for _, e := range edges {
		for m.in[node][at] != e { // both lists rise
			at++
		}
		if len(s.tokens[e]) > 0 {
			joined.parts = append(joined.parts, part{m.links[node].keys[at], s.tokens[e][0].box})
		}
	}
	return joined
}

// joins reports whether a visit of the node takes from several edges at once.
func (m *Machine) joins(node int) bool {
	return len(m.in[node]) > 1 && m.Nodes[node].Join != JoinEach
}

// begin takes the tokens of a visit that starts.
func (m *Machine) begin(s *Snapshot, key string, number int, took Edges) (int, *box, error) {
	n := m.Index(key)
	if n < 0 {
		return 0, nil, fmt.Errorf("there is no node %q", key)
	}
	if number != s.count[n]+1 {
		return 0, nil, fmt.Errorf("visit %d of %s follows visit %d", number, key, s.count[n])
	}
	in, err := m.take(s, n, took)
	s.count[n] = number
	return n, in, err
}

func (m *Machine) foldInline(s *Snapshot, key string, number int, took Edges, ports []string, v event.Value) error {
	n, in, err := m.begin(s, key, number, took)
	if err != nil {
		return err
	}
	if !v.IsZero() {
		in = s.box(v)
	}
	m.emit(s, n, ports, in)
	return nil
}

func (m *Machine) foldFailure(s *Snapshot, f *NodeFailed) error {
	n := m.Index(f.Node)
	if n < 0 {
		return fmt.Errorf("there is no node %q", f.Node)
	}
	if i := s.find(n, f.Visit); i >= 0 {
		s.drop(i)
	} else if _, _, err := m.begin(s, f.Node, f.Visit, f.Took); err != nil {
		return err
	}
	if f.Handled {
		b := boxError(f.Error)
		if !m.push(s, n, []string{PortFailure}, b) {
			return fmt.Errorf("%s has no edge on its failure port", f.Node)
		}
	}
	return nil
}

func (m *Machine) foldScheduled(s *Snapshot, f *TaskScheduled) error {
	n := m.Index(f.Node)
	if n < 0 {
		return fmt.Errorf("there is no node %q", f.Node)
	}
	if f.Attempt > 1 {
		i := s.find(n, f.Visit)
		if i < 0 {
			return fmt.Errorf("attempt %d of %s has no visit", f.Attempt, f.Node)
		}
		v := &s.visits[i]
		v.state, v.attempt, v.queue, v.prio, v.due = visitQueued, f.Attempt, f.Queue, f.Priority, time.Time{}
		return nil
	}
	_, in, err := m.begin(s, f.Node, f.Visit, f.Took)
	if err != nil {
		return err
	}
	s.add(visit{node: n, number: f.Visit, state: visitQueued, attempt: 1, input: in, config: f.Config, queue: f.Queue, prio: f.Priority})
	return nil
}

func (m *Machine) foldTaskFailed(s *Snapshot, f *TaskFailed) error {
	i := s.find(m.Index(f.Node), f.Visit)
	if i < 0 {
		return fmt.Errorf("%s has no visit %d that could fail", f.Node, f.Visit)
	}
	if !f.RetryAt.IsZero() {
		s.visits[i].state, s.visits[i].due = visitBackoff, f.RetryAt
	}
	return nil
}

func (m *Machine) foldWait(s *Snapshot, f *WaitStarted) error {
	n, in, err := m.begin(s, f.Node, f.Visit, f.Took)
	if err != nil {
		return err
	}
	s.add(visit{node: n, number: f.Visit, state: visitWaiting, input: in, due: f.Until})
	return nil
}

func (m *Machine) foldEnd(s *Snapshot, key string, number int, port string, value func(*visit) *box) error {
	n := m.Index(key)
	i := s.find(n, number)
	if i < 0 {
		return fmt.Errorf("%s has no visit %d that could end", key, number)
	}
	b := value(&s.visits[i])
	s.drop(i)
	m.emit(s, n, []string{port}, b)
	return nil
}

func (s *Snapshot) add(v visit) {
	s.visits = append(s.visits, v)
	s.busy[v.node]++
	s.liveBits.add(v.node)
}

func (s *Snapshot) drop(i int) {
	n := s.visits[i].node
	s.visits = append(s.visits[:i], s.visits[i+1:]...)
	if s.busy[n]--; s.busy[n] == 0 {
		s.liveBits.del(n)
	}
}

// find returns the position of a live visit, or -1.
func (s *Snapshot) find(node, number int) int {
	for i := range s.visits {
		if s.visits[i].node == node && s.visits[i].number == number {
			return i
		}
	}
	return -1
}
