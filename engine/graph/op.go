package graph

import "encoding/json"

// Op is one change to a graph. Ops are ordered by the server; applying one
// returns the ops that undo it.
//
//	op           id    path                          value
//	node.add     node  -                             NodeDoc
//	node.set     node  JSON pointer (see Apply)      any JSON; absent removes
//	node.move    node  -                             {"x":1,"y":2}
//	node.size    node  -                             {"w":1,"h":2,"folded":true}
//	node.del     node  -                             -            (its edges go with it)
//	edge.add     edge  -                             {"from","port","to"}
//	edge.set     edge  /from, /port, /to or /label   string
//	edge.del     edge  -                             -
//	note.add     note  -                             Note
//	note.set     note  /text, /x, /y, /w or /h       -
//	note.del     note  -                             -
//	graph.set    -     /name, /description, /sample, any JSON; absent removes
//	                   /transaction
//
// Paths of node.set: /key, /kind, /title, /notes, /pin, /disabled,
// /max_visits, /in, /pivot, /join, /retry, /timeout, /task, /config and anything below
// /config (objects are made on the way; an array index must exist or be "-").
type Op struct {
	Op    string          `json:"op"`
	ID    string          `json:"id,omitempty"`
	Path  string          `json:"path,omitempty"`
	Value json.RawMessage `json:"value,omitempty"`
}

// NodeDoc is the value of node.add: a node with its layout.
type NodeDoc struct {
	Node
	X      int             `json:"x"`
	Y      int             `json:"y"`
	Title  string          `json:"title,omitempty"`
	W      int             `json:"w,omitempty"`
	H      int             `json:"h,omitempty"`
	Folded bool            `json:"folded,omitempty"`
	Notes  string          `json:"notes,omitempty"`
	Pin    json.RawMessage `json:"pin,omitempty"`
}
