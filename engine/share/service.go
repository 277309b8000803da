package share

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/google/uuid"

	"signalbox/engine/graph"
	"signalbox/engine/problem"
)

// Stored is the content of a link as it lies in the store.
type Stored struct{ View, File, Form json.RawMessage }

// Store is where links lie.
type Store interface {
	// PutShare writes a link. ErrSlugTaken.
	PutShare(ctx context.Context, s Share, hash []byte, c Stored) error
	// ShareByHash finds an open link. One statement answers for unknown,
	// expired and revoked alike, so that they take the same time.
	ShareByHash(ctx context.Context, hash []byte, now time.Time) (Share, Stored, error)
	// ShareBySlug finds an open link that is listed.
	ShareBySlug(ctx context.Context, slug string, now time.Time) (Share, Stored, error)
	CountView(ctx context.Context, id uuid.UUID, now time.Time) error
	// ListShares lists open links, newest first; those of guests' runs not.
	ListShares(ctx context.Context, workspace string, now time.Time) ([]Share, error)
	// CountRuns counts the open links to runs that guests started through one.
	CountRuns(ctx context.Context, parent uuid.UUID, now time.Time) (int, error)
	// RevokeShare ends a link with those that came from it, and names them
	// all. ErrNotFound.
	RevokeShare(ctx context.Context, workspace string, id uuid.UUID, now time.Time) ([]uuid.UUID, error)
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
	Version   uuid.UUID // that the drawing is of; zero: a draft
	By        uuid.UUID
	ExpiresIn time.Duration // 0: LifetimeDefault; Never: only when it is listed
	Listed    bool          // under a name that is made of the title
	Graph     graph.Graph   // the drawing in full; only what is public of it is kept
	Choice
}

// Create makes a link and returns its token, which nobody can see again.
func (s *Service) Create(ctx context.Context, n NewShare) (Share, string, error) {
	c, err := n.content()
	if err != nil {
		return Share{}, "", err
	}
	open, err := s.List(ctx, n.Workspace)
	if err != nil {
		return Share{}, "", err
	}
	if len(open) >= SharesMax {
		return Share{}, "", problem.New(problem.TooMany, "There are %d open links, which is the limit. Revoke one first.", SharesMax)
	}
	now := s.now()
	sh := Share{
		ID: uuid.Must(uuid.NewV7()), Workspace: n.Workspace, Target: n.Target, TargetID: n.TargetID, Version: n.Version,
		Title: c.View.Name, Choice: n.Choice, By: n.By, CreatedAt: now,
	}
	if n.ExpiresIn != Never {
		sh.ExpiresAt = now.Add(n.ExpiresIn)
	}
	if !n.Listed {
		token, err := s.put(ctx, sh, c)
		return sh, token, err
	}
	const namesMax = 200 // of the same title
	for i := 1; i <= namesMax; i++ {
		sh.Slug = slugOf(c.View.Name, i)
		token, err := s.put(ctx, sh, c)
		if !errors.Is(err, ErrSlugTaken) {
			return sh, token, err
		}
	}
	return Share{}, "", problem.New(problem.Conflict, "%d workflows of this name are listed already. Give this one another name.", namesMax)
}

// Preview builds what a link would give away, and makes none.
func (s *Service) Preview(n NewShare) (Content, error) { return n.content() }

// content checks the choice and builds what becomes public.
func (n *NewShare) content() (Content, error) {
	if err := n.check(); err != nil {
		return Content{}, err
	}
	c := Content{View: Public(n.Graph)}
	switch n.Scope {
	case ScopeView:
	case ScopeRun:
		form, err := FormOf(n.Graph)
		if err != nil {
			return Content{}, err
		}
		c.Form = form
	case ScopeCopy:
		g := File(n.Graph)
		file, err := g.Encode()
		if err != nil {
			return Content{}, fmt.Errorf("encode a file for guests: %w", err)
		}
		c.File = file
	}
	return c, nil
}

func (n *NewShare) check() error {
	switch n.Scope {
	case "":
		n.Scope = ScopeView
	case ScopeView, ScopeCopy:
	case ScopeRun:
		if n.Version == uuid.Nil {
			return problem.New(problem.Conflict, "Only what is published can be run by guests. Publish it first.")
		}
	default:
		return problem.New(problem.Invalid, "There is no such scope.").At("/scope", "unknown", "view, run or copy")
	}
	switch {
	case n.ExpiresIn == Never && !n.Listed:
		return problem.New(problem.Invalid, "Only a link that is listed publicly may live for ever.").At("/expires_in", "not possible here", "a duration such as 720h, or listed")
	case n.ExpiresIn == 0 && n.Listed:
		n.ExpiresIn = Never
	case n.ExpiresIn == 0:
		n.ExpiresIn = LifetimeDefault
	}
	if n.ExpiresIn != Never && (n.ExpiresIn < LifetimeMin || n.ExpiresIn > LifetimeMax) {
		return problem.New(problem.Invalid, "A link lives for a minute at least and 366 days at most.").At("/expires_in", "out of range", "a duration such as 720h")
	}
	if n.Forks && n.Target != TargetRun {
		return problem.New(problem.Invalid, "Only the link to a run can be tried in a sandbox.").At("/forks", "not possible here", "a link to a run")
	}
	origins, err := originsOf(n.Origins)
	n.Origins = origins
	return err
}

