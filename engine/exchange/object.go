package exchange

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// object is a JSON object that remembers the order of its names, in which
// states have their document order.
type object struct {
	names  []string
	values map[string]json.RawMessage
}

// readObject reads an object. As in JavaScript, names that are whole numbers
// come first, by their size.
func readObject(raw json.RawMessage) (object, error) {
	o := object{values: map[string]json.RawMessage{}}
	dec := jsontext.NewDecoder(strings.NewReader(string(raw)))
	if dec.PeekKind() != '{' {
		return o, errors.New("an object is needed")
	}
	if _, err := dec.ReadToken(); err != nil {
		return o, fmt.Errorf("read: %w", err)
	}
	for dec.PeekKind() != '}' {
		name, err := dec.ReadToken()
		if err != nil {
			return o, fmt.Errorf("read: %w", err)
		}
		key := name.String()
		value, err := dec.ReadValue()
		if err != nil {
			return o, fmt.Errorf("read: %w", err)
		}
		o.names = append(o.names, key)
		o.values[key] = json.RawMessage(value.Clone())
	}
	slices.SortStableFunc(o.names, func(a, b string) int {
		x, y := index(a), index(b)
		switch {
		case x >= 0 && y >= 0:
			return x - y
		case x >= 0:
			return -1
		case y >= 0:
			return 1
		}
		return 0
	})
	return o, nil
}

// index is the number that a name spells in full, or -1.
func index(name string) int {
	n, err := strconv.ParseUint(name, 10, 31)
	if err != nil || strconv.FormatUint(n, 10) != name {
		return -1
	}
	return int(n)
}

// list reads an array, or one value as an array of it; nothing is empty.
func list(raw json.RawMessage) []json.RawMessage {
	if len(raw) == 0 || string(raw) == "null" {
		return nil
	}
	var items []json.RawMessage
	if json.Unmarshal(raw, &items) == nil {
		return items
	}
	return []json.RawMessage{raw}
}

// word reads a text; anything else is no word.
func word(raw json.RawMessage) (string, bool) {
	var s string
	if len(raw) == 0 || raw[0] != '"' || json.Unmarshal(raw, &s) != nil {
		return "", false
	}
	return s, true
}

// pointer adds a name to a JSON pointer.
func pointer(at, name string) string {
	return at + "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
}
