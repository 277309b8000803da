// Package review lets somebody else look at a draft before it is published.
//
// An approval holds for exactly the position of the draft that was looked at:
// the next edit makes it stale. Where a workspace asks for reviews, publishing
// needs one (engine/draft); the store checks that in the transaction that
// publishes, so that no path goes around it.
package review

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"signalbox/engine/account"
)

// Limits.
const (
	NoteMax      = 1_000 // characters of a request's or a decision's note
	ReviewersMax = 10
)

// Errors that every Store returns for the same reasons.
var (
	// ErrNotFound: there is no such workflow or review in the workspace.
	ErrNotFound = errors.New("not found")
	// ErrOver: the review is over; nothing was written.
	ErrOver = errors.New("the review is over")
)

// ErrStale: the draft is not where the person saw it; nothing was written.
type ErrStale struct{ Seq int64 } //nolint:errname // reads like its siblings

// Error implements error.
func (e *ErrStale) Error() string { return fmt.Sprintf("the draft is at %d", e.Seq) }

// State says how far a review is.
type State string

// The closed list of states. The first three are of a review that goes on; a
// workflow has at most one of these.
const (
	Open      State = "open"      // nobody has decided
	Approved  State = "approved"  // for one position of the draft
	Changes   State = "changes"   // a reviewer asks for changes
	Withdrawn State = "withdrawn" // who asked did not want it any more
	Replaced  State = "replaced"  // there was a new request, or a publication without it
	Published State = "published" // a version was made of what was approved
)

// Person is who asks or decides.
type Person struct {
	ID   uuid.UUID `json:"id"`
	Name string    `json:"name"`
}

// Review is a request to look at a draft, with what became of it.
type Review struct {
	ID        uuid.UUID
	Workspace string
	Workflow  uuid.UUID
	Seq       int64 // position of the draft when it was asked for
	Note      string
	By        Person
	At        time.Time
	Reviewers []Person
	State     State
	Decision  *Decision // the last one
}

// Decision is what a reviewer said.
type Decision struct {
	By   Person
	At   time.Time
	Note string
	Seq  int64 // position of the draft that was looked at
}

// Stale reports whether the draft has moved on since it was approved.
func (r Review) Stale(seq int64) bool {
	return r.State == Approved && r.Decision != nil && r.Decision.Seq != seq
}

// Status is how a draft stands.
type Status struct {
	Required bool    // the workspace asks for an approval
	Seq      int64   // of the draft
	Review   *Review // the one that goes on; nil: none
}

// Member is somebody who could review.
type Member struct {
	Person
	Role account.Role
}

// Store keeps reviews.
type Store interface {
	// Status reads how a draft stands. ErrNotFound.
	Status(ctx context.Context, workspace string, workflow uuid.UUID) (Status, error)
	// Review returns one. ErrNotFound.
	Review(ctx context.Context, workspace string, id uuid.UUID) (Review, error)
	// Ask writes a request in place of the one that goes on, and tells the
	// reviewers, in one transaction. ErrNotFound, *ErrStale.
	Ask(ctx context.Context, r Review) (told []uuid.UUID, err error)
	// Decide writes a decision and tells who asked. ErrNotFound, ErrOver,
	// *ErrStale.
	Decide(ctx context.Context, workspace string, id uuid.UUID, to State, d Decision) (told []uuid.UUID, err error)
	// Withdraw ends a review that goes on. ErrNotFound, ErrOver.
	Withdraw(ctx context.Context, workspace string, id uuid.UUID) error
	// Members returns those of the ids who are members.
	Members(ctx context.Context, workspace string, ids []uuid.UUID) ([]Member, error)
	// Required says whether the workspace asks for approvals.
	Required(ctx context.Context, workspace string) (bool, error)
	SetRequired(ctx context.Context, workspace string, required bool) error
}

// Publisher tells people, on every server.
type Publisher interface {
	// ReviewChanged tells those who look at a drawing that its review did.
	ReviewChanged(workspace string, workflow uuid.UUID)
	// Nudged tells people that there is something for them.
	Nudged(workspace string, users []uuid.UUID)
}
