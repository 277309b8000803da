package expr

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"
)

// adapter shows Go JSON values to the evaluator without copying them.
type adapter struct{}

var _ types.Adapter = adapter{}

// NativeToValue implements types.Adapter.
func (a adapter) NativeToValue(v any) ref.Val {
	switch v := v.(type) {
	case nil:
		return types.NullValue
	case bool:
		return types.Bool(v)
	case string:
		return types.String(v)
	case float64:
		if v >= exact || v <= -exact {
			return types.NewErrFromString(tooLarge)
		}
		return types.Double(v)
	case json.Number:
		f, err := strconv.ParseFloat(string(v), 64)
		if err != nil {
			return types.NewErrFromString(tooLarge)
		}
		return a.NativeToValue(f)
	case map[string]any:
		return &object{types.NewStringInterfaceMap(a, v)}
	case map[ref.Val]ref.Val:
		return &object{types.NewRefValMap(a, v)}
	case []any:
		return types.NewList(a, v)
	case []ref.Val:
		return types.NewRefValList(a, v)
	}
	return types.DefaultTypeAdapter.NativeToValue(v)
}

// object is a map that is walked in the order of its names. Go's own order
// changes from run to run, and a replay would then differ.
type object struct{ traits.Mapper }

// Iterator implements traits.Iterable.
func (o *object) Iterator() traits.Iterator {
	type named struct {
		name string
		key  ref.Val
	}
	var all []named
	for it := o.Mapper.Iterator(); it.HasNext() == types.True; {
		k := it.Next()
		all = append(all, named{fmt.Sprint(k.Value()), k})
	}
	slices.SortFunc(all, func(a, b named) int { return strings.Compare(a.name, b.name) })
	keys := make([]ref.Val, len(all))
	for i, n := range all {
		keys[i] = n.key
	}
	return types.NewRefValList(adapter{}, keys).Iterator()
}

// Equal implements ref.Val.
func (o *object) Equal(other ref.Val) ref.Val {
	if p, ok := other.(*object); ok {
		return o.Mapper.Equal(p.Mapper)
	}
	return o.Mapper.Equal(other)
}

// ordered gives a map that the evaluator built itself our order.
func ordered(v ref.Val) ref.Val {
	m, ok := v.(traits.Mapper)
	if _, done := v.(*object); !ok || done {
		return v
	}
	return &object{m}
}

// meter bounds what a walk through a value meets. A list can hold another list
// twice, and that one a third twice, so that little memory spells very much.
type meter struct{ values, bytes int }

func newMeter() *meter { return &meter{ResultMax, BytesMax} }

func (m *meter) count(bytes int) *Failure {
	m.values--
	m.bytes -= bytes
	switch {
	case m.values < 0:
		return &Failure{Class: "limit", Message: tooManyValues}
	case m.bytes < 0:
		return &Failure{Class: "limit", Message: tooMuchText}
	}
	return nil
}

// goValue counts a Go JSON value.
func (m *meter) goValue(v any) *Failure {
	switch v := v.(type) {
	case string:
		return m.count(len(v))
	case map[string]any:
		for k, e := range v {
			m.bytes -= len(k)
			if f := m.goValue(e); f != nil {
				return f
			}
		}
	case []any:
		for _, e := range v {
			if f := m.goValue(e); f != nil {
				return f
			}
		}
	}
	return m.count(0)
}

// measure is the number of values in a value, counted no further than most.
func measure(v ref.Val, most int) int {
	m := &meter{most, BytesMax}
	_ = m.value(v) // more than the most is as good as the most
	return most - max(m.values, 0)
}

// value counts a value of the evaluator.
func (m *meter) value(v ref.Val) *Failure {
	switch raw := v.Value().(type) {
	case map[string]any:
		return m.goValue(raw)
	case []any:
		return m.goValue(raw)
	}
	switch v := v.(type) {
	case types.String:
		return m.count(len(v))
	case traits.Mapper:
		for it := v.Iterator(); it.HasNext() == types.True; {
			if f := m.value(v.Get(it.Next())); f != nil {
				return f
			}
		}
	case traits.Lister:
		for it := v.Iterator(); it.HasNext() == types.True; {
			if f := m.value(it.Next()); f != nil {
				return f
			}
		}
	case *types.Optional:
		if v.HasValue() {
			return m.value(v.GetValue())
		}
	}
	return m.count(0)
}
