package chart

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Limits of one chart. Each has a message that names it.
const (
	NodesMax      = 2_000     // states in one chart
	DepthMax      = 32        // nesting of states, of guards and of named actions
	MicrostepsMax = 1_000     // transitions taken one after the other for one event
	WorkMax       = 2_000_000 // units of work for one event: the cost of its expressions, and 20 for each state entered
	RaisedMax     = 1_000     // events raised and not yet handled
	TimersMax     = 1_000     // timers and tasks open at once
)

// Def is a statechart as written down. Expressions are CEL over context,
// event, params and input (the value that the chart was started with).
type Def struct {
	Node
	Context json.RawMessage     `json:"context,omitempty"` // an object; texts that start with "=" are expressions over input
	Guards  map[string]Guard    `json:"guards,omitempty"`  // what a guard's name means
	Actions map[string][]Action `json:"actions,omitempty"` // what an action's name means; a name that is not here is an effect
	Delays  map[string]string   `json:"delays,omitempty"`  // what a delay's name means
}

// Kind is what a state is.
type Kind string

// The closed list of Kind. Empty is compound with states in it, else atomic.
const (
	KindAtomic   Kind = "atomic"
	KindCompound Kind = "compound"
	KindParallel Kind = "parallel"
	KindFinal    Kind = "final"
	KindHistory  Kind = "history"
)

// Node is one state.
type Node struct {
	Key         string          `json:"key,omitempty"` // name among its siblings
	ID          string          `json:"id,omitempty"`  // name in the whole chart; empty: the parent's id, a dot, the key
	Kind        Kind            `json:"kind,omitempty"`
	Description string          `json:"description,omitempty"`
	Meta        json.RawMessage `json:"meta,omitempty"` // kept, never read
	Tags        []string        `json:"tags,omitempty"`
	Initial     string          `json:"initial,omitempty"`         // compound: key of the state that it begins in
	InitialDo   []Action        `json:"initial_actions,omitempty"` // run when it begins there
	Deep        bool            `json:"deep,omitempty"`            // history: of all levels
	Targets     []string        `json:"targets,omitempty"`         // history: ids of where to go when there is none yet; empty: as the parent begins
	Entry       []Action        `json:"entry,omitempty"`
	Exit        []Action        `json:"exit,omitempty"`
	On          []Transition    `json:"on,omitempty"`
	After       []Transition    `json:"after,omitempty"`
	Always      []Transition    `json:"always,omitempty"`
	Done        []Transition    `json:"done,omitempty"` // a final state of its own was reached
	Invoke      []Invoke        `json:"invoke,omitempty"`
	Output      json.RawMessage `json:"output,omitempty"` // final states and the root
	States      []Node          `json:"states,omitempty"`
}

// Transition is a way out of a state. Without targets it leaves nothing; with
// neither targets nor actions it forbids the event to the states around.
type Transition struct {
	Event       string   `json:"event,omitempty"`   // on: a name, "*", or the first words and a star: "order.*"
	Delay       string   `json:"delay,omitempty"`   // after: milliseconds, a duration (15m), the name of a delay, or "=" and an expression
	Targets     []string `json:"targets,omitempty"` // ids
	Guard       *Guard   `json:"guard,omitempty"`
	Actions     []Action `json:"actions,omitempty"`
	Reenter     bool     `json:"reenter,omitempty"` // leave and enter the source again when the target is inside it
	Description string   `json:"description,omitempty"`
}

// Guard is a condition. Exactly one of its parts is set.
type Guard struct {
	Expr   string          `json:"expr,omitempty"` // CEL that gives true or false
	Name   string          `json:"name,omitempty"` // one of Def.Guards
	Params json.RawMessage `json:"params,omitempty"`
	In     string          `json:"in,omitempty"` // true while the state with this id is active
	Not    *Guard          `json:"not,omitempty"`
	And    []Guard         `json:"and,omitempty"`
	Or     []Guard         `json:"or,omitempty"`
}

// Action is something to do. Exactly one of its parts is set.
type Action struct {
	Do     string          `json:"do,omitempty"` // a name
	Params json.RawMessage `json:"params,omitempty"`
	Assign json.RawMessage `json:"assign,omitempty"` // fields of the context to set
	Raise  *Raise          `json:"raise,omitempty"`
	Send   *Send           `json:"send,omitempty"`
	Cancel string          `json:"cancel,omitempty"` // name of a delayed raise
	Log    json.RawMessage `json:"log,omitempty"`
}

// Raise puts an event into the chart's own queue, at once or later.
type Raise struct {
	Event string          `json:"event"`
	Data  json.RawMessage `json:"data,omitempty"`
	Delay string          `json:"delay,omitempty"`
	ID    string          `json:"id,omitempty"` // by which Cancel withdraws it
}

// Send hands an event to somebody else.
type Send struct {
	To    string          `json:"to"`
	Event string          `json:"event"`
	Data  json.RawMessage `json:"data,omitempty"`
}

// Invoke starts a task when its state is entered and stops it when the state
// is left.
type Invoke struct {
	ID     string          `json:"id,omitempty"` // empty: its number, a dot, the state's id
	Source string          `json:"src"`
	Input  json.RawMessage `json:"input,omitempty"`
	Done   []Transition    `json:"done,omitempty"`
	Error  []Transition    `json:"error,omitempty"` // without one, a failure fails the chart
}

// Decode reads a definition. A field that does not exist is refused: it is
// most likely a typo.
func Decode(raw []byte) (Def, error) {
	var d Def
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&d); err != nil {
		return Def{}, fmt.Errorf("read the chart: %w", err)
	}
	return d, nil
}
