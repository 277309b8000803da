package machine

import (
	"fmt"
	"slices"

	"signalbox/engine/event"
	"signalbox/engine/mutant"
)

// Fold repeats on s what the events did. It decides nothing: everything that a
// step decided stands in its events. An event that does not fit the state is
// an error, and s is then of no use.
func (m *Machine) Fold(s *Snapshot, events ...Event) error {
	for _, e := range events {
		if e.Seq != s.Seq+1 {
			return fmt.Errorf("event %d follows event %d", e.Seq, s.Seq)
		}
		s.Seq, s.last = e.Seq, e.At
		if err := m.fold(s, e); err != nil {
			return fmt.Errorf("fold event %d: %w", e.Seq, err)
		}
	}
	return nil
}

func (m *Machine) fold(s *Snapshot, e Event) error {
	switch f := e.Fact.(type) {
	case *RunStarted:
		return m.foldStart(s, f)
	case *NodeCompleted:
		return m.foldInline(s, VisitRef{f.Scope, f.Node, f.Visit}, f.Took, f.Ports, f.Output, f.Pinned)
	case *Responded:
		s.answer = f
		return m.foldInline(s, VisitRef{f.Scope, f.Node, f.Visit}, f.Took, f.Ports, f.Output, false)
	case *NodeFailed:
		return m.foldFailure(s, f)
	case *TaskScheduled, *TaskStarted, *TaskCompleted, *TaskFailed:
		return m.foldTask(s, e.Fact)
	case *WaitStarted, *WaitCompleted, *SignalReceived, *CallStarted, *CallAnswered:
		return m.foldWaiting(s, e.Fact)
	case *ChartMoved:
		return m.foldChart(s, e.Fact.(*ChartMoved)) //nolint:forcetypeassert // switched on
	case *ContainerStarted, *BodyStarted, *BodyCompleted, *BodyFailed, *ContainerCompleted:
		return m.foldContainer(s, e.Fact)
	case *ItemsStarted, *ItemsEnded, *ItemFailed, *ItemsCanceled:
		return m.foldItems(s, e.Fact)
	case *VisitCanceled, *TokensCanceled, *RoundOpened, *TokensAbsorbed, *RoundClosed:
		return m.foldJoin(s, e.Fact)
	case *CompensationStarted, *CompensationCompleted, *AttentionNeeded, *AttentionResolved:
		return m.foldUndo(s, e.Fact)
	case *TestArranged, *OutputPinned, *ClockMoved, *VisitHeld, *VisitReleased:
		return m.foldRig(s, e.Fact)
	default:
		return m.foldRun(s, e.Fact)
	}
}

// foldRun folds what concerns the run as a whole.
func (m *Machine) foldRun(s *Snapshot, f Fact) error {
	switch f := f.(type) {
	case *RunPaused:
		s.paused = true
	case *RunResumed:
		s.paused = false
		for _, c := range s.scopes {
			c.dirty = true
		}
	case *RunSucceeded:
		s.results, s.keyed = f.Results, f.Keyed
		s.close(StatusSucceeded)
		if f.Stopped != "" {
			s.scopes[0].clear()
		}
	case *RunFailed:
		s.Failure = &f.Error
		s.close(StatusFailed)
	case *RunCompensated:
		s.Failure = &f.Error
		s.close(StatusCompensated)
	case *RunCanceled:
		s.close(StatusCanceled)
	default:
		return fmt.Errorf("unknown fact %T", f)
	}
	return nil
}

// close ends the run: what was live is over, what stood on edges is gone.
func (s *Snapshot) close(status Status) {
	s.Status = status
	s.paused, s.trouble = false, nil
	root := s.scopes[0]
	s.scopes = s.scopes[:1]
	root.visits, root.strays, root.rounds, root.done = nil, nil, nil, nil
	clear(root.busy)
	clear(root.liveBits)
	if s.rig != nil {
		s.rig.held = nil
	}
	if status != StatusSucceeded {
		root.clear()
	}
}

// clear takes away what stands on edges.
func (c *scope) clear() {
	for i := range c.tokens {
		c.tokens[i] = nil
	}
	c.starts = nil
	clear(c.heads)
	clear(c.headBits)
}

