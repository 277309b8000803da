package machine

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"signalbox/engine/event"
)

// Numbers of what is stored. A run keeps its machine for life, so a program
// reads every format and executes every semantics ever released.
//
// Format rises when the stored form of machines or events changes; what was
// written before is upcast when it is read, never on disk. Semantics rises when
// the same machine means something else; a run goes on by the one that it began
// with.
const (
	Format    = 1
	Semantics = 1
)

// executed are all semantics that this program executes.
var executed = [...]int{1} //nolint:gochecknoglobals // a table

// upcasts lists the steps from each format to the next, from format 1 on.
func upcasts() []Upcast { return nil }

// Upcast brings what has one format to the next. Its functions are pure: the
// same bytes always give the same bytes.
type Upcast struct {
	// Machine changes the stored form of a machine, but for its number; nil:
	// machines stay as they are.
	Machine func(json.RawMessage) (json.RawMessage, error)
	// Events change the data of events, by type. Those not named stay.
	Events map[string]func(json.RawMessage) (json.RawMessage, error)
}

// Reader reads what was stored by programs of its own format and of earlier
// ones.
type Reader struct {
	Upcasts   []Upcast // the first leads from format 1 to 2, and so on
	Semantics []int    // that can be executed
}

// Released reads what any program wrote so far.
func Released() Reader { return Reader{upcasts(), executed[:]} }

// Format is the number that its machines and events have after reading.
func (r Reader) Format() int { return 1 + len(r.Upcasts) }

// Knows reports whether runs of these numbers can be read and carried on.
func (r Reader) Knows(format, semantics int) bool {
	return format >= 1 && format <= r.Format() && slices.Contains(r.Semantics, semantics)
}

// UnknownError says that something was stored by a program that is newer than
// this one.
type UnknownError struct {
	What              string // it has …
	Format, Semantics int    // of it; 0: not told
	Reader            Reader
}

func (u *UnknownError) Error() string {
	has := fmt.Sprintf("format %d", u.Format)
	if u.Semantics != 0 {
		has += fmt.Sprintf(" and semantics %d", u.Semantics)
	}
	return fmt.Sprintf("%s has %s, and this program %s: a newer Signalbox wrote it", u.What, has, u.Reader)
}

// String says what it knows.
func (r Reader) String() string {
	list := make([]string, len(r.Semantics))
	for i, n := range r.Semantics {
		list[i] = strconv.Itoa(n)
	}
	text := list[0]
	if last := len(list) - 1; last > 0 {
		text = strings.Join(list[:last], ", ") + " and " + list[last]
	}
	return fmt.Sprintf("reads formats up to %d and executes semantics %s", r.Format(), text)
}

// Load reads a stored machine and links it.
func (r Reader) Load(raw json.RawMessage) (*Machine, error) {
	var n struct {
		Format    int `json:"format"`
		Semantics int `json:"semantics"`
	}
	m := &Machine{}
	err := json.Unmarshal(raw, m)
	if err == nil {
		n.Format, n.Semantics = m.Format, m.Semantics
	} else if json.Unmarshal(raw, &n) != nil || n.Format == r.Format() {
		return nil, fmt.Errorf("read machine: %w", err)
	}
	if !r.Knows(n.Format, n.Semantics) {
		return nil, &UnknownError{"the machine", n.Format, n.Semantics, r}
	}
	if n.Format < r.Format() {
		if m, err = r.raise(raw, n.Format); err != nil {
			return nil, err
		}
	}
	if err := m.Link(); err != nil {
		return nil, err
	}
	return m, nil
}

// raise reads a machine of an earlier format.
func (r Reader) raise(raw json.RawMessage, from int) (*Machine, error) {
	for i, u := range r.Upcasts[from-1:] {
		if u.Machine == nil {
			continue
		}
		var err error
		if raw, err = u.Machine(raw); err != nil {
			return nil, fmt.Errorf("bring a machine from format %d to %d: %w", from+i, from+i+1, err)
		}
	}
	m := &Machine{}
	if err := json.Unmarshal(raw, m); err != nil {
		return nil, fmt.Errorf("read machine of format %d: %w", from, err)
	}
	m.Format = r.Format()
	return m, nil
}

// Upcast returns a stored event with the data that a program of the reader's
// format would have written. Its number, time and hash stay: the chain is over
// what is stored.
func (r Reader) Upcast(e event.Event) (event.Event, error) {
	from, data := stamped(e.Data)
	if from > r.Format() {
		return e, &UnknownError{fmt.Sprintf("event %d (%s)", e.Seq, e.Type), from, 0, r}
	}
	for i, u := range r.Upcasts[from-1:] {
		change := u.Events[e.Type]
		if change == nil {
			continue
		}
		var err error
		if data, err = change(data); err != nil {
			return e, fmt.Errorf("bring event %d (%s) from format %d to %d: %w", e.Seq, e.Type, from+i, from+i+1, err)
		}
	}
	e.Data = data
	return e, nil
}

// Decode reads a stored event.
func (r Reader) Decode(e event.Event) (Event, error) {
	e, err := r.Upcast(e)
	if err != nil {
		return Event{}, err
	}
	f := blank(e.Type, e.Node)
	if f == nil {
		return Event{}, fmt.Errorf("event %d has the type %q, which this program does not know", e.Seq, e.Type)
	}
	if err := json.Unmarshal(e.Data, f); err != nil {
		return Event{}, fmt.Errorf("read event %d (%s): %w", e.Seq, e.Type, err)
	}
	return Event{Seq: e.Seq, At: e.At, Fact: f}, nil
}

// Encode turns an event into its stored form, without the hash.
func (r Reader) Encode(e Event) (event.Event, error) {
	data, err := json.Marshal(e.Fact)
	if err != nil {
		return event.Event{}, fmt.Errorf("write event %d: %w", e.Seq, err)
	}
	data = stamp(data, r.Format())
	typ, node := Name(e.Fact)
	if !utf8.Valid(data) {
		return event.Event{}, fmt.Errorf("event %d (%s %s) is not valid UTF-8, which cannot be stored", e.Seq, typ, node)
	}
	if len(data) > event.SizeMax {
		return event.Event{}, fmt.Errorf("event %d (%s %s) has %d bytes, above the limit of %d for one event", e.Seq, typ, node, len(data), event.SizeMax)
	}
	return event.Event{Seq: e.Seq, At: e.At, Type: typ, Node: node, Data: data}, nil
}

// mark begins the data of an event whose format is not the first: {"v":2,….
// No fact has such a field.
const mark = `{"v":`

// stamp writes a format into the data of an event.
func stamp(data json.RawMessage, format int) json.RawMessage {
	if format <= 1 || len(data) < 2 || data[0] != '{' {
		return data
	}
	out := append([]byte(mark), strconv.Itoa(format)...)
	if data[1] != '}' {
		out = append(out, ',')
	}
	return append(out, data[1:]...)
}

// stamped reads the format of an event's data and takes it out.
func stamped(data json.RawMessage) (int, json.RawMessage) {
	rest, marked := bytes.CutPrefix(data, []byte(mark))
	if !marked {
		return 1, data
	}
	end := bytes.IndexAny(rest, ",}")
	if end < 0 {
		return 1, data
	}
	n, err := strconv.Atoi(string(rest[:end]))
	if err != nil || n < 2 {
		return 1, data
	}
	if rest[end] == ',' {
		end++
	}
	return n, append(json.RawMessage{'{'}, rest[end:]...)
}
