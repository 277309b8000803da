package server

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"signalbox/engine/account"
	"signalbox/engine/draft"
	"signalbox/engine/problem"
)

// folderAccess is the part of the access table for folders and for what is
// done with several workflows at once.
func folderAccess() map[string]access {
	viewer, editor := access{role: account.Viewer}, access{role: account.Editor}
	return map[string]access{
		"GET /api/folders":         viewer,
		"POST /api/folders":        editor.as("folder.create"),
		"PATCH /api/folders/{id}":  editor.as("folder.rename"),
		"DELETE /api/folders/{id}": editor.as("folder.delete"),
		"POST /api/workflows/bulk": editor.as("workflow.bulk"),
		"GET /export/workflows":    viewer.as("workflow.archive"),
	}
}

func (s *Server) registerFolders(api huma.API) {
	on(s, api, op(http.MethodGet, "/api/folders", "List folders by name"), s.listFolders)
	create := op(http.MethodPost, "/api/folders", "Make a folder")
	create.DefaultStatus = http.StatusCreated
	on(s, api, create, func(ctx context.Context, in *folderInput) (*body[folderOut], error) {
		f, err := s.config.Drafts.CreateFolder(ctx, identityOf(ctx).Workspace, in.Body.Name)
		deedOf(ctx).target, deedOf(ctx).detail = f.ID.String(), f.Name
		return reply(showFolder(f)), err
	})
	on(s, api, op(http.MethodPatch, "/api/folders/{id}", "Rename a folder"), func(ctx context.Context, in *renameInput) (*body[folderOut], error) {
		f, err := s.config.Drafts.RenameFolder(ctx, identityOf(ctx).Workspace, in.ID, in.Body.Name)
		deedOf(ctx).detail = f.Name
		return reply(showFolder(f)), err
	})
	on(s, api, op(http.MethodDelete, "/api/folders/{id}", "Delete a folder in which nothing stands"), func(ctx context.Context, in *ByID) (*struct{}, error) {
		return nil, s.config.Drafts.DeleteFolder(ctx, identityOf(ctx).Workspace, in.ID)
	})
	on(s, api, op(http.MethodPost, "/api/workflows/bulk", "Move, tag or delete several workflows"), s.changeWorkflows)
}

type folderOut struct {
	ID    uuid.UUID `json:"id"`
	Name  string    `json:"name"`
	Count int       `json:"count" doc:"Workflows in it"`
}

func showFolder(f draft.Folder) folderOut { return folderOut{f.ID, f.Name, f.Count} }

type foldersOut struct {
	Folders []folderOut `json:"folders"`
}

func (s *Server) listFolders(ctx context.Context, _ *struct{}) (*body[foldersOut], error) {
	list, err := s.config.Drafts.Folders(ctx, identityOf(ctx).Workspace)
	if err != nil {
		return nil, err
	}
	out := foldersOut{Folders: make([]folderOut, 0, len(list))}
	for _, f := range list {
		out.Folders = append(out.Folders, showFolder(f))
	}
	return reply(out), nil
}

type folderInput struct {
	Body struct {
		Name string `json:"name"`
	}
}

type renameInput struct {
	ByID
	Body struct {
		Name string `json:"name"`
	}
}

type bulkInput struct {
	Body struct {
		IDs    []uuid.UUID `json:"ids" minItems:"1" maxItems:"200"`
		Do     string      `json:"do" enum:"move,tag,delete"`
		Folder *uuid.UUID  `json:"folder,omitempty" doc:"With move: where to; absent: out of any folder"`
		Tag    string      `json:"tag,omitempty" maxLength:"40" doc:"With tag: one more word"`
	}
}

type bulkOut struct {
	Changed int `json:"changed"`
}

// changeWorkflows does one thing with several workflows.
func (s *Server) changeWorkflows(ctx context.Context, in *bulkInput) (*body[bulkOut], error) {
	workspace, ids := identityOf(ctx).Workspace, unique(in.Body.IDs)
	deedOf(ctx).detail = in.Body.Do + " " + idList(ids)
	var err error
	switch in.Body.Do {
	case "move":
		to := uuid.Nil
		if in.Body.Folder != nil {
			to = *in.Body.Folder
		}
		err = s.config.Drafts.Move(ctx, workspace, ids, to)
	case "tag":
		if in.Body.Tag == "" {
			return nil, problem.New(problem.Invalid, "Which tag?").At("/tag", "missing", "a word")
		}
		err = s.config.Drafts.AddTag(ctx, workspace, ids, in.Body.Tag)
	default:
		err = s.deleteWorkflows(ctx, workspace, ids)
	}
	return reply(bulkOut{len(ids)}), err
}

// deleteWorkflows deletes nothing unless all of them are there.
func (s *Server) deleteWorkflows(ctx context.Context, workspace string, ids []uuid.UUID) error {
	for _, id := range ids {
		if _, err := s.config.Drafts.Workflow(ctx, workspace, id); err != nil {
			return err
		}
	}
	for _, id := range ids {
		if err := s.config.Drafts.Delete(ctx, workspace, id); err != nil {
			return err
		}
	}
	return nil
}

func unique(ids []uuid.UUID) []uuid.UUID {
	seen, out := map[uuid.UUID]bool{}, make([]uuid.UUID, 0, len(ids))
	for _, id := range ids {
		if !seen[id] {
			seen[id] = true
			out = append(out, id)
		}
	}
	return out
}

func idList(ids []uuid.UUID) string {
	text := ""
	for i, id := range ids {
		if i > 0 {
			text += " "
		}
		text += id.String()
	}
	return text
}