func (m *Machine) foldStart(s *Snapshot, f *RunStarted) error {
	n := m.Index(f.Trigger)
	if n < 0 {
		return fmt.Errorf("there is no trigger %q", f.Trigger)
	}
	if f.Item != nil {
		return m.foldItem(s, n, f)
	}
	s.Status, s.Started, s.trigger = StatusRunning, s.last, n
	s.began = s.box(f.Input)
	c := s.scopes[0]
	c.count[m.local[n]] = 1
	if f.Only != "" {
		return m.foldOnly(s, f)
	}
	m.emit(s, c, n, []string{PortSuccess}, s.began)
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
func (m *Machine) emit(s *Snapshot, c *scope, node int, ports []string, b *box) {
	c.outputs[m.local[node]] = output{s.Seq, b}
	s.rig.ends(node, s.Seq)
	if !m.push(s, c, node, ports, b) {
		c.ends[m.local[node]] = s.Seq
	}
}

func (m *Machine) push(s *Snapshot, c *scope, node int, ports []string, b *box) bool {
	sent := false
	c.dirty = true
	for _, port := range ports {
		for _, e := range m.out[node] {
			edge := &m.Edges[e]
			if edge.Port != port {
				continue
			}
			if mutant.On(mutant.SplitLosesToken) && sent {
				continue
			}
			sent = true
			s.arrived++
			q := &c.tokens[m.slot[e]]
			*q = append(*q, token{s.Seq, s.arrived, s.last, b})
			if len(*q) == 1 {
				c.head(m.local[edge.To], 1)
			}
		}
	}
	return sent
}

// head counts the places where a token waits to start a node.
func (c *scope) head(at, by int) {
	c.heads[at] += by
	if c.heads[at] > 0 {
		c.headBits.add(at)
	} else {
		c.headBits.del(at)
	}
}

// take removes the first token of each edge and returns the value that the
// visit gets: the token's, or an object keyed by source when several edges
// join here (rule 3). Without an edge it is an entry node that starts.
func (m *Machine) take(c *scope, node int, took Edges) (*box, error) {
	if took == "" {
		i := slices.IndexFunc(c.starts, func(t start) bool { return t.node == node })
		if i < 0 {
			return nil, fmt.Errorf("there is no token for %s", m.Nodes[node].Key)
		}
		c.starts = slices.Delete(c.starts, i, i+1)
		c.head(m.local[node], -1)
		return c.item, nil
	}
	list, err := took.List()
	if err != nil {
		return nil, err
	}
	in := m.peek(c, node, list)
	for _, e := range list {
		if err := m.pop(c, node, e); err != nil {
			return nil, err
		}
	}
	return in, nil
}

// pop removes the first token of an edge.
func (m *Machine) pop(c *scope, node, e int) error {
	if e < 0 || e >= len(m.Edges) || m.Edges[e].To != node || len(c.tokens[m.slot[e]]) == 0 {
		return fmt.Errorf("there is no token for %s on edge %d", m.Nodes[node].Key, e)
	}
	q := &c.tokens[m.slot[e]]
	*q = (*q)[1:]
	if mutant.On(mutant.JoinTakesTwo) && m.joins(node) && len(*q) > 0 {
		*q = (*q)[1:]
	}
	if len(*q) == 0 {
		*q = nil
		c.head(m.local[node], -1)
	}
	return nil
}

// peek is the value that a visit would get for the first tokens of the edges.
func (m *Machine) peek(c *scope, node int, edges []int) *box {
	if len(edges) == 0 {
		return c.item
	}
	if !m.joins(node) {
		if q := c.tokens[m.slot[edges[0]]]; len(edges) == 1 && len(q) > 0 {
			return q[0].box
		}
		return nil
	}
	joined := &box{parts: make([]part, 0, len(edges))}
	at := 0
	for _, e := range edges {
		for m.in[node][at] != e { // both lists rise
			at++
		}
		if q := c.tokens[m.slot[e]]; len(q) > 0 {
			joined.parts = append(joined.parts, part{m.links[node].keys[at], q[0].box})
		}
	}
	return joined
}

// joins reports whether a visit of the node takes from several edges at once.
func (m *Machine) joins(node int) bool {
	return len(m.in[node]) > 1 && m.Nodes[node].Join != JoinEach
}

// where finds the open scope and the node that a fact speaks of.
func (m *Machine) where(s *Snapshot, id int, key string) (*scope, int, error) {
	c, n := s.scope(id), m.Index(key)
	if n < 0 {
		return nil, 0, fmt.Errorf("there is no node %q", key)
	}
	if c == nil {
		return nil, 0, fmt.Errorf("scope %d of %s is not open", id, key)
	}
	return c, n, nil
}

// begin takes the tokens of a visit that starts.
func (m *Machine) begin(s *Snapshot, v VisitRef, took Edges) (*scope, int, *box, error) {
	c, n, err := m.where(s, v.Scope, v.Node)
	if err != nil {
		return nil, 0, nil, err
	}
	if m.Nodes[n].In != c.body {
		return nil, 0, nil, fmt.Errorf("%s does not stand in scope %d", v.Node, v.Scope)
	}
	if last := c.count[m.local[n]]; v.Visit != last+1 {
		return nil, 0, nil, fmt.Errorf("visit %d of %s follows visit %d", v.Visit, v.Node, last)
	}
	in, err := m.take(c, n, took)
	in = s.rig.input(v, in)
	c.count[m.local[n]] = v.Visit
	c.dirty = true
	return c, n, in, err
}

func (m *Machine) foldInline(s *Snapshot, v VisitRef, took Edges, ports []string, out event.Value, pinned bool) error {
	c, n, in, err := m.begin(s, v, took)
	if err != nil {
		return err
	}
	b := in
	if !out.IsZero() {
		b = s.box(out)
	}
	if !pinned { // what was not done is not undone
		m.completed(s, c, visit{node: n, number: v.Visit, input: in}, b)
	}
	m.emit(s, c, n, ports, b)
	return nil
}

func (m *Machine) foldFailure(s *Snapshot, f *NodeFailed) error {
	n := m.Index(f.Node)
	if n < 0 {
		return fmt.Errorf("there is no node %q", f.Node)
	}
	if c, i := s.stray(f.Scope, n, f.Visit); c != nil {
		if d := c.strays[i].visit.undo; d != nil {
			d.state = undoOwed // until it is said that a person decides
		}
		c.strays = slices.Delete(c.strays, i, i+1)
		c.dirty = true
		return nil
	}
	c := s.scope(f.Scope)
	if c == nil {
		return fmt.Errorf("scope %d of %s is not open", f.Scope, f.Node)
	}
	if i := c.find(n, f.Visit); i >= 0 {
		switch v := c.drop(m, s, i); {
		case v.undo != nil:
			v.undo.state = undoFailed
		case v.serves != nil:
			m.served(c, v, nil, &f.Error)
		}
	} else if _, _, _, err := m.begin(s, VisitRef{f.Scope, f.Node, f.Visit}, f.Took); err != nil {
		return err
	}
	if f.Handled && !m.push(s, c, n, []string{PortFailure}, boxError(f.Error)) {
		return fmt.Errorf("%s has no edge on its failure port", f.Node)
	}
	if f.Handled {
		s.rig.ends(n, s.Seq)
	}
	return nil
}

func (m *Machine) foldEnd(s *Snapshot, r VisitRef, port string, value func(*visit) *box) error {
	c, n, err := m.where(s, r.Scope, r.Node)
	if err != nil {
		return err
	}
	i := c.find(n, r.Visit)
	if i < 0 {
		return fmt.Errorf("%s has no visit %d that could end", r.Node, r.Visit)
	}
	b := value(&c.visits[i])
	v := c.drop(m, s, i)
	switch {
	case v.undo != nil:
		v.undo.state = undoOver
		if mutant.On(mutant.UndoTwice) && v.number == 1 {
			v.undo.state = undoOwed
		}
		return nil
	case v.serves != nil:
		m.served(c, v, b, nil)
		return nil
	}
	m.completed(s, c, v, b)
	m.emit(s, c, n, []string{port}, b)
	return nil
}

// completed remembers a visit that can be undone, and the point of no return.
func (m *Machine) completed(s *Snapshot, c *scope, v visit, out *box) {
	n := &m.Nodes[v.node]
	if n.Undo > 0 {
		c.done = append(c.done, &done{scope: c.id, node: v.node, visit: v.number, seq: s.Seq, input: v.input, output: out, about: m.around(c), tx: m.covered(c)})
	}
	if n.Pivot {
		m.pivot(s, c)
	}
}

// pivot passes a transaction's point of no return: what it completed stays.
func (m *Machine) pivot(s *Snapshot, c *scope) {
	for c != nil && !m.transaction(c) {
		c = c.up
	}
	if c == nil {
		return
	}
	c.pivoted = true
	for _, o := range s.scopes {
		if o.within(c) {
			for i := range o.done {
				o.done[i].tx = false
			}
		}
	}
}
