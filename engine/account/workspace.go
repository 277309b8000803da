package account

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"signalbox/engine/problem"
)

// WorkspacesMax is how many workspaces one person can belong to by making them.
const WorkspacesMax = 50

// Workspace is a place of its own: nothing of one can be seen in another.
type Workspace struct {
	ID        string // a word of NATS subjects, never changed
	Name      string
	Role      Role // of the person who asks
	CreatedAt time.Time
}

// Workspaces is where workspaces are stored.
type Workspaces interface {
	// ListWorkspaces lists those that a user belongs to, in order of their names.
	ListWorkspaces(ctx context.Context, user uuid.UUID) ([]Workspace, error)
	// PutWorkspace makes a workspace and its first owner in one transaction.
	PutWorkspace(ctx context.Context, w Workspace, owner uuid.UUID) error
	// RenameWorkspace changes the name. ErrNotFound.
	RenameWorkspace(ctx context.Context, id, name string) error
	// DeleteWorkspace takes everything of a workspace away but its audit log.
	// ErrNotFound; *ErrRunsOpen while runs of it are not over.
	DeleteWorkspace(ctx context.Context, id string, at time.Time) error
}

// ErrRunsOpen keeps a workspace from being deleted.
type ErrRunsOpen struct{ Runs int } //nolint:errname // reads like its siblings

// Error implements error.
func (e *ErrRunsOpen) Error() string { return fmt.Sprintf("%d runs are not over", e.Runs) }

// Workspaces lists the workspaces that the person can enter.
func (s *Service) Workspaces(ctx context.Context, who Identity) ([]Workspace, error) {
	list, err := s.store.ListWorkspaces(ctx, who.User)
	if err != nil {
		return nil, fmt.Errorf("list workspaces: %w", err)
	}
	return list, nil
}

// MakeWorkspace makes an empty workspace whose owner the person becomes.
func (s *Service) MakeWorkspace(ctx context.Context, who Identity, name string) (Workspace, error) {
	if who.Token != uuid.Nil {
		return Workspace{}, problem.New(problem.Conflict, "A workspace is made by a person who is logged in: a token belongs to one workspace.")
	}
	name, err := workspaceName(name)
	if err != nil {
		return Workspace{}, err
	}
	have, err := s.Workspaces(ctx, who)
	if err != nil {
		return Workspace{}, err
	}
	if len(have) >= WorkspacesMax {
		return Workspace{}, problem.New(problem.TooMany, "You belong to %d workspaces, which is the limit. Leave one first.", WorkspacesMax)
	}
	w := Workspace{ID: workspaceID(name), Name: name, Role: Owner, CreatedAt: s.now()}
	if err := s.store.PutWorkspace(ctx, w, who.User); err != nil {
		return Workspace{}, fmt.Errorf("make a workspace: %w", err)
	}
	return w, nil
}

// RenameWorkspace changes the name of the person's workspace.
func (s *Service) RenameWorkspace(ctx context.Context, who Identity, name string) (string, error) {
	name, err := workspaceName(name)
	if err != nil {
		return "", err
	}
	if err := s.store.RenameWorkspace(ctx, who.Workspace, name); err != nil {
		return "", fmt.Errorf("rename a workspace: %w", err)
	}
	return name, nil
}

// DeleteWorkspace deletes another workspace than the one that the person is in,
// with everything in it but its audit log. They have to own it, and to repeat
// its name.
func (s *Service) DeleteWorkspace(ctx context.Context, who Identity, id, name string) (Workspace, error) {
	if who.Token != uuid.Nil {
		return Workspace{}, problem.New(problem.Conflict, "A workspace is deleted by a person who is logged in.")
	}
	if id == who.Workspace {
		return Workspace{}, problem.New(problem.Conflict, "You are in this workspace. Go to another one first.")
	}
	have, err := s.Workspaces(ctx, who)
	if err != nil {
		return Workspace{}, err
	}
	at := slices.IndexFunc(have, func(w Workspace) bool { return w.ID == id })
	if at < 0 {
		return Workspace{}, problem.New(problem.NotFound, "There is no such workspace, or you do not belong to it.")
	}
	w := have[at]
	if w.Role != Owner {
		return Workspace{}, problem.New(problem.Forbidden, "Only an owner deletes a workspace.")
	}
	if strings.TrimSpace(name) != w.Name {
		return Workspace{}, problem.New(problem.Invalid, "This is not the name of the workspace.").At("/name", "different", w.Name)
	}
	err = s.store.DeleteWorkspace(ctx, id, s.now())
	var open *ErrRunsOpen
	if errors.As(err, &open) {
		return Workspace{}, problem.New(problem.Conflict, "%d runs of this workspace are not over. Cancel them, or wait until they end.", open.Runs)
	}
	if err != nil {
		return Workspace{}, fmt.Errorf("delete a workspace: %w", err)
	}
	return w, nil
}

// Enter is the person in another workspace. A problem when they do not belong
// to it, or when there is none.
func (s *Service) Enter(ctx context.Context, who Identity, workspace string) (Identity, error) {
	if workspace != "" {
		in, err := s.Identity(ctx, workspace, who.User)
		if !errors.Is(err, ErrNotFound) {
			return in, err
		}
	}
	return Identity{}, problem.New(problem.NotFound, "There is no such workspace, or you do not belong to it.")
}

func workspaceName(name string) (string, error) {
	name = strings.TrimSpace(name)
	if name == "" || utf8.RuneCountInString(name) > NameMax || strings.ContainsFunc(name, func(r rune) bool { return r < ' ' }) {
		return "", problem.New(problem.Invalid, "The workspace needs a name.").At("/name", "length", fmt.Sprintf("1 to %d characters", NameMax))
	}
	return name, nil
}

// workspaceID is a word that resembles the name and that nobody can guess from
// it.
func workspaceID(name string) string {
	const most = 24
	var b strings.Builder
	for _, r := range strings.ToLower(name) {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9' && b.Len() > 0:
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
		if b.Len() == most {
			break
		}
	}
	word := strings.Trim(b.String(), "-")
	if word == "" {
		word = "workspace"
	}
	return word + "-" + strings.ToLower(rand.Text()[:8])
}
