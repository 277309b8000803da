// Package share lets people without an account look at one workflow or one
// run through a link, and do with it what the link allows.
//
// What a guest sees is built field by field from allow-lists (public.go,
// file.go, form.go); nothing is ever filtered out of the whole. A link is
// pinned to the drawing as it was when it was made.
package share

import (
	"encoding/json"
	"errors"
	"time"

	"github.com/google/uuid"

	"signalbox/engine/graph"
)

// Lifetimes and limits.
const (
	LifetimeDefault = 30 * 24 * time.Hour
	LifetimeMax     = 366 * 24 * time.Hour
	LifetimeMin     = time.Minute
	LifetimeRun     = 24 * time.Hour // of the link to a run that a guest started
	SharesMax       = 1_000          // open links of one workspace, beside those to guests' runs
	RunsMax         = 1_000          // open links to runs that guests started through one link
	OriginsMax      = 10             // pages that may frame one link
)

// Never is the lifetime of a link that does not end by itself.
const Never time.Duration = -1

// Target is what a link shows.
type Target string

// The closed list of targets.
const (
	TargetWorkflow Target = "workflow" // its active version, or the draft as it was
	TargetVersion  Target = "version"
	TargetRun      Target = "run"
)

// Scope is what a guest may do beside looking.
type Scope string

// The closed list of scopes.
const (
	ScopeView Scope = "view"
	ScopeRun  Scope = "run"  // fill in a form, which starts a run
	ScopeCopy Scope = "copy" // take the workflow along
)

// ErrNotFound: there is no such link, or it has expired or was revoked.
var ErrNotFound = errors.New("not found")

// ErrSlugTaken: another open link is listed under this name.
var ErrSlugTaken = errors.New("the name is taken")

// Share is a link as its owner sees it: never its token.
type Share struct {
	ID        uuid.UUID
	Workspace string
	Target    Target
	TargetID  uuid.UUID
	Version   uuid.UUID // that it is pinned to; zero: a draft
	Parent    uuid.UUID // the link through which a guest started the run; zero: none
	Title     string    // of the drawing when the link was made
	Choice
	By        uuid.UUID
	CreatedAt time.Time
	ExpiresAt time.Time // zero: never
	Views     int
	ViewedAt  time.Time // zero: never
}

// Choice is what the owner decides about a link.
type Choice struct {
	Scope    Scope
	WithData bool     // input and result of the run show
	Forks    bool     // guests may try another way in a sandbox
	Origins  []string // pages that may frame it: scheme://host
	Slug     string   // listed publicly under this name; empty: not listed
}

// Listed reports whether search engines may find the link.
func (s Share) Listed() bool { return s.Slug != "" }

// Content is what a link gives away. It is built when the link is made and
// never changes.
type Content struct {
	View graph.Graph     // what is drawn
	File json.RawMessage // scope copy: the workflow file; nil: none
	Form *Form           // scope run: what is asked; nil: nothing
}

// Opened is what a guest holds.
type Opened struct {
	Share
	Content
}
