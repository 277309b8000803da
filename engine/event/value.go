package event

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"iter"
	"unicode/utf8"
)

// PreviewLength is how many bytes of a large value are kept for people.
const PreviewLength = 200

// NewValue makes a value of a JSON text: inline when it is small, else by
// reference, and then the bytes to store come back too.
func NewValue(raw json.RawMessage) (Value, []byte) {
	if len(raw) <= InlineMax {
		return Value{Inline: raw}, nil
	}
	return Apart(raw)
}

// Apart makes a value by reference whatever its size, where an event has to
// stay small.
func Apart(raw json.RawMessage) (Value, []byte) {
	sum := sha256.Sum256(raw)
	preview := raw[:min(len(raw), PreviewLength)]
	for !utf8.Valid(preview) { // never cut a character in two
		preview = preview[:len(preview)-1]
	}
	return Value{Payload: &Payload{Digest: hex.EncodeToString(sum[:]), Size: len(raw), Preview: string(preview)}}, raw
}

// IsZero reports whether there is no value at all: the event passes on what
// its node took.
func (v Value) IsZero() bool { return v.Inline == nil && v.Payload == nil }

// Size is the size in bytes of the whole value.
func (v Value) Size() int {
	if v.Payload != nil {
		return v.Payload.Size
	}
	return len(v.Inline)
}

var (
	payloadMark = []byte(`{"$payload":`) //nolint:gochecknoglobals // a constant
	inlineMark  = []byte(`{"$inline":`)  //nolint:gochecknoglobals // the same
)

// MarshalJSON writes the value as it stands, or {"$payload": …}. A value of
// somebody else's that looks like one of our marks is wrapped, so that data
// can never pass for a reference.
func (v Value) MarshalJSON() ([]byte, error) {
	switch {
	case v.Payload != nil:
		return json.Marshal(map[string]*Payload{"$payload": v.Payload})
	case v.Inline == nil:
		return []byte("null"), nil
	case looksMarked(v.Inline):
		return append(append(bytes.Clone(inlineMark), v.Inline...), '}'), nil
	default:
		return v.Inline, nil
	}
}

// looksMarked: the first name of the object starts with "$".
func looksMarked(raw []byte) bool {
	raw = bytes.TrimLeft(raw, " \t\r\n")
	if len(raw) == 0 || raw[0] != '{' {
		return false
	}
	raw = bytes.TrimLeft(raw[1:], " \t\r\n")
	return bytes.HasPrefix(raw, []byte(`"$`)) || bytes.HasPrefix(raw, []byte(`"\u0024`))
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (v *Value) UnmarshalJSON(raw []byte) error {
	switch {
	case bytes.HasPrefix(raw, payloadMark):
		var p struct {
			Payload *Payload `json:"$payload"`
		}
		if err := json.Unmarshal(raw, &p); err != nil {
			return fmt.Errorf("read payload reference: %w", err)
		}
		*v = Value{Payload: p.Payload}
	case bytes.HasPrefix(raw, inlineMark):
		*v = Value{Inline: bytes.Clone(raw[len(inlineMark) : len(raw)-1])}
	default:
		*v = Value{Inline: bytes.Clone(raw)}
	}
	return nil
}

var digestMark = []byte(`"$payload":{"digest":"`) //nolint:gochecknoglobals // a constant

// Digests lists the large values that an event's data names, as MarshalJSON
// writes them; it may name some that are none.
func Digests(data []byte) iter.Seq[string] {
	return func(yield func(string) bool) {
		for {
			i := bytes.Index(data, digestMark)
			if i < 0 {
				return
			}
			data = data[i+len(digestMark):]
			if n := bytes.IndexByte(data, '"'); n == sha256.Size*2 && !yield(string(data[:n])) {
				return
			}
		}
	}
}
