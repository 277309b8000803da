package expr

import (
	"bytes"
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"
)

// exact is the largest whole number that a float64 holds without loss.
const exact = 1 << 53

// native turns a result into a Go JSON value.
func native(v ref.Val) (any, error) {
	left := ResultMax
	return nativeIn(v, &left)
}

func nativeIn(v ref.Val, left *int) (any, error) {
	if *left--; *left < 0 {
		return nil, &Failure{Class: "limit", Message: "the result has more than 100,000 values"}
	}
	switch v := v.(type) {
	case types.Null:
		return nil, nil
	case types.Bool:
		return bool(v), nil
	case types.String:
		return strings.ToValidUTF8(string(v), "\uFFFD"), nil
	case types.Double:
		return number(float64(v))
	case types.Int:
		if v >= exact || v <= -exact {
			return nil, &Failure{Class: "invalid_input", Message: "the number is too large to be exact; make it text"}
		}
		return float64(v), nil
	case types.Uint:
		if v >= exact {
			return nil, &Failure{Class: "invalid_input", Message: "the number is too large to be exact; make it text"}
		}
		return float64(v), nil
	case types.Timestamp:
		return v.UTC().Format(time.RFC3339Nano), nil
	case types.Duration:
		return v.Duration.String(), nil
	case *types.Optional:
		if !v.HasValue() {
			return nil, nil
		}
		return nativeIn(v.GetValue(), left)
	case traits.Mapper:
		return nativeMap(v, left)
	case traits.Lister:
		return nativeList(v, left)
	}
	if types.IsError(v) {
		return nil, plain(v.(*types.Err), nil) //nolint:forcetypeassert // IsError
	}
	return nil, &Failure{Class: "invalid_input", Message: "the result is not a JSON value"}
}

func number(f float64) (any, error) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return nil, &Failure{Class: "invalid_input", Message: "the result is not a number that can be written"}
	}
	return f, nil
}

func nativeMap(v traits.Mapper, left *int) (any, error) {
	if m, ok := v.Value().(map[string]any); ok { // one of ours, passed through
		if *left -= count(m, *left+1); *left < 0 {
			return nil, &Failure{Class: "limit", Message: "the result has more than 100,000 values"}
		}
		return m, nil
	}
	out := map[string]any{}
	for it := v.Iterator(); it.HasNext() == types.True; {
		k := it.Next()
		name, ok := k.(types.String)
		if !ok {
			return nil, &Failure{Class: "invalid_input", Message: "the names in an object must be text, not " + sort(k)}
		}
		e, err := nativeIn(v.Get(k), left)
		if err != nil {
			return nil, err
		}
		out[string(name)] = e
	}
	return out, nil
}

func nativeList(v traits.Lister, left *int) (any, error) {
	out := []any{}
	for it := v.Iterator(); it.HasNext() == types.True; {
		e, err := nativeIn(it.Next(), left)
		if err != nil {
			return nil, err
		}
		out = append(out, e)
	}
	return out, nil
}

// count is the number of values in a Go JSON value, counted no further than
// most.
func count(v any, most int) int {
	n := 1
	switch v := v.(type) {
	case map[string]any:
		for _, e := range v {
			if n > most {
				break
			}
			n += count(e, most-n)
		}
	case []any:
		for _, e := range v {
			if n > most {
				break
			}
			n += count(e, most-n)
		}
	}
	return n
}

func writeObject(b *bytes.Buffer, m map[string]any) error {
	b.WriteByte('{')
	for i, k := range slices.Sorted(maps.Keys(m)) {
		if i > 0 {
			b.WriteByte(',')
		}
		writeText(b, k)
		b.WriteByte(':')
		if err := write(b, m[k]); err != nil {
			return err
		}
	}
	b.WriteByte('}')
	return nil
}

// writeText quotes a text. NUL cannot be stored and becomes U+FFFD.
func writeText(b *bytes.Buffer, s string) {
	s = strings.ReplaceAll(s, "\x00", "\uFFFD")
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "\uFFFD")
	}
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	if enc.Encode(s) == nil {
		b.Truncate(b.Len() - 1) // the encoder ends with a new line
	}
}
