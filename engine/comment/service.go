package comment

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

	"signalbox/engine/problem"
)

// Service is the one way to say something about a drawing.
type Service struct {
	store   Store
	publish Publisher
	now     func() time.Time
}

// New makes a service; now is the clock.
func New(store Store, publish Publisher, now func() time.Time) *Service {
	return &Service{store: store, publish: publish, now: now}
}

// Said is what a person writes.
type Said struct {
	By       Person
	Text     string
	Mentions []uuid.UUID // members; one whose @name is not in the text is dropped
}

// Place is where a thread hangs.
type Place struct {
	Workspace string
	Workflow  uuid.UUID
	Node      string // empty: on the drawing as a whole
	Title     string // of the node
}

// List lists the threads of a workflow as a person sees them.
func (s *Service) List(ctx context.Context, workspace string, workflow, reader uuid.UUID) ([]Thread, error) {
	list, err := s.store.List(ctx, workspace, workflow, reader)
	return list, asProblem(err, "workflow")
}

// Thread returns a thread with all its comments as a person sees it.
func (s *Service) Thread(ctx context.Context, workspace string, id, reader uuid.UUID) (Thread, error) {
	t, err := s.store.Thread(ctx, workspace, id, reader)
	return t, asProblem(err, "thread")
}

// Begin starts a thread.
func (s *Service) Begin(ctx context.Context, at Place, said Said) (Thread, error) {
	c, err := s.comment(ctx, at.Workspace, said)
	if err != nil {
		return Thread{}, err
	}
	t := Thread{
		ID: uuid.Must(uuid.NewV7()), Workspace: at.Workspace, Workflow: at.Workflow, Node: at.Node, Title: at.Title,
		CreatedAt: c.CreatedAt, LastAt: c.CreatedAt,
	}
	c.Thread, c.Workflow, c.N = t.ID, t.Workflow, 1
	told, err := s.store.Begin(ctx, t, c)
	if errors.Is(err, ErrFull) {
		return Thread{}, problem.New(problem.TooMany, "This workflow has %d threads, which is the limit. Delete some that are settled.", ThreadsMax)
	}
	if err != nil {
		return Thread{}, asProblem(err, "workflow")
	}
	s.tell(at.Workspace, c, told)
	return s.Thread(ctx, at.Workspace, t.ID, said.By.ID)
}

// Reply adds a comment to a thread. A thread that was settled is open again.
func (s *Service) Reply(ctx context.Context, workspace string, thread uuid.UUID, said Said) (Thread, error) {
	before, err := s.Thread(ctx, workspace, thread, said.By.ID)
	if err != nil {
		return Thread{}, err
	}
	c, err := s.comment(ctx, workspace, said)
	if err != nil {
		return Thread{}, err
	}
	c.Thread, c.Workflow = thread, before.Workflow
	told, err := s.store.Reply(ctx, workspace, c)
	if errors.Is(err, ErrFull) {
		return Thread{}, problem.New(problem.TooMany, "%d comments were written in this thread, which is the limit. Begin another one.", CommentsMax)
	}
	if err != nil {
		return Thread{}, asProblem(err, "thread")
	}
	s.tell(workspace, c, told)
	return s.Thread(ctx, workspace, thread, said.By.ID)
}

// Edit changes the text of a person's own comment.
func (s *Service) Edit(ctx context.Context, workspace string, id uuid.UUID, said Said) (Thread, error) {
	old, err := s.store.Comment(ctx, workspace, id)
	if err != nil {
		return Thread{}, asProblem(err, "comment")
	}
	c, err := s.comment(ctx, workspace, said)
	if err != nil {
		return Thread{}, err
	}
	c.ID, c.Thread, c.Workflow, c.EditedAt = id, old.Thread, old.Workflow, c.CreatedAt
	told, err := s.store.Edit(ctx, workspace, c)
	if err != nil {
		return Thread{}, asProblem(err, "comment")
	}
	s.tell(workspace, c, told)
	return s.Thread(ctx, workspace, c.Thread, said.By.ID)
}

// Delete takes a comment back: the person's own, or with anybody's any.
func (s *Service) Delete(ctx context.Context, workspace string, id, by uuid.UUID, anybodys bool) error {
	c, err := s.store.Comment(ctx, workspace, id)
	if err != nil {
		return asProblem(err, "comment")
	}
	if err := s.store.Delete(ctx, workspace, Deletion{ID: id, By: by, Anybody: anybodys, At: s.now()}); err != nil {
		return asProblem(err, "comment")
	}
	s.publish.ThreadChanged(workspace, c.Workflow, c.Thread)
	return nil
}

