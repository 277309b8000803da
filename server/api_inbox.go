package server

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"signalbox/engine/inbox"
)

func (s *Server) registerInbox(api huma.API) {
	on(s, api, op(http.MethodGet, "/api/inbox", "List what there is for you, the newest first"), s.readInbox)
	on(s, api, op(http.MethodPost, "/api/inbox/read", "Mark some of it, or all, as read"), s.markInbox)
}

type inboxInput struct {
	Limit int `query:"limit" minimum:"1" maximum:"200" default:"30"`
}

type nudgeOut struct {
	ID       uuid.UUID  `json:"id"`
	Kind     inbox.Kind `json:"kind" enum:"mention,reply,asked,approved,changes"`
	By       string     `json:"by"`
	At       time.Time  `json:"at"`
	Read     bool       `json:"read"`
	Workflow uuid.UUID  `json:"workflow"`
	Name     string     `json:"name" doc:"Of the workflow"`
	Thread   *uuid.UUID `json:"thread,omitempty"`
	Review   *uuid.UUID `json:"review,omitempty"`
	Title    string     `json:"title,omitempty" doc:"Of the thread's node; empty: about the drawing as a whole"`
	Text     string     `json:"text" doc:"What was said, cut short"`
	Href     string     `json:"href" doc:"Where it is shown"`
}

type inboxOut struct {
	Unread int        `json:"unread"`
	Nudges []nudgeOut `json:"nudges"`
}

func showNudge(n inbox.Nudge) nudgeOut {
	out := nudgeOut{ID: n.ID, Kind: n.Kind, By: n.By, At: n.At, Read: n.Read, Workflow: n.Workflow, Name: n.Name, Title: n.Title, Text: n.Text, Href: placeOf(n)}
	if n.Thread != uuid.Nil {
		out.Thread = &n.Thread
	}
	if n.Review != uuid.Nil {
		out.Review = &n.Review
	}
	return out
}

// placeOf is the page that shows what a person was told of.
func placeOf(n inbox.Nudge) string {
	path := "/w/" + n.Workflow.String()
	switch {
	case n.Thread != uuid.Nil:
		path += "?thread=" + n.Thread.String()
	case n.Review != uuid.Nil:
		path += "/review"
	}
	return path
}

func (s *Server) readInbox(ctx context.Context, in *inboxInput) (*body[inboxOut], error) {
	who := identityOf(ctx)
	list, unread, err := s.config.Inbox.List(ctx, who.Workspace, who.User, in.Limit)
	if err != nil {
		return nil, err
	}
	out := inboxOut{Unread: unread, Nudges: make([]nudgeOut, 0, len(list))}
	for _, n := range list {
		out.Nudges = append(out.Nudges, showNudge(n))
	}
	return reply(out), nil
}

type markInboxInput struct {
	Body struct {
		IDs []uuid.UUID `json:"ids,omitempty" maxItems:"200" doc:"Empty: all"`
	}
}

func (s *Server) markInbox(ctx context.Context, in *markInboxInput) (*struct{}, error) {
	who := identityOf(ctx)
	if err := s.config.Inbox.MarkRead(ctx, who.Workspace, who.User, in.Body.IDs); err != nil {
		return nil, err
	}
	s.hub.Nudged(who.Workspace, []uuid.UUID{who.User})
	return nil, nil //nolint:nilnil // no content
}
