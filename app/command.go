package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"time"

	"golang.org/x/sync/errgroup"

	"signalbox/engine/account"
	"signalbox/engine/meter"
	"signalbox/engine/nats"
	"signalbox/engine/pg"
	"signalbox/engine/vault"
	"signalbox/engine/worker"
)

// Command runs one of the commands that take the table of settings.
func Command(ctx context.Context, name string, cfg Config, log *slog.Logger, out io.Writer) error {
	switch name {
	case "serve":
		return serve(ctx, cfg, log, out)
	case "worker":
		if cfg.Server != "" {
			return workAtTheEdge(ctx, cfg, log)
		}
		return workOnly(ctx, cfg, log)
	case "migrate":
		b, err := openBase(ctx, cfg, log)
		if err != nil {
			return err
		}
		fmt.Fprintln(out, "The schema is up to date.")
		return b.close(ctx)
	case "setup-link":
		return setupLink(ctx, cfg, out)
	}
	return fmt.Errorf("there is no command %q", name)
}

func serve(ctx context.Context, cfg Config, log *slog.Logger, out io.Writer) error {
	if time.Now().Year() < 2024 {
		return errors.New("the clock of this machine says " + time.Now().Format(time.DateOnly) + ": set it right first, since timers and deadlines depend on it")
	}
	began := time.Now()
	a, err := New(ctx, cfg, log)
	if err != nil {
		return err
	}
	return a.Run(ctx, func() {
		log.InfoContext(ctx, "ready", "took", time.Since(began).Round(time.Millisecond), "address", a.Origin)
		if err := a.Welcome(ctx, out); err != nil {
			log.WarnContext(ctx, "no welcome", "err", err)
		}
	})
}

// setupLink reaches the database of a running server: a private one is behind
// a socket in the data directory.
func setupLink(ctx context.Context, cfg Config, out io.Writer) error {
	dsn := cfg.DatabaseURL
	if dsn == "" {
		var err error
		if dsn, err = runningDSN(cfg.Data); err != nil {
			return err
		}
	}
	db, err := pg.Open(ctx, dsn)
	if err != nil {
		return err
	}
	defer db.Close()
	token, err := account.New(pg.NewAccounts(db.Pool()), time.Now).SetupLink(ctx)
	if err != nil {
		return err
	}
	origin := cfg.PublicURL
	if origin == "" {
		origin = "http://" + cfg.Listen
	}
	fmt.Fprintf(out, "%s/setup/%s\n", origin, token)
	return nil
}

// workOnly runs workers beside a server elsewhere.
func workOnly(ctx context.Context, cfg Config, log *slog.Logger) error {
	if cfg.DatabaseURL == "" || cfg.NATSURL == "" {
		return errors.New("a worker of its own needs DATABASE_URL and NATS_URL of the server that it works for; at the edge it needs --server, --token and --location in their place")
	}
	if cfg.Location != "" {
		return errors.New("--location is for a worker at the edge, which has --server and --token; one with DATABASE_URL serves all queues of the program")
	}
	db, err := pg.Open(ctx, cfg.DatabaseURL)
	if err != nil {
		return err
	}
	defer db.Close()
	if _, err := os.Stat(cfg.keyPath()); err != nil {
		return fmt.Errorf("a worker opens credentials with the server's key: put a copy at %s, or name it by --key-file", cfg.keyPath())
	}
	key, err := cfg.openKey()
	if err != nil {
		return err
	}
	conn, err := nats.Connect(nats.Config{URL: cfg.NATSURL, Credentials: cfg.NATSCreds, Name: "signalbox-worker", Log: log})
	if err != nil {
		return err
	}
	defer conn.Close()
	v := vault.New(pg.NewCredentials(db.Pool()), key, time.Now)
	registry := newRegistry()
	counted, err := meter.NewWorkers(registry)
	if err == nil {
		err = meter.Register(registry, meter.Sources{Pool: poolOf(db), Connected: func() bool { return conn.Health() == "" }})
	}
	if err != nil {
		return fmt.Errorf("register metrics: %w", err)
	}
	beside, err := openOps(ctx, cfg, log, registry, func(ctx context.Context) error {
		if err := db.Ping(ctx); err != nil {
			return fmt.Errorf("the database does not answer: %w", err)
		}
		return connected(conn)
	})
	if err != nil {
		return err
	}
	defer beside.close()
	store := pg.NewStore(db)
	store.SealWith(key.Values(), cfg.SealValues)
	actions, err := cfg.actions("", addresses(cfg.PublicURL, v))
	if err != nil {
		return err
	}
	seen := openWitness(ctx, cfg, log)
	defer func() { _ = seen.Close() }()
	host, err := os.Hostname()
	if err != nil {
		host = "worker"
	}
	source := nats.NewSource(conn)
	pool, err := worker.New(worker.Config{
		Source: source, Actions: actions, Payloads: patient{store}, Secret: secrets(v), Redact: v.Redactor().Bytes,
		Log: log, Name: fmt.Sprintf("%s-%d", host, os.Getpid()), Default: cfg.Slots, Meter: counted.Attempt, Serves: notOwn, Witness: seen,
	})
	if err != nil {
		return err
	}
	log.InfoContext(ctx, "working", "nats", conn.Health())
	size := &scaler{pool: pool, min: cfg.SlotsMin, max: cfg.Slots, look: func(ctx context.Context) (meter.Channel, error) { return natsDepth(ctx, conn) }}
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return size.run(ctx) })
	g.Go(func() error { return beside.run(ctx) })
	g.Go(func() error {
		defer source.Leave(context.WithoutCancel(ctx))
		return pool.Run(ctx)
	})
	return g.Wait()
}

// connected says what is wrong with the connection to NATS.
func connected(c *nats.Conn) error {
	if fault := c.Health(); fault != "" {
		return errors.New(fault)
	}
	return nil
}
