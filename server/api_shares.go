package server

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"

	"signalbox/engine/account"
	"signalbox/engine/graph"
	"signalbox/engine/runtime/brief"
	"signalbox/engine/share"
)

func (s *Server) registerShares(api huma.API) {
	on(s, api, op(http.MethodGet, "/api/shares", "List open share links"), s.listShares)
	create := op(http.MethodPost, "/api/shares", "Make a share link, whose address is shown once")
	create.DefaultStatus = http.StatusCreated
	on(s, api, create, s.createShare)
	on(s, api, op(http.MethodDelete, "/api/shares/{id}", "End a share link, also for those who look right now"), func(ctx context.Context, in *ByID) (*struct{}, error) {
		return nil, s.config.Shares.Revoke(ctx, identityOf(ctx).Workspace, in.ID)
	})
}

type shareOut struct {
	ID        uuid.UUID    `json:"id"`
	URL       string       `json:"url,omitempty" doc:"Only in the answer that makes it"`
	Target    share.Target `json:"target"`
	TargetID  uuid.UUID    `json:"target_id"`
	Title     string       `json:"title"`
	CreatedAt time.Time    `json:"created_at"`
	ExpiresAt time.Time    `json:"expires_at"`
	Views     int          `json:"views"`
}

func showShare(sh share.Share) shareOut {
	return shareOut{ID: sh.ID, Target: sh.Target, TargetID: sh.TargetID, Title: sh.Title, CreatedAt: sh.CreatedAt, ExpiresAt: sh.ExpiresAt, Views: sh.Views}
}

type sharesOut struct {
	Shares []shareOut `json:"shares"`
}

func (s *Server) listShares(ctx context.Context, _ *struct{}) (*body[sharesOut], error) {
	list, err := s.config.Shares.List(ctx, identityOf(ctx).Workspace)
	if err != nil {
		return nil, err
	}
	out := sharesOut{Shares: make([]shareOut, 0, len(list))}
	for _, sh := range list {
		out.Shares = append(out.Shares, showShare(sh))
	}
	return reply(out), nil
}

type shareInput struct {
	Body struct {
		Target    share.Target `json:"target" enum:"workflow,run"`
		ID        uuid.UUID    `json:"id"`
		ExpiresIn string       `json:"expires_in,omitempty" maxLength:"20" doc:"A duration such as 720h, which is the default"`
	}
}

type oneShareOut struct {
	Share shareOut `json:"share"`
}

func (s *Server) createShare(ctx context.Context, in *shareInput) (*body[oneShareOut], error) {
	who := identityOf(ctx)
	expires, err := parseDuration("/expires_in", in.Body.ExpiresIn)
	if err != nil {
		return nil, err
	}
	g, err := s.sharedGraph(ctx, who.Workspace, in.Body.Target, in.Body.ID)
	if err != nil {
		return nil, err
	}
	sh, token, err := s.config.Shares.Create(ctx, share.NewShare{
		Workspace: who.Workspace, Target: in.Body.Target, TargetID: in.Body.ID, By: who.User, ExpiresIn: expires, Graph: g,
	})
	if err != nil {
		return nil, err
	}
	d := deedOf(ctx)
	d.target, d.detail = sh.ID.String(), string(sh.Target)+" "+sh.Title
	out := showShare(sh)
	out.URL = s.origin + "/s/" + token
	return reply(oneShareOut{Share: out}), nil
}

// sharedGraph is the drawing that a link is pinned to: that of the run, the
// active version of the workflow, or its draft when none was published.
func (s *Server) sharedGraph(ctx context.Context, workspace string, target share.Target, id uuid.UUID) (graph.Graph, error) {
	var version uuid.UUID
	if target == share.TargetRun {
		run, err := s.config.History.Run(ctx, workspace, id)
		if err != nil {
			return graph.Graph{}, err
		}
		version = run.Version
	} else {
		w, err := s.config.Drafts.Workflow(ctx, workspace, id)
		if err != nil {
			return graph.Graph{}, err
		}
		version = w.ActiveID
	}
	if version == uuid.Nil {
		d, err := s.config.Drafts.Open(ctx, workspace, id)
		return d.Graph, err
	}
	v, err := s.config.Drafts.Version(ctx, workspace, version)
	if err != nil {
		return graph.Graph{}, err
	}
	return graph.Decode(v.Graph)
}

// guestTicket lets a guest open a socket for the run of the link.
func (s *Server) guestTicket(w http.ResponseWriter, r *http.Request) {
	o, err := s.config.Shares.Open(r.Context(), chi.URLParam(r, "token"))
	if err != nil {
		s.fail(w, r, err)
		return
	}
	g := grant{who: account.Identity{Workspace: o.Workspace, Role: account.Guest}, share: o.ID, until: o.ExpiresAt}
	if o.Target == share.TargetRun {
		g.run = o.TargetID
	}
	text, err := s.issue(r.Context(), g)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	writeJSON(w, http.StatusOK, ticketOut{Ticket: text})
}

// guestEvents reads the events of the run of the link, as a guest may see
// them.
func (s *Server) guestEvents(w http.ResponseWriter, r *http.Request) {
	o, err := s.config.Shares.Open(r.Context(), chi.URLParam(r, "token"))
	if err != nil {
		s.fail(w, r, err)
		return
	}
	if o.Target != share.TargetRun {
		s.notFound(w, r)
		return
	}
	after, limit := queryInt(r, "after", 0), min(max(queryInt(r, "limit", eventsMax), 1), eventsMax)
	list, err := s.config.Events.Briefs(r.Context(), o.Workspace, o.TargetID, max(after, 0), limit)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	out := make([]brief.Brief, len(list))
	for i, b := range list {
		out[i] = share.PublicBrief(b)
	}
	writeJSON(w, http.StatusOK, briefsOut{Events: encodeFrame(out), Last: lastSeq(list, after)})
}

// queryInt reads a number; what is no number counts as absent.
func queryInt(r *http.Request, name string, absent int) int {
	n, err := strconv.Atoi(r.URL.Query().Get(name))
	if err != nil {
		return absent
	}
	return n
}
