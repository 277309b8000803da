package review

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

	"signalbox/engine/account"
	"signalbox/engine/problem"
)

// Service is the one way to ask for a review and to answer.
type Service struct {
	store   Store
	publish Publisher
	now     func() time.Time
}

// New makes a service; now is the clock.
func New(store Store, publish Publisher, now func() time.Time) *Service {
	return &Service{store: store, publish: publish, now: now}
}

// Required says whether the workspace asks for approvals.
func (s *Service) Required(ctx context.Context, workspace string) (bool, error) {
	required, err := s.store.Required(ctx, workspace)
	return required, asProblem(err, "workspace")
}

// SetRequired makes the workspace ask for approvals, or not.
func (s *Service) SetRequired(ctx context.Context, workspace string, required bool) error {
	return asProblem(s.store.SetRequired(ctx, workspace, required), "workspace")
}

// Status tells how a draft stands.
func (s *Service) Status(ctx context.Context, workspace string, workflow uuid.UUID) (Status, error) {
	st, err := s.store.Status(ctx, workspace, workflow)
	return st, asProblem(err, "workflow")
}

// Request is what a person asks for.
type Request struct {
	Workflow  uuid.UUID
	By        Person
	Seq       int64 // position of the draft that they look at
	Note      string
	Reviewers []uuid.UUID
}

// Ask asks people to look at a draft. An earlier request of the workflow is
// replaced.
func (s *Service) Ask(ctx context.Context, workspace string, q Request) (Review, error) {
	note, err := checkNote(q.Note)
	if err != nil {
		return Review{}, err
	}
	reviewers, err := s.reviewers(ctx, workspace, q.By.ID, q.Reviewers)
	if err != nil {
		return Review{}, err
	}
	r := Review{
		ID: uuid.Must(uuid.NewV7()), Workspace: workspace, Workflow: q.Workflow, Seq: q.Seq, Note: note, By: q.By, At: s.now(),
		Reviewers: reviewers, State: Open,
	}
	told, err := s.store.Ask(ctx, r)
	if err != nil {
		return Review{}, moved(asProblem(err, "workflow"), q.Seq)
	}
	s.tell(workspace, q.Workflow, told)
	return r, nil
}

// reviewers are the people who are asked: members who may publish, and not who
// asks.
func (s *Service) reviewers(ctx context.Context, workspace string, by uuid.UUID, ids []uuid.UUID) ([]Person, error) {
	ids = slices.Clone(ids)
	slices.SortFunc(ids, func(a, b uuid.UUID) int { return strings.Compare(a.String(), b.String()) })
	ids = slices.Compact(ids)
	if len(ids) == 0 || len(ids) > ReviewersMax {
		return nil, problem.New(problem.Invalid, "A review needs somebody who reviews.").At("/reviewers", "length", fmt.Sprintf("1 to %d members", ReviewersMax))
	}
	if slices.Contains(ids, by) {
		return nil, problem.New(problem.Invalid, "Nobody reviews what they ask to be reviewed.").At("/reviewers", "yourself", "other members")
	}
	members, err := s.store.Members(ctx, workspace, ids)
	if err != nil {
		return nil, fmt.Errorf("find reviewers: %w", err)
	}
	if len(members) != len(ids) {
		return nil, problem.New(problem.Invalid, "One of the reviewers is no member of this workspace.").At("/reviewers", "unknown", "ids of members")
	}
	people := make([]Person, len(members))
	for i, m := range members {
		if !m.Role.AtLeast(account.Editor) {
			return nil, problem.New(problem.Invalid, "%s cannot review: that needs the role %s, theirs is %s.", m.Name, account.Editor, m.Role).At("/reviewers", "role", "members who may publish")
		}
		people[i] = m.Person
	}
	return people, nil
}

// Approve says that the draft may be published as it is at a position.
func (s *Service) Approve(ctx context.Context, workspace string, id uuid.UUID, d Decision) (Review, error) {
	return s.decide(ctx, workspace, id, Approved, d)
}

// AskForChanges says what has to change first. An approval ends by it.
func (s *Service) AskForChanges(ctx context.Context, workspace string, id uuid.UUID, d Decision) (Review, error) {
	if strings.TrimSpace(d.Note) == "" {
		return Review{}, problem.New(problem.Invalid, "Say what has to change.").At("/note", "length", fmt.Sprintf("1 to %d characters", NoteMax))
	}
	return s.decide(ctx, workspace, id, Changes, d)
}

func (s *Service) decide(ctx context.Context, workspace string, id uuid.UUID, to State, d Decision) (Review, error) {
	var err error
	if d.Note, err = checkNote(d.Note); err != nil {
		return Review{}, err
	}
	r, err := s.store.Review(ctx, workspace, id)
	if err != nil {
		return r, asProblem(err, "review")
	}
	if d.By.ID == r.By.ID {
		return r, problem.New(problem.Forbidden, "You asked for this review: somebody else has to decide.")
	}
	if !slices.ContainsFunc(r.Reviewers, func(p Person) bool { return p.ID == d.By.ID }) {
		return r, problem.New(problem.Forbidden, "You were not asked to review this.")
	}
	d.At = s.now()
	told, err := s.store.Decide(ctx, workspace, id, to, d)
	if err != nil {
		return r, moved(asProblem(err, "review"), d.Seq)
	}
	r.State, r.Decision = to, &d
	s.tell(workspace, r.Workflow, told)
	return r, nil
}

// Withdraw ends a review: who asked may, and an admin.
func (s *Service) Withdraw(ctx context.Context, workspace string, id, by uuid.UUID, anybodys bool) error {
	r, err := s.store.Review(ctx, workspace, id)
	if err != nil {
		return asProblem(err, "review")
	}
	if r.By.ID != by && !anybodys {
		return problem.New(problem.Forbidden, "Somebody else asked for this review.")
	}
	if err := s.store.Withdraw(ctx, workspace, id); err != nil {
		return asProblem(err, "review")
	}
	s.publish.ReviewChanged(workspace, r.Workflow)
	return nil
}

func (s *Service) tell(workspace string, workflow uuid.UUID, told []uuid.UUID) {
	s.publish.ReviewChanged(workspace, workflow)
	if len(told) > 0 {
		s.publish.Nudged(workspace, told)
	}
}

func checkNote(note string) (string, error) {
	note = strings.TrimSpace(strings.ReplaceAll(note, "\r\n", "\n"))
	if utf8.RuneCountInString(note) > NoteMax {
		return "", problem.New(problem.Invalid, "The note is too long.").At("/note", "length", fmt.Sprintf("at most %d characters", NoteMax))
	}
	if strings.ContainsFunc(note, func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }) {
		return "", problem.New(problem.Invalid, "The note holds a control character.").At("/note", "form", "plain text")
	}
	return note, nil
}

// moved says where the draft is, when it is not where a person saw it.
func moved(err error, seen int64) error {
	var stale *ErrStale
	if errors.As(err, &stale) {
		return problem.New(problem.Conflict, "The draft has changed since you looked: it is at %d, you saw %d.", stale.Seq, seen)
	}
	return err
}

// asProblem turns the store's errors into the caller's problems.
func asProblem(err error, what string) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, ErrNotFound):
		return problem.New(problem.NotFound, "There is no such %s.", what)
	case errors.Is(err, ErrOver):
		return problem.New(problem.Conflict, "This review is over: it was withdrawn, replaced or published.")
	default:
		return fmt.Errorf("%s: %w", what, err)
	}
}
