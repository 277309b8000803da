package machine

import (
	"encoding/json"
	"time"

	"signalbox/engine/event"
	"signalbox/engine/route"
)

// Status of a run. The last four are for ever.
type Status string

// The closed list of Status.
const (
	StatusNew     Status = ""
	StatusRunning Status = "running"

	StatusCompensating Status = "compensating"
	StatusAttention    Status = "needs_attention" // a compensation failed; a person decides

	StatusSucceeded   Status = "succeeded"
	StatusFailed      Status = "failed"
	StatusCompensated Status = "compensated"
	StatusCanceled    Status = "canceled"
)

// Over reports whether nothing can follow any more.
func (s Status) Over() bool {
	return s == StatusSucceeded || s == StatusFailed || s == StatusCanceled || s == StatusCompensated
}

// Snapshot is the state of one run: the fold of its events. Make one with
// Machine.New.
type Snapshot struct {
	Run     string // id
	Seq     int    // events so far
	Status  Status
	Started time.Time
	Failure *event.Error // of a failed run

	// Routes chooses queues. It is part of the world, not of the state: what
	// it chose stands in the events.
	Routes func(route.Attributes) route.Decision
	// Workspace is what route tables see. Workflow and Version are what
	// expressions see as run.workflow and run.version.
	Workspace, Workflow, Version string
	// Inside is how many items of a map are done inside its run; 0 is ItemsMax.
	// It is part of the world, too: what was done stands in the events.
	Inside int

	scopes  []*scope // open, by id; the first is the run itself
	opened  int      // scopes so far, without the run itself
	arrived int      // tokens so far
	paused  bool
	rig     *rig      // of a test run
	last    time.Time // of the last event

	answer  *Responded // the last response
	results []ResultRef
	keyed   bool
	trigger int // node that fired
	began   *box
	around  *outside        // of a run that is an item; nil: it is none
	mail    []mail          // signals that no wait has consumed
	heard   map[string]bool // ids of signals
	trouble []trouble       // compensations that failed and wait for a person

	blobs  map[string][]byte // loaded large values by digest
	loaded int               // bytes of them
	fresh  map[string][]byte // computed in this step, to be stored before the commit
}

// New makes the state of a run in which nothing has happened.
func (m *Machine) New(run string) *Snapshot {
	root := m.open(0, 0)
	root.tx = m.Transaction
	return &Snapshot{
		Run: run, scopes: []*scope{root},
		blobs: map[string][]byte{}, fresh: map[string][]byte{}, heard: map[string]bool{},
	}
}

// alive reports whether something can still happen to the run.
func (s *Snapshot) alive() bool { return s.Status != StatusNew && !s.Status.Over() }

// eachVisit walks the live visits of all scopes, also the stray ones, until do
// says no.
func (s *Snapshot) eachVisit(do func(scope int, v *visit) bool) {
	for _, c := range s.scopes {
		for i := range c.visits {
			if !do(c.id, &c.visits[i]) {
				return
			}
		}
		for i := range c.strays {
			if !do(c.strays[i].scope, &c.strays[i].visit) {
				return
			}
		}
	}
}

// Owed reports whether an effect is unconfirmed: a task is with the workers,
// or another run was called.
func (s *Snapshot) Owed() bool {
	owed := false
	s.eachVisit(func(_ int, v *visit) bool {
		owed = v.state == visitQueued || v.state == visitCalling || v.body != nil && v.body.owed()
		return !owed
	})
	return owed
}

// Live is the number of live visits.
func (s *Snapshot) Live() int {
	n := 0
	s.eachVisit(func(int, *visit) bool { n++; return true })
	return n
}

// Waiting reports whether the run is alive and only time, a message or a
// person can move it.
func (s *Snapshot) Waiting() bool {
	_, held := s.Held()
	return s.alive() && !s.Owed() && (s.paused || held || len(s.trouble) > 0 || s.Live() > 0)
}

// Paused reports whether a person has paused the run.
func (s *Snapshot) Paused() bool { return s.paused }

// Tokens is the number of tokens on edges, in all scopes.
func (s *Snapshot) Tokens() int {
	n := 0
	for _, c := range s.scopes {
		n += c.tokensLeft()
	}
	return n
}

// Visits is how often a node has started, in the open scopes that hold it.
func (s *Snapshot) Visits(m *Machine, node int) int {
	n := 0
	for _, c := range s.scopes {
		if c.body == m.Nodes[node].In {
			n += c.count[m.local[node]]
		}
	}
	return n
}

// Results names the events that hold the result of a run that succeeded.
func (s *Snapshot) Results() (refs []ResultRef, keyed bool) { return s.results, s.keyed }

// Result is the result of a run that succeeded, null without one.
func (s *Snapshot) Result(m *Machine) (json.RawMessage, error) {
	c := s.scopes[0]
	if c.body > 0 && len(m.bodies[c.body].nodes) == 0 {
		return c.item.raw() // nothing stands in the body: an item gives itself back
	}
	return m.resultBox(c, s.results, s.keyed).raw()
}

// resultBox assembles the result of a scope.
func (m *Machine) resultBox(c *scope, results []ResultRef, keyed bool) *box {
	if !keyed {
		if len(results) == 0 {
			return nil
		}
		return c.outputs[m.local[m.Index(results[0].Node)]].box
	}
	b := &box{parts: []part{}}
	for at, seq := range c.ends {
		if seq > 0 {
			b.parts = append(b.parts, part{m.Nodes[m.bodies[c.body].nodes[at]].Key, c.outputs[at].box})
		}
	}
	return b
}

// Outputs gives what each node of the run's own scope that completed put out
// last, by key, and the event that says so. A value that is not loaded is left
// out.
func (s *Snapshot) Outputs(m *Machine) map[string]Output {
	c := s.scopes[0]
	all := make(map[string]Output, len(c.outputs))
	for at, o := range c.outputs {
		if o.seq == 0 {
			continue
		}
		if raw, err := o.box.raw(); err == nil {
			all[m.Nodes[m.bodies[c.body].nodes[at]].Key] = Output{Seq: o.seq, Value: raw}
		}
	}
	return all
}

// Output is what a node put out last.
type Output struct {
	Seq   int
	Value json.RawMessage
}
