package server

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"signalbox/engine/problem"
	"signalbox/engine/route"
	"signalbox/engine/routing"
)

func (s *Server) registerRoutes(api huma.API) {
	on(s, api, op(http.MethodGet, "/api/routes", "Read the workspace's route table"), func(ctx context.Context, _ *struct{}) (*body[routesOut], error) {
		return s.readRoutes(ctx, uuid.Nil)
	})
	on(s, api, op(http.MethodPut, "/api/routes", "Replace the workspace's route table"), func(ctx context.Context, in *RoutesInput) (*body[routesOut], error) {
		return s.putRoutes(ctx, uuid.Nil, in)
	})
	on(s, api, op(http.MethodPost, "/api/routes/test", "Ask which rule a task would hit"), s.testRoutes)
	on(s, api, op(http.MethodGet, "/api/workflows/{id}/routes", "Read a workflow's own route table, which is asked before the workspace's"), func(ctx context.Context, in *ByID) (*body[routesOut], error) {
		return s.readRoutes(ctx, in.ID)
	})
	on(s, api, op(http.MethodPut, "/api/workflows/{id}/routes", "Replace a workflow's own route table"), func(ctx context.Context, in *workflowRoutesInput) (*body[routesOut], error) {
		return s.putRoutes(ctx, in.ID, &in.RoutesInput)
	})
	on(s, api, op(http.MethodDelete, "/api/workflows/{id}/routes", "Remove a workflow's own route table"), s.dropRoutes)
}

// routesOut is a route table on the wire.
type routesOut struct {
	Revision  int          `json:"revision" doc:"Name it to change the table; 0: none was stored yet"`
	Rules     []route.Rule `json:"rules" nullable:"false"`
	Default   string       `json:"default" doc:"Queue of what no rule matches; empty in a workflow's table: the workspace's table is asked"`
	UpdatedAt *time.Time   `json:"updated_at,omitempty"`
	UpdatedBy string       `json:"updated_by,omitempty"`
}

func showRoutes(t routing.Table) routesOut {
	out := routesOut{Revision: t.Revision, Rules: t.Rules.Rules, Default: t.Rules.Default, UpdatedBy: t.UpdatedBy}
	if out.Rules == nil {
		out.Rules = []route.Rule{}
	}
	if !t.UpdatedAt.IsZero() {
		out.UpdatedAt = &t.UpdatedAt
	}
	return out
}

type RoutesInput struct {
	Body struct {
		Revision int          `json:"revision" doc:"The one that was read"`
		Rules    []route.Rule `json:"rules" nullable:"false"`
		Default  string       `json:"default,omitempty"`
	}
}

type workflowRoutesInput struct {
	ByID
	RoutesInput
}

// knownWorkflow reports a problem unless the workspace has the workflow.
func (s *Server) knownWorkflow(ctx context.Context, id uuid.UUID) error {
	if id == uuid.Nil {
		return nil
	}
	_, err := s.config.Drafts.Workflow(ctx, identityOf(ctx).Workspace, id)
	return err
}

func (s *Server) readRoutes(ctx context.Context, workflow uuid.UUID) (*body[routesOut], error) {
	if err := s.knownWorkflow(ctx, workflow); err != nil {
		return nil, err
	}
	t, err := s.config.Routing.Table(ctx, identityOf(ctx).Workspace, workflow)
	if err != nil {
		return nil, err
	}
	return reply(showRoutes(t)), nil
}

func (s *Server) putRoutes(ctx context.Context, workflow uuid.UUID, in *RoutesInput) (*body[routesOut], error) {
	if err := s.knownWorkflow(ctx, workflow); err != nil {
		return nil, err
	}
	who := identityOf(ctx)
	t, err := s.config.Routing.PutTable(ctx, routing.Table{
		Workspace: who.Workspace, Workflow: workflow, Revision: in.Body.Revision, UpdatedBy: who.Name,
		Rules: route.Table{Rules: in.Body.Rules, Default: in.Body.Default},
	})
	if err != nil {
		return nil, err
	}
	return reply(showRoutes(t)), nil
}

type dropRoutesInput struct {
	ByID
	Revision int `query:"revision" required:"true"`
}

func (s *Server) dropRoutes(ctx context.Context, in *dropRoutesInput) (*struct{}, error) {
	return nil, s.config.Routing.DropTable(ctx, identityOf(ctx).Workspace, in.ID, in.Revision)
}

type testRoutesInput struct {
	Body struct {
		Workflow string            `json:"workflow,omitempty" maxLength:"64"`
		Kind     string            `json:"kind,omitempty" maxLength:"80"`
		Priority any               `json:"priority,omitempty" doc:"A name, or a number from 0 to 10"`
		Type     string            `json:"type,omitempty" maxLength:"200"`
		Size     int               `json:"size,omitempty" minimum:"0"`
		Location string            `json:"location,omitempty" maxLength:"200"`
		Labels   map[string]string `json:"labels,omitempty"`
		Rules    *[]route.Rule     `json:"rules,omitempty" doc:"To test instead of the workspace's table"`
		Default  string            `json:"default,omitempty" doc:"With rules"`
	}
}

type decisionOut struct {
	Queue    string `json:"queue" doc:"Of a learned rule, one that a task may get: each task draws by the shares"`
	Priority string `json:"priority"`
	Of       string `json:"of" doc:"Whose table decided: workflow or workspace"`
	Rule     int    `json:"rule" doc:"Position of the rule in that table; -1: the default"`
	Name     string `json:"name,omitempty"`
	Warning  string `json:"warning,omitempty"`

	Learned *route.Learned `json:"learned,omitempty"`
}

func (s *Server) testRoutes(ctx context.Context, in *testRoutesInput) (*body[decisionOut], error) {
	who, b := identityOf(ctx), &in.Body
	a := route.Attributes{Workspace: who.Workspace, Workflow: b.Workflow, Kind: b.Kind, Type: b.Type, Size: b.Size, Location: b.Location, Labels: b.Labels}
	if b.Workflow != "" {
		id, err := uuid.Parse(b.Workflow)
		if err == nil {
			err = s.knownWorkflow(ctx, id)
		} else {
			err = problem.New(problem.NotFound, "There is no such workflow.").At("/workflow", "not an id", "the id of a workflow")
		}
		if err != nil {
			return nil, err
		}
	}
	var ok bool
	if a.Priority, ok = route.Priority(b.Priority); !ok {
		a.Unknown = route.Unknown(b.Priority)
	}
	if err := s.config.Routing.Load(ctx); err != nil {
		return nil, err
	}
	d := s.config.Routing.Choose(a)
	if b.Rules != nil {
		t := route.Table{Rules: *b.Rules, Default: b.Default}
		if p := t.Check(route.OfWorkflow); p != nil {
			return nil, p
		}
		d = s.config.Routing.Try(t, a)
	}
	return reply(decisionOut{Queue: d.Queue, Priority: route.Names()[d.Priority], Of: d.Of, Rule: d.Rule, Name: d.Name, Warning: d.Warning, Learned: d.Learned}), nil
}
