package account

import (
	"context"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"signalbox/engine/problem"
)

// ErrLastOwner: a workspace keeps at least one owner.
var ErrLastOwner = errors.New("the last owner")

// Members is where people's places in workspaces are stored.
type Members interface {
	// ListMembers lists the members of a workspace, in order of their names.
	ListMembers(ctx context.Context, workspace string) ([]Member, error)
	// SetRole changes a member's role. ErrNotFound, ErrLastOwner.
	SetRole(ctx context.Context, workspace string, user uuid.UUID, role Role) error
	// RemoveMember ends a membership, with the member's API tokens.
	// ErrNotFound, ErrLastOwner.
	RemoveMember(ctx context.Context, workspace string, user uuid.UUID) error
}

// Preferences are what a person chose for themselves, on every device.
type Preferences struct {
	Language string // empty: what the browser asks for
	TourDone bool   // the first steps were shown
}

// Profiles is where people's own settings are stored.
type Profiles interface {
	// UserByID finds a user. ErrNotFound.
	UserByID(ctx context.Context, id uuid.UUID) (User, error)
	// SetPassword keeps a new hash; sessions from before a moment end.
	SetPassword(ctx context.Context, id uuid.UUID, hash string, sessionsAfter time.Time) error
	// Preferences reads a user's choices. ErrNotFound.
	Preferences(ctx context.Context, id uuid.UUID) (Preferences, error)
	SetPreferences(ctx context.Context, id uuid.UUID, p Preferences) error
}

// Members lists the members of the person's workspace.
func (s *Service) Members(ctx context.Context, who Identity) ([]Member, error) {
	list, err := s.store.ListMembers(ctx, who.Workspace)
	if err != nil {
		return nil, fmt.Errorf("list members: %w", err)
	}
	return list, nil
}

// SetRole gives a member another role. Nobody gives more than they have, and
// nobody changes who has more.
func (s *Service) SetRole(ctx context.Context, who Identity, user uuid.UUID, role Role) (Member, error) {
	m, err := s.memberBelow(ctx, who, user)
	if err != nil {
		return m, err
	}
	if !assignable(role) {
		return m, problem.New(problem.Invalid, "There is no such role.").At("/role", "unknown", "owner, admin, developer, editor, operator or viewer")
	}
	if !who.Role.AtLeast(role) {
		return m, problem.New(problem.Forbidden, "You can give at most your own role, which is %s.", who.Role)
	}
	if err := memberFault(s.store.SetRole(ctx, who.Workspace, user, role)); err != nil {
		return m, err
	}
	m.Role = role
	return m, nil
}

// RemoveMember ends somebody's membership, with their API tokens. Everybody
// may end their own.
func (s *Service) RemoveMember(ctx context.Context, who Identity, user uuid.UUID) (Member, error) {
	m, err := s.memberBelow(ctx, who, user)
	if err != nil {
		return m, err
	}
	return m, memberFault(s.store.RemoveMember(ctx, who.Workspace, user))
}

// memberBelow finds a member who has no more rights than the person.
func (s *Service) memberBelow(ctx context.Context, who Identity, user uuid.UUID) (Member, error) {
	m, err := s.store.Member(ctx, who.Workspace, user)
	if err != nil {
		return m, memberFault(err)
	}
	if !who.Role.AtLeast(m.Role) {
		return m, problem.New(problem.Forbidden, "This member has the role %s; yours is %s.", m.Role, who.Role)
	}
	return m, nil
}

func memberFault(err error) error {
	switch {
	case errors.Is(err, ErrNotFound):
		return problem.New(problem.NotFound, "There is no such member.")
	case errors.Is(err, ErrLastOwner):
		return problem.New(problem.Conflict, "A workspace needs an owner. Make somebody else an owner first.")
	case err != nil:
		return fmt.Errorf("change a member: %w", err)
	default:
		return nil
	}
}

// assignable reports whether members can have the role.
func assignable(role Role) bool { return role != Guest && role.AtLeast(Viewer) }

// ChangePassword gives the person a new password. Their other sessions end;
// the caller begins a new one.
func (s *Service) ChangePassword(ctx context.Context, who Identity, old, fresh string) error {
	if l := utf8.RuneCountInString(fresh); l < PasswordMin || l > PasswordMax {
		return problem.New(problem.Invalid, "The password is too short or too long.").At("/new", "length", fmt.Sprintf("%d to %d characters", PasswordMin, PasswordMax))
	}
	user, err := s.store.UserByID(ctx, who.User)
	if err != nil {
		return fmt.Errorf("find user %s: %w", who.User, err)
	}
	if utf8.RuneCountInString(old) > PasswordMax {
		old = ""
	}
	ok, err := s.hasher.verify(ctx, old, user.PasswordHash)
	if err != nil {
		return err
	}
	if !ok {
		return problem.New(problem.Invalid, "The present password is wrong.").At("/old", "wrong", "your present password")
	}
	hash, err := s.hasher.hash(ctx, fresh)
	if err != nil {
		return err
	}
	if err := s.store.SetPassword(ctx, who.User, hash, s.now()); err != nil {
		return fmt.Errorf("store a password: %w", err)
	}
	return nil
}

// Preferences reads what the person chose.
func (s *Service) Preferences(ctx context.Context, who Identity) (Preferences, error) {
	p, err := s.store.Preferences(ctx, who.User)
	if err != nil {
		return p, fmt.Errorf("read preferences: %w", err)
	}
	return p, nil
}

// SetPreferences keeps what the person chose.
func (s *Service) SetPreferences(ctx context.Context, who Identity, p Preferences) error {
	if err := s.store.SetPreferences(ctx, who.User, p); err != nil {
		return fmt.Errorf("store preferences: %w", err)
	}
	return nil
}
