package server

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"signalbox/engine/account"
	"signalbox/engine/draft"
	"signalbox/engine/graph"
	"signalbox/engine/problem"
)

// workflowOut is a workflow on the wire.
type workflowOut struct {
	ID            uuid.UUID   `json:"id"`
	Name          string      `json:"name"`
	Description   string      `json:"description"`
	Active        bool        `json:"active"`
	ActiveVersion int         `json:"active_version" doc:"Number of the version that triggers start; 0: none"`
	DraftSeq      int64       `json:"draft_seq"`
	DraftDirty    int64       `json:"draft_dirty" doc:"Edits that the active version lacks; never 0 while nothing was published"`
	CreatedAt     time.Time   `json:"created_at"`
	UpdatedAt     time.Time   `json:"updated_at"`
	CreatedBy     personOut   `json:"created_by"`
	Tags          []string    `json:"tags"`
	Folder        *uuid.UUID  `json:"folder,omitempty"`
	LastRun       *lastRunOut `json:"last_run,omitempty"`
	Day           dayOut      `json:"runs_24h"`
}

type personOut struct {
	ID   uuid.UUID `json:"id"`
	Name string    `json:"name"`
}

type lastRunOut struct {
	ID     uuid.UUID `json:"id"`
	Status string    `json:"status"`
	At     time.Time `json:"at"`
}

type dayOut struct {
	OK     int `json:"ok"`
	Failed int `json:"failed"`
}

func showWorkflow(w draft.Workflow) workflowOut {
	out := workflowOut{
		ID: w.ID, Name: w.Name, Description: w.Description, Active: w.Active, ActiveVersion: w.ActiveVersion,
		DraftSeq: w.DraftSeq, DraftDirty: w.Edits(), CreatedAt: w.CreatedAt, UpdatedAt: w.UpdatedAt,
		CreatedBy: personOut(w.CreatedBy), Tags: w.Tags, Day: dayOut{OK: w.Day.OK, Failed: w.Day.Failed},
	}
	if w.Folder != uuid.Nil {
		out.Folder = &w.Folder
	}
	if w.LastRun != nil {
		out.LastRun = &lastRunOut{ID: w.LastRun.ID, Status: w.LastRun.Status, At: w.LastRun.At}
	}
	return out
}

// ByID is the input of routes that name one thing. It is exported because the
// library reads exported parts of an input only.
type ByID struct {
	ID uuid.UUID `path:"id"`
}

func (s *Server) registerWorkflows(api huma.API) {
	on(s, api, op(http.MethodGet, "/api/templates", "List the templates"), s.listTemplates)
	on(s, api, op(http.MethodGet, "/api/workflows", "List workflows, the last edited first"), s.listWorkflows)
	create := op(http.MethodPost, "/api/workflows", "Make a workflow, empty, from a graph or from a template")
	create.MaxBodyBytes, create.DefaultStatus = graphMax, http.StatusCreated
	on(s, api, create, s.createWorkflow)
	on(s, api, op(http.MethodGet, "/api/workflows/{id}", "Read a workflow"), func(ctx context.Context, in *ByID) (*body[workflowOut], error) {
		w, err := s.config.Drafts.Workflow(ctx, identityOf(ctx).Workspace, in.ID)
		return reply(showWorkflow(w)), err
	})
	on(s, api, op(http.MethodPatch, "/api/workflows/{id}", "Rename a workflow, or let its triggers start runs or not"), s.patchWorkflow)
	on(s, api, op(http.MethodDelete, "/api/workflows/{id}", "Delete a workflow"), func(ctx context.Context, in *ByID) (*struct{}, error) {
		return nil, s.config.Drafts.Delete(ctx, identityOf(ctx).Workspace, in.ID)
	})
}

type templateOut struct {
	Name        string          `json:"name"`
	Title       string          `json:"title"`
	Description string          `json:"description"`
	Graph       json.RawMessage `json:"graph"`
}

type templatesOut struct {
	Templates []templateOut `json:"templates"`
}

func (s *Server) listTemplates(ctx context.Context, _ *struct{}) (*body[templatesOut], error) {
	out := templatesOut{Templates: []templateOut{}}
	for _, t := range s.templatesIn(languageIn(ctx)) {
		raw, err := t.Graph.Encode()
		if err != nil {
			return nil, fmt.Errorf("encode template %s: %w", t.Name, err)
		}
		out.Templates = append(out.Templates, templateOut{Name: t.Name, Title: t.Title, Description: t.Description, Graph: raw})
	}
	return reply(out), nil
}

type listInput struct {
	After string `query:"after" maxLength:"100" doc:"The next of an earlier answer"`
	Limit int    `query:"limit" minimum:"1" maximum:"200" default:"50"`
}

type workflowsOut struct {
	Workflows []workflowOut `json:"workflows"`
	Next      string        `json:"next,omitempty"`
}

