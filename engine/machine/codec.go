package machine

import (
	"encoding/json"
	"time"

	"signalbox/engine/event"
)

// Event is one fact with its place in the log.
type Event struct {
	Seq  int
	At   time.Time
	Fact Fact
}

// Load reads a stored machine and links it.
func Load(raw json.RawMessage) (*Machine, error) { return Released().Load(raw) }

// Encode turns an event into its stored form, without the hash.
func Encode(e Event) (event.Event, error) { return Released().Encode(e) }

// Decode reads a stored event.
func Decode(e event.Event) (Event, error) { return Released().Decode(e) }
