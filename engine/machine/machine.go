// Package machine is the state machine that a drawing compiles to, and the
// only place that decides what happens in a run.
//
// The caller's loop:
//
//	events, err := m.Step(s, input, at)  // decides; s has changed accordingly
//	commit(events)                       // only then:
//	for _, c := range m.Commands(s, events) { do(c) }
//
// State is the fold of events: m.Fold(s, e) repeats what Step did to s, and
// decides nothing. The package does no I/O, reads no clock, starts no
// goroutine and draws no random number: time comes in with the input, jitter
// is drawn from the run's id. The rules that it follows are written in
// docs/semantics.md; rule numbers in comments refer to that page.
package machine

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"signalbox/engine/chart"
	"signalbox/engine/expr"
)

// VisitsMax is how often a node may start in one scope unless it says
// otherwise (rule 7).
const VisitsMax = 1_000

// StepEventsMax is about how many events one step makes before it pauses: the
// rest follows with the next Wake, which is due at once.
const StepEventsMax = 1_000

// Machine is a compiled drawing: tables, nothing drawn left in it. It is
// stored with its version as JSON; Load links it again.
type Machine struct {
	Format    int    `json:"format"`
	Semantics int    `json:"semantics"`
	Nodes     []Node `json:"nodes"` // by key
	Edges     []Edge `json:"edges"` // by source key, port, target key; none crosses the border of a scope

	Transaction bool `json:"transaction,omitempty"` // the run itself is a saga

	index  map[string]int // node by key
	in     [][]int        // edges into a node
	out    [][]int        // edges out of a node
	bodies []*body        // 0: the run's own; 1+n: of container n; nil where there is none
	local  []int          // per node: its place in its body
	slot   []int          // per edge: its place in its body
	reach  []bits         // per edge into a join: places of the nodes from which it can be reached
	links  []link         // per node: its expressions, parsed
}

// Op is what a visit of a node does. The set is closed.
type Op string

// The closed list of Op.
const (
	OpTrigger   Op = "trigger"
	OpPass      Op = "pass" // hands its input on: join, disabled nodes
	OpSet       Op = "set"
	OpTransform Op = "transform"
	OpIf        Op = "if"
	OpRoute     Op = "route"
	OpRespond   Op = "respond"
	OpOutput    Op = "output"
	OpEnd       Op = "end"
	OpFail      Op = "fail"
	OpTask      Op = "task"
	OpWait      Op = "wait"
	OpMetric    Op = "metric"  // writes a point down
	OpOutcome   Op = "outcome" // writes down what was predicted, or what was true

	OpGroup Op = "group" // containers: their bodies are the nodes whose In names them
	OpMap   Op = "map"
	OpLoop  Op = "loop"
	OpChart Op = "chart" // a statechart: its configuration is the chart
	OpCall  Op = "call"  // another workflow, as a child run

	OpSignal   Op = "signal"   // waits for a message from outside
	OpHuman    Op = "human"    // waits for a person's decision
	OpCallback Op = "callback" // waits for a one-time address to be called
)

// Join modes (rule 3).
const (
	JoinInclusive = "inclusive"
	JoinEach      = "each"
	JoinAll       = "all"
	JoinN         = "n"
	JoinFirst     = "first"
)

// Node is one node with every default filled in.
type Node struct {
	Key       string               `json:"key"`
	Kind      string               `json:"kind"`
	Op        Op                   `json:"op"`
	Config    json.RawMessage      `json:"config"`
	Modes     map[string]expr.Mode `json:"modes,omitempty"` // places in Config that are read in another mode than ModeValue
	Ports     []string             `json:"ports"`           // every port, connected or not
	Port      string               `json:"port,omitempty"`  // pass: the port that it leaves by
	In        int                  `json:"in,omitempty"`    // 1 + position of the container whose body this node is in; 0: the run's own scope
	Join      string               `json:"join"`
	JoinN     int                  `json:"join_n,omitempty"`        // n and first: how many edges
	Cancel    bool                 `json:"join_cancel,omitempty"`   // n and first: end the others instead of absorbing them
	Deadline  time.Duration        `json:"join_deadline,omitempty"` // from the first waiting token; then port timeout
	Combine   *Combine             `json:"combine,omitempty"`       // nil: an object keyed by source
	MaxVisits int                  `json:"max_visits"`
	Retry     Retry                `json:"retry,omitzero"`
	Timeout   time.Duration        `json:"timeout,omitempty"`   // of one attempt (containers: of the visit), nanoseconds
	Total     time.Duration        `json:"total,omitempty"`     // of the visit with all of its attempts
	InQueue   time.Duration        `json:"in_queue,omitempty"`  // of waiting for a worker
	Heartbeat time.Duration        `json:"heartbeat,omitempty"` // between two signs of life
	Queue     string               `json:"queue,omitempty"`     // empty: by route
	Priority  json.RawMessage      `json:"priority,omitempty"`
	Type      json.RawMessage      `json:"type,omitempty"`
	Size      json.RawMessage      `json:"size,omitempty"` // empty: of the resolved configuration
	Location  json.RawMessage      `json:"location,omitempty"`
	Located   bool                 `json:"located,omitempty"` // Queue is only of workers that are there
	Labels    json.RawMessage      `json:"labels,omitempty"`
	Limits    *Limits              `json:"limits,omitempty"` // nil: none of its own
	Undo      int                  `json:"undo,omitempty"`   // 1 + position of the node that undoes this one; 0: none
	Undoes    bool                 `json:"undoes,omitempty"` // it is such a node: no token starts it
	Pivot     bool                 `json:"pivot,omitempty"`  // in a transaction: the point of no return
	Takes     json.RawMessage      `json:"takes,omitempty"`  // trigger: JSON Schema of the shape that the input must have
	Of        int                  `json:"of,omitempty"`     // 1 + position of the statechart, or callback, whose task it does; 0: none
}

