// Package inbox keeps what a person is told: that somebody named them, replied
// to them, wants their review or has answered it.
//
// What is told is written together with the thing that it tells of (a comment,
// a review), by whoever stores that; this package reads it and marks it read.
package inbox

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
)

// KeptMax is how much of it a person keeps; what is older goes.
const KeptMax = 200

// Kind says what a nudge tells.
type Kind string

// The closed list of kinds.
const (
	Mention Kind = "mention" // somebody named the person in a comment
	Reply   Kind = "reply"   // somebody wrote in a thread that the person wrote in

	Asked    Kind = "asked"    // somebody wants the person's review of a draft
	Approved Kind = "approved" // a reviewer approved what the person asked for
	Changes  Kind = "changes"  // a reviewer asks for changes
)

// Nudge is one thing that a person is told.
type Nudge struct {
	ID       uuid.UUID
	Kind     Kind
	By       string // name of who did it
	At       time.Time
	Read     bool
	Workflow uuid.UUID
	Name     string    // of the workflow
	Thread   uuid.UUID // zero: it is about no thread
	Review   uuid.UUID // zero: it is about no review
	Title    string    // of the thread's node; empty: it is about the drawing as a whole
	Text     string    // what was said, cut short
}

// Store keeps nudges.
type Store interface {
	// Nudges lists a person's, the newest first. Those of a workflow that was
	// deleted are left out.
	Nudges(ctx context.Context, workspace string, user uuid.UUID, limit int) ([]Nudge, error)
	// Unread counts a person's unread ones.
	Unread(ctx context.Context, workspace string, user uuid.UUID) (int, error)
	// MarkRead marks some of a person's as read, or with none all of them.
	MarkRead(ctx context.Context, workspace string, user uuid.UUID, ids []uuid.UUID, at time.Time) error
}

// Service answers what a person is told.
type Service struct {
	store Store
	now   func() time.Time
}

// New makes a service; now is the clock.
func New(store Store, now func() time.Time) *Service { return &Service{store: store, now: now} }

// List lists what a person is told, the newest first, and counts what is unread.
func (s *Service) List(ctx context.Context, workspace string, user uuid.UUID, limit int) (list []Nudge, unread int, err error) {
	if list, err = s.store.Nudges(ctx, workspace, user, min(limit, KeptMax)); err != nil {
		return nil, 0, fmt.Errorf("list what a person is told: %w", err)
	}
	if unread, err = s.store.Unread(ctx, workspace, user); err != nil {
		return nil, 0, fmt.Errorf("count what is unread: %w", err)
	}
	return list, unread, nil
}

// MarkRead marks some as read, or with none all of them.
func (s *Service) MarkRead(ctx context.Context, workspace string, user uuid.UUID, ids []uuid.UUID) error {
	if err := s.store.MarkRead(ctx, workspace, user, ids, s.now()); err != nil {
		return fmt.Errorf("mark as read: %w", err)
	}
	return nil
}
