package server_test

import (
	"net/http"
	"testing"

	"github.com/google/uuid"

	"signalbox/engine/account"
)

// limited makes a client with a token of an owner that is limited.
func (w *world) limited(workspace string, l account.Limits) *browser {
	w.t.Helper()
	who := w.member(workspace, account.Owner)
	var user uuid.UUID // whose token was made last
	if err := w.pool.QueryRow(w.t.Context(), `select user_id from api_tokens order by id desc limit 1`).Scan(&user); err != nil {
		w.t.Fatal(err)
	}
	_, secret, err := w.accounts.CreateToken(w.t.Context(), account.Identity{User: user, Workspace: workspace, Role: account.Owner}, account.NewToken{Name: "limited", Limits: l})
	if err != nil {
		w.t.Fatal(err)
	}
	who.token = secret
	return who
}

// Over all routes: a token that is limited to a scope gets through those of the
// scope, and through no other one that asks for a role.
func TestEveryRouteAsksForItsScope(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	routes, err := w.server.Routes()
	if err != nil {
		t.Fatal(err)
	}
	used := map[account.Scope]int{}
	clients := map[account.Scope]*browser{}
	for _, scope := range account.Scopes() {
		clients[scope] = w.limited("main", account.Limits{Scopes: []account.Scope{scope}})
	}
	for _, route := range routes {
		if route.Role == "" || route.Role == account.Worker || route.Method == http.MethodHead {
			continue
		}
		used[route.Scope]++
		for scope, client := range clients {
			got := client.json(route.Method, path(route.Pattern), "{}").status
			if in := route.Scope == scope || route.Scope == "any"; in == (got == http.StatusForbidden) {
				t.Errorf("%s %s of the scope %q answers a token for %s with %d", route.Method, route.Pattern, route.Scope, scope, got)
			}
		}
	}
	for _, scope := range account.Scopes() {
		if used[scope] == 0 {
			t.Errorf("no route is in the scope %s", scope)
		}
	}
}

// A token for one workflow starts and sees its runs, and nothing of others.
func TestATokenForOneWorkflow(t *testing.T) {
	t.Parallel()
	w := live(t)
	owner := w.member("main", account.Owner)
	ours, theirs := owner.drawn(t, tale("yes", "5")), owner.drawn(t, tale("no", "5"))
	foreign := owner.ran(t, theirs, `{"n":1}`)
	var made struct {
		Token struct {
			Token     string
			Scopes    []string
			Workflows []string
		}
	}
	owner.json("POST", "/api/tokens", map[string]any{"name": "starter", "scopes": []string{"runs:start", "runs:read"}, "workflows": []string{ours}, "expires_in": "24h"}).must(t, http.StatusOK).into(t, &made)
	if len(made.Token.Scopes) != 2 || len(made.Token.Workflows) != 1 {
		t.Errorf("%+v", made)
	}
	b := w.browser()
	b.token = made.Token.Token
	run := b.ran(t, ours, `{"n":9}`)
	b.get("/api/runs/"+run+"/events").must(t, http.StatusOK)
	b.get("/api/runs?workflow="+ours).must(t, http.StatusOK)
	for _, p := range []string{"/api/runs", "/api/runs?workflow=" + theirs, "/api/runs/" + foreign, "/api/runs/" + run + "/compare/" + foreign, "/api/workflows/" + ours, "/api/bulk"} {
		b.get(p).must(t, http.StatusForbidden)
	}
	b.json("POST", "/api/workflows/"+theirs+"/runs", `{}`).must(t, http.StatusForbidden)
	b.json("POST", "/api/runs/"+run+"/cancel", `{}`).must(t, http.StatusForbidden)
	b.json("POST", "/api/tokens", `{"name":"more"}`).must(t, http.StatusForbidden)
	b.json("POST", "/api/ticket", `{}`).must(t, http.StatusForbidden)
	for _, body := range []map[string]any{
		{"name": "x", "scopes": []string{"runs:eat"}}, {"name": "x", "workflows": []string{ours}}, {"name": "x", "role": "worker", "scopes": []string{"runs:read"}},
	} {
		owner.json("POST", "/api/tokens", body).must(t, http.StatusUnprocessableEntity)
	}
	owner.json("POST", "/api/tokens", map[string]any{"name": "x", "scopes": []string{"runs:start"}, "workflows": []string{uuid.NewString()}}).must(t, http.StatusNotFound)
	contains(t, owner.get("/api/audit?action=token.create").text, "starter (owner) runs:read runs:start")
}
