package expr

import (
	"math"
	"strings"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"
)

// float reads a number of any sort.
func float(v ref.Val) (float64, bool) {
	switch n := v.(type) {
	case types.Double:
		return float64(n), true
	case types.Int:
		return float64(n), true
	case types.Uint:
		return float64(n), true
	}
	return 0, false
}

// finite refuses what JSON cannot write and what a float64 cannot hold
// exactly.
func finite(f float64) ref.Val {
	switch {
	case math.IsNaN(f) || math.IsInf(f, 0):
		return types.NewErrFromString(notWritable)
	case f >= exact || f <= -exact:
		return types.NewErrFromString(tooLarge)
	}
	return types.Double(f)
}

// limit is a failure of the class of the same name.
func limit(message string) ref.Val {
	return types.WrapErr(&Failure{Class: "limit", Message: message})
}

// calc joins two numbers; what is not two numbers goes to other.
func calc(a, b ref.Val, verb string, numbers func(a, b float64) ref.Val, other func() ref.Val) ref.Val {
	x, okX := float(a)
	y, okY := float(b)
	if okX && okY {
		if math.Abs(x) >= exact || math.Abs(y) >= exact {
			return types.NewErrFromString(tooLarge)
		}
		return numbers(x, y)
	}
	if other != nil {
		v := other()
		if err, isErr := v.(*types.Err); v != nil && (!isErr || !strings.HasPrefix(err.Error(), "no such overload")) {
			return v
		}
	}
	hint := ""
	_, textA := a.(types.String)
	_, textB := b.(types.String)
	if textA && okY || okX && textB {
		hint = "; text(…) makes text of a number, number(…) a number of text"
	}
	return types.NewErr("cannot %s %s and %s%s", verb, sort(a), sort(b), hint)
}

func add(a, b ref.Val) ref.Val {
	return calc(a, b, "add", func(x, y float64) ref.Val { return finite(x + y) }, func() ref.Val {
		switch x := a.(type) {
		case types.String:
			y, ok := b.(types.String)
			switch {
			case !ok:
				return nil
			case len(x)+len(y) > TextMax:
				return limit(textTooLong)
			}
			return x + y
		case traits.Lister:
			y, ok := b.(traits.Lister)
			switch {
			case !ok:
				return nil
			case length(x)+length(y) > ResultMax:
				return limit("the list has more than 100,000 items")
			}
			return x.Add(y)
		case traits.Adder: // times and durations
			return x.Add(b)
		}
		return nil
	})
}

func length(l traits.Sizer) int {
	n, ok := l.Size().(types.Int)
	if !ok {
		return 0
	}
	return int(n)
}

func sub(a, b ref.Val) ref.Val {
	return calc(a, b, "subtract", func(x, y float64) ref.Val { return finite(x - y) }, func() ref.Val {
		if l, ok := a.(traits.Subtractor); ok {
			return l.Subtract(b)
		}
		return nil
	})
}

func mul(a, b ref.Val) ref.Val {
	return calc(a, b, "multiply", func(x, y float64) ref.Val { return finite(x * y) }, nil)
}

func div(a, b ref.Val) ref.Val {
	return calc(a, b, "divide", func(x, y float64) ref.Val {
		if y == 0 {
			return types.NewErrFromString(divisionByZero)
		}
		return finite(x / y)
	}, nil)
}

func mod(a, b ref.Val) ref.Val {
	return calc(a, b, "take the remainder of", func(x, y float64) ref.Val {
		if y == 0 {
			return types.NewErrFromString(divisionByZero)
		}
		return finite(math.Mod(x, y))
	}, nil)
}

func neg(a ref.Val) ref.Val {
	if x, ok := float(a); ok {
		return types.Double(-x)
	}
	if d, ok := a.(types.Duration); ok {
		return d.Negate()
	}
	return types.NewErr("cannot negate %s", sort(a))
}

// compare orders two values of one sort.
func compare(a, b ref.Val, holds func(order float64) bool) ref.Val {
	x, okX := float(a)
	y, okY := float(b)
	if okX && okY {
		switch {
		case x < y:
			return types.Bool(holds(-1))
		case x > y:
			return types.Bool(holds(1))
		}
		return types.Bool(holds(0))
	}
	if l, ok := a.(traits.Comparer); ok && !okX {
		if n, ok := l.Compare(b).(types.Int); ok {
			return types.Bool(holds(float64(n)))
		}
	}
	hint := ""
	if sort(a) == sort(b) {
		return types.NewErr("cannot say which of two is larger: each is %s", sort(a))
	}
	if _, text := a.(types.String); text && okY {
		hint = "; number(…) makes a number of text"
	}
	return types.NewErr("cannot compare %s with %s%s", sort(a), sort(b), hint)
}

func less(a, b ref.Val) ref.Val { return compare(a, b, func(o float64) bool { return o < 0 }) }

func atMost(a, b ref.Val) ref.Val { return compare(a, b, func(o float64) bool { return o <= 0 }) }

func more(a, b ref.Val) ref.Val { return compare(a, b, func(o float64) bool { return o > 0 }) }

func atLeast(a, b ref.Val) ref.Val { return compare(a, b, func(o float64) bool { return o >= 0 }) }

// whole turns a JSON number into what functions want that count.
func whole(a ref.Val) ref.Val {
	if d, ok := a.(types.Double); ok && float64(d) == math.Trunc(float64(d)) && math.Abs(float64(d)) < exact {
		return types.Int(d)
	}
	return a
}

// sort names the type of a value in plain words.
func sort(v ref.Val) string {
	switch v.(type) {
	case types.Double, types.Int, types.Uint:
		return "a number"
	case types.String:
		return "text"
	case types.Bool:
		return "true or false"
	case types.Null:
		return "null"
	case types.Bytes:
		return "bytes"
	case traits.Mapper:
		return "an object"
	case traits.Lister:
		return "a list"
	case types.Timestamp:
		return "a time"
	case types.Duration:
		return "a duration"
	default:
		return "something else"
	}
}
