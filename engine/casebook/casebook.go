// Package casebook keeps past runs of a workflow as cases, and rehearses a
// drawing on them before it is published: does it still do the same? What is
// recorded of a case stays, however old it is, as long as it is one.
package casebook

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"

	"signalbox/engine/machine"
	"signalbox/engine/problem"
	"signalbox/engine/rehearsal"
)

// Limits of a casebook.
const (
	CasesMax  = 100              // of one workflow
	NameMax   = 100              // characters
	ReasonMax = 500              // characters of why a difference is accepted
	Within    = 20 * time.Second // for all cases of a workflow
	EachMax   = 5 * time.Second  // for one of them
	togetherN = 2                // rehearsals at once in one server: they are work for the processor alone
)

// Errors of a Store.
var (
	ErrNotFound = errors.New("not found")
	ErrTaken    = errors.New("the run is a case already")
)

// Case is a past run with a name.
type Case struct {
	ID        uuid.UUID
	Workspace string
	Workflow  uuid.UUID
	Run       uuid.UUID
	Name      string
	By        string
	CreatedAt time.Time

	Version uuid.UUID // that the run ran; filled in by the store
	Number  int       // of that version; 0: a draft
	Status  string    // how the run ended

	Accepted Acceptance
}

// Acceptance is a difference that a person has accepted.
type Acceptance struct {
	Digest string // of what the case came to; empty: none
	By     string
	Reason string
	At     time.Time
}

// Record is a run as it is stored.
type Record struct {
	Workspace string
	Workflow  uuid.UUID
	Version   uuid.UUID
	Machine   json.RawMessage
	Log       []machine.Event // at most rehearsal.EventsMax+1
}

// Store keeps cases.
type Store interface {
	// Cases lists those of a workflow, the oldest first.
	Cases(ctx context.Context, workspace string, workflow uuid.UUID) ([]Case, error)
	// Case returns one. ErrNotFound.
	Case(ctx context.Context, workspace string, id uuid.UUID) (Case, error)
	// PutCase adds one. ErrTaken; ErrNotFound: the run is gone meanwhile.
	PutCase(ctx context.Context, c Case) error
	RenameCase(ctx context.Context, workspace string, id uuid.UUID, name string) error
	DeleteCase(ctx context.Context, workspace string, id uuid.UUID) error
	// Accept notes what cases came to as accepted.
	Accept(ctx context.Context, workspace string, list map[uuid.UUID]Acceptance) error
	// Guarded reports whether a workflow is published only when its cases do
	// the same. ErrNotFound.
	Guarded(ctx context.Context, workspace string, workflow uuid.UUID) (bool, error)
	SetGuard(ctx context.Context, workspace string, workflow uuid.UUID, on bool) error
	// Record reads a run. ErrNotFound.
	Record(ctx context.Context, workspace string, run uuid.UUID) (Record, error)
	Payload(ctx context.Context, workspace, digest string) ([]byte, error)
}

// Service is the one way to use cases.
type Service struct {
	store Store
	now   func() time.Time
	slots chan struct{}
}

// New makes a service; now is the clock.
func New(store Store, now func() time.Time) *Service {
	return &Service{store: store, now: now, slots: make(chan struct{}, togetherN)}
}

// Add makes a case of a run, once it has shown that it can be repeated from its
// record alone.
func (s *Service) Add(ctx context.Context, workspace string, run uuid.UUID, name, by string) (Case, error) {
	name, err := cleanName(name)
	if err != nil {
		return Case{}, err
	}
	rec, err := s.store.Record(ctx, workspace, run)
	if err != nil {
		return Case{}, notFound(err, "run")
	}
	list, err := s.store.Cases(ctx, workspace, rec.Workflow)
	if err != nil {
		return Case{}, fmt.Errorf("list cases: %w", err)
	}
	if len(list) >= CasesMax {
		return Case{}, problem.New(problem.TooMany, "A workflow may have %d cases, and this one has them. Remove one first.", CasesMax)
	}
	if err := s.repeats(ctx, run, rec); err != nil {
		return Case{}, err
	}
	c := Case{ID: uuid.Must(uuid.NewV7()), Workspace: workspace, Workflow: rec.Workflow, Run: run, Name: name, By: by, CreatedAt: s.now().UTC().Truncate(time.Microsecond)}
	err = s.store.PutCase(ctx, c)
	if errors.Is(err, ErrTaken) {
		return Case{}, problem.New(problem.Conflict, "This run is a case already.")
	}
	if err != nil {
		return Case{}, notFound(err, "run")
	}
	return s.Case(ctx, workspace, c.ID)
}

