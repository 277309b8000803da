package account

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"signalbox/engine/problem"
)

// Limits of invitations.
const (
	InvitationUsual = 7 * 24 * time.Hour
	InvitationMax   = 30 * 24 * time.Hour
	InvitationsMax  = 100 // open ones of a workspace
)

// Invitation is a link by which one person becomes a member, as it can be
// shown: never the secret.
type Invitation struct {
	ID        uuid.UUID
	Workspace string
	Role      Role
	Note      string // who it is for
	By        uuid.UUID
	ByName    string
	CreatedAt time.Time
	ExpiresAt time.Time
}

// Invitations is where invitations are stored.
type Invitations interface {
	PutInvitation(ctx context.Context, i Invitation, hash []byte) error
	// ListInvitations lists those that could be used now, newest first.
	ListInvitations(ctx context.Context, workspace string, now time.Time) ([]Invitation, error)
	// InvitationByHash finds one that could be used now. ErrNotFound.
	InvitationByHash(ctx context.Context, hash []byte, now time.Time) (Invitation, error)
	// DeleteInvitation takes one back. ErrNotFound.
	DeleteInvitation(ctx context.Context, workspace string, id uuid.UUID) error
	// UseInvitation uses one up and makes the user a member, in one
	// transaction; a user that is not there yet is made. ErrNotFound: it is
	// unknown, used or expired.
	UseInvitation(ctx context.Context, hash []byte, now time.Time, user User) error
}

// NewInvitation is what a person chooses about an invitation.
type NewInvitation struct {
	Role      Role
	Note      string
	ExpiresIn time.Duration // 0: the usual time
}

// Invite makes an invitation and returns the secret of its link, which nobody
// can see again.
func (s *Service) Invite(ctx context.Context, who Identity, n NewInvitation) (Invitation, string, error) {
	switch {
	case !assignable(n.Role):
		return Invitation{}, "", problem.New(problem.Invalid, "There is no such role.").At("/role", "unknown", "owner, admin, developer, editor, operator or viewer")
	case !who.Role.AtLeast(n.Role):
		return Invitation{}, "", problem.New(problem.Forbidden, "You can give at most your own role, which is %s.", who.Role)
	case n.ExpiresIn < 0 || n.ExpiresIn > InvitationMax:
		return Invitation{}, "", problem.New(problem.Invalid, "An invitation lives for at most %d days.", int(InvitationMax.Hours()/24)).At("/expires_in", "range", "a duration such as 168h")
	case utf8.RuneCountInString(n.Note) > NameMax:
		return Invitation{}, "", problem.New(problem.Invalid, "The note is too long.").At("/note", "length", fmt.Sprintf("at most %d characters", NameMax))
	}
	if n.ExpiresIn == 0 {
		n.ExpiresIn = InvitationUsual
	}
	open, err := s.Invitations(ctx, who)
	if err != nil {
		return Invitation{}, "", err
	}
	if len(open) >= InvitationsMax {
		return Invitation{}, "", problem.New(problem.TooMany, "There are %d open invitations, which is the limit. Take one back first.", InvitationsMax)
	}
	now := s.now()
	i := Invitation{
		ID: uuid.Must(uuid.NewV7()), Workspace: who.Workspace, Role: n.Role, Note: strings.TrimSpace(n.Note),
		By: who.User, ByName: who.Name, CreatedAt: now, ExpiresAt: now.Add(n.ExpiresIn),
	}
	secret := rand.Text()
	if err := s.store.PutInvitation(ctx, i, hashToken(secret)); err != nil {
		return Invitation{}, "", fmt.Errorf("store an invitation: %w", err)
	}
	return i, secret, nil
}

// Invitations lists the open invitations of the person's workspace.
func (s *Service) Invitations(ctx context.Context, who Identity) ([]Invitation, error) {
	list, err := s.store.ListInvitations(ctx, who.Workspace, s.now())
	if err != nil {
		return nil, fmt.Errorf("list invitations: %w", err)
	}
	return list, nil
}

// TakeBack ends an invitation before it is used.
func (s *Service) TakeBack(ctx context.Context, who Identity, id uuid.UUID) error {
	err := s.store.DeleteInvitation(ctx, who.Workspace, id)
	if errors.Is(err, ErrNotFound) {
		return problem.New(problem.NotFound, "There is no such invitation.")
	}
	if err != nil {
		return fmt.Errorf("delete an invitation: %w", err)
	}
	return nil
}

// Invited returns the invitation behind a link.
func (s *Service) Invited(ctx context.Context, secret string) (Invitation, error) {
	i, err := s.store.InvitationByHash(ctx, hashToken(secret), s.now())
	if errors.Is(err, ErrNotFound) {
		return i, goneInvitation()
	}
	if err != nil {
		return i, fmt.Errorf("find an invitation: %w", err)
	}
	// Who sent it must still have what it gives.
	by, err := s.Identity(ctx, i.Workspace, i.By)
	if errors.Is(err, ErrNotFound) || err == nil && !by.Role.AtLeast(i.Role) {
		return i, goneInvitation()
	}
	return i, err
}

func goneInvitation() *problem.Problem {
	return problem.New(problem.NotFound, "This invitation is used up or has expired. Ask whoever sent it for a new one.")
}

// Join uses an invitation. Who has an account already proves it by its
// password; everybody else gets a new one.
func (s *Service) Join(ctx context.Context, secret string, n NewOwner) (Identity, error) {
	i, err := s.Invited(ctx, secret)
	if err != nil {
		return Identity{}, err
	}
	n.Name, n.Email = strings.TrimSpace(n.Name), normalEmail(n.Email)
	if p := n.check(); p != nil {
		return Identity{}, p
	}
	user, err := s.store.UserByEmail(ctx, n.Email)
	switch {
	case errors.Is(err, ErrNotFound):
		user = User{ID: uuid.Must(uuid.NewV7()), Email: n.Email, Name: n.Name, CreatedAt: s.now()}
		if user.PasswordHash, err = s.hasher.hash(ctx, n.Password); err != nil {
			return Identity{}, err
		}
	case err != nil:
		return Identity{}, fmt.Errorf("find a user: %w", err)
	default:
		ok, err := s.hasher.verify(ctx, n.Password, user.PasswordHash)
		if err != nil {
			return Identity{}, err
		}
		if !ok {
			return Identity{}, problem.New(problem.Invalid, "This address has an account already, and its password is another one.").At("password", "wrong", "the password of your account")
		}
	}
	err = s.store.UseInvitation(ctx, hashToken(secret), s.now(), user)
	if errors.Is(err, ErrNotFound) {
		return Identity{}, goneInvitation()
	}
	if err != nil {
		return Identity{}, fmt.Errorf("use an invitation: %w", err)
	}
	return s.Identity(ctx, i.Workspace, user.ID)
}
