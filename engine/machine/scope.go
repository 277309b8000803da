package machine

import (
	"cmp"
	"slices"
	"time"

	"signalbox/engine/event"
)

// scope is one place where tokens live: the run itself, or an opened body of a
// container. Its tables are indexed by the places of its body.
type scope struct {
	id   int
	body int
	up   *scope // where its container is visited; nil: the run itself

	node, visit int // the container and the visit that opened it
	index       int // item of a map, round of a loop
	item        *box

	tokens  [][]token // per edge, first in first out
	starts  []start   // entry nodes that have not started
	visits  []visit   // live, by start
	count   []int     // per node: visits started
	outputs []output  // per node: latest
	ends    []int     // per node: event after which its tokens left by no edge; 0 none
	busy    []int     // per node: live visits
	heads   []int     // per node: incoming edges that hold a token, and a start

	liveBits bits
	headBits bits
	rounds   []round
	dirty    bool // something changed since nothing could start

	done    []*done     // completed visits that can be undone, by completion
	tx      bool        // it is, or stands in, a transaction
	pivoted bool        // it is a transaction past its point of no return
	undoing bool        // it compensates
	cause   event.Error // why
	strays  []stray     // tasks in flight when it began to
	undone  map[int]int // per compensation: visits started
}

// token is control standing on an edge.
type token struct {
	seq     int // event that put it there
	arrival int // its place in line over all edges
	at      time.Time
	box     *box
}

// start is the token of an entry node.
type start struct {
	node    int
	arrival int
}

// output is what a node gave last.
type output struct {
	seq int
	box *box
}

// round is a join that swallows what its first tokens left behind.
type round struct {
	node int
	gave []int // edges that gave one, rising
}

// done is a completed visit that can be undone.
type done struct {
	scope, node, visit int
	seq                int // of its completion
	input, output      *box
	about              around
	tx                 bool // a transaction covers it
	state              undoState
}

type undoState int

const (
	undoOwed undoState = iota
	undoBusy
	undoOver
	undoFailed
)

// stray is a task in flight whose scope is closed or began to compensate: the
// scope that holds it waits for what becomes of it. A compensation that had
// begun is one, too.
type stray struct {
	scope int // where it was started
	visit visit
	about around
}

func (m *Machine) open(body, id int) *scope {
	b := m.bodies[body]
	n := len(b.nodes)
	return &scope{
		id: id, body: body,
		tokens: make([][]token, len(b.edges)), count: make([]int, n), outputs: make([]output, n), ends: make([]int, n),
		busy: make([]int, n), heads: make([]int, n), liveBits: newBits(n), headBits: newBits(n),
	}
}

// scope finds an open scope, or nil.
func (s *Snapshot) scope(id int) *scope {
	if id == 0 {
		return s.scopes[0]
	}
	i, ok := slices.BinarySearchFunc(s.scopes, id, func(c *scope, id int) int { return c.id - id })
	if !ok {
		return nil
	}
	return s.scopes[i]
}

// within reports whether a scope is the other or stands in it.
func (c *scope) within(outer *scope) bool {
	for ; c != nil; c = c.up {
		if c == outer {
			return true
		}
	}
	return false
}

// find returns the place of a live visit, or -1.
func (c *scope) find(node, number int) int {
	for i := range c.visits {
		if c.visits[i].node == node && c.visits[i].number == number {
			return i
		}
	}
	return -1
}

func (c *scope) add(m *Machine, v visit) {
	c.visits = append(c.visits, v)
	c.dirty = true
	if v.undo == nil {
		n := m.local[v.node]
		c.busy[n]++
		c.liveBits.add(n)
	}
}

// drop ends the live visit at a place. What a container opened is closed.
func (c *scope) drop(m *Machine, s *Snapshot, i int) visit {
	v := c.visits[i]
	if i < len(c.visits)/2 { // what began first ends first, as a rule: the fewer are moved
		copy(c.visits[1:], c.visits[:i])
		c.visits[0] = visit{}
		c.visits = c.visits[1:]
	} else {
		c.visits = slices.Delete(c.visits, i, i+1)
	}
	c.dirty = true
	if v.undo == nil {
		n := m.local[v.node]
		if c.busy[n]--; c.busy[n] == 0 {
			c.liveBits.del(n)
		}
	}
	if v.state == visitOpen {
		m.closeUnder(s, c, v.node, v.number)
	}
	return v
}

// closeUnder closes the scopes that a visit opened, and those within.
func (m *Machine) closeUnder(s *Snapshot, c *scope, node, number int) {
	under := func(o *scope) bool {
		for ; o != nil && o.up != nil; o = o.up {
			if o.up == c && o.node == node && o.visit == number {
				return true
			}
		}
		return false
	}
	m.bequeath(s, c, under)
	s.scopes = slices.DeleteFunc(s.scopes, under)
	s.restate()
}

// bequeath leaves what completed in scopes that close, and is not undone, to
// the scope around: the transaction there can still undo it. Tasks whose effect
// is not known yet, and compensations that have begun, are waited for there. A
// compensation that failed is left to a person only as long as the scope around
// compensates itself; otherwise it is owed again, should it come to that.
func (m *Machine) bequeath(s *Snapshot, up *scope, closes func(*scope) bool) {
	covered := m.covered(up)
	for _, o := range s.scopes {
		if !closes(o) {
			continue
		}
		for _, t := range o.strays {
			switch {
			case covered:
				up.strays = append(up.strays, t)
			case t.visit.undo != nil:
				t.visit.undo.state = undoOwed
			}
		}
		for _, d := range o.done {
			if d.state == undoOver {
				continue
			}
			if d.state == undoFailed && !up.undoing {
				d.state = undoOwed
				s.trouble = slices.DeleteFunc(s.trouble, func(t trouble) bool { return t.of == d })
			}
			d.tx = covered
			up.done = append(up.done, d)
		}
	}
	slices.SortStableFunc(up.done, func(a, b *done) int { return cmp.Compare(a.seq, b.seq) })
}

// closeScope closes one scope and those within.
func (s *Snapshot) closeScope(c *scope) {
	s.scopes = slices.DeleteFunc(s.scopes, func(o *scope) bool { return o.within(c) })
	s.restate()
}

// starting reports whether the node is an entry node that has not started.
func (c *scope) starting(node int) bool {
	return slices.ContainsFunc(c.starts, func(t start) bool { return t.node == node })
}

// tokensLeft is the number of tokens on edges.
func (c *scope) tokensLeft() int {
	n := len(c.starts)
	for _, q := range c.tokens {
		n += len(q)
	}
	return n
}

// round returns the open round of a join, or nil.
func (c *scope) round(node int) *round {
	for i := range c.rounds {
		if c.rounds[i].node == node {
			return &c.rounds[i]
		}
	}
	return nil
}
