package history

import (
	"encoding/json"
	"time"

	"github.com/google/uuid"
)

// States of a dead letter.
const (
	LetterOpen      = "open"
	LetterRetried   = "retried"
	LetterDiscarded = "discarded"
)

// LetterID names a dead letter by the event of its failure.
type LetterID struct {
	Run uuid.UUID
	Seq int
}

// DeadLetter is a step that failed for good and that nothing caught.
type DeadLetter struct {
	LetterID
	At            time.Time
	Workflow      uuid.UUID
	WorkflowName  string
	VersionNumber int // 0: a draft
	Node          string
	Scope         int
	Visit         int
	Class         string
	Message       string
	Attempts      int
	State         string
	ActedAt       time.Time // zero: nobody did anything about it
	ActedBy       string
	NewRun        uuid.UUID // that a retry started; zero: none
}

// LetterQuery chooses dead letters, the latest failure first.
type LetterQuery struct {
	Workflow uuid.UUID // zero: of all
	Node     string    // empty: any
	Class    string    // empty: any
	State    string    // empty: all
	After    LetterID  // those behind this one; zero: from the first
	Limit    int
}

// LetterStory is what led to a dead letter.
type LetterStory struct {
	Config   json.RawMessage // what the worker got, resolved; nil: it did not come to that
	Input    json.RawMessage // nil: it came from several steps, or cannot be shown
	InputSeq int             // the event that put it out; 0: a retry cannot change it
	Attempts []LetterAttempt
}

// LetterAttempt is one attempt at the step.
type LetterAttempt struct {
	Number    int
	Scheduled time.Time
	Began     time.Time // zero: no worker is known to have begun
	Ended     time.Time
	Worker    string
	Class     string
	Message   string
	Late      bool // the engine's clock ended it, no worker did
}
