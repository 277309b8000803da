package expr

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"
)

// native turns a result into a Go JSON value.
func native(v ref.Val) (any, error) { return newMeter().native(v) }

func (m *meter) native(v ref.Val) (any, error) {
	switch v := v.(type) {
	case traits.Mapper:
		return m.object(v)
	case traits.Lister:
		return m.list(v)
	case *types.Optional:
		if !v.HasValue() {
			return nil, nil
		}
		return m.native(v.GetValue())
	case *types.Err:
		return nil, v
	case types.String:
		if f := m.count(len(v)); f != nil {
			return nil, f
		}
		return strings.ToValidUTF8(string(v), "\uFFFD"), nil
	}
	if f := m.count(0); f != nil {
		return nil, f
	}
	return scalar(v)
}

func scalar(v ref.Val) (any, error) {
	switch v := v.(type) {
	case types.Null:
		return nil, nil
	case types.Bool:
		return bool(v), nil
	case types.Double, types.Int, types.Uint:
		f, _ := float(v)
		if d, ok := finite(f).(types.Double); ok {
			return float64(d), nil
		}
		return nil, finite(f).(*types.Err) //nolint:forcetypeassert // it is one or the other
	case types.Timestamp:
		return v.UTC().Format(time.RFC3339Nano), nil
	case types.Duration:
		return v.String(), nil
	case types.Bytes:
		return nil, &Failure{Class: "invalid_input", Message: "bytes are not a JSON value; make them text with string(…) or base64.encode(…)"}
	case *types.Type:
		return strings.NewReplacer("double", "number", "map", "object").Replace(v.TypeName()), nil
	}
	return nil, &Failure{Class: "invalid_input", Message: "the result is not a JSON value"}
}

func (m *meter) object(v traits.Mapper) (any, error) {
	if own, ok := v.Value().(map[string]any); ok { // what went in comes out as it was
		if f := m.goValue(own); f != nil {
			return nil, f
		}
		return own, nil
	}
	if f := m.count(0); f != nil {
		return nil, f
	}
	out := make(map[string]any, length(v))
	for it := v.Iterator(); it.HasNext() == types.True; {
		k := it.Next()
		name, ok := k.(types.String)
		if !ok {
			return nil, &Failure{Class: "invalid_input", Message: "the names in an object must be text, not " + sort(k)}
		}
		m.bytes -= len(name)
		e, err := m.native(v.Get(k))
		if err != nil {
			return nil, err
		}
		out[string(name)] = e
	}
	return out, nil
}

func (m *meter) list(v traits.Lister) (any, error) {
	if own, ok := v.Value().([]any); ok {
		if f := m.goValue(own); f != nil {
			return nil, f
		}
		return own, nil
	}
	if f := m.count(0); f != nil {
		return nil, f
	}
	if length(v) > m.values {
		return nil, &Failure{Class: "limit", Message: tooManyValues}
	}
	out := make([]any, length(v))
	for i := range out {
		e, err := m.native(v.Get(types.Int(i)))
		if err != nil {
			return nil, err
		}
		out[i] = e
	}
	return out, nil
}

// Marshal writes a Go JSON value: compact, names sorted, nothing escaped that
// need not be, whole numbers without a fraction. NaN and infinities are
// refused.
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
	case int:
		b.WriteString(strconv.Itoa(v))
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

func writeNumber(b *bytes.Buffer, f float64) error {
	switch {
	case math.IsNaN(f) || math.IsInf(f, 0):
		return &Failure{Class: "invalid_input", Message: notWritable}
	case f == 0:
		b.WriteByte('0') // also -0
	case f == math.Trunc(f) && math.Abs(f) < exact:
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

// writeText quotes a text as RFC 8785 does. NUL cannot be stored and becomes
// U+FFFD, as does what is not UTF-8.
func writeText(b *bytes.Buffer, s string) {
	const hex = "0123456789abcdef"
	b.WriteByte('"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && n == 1 {
				b.WriteString(s[start:i])
				b.WriteString("\uFFFD")
				start = i + 1
			}
			i += n
			continue
		}
		if c >= ' ' && c != '"' && c != '\\' {
			i++
			continue
		}
		b.WriteString(s[start:i])
		switch {
		case c == 0:
			b.WriteString("\uFFFD")
		case c == '"' || c == '\\':
			b.Write([]byte{'\\', c})
		case strings.IndexByte("\b\t\n\f\r", c) >= 0:
			b.Write([]byte{'\\', "btnfr"[strings.IndexByte("\b\t\n\f\r", c)]})
		default:
			b.Write([]byte{'\\', 'u', '0', '0', hex[c>>4], hex[c&15]})
		}
		i++
		start = i
	}
	b.WriteString(s[start:])
	b.WriteByte('"')
}
