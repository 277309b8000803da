package machine

import (
	"encoding/json"
	"time"

	"signalbox/engine/event"
	"signalbox/engine/route"
)

// Status of a run. The last three are for ever.
type Status string

// The closed list of Status.
const (
	StatusNew       Status = ""
	StatusRunning   Status = "running"
	StatusSucceeded Status = "succeeded"
	StatusFailed    Status = "failed"
	StatusCanceled  Status = "canceled"
)

// Over reports whether nothing can follow any more.
func (s Status) Over() bool {
	return s == StatusSucceeded || s == StatusFailed || s == StatusCanceled
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
	Routes func(route.Attributes) string
	// Workflow and Version are what expressions see as run.workflow and
	// run.version.
	Workflow, Version string

	tokens  [][]token  // per edge, first in first out
	visits  []visit    // live, by start
	count   []int      // per node: visits started
	outputs []output   // per node: latest
	ends    []int      // per node: event after which its tokens left by no edge; 0 none
	answer  *Responded // the last response
	results []ResultRef
	keyed   bool
	arrived int // tokens so far
	trigger int // node that fired
	began   *box

	busy     []int // per node: live visits
	heads    []int // per node: incoming edges that hold a token
	liveBits bits
	headBits bits

	blobs  map[string][]byte // loaded large values by digest
	loaded int               // bytes of them
	fresh  map[string][]byte // computed in this step, to be stored before the commit
}

// token is control standing on an edge.
type token struct {
	seq     int // event that put it there
	arrival int // its place in line over all edges
	box     *box
}

// visit is one live activation of a node.
type visit struct {
	node    int
	number  int
	state   visitState
	attempt int
	input   *box
	config  event.Value // task: resolved
	queue   string
	prio    int
	due     time.Time // wait: until; backoff: next attempt
}

type visitState int

const (
	visitQueued  visitState = iota + 1 // with the workers
	visitBackoff                       // waits for its next attempt
	visitWaiting                       // waits for time
)

// output is what a node gave last.
type output struct {
	seq int
	box *box
}

// New makes the state of a run in which nothing has happened.
func (m *Machine) New(run string) *Snapshot {
	n := len(m.Nodes)
	return &Snapshot{
		Run:    run,
		tokens: make([][]token, len(m.Edges)), count: make([]int, n), outputs: make([]output, n), ends: make([]int, n),
		busy: make([]int, n), heads: make([]int, n), liveBits: newBits(n), headBits: newBits(n),
		blobs: map[string][]byte{}, fresh: map[string][]byte{},
	}
}

// Owed reports whether an effect is unconfirmed: a task is with the workers.
func (s *Snapshot) Owed() bool {
	for i := range s.visits {
		if s.visits[i].state == visitQueued {
			return true
		}
	}
	return false
}

// WakeAt is when the run next wants a Wake; zero is never.
func (s *Snapshot) WakeAt() time.Time {
	var at time.Time
	for i := range s.visits {
		if v := &s.visits[i]; v.state != visitQueued && (at.IsZero() || v.due.Before(at)) {
			at = v.due
		}
	}
	return at
}

// Waiting reports whether the run is alive and only time can move it.
func (s *Snapshot) Waiting() bool {
	return s.Status == StatusRunning && !s.Owed() && len(s.visits) > 0
}

// Live is the number of live visits.
func (s *Snapshot) Live() int { return len(s.visits) }

// Tokens is the number of tokens on edges.
func (s *Snapshot) Tokens() int {
	n := 0
	for _, q := range s.tokens {
		n += len(q)
	}
	return n
}

// Visits is how often a node has started.
func (s *Snapshot) Visits(node int) int { return s.count[node] }

// Results names the events that hold the result of a run that succeeded.
func (s *Snapshot) Results() (refs []ResultRef, keyed bool) { return s.results, s.keyed }

// Result is the result of a run that succeeded, null without one.
func (s *Snapshot) Result(m *Machine) (json.RawMessage, error) {
	if !s.keyed {
		if len(s.results) == 0 {
			return json.RawMessage("null"), nil
		}
		return s.outputs[m.Index(s.results[0].Node)].box.raw()
	}
	b := &box{parts: []part{}}
	for n, seq := range s.ends {
		if seq > 0 {
			b.parts = append(b.parts, part{m.Nodes[n].Key, s.outputs[n].box})
		}
	}
	return b.raw()
}

// Fresh returns the large values that the last steps computed and empties the
// list: they must be stored before the events that name them.
func (s *Snapshot) Fresh() map[string][]byte {
	if len(s.fresh) == 0 {
		return nil
	}
	f := s.fresh
	s.fresh = map[string][]byte{}
	return f
}

// Needs lists the digests of large values that expressions may still read and
// that are not loaded, the most recent first, within LoadedMax.
func (s *Snapshot) Needs() []string {
	var need []string
	seen, size := map[string]bool{}, s.loaded
	visit := func(b *box) {
		for _, p := range leaves(b) {
			d := p.value.Payload
			if d == nil || p.blob != nil || seen[d.Digest] || size+d.Size > LoadedMax {
				continue
			}
			seen[d.Digest] = true
			size += d.Size
			need = append(need, d.Digest)
		}
	}
	s.eachBox(visit)
	return need
}

// Supply hands in the bytes of a large value.
func (s *Snapshot) Supply(digest string, data []byte) {
	if s.blobs[digest] == nil && s.loaded+len(data) <= LoadedMax {
		s.blobs[digest] = data
		s.loaded += len(data)
	}
	s.eachBox(func(b *box) {
		for _, p := range leaves(b) {
			if p.value.Payload != nil && p.value.Payload.Digest == digest {
				p.blob = s.blobs[digest]
			}
		}
	})
}

func leaves(b *box) []*box {
	if b == nil {
		return nil
	}
	if b.parts == nil {
		return []*box{b}
	}
	var out []*box
	for _, p := range b.parts {
		out = append(out, leaves(p.box)...)
	}
	return out
}

func (s *Snapshot) eachBox(do func(*box)) {
	do(s.began)
	for _, q := range s.tokens {
		for i := range q {
			do(q[i].box)
		}
	}
	for i := range s.visits {
		do(s.visits[i].input)
	}
	for i := range s.outputs {
		do(s.outputs[i].box)
	}
}

// Outputs gives what each node that completed put out last, by key, and the
// event that says so. A value that is not loaded is left out.
func (s *Snapshot) Outputs(m *Machine) map[string]Output {
	all := make(map[string]Output, len(s.outputs))
	for n, o := range s.outputs {
		if o.seq == 0 {
			continue
		}
		if raw, err := o.box.raw(); err == nil {
			all[m.Nodes[n].Key] = Output{Seq: o.seq, Value: raw}
		}
	}
	return all
}

// Output is what a node put out last.
type Output struct {
	Seq   int
	Value json.RawMessage
}