// repeats refuses a run that does not do the same on its own version.
func (s *Service) repeats(ctx context.Context, run uuid.UUID, rec Record) error {
	if len(rec.Log) > rehearsal.EventsMax {
		return problem.New(problem.TooLarge, "A case may have at most %d events; this run has more.", rehearsal.EventsMax)
	}
	if err := rehearsal.Repeatable(rec.Log); err != nil {
		return err //nolint:wrapcheck // a problem
	}
	was, err := s.recorded(ctx, run, rec)
	if err != nil {
		return err
	}
	p, err := s.play(ctx, was, was.Machine, nil)
	if err != nil {
		return err
	}
	if p.Stop != nil {
		return problem.New(problem.Conflict, "This run cannot be repeated from what is recorded of it: it would stop at the step %s.", p.Stop.Node)
	}
	for _, d := range p.Verdict.Differences {
		if d.Counts() {
			return problem.New(problem.Conflict, "This run cannot be repeated from what is recorded of it: its own version would do something else (%s).", strings.TrimSpace(d.What+" "+d.Node))
		}
	}
	return nil
}

func cleanName(name string) (string, error) {
	name = strings.Join(strings.Fields(name), " ")
	if name == "" || utf8.RuneCountInString(name) > NameMax || strings.ContainsFunc(name, unicode.IsControl) {
		return "", problem.New(problem.Invalid, "A case needs a name.").At("/name", "length", fmt.Sprintf("1 to %d characters", NameMax))
	}
	return name, nil
}

// Case returns one case.
func (s *Service) Case(ctx context.Context, workspace string, id uuid.UUID) (Case, error) {
	c, err := s.store.Case(ctx, workspace, id)
	return c, notFound(err, "case")
}

// List lists the cases of a workflow, the oldest first, and says whether they
// stand before publishing.
func (s *Service) List(ctx context.Context, workspace string, workflow uuid.UUID) (list []Case, guarded bool, err error) {
	if guarded, err = s.store.Guarded(ctx, workspace, workflow); err != nil {
		return nil, false, notFound(err, "workflow")
	}
	if list, err = s.store.Cases(ctx, workspace, workflow); err != nil {
		return nil, false, fmt.Errorf("list cases: %w", err)
	}
	return list, guarded, nil
}

// Rename gives a case another name.
func (s *Service) Rename(ctx context.Context, workspace string, id uuid.UUID, name string) (Case, error) {
	name, err := cleanName(name)
	if err != nil {
		return Case{}, err
	}
	if err := s.store.RenameCase(ctx, workspace, id, name); err != nil {
		return Case{}, notFound(err, "case")
	}
	return s.Case(ctx, workspace, id)
}

// Remove makes a case a run like any other.
func (s *Service) Remove(ctx context.Context, workspace string, id uuid.UUID) error {
	return notFound(s.store.DeleteCase(ctx, workspace, id), "case")
}

// Guard sets whether a workflow is published only when its cases do the same.
func (s *Service) Guard(ctx context.Context, workspace string, workflow uuid.UUID, on bool) error {
	return notFound(s.store.SetGuard(ctx, workspace, workflow, on), "workflow")
}

// Accept notes that what the cases of a report came to is right from now on.
func (s *Service) Accept(ctx context.Context, workspace string, r Report, by, reason string) error {
	list := map[uuid.UUID]Acceptance{}
	for _, o := range r.Outcomes {
		if !o.OK() {
			list[o.Case.ID] = Acceptance{Digest: o.Digest, By: by, Reason: reason, At: s.now().UTC().Truncate(time.Microsecond)}
		}
	}
	if len(list) == 0 {
		return nil
	}
	if err := s.store.Accept(ctx, workspace, list); err != nil {
		return fmt.Errorf("note what was accepted: %w", err)
	}
	return nil
}

func notFound(err error, what string) error {
	switch {
	case errors.Is(err, ErrNotFound):
		return problem.New(problem.NotFound, "There is no such %s.", what)
	case err != nil:
		return fmt.Errorf("%s: %w", what, err)
	default:
		return nil
	}
}

// digestOf names what a case came to.
func digestOf(v rehearsal.Verdict, p *rehearsal.Played) (string, error) {
	var counts []rehearsal.Difference
	for _, d := range v.Differences {
		if d.Counts() {
			counts = append(counts, d)
		}
	}
	raw, err := json.Marshal([]any{v.Says, counts, p.Status, p.Result, p.Error, p.Stop})
	if err != nil {
		return "", fmt.Errorf("name an outcome: %w", err)
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:]), nil
}
