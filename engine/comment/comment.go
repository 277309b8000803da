// Package comment keeps what people say about a drawing: threads that hang on
// a node or on the drawing as a whole, with replies.
//
// A thread outlives its node: it keeps the title that the node had. Comments
// are plain text. They are no part of the drawing: no version, no export and no
// share link has them.
package comment

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
)

// Limits.
const (
	TextMax     = 4_000 // characters of a comment
	ThreadsMax  = 500   // of one workflow
	CommentsMax = 500   // ever written in one thread
	MentionsMax = 20    // of one comment
	ExcerptMax  = 280   // characters of a comment in a list
)

// Errors that every Store returns for the same reasons.
var (
	// ErrNotFound: there is no such workflow, thread or comment in the workspace.
	ErrNotFound = errors.New("not found")
	// ErrFull: the workflow or the thread is at its limit; nothing was written.
	ErrFull = errors.New("the limit is reached")
	// ErrNotOwn: somebody else wrote the comment; nothing was written.
	ErrNotOwn = errors.New("somebody else wrote the comment")
)

// Person is somebody who writes or is named.
type Person struct {
	ID   uuid.UUID `json:"id"`
	Name string    `json:"name"`
}

// Thread is a comment with its replies.
type Thread struct {
	ID        uuid.UUID
	Workspace string
	Workflow  uuid.UUID
	Node      string // id; empty: it is about the drawing as a whole
	Title     string // of the node, as it was called when the thread began
	CreatedAt time.Time
	LastAt    time.Time // of the newest comment
	Resolved  *Resolution
	Count     int       // of comments that were not taken back
	Last      int       // number of the newest comment
	Unread    int       // of comments by others that the reader has not seen
	Comments  []Comment // in a list only the first one, cut short
}

// Resolution says who settled a thread.
type Resolution struct {
	By Person
	At time.Time
}

// Comment is one thing that was said. One that was taken back has no text and
// stays only while there are others.
type Comment struct {
	ID        uuid.UUID
	Thread    uuid.UUID
	Workflow  uuid.UUID
	N         int // 1, 2, … in its thread
	By        Person
	Text      string
	Mentions  []Person
	CreatedAt time.Time
	EditedAt  time.Time // zero: never
	Deleted   bool
}

// Threads stores threads.
type Threads interface {
	// List lists the threads of a workflow as a person sees them, the one with
	// the newest comment first. ErrNotFound.
	List(ctx context.Context, workspace string, workflow, reader uuid.UUID) ([]Thread, error)
	// Thread returns one with all its comments. ErrNotFound.
	Thread(ctx context.Context, workspace string, id, reader uuid.UUID) (Thread, error)
	// Resolve settles a thread, or with nil opens it again; changed is false
	// when it was so already. ErrNotFound.
	Resolve(ctx context.Context, workspace string, id uuid.UUID, r *Resolution) (changed bool, err error)
	// MarkRead remembers that a person has seen the comments up to a number,
	// and marks what they were told of them as read. ErrNotFound.
	MarkRead(ctx context.Context, workspace string, id, reader uuid.UUID, upTo int, at time.Time) error
}

// Comments stores comments. Whoever is told something by a comment is told
// with it, in one transaction: those it names, and those who wrote in the
// thread before. Its author is not, and nobody is told twice.
type Comments interface {
	// Begin writes a thread with its first comment. ErrNotFound, ErrFull.
	Begin(ctx context.Context, t Thread, c Comment) (told []uuid.UUID, err error)
	// Reply writes another comment, numbers it and opens the thread again.
	// ErrNotFound, ErrFull.
	Reply(ctx context.Context, workspace string, c Comment) (told []uuid.UUID, err error)
	// Edit gives a person's own comment another text; those who were not named
	// before are told. ErrNotFound, ErrNotOwn.
	Edit(ctx context.Context, workspace string, c Comment) (told []uuid.UUID, err error)
	// Delete takes a comment back, the person's own or with anybody's any, and
	// takes what was told of it back too. The last one takes its thread with
	// it. ErrNotFound, ErrNotOwn.
	Delete(ctx context.Context, workspace string, d Deletion) error
	// Comment returns one. ErrNotFound.
	Comment(ctx context.Context, workspace string, id uuid.UUID) (Comment, error)
	// People returns those of the ids who are members of the workspace.
	People(ctx context.Context, workspace string, ids []uuid.UUID) ([]Person, error)
}

// Deletion is a comment that is taken back.
type Deletion struct {
	ID      uuid.UUID
	By      uuid.UUID
	Anybody bool // also what others wrote
	At      time.Time
}

// Store is all of them.
type Store interface {
	Threads
	Comments
}

// Publisher tells everybody who looks at a drawing, on every server.
type Publisher interface {
	// ThreadChanged tells that a thread is new, has changed or is gone.
	ThreadChanged(workspace string, workflow, thread uuid.UUID)
	// Nudged tells people that there is something for them.
	Nudged(workspace string, users []uuid.UUID)
}
