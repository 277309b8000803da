package server

import (
	"bufio"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"log/slog"
	"net"
	"net/http"
	"runtime/debug"
	"strings"

	"github.com/go-chi/chi/v5"
)

type requestKey struct{}

// requestIDOf names the request in logs and in answers, so that a person can
// tell us which one went wrong.
func requestIDOf(ctx context.Context) string {
	id, _ := ctx.Value(requestKey{}).(string)
	return id
}

// identifyRequest gives every request an id of our own making; one that came
// with the request is never believed.
func (s *Server) identifyRequest(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := strings.ToLower(rand.Text()[:16])
		w.Header().Set("X-Request-Id", id)
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), requestKey{}, id)))
	})
}

// recoverPanic answers "internal" when a handler panics, and logs once.
func (s *Server) recoverPanic(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			p := recover()
			if p == nil {
				return
			}
			if p == http.ErrAbortHandler { //nolint:errorlint // the value itself is the signal of net/http
				panic(p) //nolint:forbidigo // net/http asks for this one to pass
			}
			s.config.Log.ErrorContext(r.Context(), "a handler panicked",
				"request", requestIDOf(r.Context()), "err", p, "stack", string(debug.Stack()))
			s.fail(w, r, errPanic)
		}()
		next.ServeHTTP(w, r)
	})
}

// logAccess writes one line a request. It names the route, and the path only
// where no part of it is a secret; it never writes the query.
func (s *Server) logAccess(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := s.config.Now()
		rec := &recorder{ResponseWriter: w}
		next.ServeHTTP(rec, r)
		route, took := routeOf(r), s.config.Now().Sub(began)
		s.metrics.observe(r.Method, route, rec.status(), took)
		level := slog.LevelInfo
		if quietRoute(route) && rec.status() < http.StatusBadRequest {
			level = slog.LevelDebug
		}
		s.config.Log.LogAttrs(r.Context(), level, "request",
			slog.String("request", requestIDOf(r.Context())),
			slog.String("method", r.Method),
			slog.String("path", loggedPath(r, route)),
			slog.Int("status", rec.status()),
			slog.Int64("bytes", rec.bytes),
			slog.Float64("ms", float64(took.Microseconds())/1000),
			slog.String("ip", s.clientIP(r)),
		)
	})
}

// quietRoute reports whether a route is asked so often that good answers would
// drown the log.
func quietRoute(route string) bool {
	switch route {
	case "/static/*", "/healthz", "/readyz", "/metrics", "/hooks/{path}", "/demo/{name}":
		return true
	}
	return false
}

// routeOf is the pattern that matched, or "unknown".
func routeOf(r *http.Request) string {
	if c := chi.RouteContext(r.Context()); c != nil {
		if p := c.RoutePattern(); p != "" {
			return p
		}
	}
	return "unknown"
}

// loggedPath is the path without secrets: share and setup tokens and webhook
// paths open something for whoever knows them.
func loggedPath(r *http.Request, route string) string {
	if route == "unknown" || strings.Contains(route, "{token}") || strings.Contains(route, "{path}") {
		return route
	}
	return r.URL.Path
}

// recorder remembers what was answered.
type recorder struct {
	http.ResponseWriter
	code  int
	bytes int64
}

func (r *recorder) status() int {
	if r.code == 0 {
		return http.StatusOK
	}
	return r.code
}

// WriteHeader implements http.ResponseWriter.
func (r *recorder) WriteHeader(code int) {
	if r.code == 0 {
		r.code = code
	}
	r.ResponseWriter.WriteHeader(code)
}

// Write implements http.ResponseWriter.
func (r *recorder) Write(b []byte) (int, error) {
	if r.code == 0 {
		r.code = http.StatusOK
	}
	n, err := r.ResponseWriter.Write(b)
	r.bytes += int64(n)
	return n, err //nolint:wrapcheck // a writer passes the error on as it is
}

// Unwrap lets http.ResponseController reach the connection.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }

// Hijack implements http.Hijacker, which the websocket upgrade asks for.
func (r *recorder) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	r.code = http.StatusSwitchingProtocols
	return http.NewResponseController(r.ResponseWriter).Hijack() //nolint:wrapcheck // passed on as it is
}

// hashText is a short name for a secret that cannot be turned back.
func hashText(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}
