package server

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"signalbox/engine/account"
	"signalbox/engine/problem"
	"signalbox/engine/vault"
)

func (s *Server) registerCredentials(api huma.API) {
	on(s, api, op(http.MethodGet, "/api/credentials", "List credentials: names and types, never values"), s.listCredentials)
	on(s, api, op(http.MethodPost, "/api/credentials", "Store a credential; an existing name gets the new value"), s.putCredential)
	on(s, api, op(http.MethodDelete, "/api/credentials/{id}", "Delete a credential"), func(ctx context.Context, in *ByID) (*struct{}, error) {
		return nil, s.config.Vault.Delete(ctx, identityOf(ctx).Workspace, in.ID)
	})
}

type credentialOut struct {
	ID        uuid.UUID  `json:"id"`
	Name      string     `json:"name"`
	Type      vault.Type `json:"type"`
	CreatedAt time.Time  `json:"created_at"`
	UpdatedAt time.Time  `json:"updated_at"`
}

func showCredential(c vault.Credential) credentialOut {
	return credentialOut{ID: c.ID, Name: c.Name, Type: c.Type, CreatedAt: c.CreatedAt, UpdatedAt: c.UpdatedAt}
}

type credentialsOut struct {
	Credentials []credentialOut `json:"credentials"`
}

func (s *Server) listCredentials(ctx context.Context, _ *struct{}) (*body[credentialsOut], error) {
	list, err := s.config.Vault.List(ctx, identityOf(ctx).Workspace)
	if err != nil {
		return nil, err
	}
	out := credentialsOut{Credentials: make([]credentialOut, 0, len(list))}
	for _, c := range list {
		out.Credentials = append(out.Credentials, showCredential(c))
	}
	return reply(out), nil
}

type credentialInput struct {
	Body struct {
		Name     string     `json:"name" maxLength:"40"`
		Type     vault.Type `json:"type" enum:"bearer,basic,header,webhook"`
		Token    string     `json:"token,omitempty"`
		Username string     `json:"username,omitempty"`
		Password string     `json:"password,omitempty"`
		Header   string     `json:"header,omitempty"`
		Value    string     `json:"value,omitempty"`
		Secrets  []string   `json:"secrets,omitempty"`
	}
}

type oneCredentialOut struct {
	Credential credentialOut `json:"credential"`
}

func (s *Server) putCredential(ctx context.Context, in *credentialInput) (*body[oneCredentialOut], error) {
	b := in.Body
	secret := vault.Secret{Type: b.Type, Token: b.Token, Username: b.Username, Password: b.Password, Header: b.Header, Value: b.Value, Secrets: b.Secrets}
	deedOf(ctx).detail = b.Name + " (" + string(b.Type) + ")"
	c, err := s.config.Vault.Put(ctx, identityOf(ctx).Workspace, b.Name, secret)
	if err != nil {
		return nil, err
	}
	deedOf(ctx).target = c.ID.String()
	return reply(oneCredentialOut{Credential: showCredential(c)}), nil
}

func (s *Server) registerTokens(api huma.API) {
	on(s, api, op(http.MethodGet, "/api/tokens", "List API tokens"), s.listTokens)
	on(s, api, op(http.MethodPost, "/api/tokens", "Make an API token, which is shown once"), s.createToken)
	on(s, api, op(http.MethodDelete, "/api/tokens/{id}", "Delete an API token"), func(ctx context.Context, in *ByID) (*struct{}, error) {
		if err := s.config.Accounts.DeleteToken(ctx, identityOf(ctx), in.ID); err != nil {
			return nil, err
		}
		s.hub.endToken(in.ID)
		return nil, nil //nolint:nilnil // no content
	})
}

