package reference

import (
	"errors"
	"maps"
	"slices"

	"signalbox/engine/expr"
)

// environment is what the expressions of a visit can read.
type environment struct {
	w     *world
	v     *visit
	index *int   // of the condition of a loop: rounds so far
	err   *Error // of retry's when
}

// Lookup implements expr.Values.
func (e environment) Lookup(name string) (any, bool) {
	switch name {
	case "input":
		return e.v.input, true
	case "inputs":
		return e.v.inputs, true
	case "trigger":
		return e.w.start.Input, true
	case "run":
		return e.w.start.Run, true
	case "nodes":
		return e.nodes(), true
	case "index":
		return e.place()
	case "item":
		return e.item()
	case "error":
		if e.err != nil {
			return e.err.value()["error"], true
		}
	}
	return nil, false
}

// around is the scope whose item and index a visit sees.
func (v *visit) around() *scope {
	if v.about != nil {
		return v.about
	}
	return v.scope
}

// item is that of the nearest map; without one, what the round of the nearest
// loop got.
func (e environment) item() (any, bool) {
	var rounds []any
	for s := e.v.around(); s != nil; s = s.parent {
		switch {
		case s.isItem:
			return s.item, true
		case s.of == nil:
		case s.of.node.Kind == "map":
			return s.item, true
		case s.of.node.Kind == "loop":
			rounds = append(rounds, s.item)
		}
	}
	if len(rounds) == 0 {
		return nil, false
	}
	return rounds[0], true
}

// place is the number of the nearest item or round.
func (e environment) place() (any, bool) {
	if e.index != nil {
		return float64(*e.index), true
	}
	for s := e.v.around(); s != nil; s = s.parent {
		if s.isItem || s.of != nil && s.of.node.Kind != "group" {
			return float64(s.index), true
		}
	}
	return nil, false
}

// nodes holds the output of the latest completed visit of each node in this
// scope or an enclosing one; the nearest counts.
func (e environment) nodes() map[string]any {
	all := map[string]any{}
	for s := e.v.scope; s != nil; s = s.parent {
		for id, output := range s.outputs {
			key := e.w.drawing.node(id).Key
			if _, nearer := all[key]; !nearer {
				all[key] = map[string]any{"output": output}
			}
		}
	}
	if e.w.item != nil {
		for key, output := range e.w.item.outside {
			if _, nearer := all[key]; !nearer {
				all[key] = output
			}
		}
	}
	return all
}

// eval evaluates one bare expression.
func (w *world) eval(source string, values expr.Values) (any, *Error) {
	program, fault := expr.Parse(source)
	if fault != nil {
		return nil, invalid(fault.Message)
	}
	out, err := program.Eval(values)
	if err != nil {
		return nil, failure(err)
	}
	return out, nil
}

// failure is the error of an evaluation.
func failure(err error) *Error {
	var f *expr.Failure
	if errors.As(err, &f) {
		return &Error{Class: f.Class, Message: f.Message}
	}
	return invalid(err.Error())
}

// copied is a deep copy of a value, so that nobody writes into another's.
func copied(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, part := range v {
			out[name] = copied(part)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, part := range v {
			out[i] = copied(part)
		}
		return out
	}
	return v
}

func sorted(fields map[string]any) []string { return slices.Sorted(maps.Keys(fields)) }
