package app

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// ops answers the machines that look after this process: /healthz, /readyz and
// /metrics at an address of their own, which people never see. It has no
// cookies, no names and no other pages, so it may be reached by any name.
type ops struct {
	log      *slog.Logger
	token    string // opens /metrics from elsewhere; empty: only from this machine
	ready    func(context.Context) error
	metrics  http.Handler
	listener net.Listener
}

// readyWithin bounds the questions behind /readyz.
const readyWithin = 2 * time.Second

// openOps listens where the settings say; nil: nowhere.
func openOps(ctx context.Context, cfg Config, log *slog.Logger, r *prometheus.Registry, ready func(context.Context) error) (*ops, error) {
	if cfg.OpsListen == "" {
		return nil, nil //nolint:nilnil // no address, no listener
	}
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", cfg.OpsListen)
	if err != nil {
		return nil, fmt.Errorf("--ops-listen %s cannot be listened on: %w", cfg.OpsListen, err)
	}
	return &ops{log: log, token: cfg.MetricsToken, ready: ready, metrics: promhttp.HandlerFor(r, promhttp.HandlerOpts{}), listener: l}, nil
}

// run serves until the context ends. Without an address it only waits.
func (o *ops) run(ctx context.Context) error {
	if o == nil {
		<-ctx.Done()
		return nil
	}
	web := &http.Server{
		Handler: o.handler(), ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 5 * time.Second, WriteTimeout: 30 * time.Second,
		IdleTimeout: time.Minute, MaxHeaderBytes: 16 << 10, ErrorLog: slog.NewLogLogger(o.log.Handler(), slog.LevelDebug),
	}
	stop := context.AfterFunc(ctx, func() { _ = web.Close() })
	defer stop()
	if err := web.Serve(o.listener); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve --ops-listen: %w", err)
	}
	return nil
}

func (o *ops) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { say(w, http.StatusOK, "ok") })
	mux.HandleFunc("GET /readyz", o.readyz)
	mux.HandleFunc("GET /metrics", o.scrape)
	return mux
}

func (o *ops) close() {
	if o != nil {
		_ = o.listener.Close()
	}
}

func (o *ops) readyz(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), readyWithin)
	defer cancel()
	if err := o.ready(ctx); err != nil {
		o.log.WarnContext(ctx, "not ready", "err", err)
		say(w, http.StatusServiceUnavailable, "not ready")
		return
	}
	say(w, http.StatusOK, "ready")
}

func (o *ops) scrape(w http.ResponseWriter, r *http.Request) {
	want := []byte("Bearer " + o.token)
	known := o.token != "" && subtle.ConstantTimeCompare([]byte(r.Header.Get("Authorization")), want) == 1
	at, err := netip.ParseAddrPort(r.RemoteAddr)
	if !known && (err != nil || !at.Addr().Unmap().IsLoopback()) {
		say(w, http.StatusNotFound, "not found")
		return
	}
	o.metrics.ServeHTTP(w, r)
}

func say(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, text+"\n")
}

// OpsOrigin is where machines ask; empty: nowhere.
func (a *App) OpsOrigin() string {
	if a.ops == nil {
		return ""
	}
	return "http://" + a.ops.listener.Addr().String()
}
