package server

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/go-chi/chi/v5"

	"signalbox/engine/machine"
	"signalbox/engine/problem"
	"signalbox/engine/vault"
)

// callback takes the answer of another system to a step that waits for it. The
// address works once, and as long as the step waits. Who does not have it learns
// nothing.
func (s *Server) callback(w http.ResponseWriter, r *http.Request) {
	if !s.fromLoopback(r) && s.limits.hooks.OnLimit(w, r, s.clientIP(r)) {
		s.fail(w, r, problem.New(problem.TooMany, "Too many calls in a minute. Wait a little."))
		return
	}
	wait, ok := s.config.Vault.OpenToken(chi.URLParam(r, "token"))
	if !ok {
		s.refuseHook(w, r, problem.New(problem.NotFound, "There is no such address."))
		return
	}
	if err := s.config.Events.Exists(r.Context(), wait.Workspace, wait.Run); err != nil {
		s.refuseHook(w, r, err)
		return
	}
	raw, err := readHookBody(w, r, hookBytesUsual)
	if err == nil {
		raw, err = hookInput(r, raw)
	}
	if err != nil {
		s.fail(w, r, err)
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), startWithin)
	defer cancel()
	taken, err := s.config.Engine.Tell(ctx, wait.Workspace, wait.Run, machine.Decide{
		Scope: wait.Scope, Node: wait.Node, Visit: wait.Visit, Value: json.RawMessage(raw), By: "callback",
	})
	switch {
	case err != nil:
		s.fail(w, r, err)
	case !taken:
		s.fail(w, r, problem.New(problem.Conflict, "The answer was not taken: there is one already, or nobody waits for it any more."))
	default:
		w.WriteHeader(http.StatusNoContent)
	}
}

type addressInput struct {
	ByID
	Body struct {
		Node  string `json:"node" minLength:"1" maxLength:"40" doc:"Key of the step"`
		Scope int    `json:"scope,omitempty" minimum:"0" doc:"Where it waits; 0 is the run itself"`
		Visit int    `json:"visit" minimum:"1" doc:"Which of its visits"`
	}
}

type address struct {
	URL string `json:"url" doc:"POST the answer here, once"`
}

// callbackAddress tells the address to a person who gives it on. It is always
// the same for one wait.
func (s *Server) callbackAddress(ctx context.Context, in *addressInput) (*body[address], error) {
	who := identityOf(ctx)
	if err := s.config.Events.Exists(ctx, who.Workspace, in.ID); err != nil {
		return nil, err
	}
	deedOf(ctx).detail = in.Body.Node
	token := s.config.Vault.Token(vault.Wait{Workspace: who.Workspace, Run: in.ID, Scope: in.Body.Scope, Node: in.Body.Node, Visit: in.Body.Visit})
	return reply(address{URL: s.config.PublicURL + "/callback/" + token}), nil
}
