package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	client "signalbox/client/worker"
	"signalbox/engine/guard"
	"signalbox/engine/route"
	"signalbox/engine/task"
	"signalbox/engine/vault"
	"signalbox/engine/worker"
	"signalbox/engine/worker/action"
	"signalbox/engine/worker/remote"
)

// edge are the settings of a worker at the edge, read.
type edge struct {
	lease time.Duration
	reach []guard.Exception
}

// edge reads the settings and lists all that is wrong with them.
func (c *Config) edge() (edge, error) {
	var e edge
	var faults []error
	if c.DatabaseURL != "" || c.NATSURL != "" {
		faults = append(faults, errors.New("--server is for a worker that has neither DATABASE_URL nor NATS_URL: leave them, or --server, away"))
	}
	switch u, err := url.Parse(c.Server); {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		faults = append(faults, fmt.Errorf("--server %q is not the address of a server; expected for example https://flows.example.org", c.Server))
	case u.Scheme == "http" && !loopback(u.Hostname()):
		faults = append(faults, fmt.Errorf("--server %s would send the token over the network without TLS; expected: https", c.Server))
	}
	if c.Token == "" {
		faults = append(faults, errors.New("--token (SIGNALBOX_TOKEN) is empty; expected: an API token of the role worker, made under Settings → API tokens"))
	}
	if !route.GoodLocation(c.Location) {
		faults = append(faults, fmt.Errorf("--location %q is no location; expected: %s", c.Location, route.LocationExpected))
	}
	if c.Lease != "" {
		var err error
		if e.lease, err = time.ParseDuration(c.Lease); err != nil || e.lease < time.Second || e.lease > client.LeaseMax {
			faults = append(faults, fmt.Errorf("--lease %q cannot be used; expected: a time from 1s to 10m, for example 5m", c.Lease))
		}
	}
	for origin := range strings.SplitSeq(c.Reach, ",") {
		if origin = strings.TrimRight(strings.TrimSpace(origin), "/"); origin == "" {
			continue
		}
		if u, err := url.Parse(origin); err != nil || u.Host == "" || u.Path != "" || u.Scheme != "http" && u.Scheme != "https" {
			faults = append(faults, fmt.Errorf("--reach %q is no origin; expected for example http://192.168.1.20:8080", origin))
			continue
		}
		e.reach = append(e.reach, guard.Exception{Origin: origin, Path: "/", Private: true})
	}
	return e, errors.Join(faults...)
}

// workAtTheEdge does the program's own steps far from the server: all that it
// has is the server's address and a token of the role worker.
func workAtTheEdge(ctx context.Context, cfg Config, log *slog.Logger) error {
	e, err := cfg.edge()
	if err != nil {
		return err
	}
	web, err := guard.New(guard.Config{Exceptions: e.reach})
	if err != nil {
		return fmt.Errorf("set up the guard: %w", err)
	}
	defer web.Close()
	host, err := os.Hostname()
	if err != nil {
		host = "worker"
	}
	way, err := client.HTTP(cfg.Server, cfg.Token, nil)
	if err != nil {
		return err
	}
	toServer := &line{Transport: way}
	beside, err := openOps(ctx, cfg, log, newRegistry(), toServer.ready)
	if err != nil {
		return err
	}
	defer beside.close()
	c := client.Config{
		Transport: toServer, Name: fmt.Sprintf("%s-%d", host, os.Getpid()), Slots: cfg.Slots, Location: cfg.Location, Lease: e.lease, Log: log,
	}
	if cfg.Spool != "" {
		if c.Spool, err = client.OpenSpool(cfg.Spool); err != nil {
			return err
		}
		defer func() { _ = c.Spool.Close() }()
	}
	w, err := client.New(c)
	if err != nil {
		return err
	}
	actions := map[string]worker.Action{"mock": action.Mock{}, "http": action.NewHTTP(web), "llm": action.NewLLM(web)}
	for _, kind := range remote.StepKinds() {
		w.HandleStep(kind, atTheEdge(actions[kind]))
	}
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return beside.run(ctx) })
	g.Go(func() error { return w.Run(ctx) })
	return g.Wait()
}

// line is the way to the server; it knows whether the last question got through.
type line struct {
	client.Transport
	fault atomic.Pointer[error]
}

// Ask implements client.Transport.
func (l *line) Ask(ctx context.Context, q client.Question) ([]byte, error) {
	raw, err := l.Transport.Ask(ctx, q)
	var no *client.Refusal
	switch {
	case err == nil || errors.As(err, &no):
		l.fault.Store(nil)
	case ctx.Err() == nil:
		l.fault.Store(&err)
	}
	return raw, err //nolint:wrapcheck // the client tells refusals from faults
}

// ready says whether the line is up, for /readyz.
func (l *line) ready(context.Context) error {
	if err := l.fault.Load(); err != nil {
		return fmt.Errorf("the server does not answer: %w", *err)
	}
	return nil
}

// atTheEdge makes an action of ours do what a server has handed out.
func atTheEdge(a worker.Action) client.Handler {
	return func(ctx context.Context, t *client.Task) (any, error) {
		limit := time.Duration(t.TimeoutSeconds * float64(time.Second))
		if limit > 0 { // the server's word may not get through
			var stop context.CancelFunc
			ctx, stop = context.WithTimeoutCause(ctx, limit, client.Fail(worker.ClassTimeout, fmt.Sprintf("The attempt took longer than %s.", limit)))
			defer stop()
		}
		output, err := a.Do(ctx, worker.Call{
			Task: task.Task{
				Workflow: t.Workflow, Run: t.Run, Node: t.Node, Visit: t.Visit, Attempt: t.Attempt, Kind: t.Kind, Key: t.Key,
				Timeout: limit, // without one an action sets its own
			},
			Config: t.Input, Progress: t.Progress, By: func(string) {}, Settled: func(func(*task.Result, bool)) {},
			Secret: func(_ context.Context, name string) (vault.Secret, error) {
				return vault.Secret{}, worker.Fail(worker.ClassUnauthorized, fmt.Sprintf("The credential %q stays with the server: workers at the edge open none.", name))
			},
		})
		var failed *worker.Failure
		if errors.As(err, &failed) {
			out := client.Fail(failed.Class, failed.Message)
			out.RetryAfter = failed.RetryAfter
			if len(failed.Details) > 0 {
				out.Details = failed.Details
			}
			return nil, out
		}
		return output, err
	}
}
