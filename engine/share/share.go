// Package share lets people without an account look at one workflow or one
// run through a link.
//
// What a guest sees is built field by field from an allow-list (public.go);
// nothing is ever filtered out of the whole. A link is pinned to the drawing
// as it was when it was made.
package share

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"signalbox/engine/graph"
	"signalbox/engine/problem"
)

// Lifetimes and limits.
const (
	LifetimeDefault = 30 * 24 * time.Hour
	LifetimeMax     = 366 * 24 * time.Hour
	LifetimeMin     = time.Minute
	SharesMax       = 1_000 // open links of one workspace
)

// Target is what a link shows.
type Target string

// The closed list of targets.
const (
	TargetWorkflow Target = "workflow"
	TargetRun      Target = "run"
)

// ErrNotFound: there is no such link, or it has expired or was revoked.
var ErrNotFound = errors.New("not found")

// Share is a link as its owner sees it: never its token.
type Share struct {
	ID        uuid.UUID
	Workspace string
	Target    Target
	TargetID  uuid.UUID
	Title     string // of the drawing when the link was made
	By        uuid.UUID
	CreatedAt time.Time
	ExpiresAt time.Time
	Views     int
}

// Opened is what a guest holds.
type Opened struct {
	Share
	Graph graph.Graph // the public view
}

// Store is where links lie.
type Store interface {
	PutShare(ctx context.Context, s Share, hash []byte, view json.RawMessage) error
	// ShareByHash finds an open link. One statement answers for unknown,
	// expired and revoked alike, so that they take the same time.
	ShareByHash(ctx context.Context, hash []byte, now time.Time) (Share, json.RawMessage, error)
	CountView(ctx context.Context, id uuid.UUID) error
	// ListShares lists open links, newest first.
	ListShares(ctx context.Context, workspace string, now time.Time) ([]Share, error)
	// RevokeShare ends a link. ErrNotFound.
	RevokeShare(ctx context.Context, workspace string, id uuid.UUID, now time.Time) error
}

// Publisher tells every server that a link has ended.
type Publisher interface {
	ShareRevoked(id uuid.UUID)
}

// Service makes, opens and ends links.
type Service struct {
	store   Store
	publish Publisher
	now     func() time.Time
}

// New makes a service; now is the clock.
func New(store Store, publish Publisher, now func() time.Time) *Service {
	return &Service{store: store, publish: publish, now: now}
}

// NewShare is what a person chooses about a link.
type NewShare struct {
	Workspace string
	Target    Target
	TargetID  uuid.UUID
	By        uuid.UUID
	ExpiresIn time.Duration // 0: LifetimeDefault
	Graph     graph.Graph   // the drawing in full; only its public view is kept
}

// Create makes a link and returns its token, which nobody can see again.
func (s *Service) Create(ctx context.Context, n NewShare) (Share, string, error) {
	if n.ExpiresIn == 0 {
		n.ExpiresIn = LifetimeDefault
	}
	if n.ExpiresIn < LifetimeMin || n.ExpiresIn > LifetimeMax {
		return Share{}, "", problem.New(problem.Invalid, "A link lives for a minute at least and 366 days at most.").At("/expires_in", "out of range", "a duration such as 720h")
	}
	open, err := s.List(ctx, n.Workspace)
	if err != nil {
		return Share{}, "", err
	}
	if len(open) >= SharesMax {
		return Share{}, "", problem.New(problem.TooMany, "There are %d open links, which is the limit. Revoke one first.", SharesMax)
	}
	public := Public(n.Graph)
	view, err := public.Encode()
	if err != nil {
		return Share{}, "", fmt.Errorf("encode a public view: %w", err)
	}
	// 128 random bits at least.
	token, now := rand.Text(), s.now()
	sh := Share{
		ID: uuid.Must(uuid.NewV7()), Workspace: n.Workspace, Target: n.Target, TargetID: n.TargetID, Title: public.Name,
		By: n.By, CreatedAt: now, ExpiresAt: now.Add(n.ExpiresIn),
	}
	if err := s.store.PutShare(ctx, sh, hash(token), view); err != nil {
		return Share{}, "", fmt.Errorf("store a link: %w", err)
	}
	return sh, token, nil
}

// Open finds the link of a token. The problem is the same for a token that
// never was, has expired or was revoked.
func (s *Service) Open(ctx context.Context, token string) (Opened, error) {
	sh, view, err := s.store.ShareByHash(ctx, hash(token), s.now())
	if errors.Is(err, ErrNotFound) {
		return Opened{}, problem.New(problem.NotFound, "This link does not exist, or it has ended.")
	}
	if err != nil {
		return Opened{}, fmt.Errorf("find a link: %w", err)
	}
	g, err := graph.Decode(view)
	if err != nil {
		return Opened{}, fmt.Errorf("read the public view of link %s: %w", sh.ID, err)
	}
	return Opened{Share: sh, Graph: g}, nil
}

// CountView counts one look at the page.
func (s *Service) CountView(ctx context.Context, id uuid.UUID) error {
	if err := s.store.CountView(ctx, id); err != nil {
		return fmt.Errorf("count a view of link %s: %w", id, err)
	}
	return nil
}

// List lists the open links of a workspace, newest first.
func (s *Service) List(ctx context.Context, workspace string) ([]Share, error) {
	list, err := s.store.ListShares(ctx, workspace, s.now())
	if err != nil {
		return nil, fmt.Errorf("list links: %w", err)
	}
	return list, nil
}

// Revoke ends a link at once, also for those who look right now.
func (s *Service) Revoke(ctx context.Context, workspace string, id uuid.UUID) error {
	err := s.store.RevokeShare(ctx, workspace, id, s.now())
	if errors.Is(err, ErrNotFound) {
		return problem.New(problem.NotFound, "There is no such link.")
	}
	if err != nil {
		return fmt.Errorf("revoke link %s: %w", id, err)
	}
	s.publish.ShareRevoked(id)
	return nil
}

func hash(token string) []byte {
	sum := sha256.Sum256([]byte(token))
	return sum[:]
}
