package server

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"signalbox/engine/account"
	"signalbox/engine/compile"
	"signalbox/engine/exchange"
	"signalbox/engine/graph"
)

func (s *Server) registerImport(api huma.API) {
	read := op(http.MethodPost, "/api/import", "Read a file of another tool, or of ours: what becomes of it, and nothing is saved")
	read.MaxBodyBytes = graphMax
	on(s, api, read, s.importFile)
}

// importAsked is what a file comes with.
type importAsked struct {
	Text    string            `json:"text" doc:"The file"`
	Answers map[string]string `json:"answers,omitempty" doc:"By the name of a Merge node: inclusive, all, first, or a number of branches"`
}

type importInput struct{ Body importAsked }

type importOut struct {
	exchange.Imported

	Name   string          `json:"name"`
	Graph  json.RawMessage `json:"graph" doc:"To hand to POST /api/workflows"`
	Issues json.RawMessage `json:"issues" doc:"What the checks find in it, errors first"`
}

func (s *Server) importFile(_ context.Context, in *importInput) (*body[importOut], error) {
	im, issues, err := readImport(in.Body)
	if err != nil {
		return nil, err
	}
	raw, err := im.Graph.Encode()
	if err != nil {
		return nil, fmt.Errorf("encode what was imported: %w", err)
	}
	return reply(importOut{Imported: im, Name: im.Graph.Name, Graph: raw, Issues: issuesJSON(issues)}), nil
}

// readImport reads a file and proves what came out.
func readImport(asked importAsked) (exchange.Imported, []graph.Issue, error) {
	im, err := exchange.Import([]byte(asked.Text), asked.Answers)
	if err != nil {
		return im, nil, err //nolint:wrapcheck // a *problem.Problem
	}
	_, issues := compile.Compile(im.Graph)
	return im, issues, nil
}

// lacking lists the credentials of a file that are not stored here.
func (s *Server) lacking(ctx context.Context, who account.Identity, names []string) (map[string]bool, error) {
	lacking := map[string]bool{}
	if len(names) == 0 {
		return lacking, nil
	}
	stored, err := s.config.Vault.List(ctx, who.Workspace)
	if err != nil {
		return nil, fmt.Errorf("list credentials: %w", err)
	}
	have := []string{}
	for _, c := range stored {
		have = append(have, c.Name)
	}
	for _, name := range names {
		lacking[name] = !slices.Contains(have, name)
	}
	return lacking, nil
}
