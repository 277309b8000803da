// Package draft keeps the drawing that people edit: it puts operations into
// one order, applies them, tells everybody, and freezes versions.
//
// A batch of operations is applied whole or not at all, and once: its id makes
// a repeated one harmless. A version is never changed after it was made.
package draft

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/google/uuid"

	"signalbox/engine/graph"
)

// Limits.
const (
	OpsPageMax    = 500       // batches in one answer
	GraphBytesMax = 5_000_000 // bytes of a whole graph that comes in at once
	NoteMax       = 1_000     // characters of a version's note
)

// Errors that every Store returns for the same reasons.
var (
	// ErrNotFound: there is no such workflow or version in the workspace.
	ErrNotFound = errors.New("not found")
	// ErrStale: the draft has moved on; nothing was written.
	ErrStale = errors.New("the draft has moved on")
	// ErrRepeated: the batch was applied before; nothing was written.
	ErrRepeated = errors.New("the batch was applied before")
)

// ErrHookTaken: another workflow answers at the path; nothing was written.
type ErrHookTaken struct{ Path string } //nolint:errname // reads like its siblings

// Error implements error.
func (e *ErrHookTaken) Error() string {
	return "another workflow answers at the webhook path " + e.Path
}

// ApprovalStale is the state of an approval that an edit came after.
const ApprovalStale = "stale"

// ErrNotApproved: the workspace asks for an approval of what is published, and
// there is none; nothing was written.
type ErrNotApproved struct{ State string } //nolint:errname // reads like its siblings

// Error implements error.
func (e *ErrNotApproved) Error() string { return "the draft is not approved: " + e.State }

// Person is who did something.
type Person struct {
	ID   uuid.UUID `json:"id"`
	Name string    `json:"name"`
}

// Workflow is what lists and headers show of a workflow.
type Workflow struct {
	ID            uuid.UUID
	Workspace     string
	Name          string
	Description   string
	Active        bool      // its triggers start runs
	ActiveVersion int       // number; 0: none was published
	ActiveID      uuid.UUID // of that version; zero: none
	ActiveSeq     int64     // draft position that it was made from; -1: none was published
	DraftSeq      int64
	CreatedAt     time.Time
	UpdatedAt     time.Time
	CreatedBy     Person
	Tags          []string  // in order, without doubles; no part of the drawing
	Folder        uuid.UUID // in the gallery; zero: in none
	LastRun       *LastRun  // nil: never ran
	Day           DayRuns
}

// Edits counts the batches that the active version lacks. While nothing was
// published the first drawing counts as one.
func (w Workflow) Edits() int64 { return w.DraftSeq - w.ActiveSeq }

// LastRun is the newest run of a workflow.
type LastRun struct {
	ID     uuid.UUID
	Status string
	At     time.Time
}

// DayRuns counts the runs of the last 24 hours that are over.
type DayRuns struct {
	OK, Failed int
	Hours      []HourRuns // of those hours in which runs began, the newest first
}

// HourRuns counts the runs that began within one hour and are over.
type HourRuns struct {
	Ago        int // hours: 0 is the hour up to now
	OK, Failed int
}

// Batch is one gesture: operations that were applied together.
type Batch struct {
	Seq int64      `json:"seq"`
	ID  uuid.UUID  `json:"batch"`
	By  Person     `json:"by"`
	At  time.Time  `json:"at"`
	Ops []graph.Op `json:"ops"`
}

// Version is a frozen graph with its machine.
type Version struct {
	ID        uuid.UUID
	Workspace string
	Workflow  uuid.UUID
	Number    int // 0: made for a test run of a draft
	DraftSeq  int64
	Hash      string // hex digest of the machine
	Graph     json.RawMessage
	Machine   json.RawMessage
	Note      string
	By        Person
	CreatedAt time.Time

	Review     uuid.UUID // whose approval it was published with; zero: none
	ApprovedBy Person
	Overridden bool // an owner published it without an approval where one is asked for
}

// Hook is a webhook of a published version.
type Hook struct {
	Path      string
	Workspace string
	Workflow  uuid.UUID
	Version   uuid.UUID
	Active    bool
	Node      string          // key of the trigger node
	Config    json.RawMessage // of the node, as drawn
}