// Resolve settles a thread; changed is false when it was settled already.
func (s *Service) Resolve(ctx context.Context, workspace string, id uuid.UUID, by Person) (t Thread, changed bool, err error) {
	return s.settle(ctx, workspace, id, by.ID, &Resolution{By: by, At: s.now()})
}

// Reopen opens a settled thread again; changed is false when it was open.
func (s *Service) Reopen(ctx context.Context, workspace string, id uuid.UUID, by Person) (t Thread, changed bool, err error) {
	return s.settle(ctx, workspace, id, by.ID, nil)
}

func (s *Service) settle(ctx context.Context, workspace string, id, reader uuid.UUID, r *Resolution) (Thread, bool, error) {
	changed, err := s.store.Resolve(ctx, workspace, id, r)
	if err != nil {
		return Thread{}, false, asProblem(err, "thread")
	}
	t, err := s.Thread(ctx, workspace, id, reader)
	if err == nil && changed {
		s.publish.ThreadChanged(workspace, t.Workflow, t.ID)
	}
	return t, changed, err
}

// MarkRead remembers what a person has seen of a thread.
func (s *Service) MarkRead(ctx context.Context, workspace string, id, reader uuid.UUID, upTo int) error {
	if err := s.store.MarkRead(ctx, workspace, id, reader, upTo, s.now()); err != nil {
		return asProblem(err, "thread")
	}
	// The person's other tabs show it as read too.
	s.publish.Nudged(workspace, []uuid.UUID{reader})
	return nil
}

func (s *Service) tell(workspace string, c Comment, told []uuid.UUID) {
	s.publish.ThreadChanged(workspace, c.Workflow, c.Thread)
	if len(told) > 0 {
		s.publish.Nudged(workspace, told)
	}
}

// comment checks what a person writes.
func (s *Service) comment(ctx context.Context, workspace string, said Said) (Comment, error) {
	text := strings.TrimSpace(strings.ReplaceAll(said.Text, "\r\n", "\n"))
	expected := fmt.Sprintf("1 to %d characters", TextMax)
	if text == "" {
		return Comment{}, problem.New(problem.Invalid, "The comment is empty.").At("/text", "length", expected)
	}
	if n := utf8.RuneCountInString(text); n > TextMax {
		return Comment{}, problem.New(problem.Invalid, "The comment has %d characters, which is too long.", n).At("/text", "length", expected)
	}
	if strings.ContainsFunc(text, func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }) {
		return Comment{}, problem.New(problem.Invalid, "The comment holds a control character.").At("/text", "form", "plain text")
	}
	mentions, err := s.mentions(ctx, workspace, text, said.Mentions)
	if err != nil {
		return Comment{}, err
	}
	return Comment{ID: uuid.Must(uuid.NewV7()), By: said.By, Text: text, Mentions: mentions, CreatedAt: s.now()}, nil
}

// mentions are the members that a text names. Whoever is none is refused: a
// name that is marked as a person must be one.
func (s *Service) mentions(ctx context.Context, workspace, text string, ids []uuid.UUID) ([]Person, error) {
	ids = slices.Clone(ids)
	slices.SortFunc(ids, func(a, b uuid.UUID) int { return strings.Compare(a.String(), b.String()) })
	ids = slices.Compact(ids)
	if len(ids) == 0 {
		return []Person{}, nil
	}
	if len(ids) > MentionsMax {
		return nil, problem.New(problem.Invalid, "A comment may name %d people; this one names %d.", MentionsMax, len(ids))
	}
	people, err := s.store.People(ctx, workspace, ids)
	if err != nil {
		return nil, fmt.Errorf("find the people that a comment names: %w", err)
	}
	if len(people) != len(ids) {
		return nil, problem.New(problem.Invalid, "The comment names somebody who is no member of this workspace.").At("/mentions", "unknown", "ids of members")
	}
	return slices.DeleteFunc(people, func(p Person) bool { return !strings.Contains(text, "@"+p.Name) }), nil
}

// asProblem turns the store's errors into the caller's problems.
func asProblem(err error, what string) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, ErrNotFound):
		return problem.New(problem.NotFound, "There is no such %s.", what)
	case errors.Is(err, ErrNotOwn):
		return problem.New(problem.Forbidden, "Somebody else wrote this comment.")
	default:
		return fmt.Errorf("%s: %w", what, err)
	}
}
