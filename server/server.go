// Package server is the face of Signalbox on the network: pages, the HTTP
// API, the websocket, webhooks.
//
// It decides who may do what (one table, deny by default) and turns requests
// into calls of the services; it knows neither Postgres nor NATS. All routes
// stand on one screen in routes.go.
package server

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"time"

	"github.com/alexedwards/scs/v2"
	"github.com/go-chi/chi/v5"

	"signalbox/engine/account"
)

// Config is all that a Server needs.
type Config struct {
	PublicURL    string   // required: scheme and host under which browsers reach us
	Hosts        []string // further values of the Host header that are ours, for example localhost:8080
	TrustedProxy bool     // believe X-Forwarded-For; off by default

	Log      *slog.Logger     // required
	Now      func() time.Time // nil: time.Now
	Assets   Assets           // required
	Sessions scs.CtxStore     // required
	Accounts *account.Service // required
}

func (c Config) validate() error {
	var faults []error
	u, err := url.Parse(c.PublicURL)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		faults = append(faults, fmt.Errorf("the public URL %q is not http://host or https://host", c.PublicURL))
	}
	required := map[string]bool{
		"Log": c.Log != nil, "Assets": c.Assets != nil, "Sessions": c.Sessions != nil, "Accounts": c.Accounts != nil,
	}
	for name, there := range required {
		if !there {
			faults = append(faults, fmt.Errorf("the server needs %s", name))
		}
	}
	return errors.Join(faults...)
}

// Server answers requests. It is an http.Handler.
type Server struct {
	config   Config
	origin   string // scheme://host of the public URL
	sessions *scs.SessionManager
	router   chi.Router
}

// New checks the configuration and builds the routes.
func New(c Config) (*Server, error) {
	if err := c.validate(); err != nil {
		return nil, err
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	u, err := url.Parse(c.PublicURL)
	if err != nil {
		return nil, fmt.Errorf("read the public URL: %w", err)
	}
	s := &Server{config: c, origin: u.Scheme + "://" + u.Host}
	s.sessions = newSessions(c.Sessions, u.Scheme == "https")
	s.router = s.routes()
	if err := s.checkAccess(); err != nil {
		return nil, err
	}
	return s, nil
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.router.ServeHTTP(w, r)
}
