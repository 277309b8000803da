// Package shape says what a value can look like: which sorts of JSON value, and
// of an object which fields, of a list which items. The compiler follows shapes
// along the edges of a drawing; the editor shows them at ports.
//
// A shape says too much rather than too little: a value that comes always fits
// it. So what a shape excludes never comes, and what is not known is Any.
//
// It is pure: it looks at no value but those that it is given.
package shape

import (
	"fmt"
	"slices"
	"strings"
)

// Limits of one shape: what is deeper or wider is anything.
const (
	DepthMax  = 8   // fields and items inside each other
	FieldsMax = 100 // of one object
)

// Kinds are the sorts of value that something can be.
type Kinds uint8

// The sorts of a JSON value.
const (
	Null Kinds = 1 << iota
	Boolean
	Number
	Text
	List
	Object

	Every Kinds = 1<<iota - 1
)

// Shape is what a value can look like. The zero Shape is that of a value that
// never comes. A shape is never changed: parts of it stand in many others.
type Shape struct {
	Kinds  Kinds
	Fields []Field // of an object, by name
	Open   bool    // the object may have fields that are not among these
	Items  *Shape  // of a list; nil: anything
}

// Field is a field of an object.
type Field struct {
	Name     string
	Shape    Shape
	Optional bool // it may be missing
}

// Any is the shape of what nothing is known about.
func Any() Shape { return Shape{Kinds: Every, Open: true} }

// Of is the shape of values of some sorts, about whose parts nothing is known.
func Of(k Kinds) Shape { return Shape{Kinds: k, Open: k&Object != 0} }

// ListOf is the shape of a list of such items.
func ListOf(items Shape) Shape {
	if items.IsAny() {
		return Shape{Kinds: List}
	}
	return Shape{Kinds: List, Items: &items}
}

// ObjectOf is the shape of an object with these fields and no other ones.
func ObjectOf(fields ...Field) Shape {
	slices.SortFunc(fields, func(a, b Field) int { return strings.Compare(a.Name, b.Name) })
	return Shape{Kinds: Object, Fields: fields}
}

// Must is a field that is always there.
func Must(name string, s Shape) Field { return Field{Name: name, Shape: s} }

// May is a field that can be missing.
func May(name string, s Shape) Field { return Field{Name: name, Shape: s, Optional: true} }

// IsAny reports whether nothing is known.
func (s Shape) IsAny() bool {
	return s.Kinds == Every && s.Open && len(s.Fields) == 0 && s.Items == nil
}

// May reports whether one of the sorts is among these.
func (k Kinds) May(other Kinds) bool { return k&other != 0 }

// Never reports whether no value comes at all.
func (s Shape) Never() bool { return s.Kinds == 0 }

// May reports whether a value can be of one of the sorts.
func (s Shape) May(k Kinds) bool { return s.Kinds&k != 0 }

// Only reports whether a value is of one of the sorts for certain.
func (s Shape) Only(k Kinds) bool { return s.Kinds != 0 && s.Kinds&^k == 0 }

// Without is the shape of the values that are of none of the sorts.
func (s Shape) Without(k Kinds) Shape {
	s.Kinds &^= k
	if k&Object != 0 {
		s.Fields, s.Open = nil, false
	}
	if k&List != 0 {
		s.Items = nil
	}
	return s
}

// Field finds a field of the object that the value may be. It is there, it may
// be there, or there is none.
func (s Shape) Field(name string) (f Field, there bool) {
	at, found := slices.BinarySearchFunc(s.Fields, name, func(f Field, name string) int { return strings.Compare(f.Name, name) })
	if found {
		return s.Fields[at], true
	}
	return May(name, Any()), s.Open
}

// Item is the shape of the items of the list that the value may be.
func (s Shape) Item() Shape {
	switch {
	case !s.May(List):
		return Shape{}
	case s.Items == nil:
		return Any()
	}
	return *s.Items
}

// Put is the object with a field, put into it or in place of the one that is
// there.
func (s Shape) Put(f Field) Shape {
	at, found := slices.BinarySearchFunc(s.Fields, f.Name, func(f Field, name string) int { return strings.Compare(f.Name, name) })
	fields := slices.Clone(s.Fields)
	if found {
		fields[at] = f
	} else {
		fields = slices.Insert(fields, at, f)
	}
	s.Fields = fields
	return s.bound(0)
}

// Join is the shape of a value that has the one shape or the other.
func Join(a, b Shape) Shape { return join(a, b, 0) }