// Stored is a draft as it lies in the store: a graph, and the batches after it.
type Stored struct {
	Seq      int64 // of the newest batch
	GraphSeq int64 // the graph has all batches up to this one
	Graph    json.RawMessage
	HookKey  uuid.UUID // secret of the workflow from which webhook paths are made
}

// Workflows stores workflows.
type Workflows interface {
	// Create writes a workflow with its draft.
	Create(ctx context.Context, w Workflow, g json.RawMessage) error
	Workflow(ctx context.Context, workspace string, id uuid.UUID) (Workflow, error)
	// List returns workflows, the last edited first, after the given one.
	List(ctx context.Context, workspace string, after Cursor, limit int) ([]Workflow, error)
	SetActive(ctx context.Context, workspace string, id uuid.UUID, active bool) error
	SetTags(ctx context.Context, workspace string, id uuid.UUID, tags []string) error
	// Delete hides the workflow and stops its triggers; its runs stay.
	Delete(ctx context.Context, workspace string, id uuid.UUID) error
}

// Cursor is the place of a workflow in a list. The zero value is the start.
type Cursor struct {
	At time.Time
	ID uuid.UUID
}

// Drafts stores drawings in progress.
type Drafts interface {
	Draft(ctx context.Context, workspace string, id uuid.UUID) (Stored, error)
	// Append writes a batch whose Seq is one above the draft's, and the
	// workflow's name and description. ErrStale, ErrRepeated, ErrNotFound.
	Append(ctx context.Context, workspace string, id uuid.UUID, b Batch, name, description string) error
	// Batches returns batches after a position, in order.
	Batches(ctx context.Context, workspace string, id uuid.UUID, after int64, limit int) ([]Batch, error)
	// BatchSeq finds the position of a batch. ErrNotFound.
	BatchSeq(ctx context.Context, workspace string, id, batch uuid.UUID) (int64, error)
	// Snapshot replaces the stored graph by a newer one.
	Snapshot(ctx context.Context, workspace string, id uuid.UUID, seq int64, g json.RawMessage) error
}

// Versions stores frozen graphs.
type Versions interface {
	// Publish writes a version under the next number, makes it the active
	// one and replaces the workflow's webhooks, in one transaction. Where the
	// workspace asks for reviews it needs an approval of exactly its position
	// of the draft, unless Overridden is set; the answer tells whether that
	// made the difference, and has the number. *ErrHookTaken, *ErrNotApproved.
	Publish(ctx context.Context, v Version, hooks []Hook) (Version, error)
	// PutTest writes a version without a number, unless there is one of the
	// same draft position; the answer is the one that is there now.
	PutTest(ctx context.Context, v Version) (Version, error)
	// Version returns one with its graph, without its machine.
	Version(ctx context.Context, workspace string, id uuid.UUID) (Version, error)
	// Numbered finds a published version. ErrNotFound.
	Numbered(ctx context.Context, workspace string, workflow uuid.UUID, number int) (Version, error)
	// ListVersions lists published versions, newest first, without graphs.
	ListVersions(ctx context.Context, workspace string, workflow uuid.UUID, limit int) ([]Version, error)
	// HookByPath finds the webhook that answers at a path. ErrNotFound.
	HookByPath(ctx context.Context, path string) (Hook, error)
}

// Cameras stores where each person looks.
type Cameras interface {
	Camera(ctx context.Context, workflow, user uuid.UUID) (Camera, bool, error)
	PutCamera(ctx context.Context, workspace string, workflow, user uuid.UUID, c Camera) error
}

// Camera is the part of the canvas that a person sees.
type Camera struct {
	X float64 `json:"x"`
	Y float64 `json:"y"`
	Z float64 `json:"z" minimum:"0.01" maximum:"16"`
}

// Store is all of them.
type Store interface {
	Workflows
	Folders
	Drafts
	Snippets
	Versions
	Checkpoints
	Cameras
}

// Publisher tells everybody who looks at a draft, on every server.
type Publisher interface {
	DraftChanged(c Change)
	WorkflowDeleted(workspace string, id uuid.UUID)
}

// Change is an accepted batch with what the checks say of the new drawing.
type Change struct {
	Workspace string        `json:"workspace"`
	Workflow  uuid.UUID     `json:"workflow"`
	Batch     Batch         `json:"batch"`
	Issues    []graph.Issue `json:"issues"`
}
