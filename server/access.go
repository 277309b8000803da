package server

import (
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"strings"

	"github.com/go-chi/chi/v5"

	"signalbox/engine/account"
	"signalbox/engine/problem"
)

// access says who may use one route.
type access struct {
	role     account.Role // at least; empty: everybody
	loopback bool         // only from this machine
	does     string       // action in the audit log; empty: not recorded
}

// as is the same right, with an action that is recorded.
func (a access) as(action string) access {
	a.does = action
	return a
}

// checkAccess fails when a route has no entry in the table, or an entry no
// route, so that neither can be forgotten.
func (s *Server) checkAccess() error {
	routes, err := s.Routes()
	if err != nil {
		return err
	}
	table := accessTable()
	used := map[string]bool{}
	for _, r := range routes {
		key, _, _ := lookAccess(table, r.Method, r.Pattern)
		used[key] = true
	}
	for key := range table {
		if !used[key] {
			return fmt.Errorf("the access table has an entry for %s, which is no route", key)
		}
	}
	return nil
}

func lookAccess(table map[string]access, method, pattern string) (string, access, bool) {
	for _, key := range []string{method + " " + pattern, "* " + pattern} {
		if a, ok := table[key]; ok {
			return key, a, true
		}
	}
	return "", access{}, false
}

// allow lets a request through when the table says so. It runs after routing.
func (s *Server) allow(next http.Handler) http.Handler {
	table := accessTable()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		route := chi.RouteContext(r.Context())
		method := r.Method
		if route.RouteMethod != "" {
			method = route.RouteMethod
		}
		_, a, ok := lookAccess(table, method, route.RoutePattern())
		switch who := s.current(r); {
		case !ok:
			s.fail(w, r, problem.New(problem.Forbidden, "Nobody may use this address."))
		case a.loopback && !s.fromLoopback(r):
			s.notFound(w, r)
		case a.role == "":
			next.ServeHTTP(w, r)
		case !who.Known():
			s.askLogin(w, r)
		case !who.Role.AtLeast(a.role):
			s.fail(w, r, problem.New(problem.Forbidden, "This needs the role %s; yours is %s.", a.role, who.Role))
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// askLogin sends a person to the login page and tells a program that it has
// no valid token.
func (s *Server) askLogin(w http.ResponseWriter, r *http.Request) {
	if wantsJSON(r) || r.Method != http.MethodGet {
		w.Header().Set("WWW-Authenticate", "Bearer")
		s.fail(w, r, problem.New(problem.Unauthorized, "Log in first, or send a valid API token."))
		return
	}
	http.Redirect(w, r, "/login?next="+url.QueryEscape(r.URL.RequestURI()), http.StatusSeeOther)
}

// fromLoopback reports whether the request comes from this machine itself. A
// request that a proxy passed on never does.
func (s *Server) fromLoopback(r *http.Request) bool {
	if r.Header.Get("X-Forwarded-For") != "" || r.Header.Get("Forwarded") != "" {
		return false
	}
	at, err := netip.ParseAddrPort(r.RemoteAddr)
	return err == nil && at.Addr().Unmap().IsLoopback()
}

// clientIP is the address that limits count by.
func (s *Server) clientIP(r *http.Request) string {
	if s.config.TrustedProxy {
		// The last entry is the one that our own proxy added.
		list := strings.Split(r.Header.Get("X-Forwarded-For"), ",")
		if ip, err := netip.ParseAddr(strings.TrimSpace(list[len(list)-1])); err == nil {
			return ip.Unmap().String()
		}
	}
	at, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return "unknown"
	}
	ip := at.Addr().Unmap()
	if ip.Is6() {
		// One household has a whole /64.
		if p, err := ip.Prefix(64); err == nil {
			return p.String()
		}
	}
	return ip.String()
}

// accessTable is the one place that says who may do what.
func accessTable() map[string]access {
	anybody := access{}
	local := access{loopback: true}
	viewer := access{role: account.Viewer}
	operator := access{role: account.Operator}
	editor := access{role: account.Editor}
	developer := access{role: account.Developer}
	admin := access{role: account.Admin}
	return map[string]access{
		"GET /healthz":                       anybody,
		"GET /readyz":                        anybody,
		"GET /metrics":                       local,
		"GET /static/*":                      anybody,
		"* /demo/{name}":                     local,
		"* /hooks/{path}":                    anybody, // each webhook checks its own caller
		"GET /ws":                            anybody, // the first frame carries a ticket
		"GET /login":                         anybody,
		"POST /login":                        anybody.as("login"),
		"POST /language":                     anybody, // it sets a cookie
		"GET /setup/{token}":                 anybody,
		"POST /setup/{token}":                anybody.as("setup"),
		"GET /join/{token}":                  anybody,
		"POST /join/{token}":                 anybody.as("member.join"),
		"GET /s/{token}":                     anybody,
		"GET /s/{token}/events":              anybody,
		"POST /s/{token}/ticket":             anybody,
		"GET /":                              viewer,
		"GET /w/{id}":                        viewer,
		"GET /w/{id}/runs":                   viewer,
		"GET /w/{id}/versions":               viewer,
		"GET /runs":                          viewer,
		"GET /runs/{id}":                     viewer,
		"GET /settings":                      viewer,
		"GET /settings/members":              viewer,
		"GET /settings/audit":                admin,
		"GET /settings/audit/export":         admin.as("audit.export"),
		"GET /help/keys":                     viewer,
		"POST /logout":                       viewer.as("logout"),
		"GET /api/openapi.json":              viewer,
		"GET /api/me":                        viewer,
		"PATCH /api/me":                      viewer, // one's own language and tour
		"POST /api/me/password":              viewer.as("password.change"),
		"GET /api/members":                   viewer,
		"PATCH /api/members/{id}":            admin.as("member.role"),
		"DELETE /api/members/{id}":           admin.as("member.remove"),
		"GET /api/invitations":               admin,
		"POST /api/invitations":              admin.as("member.invite"),
		"DELETE /api/invitations/{id}":       admin.as("invitation.revoke"),
		"GET /api/audit":                     admin,
		"GET /api/kinds":                     viewer,
		"POST /api/ticket":                   viewer,
		"GET /api/templates":                 viewer,
		"GET /api/workflows":                 viewer,
		"POST /api/workflows":                editor,
		"GET /api/workflows/{id}":            viewer,
		"PATCH /api/workflows/{id}":          editor,
		"DELETE /api/workflows/{id}":         editor.as("workflow.delete"),
		"GET /api/workflows/{id}/draft":      viewer,
		"GET /api/workflows/{id}/export":     viewer,
		"GET /api/workflows/{id}/ops":        viewer,
		"POST /api/workflows/{id}/ops":       editor,
		"PUT /api/workflows/{id}/camera":     viewer,
		"POST /api/workflows/{id}/publish":   editor.as("workflow.publish"),
		"GET /api/workflows/{id}/versions":   viewer,
		"GET /api/versions/{id}":             viewer,
		"POST /api/workflows/{id}/runs":      operator.as("run.start"),
		"GET /api/workflows/{id}/samples":    viewer,
		"POST /api/expr/check":               viewer,
		"GET /api/runs":                      viewer,
		"GET /api/runs/{id}":                 viewer,
		"GET /api/runs/{id}/events":          viewer,
		"GET /api/runs/{id}/events/{seq}":    viewer,
		"POST /api/runs/{id}/cancel":         operator.as("run.cancel"),
		"POST /api/runs/{id}/signal":         operator.as("run.signal"),
		"POST /api/runs/{id}/decide":         operator.as("run.decide"),
		"POST /api/runs/{id}/pause":          operator.as("run.pause"),
		"POST /api/runs/{id}/resume":         operator.as("run.resume"),
		"POST /api/runs/{id}/rollback":       operator.as("run.rollback"),
		"POST /api/runs/{id}/resolve":        operator.as("run.resolve"),
		"POST /api/runs/{id}/retry":          operator.as("run.retry"),
		"POST /api/runs/{id}/fork":           operator.as("run.fork"),
		"GET /api/runs/{id}/forks":           viewer,
		"GET /api/runs/{id}/compare/{other}": viewer,
		"GET /api/shares":                    viewer,
		"POST /api/shares":                   editor.as("share.create"),
		"DELETE /api/shares/{id}":            editor.as("share.revoke"),
		"GET /api/credentials":               editor, // names only, to choose from
		"POST /api/credentials":              developer.as("credential.set"),
		"DELETE /api/credentials/{id}":       developer.as("credential.delete"),
		"GET /api/tokens":                    viewer,                    // one's own
		"POST /api/tokens":                   viewer.as("token.create"), // with at most one's own role
		"DELETE /api/tokens/{id}":            viewer.as("token.revoke"),
	}
}

// Route is one line of the map of routes.
type Route struct {
	Method   string
	Pattern  string
	Role     account.Role // at least; empty: everybody
	Loopback bool         // only from this machine
	Does     string       // action in the audit log; empty: not recorded
}

// Routes lists every route with who may use it.
func (s *Server) Routes() ([]Route, error) {
	var list []Route
	table := accessTable()
	walk := func(method, pattern string, _ http.Handler, _ ...func(http.Handler) http.Handler) error {
		_, a, ok := lookAccess(table, method, pattern)
		if !ok {
			return fmt.Errorf("the route %s %s has no entry in the access table", method, pattern)
		}
		list = append(list, Route{Method: method, Pattern: pattern, Role: a.role, Loopback: a.loopback, Does: a.does})
		return nil
	}
	if err := chi.Walk(s.router, walk); err != nil {
		return nil, fmt.Errorf("walk the routes: %w", err)
	}
	return list, nil
}
