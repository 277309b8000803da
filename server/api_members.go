package server

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"signalbox/engine/account"
	"signalbox/engine/problem"
)

func (s *Server) registerMembers(api huma.API) {
	on(s, api, op(http.MethodPatch, "/api/me", "Change one's own choices"), s.patchMe)
	on(s, api, op(http.MethodPost, "/api/me/password", "Change one's own password; other sessions end"), s.changePassword)
	on(s, api, op(http.MethodGet, "/api/members", "List the members of the workspace"), s.listMembers)
	on(s, api, op(http.MethodPatch, "/api/members/{id}", "Give a member another role"), s.patchMember)
	on(s, api, op(http.MethodDelete, "/api/members/{id}", "Remove a member, with their API tokens"), s.removeMember)
	on(s, api, op(http.MethodGet, "/api/invitations", "List open invitations"), s.listInvitations)
	invite := op(http.MethodPost, "/api/invitations", "Make an invitation; its link is shown once and works once")
	invite.DefaultStatus = http.StatusCreated
	on(s, api, invite, s.invite)
	on(s, api, op(http.MethodDelete, "/api/invitations/{id}", "Take an invitation back"), func(ctx context.Context, in *ByID) (*struct{}, error) {
		return nil, s.config.Accounts.TakeBack(ctx, identityOf(ctx), in.ID)
	})
}

type patchMeInput struct {
	Body struct {
		Language *string `json:"language,omitempty" doc:"Empty: what the browser asks for"`
		TourDone *bool   `json:"tour_done,omitempty"`
	}
}

func (s *Server) patchMe(ctx context.Context, in *patchMeInput) (*struct{}, error) {
	who := identityOf(ctx)
	p, err := s.config.Accounts.Preferences(ctx, who)
	if err != nil {
		return nil, err
	}
	if lang := in.Body.Language; lang != nil {
		if *lang != "" && !slices.Contains(s.pages.words.Languages(), *lang) {
			return nil, problem.New(problem.Invalid, "This language is not known here.").At("/language", "unknown", "en or zh-CN")
		}
		p.Language = *lang
	}
	if in.Body.TourDone != nil {
		p.TourDone = *in.Body.TourDone
	}
	return nil, s.config.Accounts.SetPreferences(ctx, who, p)
}

type passwordInput struct {
	Body struct {
		Old string `json:"old" maxLength:"1000"`
		New string `json:"new" maxLength:"1000"`
	}
}

// changePassword is for people: a token cannot take over an account.
func (s *Server) changePassword(ctx context.Context, in *passwordInput) (*struct{}, error) {
	who := identityOf(ctx)
	if who.Token != uuid.Nil {
		return nil, problem.New(problem.Conflict, "A password is changed by a person who is logged in, not by a token.")
	}
	if err := s.config.Accounts.ChangePassword(ctx, who, in.Body.Old, in.Body.New); err != nil {
		return nil, err
	}
	// This session goes on; all others have ended.
	s.sessions.Put(ctx, sessionSince, s.config.Now().UnixMicro())
	s.hub.endUser(who.Workspace, who.User, true)
	return nil, nil //nolint:nilnil // no content
}

type memberOut struct {
	ID    uuid.UUID    `json:"id"`
	Name  string       `json:"name"`
	Email string       `json:"email"`
	Role  account.Role `json:"role"`
	Since time.Time    `json:"since"`
}

func showMember(m account.Member) memberOut {
	return memberOut{ID: m.User, Name: m.Name, Email: m.Email, Role: m.Role, Since: m.Since}
}

type membersOut struct {
	Members []memberOut `json:"members"`
}

func (s *Server) listMembers(ctx context.Context, _ *struct{}) (*body[membersOut], error) {
	list, err := s.config.Accounts.Members(ctx, identityOf(ctx))
	if err != nil {
		return nil, err
	}
	out := membersOut{Members: make([]memberOut, 0, len(list))}
	for _, m := range list {
		out.Members = append(out.Members, showMember(m))
	}
	return reply(out), nil
}

type patchMemberInput struct {
	ByID
	Body struct {
		Role account.Role `json:"role" enum:"owner,admin,developer,editor,operator,viewer"`
	}
}

type oneMemberOut struct {
	Member memberOut `json:"member"`
}

func (s *Server) patchMember(ctx context.Context, in *patchMemberInput) (*body[oneMemberOut], error) {
	m, err := s.config.Accounts.SetRole(ctx, identityOf(ctx), in.ID, in.Body.Role)
	if err != nil {
		return nil, err
	}
	deedOf(ctx).detail = m.Name + ": " + string(m.Role)
	return reply(oneMemberOut{Member: showMember(m)}), nil
}

func (s *Server) removeMember(ctx context.Context, in *ByID) (*struct{}, error) {
	who := identityOf(ctx)
	m, err := s.config.Accounts.RemoveMember(ctx, who, in.ID)
	if err != nil {
		return nil, err
	}
	deedOf(ctx).detail = m.Name
	s.hub.endUser(who.Workspace, in.ID, false)
	return nil, nil //nolint:nilnil // no content
}

type invitationOut struct {
	ID        uuid.UUID    `json:"id"`
	Role      account.Role `json:"role"`
	Note      string       `json:"note"`
	By        string       `json:"by"`
	CreatedAt time.Time    `json:"created_at"`
	ExpiresAt time.Time    `json:"expires_at"`
	URL       string       `json:"url,omitempty" doc:"Only in the answer that makes it"`
}

func showInvitation(i account.Invitation) invitationOut {
	return invitationOut{ID: i.ID, Role: i.Role, Note: i.Note, By: i.ByName, CreatedAt: i.CreatedAt, ExpiresAt: i.ExpiresAt}
}

type invitationsOut struct {
	Invitations []invitationOut `json:"invitations"`
}

func (s *Server) listInvitations(ctx context.Context, _ *struct{}) (*body[invitationsOut], error) {
	list, err := s.config.Accounts.Invitations(ctx, identityOf(ctx))
	if err != nil {
		return nil, err
	}
	out := invitationsOut{Invitations: make([]invitationOut, 0, len(list))}
	for _, i := range list {
		out.Invitations = append(out.Invitations, showInvitation(i))
	}
	return reply(out), nil
}

type inviteInput struct {
	Body struct {
		Role      account.Role `json:"role" enum:"owner,admin,developer,editor,operator,viewer" doc:"At most your own"`
		Note      string       `json:"note,omitempty" maxLength:"100" doc:"Who it is for"`
		ExpiresIn string       `json:"expires_in,omitempty" maxLength:"20" doc:"A duration such as 168h; empty: a week"`
	}
}

type oneInvitationOut struct {
	Invitation invitationOut `json:"invitation"`
}

func (s *Server) invite(ctx context.Context, in *inviteInput) (*body[oneInvitationOut], error) {
	expires, err := parseDuration("/expires_in", in.Body.ExpiresIn)
	if err != nil {
		return nil, err
	}
	i, secret, err := s.config.Accounts.Invite(ctx, identityOf(ctx), account.NewInvitation{Role: in.Body.Role, Note: in.Body.Note, ExpiresIn: expires})
	if err != nil {
		return nil, err
	}
	d := deedOf(ctx)
	d.target, d.detail = i.ID.String(), string(i.Role)+" "+i.Note
	out := showInvitation(i)
	out.URL = s.origin + "/join/" + secret
	return reply(oneInvitationOut{Invitation: out}), nil
}