// Apart reports whether no token starts the node: it undoes another, or does a
// task of a statechart.
func (n *Node) Apart() bool { return n.Undoes || n.Of > 0 }

// Combine says how a join makes one value of several.
type Combine struct {
	How    string `json:"how"`              // append, zip, merge, reduce
	Key    string `json:"key,omitempty"`    // merge: the field that makes items the same
	Reduce string `json:"reduce,omitempty"` // reduce: expression over acc and item
	Start  string `json:"start,omitempty"`  // reduce: expression of the first acc
}

// Retry is when a failed attempt is tried again.
type Retry struct {
	MaxAttempts int           `json:"max_attempts"`
	Fixed       bool          `json:"fixed,omitempty"`
	Initial     time.Duration `json:"initial"`
	Factor      float64       `json:"factor"`
	MaxInterval time.Duration `json:"max_interval"`
	Jitter      float64       `json:"jitter,omitempty"`
	On          []string      `json:"on,omitempty"`
	Total       time.Duration `json:"total,omitempty"` // from the visit's start: no attempt begins after it
	When        string        `json:"when,omitempty"`  // expression over input and error
}

// Edge leads from a port of a node to a node, both by position.
type Edge struct {
	From int    `json:"from"`
	Port string `json:"port"`
	To   int    `json:"to"`
}

// link holds a node's parsed expressions.
type link struct {
	config  *expr.Tree
	box     containerConfig
	chart   *chart.Chart
	reduce  *expr.Program   // combine: the expression over acc and item
	start   *expr.Program   // combine: the first acc
	again   *expr.Program   // retry: whether another attempt is worth it
	when    []*expr.Program // if: the condition; route: one per rule; transform: the expression
	ports   []string        // route: port of each rule
	every   bool            // route: every rule that matches
	routed  *expr.Tree      // {"priority": …, "type": …} and what else the task says of itself
	task    int             // callback: 1 + position of the node that hands its address out
	refs    []string        // nodes whose output they read
	trigger bool            // they read what started the run
	keys    []string        // names of the incoming edges in a joined value
}

// Link derives the tables that are not stored. It must be called once before
// the machine is used; Load and package compile do.
func (m *Machine) Link() error {
	m.index = make(map[string]int, len(m.Nodes))
	m.in, m.out = make([][]int, len(m.Nodes)), make([][]int, len(m.Nodes))
	for i, n := range m.Nodes {
		m.index[n.Key] = i
	}
	for i, e := range m.Edges {
		if e.From < 0 || e.From >= len(m.Nodes) || e.To < 0 || e.To >= len(m.Nodes) {
			return errors.New("an edge of the machine names a node that it does not have")
		}
		m.in[e.To] = append(m.in[e.To], i)
		m.out[e.From] = append(m.out[e.From], i)
	}
	m.links = make([]link, len(m.Nodes))
	for i := range m.Nodes {
		l, err := m.linkNode(i)
		if err != nil {
			return fmt.Errorf("node %s: %w", m.Nodes[i].Key, err)
		}
		m.links[i] = l
	}
	if err := m.linkBodies(); err != nil {
		return err
	}
	m.reach = m.reachability()
	return nil
}

// Encode is the stored form.
func (m *Machine) Encode() (json.RawMessage, error) {
	raw, err := json.Marshal(m)
	if err != nil {
		return nil, fmt.Errorf("write machine: %w", err)
	}
	return raw, nil
}

// Digest names the machine: SHA-256 over its stored form, whose order is
// fixed.
func (m *Machine) Digest() ([32]byte, error) {
	raw, err := m.Encode()
	if err != nil {
		return [32]byte{}, err
	}
	return sha256.Sum256(raw), nil
}

// Index returns the position of a node, or -1.
func (m *Machine) Index(key string) int {
	if i, ok := m.index[key]; ok {
		return i
	}
	return -1
}

// In lists the edges into a node, in order.
func (m *Machine) In(node int) []int { return m.in[node] }

// Out lists the edges out of a node, in order.
func (m *Machine) Out(node int) []int { return m.out[node] }

// Reaches reports whether something at the node can still put a token on the
// edge without passing the join at the edge's end. Only edges into nodes with
// several incoming edges are known.
func (m *Machine) Reaches(node, edge int) bool {
	return m.reach[edge] != nil && m.Nodes[node].In == m.Nodes[m.Edges[edge].To].In && m.reach[edge].has(m.local[node])
}

// hasPort reports whether an edge leaves the node by the port.
func (m *Machine) hasPort(node int, port string) bool {
	for _, e := range m.out[node] {
		if m.Edges[e].Port == port {
			return true
		}
	}
	return false
}

// Every reports whether a visit of the node can end on several ports at once.
func (m *Machine) Every(node int) bool { return m.links[node].every }
