package server

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/google/uuid"

	"signalbox/engine/compare"
	"signalbox/engine/history"
	"signalbox/engine/insight"
	"signalbox/engine/machine"
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
	Fork(ctx context.Context, r runtime.ForkRequest) (runtime.Started, error)
	// Sandbox plays another way of a run, calls nothing and stores nothing.
	Sandbox(ctx context.Context, r runtime.ForkRequest) (runtime.Sandboxed, error)
	Cancel(ctx context.Context, workspace string, run uuid.UUID, by, reason string) error
	// Tell hands a run a signal, a decision, a pause; it reports whether that
	// changed anything.
	Tell(ctx context.Context, workspace string, run uuid.UUID, in machine.Input) (bool, error)
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
	// StuckCount says how many runs of a workflow, or of all (zero), are stuck.
	StuckCount(ctx context.Context, workspace string, workflow uuid.UUID) (int, error)
	// Forks lists the runs that began as a run, the newest first.
	Forks(ctx context.Context, workspace string, run uuid.UUID) ([]Run, error)
	// Compare lays two runs side by side; long ones up to a limit.
	Compare(ctx context.Context, workspace string, a, b uuid.UUID) (rows []compare.Row, whole bool, err error)
	// Event returns one event with its values, large ones up to a limit.
	Event(ctx context.Context, workspace string, run uuid.UUID, seq int) (FullEvent, error)
	// Result returns what a run that succeeded ended with; nil: nothing yet.
	Result(ctx context.Context, workspace string, run uuid.UUID) (json.RawMessage, error)
	// Seen returns the last outputs of a workflow's nodes, by key.
	Seen(ctx context.Context, workspace string, workflow uuid.UUID) (Seen, error)
}

// Boards reads what is seen of many runs together, and hears what turned out to
// be true.
type Boards interface {
	// Rollups reads what was counted: of one workflow, of all (zero), or with
	// an empty workspace of the infrastructure.
	Rollups(ctx context.Context, workspace string, workflow uuid.UUID, span insight.Span) ([]insight.Row, error)
	Metrics(ctx context.Context, workspace string, workflow uuid.UUID, span insight.Span) ([]insight.Metric, error)
	Verdicts(ctx context.Context, workspace string, workflow uuid.UUID, span insight.Span) ([]insight.Verdict, error)
	Marks(ctx context.Context, workspace string, workflow uuid.UUID, span insight.Span) ([]insight.Mark, error)
	VersionNumbers(ctx context.Context, workspace string, ids []uuid.UUID) (map[uuid.UUID]int, error)
	// TellTruths returns how many of the decisions were predicted.
	TellTruths(ctx context.Context, workspace string, list []insight.Truth) (int, error)
}

// Letters are the dead letters, and what was done about them.
type Letters interface {
	// List lists them, the latest failure first.
	List(ctx context.Context, workspace string, q history.LetterQuery) ([]history.DeadLetter, error)
	Letter(ctx context.Context, workspace string, id history.LetterID) (history.DeadLetter, error)
	// Story tells what led to one.
	Story(ctx context.Context, workspace string, d history.DeadLetter) (history.LetterStory, error)
	// Count says how many are open, of one workflow or of all (zero), up to a limit.
	Count(ctx context.Context, workspace string, workflow uuid.UUID) (int, error)
	// Claim takes an open one to retry it; Settle says which run that started,
	// or with the zero id that it failed.
	Claim(ctx context.Context, workspace string, id history.LetterID, by string) error
	Settle(ctx context.Context, workspace string, id history.LetterID, run uuid.UUID) error
	Discard(ctx context.Context, workspace string, id history.LetterID, by string) error
}

// Filters are choices of runs that people keep under a name.
type Filters interface {
	// Filters lists a person's own and those that are shared, the oldest first.
	Filters(ctx context.Context, workspace string, user uuid.UUID) ([]history.Filter, error)
	Put(ctx context.Context, f history.Filter) error
	// Delete takes a person's own away, or with anyShared one that is shared.
	Delete(ctx context.Context, workspace string, id, user uuid.UUID, anyShared bool) error
	// SetDefault chooses what a person's list begins with; zero: nothing.
	SetDefault(ctx context.Context, workspace string, id, user uuid.UUID) error
}

// What readers of runs see, under the names that this package uses.
type (
	// Run is a run as lists show it.
	Run = history.Run
	// RunQuery chooses runs, the newest first.
	RunQuery = history.Query
	// FullEvent is one event with its values.
	FullEvent = history.Event
	// Seen is what the nodes of a workflow put out last.
	Seen = history.Seen
	// SeenOutput is the last output of one node.
	SeenOutput = history.Output
)
