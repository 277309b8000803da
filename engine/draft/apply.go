package draft

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"signalbox/engine/graph"
	"signalbox/engine/problem"
)

// staleTries is how often a batch is tried again when another server was
// faster. Each try makes progress for somebody; of two servers that write at
// once each wins about every second one.
const staleTries = 50

// Gesture is a batch as it comes from a client.
type Gesture struct {
	Batch uuid.UUID // chosen by the client: the same gesture keeps it
	Base  int64     // position that the client had seen
	Ops   []graph.Op
}

// Applied is what became of a gesture.
type Applied struct {
	Seq    int64
	Issues []graph.Issue
}

// Apply puts a gesture into the order, applies and stores it, and tells
// everybody. The same gesture again changes nothing and gets the same answer.
// Of two that set the same property the later one wins.
func (s *Service) Apply(ctx context.Context, workspace string, id uuid.UUID, by Person, g Gesture) (Applied, error) {
	if len(g.Ops) == 0 || g.Batch == uuid.Nil {
		return Applied{}, problem.New(problem.Invalid, "A batch needs an id and at least one operation.").At("/ops", "it is empty", "one or more operations")
	}
	l, done, err := s.line(ctx, workspace, id)
	if err != nil {
		return Applied{}, err
	}
	defer done()
	for range staleTries {
		applied, err := s.try(ctx, l, by, g)
		if !errors.Is(err, ErrStale) {
			return applied, err
		}
		if err := s.catchUp(ctx, l); err != nil {
			return Applied{}, err
		}
	}
	return Applied{}, problem.New(problem.Unavailable, "Too many people change this workflow at once. Try again.")
}

func (s *Service) try(ctx context.Context, l *line, by Person, g Gesture) (Applied, error) {
	next, _, refused := l.graph.ApplyAll(g.Ops)
	if refused == nil {
		refused = asProblem(checkName(next.Name))
	}
	if refused != nil {
		return s.again(ctx, l, g, refused)
	}
	b := Batch{Seq: l.seq + 1, ID: g.Batch, By: by, At: s.now(), Ops: g.Ops}
	if g.Base > l.seq {
		return Applied{}, ErrStale
	}
	err := s.store.Append(ctx, l.workspace, l.id, b, next.Name, next.Description)
	switch {
	case errors.Is(err, ErrRepeated):
		return s.again(ctx, l, g, err)
	case errors.Is(err, ErrStale):
		return Applied{}, err
	case errors.Is(err, ErrNotFound):
		return Applied{}, notFound(err, "workflow")
	case err != nil:
		// Nobody knows whether it was written: read it anew next time.
		l.forget()
		return Applied{}, fmt.Errorf("append to draft %s: %w", l.id, err)
	}
	l.graph, l.seq = next, b.Seq
	issues := l.check()
	s.publish.DraftChanged(Change{Workspace: l.workspace, Workflow: l.id, Batch: b, Issues: issues})
	if err := s.snapshot(ctx, l); err != nil {
		return Applied{}, err
	}
	return Applied{Seq: b.Seq, Issues: issues}, nil
}

// again answers a batch that could not be applied: when it was applied before
// with that answer, else with the reason.
func (s *Service) again(ctx context.Context, l *line, g Gesture, reason error) (Applied, error) {
	seq, err := s.store.BatchSeq(ctx, l.workspace, l.id, g.Batch)
	switch {
	case errors.Is(err, ErrNotFound):
		return Applied{}, reason
	case err != nil:
		return Applied{}, fmt.Errorf("look for batch %s: %w", g.Batch, err)
	}
	if err := s.catchUp(ctx, l); err != nil {
		return Applied{}, err
	}
	return Applied{Seq: seq, Issues: l.check()}, nil
}

// asProblem keeps a nil *problem.Problem from becoming an error.
func asProblem(p *problem.Problem) error {
	if p == nil {
		return nil
	}
	return p
}
