// Package account knows who somebody is and what they may do: users, their
// roles in workspaces, passwords, API tokens, invitations and the one-time
// setup link.
//
// Every secret is stored as a hash. Answers to a wrong name, a wrong password
// and an unknown token are the same and take the same time. It never decides
// what a role may do: the server's route table does.
package account

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
)

// Limits and lifetimes.
const (
	PasswordMin   = 10               // characters
	PasswordMax   = 200              // characters: argon2id reads them all
	NameMax       = 100              // characters
	EmailMax      = 254              // characters, RFC 5321
	SetupLifetime = 10 * time.Minute // of a setup link
	TokensMax     = 100              // API tokens of one user
)

// ErrNotFound: there is no such user, member, token or link.
var ErrNotFound = errors.New("not found")

// User is a person.
type User struct {
	ID           uuid.UUID
	Email        string
	Name         string
	PasswordHash string // argon2id, in the usual $argon2id$… form
	CreatedAt    time.Time
}

// Identity is who a request comes from. The zero value is nobody.
type Identity struct {
	User      uuid.UUID
	Name      string
	Email     string
	Workspace string
	Role      Role
	Token     uuid.UUID // of the API token that was used; zero for a session
	Limits    Limits    // of that token

	SessionsAfter time.Time // sessions that began before it count no more
}

// Known reports whether somebody is logged in.
func (i Identity) Known() bool { return i.User != uuid.Nil }

// Member is a user in a workspace.
type Member struct {
	User      uuid.UUID
	Workspace string
	Email     string
	Name      string
	Role      Role
	Since     time.Time

	SessionsAfter time.Time // sessions that began before it count no more
}

// Token is an API token as it can be shown: never the secret.
type Token struct {
	ID         uuid.UUID
	Workspace  string
	User       uuid.UUID
	Name       string
	Role       Role // at most the role of its user at any time
	Limits     Limits
	CreatedAt  time.Time
	LastUsedAt time.Time // zero: never
	ExpiresAt  time.Time // zero: never
}

// Users is where people are stored.
type Users interface {
	// UserByEmail finds a user by the lower-case e-mail address. ErrNotFound.
	UserByEmail(ctx context.Context, email string) (User, error)
	// Member returns a user's membership of a workspace; an empty workspace
	// is the oldest one that the user belongs to. ErrNotFound.
	Member(ctx context.Context, workspace string, user uuid.UUID) (Member, error)
	// HasOwner reports whether any workspace has an owner.
	HasOwner(ctx context.Context) (bool, error)
}

// Links is where setup links are stored.
type Links interface {
	// PutSetupLink replaces all earlier links by this one.
	PutSetupLink(ctx context.Context, hash []byte, expires time.Time) error
	// UseSetupLink uses up the link and makes the first owner in one
	// transaction. ErrNotFound: the link is unknown, used or expired, or
	// there is an owner already.
	UseSetupLink(ctx context.Context, hash []byte, now time.Time, owner User) error
	// SetupLink reports whether the link could be used now.
	SetupLink(ctx context.Context, hash []byte, now time.Time) (bool, error)
}

// Tokens is where API tokens are stored.
type Tokens interface {
	PutToken(ctx context.Context, t Token, hash []byte) error
	// TokenByHash finds a token that has not expired. ErrNotFound.
	TokenByHash(ctx context.Context, hash []byte, now time.Time) (Token, error)
	// ListTokens lists a user's tokens in a workspace, or everybody's when
	// the user is zero.
	ListTokens(ctx context.Context, workspace string, user uuid.UUID) ([]Token, error)
	// DeleteToken removes a token; a user other than zero must be its own.
	// ErrNotFound.
	DeleteToken(ctx context.Context, workspace string, id, user uuid.UUID) error
}