func (s *Server) listWorkflows(ctx context.Context, in *listInput) (*body[workflowsOut], error) {
	after, err := parseCursor(in.After)
	if err != nil {
		return nil, err
	}
	list, err := s.config.Drafts.List(ctx, identityOf(ctx).Workspace, after, in.Limit)
	if err != nil {
		return nil, err
	}
	out := workflowsOut{Workflows: make([]workflowOut, 0, len(list))}
	for _, w := range list {
		out.Workflows = append(out.Workflows, showWorkflow(w))
	}
	if len(list) == in.Limit {
		last := list[len(list)-1]
		out.Next = formatCursor(draft.Cursor{At: last.UpdatedAt, ID: last.ID})
	}
	return reply(out), nil
}

// formatCursor writes a place in a list so that nobody builds on its form.
func formatCursor(c draft.Cursor) string {
	return base64.RawURLEncoding.EncodeToString([]byte(strconv.FormatInt(c.At.UnixMicro(), 10) + "|" + c.ID.String()))
}

func parseCursor(text string) (draft.Cursor, error) {
	if text == "" {
		return draft.Cursor{}, nil
	}
	bad := problem.New(problem.Invalid, "This is not a place in this list.").At("query.after", "not readable", "the next of an earlier answer")
	raw, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return draft.Cursor{}, bad
	}
	at, id, _ := strings.Cut(string(raw), "|")
	micros, err := strconv.ParseInt(at, 10, 64)
	if err != nil {
		return draft.Cursor{}, bad
	}
	parsed, err := uuid.Parse(id)
	if err != nil {
		return draft.Cursor{}, bad
	}
	return draft.Cursor{At: time.UnixMicro(micros), ID: parsed}, nil
}

type createInput struct {
	Body struct {
		Name     string          `json:"name,omitempty" doc:"Empty: the graph's or the template's name"`
		Graph    json.RawMessage `json:"graph,omitempty" doc:"A workflow file"`
		Template string          `json:"template,omitempty" doc:"Name of a template"`
	}
}

func (s *Server) createWorkflow(ctx context.Context, in *createInput) (*body[workflowOut], error) {
	who := identityOf(ctx)
	g, err := s.newGraph(ctx, in)
	if err != nil {
		return nil, err
	}
	w, err := s.config.Drafts.Create(ctx, who.Workspace, personOf(who), g)
	return reply(showWorkflow(w)), err
}

// newGraph is what a new workflow begins with.
func (s *Server) newGraph(ctx context.Context, in *createInput) (graph.Graph, error) {
	g := graph.Graph{Format: graph.Format}
	switch {
	case in.Body.Template != "" && in.Body.Graph != nil:
		return g, problem.New(problem.Invalid, "Choose a graph or a template, not both.")
	case in.Body.Template != "":
		t, ok := s.templateIn(languageIn(ctx), in.Body.Template)
		if !ok {
			return g, problem.New(problem.NotFound, "There is no such template.")
		}
		g = t
		if err := s.config.Drafts.FreePaths(ctx, &g); err != nil {
			return g, err
		}
	case in.Body.Graph != nil:
		decoded, err := graph.Decode(in.Body.Graph)
		if err != nil {
			return g, err
		}
		g = decoded
	}
	if in.Body.Name != "" {
		g.Name = in.Body.Name
	}
	return g, nil
}

func personOf(who account.Identity) draft.Person { return draft.Person{ID: who.User, Name: who.Name} }

type patchInput struct {
	ByID
	Body struct {
		Name        *string `json:"name,omitempty"`
		Description *string `json:"description,omitempty"`
		Active      *bool   `json:"active,omitempty"`
		Tags        *string `json:"tags,omitempty" maxLength:"600" doc:"Words that group workflows, with commas between; empty: none"`
	}
}

// patchWorkflow changes name and description as operations of the drawing,
// which they belong to, so that everybody who has it open sees them.
func (s *Server) patchWorkflow(ctx context.Context, in *patchInput) (*body[workflowOut], error) {
	who := identityOf(ctx)
	var ops []graph.Op
	for path, text := range map[string]*string{"/name": in.Body.Name, "/description": in.Body.Description} {
		if text == nil {
			continue
		}
		value, err := json.Marshal(*text)
		if err != nil {
			return nil, err
		}
		ops = append(ops, graph.Op{Op: "graph.set", Path: path, Value: value})
	}
	if len(ops) > 0 {
		gesture := draft.Gesture{Batch: uuid.New(), Ops: ops}
		if _, err := s.config.Drafts.Apply(ctx, who.Workspace, in.ID, personOf(who), gesture); err != nil {
			return nil, err
		}
	}
	if in.Body.Tags != nil {
		if err := s.config.Drafts.SetTags(ctx, who.Workspace, in.ID, strings.Split(*in.Body.Tags, ",")); err != nil {
			return nil, err
		}
	}
	if in.Body.Active != nil {
		if err := s.config.Drafts.SetActive(ctx, who.Workspace, in.ID, *in.Body.Active); err != nil {
			return nil, err
		}
	}
	w, err := s.config.Drafts.Workflow(ctx, who.Workspace, in.ID)
	return reply(showWorkflow(w)), err
}
