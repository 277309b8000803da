// Package event is the log of a run: its envelope, the value that an event
// may carry, the 10 KB rule and the hash chain.
//
// It is pure: it does no I/O and reads no clock.
package event

import (
	"encoding/json"
	"time"
)

// SizeMax is the article's rule: one intent, at most 10 KB, no big object
// inside.
const SizeMax = 10_240

// InlineMax is the size in bytes up to which a value travels inside an event;
// a larger one is stored apart and named by its digest.
const InlineMax = 8_192

// Event is one fact in a run's log. It is never changed.
type Event struct {
	Seq  int             `json:"seq"`  // 1, 2, 3 ... within the run, dense
	At   time.Time       `json:"at"`   // UTC, microseconds
	Type string          `json:"type"` // past participle, see package machine
	Node string          `json:"node,omitempty"`
	Data json.RawMessage `json:"data"`
	Hash [32]byte        `json:"-"` // SHA-256 over the previous hash and this event
}

// Value is a JSON value that an event carries or names. Exactly one of the
// two is set.
//
//	{"priority": 9}                                          inline, below 8 KB
//	{"$payload": {"digest": "…", "size": 48213, "preview": "…"}}   by reference
type Value struct {
	Inline  json.RawMessage
	Payload *Payload
}

// Payload names a large value.
type Payload struct {
	Digest  string `json:"digest"`  // hex SHA-256 of the bytes
	Size    int    `json:"size"`    // bytes
	Preview string `json:"preview"` // the first characters, for people
}

// Error is what a failed step carries along its failure port.
type Error struct {
	Class    string          `json:"class"`   // timeout, rate_limited, unavailable, invalid_input, unauthorized, canceled, budget, limit, internal, crash, or the worker's own
	Message  string          `json:"message"` // a sentence, at most 2,000 characters
	Node     string          `json:"node,omitempty"`
	Attempts int             `json:"attempts,omitempty"`
	Details  json.RawMessage `json:"details,omitempty"`
}
