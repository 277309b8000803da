package server

import (
	"context"
	"net/http"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"

	"signalbox/engine/account"
	"signalbox/engine/audit"
)

// homeWorkspace keeps the entries of who is no member of any workspace: those
// who fail to log in.
const homeWorkspace = "main"

// deed is what a request turns out to have done. The route gives its action;
// handlers add the rest by deedOf.
type deed struct {
	who    account.Identity
	action string // empty: nothing that is recorded
	target string
	detail string
	failed bool // record it although the answer is no
}

type deedKey struct{}

// deedOf is what the request behind a context does; for requests that are not
// recorded, it is one that nobody reads.
func deedOf(ctx context.Context) *deed {
	if d, ok := ctx.Value(deedKey{}).(*deed); ok {
		return d
	}
	return &deed{}
}

// record writes what a request did into the audit log, when the access table
// names it and it was done. The caller has the answer only after that.
func (s *Server) record(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		route := chi.RouteContext(r.Context())
		_, a, _ := lookAccess(s.access, r.Method, route.RoutePattern())
		if a.does == "" {
			next.ServeHTTP(w, r)
			return
		}
		d := &deed{who: s.current(r), action: a.does, target: chi.URLParam(r, "id")}
		ww := middleware.NewWrapResponseWriter(w, r.ProtoMajor)
		next.ServeHTTP(ww, r.WithContext(context.WithValue(r.Context(), deedKey{}, d)))
		if d.action == "" || (ww.Status() >= http.StatusBadRequest && !d.failed) {
			return
		}
		workspace := d.who.Workspace
		if workspace == "" {
			workspace = homeWorkspace
		}
		e := audit.Entry{
			Actor: d.who.User, Name: d.who.Name, Token: d.who.Token, Action: d.action,
			Target: d.target, Detail: d.detail, Address: s.clientIP(r),
		}
		if err := s.config.Audit.Append(context.WithoutCancel(r.Context()), workspace, e); err != nil {
			s.config.Log.ErrorContext(r.Context(), "an entry of the audit log was lost", "action", e.Action, "actor", e.Name, "request", requestIDOf(r.Context()), "err", err)
		}
	})
}
