package server

import (
	"net/http"
	"slices"
	"strings"

	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"

	"signalbox/engine/account"
	"signalbox/engine/problem"
)

// scopeTable says which routes are in which scope of API tokens. A route that
// is in none is closed to tokens that are limited to scopes.
func scopeTable() map[string]account.Scope {
	table := map[string]account.Scope{"GET /api/me": anyScope}
	for scope, routes := range map[account.Scope][]string{
		account.RunsRead: {
			"GET /api/runs", "GET /api/runs/{id}", "GET /api/runs/{id}/events", "GET /api/runs/{id}/events/{seq}", "GET /api/runs/{id}/forks",
			"GET /api/runs/{id}/compare/{other}", "GET /api/bulk", "GET /api/bulk/{id}", "GET /api/dead-letters", "GET /api/dead-letters/{name}",
		},
		account.RunsStart: {"POST /api/workflows/{id}/runs"},
		account.RunsAct: {
			"POST /api/runs/{id}/cancel", "POST /api/runs/{id}/signal", "POST /api/runs/{id}/decide", "POST /api/runs/{id}/callback", "POST /api/runs/{id}/pause",
			"POST /api/runs/{id}/resume", "POST /api/runs/{id}/rollback", "POST /api/runs/{id}/resolve", "POST /api/runs/{id}/retry", "POST /api/runs/{id}/fork",
			"POST /api/bulk/preview", "POST /api/bulk", "POST /api/bulk/{id}/stop", "POST /api/dead-letters/retry", "POST /api/dead-letters/discard",
		},
		account.WorkflowsRead: {
			"GET /api/workflows", "GET /api/workflows/{id}", "GET /api/workflows/{id}/draft", "GET /api/workflows/{id}/export", "GET /api/workflows/{id}/ops", "GET /api/workflows/{id}/ports",
			"GET /api/workflows/{id}/versions", "GET /api/versions/{id}", "GET /api/workflows/{id}/cases", "GET /api/kinds", "GET /api/templates",
		},
		account.WorkflowsWrite:   {"POST /api/workflows", "PATCH /api/workflows/{id}", "POST /api/workflows/{id}/ops"},
		account.WorkflowsPublish: {"POST /api/workflows/{id}/publish"},
		account.CasesPlay:        {"POST /api/workflows/{id}/rehearsal"},
		account.BoardsRead:       {"GET /api/boards/infrastructure", "GET /api/boards/events", "GET /api/boards/business"},
	} {
		for _, route := range routes {
			table[route] = scope
		}
	}
	return table
}

// anyScope stands for a route that every token may ask.
const anyScope account.Scope = "any"

// inScope refuses what a token is not limited to. It is asked at one place, by
// allow, for every route.
func (s *Server) inScope(r *http.Request, limits account.Limits, scope account.Scope, pattern string) error {
	if !limits.Limited() || scope == anyScope {
		return nil
	}
	if !limits.Allow(scope) {
		if scope == "" {
			return problem.New(problem.Forbidden, "This token is limited to scopes, and this address is in none.")
		}
		return problem.New(problem.Forbidden, "This needs the scope %s; this token is limited to others.", scope)
	}
	if len(limits.Workflows) == 0 {
		return nil
	}
	workflow, err := s.workflowMeant(r, pattern)
	if err != nil {
		return err
	}
	if !slices.Contains(limits.Workflows, workflow) {
		return problem.New(problem.Forbidden, "This token is limited to some workflows, and this is about others.")
	}
	return nil
}

// workflowMeant is the workflow that a request is about; zero: about none, or
// about more than one.
func (s *Server) workflowMeant(r *http.Request, pattern string) (uuid.UUID, error) {
	text := r.URL.Query().Get("workflow")
	if strings.HasPrefix(pattern, "/api/workflows/{id}") {
		text = chi.URLParam(r, "id")
	}
	if strings.HasPrefix(pattern, "/api/runs/{id}") {
		id, err := uuid.Parse(chi.URLParam(r, "id"))
		if err != nil {
			return uuid.Nil, nil //nolint:nilerr // about none
		}
		run, err := s.config.History.Run(r.Context(), s.current(r).Workspace, id)
		if err != nil {
			return uuid.Nil, err
		}
		if other, err := uuid.Parse(chi.URLParam(r, "other")); err == nil { // both are shown
			second, err := s.config.History.Run(r.Context(), s.current(r).Workspace, other)
			if err != nil || second.Workflow != run.Workflow {
				return uuid.Nil, err
			}
		}
		return run.Workflow, nil
	}
	if strings.HasPrefix(pattern, "/api/workflows/{id}") || pattern == "/api/runs" || pattern == "/api/dead-letters" || strings.HasPrefix(pattern, "/api/boards/") {
		id, err := uuid.Parse(text)
		if err != nil {
			return uuid.Nil, nil //nolint:nilerr // about none
		}
		return id, nil
	}
	return uuid.Nil, nil
}
