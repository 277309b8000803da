package reference

import (
	"maps"

	"signalbox/engine/expr"
	"signalbox/engine/graph"
)

// combine makes the value of a join out of the values that it took, in the
// order of its edges.
func (w *world) combine(v *visit, taken []token) (any, *Error) {
	how := "object"
	if v.node.Join != nil && v.node.Join.Combine != "" {
		how = v.node.Join.Combine
	}
	switch how {
	case "append":
		return appended(taken), nil
	case "zip":
		return w.zipped(v.node, taken), nil
	case "merge":
		return merged(appended(taken), v.node.Join.Key)
	case "reduce":
		return w.reduced(v, taken)
	}
	return v.inputs, nil
}

// appended puts lists end to end; another value is a list of one.
func appended(taken []token) []any {
	all := []any{}
	for _, t := range taken {
		if list, is := t.value.([]any); is {
			all = append(all, list...)
		} else {
			all = append(all, t.value)
		}
	}
	return all
}

// zipped makes rows of lists, place by place: each an object by the keys of
// the sources.
func (w *world) zipped(n graph.Node, taken []token) []any {
	rows := []any{}
	for i := 0; ; i++ {
		row := map[string]any{}
		for _, t := range taken {
			list, is := t.value.([]any)
			if !is {
				list = []any{t.value}
			}
			if i < len(list) {
				row[w.name(n, t.edge)] = list[i]
			}
		}
		if len(row) == 0 {
			return rows
		}
		rows = append(rows, row)
	}
}

// merged makes one object of all that have the same value in a field; a later
// one's fields count. An object without the field is the same as no other.
func merged(all []any, key string) ([]any, *Error) {
	out := []any{}
	place := map[string]int{}
	for _, item := range all {
		object, is := item.(map[string]any)
		if !is {
			return nil, invalid("only objects can be merged")
		}
		value, there := object[key]
		name, err := expr.Marshal(value)
		if err != nil {
			return nil, invalid(err.Error())
		}
		at, seen := place[string(name)]
		if !there || !seen {
			if there {
				place[string(name)] = len(out)
			}
			out = append(out, maps.Clone(object))
			continue
		}
		before, _ := out[at].(map[string]any)
		maps.Copy(before, object)
	}
	return out, nil
}

// reduced goes through the values one by one: each step's acc is what the one
// before gave.
func (w *world) reduced(v *visit, taken []token) (any, *Error) {
	var acc any
	if v.node.Join.Start != "" {
		start, err := w.eval(v.node.Join.Start, environment{w: w, v: v})
		if err != nil {
			return nil, err
		}
		acc = start
	}
	for _, t := range taken {
		next, err := w.eval(v.node.Join.Reduce, stepValues{environment{w: w, v: v}, acc, t.value})
		if err != nil {
			return nil, err
		}
		acc = next
	}
	return acc, nil
}

// stepValues is what one step of a reduce reads.
type stepValues struct {
	environment
	acc, item any
}

// Lookup implements expr.Values.
func (s stepValues) Lookup(name string) (any, bool) {
	switch name {
	case "acc":
		return s.acc, true
	case "item":
		return s.item, true
	}
	return s.environment.Lookup(name)
}
