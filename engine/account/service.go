package account

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/mail"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"signalbox/engine/problem"
)

// TokenPrefix begins every API token, so that scanners can find leaked ones.
const TokenPrefix = "sb_"

// Store is all that the service stores.
type Store interface {
	Users
	Workspaces
	Members
	Profiles
	Invitations
	Links
	Tokens
}

// Service answers who somebody is.
type Service struct {
	store  Store
	now    func() time.Time
	hasher *hasher
}

// New makes a service; now is the clock.
func New(store Store, now func() time.Time) *Service {
	return &Service{store: store, now: now, hasher: newHasher()}
}

// Login checks an e-mail address and a password. The problem is the same for
// an unknown address and a wrong password, and both take as long.
func (s *Service) Login(ctx context.Context, email, password string) (Identity, error) {
	wrong := problem.New(problem.Unauthorized, "The e-mail address or the password is wrong.")
	user, err := s.store.UserByEmail(ctx, normalEmail(email))
	if err != nil && !errors.Is(err, ErrNotFound) {
		return Identity{}, fmt.Errorf("find a user: %w", err)
	}
	if utf8.RuneCountInString(password) > PasswordMax {
		password = "" // never right; the work below stays the same
	}
	ok, err := s.hasher.verify(ctx, password, user.PasswordHash)
	if err != nil {
		return Identity{}, err
	}
	if !ok {
		return Identity{}, wrong
	}
	who, err := s.Identity(ctx, "", user.ID)
	if errors.Is(err, ErrNotFound) {
		return Identity{}, wrong
	}
	return who, err
}

// Identity returns a member of a workspace as the sender of requests.
// ErrNotFound when the person is no member (any more).
func (s *Service) Identity(ctx context.Context, workspace string, user uuid.UUID) (Identity, error) {
	m, err := s.store.Member(ctx, workspace, user)
	if err != nil {
		return Identity{}, fmt.Errorf("find member %s: %w", user, err)
	}
	return Identity{User: m.User, Name: m.Name, Email: m.Email, Workspace: m.Workspace, Role: m.Role, SessionsAfter: m.SessionsAfter}, nil
}

// ByToken returns the sender that an API token stands for. ErrNotFound. A
// token never has more rights than its user has now.
func (s *Service) ByToken(ctx context.Context, token string) (Identity, error) {
	if !strings.HasPrefix(token, TokenPrefix) || len(token) > 100 {
		return Identity{}, ErrNotFound
	}
	t, err := s.store.TokenByHash(ctx, hashToken(token), s.now())
	if err != nil {
		return Identity{}, fmt.Errorf("find a token: %w", err)
	}
	who, err := s.Identity(ctx, t.Workspace, t.User)
	if err != nil {
		return Identity{}, err
	}
	who.Token, who.Limits = t.ID, t.Limits
	switch {
	case who.Role.AtLeast(t.Role), who.Role.MayGrant(t.Role):
		who.Role = t.Role
	case t.Role == Worker:
		who.Role = Guest // the token was never meant to read
	}
	return who, nil
}

// NewToken is what a person chooses about a token.
type NewToken struct {
	Name      string
	Role      Role          // empty: the person's own
	ExpiresIn time.Duration // 0: never
	Limits    Limits
}

// CreateToken makes a token and returns its secret, which nobody can see again.
func (s *Service) CreateToken(ctx context.Context, who Identity, n NewToken) (Token, string, error) {
	name := strings.TrimSpace(n.Name)
	if name == "" || utf8.RuneCountInString(name) > NameMax {
		return Token{}, "", problem.New(problem.Invalid, "The token needs a name.").At("/name", "length", fmt.Sprintf("1 to %d characters", NameMax))
	}
	if n.Role == "" {
		n.Role = who.Role
	}
	if n.Role == Worker && !who.Role.MayGrant(Worker) {
		return Token{}, "", problem.New(problem.Forbidden, "A token for a worker needs the role %s; yours is %s.", Developer, who.Role)
	}
	if !who.Role.MayGrant(n.Role) {
		return Token{}, "", problem.New(problem.Forbidden, "A token can have at most your own role, which is %s.", who.Role)
	}
	if n.ExpiresIn < 0 {
		return Token{}, "", problem.New(problem.Invalid, "The token would have expired already.").At("/expires_in", "negative", "a duration such as 720h")
	}
	if p := n.Limits.clean(n.Role); p != nil {
		return Token{}, "", p
	}
	have, err := s.store.ListTokens(ctx, who.Workspace, who.User)
	if err != nil {
		return Token{}, "", fmt.Errorf("count tokens: %w", err)
	}
	if len(have) >= TokensMax {
		return Token{}, "", problem.New(problem.TooMany, "You have %d tokens, which is the limit. Delete one first.", TokensMax)
	}
	secret := TokenPrefix + rand.Text()
	t := Token{ID: uuid.Must(uuid.NewV7()), Workspace: who.Workspace, User: who.User, Name: name, Role: n.Role, Limits: n.Limits, CreatedAt: s.now()}
	if n.ExpiresIn > 0 {
		t.ExpiresAt = t.CreatedAt.Add(n.ExpiresIn)
	}
	if err := s.store.PutToken(ctx, t, hashToken(secret)); err != nil {
		return Token{}, "", fmt.Errorf("store a token: %w", err)
	}
	return t, secret, nil
}

