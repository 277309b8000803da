package draft

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/google/uuid"

	"signalbox/engine/graph"
	"signalbox/engine/problem"
)

// UnsoundError refuses a drawing that may not run, with the findings.
type UnsoundError struct{ Issues []graph.Issue }

// Error implements error.
func (e *UnsoundError) Error() string { return "the drawing has errors" }

// Publication is how a draft is published.
type Publication struct {
	Seq      int64 // position that the person looked at
	Note     string
	Override bool // without an approval, where the workspace asks for one: for owners
}

// Publish freezes the draft at a position as the next version and makes it the
// active one.
func (s *Service) Publish(ctx context.Context, workspace string, id uuid.UUID, by Person, p Publication) (Version, error) {
	if utf8.RuneCountInString(p.Note) > NoteMax {
		return Version{}, problem.New(problem.Invalid, "The note is too long.").At("/note", "length", fmt.Sprintf("at most %d characters", NoteMax))
	}
	l, done, err := s.line(ctx, workspace, id)
	if err != nil {
		return Version{}, err
	}
	defer done()
	if err := s.catchUp(ctx, l); err != nil {
		return Version{}, err
	}
	if p.Seq != l.seq {
		return Version{}, problem.New(problem.Conflict, "The draft has changed since you looked: it is at %d, you saw %d.", l.seq, p.Seq)
	}
	v, err := s.freeze(l, by, p.Note)
	if err != nil {
		return Version{}, err
	}
	v.Overridden = p.Override
	defer s.hooks.forget(id)
	v, err = s.store.Publish(ctx, v, l.hooks(v.ID))
	var taken *ErrHookTaken
	var unapproved *ErrNotApproved
	switch {
	case errors.As(err, &taken):
		return Version{}, l.takenIssue(taken.Path)
	case errors.As(err, &unapproved):
		return Version{}, notApproved(unapproved.State)
	case err != nil:
		return Version{}, notFound(err, "workflow")
	}
	return v, nil
}

// notApproved says what is missing.
func notApproved(state string) error {
	why := "Nobody has reviewed it yet: ask for a review."
	switch state {
	case "open":
		why = "Its review goes on."
	case "changes":
		why = "A reviewer asks for changes."
	case ApprovalStale:
		why = "It was changed after it was approved: it has to be looked at again."
	}
	return problem.New(problem.Forbidden, "This workspace publishes what somebody else has approved. %s", why)
}

// TestVersion freezes the draft as it is now for test runs.
func (s *Service) TestVersion(ctx context.Context, workspace string, id uuid.UUID, by Person) (Version, error) {
	l, done, err := s.line(ctx, workspace, id)
	if err != nil {
		return Version{}, err
	}
	defer done()
	if err := s.catchUp(ctx, l); err != nil {
		return Version{}, err
	}
	v, err := s.freeze(l, by, "")
	if err != nil {
		return Version{}, err
	}
	v, err = s.store.PutTest(ctx, v)
	return v, notFound(err, "workflow")
}

// freeze compiles the drawing. Errors refuse it.
func (s *Service) freeze(l *line, by Person, note string) (Version, error) {
	issues := l.check()
	if graph.Errors(issues) || l.machine == nil {
		return Version{}, &UnsoundError{Issues: slices.Clone(issues)}
	}
	g, err := l.graph.Encode()
	if err != nil {
		return Version{}, fmt.Errorf("encode the graph of %s: %w", l.id, err)
	}
	m, err := l.machine.Encode()
	if err != nil {
		return Version{}, fmt.Errorf("encode the machine of %s: %w", l.id, err)
	}
	digest, err := l.machine.Digest()
	if err != nil {
		return Version{}, fmt.Errorf("name the machine of %s: %w", l.id, err)
	}
	return Version{
		ID: uuid.Must(uuid.NewV7()), Workspace: l.workspace, Workflow: l.id, DraftSeq: l.seq, Hash: hex.EncodeToString(digest[:]),
		Graph: g, Machine: m, Note: note, By: by, CreatedAt: s.now(),
	}, nil
}

// hooks lists the webhooks of the drawing. A disabled one does not answer.
func (l *line) hooks(version uuid.UUID) []Hook {
	var list []Hook
	for _, n := range l.graph.Nodes {
		if n.Kind == kindWebhook && !n.Disabled {
			list = append(list, Hook{Path: l.hookPath(n), Workspace: l.workspace, Workflow: l.id, Version: version, Node: n.Key, Config: n.Config})
		}
	}
	return list
}

func (l *line) takenIssue(path string) error {
	i := graph.Issue{Code: "path_taken", Severity: graph.SeverityError, Message: "Another webhook answers at this path already. Choose another one, or leave the field empty for one that nobody can guess.", Field: "/config/path"}
	for _, n := range l.graph.Nodes {
		if n.Kind == kindWebhook && l.hookPath(n) == path {
			i.Node = n.ID
		}
	}
	return &UnsoundError{Issues: []graph.Issue{i}}
}

// Version returns a version with its graph.
func (s *Service) Version(ctx context.Context, workspace string, id uuid.UUID) (Version, error) {
	v, err := s.store.Version(ctx, workspace, id)
	return v, notFound(err, "version")
}

// Numbered returns a published version by its number.
func (s *Service) Numbered(ctx context.Context, workspace string, workflow uuid.UUID, number int) (Version, error) {
	v, err := s.store.Numbered(ctx, workspace, workflow, number)
	return v, notFound(err, "version")
}

// Versions lists published versions, newest first.
func (s *Service) Versions(ctx context.Context, workspace string, workflow uuid.UUID, limit int) ([]Version, error) {
	if _, err := s.Workflow(ctx, workspace, workflow); err != nil {
		return nil, err
	}
	list, err := s.store.ListVersions(ctx, workspace, workflow, limit)
	if err != nil {
		return nil, fmt.Errorf("list versions of %s: %w", workflow, err)
	}
	return list, nil
}
