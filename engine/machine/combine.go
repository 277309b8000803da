package machine

import (
	"encoding/json"
	"fmt"

	"signalbox/engine/expr"
)

// combine makes one value of those that a join took, in the order of its edges
// (rule 3): append, zip, merge by a field, reduce.
func combine(how *Combine, l *link, sc *view) (json.RawMessage, error) {
	keys, values := make([]string, 0, len(sc.input.parts)), make([]any, 0, len(sc.input.parts))
	for _, p := range sc.input.parts {
		v, err := p.box.any()
		if err != nil {
			return nil, err
		}
		keys, values = append(keys, p.key), append(values, v)
	}
	var out any
	var err error
	switch how.How {
	case "append":
		out = appended(values)
	case "zip":
		out = zipped(keys, values)
	case "merge":
		out, err = merged(values, how.Key)
	case "reduce":
		out, err = reduced(l, sc, values)
	default:
		err = fmt.Errorf("unknown way to combine %q", how.How)
	}
	if err != nil {
		return nil, err
	}
	return expr.Marshal(out)
}

// appended is one list: lists are strung together, anything else is an item.
func appended(values []any) []any {
	all := []any{}
	for _, v := range values {
		if l, ok := v.([]any); ok {
			all = append(all, l...)
		} else {
			all = append(all, v)
		}
	}
	return all
}

// zipped pairs the items of lists by position: objects keyed by source. A list
// that is shorter leaves its field out.
func zipped(keys []string, values []any) []any {
	all := []any{}
	for at := 0; ; at++ {
		row := map[string]any{}
		for i, v := range values {
			if l, ok := v.([]any); ok && at < len(l) {
				row[keys[i]] = l[at]
			} else if !ok && at == 0 {
				row[keys[i]] = v
			}
		}
		if len(row) == 0 {
			return all
		}
		all = append(all, row)
	}
}

// merged puts objects with the same value of a field together: later fields
// win, the order is that of first appearance. An object without the field is
// the same as no other.
func merged(values []any, field string) ([]any, error) {
	all, place := []any{}, map[string]map[string]any{}
	for _, v := range appended(values) {
		m, ok := v.(map[string]any)
		if !ok {
			return nil, &expr.Failure{Class: "invalid_input", Message: fmt.Sprintf("merge takes objects, this is %s", kindOf(v))}
		}
		if _, there := m[field]; !there {
			all = append(all, m)
			continue
		}
		id, err := json.Marshal(m[field])
		if err != nil {
			return nil, fmt.Errorf("write a key: %w", err)
		}
		into := place[string(id)]
		if into == nil {
			into = map[string]any{}
			place[string(id)] = into
			all = append(all, into)
		}
		for k, f := range m {
			into[k] = f
		}
	}
	return all, nil
}

// reduced folds the values with an expression over acc and item.
func reduced(l *link, sc *view, values []any) (any, error) {
	var acc any
	var err error
	if l.start != nil {
		if acc, err = l.start.Eval(sc); err != nil {
			return nil, err
		}
	}
	for _, v := range values {
		one := *sc
		one.reduces, one.acc, one.item = true, acc, v
		if acc, err = l.reduce.Eval(&one); err != nil {
			return nil, err
		}
	}
	return acc, nil
}
