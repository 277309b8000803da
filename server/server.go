// Package server is the face of Signalbox on the network: pages, the HTTP
// API, the websocket, webhooks.
//
// It decides who may do what (one table, deny by default) and turns requests
// into calls of the services; it knows neither Postgres nor NATS. All routes
// stand on one screen in routes.go.
package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/alexedwards/scs/v2"
	"github.com/go-chi/chi/v5"
	"github.com/gorilla/websocket"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"signalbox/engine/account"
	"signalbox/engine/audit"
	"signalbox/engine/bulk"
	"signalbox/engine/casebook"
	"signalbox/engine/comment"
	"signalbox/engine/draft"
	"signalbox/engine/gallery"
	"signalbox/engine/inbox"
	"signalbox/engine/proposal"
	"signalbox/engine/review"
	"signalbox/engine/routing"
	"signalbox/engine/share"
	"signalbox/engine/vault"
	"signalbox/engine/worker/remote"
)

// Config is all that a Server needs. Every field is required unless it says
// otherwise.
type Config struct {
	PublicURL    string   // scheme and host under which browsers reach us
	Hosts        []string // further values of the Host header that are ours, for example localhost:8080; may be empty
	TrustedProxy bool     // believe X-Forwarded-For; off by default

	HookWait time.Duration // how long a webhook waits for its run's answer; 0: 30 s

	Log      *slog.Logger
	Now      func() time.Time // nil: time.Now
	Metrics  *prometheus.Registry
	Ready    func(context.Context) error // nil: always ready
	Assets   Assets
	Sessions scs.CtxStore
	Tickets  Tickets

	Accounts *account.Service
	Audit    *audit.Log
	Drafts   *draft.Service
	Comments *comment.Service
	Inbox    *inbox.Service
	Reviews  *review.Service
	Gallery  *gallery.Gallery
	Shares   *share.Service
	Vault    *vault.Vault
	Routing  *routing.Service
	Hub      *Hub // the same one that Drafts, Comments and Shares publish to
	Workers  *remote.Office
	Engine   Engine
	Events   Events
	History  History
	Boards   Boards
	Letters  Letters
	Filters  Filters
	Cases    *casebook.Service
	Bulk     *bulk.Service

	Proposals *proposal.Service
}

func (c Config) validate() error {
	var faults []error
	u, err := url.Parse(c.PublicURL)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") || strings.Trim(u.Path, "/") != "" {
		faults = append(faults, fmt.Errorf("the public URL %q is not http://host or https://host", c.PublicURL))
	}
	required := []struct {
		name  string
		there bool
	}{
		{"Log", c.Log != nil},
		{"Metrics", c.Metrics != nil},
		{"Assets", c.Assets != nil},
		{"Sessions", c.Sessions != nil},
		{"Tickets", c.Tickets != nil},
		{"Accounts", c.Accounts != nil},
		{"Audit", c.Audit != nil},
		{"Drafts", c.Drafts != nil},
		{"Comments", c.Comments != nil},
		{"Inbox", c.Inbox != nil},
		{"Reviews", c.Reviews != nil},
		{"Gallery", c.Gallery != nil},
		{"Shares", c.Shares != nil},
		{"Vault", c.Vault != nil},
		{"Routing", c.Routing != nil},
		{"Cases", c.Cases != nil},
		{"Bulk", c.Bulk != nil},
		{"Filters", c.Filters != nil},
		{"Hub", c.Hub != nil},
		{"Workers", c.Workers != nil},
		{"Engine", c.Engine != nil},
		{"Events", c.Events != nil},
		{"History", c.History != nil},
		{"Boards", c.Boards != nil},
		{"Letters", c.Letters != nil},
		{"Proposals", c.Proposals != nil},
	}
	for _, r := range required {
		if !r.there {
			faults = append(faults, fmt.Errorf("the server needs %s", r.name))
		}
	}
	return errors.Join(faults...)
}

// Server answers requests. It is an http.Handler.
type Server struct {
	config         Config
	scheme         string
	origin         string   // scheme://host of the public URL
	hosts          []string // Host headers that are ours, lower case
	sessions       *scs.SessionManager
	crossOrigin    *http.CrossOriginProtection
	limits         limits
	hub            *Hub
	metrics        *metrics
	metricsHandler http.Handler
	upgrader       websocket.Upgrader
	pages          pages
	access         map[string]access
	router         chi.Router
}

// New checks the configuration and builds the routes.
func New(c Config) (*Server, error) {
	if err := c.validate(); err != nil {
		return nil, err
	}
	if c.Now == nil {
		c.Now = time.Now //nolint:forbidigo // the one place where the server's clock comes from
	}
	if c.HookWait == 0 {
		c.HookWait = hookWaitUsual
	}
	u, err := url.Parse(c.PublicURL)
	if err != nil {
		return nil, fmt.Errorf("read the public URL: %w", err)
	}
	s := &Server{
		config: c, scheme: u.Scheme, origin: u.Scheme + "://" + u.Host,
		crossOrigin: http.NewCrossOriginProtection(), limits: newLimits(),
		hub: c.Hub, metrics: c.Hub.metrics, metricsHandler: promhttp.HandlerFor(c.Metrics, promhttp.HandlerOpts{}),
	}
	for _, host := range append(slices.Clone(c.Hosts), u.Host) {
		s.hosts = append(s.hosts, strings.ToLower(host))
	}
	// The origin was checked before: exactly one, ours. No compression: a
	// small frame could become a huge one.
	s.upgrader = websocket.Upgrader{ReadBufferSize: 1024, WriteBufferSize: 1024, WriteBufferPool: c.Hub.buffers, CheckOrigin: func(*http.Request) bool { return true }}
	s.sessions = newSessions(c.Sessions, u.Scheme == "https")
	s.sessions.ErrorFunc = s.fail
	if err := s.metrics.register(c.Metrics); err != nil {
		return nil, fmt.Errorf("register metrics: %w", err)
	}
	if s.pages, err = newPages(); err != nil {
		return nil, err
	}
	s.access = accessTable()
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
