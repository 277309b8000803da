package draft

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"

	"signalbox/engine/graph"
	"signalbox/engine/problem"
)

// Service is the one way to change a draft.
type Service struct {
	store   Store
	publish Publisher
	now     func() time.Time
	lines   *lines
	hooks   *hooks
}

// New makes a service; now is the clock.
func New(store Store, publish Publisher, now func() time.Time) *Service {
	return &Service{store: store, publish: publish, now: now, lines: newLines(), hooks: newHooks()}
}

// Draft is a drawing as it is now.
type Draft struct {
	Workflow Workflow
	Seq      int64
	Graph    graph.Graph
	Issues   []graph.Issue
	Hooks    map[string]string // webhook path by node id
}

// Create makes a workflow from a graph, which may be empty.
func (s *Service) Create(ctx context.Context, workspace string, by Person, g graph.Graph) (Workflow, error) {
	if p := checkName(g.Name); p != nil {
		return Workflow{}, p
	}
	g.Format = graph.Format
	raw, err := g.Encode()
	if err != nil {
		return Workflow{}, fmt.Errorf("encode a new graph: %w", err)
	}
	// A file that was read elsewhere passes the same strict reader.
	if _, err := graph.Decode(raw); err != nil {
		return Workflow{}, err
	}
	now := s.now()
	w := Workflow{
		ID: uuid.Must(uuid.NewV7()), Workspace: workspace, Name: g.Name, Description: g.Description, Active: true,
		ActiveSeq: -1, CreatedAt: now, UpdatedAt: now, CreatedBy: by,
	}
	if err := s.store.Create(ctx, w, raw); err != nil {
		return Workflow{}, fmt.Errorf("create a workflow: %w", err)
	}
	return w, nil
}

func checkName(name string) *problem.Problem {
	if strings.TrimSpace(name) == "" || utf8.RuneCountInString(name) > graph.TitleLengthMax {
		return problem.New(problem.Invalid, "A workflow needs a name.").
			At("/name", "length", fmt.Sprintf("1 to %d characters", graph.TitleLengthMax))
	}
	return nil
}

// Workflow returns one workflow.
func (s *Service) Workflow(ctx context.Context, workspace string, id uuid.UUID) (Workflow, error) {
	w, err := s.store.Workflow(ctx, workspace, id)
	return w, notFound(err, "workflow")
}

// List returns workflows, the last edited first.
func (s *Service) List(ctx context.Context, workspace string, after Cursor, limit int) ([]Workflow, error) {
	list, err := s.store.List(ctx, workspace, after, limit)
	if err != nil {
		return nil, fmt.Errorf("list workflows: %w", err)
	}
	return list, nil
}

// SetActive lets the workflow's triggers start runs, or stops them.
func (s *Service) SetActive(ctx context.Context, workspace string, id uuid.UUID, active bool) error {
	defer s.hooks.forget(id)
	return notFound(s.store.SetActive(ctx, workspace, id, active), "workflow")
}

// Limits of tags.
const (
	TagsMax = 10 // of a workflow
	TagMax  = 40 // characters
)

// SetTags groups a workflow by words. They are kept in small letters, in
// order, each once.
func (s *Service) SetTags(ctx context.Context, workspace string, id uuid.UUID, tags []string) error {
	kept := []string{}
	for _, tag := range tags {
		tag = strings.ToLower(strings.Join(strings.Fields(tag), " "))
		if tag == "" {
			continue
		}
		if utf8.RuneCountInString(tag) > TagMax || strings.ContainsFunc(tag, unicode.IsControl) {
			return problem.New(problem.Invalid, "A tag is too long.").At("/tags", "length", fmt.Sprintf("at most %d characters", TagMax))
		}
		kept = append(kept, tag)
	}
	slices.Sort(kept)
	if kept = slices.Compact(kept); len(kept) > TagsMax {
		return problem.New(problem.Invalid, "A workflow may have %d tags; this one would have %d.", TagsMax, len(kept))
	}
	return notFound(s.store.SetTags(ctx, workspace, id, kept), "workflow")
}

// Delete takes the workflow away; its runs stay readable until they expire.
func (s *Service) Delete(ctx context.Context, workspace string, id uuid.UUID) error {
	defer s.hooks.forget(id)
	if err := s.store.Delete(ctx, workspace, id); err != nil {
		return notFound(err, "workflow")
	}
	s.lines.drop(id)
	s.publish.WorkflowDeleted(workspace, id)
	return nil
}

// Open returns the drawing as it is now.
func (s *Service) Open(ctx context.Context, workspace string, id uuid.UUID) (Draft, error) {
	w, err := s.Workflow(ctx, workspace, id)
	if err != nil {
		return Draft{}, err
	}
	l, done, err := s.line(ctx, workspace, id)
	if err != nil {
		return Draft{}, err
	}
	defer done()
	if err := s.catchUp(ctx, l); err != nil {
		return Draft{}, err
	}
	issues := l.check()
	return Draft{Workflow: w, Seq: l.seq, Graph: l.graph.Clone(), Issues: issues, Hooks: l.hookPaths()}, nil
}

// Batches returns what happened after a position.
func (s *Service) Batches(ctx context.Context, workspace string, id uuid.UUID, after int64, limit int) ([]Batch, error) {
	if _, err := s.Workflow(ctx, workspace, id); err != nil {
		return nil, err
	}
	list, err := s.store.Batches(ctx, workspace, id, after, min(limit, OpsPageMax))
	if err != nil {
		return nil, fmt.Errorf("read operations of %s: %w", id, err)
	}
	return list, nil
}

// Camera returns where the person looked last.
func (s *Service) Camera(ctx context.Context, id, user uuid.UUID) (Camera, bool, error) {
	c, ok, err := s.store.Camera(ctx, id, user)
	if err != nil {
		return Camera{}, false, fmt.Errorf("read a camera: %w", err)
	}
	return c, ok, nil
}

// PutCamera remembers where the person looks.
func (s *Service) PutCamera(ctx context.Context, workspace string, id, user uuid.UUID, c Camera) error {
	return notFound(s.store.PutCamera(ctx, workspace, id, user, c), "workflow")
}

// notFound turns the store's ErrNotFound into the caller's problem.
func notFound(err error, what string) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, ErrNotFound):
		return problem.New(problem.NotFound, "There is no such %s.", what)
	default:
		return fmt.Errorf("%s: %w", what, err)
	}
}
