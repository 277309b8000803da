package server

import (
	"context"
	"net/http"
	"slices"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"signalbox/engine/compile"
	"signalbox/engine/draft"
	"signalbox/engine/graph"
)

// calleesMax is how many workflows are looked through for one that is called by
// its name.
const calleesMax = 1_000

func (s *Server) registerPorts(api huma.API) {
	on(s, api, op(http.MethodGet, "/api/workflows/{id}/ports", "Tell what data looks like at every port of the draft"), s.readPorts)
}

type portsOut struct {
	Seq    int64              `json:"seq"`
	Ports  map[string]portOut `json:"ports" doc:"By node id"`
	Issues []graph.Issue      `json:"issues" doc:"What workers and called workflows make of it, beside the draft's own findings"`
}

type portOut struct {
	Gets  any            `json:"gets" doc:"A JSON Schema of what comes"`
	Takes any            `json:"takes" doc:"A JSON Schema of what the step reads of it"`
	Gives map[string]any `json:"gives" doc:"A JSON Schema for each port"`
}

// readPorts follows the shapes of values through the draft, with what workers of
// one's own announce and what called workflows take and give.
func (s *Server) readPorts(ctx context.Context, in *ByID) (*body[portsOut], error) {
	workspace := identityOf(ctx).Workspace
	d, err := s.config.Drafts.Open(ctx, workspace, in.ID)
	if err != nil {
		return nil, err
	}
	world, err := s.world(ctx, workspace, d.Graph)
	if err != nil {
		return nil, err
	}
	all, issues := compile.PortsOf(d.Graph, world)
	out := portsOut{Seq: d.Seq, Ports: make(map[string]portOut, len(all)), Issues: []graph.Issue{}}
	for id, p := range all {
		gives := make(map[string]any, len(p.Gives))
		for port, shape := range p.Gives {
			gives[port] = shape
		}
		out.Ports[id] = portOut{Gets: p.Gets, Takes: p.Takes, Gives: gives}
	}
	for _, i := range issues {
		said := func(o graph.Issue) bool { return o.Node == i.Node && o.Message == i.Message }
		if !slices.ContainsFunc(d.Issues, said) {
			out.Issues = append(out.Issues, i)
		}
	}
	return reply(out), nil
}

// world is what the drawing names and does not hold.
func (s *Server) world(ctx context.Context, workspace string, g graph.Graph) (compile.World, error) {
	w := compile.World{Types: map[string]compile.TaskType{}}
	if slices.ContainsFunc(g.Nodes, func(n graph.Node) bool { return n.Kind == "external" }) {
		types, err := s.config.Workers.Types(ctx, workspace)
		if err != nil {
			return w, err
		}
		for _, t := range types {
			w.Types[t.Name] = compile.TaskType{Input: t.Input, Output: t.Output}
		}
	}
	known := map[[2]string]*compile.Callee{}
	w.Callee = func(workflow, version string) (compile.Callee, bool) {
		key := [2]string{workflow, version}
		if _, asked := known[key]; !asked {
			known[key] = s.callee(ctx, workspace, workflow, version)
		}
		if known[key] == nil {
			return compile.Callee{}, false
		}
		return *known[key], true
	}
	return w, nil
}

// callee is what a workflow takes and gives that would be called; nil: it is not
// known.
func (s *Server) callee(ctx context.Context, workspace, workflow, version string) *compile.Callee {
	id, err := uuid.Parse(version)
	if version == "" {
		id, err = s.activeVersion(ctx, workspace, workflow)
	}
	if err != nil || id == uuid.Nil {
		return nil
	}
	v, err := s.config.Drafts.Version(ctx, workspace, id)
	if err != nil {
		return nil
	}
	g, err := graph.Decode(v.Graph)
	if err != nil {
		return nil
	}
	c := compile.CalleeOf(g)
	return &c
}

// activeVersion finds the version of a workflow that is named by its id or its
// name. Of a name that two have, nothing is known.
func (s *Server) activeVersion(ctx context.Context, workspace, workflow string) (uuid.UUID, error) {
	if id, err := uuid.Parse(workflow); err == nil {
		w, err := s.config.Drafts.Workflow(ctx, workspace, id)
		return w.ActiveID, err
	}
	list, err := s.config.Drafts.List(ctx, workspace, draft.Cursor{}, calleesMax)
	if err != nil {
		return uuid.Nil, err
	}
	found := uuid.Nil
	for _, w := range list {
		if w.Name != workflow || w.ActiveID == uuid.Nil {
			continue
		}
		if found != uuid.Nil {
			return uuid.Nil, nil
		}
		found = w.ActiveID
	}
	return found, nil
}
