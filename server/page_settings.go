package server

import (
	"context"
	"net/http"
	"slices"
	"strconv"

	"github.com/google/uuid"

	"signalbox/engine/account"
	"signalbox/engine/draft"
	"signalbox/engine/vault"
	"signalbox/web/view"
)

// pageSettings shows credentials, API tokens, shared links and the look.
func (s *Server) pageSettings(w http.ResponseWriter, r *http.Request) {
	data, err := s.settings(r.Context(), s.current(r))
	if err != nil {
		s.fail(w, r, err)
		return
	}
	s.show(w, r, view.SettingsPage(s.page(r, "shell.nav.settings", "settings"), data))
}

func (s *Server) settings(ctx context.Context, who account.Identity) (view.Settings, error) {
	data := view.Settings{MaySecrets: who.Role.AtLeast(account.Developer), MayShare: who.Role.AtLeast(account.Editor)}
	for _, t := range []vault.Type{vault.TypeBearer, vault.TypeBasic, vault.TypeHeader, vault.TypeWebhook} {
		data.Kinds = append(data.Kinds, string(t))
	}
	for _, role := range account.Roles() {
		if role != account.Guest && who.Role.AtLeast(role) {
			data.Roles = append(data.Roles, string(role))
		}
	}
	if who.Role.MayGrant(account.Worker) {
		data.Roles = append(data.Roles, string(account.Worker))
	}
	data.NoSecrets = !who.Role.AtLeast(account.Editor)
	if !data.NoSecrets {
		credentials, err := s.config.Vault.List(ctx, who.Workspace)
		if err != nil {
			return view.Settings{}, err
		}
		for _, c := range credentials {
			data.Credentials = append(data.Credentials, view.Credential{ID: c.ID.String(), Name: c.Name, Kind: string(c.Type), At: c.UpdatedAt})
		}
	}
	chosen, ok, err := s.config.Proposals.Setting(ctx, who.Workspace)
	if err != nil {
		return view.Settings{}, err
	}
	data.Assistant = view.Assistant{Chosen: ok, Provider: chosen.Provider, BaseURL: chosen.BaseURL, Model: chosen.Model, Credential: chosen.Credential}
	for _, scope := range account.Scopes() {
		data.Scopes = append(data.Scopes, string(scope))
	}
	workflows, err := s.config.Drafts.List(ctx, who.Workspace, draft.Cursor{}, pageMax)
	if err != nil {
		return view.Settings{}, err
	}
	for _, w := range workflows {
		data.Workflows = append(data.Workflows, view.Named{ID: w.ID.String(), Name: w.Name})
	}
	tokens, err := s.config.Accounts.Tokens(ctx, who)
	if err != nil {
		return view.Settings{}, err
	}
	owners, err := s.tokenOwners(ctx, who, tokens)
	if err != nil {
		return view.Settings{}, err
	}
	for _, t := range tokens {
		data.Tokens = append(data.Tokens, view.Token{ID: t.ID.String(), Name: t.Name, Role: string(t.Role), Scopes: scopeNames(t.Limits), Owner: owners[t.User], At: t.CreatedAt, Used: t.LastUsedAt, Expires: t.ExpiresAt})
	}
	shares, err := s.config.Shares.List(ctx, who.Workspace)
	if err != nil {
		return view.Settings{}, err
	}
	for _, x := range shares {
		data.Shares = append(data.Shares, view.Share{ID: x.ID.String(), Target: string(x.Target), Name: x.Title, At: x.CreatedAt, Expires: x.ExpiresAt, Views: x.Views, Viewed: x.ViewedAt, Slug: x.Slug})
	}
	return data, nil
}

// scopeNames are what a token is limited to, for people.
func scopeNames(l account.Limits) []string {
	var names []string
	for _, scope := range l.Scopes {
		names = append(names, string(scope))
	}
	if n := len(l.Workflows); n > 0 {
		names = append(names, "× "+strconv.Itoa(n))
	}
	return names
}

// tokenOwners names the people whose tokens an admin sees beside their own.
func (s *Server) tokenOwners(ctx context.Context, who account.Identity, tokens []account.Token) (map[uuid.UUID]string, error) {
	names := map[uuid.UUID]string{}
	if !slices.ContainsFunc(tokens, func(t account.Token) bool { return t.User != who.User }) {
		return names, nil
	}
	members, err := s.config.Accounts.Members(ctx, who)
	if err != nil {
		return nil, err
	}
	for _, m := range members {
		if m.User != who.User {
			names[m.User] = m.Name
		}
	}
	return names, nil
}
