package server

import (
	"context"
	"io"
	"net/http"
	"time"
)

// readyWithin bounds the questions behind /readyz.
const readyWithin = 2 * time.Second

// healthz says that the process answers; it says nothing about versions.
func (s *Server) healthz(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = io.WriteString(w, "ok\n")
}

// readyz says whether requests should come here: what we need is reachable.
func (s *Server) readyz(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), readyWithin)
	defer cancel()
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	if s.config.Ready != nil {
		if err := s.config.Ready(ctx); err != nil {
			s.config.Log.WarnContext(ctx, "not ready", "err", err)
			w.WriteHeader(http.StatusServiceUnavailable)
			_, _ = io.WriteString(w, "not ready\n")
			return
		}
	}
	_, _ = io.WriteString(w, "ready\n")
}

// metricsPage answers Prometheus.
func (s *Server) metricsPage(w http.ResponseWriter, r *http.Request) {
	s.metricsHandler.ServeHTTP(w, r)
}

// static serves built files. Their names carry a hash of the content, so a
// browser may keep them for ever.
func (s *Server) static(w http.ResponseWriter, r *http.Request) {
	w.Header().Del("Cache-Control")
	s.config.Assets.ServeHTTP(w, r)
}
