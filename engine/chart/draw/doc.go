// Package draw turns a statechart into nodes and edges of a drawing, and back.
// It is pure.
//
// # What is drawn
//
// A state without others in it is a node of kind "state". A compound or
// parallel state is a container of kind "states" with its states inside; the
// outermost one is the whole chart, and the only one that the rest of the
// workflow sees. Histories are options of their container and no boxes.
//
// Each transition has a port of its own on its state (on_<event>,
// after_<delay>, always, done, …), and the port's edges lead to its targets:
// none, one, or several. Edges never cross the border of a container, so a
// transition that does is drawn in the container that holds both of its ends,
// between the two boxes there. Where that box is not the state itself, the box
// at the start gets a generated port, listed in its "exits", and "into" of the
// transition names the states in which it ends. FromGraph dissolves both.
//
// # Configuration
//
// Config is the configuration of both kinds. Its expressions are those of
// package chart, over context, event, params and input: the forms of kinds
// have to treat them as constants.
package draw

import (
	"encoding/json"

	"signalbox/engine/chart"
)

// Kinds of nodes.
const (
	KindState  = "state"
	KindStates = "states"
)

// Config is the configuration of a state's node.
type Config struct {
	Name        string          `json:"name,omitempty"` // key among its siblings; empty: the node's key
	ID          string          `json:"id,omitempty"`   // as chart.Node.ID
	Description string          `json:"description,omitempty"`
	Meta        json.RawMessage `json:"meta,omitempty"`
	Tags        []string        `json:"tags,omitempty"`
	Final       bool            `json:"final,omitempty"`
	Entry       []chart.Action  `json:"entry,omitempty"`
	Exit        []chart.Action  `json:"exit,omitempty"`
	On          []Move          `json:"on,omitempty"`
	After       []Move          `json:"after,omitempty"`
	Always      []Move          `json:"always,omitempty"`
	Done        []Move          `json:"done,omitempty"`
	Invoke      []Invoke        `json:"invoke,omitempty"`
	Output      json.RawMessage `json:"output,omitempty"`

	// Containers.
	Parallel  bool           `json:"parallel,omitempty"`
	Initial   string         `json:"initial,omitempty"` // name of the state that it begins in
	InitialDo []chart.Action `json:"initial_actions,omitempty"`
	Order     []string       `json:"order,omitempty"` // names of its states and histories in document order; others follow by their keys
	Histories []History      `json:"histories,omitempty"`
	Exits     []Exit         `json:"exits,omitempty"`

	// The outermost container.
	Context json.RawMessage           `json:"context,omitempty"`
	Guards  map[string]chart.Guard    `json:"guards,omitempty"`
	Actions map[string][]chart.Action `json:"actions,omitempty"`
	Delays  map[string]string         `json:"delays,omitempty"`
}

// Move is a transition; its targets are where the edges of its port lead.
type Move struct {
	Port        string         `json:"port"`
	Event       string         `json:"event,omitempty"`
	Delay       string         `json:"delay,omitempty"`
	Guard       *chart.Guard   `json:"guard,omitempty"`
	Actions     []chart.Action `json:"actions,omitempty"`
	Reenter     bool           `json:"reenter,omitempty"`
	Into        []string       `json:"into,omitempty"` // keys of states, or "key.name" of a history in a container
	Description string         `json:"description,omitempty"`
}

// Invoke is a task that a state runs.
type Invoke struct {
	ID     string          `json:"id,omitempty"`
	Source string          `json:"src"`
	Input  json.RawMessage `json:"input,omitempty"`
	Done   []Move          `json:"done,omitempty"`
	Error  []Move          `json:"error,omitempty"`
}

// History is where a container remembers what was active in it.
type History struct {
	Name    string   `json:"name"`
	ID      string   `json:"id,omitempty"`
	Deep    bool     `json:"deep,omitempty"`
	Default []string `json:"default,omitempty"` // as Move.Into: where to go when there is none yet
}

// Exit is a generated port of a container: a transition of a state inside
// leaves by it.
type Exit struct {
	Port string `json:"port"`
	From string `json:"from"` // key of the state
	By   string `json:"by"`   // port of the state
}
