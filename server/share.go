package server

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"

	"signalbox/engine/problem"
	"signalbox/engine/runtime"
	"signalbox/engine/runtime/brief"
	"signalbox/engine/share"
)

// Where links are: by a token that nobody can guess, or by a name that
// everybody may find.
const (
	sharedAt = "/s/"
	listedAt = "/p/"
	framedAt = "/embed/"
)

// shareRoutes are the routes of links that read no cookie. None of them takes
// a drawing, code, an expression or a credential (TestGuestsSendDataOnly).
func (s *Server) shareRoutes(r chi.Router) {
	r.Get(framedAt+"{token}", s.pageEmbed)
	for _, base := range []string{sharedAt + "{token}", listedAt + "{slug}"} {
		r.Get(base+".svg", s.sharedSVG)
		r.Get(base+".png", s.sharedPNG)
		r.Get(base+"/badge.svg", s.sharedBadge)
		r.Get(base+"/workflow.json", s.sharedFile)
		r.Get(base+"/events", s.guestEvents)
		r.Post(base+"/ticket", s.guestTicket)
		r.Post(base+"/runs", s.guestRun)
		r.Post(base+"/sandbox", s.guestSandbox)
	}
}

// sharePages are the routes of links on which a member is known.
func (s *Server) sharePages(r chi.Router) {
	for _, base := range []string{sharedAt + "{token}", listedAt + "{slug}"} {
		r.Get(base, s.pageShare)
		r.Post(base+"/copy", s.copyShared)
	}
}

// openShare finds the link of a request. Whoever asks for many that are not
// there has to wait.
func (s *Server) openShare(w http.ResponseWriter, r *http.Request) (share.Opened, bool) {
	var o share.Opened
	var err error
	key := chi.URLParam(r, "token")
	switch slug := chi.URLParam(r, "slug"); {
	case slug != "":
		o, err = s.config.Shares.OpenListed(r.Context(), slug)
	case key != strings.ToUpper(key): // in a frame, either stands at the same place
		o, err = s.config.Shares.OpenListed(r.Context(), key)
	default:
		o, err = s.config.Shares.Open(r.Context(), key)
	}
	if err == nil {
		return o, true
	}
	if p := problem.Of(err); p != nil && p.Code == problem.NotFound && s.limits.strangers.OnLimit(w, r, s.clientIP(r)) {
		err = problem.New(problem.TooMany, "Too many requests in a minute. Wait a little.")
	}
	s.fail(w, r, err)
	return o, false
}

// baseOf is the path of the link that a request came by.
func baseOf(r *http.Request) string {
	if slug := chi.URLParam(r, "slug"); slug != "" {
		return listedAt + slug
	}
	if key := chi.URLParam(r, "token"); key != strings.ToUpper(key) {
		return listedAt + key
	}
	return sharedAt + chi.URLParam(r, "token")
}

// seenRun is what a link to a run shows of it.
type seenRun struct {
	run    Run
	events []brief.Brief
	data   *sharedData // nil: the owner keeps it
}

// sharedData is what went into a run and what came out.
type sharedData struct {
	Input  json.RawMessage `json:"input,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`
}

func (s *Server) seeRun(ctx context.Context, o share.Opened) (seenRun, error) {
	var seen seenRun
	var err error
	if seen.run, err = s.config.History.Run(ctx, o.Workspace, o.TargetID); err != nil {
		return seen, err
	}
	if seen.events, err = s.readTrace(ctx, o.Workspace, seen.run.ID); err != nil {
		return seen, err
	}
	if o.WithData {
		seen.data, err = s.dataOf(ctx, o.Workspace, seen.run)
	}
	return seen, err
}

func (s *Server) dataOf(ctx context.Context, workspace string, run Run) (*sharedData, error) {
	data := &sharedData{}
	first, err := s.config.History.Event(ctx, workspace, run.ID, 1)
	if p := problem.Of(err); p != nil && p.Code == problem.NotFound {
		return data, nil // it has not begun
	}
	if err != nil {
		return nil, err
	}
	var started struct {
		Input json.RawMessage `json:"input"`
	}
	if err := json.Unmarshal(first.Data, &started); err != nil {
		return nil, fmt.Errorf("read the start of run %s: %w", run.ID, err)
	}
	data.Input = started.Input
	if run.Status == runtime.StatusSucceeded {
		data.Result, err = s.config.History.Result(ctx, workspace, run.ID)
	}
	return data, err
}

// workflowOf is the workflow that a link leads to; zero: it is gone.
func (s *Server) workflowOf(ctx context.Context, o share.Opened) (uuid.UUID, error) {
	v, err := s.config.Drafts.Version(ctx, o.Workspace, o.Version)
	if err != nil {
		return uuid.Nil, err
	}
	w, err := s.config.Drafts.Workflow(ctx, o.Workspace, v.Workflow)
	if err != nil {
		return uuid.Nil, err
	}
	if !w.Active {
		return uuid.Nil, problem.New(problem.Conflict, "The owner lets no runs of this workflow begin for now.")
	}
	return v.Workflow, nil
}
