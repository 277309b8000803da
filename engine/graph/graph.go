// Package graph is the drawing: nodes and edges with their layout, the
// operations that change it, its checks and its digest.
//
// It is pure: it does no I/O, reads no clock and knows nothing about what a
// kind of node does (package kind) or what the drawing means (package
// compile).
package graph

import (
	"encoding/json"
)

// Format is the number of the file format that this package writes.
const Format = 1

// Limits of one graph. Each has a message that names it.
const (
	NodesMax       = 10_000  // nodes in one graph
	EdgesPerNode   = 5       // edges in one graph: at most this times the nodes
	KeyLengthMax   = 40      // characters of a node key
	TitleLengthMax = 200     // characters of a title or a workflow name
	LabelLengthMax = 60      // characters of an edge's label
	NotesLengthMax = 20_000  // characters of notes or a description
	ConfigSizeMax  = 256_000 // bytes of one node's configuration
	DepthMax       = 128     // nesting of the JSON of a graph
)

// Graph is one drawing. Everything in Layout, and Name and Description, is
// kept beside the meaning: it never reaches the engine and never the digest.
type Graph struct {
	Format      int    `json:"signalbox"`
	Name        string `json:"name,omitempty"`
	Description string `json:"description,omitempty"`
	Nodes       []Node `json:"nodes"`
	Edges       []Edge `json:"edges"`
	Transaction bool   `json:"transaction,omitempty"` // the whole run is a saga: a failure compensates
	Layout      Layout `json:"layout"`
}

// Node is one box.
type Node struct {
	ID     string          `json:"id"`   // unique, never shown: [A-Za-z0-9_-]{1,64}
	Key    string          `json:"key"`  // unique, [a-z][a-z0-9_]{0,39}: the name in expressions
	Kind   string          `json:"kind"` // from the catalogue
	Config json.RawMessage `json:"config,omitempty"`

	In        string   `json:"in,omitempty"`         // id of the container that it is drawn in; empty is the workflow itself
	Join      *Join    `json:"join,omitempty"`       // several incoming edges; nil is inclusive
	Retry     *Retry   `json:"retry,omitempty"`      // nil is the kind's default
	Timeout   *Timeout `json:"timeout,omitempty"`    // nil is the kind's default
	Task      *Task    `json:"task,omitempty"`       // where its tasks wait
	MaxVisits int      `json:"max_visits,omitempty"` // 0 is 1,000
	Disabled  bool     `json:"disabled,omitempty"`   // passes its input out of its first port
	Pivot     bool     `json:"pivot,omitempty"`      // in a transaction: the point of no return
}

// PortCompensate is the handle, on every node, from which an edge leads to the
// node that undoes its effect. No token ever takes it.
const PortCompensate = "compensate"

// Edge leads from one port of one node to one node.
type Edge struct {
	ID   string `json:"id"`
	From string `json:"from"` // node id
	Port string `json:"port"` // port name of From
	To   string `json:"to"`   // node id

	Label string `json:"label,omitempty"` // what people read on it; no machine asks
}

// Join says when a node with several incoming edges starts.
type Join struct {
	Mode     string `json:"mode"`               // inclusive, each, all, n, first
	N        int    `json:"n,omitempty"`        // mode n: how many edges
	Then     string `json:"then,omitempty"`     // modes n, first: what becomes of the others: absorb (default), cancel
	Deadline string `json:"deadline,omitempty"` // Go duration from the first waiting token; then port timeout
	Combine  string `json:"combine,omitempty"`  // object (default), append, zip, merge, reduce
	Key      string `json:"key,omitempty"`      // combine merge: the field that makes items the same
	Reduce   string `json:"reduce,omitempty"`   // combine reduce: expression over acc and item
	Start    string `json:"start,omitempty"`    // combine reduce: expression of the first acc; default null
}

