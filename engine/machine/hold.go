package machine

// hold stops a test run before a visit that is to be looked at. It reports
// whether it did.
func (st *step) hold(c *scope, next candidate) (bool, error) {
	r := st.s.rig
	if r == nil || !r.step && !r.breaks.has(next.node) {
		return false, nil
	}
	at := st.m.local[next.node]
	v := VisitRef{c.id, st.m.Nodes[next.node].Key, c.count[at] + 1}
	if r.passed == v || v.Visit > st.m.Nodes[next.node].MaxVisits {
		return false, nil
	}
	f := &VisitHeld{Node: v.Node, Scope: v.Scope, Visit: v.Visit}
	if raw, err := st.m.peek(c, next.node, next.edges).raw(); err == nil { // else it is too large to be looked at
		f.Input = st.value(raw)
	}
	return true, st.emit(f)
}

// release lets the held visit begin, before anything else does.
func (st *step) release(in Release) error {
	r := st.s.rig
	v := VisitRef{in.Scope, in.Node, in.Visit}
	if r == nil || r.held == nil || *r.held != v {
		return nil
	}
	f := &VisitReleased{Node: v.Node, Scope: v.Scope, Visit: v.Visit, How: HowContinue, Ahead: r.ahead, By: clip(in.By, 200)}
	if in.Step {
		f.How = HowStep
	}
	if len(in.Input) > 0 {
		f.Input = st.value(in.Input)
	}
	if r.virtual && !in.Now.IsZero() {
		f.Ahead = st.at.Sub(in.Now)
	}
	if err := st.emit(f); err != nil {
		return err
	}
	c := st.s.scope(v.Scope)
	if next, ok := st.startable(c, st.m.Index(v.Node)); ok && !st.s.paused {
		return st.visit(c, next)
	}
	return nil
}

// startable is how a node would start now, if it can.
func (st *step) startable(c *scope, node int) (candidate, bool) {
	if c == nil || c.undoing || c.heads[st.m.local[node]] == 0 || c.round(node) != nil {
		return candidate{}, false
	}
	first, full := st.m.waiting(c, node)
	next := candidate{node: node, edges: full, first: first}
	switch {
	case full == nil || st.m.ready(c, node, len(full)):
	case st.m.Nodes[node].Deadline > 0 && !st.m.deadline(c, node).After(st.at):
		next.late = true
	default:
		return candidate{}, false
	}
	if !st.m.joins(node) && len(next.edges) > 1 {
		next.edges = next.edges[:1]
	}
	return next, true
}

// freed ends a hold whose visit cannot begin any more: its scope is over, or
// undoes what it did.
func (st *step) freed() error {
	r := st.s.rig
	if r == nil || r.held == nil {
		return nil
	}
	c := st.s.scope(r.held.Scope)
	if c != nil && !c.undoing && c.count[st.m.local[st.m.Index(r.held.Node)]] == r.held.Visit-1 {
		return nil
	}
	return st.emit(&VisitReleased{Node: r.held.Node, Scope: r.held.Scope, Visit: r.held.Visit, How: HowGone, Ahead: r.ahead})
}

// pinned ends a visit with the output that stands in for it.
func (st *step) pinned(n *Node, pin *box, id visitID) (Fact, error) {
	raw, err := pin.raw()
	if err != nil {
		return nil, err
	}
	return &NodeCompleted{
		Node: n.Key, Scope: id.scope, Visit: id.number, Took: id.took,
		Ports: []string{n.pinPort()}, Output: st.value(raw), Pinned: true,
	}, nil
}

// pinPort is the way on of a node that is not run: the one that it takes when
// all goes well, or the first that a person could choose.
func (n *Node) pinPort() string {
	for _, port := range n.Ports {
		if port == PortSuccess {
			return port
		}
	}
	for _, port := range n.Ports {
		if port != PortFailure && port != PortTimeout {
			return port
		}
	}
	return PortSuccess
}

// Pinnable reports whether an output can stand in for a visit of the node: a
// choice, an answer and an end are made anew, for what they do is no output.
func (n *Node) Pinnable() bool {
	switch n.Op {
	case OpTrigger, OpIf, OpRoute, OpRespond, OpOutput, OpEnd, OpFail, OpPass:
		return false
	default:
		return true
	}
}

// stopHere ends a test run that was to stop behind a node: what else is live
// is withdrawn.
func (st *step) stopHere() error {
	if err := st.cancelCalls(); err != nil {
		return err
	}
	r := st.s.rig
	f := &RunSucceeded{Results: []ResultRef{}, Stopped: st.m.Nodes[r.stop-1].Key}
	if r.reached > 0 && st.m.Nodes[r.stop-1].In == 0 && st.s.scopes[0].outputs[st.m.local[r.stop-1]].seq > 0 {
		f.Results = append(f.Results, ResultRef{Node: f.Stopped, Seq: st.s.scopes[0].outputs[st.m.local[r.stop-1]].seq})
	}
	return st.emit(f)
}

// left is the number of tokens that something waits for: those before nodes
// that a test run leaves out do not count.
func (st *step) left(c *scope) int {
	r := st.s.rig
	if r == nil || r.stop == 0 {
		return c.tokensLeft()
	}
	n := 0
	for _, t := range c.starts {
		if r.wants(t.node) {
			n++
		}
	}
	for at, q := range c.tokens {
		if r.wants(st.m.Edges[st.m.bodies[c.body].edges[at]].To) {
			n += len(q)
		}
	}
	return n
}
