package draft

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"

	"signalbox/engine/graph"
	"signalbox/engine/problem"
)

// Limits of snippets.
const (
	SnippetsMax     = 200 // of one workspace
	SnippetNodesMax = 200 // of one snippet
	SnippetBytesMax = 500_000
	SnippetNameMax  = 80  // characters
	SnippetAboutMax = 400 // characters
)

// ErrSnippetTaken: another snippet has the name.
var ErrSnippetTaken = errors.New("another snippet has the name")

// Snippet is a part of a drawing that is kept under a name.
type Snippet struct {
	ID        uuid.UUID
	Workspace string
	Name      string
	About     string
	Graph     json.RawMessage // a graph of its own: nodes, the edges between them, their layout
	By        Person
	CreatedAt time.Time
}

// Snippets stores snippets.
type Snippets interface {
	// Snippets lists them by name.
	Snippets(ctx context.Context, workspace string) ([]Snippet, error)
	// PutSnippet makes one, or gives it another name and description.
	// ErrSnippetTaken.
	PutSnippet(ctx context.Context, s Snippet) error
	// DeleteSnippet takes one away. ErrNotFound.
	DeleteSnippet(ctx context.Context, workspace string, id uuid.UUID) error
}

// Snippets lists the snippets of a workspace by name.
func (s *Service) Snippets(ctx context.Context, workspace string) ([]Snippet, error) {
	list, err := s.store.Snippets(ctx, workspace)
	if err != nil {
		return nil, fmt.Errorf("list snippets: %w", err)
	}
	return list, nil
}

// Snippet returns one.
func (s *Service) Snippet(ctx context.Context, workspace string, id uuid.UUID) (Snippet, error) {
	list, err := s.Snippets(ctx, workspace)
	if err != nil {
		return Snippet{}, err
	}
	for _, one := range list {
		if one.ID == id {
			return one, nil
		}
	}
	return Snippet{}, notFound(ErrNotFound, "snippet")
}

// SaveSnippet keeps a part of a drawing. What was seen in runs (pins, samples)
// is no part of it.
func (s *Service) SaveSnippet(ctx context.Context, workspace string, by Person, one Snippet) (Snippet, error) {
	list, err := s.Snippets(ctx, workspace)
	if err != nil {
		return Snippet{}, err
	}
	if len(list) >= SnippetsMax {
		return Snippet{}, problem.New(problem.TooMany, "There are %d snippets, which is the limit.", SnippetsMax)
	}
	if one.Graph, err = snippetGraph(one.Graph); err != nil {
		return Snippet{}, err
	}
	one.ID, one.Workspace, one.By, one.CreatedAt = uuid.Must(uuid.NewV7()), workspace, by, s.now()
	return s.putSnippet(ctx, one)
}

func snippetGraph(raw json.RawMessage) (json.RawMessage, error) {
	if len(raw) > SnippetBytesMax {
		return nil, problem.New(problem.TooLarge, "A snippet may have %d bytes; this one has %d.", SnippetBytesMax, len(raw))
	}
	g, err := graph.Decode(raw)
	if err != nil {
		return nil, err //nolint:wrapcheck // a *problem.Problem
	}
	if n := len(g.Nodes); n == 0 || n > SnippetNodesMax {
		return nil, problem.New(problem.Invalid, "A snippet has 1 to %d steps; this one has %d.", SnippetNodesMax, n)
	}
	g.Name, g.Description, g.Layout.Sample = "", "", nil
	for id, l := range g.Layout.Nodes {
		l.Pin = nil
		g.Layout.Nodes[id] = l
	}
	text, err := g.Encode()
	if err != nil {
		return nil, fmt.Errorf("encode a snippet: %w", err)
	}
	return text, nil
}

// RenameSnippet gives a snippet another name and description.
func (s *Service) RenameSnippet(ctx context.Context, workspace string, id uuid.UUID, name, about string) (Snippet, error) {
	one, err := s.Snippet(ctx, workspace, id)
	if err != nil {
		return Snippet{}, err
	}
	one.Name, one.About = name, about
	return s.putSnippet(ctx, one)
}

func (s *Service) putSnippet(ctx context.Context, one Snippet) (Snippet, error) {
	one.Name, one.About = strings.Join(strings.Fields(one.Name), " "), strings.TrimSpace(one.About)
	if one.Name == "" || utf8.RuneCountInString(one.Name) > SnippetNameMax || strings.ContainsFunc(one.Name, unicode.IsControl) {
		return Snippet{}, problem.New(problem.Invalid, "A snippet needs a name.").At("/name", "length", fmt.Sprintf("1 to %d characters", SnippetNameMax))
	}
	if utf8.RuneCountInString(one.About) > SnippetAboutMax {
		return Snippet{}, problem.New(problem.Invalid, "The description of a snippet is too long.").At("/about", "length", fmt.Sprintf("at most %d characters", SnippetAboutMax))
	}
	err := s.store.PutSnippet(ctx, one)
	if errors.Is(err, ErrSnippetTaken) {
		return Snippet{}, problem.New(problem.Conflict, "There is a snippet of this name already.").At("/name", "taken", "another name")
	}
	return one, notFound(err, "snippet")
}

// DeleteSnippet takes a snippet away; what was put into drawings stays.
func (s *Service) DeleteSnippet(ctx context.Context, workspace string, id uuid.UUID) error {
	return notFound(s.store.DeleteSnippet(ctx, workspace, id), "snippet")
}
