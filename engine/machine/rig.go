package machine

import (
	"encoding/json"
	"slices"
	"time"
)

// Rig is what a test run is set up with. A run without one, and so every run
// that is no test, has no virtual clock, is never held and calls everything.
type Rig struct {
	Virtual bool                       // its clock can be moved, and its timers do not wait for real time
	Skip    bool                       // the clock moves to the next timer by itself when nothing else is at work
	Step    bool                       // every visit is held before it begins
	Breaks  []string                   // nodes whose visits are held before they begin
	Stop    string                     // the run ends when this node has; only what leads there runs
	Only    string                     // only this node runs, with Given as its input
	Given   json.RawMessage            `json:",omitempty"`
	Pins    map[string]json.RawMessage // nodes that are not run: this is their output
}

// Arrange changes how a test run is controlled. A field that is nil stays.
type Arrange struct {
	Skip   *bool
	Step   *bool
	Breaks *[]string
	By     string
}

// Advance moves the clock of a test run: by a time, or to the next timer.
type Advance struct {
	For  time.Duration
	Next bool
	ID   string // the sender's: it counts once
	By   string
}

// Release lets the visit go on that a test run is held at.
type Release struct {
	Scope int // where it is held; a hold somewhere else is left alone
	Node  string
	Visit int
	Step  bool            // the next visit is held again
	Input json.RawMessage `json:",omitempty"` // instead of what the visit would get
	By    string
	Now   time.Time // the real time: a virtual clock stands still while the run is held
}

func (Arrange) input() {}
func (Advance) input() {}
func (Release) input() {}

// rig is the state of a test run's controls; nil in every other run.
type rig struct {
	virtual bool
	skip    bool
	step    bool
	breaks  bits
	ahead   time.Duration // of the run's time before the real one
	moved   string        // the last advance that a person asked for
	until   time.Time     // the clock is on its way there; zero: it is not
	stop    int           // 1 + node
	only    bool          // that node is the only one that runs
	wanted  bits          // nodes that lead to it
	reached int           // event with which it ended
	pins    []*box        // by node
	held    *VisitRef
	passed  VisitRef // the last visit that was let go
	edited  *box     // its input
}

// arranged makes a rig at the first fact that needs one.
func (s *Snapshot) arranged(m *Machine) *rig {
	if s.rig == nil {
		s.rig = &rig{breaks: newBits(len(m.Nodes))}
	}
	return s.rig
}

// Held is the visit that a test run is held at; false: it is not held.
func (s *Snapshot) Held() (VisitRef, bool) {
	if s.rig == nil || s.rig.held == nil {
		return VisitRef{}, false
	}
	return *s.rig.held, true
}

// input is what a visit gets: what a person entered when it was held, else
// what its tokens carry.
func (r *rig) input(v VisitRef, taken *box) *box {
	if r != nil && r.edited != nil && r.passed == v {
		return r.edited
	}
	return taken
}

// wants reports whether the node leads to where the run is to stop.
func (r *rig) wants(node int) bool {
	return r == nil || r.stop == 0 || r.wanted.has(node)
}

// called is what a run that this one calls is set up with: its timers do not
// wait for real time either, for nobody would think of moving its clock.
func (r *rig) called() *Rig {
	if r == nil || !r.virtual {
		return nil
	}
	return &Rig{Virtual: true, Skip: true}
}

// pin is the output that stands in for a node, or nil.
func (r *rig) pin(node int) *box {
	if r == nil || r.pins == nil {
		return nil
	}
	return r.pins[node]
}

// ends notes that a node has given its tokens on.
func (r *rig) ends(node, seq int) {
	if r != nil && r.stop == node+1 && r.reached == 0 {
		r.reached = seq
	}
}

// leads finds the nodes from which a node can be reached, in its own scope and
// in those around it; a container on the way runs as a whole.
func (m *Machine) leads(to int) bits {
	set := newBits(len(m.Nodes))
	for at := to; at >= 0; at = m.Nodes[at].In - 1 {
		set.add(at)
		for todo := []int{at}; len(todo) > 0; {
			n := todo[0]
			todo = todo[1:]
			for _, e := range m.in[n] {
				if from := m.Edges[e].From; !set.has(from) {
					set.add(from)
					todo = append(todo, from)
				}
			}
		}
	}
	chain := []int{}
	for at := to; at >= 0; at = m.Nodes[at].In - 1 {
		chain = append(chain, at)
	}
	for i := range m.Nodes { // what stands in a container that only leads there
		in := m.Nodes[i].In - 1
		for in >= 0 && !slices.Contains(chain, in) && !set.has(in) {
			in = m.Nodes[in].In - 1
		}
		if in >= 0 && (set.has(in) && !slices.Contains(chain, in) || in == to) {
			set.add(i)
		}
	}
	return set
}

// arrange takes the controls that a person changes while the run goes on.
func (st *step) arrange(in Arrange) error {
	f := &TestArranged{By: clip(in.By, 200)}
	if r := st.s.rig; r != nil {
		f.Virtual, f.Skip, f.Step, f.Breaks = r.virtual, r.skip, r.step, st.m.keysOf(r.breaks)
		if r.stop > 0 {
			f.Stop = st.m.Nodes[r.stop-1].Key
		}
	}
	was := *f
	if in.Skip != nil {
		f.Skip = *in.Skip && f.Virtual
	}
	if in.Step != nil {
		f.Step = *in.Step
	}
	if in.Breaks != nil {
		f.Breaks = st.m.known(*in.Breaks)
	}
	if f.Skip == was.Skip && f.Step == was.Step && slices.Equal(f.Breaks, was.Breaks) {
		return nil
	}
	return st.emit(f)
}

// setUp writes down what a test run is set up with, behind its first event.
func (st *step) setUp(r *Rig) error {
	f := &TestArranged{Virtual: r.Virtual, Skip: r.Skip && r.Virtual, Step: r.Step, Breaks: st.m.known(r.Breaks)}
	if st.m.Index(r.Stop) >= 0 {
		f.Stop = r.Stop
	}
	if err := st.emit(f); err != nil {
		return err
	}
	for i := range st.m.Nodes {
		raw, pinned := r.Pins[st.m.Nodes[i].Key]
		if !pinned || !st.m.standsIn(st.s.rig, i) {
			continue
		}
		if err := st.emit(&OutputPinned{Node: st.m.Nodes[i].Key, Output: st.value(raw)}); err != nil {
			return err
		}
	}
	return nil
}

// standsIn reports whether an output that is pinned to a node is of any use: it
// would run, and it is not what the run is about, nor around that.
func (m *Machine) standsIn(r *rig, node int) bool {
	if r.only {
		return m.Nodes[node].In == 0 && node != r.stop-1 && m.Nodes[node].Op != OpTrigger
	}
	for at := r.stop - 1; at >= 0; at = m.Nodes[at].In - 1 {
		if at == node {
			return false
		}
	}
	return m.Nodes[node].Pinnable() && r.wants(node)
}

// known sorts the keys of nodes and leaves out what is none.
func (m *Machine) known(keys []string) []string {
	set := newBits(len(m.Nodes))
	for _, key := range keys {
		if i := m.Index(key); i >= 0 {
			set.add(i)
		}
	}
	return m.keysOf(set)
}

func (m *Machine) keysOf(set bits) []string {
	var keys []string
	for i := range m.Nodes {
		if set.has(i) && len(keys) < BreaksMax {
			keys = append(keys, m.Nodes[i].Key)
		}
	}
	return keys
}

// BreaksMax is how many breakpoints a run has, so that their event stays below
// its limit.
const BreaksMax = 150
