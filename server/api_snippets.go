package server

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"

	"signalbox/engine/account"
	"signalbox/engine/draft"
	"signalbox/engine/gallery"
	"signalbox/engine/graph"
	"signalbox/engine/picture"
	"signalbox/engine/problem"
)

// snippetAccess is the part of the access table for snippets: who may draw may
// keep parts of drawings.
func snippetAccess() map[string]access {
	viewer, editor := access{role: account.Viewer}, access{role: account.Editor}
	return map[string]access{
		"GET /api/snippets":            viewer,
		"POST /api/snippets":           editor.as("snippet.save"),
		"PATCH /api/snippets/{id}":     editor.as("snippet.rename"),
		"DELETE /api/snippets/{id}":    editor.as("snippet.delete"),
		"GET /snippets/{name}/picture": viewer,
	}
}

func (s *Server) registerSnippets(api huma.API) {
	on(s, api, op(http.MethodGet, "/api/snippets", "List parts of drawings that are kept under a name, with those that come with the program"), s.listSnippets)
	save := op(http.MethodPost, "/api/snippets", "Keep a part of a drawing under a name")
	save.DefaultStatus = http.StatusCreated
	on(s, api, save, s.saveSnippet)
	on(s, api, op(http.MethodPatch, "/api/snippets/{id}", "Give a snippet another name and description"), s.renameSnippet)
	on(s, api, op(http.MethodDelete, "/api/snippets/{id}", "Delete a snippet; drawings that it was put into stay as they are"), func(ctx context.Context, in *ByID) (*struct{}, error) {
		return nil, s.config.Drafts.DeleteSnippet(ctx, identityOf(ctx).Workspace, in.ID)
	})
}

type snippetOut struct {
	ID      string          `json:"id" doc:"Of one that comes with the program: its name"`
	Name    string          `json:"name"`
	About   string          `json:"about"`
	Graph   json.RawMessage `json:"graph" doc:"Steps, the edges between them, their layout"`
	BuiltIn bool            `json:"built_in" doc:"It comes with the program and cannot be changed"`
	By      string          `json:"by,omitempty"`
}

type snippetsOut struct {
	Snippets []snippetOut `json:"snippets"`
}

func showSnippet(one draft.Snippet) snippetOut {
	return snippetOut{ID: one.ID.String(), Name: one.Name, About: one.About, Graph: one.Graph, By: one.By.Name}
}

func (s *Server) listSnippets(ctx context.Context, _ *struct{}) (*body[snippetsOut], error) {
	list, err := s.config.Drafts.Snippets(ctx, identityOf(ctx).Workspace)
	if err != nil {
		return nil, err
	}
	out := snippetsOut{Snippets: []snippetOut{}}
	for _, one := range list {
		out.Snippets = append(out.Snippets, showSnippet(one))
	}
	for _, t := range s.snippetsIn(languageIn(ctx)) {
		raw, err := t.Graph.Encode()
		if err != nil {
			return nil, fmt.Errorf("encode snippet %s: %w", t.Name, err)
		}
		out.Snippets = append(out.Snippets, snippetOut{ID: t.Name, Name: t.Title, About: t.Description, Graph: raw, BuiltIn: true})
	}
	return reply(out), nil
}

// snippetsIn are those that come with the program, in one language.
func (s *Server) snippetsIn(lang string) []gallery.Template {
	list := slices.Clone(s.config.Gallery.Snippets())
	for i := range list {
		list[i].Graph = list[i].Graph.Clone()
		templateTexts(&list[i], s.translate(lang))
	}
	return list
}

type saveSnippetInput struct {
	Body struct {
		Name  string          `json:"name"`
		About string          `json:"about,omitempty"`
		Graph json.RawMessage `json:"graph" doc:"A workflow file with these steps only"`
	}
}

func (s *Server) saveSnippet(ctx context.Context, in *saveSnippetInput) (*body[snippetOut], error) {
	who := identityOf(ctx)
	one, err := s.config.Drafts.SaveSnippet(ctx, who.Workspace, personOf(who), draft.Snippet{Name: in.Body.Name, About: in.Body.About, Graph: in.Body.Graph})
	if err != nil {
		return nil, err
	}
	deedOf(ctx).target, deedOf(ctx).detail = one.ID.String(), one.Name
	return reply(showSnippet(one)), nil
}

type renameSnippetInput struct {
	ByID
	Body struct {
		Name  string `json:"name"`
		About string `json:"about,omitempty"`
	}
}

func (s *Server) renameSnippet(ctx context.Context, in *renameSnippetInput) (*body[snippetOut], error) {
	one, err := s.config.Drafts.RenameSnippet(ctx, identityOf(ctx).Workspace, in.ID, in.Body.Name, in.Body.About)
	if err != nil {
		return nil, err
	}
	deedOf(ctx).detail = one.Name
	return reply(showSnippet(one)), nil
}

// snippetPicture draws a snippet, for the list that it is chosen from.
func (s *Server) snippetPicture(w http.ResponseWriter, r *http.Request) {
	g, err := s.snippetGraph(r)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	w.Header().Set("Content-Type", "image/svg+xml")
	w.Header().Add("Vary", "Cookie, Accept-Language")
	_, _ = w.Write([]byte(s.drawing(s.page(r, "", ""), g, picture.Options{}))) // an error means that the caller has gone
}

func (s *Server) snippetGraph(r *http.Request) (graph.Graph, error) {
	name := chi.URLParam(r, "name")
	for _, t := range s.snippetsIn(s.languageOf(r)) {
		if t.Name == name {
			return t.Graph, nil
		}
	}
	id, err := uuid.Parse(name)
	if err != nil {
		return graph.Graph{}, problem.New(problem.NotFound, "There is no such snippet.")
	}
	one, err := s.config.Drafts.Snippet(r.Context(), s.current(r).Workspace, id)
	if err != nil {
		return graph.Graph{}, err
	}
	g, err := graph.Decode(one.Graph)
	g.Name = one.Name
	return g, err
}
