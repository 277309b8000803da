package server

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"

	"signalbox/engine/account"
	"signalbox/engine/problem"
	"signalbox/web/view"
)

// workspaceAccess is the part of the access table for workspaces.
func workspaceAccess() map[string]access {
	viewer, admin := access{role: account.Viewer}, access{role: account.Admin}
	return map[string]access{
		"GET /settings/workspaces":    viewer,
		"POST /workspaces/{id}/enter": viewer.as("workspace.enter"),
		"GET /api/workspaces":         viewer,
		"POST /api/workspaces":        admin.as("workspace.create"),
		"PATCH /api/workspaces/{id}":  admin.as("workspace.rename"),
		// Who owns that workspace; their role where they are does not count.
		"POST /api/workspaces/{id}/deletion": viewer.as("workspace.delete"),
	}
}

func (s *Server) registerWorkspaces(api huma.API) {
	on(s, api, op(http.MethodGet, "/api/workspaces", "List the workspaces that one belongs to"), s.listWorkspaces)
	create := op(http.MethodPost, "/api/workspaces", "Make an empty workspace and own it; for people, not for tokens")
	create.DefaultStatus = http.StatusCreated
	on(s, api, create, s.makeWorkspace)
	on(s, api, op(http.MethodPatch, "/api/workspaces/{id}", "Rename the workspace that one is in"), s.renameWorkspace)
	on(s, api, op(http.MethodPost, "/api/workspaces/{id}/deletion", "Delete another workspace that one owns, with everything in it; its name is repeated"), s.deleteWorkspace)
}

func (s *Server) deleteWorkspace(ctx context.Context, in *renameWorkspaceInput) (*struct{}, error) {
	w, err := s.config.Accounts.DeleteWorkspace(ctx, identityOf(ctx), in.ID, in.Body.Name)
	if err != nil {
		return nil, err
	}
	d := deedOf(ctx)
	d.target, d.detail = w.ID, w.Name
	return nil, nil //nolint:nilnil // no content
}

type workspaceOut struct {
	ID        string       `json:"id"`
	Name      string       `json:"name"`
	Role      account.Role `json:"role" doc:"One's own there"`
	Current   bool         `json:"current"`
	CreatedAt time.Time    `json:"created_at"`
}

type workspacesOut struct {
	Workspaces []workspaceOut `json:"workspaces"`
}

func (s *Server) listWorkspaces(ctx context.Context, _ *struct{}) (*body[workspacesOut], error) {
	who := identityOf(ctx)
	list, err := s.config.Accounts.Workspaces(ctx, who)
	if err != nil {
		return nil, err
	}
	out := workspacesOut{Workspaces: make([]workspaceOut, 0, len(list))}
	for _, w := range list {
		out.Workspaces = append(out.Workspaces, workspaceOut{ID: w.ID, Name: w.Name, Role: w.Role, Current: w.ID == who.Workspace, CreatedAt: w.CreatedAt})
	}
	return reply(out), nil
}

type workspaceInput struct {
	Body struct {
		Name string `json:"name" maxLength:"400"`
	}
}

type oneWorkspaceOut struct {
	Workspace workspaceOut `json:"workspace"`
}

func (s *Server) makeWorkspace(ctx context.Context, in *workspaceInput) (*body[oneWorkspaceOut], error) {
	w, err := s.config.Accounts.MakeWorkspace(ctx, identityOf(ctx), in.Body.Name)
	if err != nil {
		return nil, err
	}
	d := deedOf(ctx)
	d.target, d.detail = w.ID, w.Name
	return reply(oneWorkspaceOut{workspaceOut{ID: w.ID, Name: w.Name, Role: w.Role, CreatedAt: w.CreatedAt}}), nil
}

type renameWorkspaceInput struct {
	ID   string `path:"id" maxLength:"40"`
	Body struct {
		Name string `json:"name" maxLength:"400"`
	}
}

// renameWorkspace takes the id only to be an address: one is in one workspace.
func (s *Server) renameWorkspace(ctx context.Context, in *renameWorkspaceInput) (*struct{}, error) {
	who := identityOf(ctx)
	there, err := s.config.Accounts.Enter(ctx, who, in.ID)
	if err != nil {
		return nil, err
	}
	if there.Workspace != who.Workspace {
		return nil, problem.New(problem.Conflict, "You are in another workspace. Go to that one first.")
	}
	name, err := s.config.Accounts.RenameWorkspace(ctx, who, in.Body.Name)
	if err != nil {
		return nil, err
	}
	deedOf(ctx).detail = name
	return nil, nil //nolint:nilnil // no content
}

// enterWorkspace takes the person's session to another workspace. It is a form
// of a page: a token stays where it belongs.
func (s *Server) enterWorkspace(w http.ResponseWriter, r *http.Request) {
	if s.current(r).Token != uuid.Nil { // it would become a session
		s.fail(w, r, problem.New(problem.Conflict, "A token belongs to one workspace."))
		return
	}
	who, err := s.config.Accounts.Enter(r.Context(), s.current(r), chi.URLParam(r, "id"))
	if err != nil {
		s.fail(w, r, err)
		return
	}
	s.hub.endSession(s.sessionOf(r.Context())) // what its pages watch belongs to the old one
	s.enter(w, r, who, "/")
}

// pageWorkspaces shows the workspaces that the person belongs to.
func (s *Server) pageWorkspaces(w http.ResponseWriter, r *http.Request) {
	who := s.current(r)
	list, err := s.config.Accounts.Workspaces(r.Context(), who)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	s.show(w, r, view.WorkspacesPage(s.page(r, "pages.settings.workspaces", "settings"), showWorkspaces(list, who), who.Role.AtLeast(account.Admin)))
}

func showWorkspaces(list []account.Workspace, who account.Identity) []view.Workspace {
	out := make([]view.Workspace, 0, len(list))
	for _, w := range list {
		out = append(out, view.Workspace{ID: w.ID, Name: w.Name, Role: string(w.Role), Here: w.ID == who.Workspace, Since: w.CreatedAt})
	}
	return out
}
