package server

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"signalbox/engine/problem"
	"signalbox/engine/runtime"
)

// Sources of runs that begin as another one did.
const (
	sourceFork  = "fork"
	sourceRetry = "retry"
)

func (s *Server) registerForks(api huma.API) {
	fork := op(http.MethodPost, "/api/runs/{id}/fork", "Start a new run that shares the recorded results up to an event")
	fork.DefaultStatus, fork.MaxBodyBytes = http.StatusAccepted, graphMax
	on(s, api, fork, s.forkRun)
	retry := op(http.MethodPost, "/api/runs/{id}/retry", "Start a new run that shares everything up to the failure and tries the failed step again")
	retry.DefaultStatus = http.StatusAccepted
	on(s, api, retry, s.retryRun)
	on(s, api, op(http.MethodGet, "/api/runs/{id}/forks", "List the runs that began as this one, the newest first"), s.listForks)
	on(s, api, op(http.MethodGet, "/api/runs/{id}/compare/{other}", "Compare two runs visit by visit: way, data and time"), s.compareRuns)
}

type forkInput struct {
	ByID
	Body struct {
		At     int             `json:"at" minimum:"1" doc:"The last event that is shared"`
		Output json.RawMessage `json:"output,omitempty" doc:"Instead of what that event put out: the input of what follows"`
		Key    string          `json:"idempotency_key,omitempty" maxLength:"256" doc:"The same key starts one run"`
	}
}

func (s *Server) forkRun(ctx context.Context, in *forkInput) (*body[oneRunOut], error) {
	return s.fork(ctx, runtime.ForkRequest{Run: in.ID, At: in.Body.At, Output: in.Body.Output, Key: in.Body.Key, Source: sourceFork})
}

type retryInput struct {
	ByID
	Body *struct {
		Key string `json:"idempotency_key,omitempty" maxLength:"256" doc:"The same key starts one run"`
	}
}

func (s *Server) retryRun(ctx context.Context, in *retryInput) (*body[oneRunOut], error) {
	r := runtime.ForkRequest{Run: in.ID, Source: sourceRetry}
	if in.Body != nil {
		r.Key = in.Body.Key
	}
	return s.fork(ctx, r)
}

func (s *Server) fork(ctx context.Context, r runtime.ForkRequest) (*body[oneRunOut], error) {
	r.Workspace = identityOf(ctx).Workspace
	within, cancel := context.WithTimeout(ctx, startWithin)
	defer cancel()
	started, err := s.config.Engine.Fork(within, r)
	if errors.Is(err, context.DeadlineExceeded) {
		return nil, problem.New(problem.Unavailable, "The engine did not take the run in time. Try again; with an idempotency key it starts once.")
	}
	if err != nil {
		return nil, err
	}
	run, err := s.config.History.Run(ctx, r.Workspace, started.Run)
	return reply(oneRunOut{Run: showRun(run)}), err
}

type forksOut struct {
	Runs []runOut `json:"runs"`
}

func (s *Server) listForks(ctx context.Context, in *ByID) (*body[forksOut], error) {
	workspace := identityOf(ctx).Workspace
	if err := s.config.Events.Exists(ctx, workspace, in.ID); err != nil {
		return nil, err
	}
	list, err := s.config.History.Forks(ctx, workspace, in.ID)
	if err != nil {
		return nil, err
	}
	out := forksOut{Runs: make([]runOut, 0, len(list))}
	for _, r := range list {
		out.Runs = append(out.Runs, showRun(r))
	}
	return reply(out), nil
}

// forkOut says which run another one began as.
type forkOut struct {
	Run uuid.UUID `json:"run"`
	At  int       `json:"at" doc:"The last event that is shared"`
}

func forkOf(r Run) *forkOut {
	if r.ForkedFrom == uuid.Nil {
		return nil
	}
	return &forkOut{Run: r.ForkedFrom, At: r.ForkedAt}
}