// Tokens lists the tokens that the person may see: their own, and everybody's
// for an admin.
func (s *Service) Tokens(ctx context.Context, who Identity) ([]Token, error) {
	list, err := s.store.ListTokens(ctx, who.Workspace, whose(who))
	if err != nil {
		return nil, fmt.Errorf("list tokens: %w", err)
	}
	return list, nil
}

// DeleteToken ends a token at once.
func (s *Service) DeleteToken(ctx context.Context, who Identity, id uuid.UUID) error {
	err := s.store.DeleteToken(ctx, who.Workspace, id, whose(who))
	if errors.Is(err, ErrNotFound) {
		return problem.New(problem.NotFound, "There is no such token.")
	}
	if err != nil {
		return fmt.Errorf("delete token %s: %w", id, err)
	}
	return nil
}

// whose limits a question to the person's own things, unless an admin asks.
func whose(who Identity) uuid.UUID {
	if who.Role.AtLeast(Admin) {
		return uuid.Nil
	}
	return who.User
}

// SetupLink makes a new one-time setup token; every earlier one stops working.
func (s *Service) SetupLink(ctx context.Context) (string, error) {
	has, err := s.store.HasOwner(ctx)
	if err != nil {
		return "", fmt.Errorf("look for an owner: %w", err)
	}
	if has {
		return "", problem.New(problem.Conflict, "This installation has an owner already. Log in instead.")
	}
	token := rand.Text()
	if err := s.store.PutSetupLink(ctx, hashToken(token), s.now().Add(SetupLifetime)); err != nil {
		return "", fmt.Errorf("store a setup link: %w", err)
	}
	return token, nil
}

// SetupOpen reports whether a setup token could be used now.
func (s *Service) SetupOpen(ctx context.Context, token string) (bool, error) {
	ok, err := s.store.SetupLink(ctx, hashToken(token), s.now())
	if err != nil {
		return false, fmt.Errorf("look at a setup link: %w", err)
	}
	return ok, nil
}

// NewOwner is what the first person says about themselves.
type NewOwner struct{ Name, Email, Password string }

func (n NewOwner) check() *problem.Problem {
	if l := utf8.RuneCountInString(n.Name); l == 0 || l > NameMax || !utf8.ValidString(n.Name) || strings.ContainsFunc(n.Name, func(r rune) bool { return r < ' ' }) {
		return problem.New(problem.Invalid, "Your name is missing or too long.").At("name", "length", fmt.Sprintf("1 to %d characters", NameMax))
	}
	if _, err := mail.ParseAddress(n.Email); err != nil || len(n.Email) > EmailMax || strings.ContainsAny(n.Email, "<> ") {
		return problem.New(problem.Invalid, "This is not an e-mail address.").At("email", "form", "name@example.org")
	}
	if l := utf8.RuneCountInString(n.Password); l < PasswordMin || l > PasswordMax {
		return problem.New(problem.Invalid, "The password is too short or too long.").At("password", "length", fmt.Sprintf("%d to %d characters", PasswordMin, PasswordMax))
	}
	return nil
}

// Setup uses up a setup token and makes the first owner.
func (s *Service) Setup(ctx context.Context, token string, n NewOwner) (Identity, error) {
	n.Name, n.Email = strings.TrimSpace(n.Name), normalEmail(n.Email)
	gone := problem.New(problem.NotFound, "This setup link is used up or has expired. Make a fresh one with: signalbox setup-link")
	open, err := s.SetupOpen(ctx, token)
	if err != nil {
		return Identity{}, err
	}
	if !open {
		return Identity{}, gone
	}
	if p := n.check(); p != nil {
		return Identity{}, p
	}
	hash, err := s.hasher.hash(ctx, n.Password)
	if err != nil {
		return Identity{}, err
	}
	owner := User{ID: uuid.Must(uuid.NewV7()), Email: n.Email, Name: n.Name, PasswordHash: hash, CreatedAt: s.now()}
	err = s.store.UseSetupLink(ctx, hashToken(token), s.now(), owner)
	if errors.Is(err, ErrNotFound) {
		return Identity{}, gone
	}
	if err != nil {
		return Identity{}, fmt.Errorf("make the owner: %w", err)
	}
	return s.Identity(ctx, "", owner.ID)
}

// hashToken is how a token is stored: it has 128 random bits or more, so a
// plain hash cannot be searched.
func hashToken(token string) []byte {
	sum := sha256.Sum256([]byte(token))
	return sum[:]
}

// No address has a NUL, and PostgreSQL does not look for one.
func normalEmail(email string) string {
	return strings.ToLower(strings.TrimSpace(strings.ReplaceAll(email, "\x00", "\uFFFD")))
}