func join(a, b Shape, depth int) Shape {
	switch {
	case a.Never():
		return b.bound(depth)
	case b.Never(), a.IsAny():
		return a.bound(depth)
	case b.IsAny():
		return b
	case depth >= DepthMax:
		return Any()
	}
	out := Shape{Kinds: a.Kinds | b.Kinds}
	switch {
	case a.May(Object) && b.May(Object):
		out.Open = a.Open || b.Open
		out.Fields = joinFields(a, b, depth)
	case a.May(Object):
		out.Fields, out.Open = a.Fields, a.Open
	case b.May(Object):
		out.Fields, out.Open = b.Fields, b.Open
	}
	switch {
	case a.May(List) && b.May(List):
		if a.Items != nil && b.Items != nil {
			items := join(*a.Items, *b.Items, depth+1)
			out.Items = &items
		}
	case a.May(List):
		out.Items = a.Items
	case b.May(List):
		out.Items = b.Items
	}
	return out.bound(depth)
}

// joinFields are the fields of an object that is the one or the other: what only
// one of them has may be missing.
func joinFields(a, b Shape, depth int) []Field {
	fields := make([]Field, 0, max(len(a.Fields), len(b.Fields)))
	i, k := 0, 0
	for i < len(a.Fields) || k < len(b.Fields) {
		var order int
		switch {
		case i == len(a.Fields):
			order = 1
		case k == len(b.Fields):
			order = -1
		default:
			order = strings.Compare(a.Fields[i].Name, b.Fields[k].Name)
		}
		switch {
		case order < 0:
			fields = append(fields, alone(a.Fields[i], b.Open))
			i++
		case order > 0:
			fields = append(fields, alone(b.Fields[k], a.Open))
			k++
		default:
			x, y := a.Fields[i], b.Fields[k]
			fields = append(fields, Field{x.Name, join(x.Shape, y.Shape, depth+1), x.Optional || y.Optional})
			i, k = i+1, k+1
		}
	}
	return fields
}

// alone is a field that only one of two objects names. An open one may have it
// too, with any value.
func alone(f Field, otherOpen bool) Field {
	if otherOpen {
		return May(f.Name, Any())
	}
	return May(f.Name, f.Shape)
}

// Bound is the shape without what is too deep or too wide.
func (s Shape) Bound() Shape { return s.bound(0) }

// bound cuts what is too deep or too wide, so that shapes that grow in a loop
// come to an end.
func (s Shape) bound(depth int) Shape {
	if len(s.Fields) > FieldsMax {
		s.Fields, s.Open = s.Fields[:FieldsMax:FieldsMax], true
	}
	if s.depth(DepthMax - depth) {
		return s
	}
	return s.cut(DepthMax - depth)
}

// depth reports whether a shape is at most so deep.
func (s Shape) depth(most int) bool {
	if most < 0 {
		return s.IsAny()
	}
	if s.Items != nil && !s.Items.depth(most-1) {
		return false
	}
	for i := range s.Fields {
		if !s.Fields[i].Shape.depth(most - 1) {
			return false
		}
	}
	return true
}

func (s Shape) cut(most int) Shape {
	if most < 0 {
		return Any()
	}
	if s.Items != nil {
		items := s.Items.cut(most - 1)
		s.Items = &items
	}
	s.Fields = slices.Clone(s.Fields)
	for i := range s.Fields {
		s.Fields[i].Shape = s.Fields[i].Shape.cut(most - 1)
	}
	return s
}

// Equal reports whether two shapes say the same.
func Equal(a, b Shape) bool {
	if a.Kinds != b.Kinds || a.Open != b.Open || len(a.Fields) != len(b.Fields) || (a.Items == nil) != (b.Items == nil) {
		return false
	}
	if a.Items != nil && a.Items != b.Items && !Equal(*a.Items, *b.Items) {
		return false
	}
	if len(a.Fields) > 0 && &a.Fields[0] == &b.Fields[0] {
		return true
	}
	return slices.EqualFunc(a.Fields, b.Fields, func(x, y Field) bool {
		return x.Name == y.Name && x.Optional == y.Optional && Equal(x.Shape, y.Shape)
	})
}

// Words name the sorts as a sentence does: "either text or a list".
func (s Shape) Words() string {
	switch s.Kinds { //nolint:exhaustive // sets of sorts, of which the rest is spelled below
	case 0:
		return "nothing comes"
	case Every:
		return "anything"
	case Text | Number | Boolean:
		return "text, a number, true or false"
	case Text | Number | List:
		return "text, a number or a list"
	case Text | List | Object:
		return "text, a list or an object"
	}
	var words []string
	for _, k := range []struct {
		kind Kinds
		word string
	}{{Text, "text"}, {Number, "a number"}, {Boolean, "true or false"}, {List, "a list"}, {Object, "an object"}, {Null, "null"}} {
		if s.May(k.kind) {
			words = append(words, k.word)
		}
	}
	switch len(words) {
	case 1:
		return words[0]
	case 2:
		return fmt.Sprintf("either %s or %s", words[0], words[1])
	}
	return "different sorts of value"
}
