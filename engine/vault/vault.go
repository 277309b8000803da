// Package vault keeps credentials: encrypted at rest, written but never read
// back by people, opened only by the worker at the last moment, and removed
// from everything that leaves the process.
package vault

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"time"

	"github.com/google/uuid"

	"signalbox/engine/problem"
)

// Limits.
const (
	ValueMax       = 16_384 // bytes of one credential
	CredentialsMax = 500    // in one workspace
)

// ErrNotFound: there is no such credential in the workspace.
var ErrNotFound = errors.New("not found")

// Credential is what may be shown of a credential.
type Credential struct {
	ID        uuid.UUID
	Workspace string
	Name      string // unique in the workspace: how nodes name it
	Type      Type
	Version   int // counts its values
	CreatedAt time.Time
	UpdatedAt time.Time
}

// Row is a credential as stored.
type Row struct {
	Credential
	Sealed Sealed
}

// Store is where credentials lie.
type Store interface {
	// Put writes a credential, new or with a higher version.
	PutCredential(ctx context.Context, r Row) error
	CredentialByName(ctx context.Context, workspace, name string) (Row, error)
	ListCredentials(ctx context.Context, workspace string) ([]Credential, error)
	DeleteCredential(ctx context.Context, workspace string, id uuid.UUID) error
}

// Vault opens and closes credentials.
type Vault struct {
	store    Store
	key      *Key
	now      func() time.Time
	redactor *Redactor
}

// New makes a vault; now is the clock.
func New(store Store, key *Key, now func() time.Time) *Vault {
	return &Vault{store: store, key: key, now: now, redactor: NewRedactor()}
}

// Redactor removes the values that this process has seen.
func (v *Vault) Redactor() *Redactor { return v.redactor }

// nameRule is how a credential may be called.
var nameRule = regexp.MustCompile(`^[a-z][a-z0-9_-]{0,39}$`)

// Put stores a value under a name. An existing name gets a new version.
func (v *Vault) Put(ctx context.Context, workspace, name string, secret Secret) (Credential, error) {
	if !nameRule.MatchString(name) {
		return Credential{}, problem.New(problem.Invalid, "The credential needs a usable name.").
			At("/name", "form", "a lower-case letter, then up to 39 letters, digits, _ or -")
	}
	value, err := secret.encode()
	if err != nil {
		return Credential{}, err
	}
	defer clear(value)
	row, err := v.next(ctx, workspace, name)
	if err != nil {
		return Credential{}, err
	}
	row.Type = secret.Type
	row.Sealed, err = v.key.seal(place{workspace, row.ID, row.Version}, value)
	if err != nil {
		return Credential{}, err
	}
	if err := v.store.PutCredential(ctx, row); err != nil {
		return Credential{}, fmt.Errorf("store credential %s: %w", name, err)
	}
	v.redactor.Add(secret.values()...)
	return row.Credential, nil
}

// next is the row that a value will be stored in.
func (v *Vault) next(ctx context.Context, workspace, name string) (Row, error) {
	old, err := v.store.CredentialByName(ctx, workspace, name)
	switch {
	case err == nil:
		old.Version++
		old.UpdatedAt = v.now()
		return old, nil
	case !errors.Is(err, ErrNotFound):
		return Row{}, fmt.Errorf("look for credential %s: %w", name, err)
	}
	list, err := v.store.ListCredentials(ctx, workspace)
	if err != nil {
		return Row{}, fmt.Errorf("count credentials: %w", err)
	}
	if len(list) >= CredentialsMax {
		return Row{}, problem.New(problem.TooMany, "There are %d credentials, which is the limit. Delete one first.", CredentialsMax)
	}
	now := v.now()
	return Row{Credential: Credential{ID: uuid.Must(uuid.NewV7()), Workspace: workspace, Name: name, Version: 1, CreatedAt: now, UpdatedAt: now}}, nil
}

// List shows names and types.
func (v *Vault) List(ctx context.Context, workspace string) ([]Credential, error) {
	list, err := v.store.ListCredentials(ctx, workspace)
	if err != nil {
		return nil, fmt.Errorf("list credentials: %w", err)
	}
	return list, nil
}

// Delete removes a credential for good.
func (v *Vault) Delete(ctx context.Context, workspace string, id uuid.UUID) error {
	err := v.store.DeleteCredential(ctx, workspace, id)
	if errors.Is(err, ErrNotFound) {
		return problem.New(problem.NotFound, "There is no such credential.")
	}
	if err != nil {
		return fmt.Errorf("delete credential %s: %w", id, err)
	}
	return nil
}

// Reveal opens a credential as JSON of a Secret (see Parse). Only a worker
// and the webhook's check call it; they clear the bytes after use. From here
// on the redactor knows the value.
func (v *Vault) Reveal(ctx context.Context, workspace, name string) ([]byte, error) {
	row, err := v.store.CredentialByName(ctx, workspace, name)
	if errors.Is(err, ErrNotFound) {
		return nil, problem.New(problem.NotFound, "There is no credential named %.40q.", name)
	}
	if err != nil {
		return nil, fmt.Errorf("look for credential %s: %w", name, err)
	}
	value, err := v.key.open(place{workspace, row.ID, row.Version}, row.Sealed)
	if err != nil {
		return nil, fmt.Errorf("open credential %s: %w", name, err)
	}
	secret, err := Parse(value)
	if err != nil {
		clear(value)
		return nil, fmt.Errorf("read credential %s: %w", name, err)
	}
	v.redactor.Add(secret.values()...)
	return value, nil
}

// Secret opens a credential and parses it.
func (v *Vault) Secret(ctx context.Context, workspace, name string) (Secret, error) {
	value, err := v.Reveal(ctx, workspace, name)
	if err != nil {
		return Secret{}, err
	}
	defer clear(value)
	return Parse(value)
}
