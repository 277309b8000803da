package machine

import (
	"encoding/json"
	"fmt"
	"time"
	"unicode/utf8"

	"signalbox/engine/event"
)

// Event is one fact with its place in the log.
type Event struct {
	Seq  int
	At   time.Time
	Fact Fact
}

// Encode turns an event into its stored form, without the hash.
func Encode(e Event) (event.Event, error) {
	data, err := json.Marshal(e.Fact)
	if err != nil {
		return event.Event{}, fmt.Errorf("write event %d: %w", e.Seq, err)
	}
	typ, node := Name(e.Fact)
	if !utf8.Valid(data) {
		return event.Event{}, fmt.Errorf("event %d (%s %s) is not valid UTF-8, which cannot be stored", e.Seq, typ, node)
	}
	if len(data) > event.SizeMax {
		return event.Event{}, fmt.Errorf("event %d (%s %s) has %d bytes, above the limit of %d for one event", e.Seq, typ, node, len(data), event.SizeMax)
	}
	return event.Event{Seq: e.Seq, At: e.At, Type: typ, Node: node, Data: data}, nil
}

// Decode reads a stored event.
func Decode(e event.Event) (Event, error) {
	f := blank(e.Type, e.Node)
	if f == nil {
		return Event{}, fmt.Errorf("event %d has the type %q, which this program does not know", e.Seq, e.Type)
	}
	if err := json.Unmarshal(e.Data, f); err != nil {
		return Event{}, fmt.Errorf("read event %d (%s): %w", e.Seq, e.Type, err)
	}
	return Event{Seq: e.Seq, At: e.At, Fact: f}, nil
}
