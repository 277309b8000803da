package graph

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"signalbox/engine/problem"
)

const nodePaths = "/key, /kind, /title, /notes, /pin, /disabled, /max_visits, /in, /pivot, /join, /retry, /timeout, /task, /config or a place below /config"

// setNode sets one property of a node and returns the op that sets it back.
func (g *Graph) setNode(op Op) ([]Op, error) {
	n, err := g.find(op.ID)
	if err != nil {
		return nil, err
	}
	was, next, l := *n, *n, g.Layout.Nodes[op.ID]
	undo := Op{Op: "node.set", ID: op.ID, Path: op.Path}
	switch op.Path {
	case "/title":
		undo.Value, err = swap(&l.Title, op.Value)
	case "/notes":
		undo.Value, err = swap(&l.Notes, op.Value)
	case "/pin":
		undo.Value, l.Pin = l.Pin, op.Value
	case "/key":
		undo.Value, err = swap(&next.Key, op.Value)
	case "/kind":
		undo.Value, err = swap(&next.Kind, op.Value)
	case "/disabled":
		undo.Value, err = swap(&next.Disabled, op.Value)
	case "/max_visits":
		undo.Value, err = swap(&next.MaxVisits, op.Value)
	case "/in":
		undo.Value, err = swap(&next.In, op.Value)
	case "/pivot":
		undo.Value, err = swap(&next.Pivot, op.Value)
	case "/join":
		undo.Value, err = swapRef(&next.Join, op.Value)
	case "/retry":
		undo.Value, err = swapRef(&next.Retry, op.Value)
	case "/timeout":
		undo.Value, err = swapRef(&next.Timeout, op.Value)
	case "/task":
		undo.Value, err = swapRef(&next.Task, op.Value)
	case "/config":
		undo.Value, next.Config = next.Config, op.Value
	default:
		undo, next.Config, err = setConfig(next.Config, op)
	}
	if err != nil {
		return nil, err
	}
	if p := checkNode("/value", next); p != nil {
		return nil, p
	}
	if next.Key != was.Key {
		for _, m := range g.Nodes {
			if m.Key == next.Key {
				return nil, problem.New(problem.Conflict, "There is already a node with the key %q.", next.Key).At("/value", "duplicate key", "a key of its own")
			}
		}
	}
	if next.In != was.In {
		if p := g.holds("/value", next); p != nil {
			return nil, p
		}
	}
	*n = next
	g.layout(op.ID, l)
	return []Op{undo}, nil
}

// swap sets a plain field and returns what it was; an absent value empties it.
func swap[T comparable](field *T, value json.RawMessage) (json.RawMessage, error) {
	was, zero := *field, *new(T)
	if len(value) == 0 {
		*field = zero
	} else if err := decodeStrict(value, field); err != nil {
		*field = was
		return nil, err
	}
	if was == zero {
		return nil, nil
	}
	return json.Marshal(was)
}

// swapRef is swap for an optional object.
func swapRef[T any](field **T, value json.RawMessage) (json.RawMessage, error) {
	was := *field
	if len(value) == 0 || string(value) == "null" {
		*field = nil
	} else {
		next := new(T)
		if err := decodeStrict(value, next); err != nil {
			return nil, err
		}
		*field = next
	}
	if was == nil {
		return nil, nil
	}
	return json.Marshal(was)
}

// setConfig sets a place below /config. Objects are made on the way. The
// inverse of a change below a place that was not there removes the topmost
// object that the change made; the inverse of a change in an array sets the
// whole array back.
func setConfig(config json.RawMessage, op Op) (Op, json.RawMessage, error) {
	rest, ok := strings.CutPrefix(op.Path, "/config/")
	if !ok || len(op.Path) > 1_000 {
		return Op{}, config, badPath(op.Path, nodePaths)
	}
	root := json.RawMessage("{}")
	if len(config) > 0 {
		root = config
	}
	var value json.RawMessage
	if len(op.Value) > 0 {
		if p := CheckJSON(op.Value, DepthMax); p != nil {
			return Op{}, config, p
		}
		value = slices.Clone(op.Value)
		if err := (*jsontext.Value)(&value).Compact(); err != nil {
			return Op{}, config, decodeProblem(err)
		}
	}
	s := setter{value: value, undo: Op{Op: "node.set", ID: op.ID}}
	next, err := s.set(root, "/config", strings.Split(rest, "/"))
	if err != nil {
		return Op{}, config, err
	}
	return s.undo, next, nil
}
