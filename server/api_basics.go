package server

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"signalbox/engine/account"
)

func (s *Server) registerBasics(api huma.API) {
	on(s, api, op(http.MethodGet, "/api/me", "Who am I"), s.readMe)
	on(s, api, op(http.MethodGet, "/api/kinds", "List the kinds of nodes"), s.listKinds)
	on(s, api, op(http.MethodPost, "/api/ticket", "Make a ticket for the websocket: one use, 30 seconds"), s.createTicket)
}

type meOut struct {
	ID        uuid.UUID    `json:"id"`
	Name      string       `json:"name"`
	Email     string       `json:"email"`
	Role      account.Role `json:"role"`
	Workspace string       `json:"workspace"`
}

func (s *Server) readMe(ctx context.Context, _ *struct{}) (*body[meOut], error) {
	who := identityOf(ctx)
	return reply(meOut{ID: who.User, Name: who.Name, Email: who.Email, Role: who.Role, Workspace: who.Workspace}), nil
}

type kindsOut struct {
	Kinds json.RawMessage `json:"kinds"`
}

func (s *Server) listKinds(ctx context.Context, _ *struct{}) (*body[kindsOut], error) {
	return reply(kindsOut{Kinds: encodeFrame(s.kindsIn(languageIn(ctx)))}), nil
}

type ticketOut struct {
	Ticket string `json:"ticket"`
}

func (s *Server) createTicket(ctx context.Context, _ *struct{}) (*body[ticketOut], error) {
	g := grant{who: identityOf(ctx)}
	if g.who.Token == uuid.Nil {
		g.session = s.sessionOf(ctx)
	}
	text, err := s.issue(ctx, g)
	if err != nil {
		return nil, err
	}
	return reply(ticketOut{Ticket: text}), nil
}
