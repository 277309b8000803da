package expr

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
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

func finite(f float64) ref.Val {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return types.NewErr("the result is not a number that can be written")
	}
	return types.Double(f)
}

// calc joins two numbers; what is not two numbers goes to other.
func calc(a, b ref.Val, verb string, numbers func(a, b float64) ref.Val, other func() ref.Val) ref.Val {
	x, okX := float(a)
	y, okY := float(b)
	if okX && okY {
		return numbers(x, y)
	}
	if other != nil {
		if v := other(); v != nil && !types.IsError(v) {
			return v
		}
	}
	return types.NewErr("cannot %s %s and %s", verb, sort(a), sort(b))
}

func add(a, b ref.Val) ref.Val {
	return calc(a, b, "add", func(x, y float64) ref.Val { return finite(x + y) }, func() ref.Val {
		s, isText := a.(types.String)
		t, bothText := b.(types.String)
		if isText && bothText {
			if len(s)+len(t) > TextMax {
				return nil
			}
			return s + t
		}
		if l, ok := a.(traits.Adder); ok {
			return l.Add(b)
		}
		return nil
	})
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
			return types.NewErr("division by zero")
		}
		return finite(x / y)
	}, nil)
}

func mod(a, b ref.Val) ref.Val {
	return calc(a, b, "take the remainder of", func(x, y float64) ref.Val {
		if y == 0 {
			return types.NewErr("division by zero")
		}
		return finite(math.Mod(x, y))
	}, nil)
}

func neg(a ref.Val) ref.Val {
	if x, ok := float(a); ok {
		return types.Double(-x)
	}
	if n, ok := a.(traits.Negater); ok {
		if v := n.Negate(); !types.IsError(v) {
			return v
		}
	}
	return types.NewErr("cannot negate %s", sort(a))
}

// whole turns a JSON number into what functions want that count.
func whole(a ref.Val) ref.Val {
	if d, ok := a.(types.Double); ok && float64(d) == math.Trunc(float64(d)) && math.Abs(float64(d)) < 1<<53 {
		return types.Int(d)
	}
	return a
}

func toJSON(a ref.Val) ref.Val {
	v, err := native(a)
	if err != nil {
		return types.NewErrFromString(err.Error())
	}
	raw, err := Marshal(v)
	if err != nil {
		return types.NewErrFromString(err.Error())
	}
	return types.String(raw)
}

func fromJSON(a ref.Val) ref.Val {
	s, ok := a.(types.String)
	if !ok {
		return types.NewErr("parse_json needs text, not %s", sort(a))
	}
	var v any
	if json.Unmarshal([]byte(s), &v) != nil {
		return types.NewErr("parse_json: the text is not valid JSON")
	}
	return types.DefaultTypeAdapter.NativeToValue(v)
}

func toText(a ref.Val) ref.Val {
	v, err := native(a)
	if err != nil {
		return types.NewErrFromString(err.Error())
	}
	s, err := textOf(v)
	if err != nil {
		return types.NewErrFromString(err.Error())
	}
	return types.String(s)
}

// textOf writes a value into a template: text as it is, other things as JSON.
func textOf(v any) (string, error) {
	switch v := v.(type) {
	case string:
		return v, nil
	case nil:
		return "", nil
	}
	raw, err := Marshal(v)
	return string(raw), err
}

func toNumber(a ref.Val) ref.Val {
	if x, ok := float(a); ok {
		return types.Double(x)
	}
	switch v := a.(type) {
	case types.String:
		if f, err := strconv.ParseFloat(strings.TrimSpace(string(v)), 64); err == nil && !math.IsNaN(f) && !math.IsInf(f, 0) {
			return types.Double(f)
		}
		return types.NewErr("number: %.40q is not a number", string(v))
	case types.Bool:
		if v {
			return types.Double(1)
		}
		return types.Double(0)
	}
	return types.NewErr("number: %s is not a number", sort(a))
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

// Marshal writes a Go JSON value: names sorted, nothing escaped that need not
// be, whole numbers without a fraction. NaN and infinities are refused.
func Marshal(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	if err := write(&b, v); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

func write(b *bytes.Buffer, v any) error {
	switch v := v.(type) {
	case nil:
		b.WriteString("null")
	case bool:
		b.WriteString(strconv.FormatBool(v))
	case float64:
		return writeNumber(b, v)
	case json.Number:
		b.WriteString(v.String())
	case string:
		writeText(b, v)
	case []any:
		b.WriteByte('[')
		for i, e := range v {
			if i > 0 {
				b.WriteByte(',')
			}
			if err := write(b, e); err != nil {
				return err
			}
		}
		b.WriteByte(']')
	case map[string]any:
		return writeObject(b, v)
	default:
		return &Failure{Class: "invalid_input", Message: fmt.Sprintf("a %T cannot be written as JSON", v)}
	}
	return nil
}

func writeNumber(b *bytes.Buffer, f float64) error {
	switch {
	case math.IsNaN(f) || math.IsInf(f, 0):
		return &Failure{Class: "invalid_input", Message: "the result is not a number that can be written"}
	case f == 0:
		b.WriteByte('0') // also -0
	case f == math.Trunc(f) && math.Abs(f) < 1e15:
		b.Write(strconv.AppendInt(b.AvailableBuffer(), int64(f), 10))
	default:
		raw, err := json.Marshal(f)
		if err != nil {
			return fmt.Errorf("write number: %w", err)
		}
		b.Write(raw)
	}
	return nil
}
