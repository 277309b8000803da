package shape

import (
	"encoding/json"
	"maps"
	"slices"
)

// Value is the shape of one value and of no other sort: a Go JSON value.
func Value(v any) Shape { return value(v, 0) }

func value(v any, depth int) Shape {
	if depth > DepthMax {
		return Any()
	}
	switch v := v.(type) {
	case nil:
		return Of(Null)
	case bool:
		return Of(Boolean)
	case string:
		return Of(Text)
	case float64, json.Number:
		return Of(Number)
	case []any:
		items := Shape{}
		for _, item := range v {
			items = join(items, value(item, depth+1), depth+1)
		}
		return ListOf(items)
	case map[string]any:
		fields := make([]Field, 0, min(len(v), FieldsMax+1))
		for _, name := range slices.Sorted(maps.Keys(v)) {
			fields = append(fields, Must(name, value(v[name], depth+1)))
		}
		return ObjectOf(fields...).bound(depth)
	}
	return Any()
}

// Fault is where a value does not fit a shape: a JSON pointer, what is there
// and what the shape says.
type Fault struct {
	Pointer string
	Missing bool  // nothing is there
	Extra   bool  // what is there should not be
	Want    Shape // what should be there
	Got     Shape
}

// Fits looks whether a Go JSON value has the shape; nil: it does.
func (s Shape) Fits(v any) *Fault { return s.fits(v, "") }

func (s Shape) fits(v any, at string) *Fault {
	kind := Value(v).Kinds
	switch v := v.(type) {
	case []any:
		kind = List
		if s.May(List) && s.Items != nil {
			for i, item := range v {
				if f := s.Items.fits(item, at+"/"+itoa(i)); f != nil {
					return f
				}
			}
		}
	case map[string]any:
		kind = Object
		if s.May(Object) {
			if f := s.fitsObject(v, at); f != nil {
				return f
			}
		}
	}
	if !s.May(kind) {
		return &Fault{Pointer: at, Want: s, Got: Of(kind)}
	}
	return nil
}

func (s Shape) fitsObject(v map[string]any, at string) *Fault {
	for _, f := range s.Fields {
		inner, there := v[f.Name]
		if !there {
			if f.Optional {
				continue
			}
			return &Fault{Pointer: at + "/" + escape(f.Name), Missing: true, Want: f.Shape}
		}
		if fault := f.Shape.fits(inner, at+"/"+escape(f.Name)); fault != nil {
			return fault
		}
	}
	if s.Open {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(v)) {
		if _, there := s.Field(name); !there {
			return &Fault{Pointer: at + "/" + escape(name), Extra: true, Got: Value(v[name])}
		}
	}
	return nil
}
