package server

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/google/uuid"

	"signalbox/engine/runtime"
	"signalbox/engine/runtime/brief"
)

// Assets serves the built files and knows their hashed names.
type Assets interface {
	http.Handler
	// URL is the address of a built file, for example "editor.js".
	URL(name string) string
	// Preload lists the addresses that a script imports at once.
	Preload(name string) []string
}

// Engine runs what is published.
type Engine interface {
	Start(ctx context.Context, r runtime.StartRequest) (runtime.Started, error)
	Cancel(ctx context.Context, workspace string, run uuid.UUID, by, reason string) error
}

// Traces carries committed events as they happen. It may lose some: numbers
// show it, and the hub reads them from Events.
type Traces interface {
	Watch(workspace string, run uuid.UUID) (events <-chan []brief.Brief, stop func())
}

// Events reads the events of runs.
type Events interface {
	// Exists reports a problem unless the workspace has the run.
	Exists(ctx context.Context, workspace string, run uuid.UUID) error
	// Briefs returns events behind a number, in order.
	Briefs(ctx context.Context, workspace string, run uuid.UUID, after, limit int) ([]brief.Brief, error)
}

// History reads runs.
type History interface {
	Run(ctx context.Context, workspace string, id uuid.UUID) (Run, error)
	Runs(ctx context.Context, workspace string, q RunQuery) ([]Run, error)
	// Event returns one event with its values, large ones up to a limit.
	Event(ctx context.Context, workspace string, run uuid.UUID, seq int) (FullEvent, error)
	// Result returns what a run that succeeded ended with; nil: nothing yet.
	Result(ctx context.Context, workspace string, run uuid.UUID) (json.RawMessage, error)
	// Seen returns the last outputs of a workflow's nodes, by key.
	Seen(ctx context.Context, workspace string, workflow uuid.UUID) (Seen, error)
}

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
}

// RunQuery chooses runs, the newest first.
type RunQuery struct {
	Workflow uuid.UUID // zero: all
	Status   string    // empty: all
	After    uuid.UUID // runs older than this one; zero: from the newest
	Limit    int
}

// FullEvent is one event with its values.
type FullEvent struct {
	Seq  int             `json:"seq"`
	At   time.Time       `json:"at"`
	Type string          `json:"type"`
	Node string          `json:"node,omitempty"`
	Data json.RawMessage `json:"data"`
}

// Seen is what the nodes of a workflow put out last.
type Seen struct {
	Trigger json.RawMessage
	Nodes   map[string]SeenOutput
}

// SeenOutput is the last output of one node.
type SeenOutput struct {
	Output json.RawMessage `json:"output"`
	At     time.Time       `json:"at"`
	Run    uuid.UUID       `json:"run"`
}
