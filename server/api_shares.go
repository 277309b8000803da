package server

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"signalbox/engine/graph"
	"signalbox/engine/picture"
	"signalbox/engine/poster"
	"signalbox/engine/share"
)

func (s *Server) registerShares(api huma.API) {
	on(s, api, op(http.MethodGet, "/api/shares", "List open share links"), s.listShares)
	create := op(http.MethodPost, "/api/shares", "Make a share link, whose address is shown once")
	create.DefaultStatus = http.StatusCreated
	on(s, api, create, s.createShare)
	on(s, api, op(http.MethodPost, "/api/shares/preview", "Show exactly what a share link would make public; makes none"), s.previewShare)
	on(s, api, op(http.MethodDelete, "/api/shares/{id}", "End a share link, also for those who look right now"), func(ctx context.Context, in *ByID) (*struct{}, error) {
		return nil, s.config.Shares.Revoke(ctx, identityOf(ctx).Workspace, in.ID)
	})
}

type shareOut struct {
	ID        uuid.UUID    `json:"id"`
	URL       string       `json:"url,omitempty" doc:"In the answer that makes it; afterwards only of listed ones"`
	Target    share.Target `json:"target"`
	TargetID  uuid.UUID    `json:"target_id"`
	Scope     share.Scope  `json:"scope"`
	Title     string       `json:"title"`
	WithData  bool         `json:"with_data"`
	Forks     bool         `json:"forks"`
	Origins   []string     `json:"origins"`
	Listed    bool         `json:"listed"`
	CreatedAt time.Time    `json:"created_at"`
	ExpiresAt *time.Time   `json:"expires_at,omitempty" doc:"Absent: never"`
	Views     int          `json:"views"`
	ViewedAt  *time.Time   `json:"viewed_at,omitempty"`
}

func (s *Server) showShare(sh share.Share) shareOut {
	out := shareOut{
		ID: sh.ID, Target: sh.Target, TargetID: sh.TargetID, Scope: sh.Scope, Title: sh.Title, WithData: sh.WithData, Forks: sh.Forks,
		Origins: sh.Origins, Listed: sh.Listed(), CreatedAt: sh.CreatedAt, ExpiresAt: whenSet(sh.ExpiresAt), Views: sh.Views, ViewedAt: whenSet(sh.ViewedAt),
	}
	if out.Origins == nil {
		out.Origins = []string{}
	}
	if sh.Listed() {
		out.URL = s.origin + listedAt + sh.Slug
	}
	return out
}

type sharesInput struct {
	TargetID string `query:"target_id" format:"uuid" doc:"Only links to this workflow, version or run"`
}

type sharesOut struct {
	Shares []shareOut `json:"shares"`
}

func (s *Server) listShares(ctx context.Context, in *sharesInput) (*body[sharesOut], error) {
	list, err := s.config.Shares.List(ctx, identityOf(ctx).Workspace)
	if err != nil {
		return nil, err
	}
	out := sharesOut{Shares: make([]shareOut, 0, len(list))}
	for _, sh := range list {
		if in.TargetID == "" || in.TargetID == sh.TargetID.String() {
			out.Shares = append(out.Shares, s.showShare(sh))
		}
	}
	return reply(out), nil
}

// neverExpires is how a caller writes a link without an end.
const neverExpires = "never"

type shareInput struct {
	Body struct {
		Target    share.Target `json:"target" enum:"workflow,version,run"`
		ID        uuid.UUID    `json:"id"`
		Scope     share.Scope  `json:"scope,omitempty" enum:"view,run,copy" doc:"What a guest may do beside looking; absent: view"`
		ExpiresIn string       `json:"expires_in,omitempty" maxLength:"20" doc:"A duration such as 720h, which is the default; never, for listed ones"`
		WithData  bool         `json:"with_data,omitempty" doc:"Input and result of the run show"`
		Forks     bool         `json:"forks,omitempty" doc:"Guests may try another way of the run in a sandbox"`
		Listed    bool         `json:"listed,omitempty" doc:"Public under a name that stays, open to search engines"`
		Origins   []string     `json:"origins,omitempty" maxItems:"10" doc:"Sites that may show it in a frame"`
	}
}

