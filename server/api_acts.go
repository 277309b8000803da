package server

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"signalbox/engine/machine"
	"signalbox/engine/problem"
)

// registerActs are the routes by which people and programs act on a run that
// is going on. Each answers once the act is on disk; one that changes nothing,
// because it comes twice or too late, is a conflict.
func (s *Server) registerActs(api huma.API) {
	signal := op(http.MethodPost, "/api/runs/{id}/signal", "Send a signal to a run: a step that waits for it goes on")
	signal.MaxBodyBytes = graphMax
	on(s, api, signal, s.signalRun)
	decide := op(http.MethodPost, "/api/runs/{id}/decide", "Answer a step that waits for a person or a callback, once")
	decide.MaxBodyBytes = graphMax
	on(s, api, decide, s.decideRun)
	on(s, api, op(http.MethodPost, "/api/runs/{id}/callback", "Make the one-time address at which a step waits for a callback"), s.callbackAddress)
	on(s, api, op(http.MethodPost, "/api/runs/{id}/pause", "Hold a run: nothing new starts, what comes is kept"), s.pauseRun)
	on(s, api, op(http.MethodPost, "/api/runs/{id}/resume", "Let a paused run go on"), s.resumeRun)
	on(s, api, op(http.MethodPost, "/api/runs/{id}/rollback", "Undo what a run has completed, and end it"), s.rollBackRun)
	on(s, api, op(http.MethodPost, "/api/runs/{id}/resolve", "Decide about a compensation that failed"), s.resolveRun)
}

// act tells a run something and turns "nothing changed" into a conflict.
func (s *Server) act(ctx context.Context, id ByID, in machine.Input, otherwise string) (*struct{}, error) {
	who := identityOf(ctx)
	if err := s.config.Events.Exists(ctx, who.Workspace, id.ID); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, startWithin)
	defer cancel()
	changed, err := s.config.Engine.Tell(ctx, who.Workspace, id.ID, in)
	if err == nil && !changed {
		err = problem.New(problem.Conflict, "%s", otherwise)
	}
	return nil, err
}

type signalInput struct {
	ByID
	Body struct {
		Name        string          `json:"name" minLength:"1" maxLength:"200" doc:"Which signal it is"`
		Correlation string          `json:"correlation,omitempty" maxLength:"500" doc:"What it belongs to"`
		ID          string          `json:"id,omitempty" maxLength:"200" doc:"Yours; the same one counts once"`
		Value       json.RawMessage `json:"value,omitempty" doc:"What it carries"`
	}
}

func (s *Server) signalRun(ctx context.Context, in *signalInput) (*struct{}, error) {
	deedOf(ctx).detail = in.Body.Name
	return s.act(ctx, in.ByID, machine.Signal{
		Name: in.Body.Name, Correlation: in.Body.Correlation, ID: in.Body.ID, Value: in.Body.Value, By: identityOf(ctx).Name,
	}, "The signal was not taken: the run is over, no step of it waits for signals, or the same signal came before.")
}

type decideInput struct {
	ByID
	Body struct {
		Node  string          `json:"node" minLength:"1" maxLength:"40" doc:"Key of the step"`
		Scope int             `json:"scope,omitempty" minimum:"0" doc:"Where it waits; 0 is the run itself"`
		Visit int             `json:"visit" minimum:"1" doc:"Which of its visits"`
		Port  string          `json:"port,omitempty" maxLength:"40" doc:"The decision; none for a callback"`
		Value json.RawMessage `json:"value,omitempty" doc:"What was entered"`
	}
}

func (s *Server) decideRun(ctx context.Context, in *decideInput) (*struct{}, error) {
	deedOf(ctx).detail = in.Body.Node + ": " + in.Body.Port
	return s.act(ctx, in.ByID, machine.Decide{
		Scope: in.Body.Scope, Node: in.Body.Node, Visit: in.Body.Visit, Port: in.Body.Port, Value: in.Body.Value, By: identityOf(ctx).Name,
	}, "The answer was not taken: the step does not wait any more, or it has no such way on.")
}

func (s *Server) pauseRun(ctx context.Context, in *ByID) (*struct{}, error) {
	return s.act(ctx, *in, machine.Pause{By: identityOf(ctx).Name}, "The run is paused already, or over.")
}

func (s *Server) resumeRun(ctx context.Context, in *ByID) (*struct{}, error) {
	return s.act(ctx, *in, machine.Resume{By: identityOf(ctx).Name}, "The run is not paused.")
}

func (s *Server) rollBackRun(ctx context.Context, in *ByID) (*struct{}, error) {
	return s.act(ctx, *in, machine.RollBack{By: identityOf(ctx).Name}, "The run is being rolled back already, or over.")
}

type resolveInput struct {
	ByID
	Body struct {
		Node   string `json:"node" minLength:"1" maxLength:"40" doc:"Key of the compensation"`
		Scope  int    `json:"scope,omitempty" minimum:"0"`
		Visit  int    `json:"visit" minimum:"1"`
		Action string `json:"action" enum:"retry,skip,complete" doc:"Try again; leave the effect as it is; it was undone by hand"`
	}
}

func (s *Server) resolveRun(ctx context.Context, in *resolveInput) (*struct{}, error) {
	deedOf(ctx).detail = in.Body.Node + ": " + in.Body.Action
	return s.act(ctx, in.ByID, machine.Resolve{
		Scope: in.Body.Scope, Node: in.Body.Node, Visit: in.Body.Visit, Action: in.Body.Action, By: identityOf(ctx).Name,
	}, "Nothing is to be decided there.")
}
