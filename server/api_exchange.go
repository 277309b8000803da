package server

import (
	"context"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"signalbox/engine/exchange"
)

func (s *Server) registerExchange(api huma.API) {
	on(s, api, op(http.MethodGet, "/api/workflows/{id}/export", "Write the drawing as it is now in another tool's form"), s.exportDraft)
}

type exportInput struct {
	ByID
	As    string `query:"as" enum:"dot,mermaid,scxml,xstate" required:"true"`
	Chart string `query:"chart" maxLength:"40" doc:"Key of the statechart; empty: the only one, or for a picture the whole workflow"`
}

type exportOut struct {
	File   string          `json:"file" doc:"A name for it"`
	Media  string          `json:"media_type"`
	Text   string          `json:"text"`
	Losses []exchange.Loss `json:"losses" doc:"What the form cannot say"`
}

func (s *Server) exportDraft(ctx context.Context, in *exportInput) (*body[exportOut], error) {
	d, err := s.config.Drafts.Open(ctx, identityOf(ctx).Workspace, in.ID)
	if err != nil {
		return nil, err
	}
	form := exchange.Form(in.As)
	text, losses, err := exchange.Workflow(d.Graph, form, in.Chart)
	if err != nil {
		return nil, err
	}
	if losses == nil {
		losses = []exchange.Loss{}
	}
	return reply(exportOut{File: fileName(d.Graph.Name) + form.Extension(), Media: form.MediaType(), Text: text, Losses: losses}), nil
}

// fileName makes a name that every file system takes.
func fileName(title string) string {
	name := strings.Trim(strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			return r
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		}
		return '-'
	}, title), "-")
	if name == "" {
		return "workflow"
	}
	return name[:min(len(name), 80)]
}