// put writes a link under a fresh token.
func (s *Service) put(ctx context.Context, sh Share, c Content) (string, error) {
	var stored Stored
	var err error
	if stored.View, err = c.View.Encode(); err != nil {
		return "", fmt.Errorf("encode a public view: %w", err)
	}
	stored.File = c.File
	if c.Form != nil {
		if stored.Form, err = json.Marshal(c.Form); err != nil {
			return "", fmt.Errorf("encode a form: %w", err)
		}
	}
	// 128 random bits at least.
	token := rand.Text()
	if err := s.store.PutShare(ctx, sh, hash(token), stored); err != nil {
		if errors.Is(err, ErrSlugTaken) {
			return "", ErrSlugTaken
		}
		return "", fmt.Errorf("store a link: %w", err)
	}
	return token, nil
}

// ForRun makes the link by which a guest watches the run that the guest
// started through another link. It ends with that one.
func (s *Service) ForRun(ctx context.Context, from Opened, run uuid.UUID) (string, error) {
	now := s.now()
	sh := from.Share
	sh.ID, sh.Parent, sh.Target, sh.TargetID = uuid.Must(uuid.NewV7()), from.ID, TargetRun, run
	sh.Scope, sh.Forks, sh.Slug = ScopeView, false, ""
	sh.CreatedAt, sh.Views, sh.ViewedAt = now, 0, time.Time{}
	if end := now.Add(LifetimeRun); from.ExpiresAt.IsZero() || end.Before(from.ExpiresAt) {
		sh.ExpiresAt = end
	}
	return s.put(ctx, sh, Content{View: from.View})
}

// MayStart reports a problem when so many runs were started through a link
// that it takes no more for now.
func (s *Service) MayStart(ctx context.Context, id uuid.UUID) error {
	n, err := s.store.CountRuns(ctx, id, s.now())
	if err != nil {
		return fmt.Errorf("count the runs of link %s: %w", id, err)
	}
	if n >= RunsMax {
		return problem.New(problem.TooMany, "Guests have started %d runs through this link within a day, which is the limit.", RunsMax)
	}
	return nil
}

var (
	tokenForm = regexp.MustCompile(`^[A-Z2-7]{26}$`)
	slugForm  = regexp.MustCompile(`^[a-z0-9](?:[a-z0-9-]{0,78}[a-z0-9])?$`)
)

// Open finds the link of a token. The problem is the same for a token that
// never was, has expired or was revoked.
func (s *Service) Open(ctx context.Context, token string) (Opened, error) {
	if !tokenForm.MatchString(token) {
		token = "" // asked for all the same: an answer must not tell by its time
	}
	sh, c, err := s.store.ShareByHash(ctx, hash(token), s.now())
	return opened(sh, c, err)
}

// OpenListed finds the link that is listed under a name.
func (s *Service) OpenListed(ctx context.Context, slug string) (Opened, error) {
	if !slugForm.MatchString(slug) {
		slug = ""
	}
	sh, c, err := s.store.ShareBySlug(ctx, slug, s.now())
	return opened(sh, c, err)
}

func opened(sh Share, c Stored, err error) (Opened, error) {
	if errors.Is(err, ErrNotFound) {
		return Opened{}, problem.New(problem.NotFound, "This link does not exist, or it has ended.")
	}
	if err != nil {
		return Opened{}, fmt.Errorf("find a link: %w", err)
	}
	o := Opened{Share: sh, Content: Content{File: c.File}}
	if o.View, err = graph.Decode(c.View); err != nil {
		return Opened{}, fmt.Errorf("read the public view of link %s: %w", sh.ID, err)
	}
	if len(c.Form) > 0 {
		o.Form = &Form{}
		if err := json.Unmarshal(c.Form, o.Form); err != nil {
			return Opened{}, fmt.Errorf("read the form of link %s: %w", sh.ID, err)
		}
	}
	return o, nil
}

// CountView counts one look at the page.
func (s *Service) CountView(ctx context.Context, id uuid.UUID) error {
	if err := s.store.CountView(ctx, id, s.now()); err != nil {
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
	ended, err := s.store.RevokeShare(ctx, workspace, id, s.now())
	if errors.Is(err, ErrNotFound) {
		return problem.New(problem.NotFound, "There is no such link.")
	}
	if err != nil {
		return fmt.Errorf("revoke link %s: %w", id, err)
	}
	for _, id := range ended {
		s.publish.ShareRevoked(id)
	}
	return nil
}

func hash(token string) []byte {
	sum := sha256.Sum256([]byte(token))
	return sum[:]
}

// slugOf makes the name of a listed link from a title: the nth of this title.
func slugOf(title string, n int) string {
	const most = 60
	var b strings.Builder
	for _, r := range strings.ToLower(title) {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	slug := b.String()
	slug = strings.Trim(slug[:min(len(slug), most)], "-")
	if slug == "" {
		slug = "workflow"
	}
	if n > 1 {
		slug += fmt.Sprintf("-%d", n)
	}
	return slug
}
