package machine

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"

	"signalbox/engine/event"
	"signalbox/engine/expr"
)

// LoadedMax is how many bytes of large values one run's expressions may read.
const LoadedMax = 4 << 20

// exact is the largest whole number that a float64 holds without loss.
const exact = 1 << 53

// box holds one value of a run: inline, by reference, or joined of others. It
// is shared by every token and output that carries the value.
type box struct {
	value event.Value
	parts []part // joined: an object of these
	list  []*box // results of a map
	of    *box   // an item of that list
	at    int
	blob  []byte // bytes of a reference, once loaded

	parsed any
	done   bool
	elems  []json.RawMessage // of a list, once it is split
}

// part is one member of a joined value.
type part struct {
	key string
	box *box
}

// raw returns the whole JSON text, or a limit failure when it is not loaded.
func (b *box) raw() (json.RawMessage, error) {
	switch {
	case b == nil:
		return json.RawMessage("null"), nil
	case b.parts != nil:
		var out bytes.Buffer
		out.WriteByte('{')
		for i, p := range b.parts {
			if i > 0 {
				out.WriteByte(',')
			}
			fmt.Fprintf(&out, "%q:", p.key) // keys are [a-z0-9_]
			raw, err := p.box.raw()
			if err != nil {
				return nil, err
			}
			out.Write(raw)
		}
		out.WriteByte('}')
		return out.Bytes(), nil
	case b.list != nil:
		return b.rawList()
	case b.of != nil:
		return b.of.elem(b.at)
	case b.value.Payload == nil && len(b.value.Inline) == 0:
		return json.RawMessage("null"), nil
	case b.value.Payload == nil:
		return b.value.Inline, nil
	case b.blob == nil:
		return nil, &expr.Failure{Class: "limit", Message: fmt.Sprintf("a value of %d bytes is too large to be read by an expression; a run may read %d bytes of large values", b.value.Payload.Size, LoadedMax)}
	default:
		return b.blob, nil
	}
}

func (b *box) rawList() (json.RawMessage, error) {
	var out bytes.Buffer
	out.WriteByte('[')
	for i, e := range b.list {
		if i > 0 {
			out.WriteByte(',')
		}
		raw, err := e.raw()
		if err != nil {
			return nil, err
		}
		out.Write(raw)
	}
	out.WriteByte(']')
	return out.Bytes(), nil
}

// elem returns one item of a list, split once.
func (b *box) elem(at int) (json.RawMessage, error) {
	if b.elems == nil {
		raw, err := b.raw()
		if err != nil {
			return nil, err
		}
		if err := json.Unmarshal(raw, &b.elems); err != nil {
			return nil, &expr.Failure{Class: "invalid_input", Message: "the items are not a list"}
		}
	}
	if at >= len(b.elems) {
		return json.RawMessage("null"), nil
	}
	return b.elems[at], nil
}

// any returns the value as expressions see it, parsed once.
func (b *box) any() (any, error) {
	if b == nil {
		return nil, nil
	}
	if b.done {
		return b.parsed, nil
	}
	if b.parts != nil {
		m := make(map[string]any, len(b.parts))
		for _, p := range b.parts {
			v, err := p.box.any()
			if err != nil {
				return nil, err
			}
			m[p.key] = v
		}
		b.parsed, b.done = m, true
		return m, nil
	}
	if b.list != nil {
		all := make([]any, len(b.list))
		for i, e := range b.list {
			v, err := e.any()
			if err != nil {
				return nil, err
			}
			all[i] = v
		}
		b.parsed, b.done = all, true
		return all, nil
	}
	raw, err := b.raw()
	if err != nil {
		return nil, err
	}
	v, err := parse(raw)
	if err != nil {
		return nil, err
	}
	b.parsed, b.done = v, true
	return v, nil
}

// parse reads JSON for expressions. A whole number that a float64 cannot hold
// is refused rather than changed silently.
func parse(raw json.RawMessage) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, &expr.Failure{Class: "invalid_input", Message: "a value is not valid JSON"}
	}
	return numbers(v)
}

func numbers(v any) (any, error) {
	var err error
	switch v := v.(type) {
	case json.Number:
		return number(v)
	case map[string]any:
		for k, e := range v {
			if v[k], err = numbers(e); err != nil {
				return nil, err
			}
		}
	case []any:
		for i, e := range v {
			if v[i], err = numbers(e); err != nil {
				return nil, err
			}
		}
	}
	return v, nil
}

func number(n json.Number) (any, error) {
	f, err := strconv.ParseFloat(n.String(), 64)
	if err != nil {
		return nil, &expr.Failure{Class: "invalid_input", Message: fmt.Sprintf("the number %.40s is out of range", n)}
	}
	if f >= exact || f <= -exact {
		if i, err := n.Int64(); err == nil && int64(f) != i || err != nil && isWhole(n.String()) {
			return nil, &expr.Failure{Class: "invalid_input", Message: fmt.Sprintf("the number %.40s is too large to be exact; send it as text", n)}
		}
	}
	return f, nil
}

func isWhole(s string) bool {
	for _, c := range s {
		if (c < '0' || c > '9') && c != '-' {
			return false
		}
	}
	return true
}

// boxError is the value that leaves on a failure port.
func boxError(e event.Error) *box {
	raw, err := json.Marshal(map[string]event.Error{"error": e})
	if err != nil {
		panic(err) //nolint:forbidigo // Error holds only texts, a number and checked JSON
	}
	return &box{value: event.Value{Inline: raw}}
}
