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
	role     account.Role  // at least; empty: everybody
	loopback bool          // only from this machine
	scope    account.Scope // of API tokens; empty: closed to those that are limited
	does     string        // action in the audit log; empty: not recorded
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
	used := map[string]bool{}
	for _, r := range routes {
		key, _, _ := lookAccess(s.access, r.Method, r.Pattern)
		used[key] = true
	}
	for key := range s.access {
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
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		route := chi.RouteContext(r.Context())
		method := r.Method
		if route.RouteMethod != "" {
			method = route.RouteMethod
		}
		_, a, ok := lookAccess(s.access, method, route.RoutePattern())
		who := s.current(r)
		var outside error // of what the token is limited to
		if ok && a.role != "" && who.Known() && who.Role.AtLeast(a.role) {
			outside = s.inScope(r, who.Limits, a.scope, route.RoutePattern())
		}
		switch {
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
		case outside != nil:
			s.fail(w, r, outside)
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

// Route is one line of the map of routes.
type Route struct {
	Method   string
	Pattern  string
	Role     account.Role  // at least; empty: everybody
	Loopback bool          // only from this machine
	Scope    account.Scope // of API tokens; empty: none
	Does     string        // action in the audit log; empty: not recorded
}

// Routes lists every route with who may use it.
func (s *Server) Routes() ([]Route, error) {
	var list []Route
	walk := func(method, pattern string, _ http.Handler, _ ...func(http.Handler) http.Handler) error {
		_, a, ok := lookAccess(s.access, method, pattern)
		if !ok {
			return fmt.Errorf("the route %s %s has no entry in the access table", method, pattern)
		}
		list = append(list, Route{Method: method, Pattern: pattern, Role: a.role, Loopback: a.loopback, Scope: a.scope, Does: a.does})
		return nil
	}
	if err := chi.Walk(s.router, walk); err != nil {
		return nil, fmt.Errorf("walk the routes: %w", err)
	}
	return list, nil
}