// Retry says how often and when a failed attempt is tried again.
type Retry struct {
	MaxAttempts int      `json:"max_attempts"`           // 1 is no retry; at most 1,000
	Backoff     string   `json:"backoff,omitempty"`      // fixed or exponential (default)
	Initial     string   `json:"initial,omitempty"`      // Go duration, default 1s, at least 100ms
	Factor      float64  `json:"factor,omitempty"`       // default 2
	MaxInterval string   `json:"max_interval,omitempty"` // Go duration, default 1m
	Jitter      float64  `json:"jitter,omitempty"`       // 0..1, share of the delay drawn at random
	On          []string `json:"on,omitempty"`           // error classes; empty is all that are worth it
	Total       string   `json:"total,omitempty"`        // Go duration from the visit's start: no attempt begins after it
	When        string   `json:"when,omitempty"`         // expression over input and error: try again only if true
}

// Timeout bounds a visit and its attempts, each a Go duration.
type Timeout struct {
	Attempt   string `json:"attempt,omitempty"`   // one attempt, default 60s
	Queue     string `json:"queue,omitempty"`     // waiting for a worker, default none
	Total     string `json:"total,omitempty"`     // the whole visit with its retries, default none
	Heartbeat string `json:"heartbeat,omitempty"` // between two signs of life of the worker, default none
}

// Task says in which queue and how urgently a node's tasks wait. Every field
// may be an expression (a string that starts with "=").
type Task struct {
	Queue    string          `json:"queue,omitempty"`    // empty: the route table decides
	Priority json.RawMessage `json:"priority,omitempty"` // critical, high, normal, low, or 0..10
	Type     json.RawMessage `json:"type,omitempty"`     // for example a media type
	Size     json.RawMessage `json:"size,omitempty"`     // bytes; absent: of the resolved configuration
	Location json.RawMessage `json:"location,omitempty"` // where it has to be done
	Labels   json.RawMessage `json:"labels,omitempty"`   // object of texts, for route tables and workers

	Concurrency *Concurrency `json:"concurrency,omitempty"` // nil: no limit of the node's own
	Rate        *Rate        `json:"rate,omitempty"`        // the same
	Circuit     *Circuit     `json:"circuit,omitempty"`     // nil: attempts go on however many fail
}

// Concurrency bounds how many attempts of a node are at work at once, over all
// runs of its workflow; with a key, for each of its values.
type Concurrency struct {
	Limit int             `json:"limit"`
	Key   json.RawMessage `json:"key,omitempty"`
}

// Rate bounds how many attempts of a node begin within a time.
type Rate struct {
	N   int             `json:"n"`
	Per string          `json:"per"` // Go duration
	Key json.RawMessage `json:"key,omitempty"`
}

// Circuit holds a node's attempts back for a while after so many have failed
// in a row.
type Circuit struct {
	Threshold int    `json:"threshold"`
	Cooldown  string `json:"cooldown,omitempty"` // Go duration, default 30s
}

// Layout is what the eye needs and the engine does not.
type Layout struct {
	Nodes  map[string]NodeLayout `json:"nodes,omitempty"`  // by node id
	Notes  map[string]Note       `json:"notes,omitempty"`  // by note id
	Sample json.RawMessage       `json:"sample,omitempty"` // sample input of a test run
}

// NodeLayout is how one node is drawn.
type NodeLayout struct {
	X      int             `json:"x"`
	Y      int             `json:"y"`
	Title  string          `json:"title,omitempty"` // free text
	W      int             `json:"w,omitempty"`     // containers: size of the frame; 0 fits the body
	H      int             `json:"h,omitempty"`
	Folded bool            `json:"folded,omitempty"` // containers: drawn as one card
	Notes  string          `json:"notes,omitempty"`
	Pin    json.RawMessage `json:"pin,omitempty"` // pinned sample output
}

// Note is a piece of text on the canvas.
type Note struct {
	X    int    `json:"x"`
	Y    int    `json:"y"`
	W    int    `json:"w"`
	H    int    `json:"h"`
	Text string `json:"text"`
}