type tokenOut struct {
	ID         uuid.UUID       `json:"id"`
	Name       string          `json:"name"`
	Role       account.Role    `json:"role"`
	Scopes     []account.Scope `json:"scopes" doc:"What it is limited to; none: all of its role"`
	Workflows  []uuid.UUID     `json:"workflows" doc:"The workflows that it is limited to; none: all"`
	CreatedAt  time.Time       `json:"created_at"`
	LastUsedAt *time.Time      `json:"last_used_at,omitempty"`
	ExpiresAt  *time.Time      `json:"expires_at,omitempty"`
	Token      string          `json:"token,omitempty" doc:"Only in the answer that makes it"`
}

func showToken(t account.Token) tokenOut {
	out := tokenOut{ID: t.ID, Name: t.Name, Role: t.Role, Scopes: t.Limits.Scopes, Workflows: t.Limits.Workflows, CreatedAt: t.CreatedAt, LastUsedAt: whenSet(t.LastUsedAt), ExpiresAt: whenSet(t.ExpiresAt)}
	if out.Scopes == nil {
		out.Scopes = []account.Scope{}
	}
	if out.Workflows == nil {
		out.Workflows = []uuid.UUID{}
	}
	return out
}

// whenSet leaves a time out that is not set.
func whenSet(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

type tokensOut struct {
	Tokens []tokenOut `json:"tokens"`
}

func (s *Server) listTokens(ctx context.Context, _ *struct{}) (*body[tokensOut], error) {
	list, err := s.config.Accounts.Tokens(ctx, identityOf(ctx))
	if err != nil {
		return nil, err
	}
	out := tokensOut{Tokens: make([]tokenOut, 0, len(list))}
	for _, t := range list {
		out.Tokens = append(out.Tokens, showToken(t))
	}
	return reply(out), nil
}

type tokenInput struct {
	Body struct {
		Name      string       `json:"name" maxLength:"100"`
		Role      account.Role `json:"role,omitempty" enum:"owner,admin,developer,editor,operator,viewer,worker" doc:"At most your own; empty: your own. worker is for programs that take tasks, and needs developer"`
		ExpiresIn string       `json:"expires_in,omitempty" maxLength:"20" doc:"A duration such as 720h; empty: never"`

		Scopes    []account.Scope `json:"scopes,omitempty" maxItems:"20" doc:"Limits it: runs:read, runs:start, runs:act, workflows:read, workflows:write, workflows:publish, cases:play, boards:read; none: all of its role"`
		Workflows []uuid.UUID     `json:"workflows,omitempty" maxItems:"50" doc:"With scopes: only for these workflows"`
	}
}

type oneTokenOut struct {
	Token tokenOut `json:"token"`
}

func (s *Server) createToken(ctx context.Context, in *tokenInput) (*body[oneTokenOut], error) {
	expires, err := parseDuration("/expires_in", in.Body.ExpiresIn)
	if err != nil {
		return nil, err
	}
	for _, id := range in.Body.Workflows {
		if _, err := s.config.Drafts.Workflow(ctx, identityOf(ctx).Workspace, id); err != nil {
			return nil, err
		}
	}
	t, secret, err := s.config.Accounts.CreateToken(ctx, identityOf(ctx), account.NewToken{
		Name: in.Body.Name, Role: in.Body.Role, ExpiresIn: expires, Limits: account.Limits{Scopes: in.Body.Scopes, Workflows: in.Body.Workflows},
	})
	if err != nil {
		return nil, err
	}
	d := deedOf(ctx)
	d.target, d.detail = t.ID.String(), t.Name+" ("+string(t.Role)+")"
	for _, scope := range t.Limits.Scopes {
		d.detail += " " + string(scope)
	}
	out := showToken(t)
	out.Token = secret
	return reply(oneTokenOut{Token: out}), nil
}

// parseDuration reads an optional Go duration.
func parseDuration(at, text string) (time.Duration, error) {
	if text == "" {
		return 0, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		return 0, problem.New(problem.Invalid, "This is not a duration.").At(at, "not readable", "for example 720h")
	}
	return d, nil
}
