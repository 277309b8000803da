package expr

import (
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"
)

// comparison is one look for a difference, over at most so many values: a list
// can hold another one twice, and that one a third twice, so that a few lines
// spell more values than there is time to compare.
type comparison struct{ left int }

// equal reports whether two values are the same. It is false also when the
// limit is reached; see over.
func (c *comparison) equal(a, b ref.Val) bool {
	if c.left--; c.left < 0 {
		return false
	}
	switch a := a.(type) {
	case traits.Mapper:
		other, ok := b.(traits.Mapper)
		return ok && c.objects(a, other)
	case traits.Lister:
		other, ok := b.(traits.Lister)
		return ok && c.lists(a, other)
	case *types.Optional:
		other, ok := b.(*types.Optional)
		return ok && a.HasValue() == other.HasValue() && (!a.HasValue() || c.equal(a.GetValue(), other.GetValue()))
	}
	return types.Equal(a, b) == types.True
}

func (c *comparison) objects(a, b traits.Mapper) bool {
	if length(a) != length(b) {
		return false
	}
	for it := a.Iterator(); it.HasNext() == types.True; {
		k := it.Next()
		other, found := b.Find(k)
		if !found || !c.equal(a.Get(k), other) {
			return false
		}
	}
	return true
}

func (c *comparison) lists(a, b traits.Lister) bool {
	if length(a) != length(b) {
		return false
	}
	for i := range types.Int(length(a)) {
		if !c.equal(a.Get(i), b.Get(i)) {
			return false
		}
	}
	return true
}

func (c *comparison) over() bool { return c.left < 0 }

func equalTo(a, b ref.Val) ref.Val {
	c := comparison{ResultMax}
	same := c.equal(a, b)
	if c.over() {
		return limit(overBudget)
	}
	return types.Bool(same)
}

func unequalTo(a, b ref.Val) ref.Val {
	v := equalTo(a, b)
	if same, ok := v.(types.Bool); ok {
		return !same
	}
	return v
}

// in looks for a value in a list, or for a name in an object.
func in(a, b ref.Val) ref.Val {
	switch b := b.(type) {
	case traits.Mapper:
		_, found := b.Find(a)
		return types.Bool(found)
	case traits.Lister:
		c := comparison{ResultMax}
		for i := range types.Int(length(b)) {
			if c.equal(a, b.Get(i)) {
				return types.True
			}
		}
		if c.over() {
			return limit(overBudget)
		}
		return types.False
	case types.String:
		return types.NewErr("“in” looks into a list or an object; for text write whole.contains(part)")
	}
	return types.NewErr("“in” looks into a list or an object, not into %s", sort(b))
}
