package draft

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"

	"signalbox/engine/problem"
)

// Limits of checkpoints.
const (
	CheckpointsMax    = 100 // of one workflow
	CheckpointNameMax = 80  // characters
)

// Checkpoint is a drawing that is kept under a name, whether it is sound or not.
type Checkpoint struct {
	ID        uuid.UUID
	Workspace string
	Workflow  uuid.UUID
	DraftSeq  int64
	Name      string
	Graph     json.RawMessage // empty in lists
	By        Person
	CreatedAt time.Time
}

// Checkpoints stores checkpoints.
type Checkpoints interface {
	// Checkpoints lists them without their graphs, newest first.
	Checkpoints(ctx context.Context, workspace string, workflow uuid.UUID) ([]Checkpoint, error)
	// Checkpoint returns one. ErrNotFound.
	Checkpoint(ctx context.Context, workspace string, workflow, id uuid.UUID) (Checkpoint, error)
	// PutCheckpoint keeps one. ErrNotFound: there is no such workflow.
	PutCheckpoint(ctx context.Context, c Checkpoint) error
	// DeleteCheckpoint takes one away. ErrNotFound.
	DeleteCheckpoint(ctx context.Context, workspace string, workflow, id uuid.UUID) error
}

// Checkpoints lists the checkpoints of a workflow, newest first.
func (s *Service) Checkpoints(ctx context.Context, workspace string, workflow uuid.UUID) ([]Checkpoint, error) {
	if _, err := s.Workflow(ctx, workspace, workflow); err != nil {
		return nil, err
	}
	list, err := s.store.Checkpoints(ctx, workspace, workflow)
	if err != nil {
		return nil, fmt.Errorf("list checkpoints of %s: %w", workflow, err)
	}
	return list, nil
}

// Checkpoint returns one with its graph.
func (s *Service) Checkpoint(ctx context.Context, workspace string, workflow, id uuid.UUID) (Checkpoint, error) {
	c, err := s.store.Checkpoint(ctx, workspace, workflow, id)
	return c, notFound(err, "checkpoint")
}

// KeepCheckpoint keeps the draft as it is now under a name.
func (s *Service) KeepCheckpoint(ctx context.Context, workspace string, workflow uuid.UUID, by Person, name string) (Checkpoint, error) {
	name = strings.Join(strings.Fields(name), " ")
	if name == "" || utf8.RuneCountInString(name) > CheckpointNameMax || strings.ContainsFunc(name, unicode.IsControl) {
		return Checkpoint{}, problem.New(problem.Invalid, "A checkpoint needs a name.").At("/name", "length", fmt.Sprintf("1 to %d characters", CheckpointNameMax))
	}
	list, err := s.Checkpoints(ctx, workspace, workflow)
	if err != nil {
		return Checkpoint{}, err
	}
	if len(list) >= CheckpointsMax {
		return Checkpoint{}, problem.New(problem.TooMany, "This workflow has %d checkpoints, which is the limit: delete one first.", CheckpointsMax)
	}
	l, done, err := s.line(ctx, workspace, workflow)
	if err != nil {
		return Checkpoint{}, err
	}
	defer done()
	if err := s.catchUp(ctx, l); err != nil {
		return Checkpoint{}, err
	}
	g, err := l.graph.Encode()
	if err != nil {
		return Checkpoint{}, fmt.Errorf("encode the graph of %s: %w", workflow, err)
	}
	c := Checkpoint{
		ID: uuid.Must(uuid.NewV7()), Workspace: workspace, Workflow: workflow, DraftSeq: l.seq, Name: name,
		Graph: g, By: by, CreatedAt: s.now(),
	}
	return c, notFound(s.store.PutCheckpoint(ctx, c), "workflow")
}

// DeleteCheckpoint takes one away; the draft stays as it is.
func (s *Service) DeleteCheckpoint(ctx context.Context, workspace string, workflow, id uuid.UUID) error {
	return notFound(s.store.DeleteCheckpoint(ctx, workspace, workflow, id), "checkpoint")
}