// newShare reads what a person chose about a link.
func (s *Server) newShare(ctx context.Context, in *shareInput) (share.NewShare, error) {
	who, b := identityOf(ctx), in.Body
	n := share.NewShare{
		Workspace: who.Workspace, Target: b.Target, TargetID: b.ID, By: who.User, Listed: b.Listed,
		Choice: share.Choice{Scope: b.Scope, WithData: b.WithData, Forks: b.Forks, Origins: b.Origins},
	}
	var err error
	if b.ExpiresIn == neverExpires {
		n.ExpiresIn = share.Never
	} else if n.ExpiresIn, err = parseDuration("/expires_in", b.ExpiresIn); err != nil {
		return n, err
	}
	n.Graph, n.Version, err = s.sharedGraph(ctx, who.Workspace, b.Target, b.ID)
	return n, err
}

type oneShareOut struct {
	Share shareOut `json:"share"`
}

func (s *Server) createShare(ctx context.Context, in *shareInput) (*body[oneShareOut], error) {
	n, err := s.newShare(ctx, in)
	if err != nil {
		return nil, err
	}
	sh, token, err := s.config.Shares.Create(ctx, n)
	if err != nil {
		return nil, err
	}
	d := deedOf(ctx)
	d.target, d.detail = sh.ID.String(), string(sh.Target)+" "+string(sh.Scope)+" "+sh.Title
	out := s.showShare(sh)
	if out.URL == "" {
		out.URL = s.origin + sharedAt + token
	}
	return reply(oneShareOut{Share: out}), nil
}

// sharedGraph is the drawing that a link is pinned to, with its version: that
// of the run, the version itself, the active one of the workflow, or its draft
// when none was published.
func (s *Server) sharedGraph(ctx context.Context, workspace string, target share.Target, id uuid.UUID) (graph.Graph, uuid.UUID, error) {
	version := id
	switch target {
	case share.TargetVersion:
	case share.TargetRun:
		run, err := s.config.History.Run(ctx, workspace, id)
		if err != nil {
			return graph.Graph{}, uuid.Nil, err
		}
		version = run.Version
	case share.TargetWorkflow:
		w, err := s.config.Drafts.Workflow(ctx, workspace, id)
		if err != nil {
			return graph.Graph{}, uuid.Nil, err
		}
		if version = w.ActiveID; version == uuid.Nil {
			d, err := s.config.Drafts.Open(ctx, workspace, id)
			return d.Graph, uuid.Nil, err
		}
	}
	v, err := s.config.Drafts.Version(ctx, workspace, version)
	if err != nil {
		return graph.Graph{}, uuid.Nil, err
	}
	if v.Number == 0 {
		version = uuid.Nil // made for a test run: nobody starts it again
	}
	g, err := graph.Decode(v.Graph)
	return g, version, err
}

// previewOut is exactly what a link would give away.
type previewOut struct {
	Picture string          `json:"picture" doc:"The drawing as SVG"`
	Graph   json.RawMessage `json:"graph" doc:"The drawing as data"`
	Form    json.RawMessage `json:"form,omitempty" doc:"What a guest would fill in"`
	File    json.RawMessage `json:"file,omitempty" doc:"What a guest could take along"`
	Data    *sharedData     `json:"data,omitempty" doc:"Input and result of the run"`
	Events  int             `json:"events,omitempty" doc:"Events of the run so far, without their values"`
}

func (s *Server) previewShare(ctx context.Context, in *shareInput) (*body[previewOut], error) {
	n, err := s.newShare(ctx, in)
	if err != nil {
		return nil, err
	}
	c, err := s.config.Shares.Preview(n)
	if err != nil {
		return nil, err
	}
	encoded, err := c.View.Encode()
	if err != nil {
		return nil, fmt.Errorf("encode a public view: %w", err)
	}
	out := previewOut{Graph: encoded, File: c.File}
	if c.Form != nil {
		if out.Form, err = json.Marshal(c.Form); err != nil {
			return nil, fmt.Errorf("encode a form: %w", err)
		}
	}
	options := picture.Options{}
	if n.Target == share.TargetRun {
		seen, err := s.seeRun(ctx, share.Opened{Share: share.Share{Workspace: n.Workspace, Target: n.Target, TargetID: n.TargetID, Choice: n.Choice}, Content: c})
		if err != nil {
			return nil, err
		}
		options.Nodes, options.Edges = picture.Trace(c.View, seen.run.Status, seen.events)
		out.Data, out.Events = seen.data, len(seen.events)
	}
	out.Picture, err = s.pages.painter.SVG(s.plainDrawing(languageIn(ctx), c.View, options), poster.Light())
	return reply(out), err
}
