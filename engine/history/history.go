// Package history is what has run, as readers see it: plain types that the
// database adapter fills and the server shows. It is pure.
package history

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/google/uuid"
)

// Run is a run as lists show it.
type Run struct {
	ID            uuid.UUID
	Workflow      uuid.UUID
	WorkflowName  string
	Version       uuid.UUID
	VersionNumber int // 0: a test version of a draft
	Status        string
	Source        string
	Test          bool
	Trigger       string
	Attributes    json.RawMessage
	Seq           int
	CreatedAt     time.Time
	EndedAt       time.Time // zero: not over
	Error         string
	ForkedFrom    uuid.UUID // the run whose beginning this one repeats; zero: none
	ForkedAt      int       // the last event of it that is shared
	Labels        []string  // words that people put on it
	Stuck         *Stuck    // of an open one that nothing seems to move; nil: it is not stuck
}

// Lasted is how long a run that is over took. Its row is dated by the turn that
// wrote it, which for a run that ends in its first turn is after its end.
func (r *Run) Lasted() time.Duration { return max(0, r.EndedAt.Sub(r.CreatedAt)) }

// Query chooses runs, the newest first.
type Query struct {
	Workflow  uuid.UUID // zero: all
	Version   uuid.UUID // zero: all
	Status    string    // empty: all; StatusStuck: open, and nothing seems to move it
	Source    string    // what started them; empty: anything
	Trigger   string    // key of the trigger node; empty: any
	Attribute Attribute // zero: any
	Label     string    // that people put on them; empty: any
	Text      string    // words of their errors; empty: any
	From      time.Time // started at this time or later; zero: whenever
	To        time.Time // started before this time; zero: whenever
	After     uuid.UUID // runs older than this one; zero: from the newest
	Limit     int
}

// StatusStuck stands for the runs that are stuck, beside the statuses of runs.
const StatusStuck = "stuck"

// Attribute is one fact that a run was given when it started.
type Attribute struct{ Name, Value string }

// ParseAttribute reads "name=value"; false: it is not written so.
func ParseAttribute(text string) (Attribute, bool) {
	name, value, ok := strings.Cut(text, "=")
	a := Attribute{strings.TrimSpace(name), strings.TrimSpace(value)}
	return a, ok && a.Name != "" && a.Value != ""
}

// Event is one event with its values.
type Event struct {
	Seq  int             `json:"seq"`
	At   time.Time       `json:"at"`
	Type string          `json:"type"`
	Node string          `json:"node,omitempty"`
	Data json.RawMessage `json:"data"`
}

// Seen is what the nodes of a workflow put out last.
type Seen struct {
	Trigger json.RawMessage
	Nodes   map[string]Output
	Passed  []Passage // newest first
	Last    *Traffic  // of the newest run; nil: there is none
}

// Traffic is how many tokens left the nodes in one run, by each way out.
type Traffic struct {
	Run  uuid.UUID `json:"run"`
	At   time.Time `json:"at" doc:"When it began"`
	Ways []Way     `json:"ways"`
}

// Way is a way out of a node and how many tokens took it.
type Way struct {
	Node string `json:"node"` // key
	Port string `json:"port"`
	N    int    `json:"n"`
}

// Passage is a token that left a node.
type Passage struct {
	Node   string          `json:"node"` // key
	Port   string          `json:"port"`
	Output json.RawMessage `json:"output"`
	At     time.Time       `json:"at"`
	Run    uuid.UUID       `json:"run"`
}

// Output is the last output of one node.
type Output struct {
	Output json.RawMessage `json:"output"`
	At     time.Time       `json:"at"`
	Run    uuid.UUID       `json:"run"`
}
