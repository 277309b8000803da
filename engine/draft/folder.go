package draft

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"

	"signalbox/engine/problem"
)

// Limits of folders.
const (
	FoldersMax    = 200 // of one workspace
	FolderNameMax = 80  // characters
	BulkMax       = 200 // workflows that one act changes
)

// Errors that every Store returns for the same reasons.
var (
	// ErrFolderTaken: another folder has the name.
	ErrFolderTaken = errors.New("another folder has the name")
	// ErrFolderFull: workflows stand in the folder.
	ErrFolderFull = errors.New("workflows stand in the folder")
)

// Folder groups workflows in the gallery.
type Folder struct {
	ID        uuid.UUID
	Workspace string
	Name      string
	CreatedAt time.Time
	Count     int // of workflows in it
}

// Folders stores folders.
type Folders interface {
	// Folders lists them by name.
	Folders(ctx context.Context, workspace string) ([]Folder, error)
	// PutFolder makes a folder, or names one anew. ErrFolderTaken.
	PutFolder(ctx context.Context, f Folder) error
	// DeleteFolder takes an empty one away. ErrNotFound, ErrFolderFull.
	DeleteFolder(ctx context.Context, workspace string, id uuid.UUID) error
	// Move puts workflows into a folder; zero: into none. It moves all of
	// them or none. ErrNotFound.
	Move(ctx context.Context, workspace string, ids []uuid.UUID, folder uuid.UUID) error
}

// Folders lists the folders of a workspace by name.
func (s *Service) Folders(ctx context.Context, workspace string) ([]Folder, error) {
	list, err := s.store.Folders(ctx, workspace)
	if err != nil {
		return nil, fmt.Errorf("list folders: %w", err)
	}
	return list, nil
}

// CreateFolder makes a folder.
func (s *Service) CreateFolder(ctx context.Context, workspace, name string) (Folder, error) {
	list, err := s.Folders(ctx, workspace)
	if err != nil {
		return Folder{}, err
	}
	if len(list) >= FoldersMax {
		return Folder{}, problem.New(problem.TooMany, "There are %d folders, which is the limit.", FoldersMax)
	}
	f := Folder{ID: uuid.Must(uuid.NewV7()), Workspace: workspace, Name: name, CreatedAt: s.now()}
	return s.putFolder(ctx, f)
}

// RenameFolder gives a folder another name.
func (s *Service) RenameFolder(ctx context.Context, workspace string, id uuid.UUID, name string) (Folder, error) {
	f, err := s.folder(ctx, workspace, id)
	if err != nil {
		return Folder{}, err
	}
	f.Name = name
	return s.putFolder(ctx, f)
}

func (s *Service) folder(ctx context.Context, workspace string, id uuid.UUID) (Folder, error) {
	list, err := s.Folders(ctx, workspace)
	if err != nil {
		return Folder{}, err
	}
	for _, f := range list {
		if f.ID == id {
			return f, nil
		}
	}
	return Folder{}, notFound(ErrNotFound, "folder")
}

func (s *Service) putFolder(ctx context.Context, f Folder) (Folder, error) {
	f.Name = strings.Join(strings.Fields(f.Name), " ")
	if f.Name == "" || utf8.RuneCountInString(f.Name) > FolderNameMax || strings.ContainsFunc(f.Name, unicode.IsControl) {
		return Folder{}, problem.New(problem.Invalid, "A folder needs a name.").At("/name", "length", fmt.Sprintf("1 to %d characters", FolderNameMax))
	}
	err := s.store.PutFolder(ctx, f)
	if errors.Is(err, ErrFolderTaken) {
		return Folder{}, problem.New(problem.Conflict, "There is a folder of this name already.").At("/name", "taken", "another name")
	}
	return f, notFound(err, "folder")
}

// DeleteFolder takes a folder away in which nothing stands.
func (s *Service) DeleteFolder(ctx context.Context, workspace string, id uuid.UUID) error {
	err := s.store.DeleteFolder(ctx, workspace, id)
	if errors.Is(err, ErrFolderFull) {
		return problem.New(problem.Conflict, "There are workflows in this folder. Move them first.")
	}
	return notFound(err, "folder")
}

// Move puts workflows into a folder; zero: into none.
func (s *Service) Move(ctx context.Context, workspace string, ids []uuid.UUID, folder uuid.UUID) error {
	if len(ids) > BulkMax {
		return problem.New(problem.TooMany, "At most %d workflows are changed at once.", BulkMax)
	}
	if folder != uuid.Nil {
		if _, err := s.folder(ctx, workspace, folder); err != nil {
			return err
		}
	}
	return notFound(s.store.Move(ctx, workspace, ids, folder), "workflow")
}

// AddTag gives workflows one more tag.
func (s *Service) AddTag(ctx context.Context, workspace string, ids []uuid.UUID, tag string) error {
	if len(ids) > BulkMax {
		return problem.New(problem.TooMany, "At most %d workflows are changed at once.", BulkMax)
	}
	for _, id := range ids {
		w, err := s.Workflow(ctx, workspace, id)
		if err != nil {
			return err
		}
		if err := s.SetTags(ctx, workspace, id, append(w.Tags, tag)); err != nil {
			return err
		}
	}
	return nil
}
