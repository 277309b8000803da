package server

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"signalbox/engine/account"
	"signalbox/engine/problem"
	"signalbox/engine/proposal"
)

// proposalAccess is the part of the access table for changes described in
// words. Which model answers is for those who may handle credentials.
func proposalAccess() map[string]access {
	editor, developer := access{role: account.Editor}, access{role: account.Developer}
	return map[string]access{
		"GET /api/assistant":                editor,
		"PUT /api/assistant":                developer.as("assistant.set"),
		"DELETE /api/assistant":             developer.as("assistant.remove"),
		"POST /api/workflows/{id}/proposal": editor.as("draft.propose"),
	}
}

func (s *Server) registerProposals(api huma.API) {
	on(s, api, op(http.MethodGet, "/api/assistant", "Read which model answers when a change is described in words"), s.readAssistant)
	on(s, api, op(http.MethodPut, "/api/assistant", "Choose the model that answers when a change is described in words"), s.chooseAssistant)
	on(s, api, op(http.MethodDelete, "/api/assistant", "Choose no model"), func(ctx context.Context, _ *struct{}) (*struct{}, error) {
		return nil, s.config.Proposals.Forget(ctx, identityOf(ctx).Workspace)
	})
	on(s, api, op(http.MethodPost, "/api/workflows/{id}/proposal", "Have a model propose a change of the draft; nothing is changed by that"), s.propose)
}

type assistantOut struct {
	Chosen     bool   `json:"chosen"`
	Provider   string `json:"provider,omitempty"`
	BaseURL    string `json:"base_url,omitempty"`
	Model      string `json:"model,omitempty"`
	Credential string `json:"credential,omitempty" doc:"Its name"`
}

func showAssistant(chosen proposal.Setting, ok bool) assistantOut {
	return assistantOut{Chosen: ok, Provider: chosen.Provider, BaseURL: chosen.BaseURL, Model: chosen.Model, Credential: chosen.Credential}
}

func (s *Server) readAssistant(ctx context.Context, _ *struct{}) (*body[assistantOut], error) {
	chosen, ok, err := s.config.Proposals.Setting(ctx, identityOf(ctx).Workspace)
	return reply(showAssistant(chosen, ok)), err
}

type assistantInput struct {
	Body struct {
		Provider   string          `json:"provider" doc:"openai: any service that speaks the protocol; mock: a scripted answer"`
		BaseURL    string          `json:"base_url,omitempty"`
		Model      string          `json:"model,omitempty"`
		Credential string          `json:"credential,omitempty" doc:"Name of a stored credential"`
		Answer     json.RawMessage `json:"answer,omitempty" doc:"With mock: what it answers"`
	}
}

func (s *Server) chooseAssistant(ctx context.Context, in *assistantInput) (*body[assistantOut], error) {
	b, who := in.Body, identityOf(ctx)
	chosen := proposal.Setting{Provider: b.Provider, BaseURL: b.BaseURL, Model: b.Model, Credential: b.Credential, Answer: b.Answer}
	if b.Credential != "" {
		lacking, err := s.lacking(ctx, who, []string{b.Credential})
		if err != nil {
			return nil, err
		}
		if lacking[b.Credential] {
			return nil, problem.New(problem.Invalid, "There is no credential of this name.").At("/credential", "not known", "the name of a stored credential")
		}
	}
	if err := s.config.Proposals.Choose(ctx, who.Workspace, chosen); err != nil {
		return nil, err
	}
	deedOf(ctx).detail = chosen.Provider + " " + chosen.Model
	return reply(showAssistant(chosen, true)), nil
}

type proposeInput struct {
	ByID
	Body struct {
		Wish string `json:"wish" doc:"What should change, in words"`
	}
}

type proposalOut struct {
	Seq     int64           `json:"seq" doc:"Position of the draft that it was made for"`
	Summary string          `json:"summary"`
	Ops     json.RawMessage `json:"ops" doc:"To hand to POST /api/workflows/{id}/ops, if it is accepted"`
	Before  json.RawMessage `json:"before" doc:"The draft"`
	Graph   json.RawMessage `json:"graph" doc:"The draft with the change"`
	Issues  json.RawMessage `json:"issues" doc:"What the checks find in it, errors first"`
	New     int             `json:"new_issues" doc:"How many of them the draft does not have"`
	Model   string          `json:"model"`
}

// propose asks the model. The draft stays as it is.
func (s *Server) propose(ctx context.Context, in *proposeInput) (*body[proposalOut], error) {
	who := identityOf(ctx)
	d, err := s.config.Drafts.Open(ctx, who.Workspace, in.ID)
	if err != nil {
		return nil, err
	}
	stored, err := s.config.Vault.List(ctx, who.Workspace)
	if err != nil {
		return nil, fmt.Errorf("list credentials: %w", err)
	}
	wish := proposal.Wish{Workspace: who.Workspace, Text: in.Body.Wish, Graph: d.Graph}
	for _, c := range stored {
		wish.Credentials = append(wish.Credentials, c.Name)
	}
	p, err := s.config.Proposals.Propose(ctx, wish)
	if err != nil {
		return nil, err
	}
	out := proposalOut{Seq: d.Seq, Summary: p.Summary, Ops: encodeFrame(p.Ops), Issues: issuesJSON(p.Issues), New: p.New, Model: p.Model}
	if out.Graph, err = p.Graph.Encode(); err != nil {
		return nil, fmt.Errorf("encode a proposal: %w", err)
	}
	if out.Before, err = d.Graph.Encode(); err != nil {
		return nil, fmt.Errorf("encode a draft: %w", err)
	}
	return reply(out), nil
}
