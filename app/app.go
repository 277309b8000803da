package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sync/errgroup"

	"signalbox/engine/account"
	auditlog "signalbox/engine/audit"
	"signalbox/engine/bulk"
	"signalbox/engine/casebook"
	"signalbox/engine/comment"
	"signalbox/engine/draft"
	"signalbox/engine/gallery"
	"signalbox/engine/inbox"
	localnats "signalbox/engine/local/nats"
	"signalbox/engine/meter"
	"signalbox/engine/nats"
	"signalbox/engine/pg"
	"signalbox/engine/review"
	"signalbox/engine/routing"
	"signalbox/engine/runtime"
	"signalbox/engine/share"
	"signalbox/engine/vault"
	"signalbox/engine/watch"
	"signalbox/engine/worker"
	"signalbox/engine/worker/remote"
	"signalbox/engine/worker/witness"
	"signalbox/server"
	"signalbox/static"
)

// App is the whole program in one process.
type App struct {
	Config Config
	Origin string // scheme and host of the server

	log     *slog.Logger
	base    *base
	nats    *localnats.Server
	conn    *nats.Conn
	work    *nats.Conn // the workers' end: one reader for each is faster
	bus     *nats.Bus  // nil: there are no other servers
	channel runtime.Channel
	source  worker.Source
	jobs    []func(context.Context) error // run beside the engine
	board   *watch.Board
	store   *pg.Store
	routing *routing.Service
	engine  *runtime.Engine

	toWorkers  runtime.Channel // the channel, with a short way for some queues
	fromEngine worker.Source

	pool     *worker.Pool
	witness  *witness.Journal
	office   *remote.Office // of workers of one's own
	elastic  scaler
	hub      *server.Hub
	server   *server.Server
	web      http.Handler // the server, behind what says that files are missing
	accounts *account.Service
	drafts   *draft.Service
	gallery  *gallery.Gallery
	key      *vault.Key
	vault    *vault.Vault
	cases    *casebook.Service
	bulk     *bulk.Service
	listener net.Listener
	registry *prometheus.Registry
	meters   meters
	rollups  *meter.Rollups
	ops      *ops
}

// shutdownMax is how long requests under way may take when the program stops.
const shutdownMax = 5 * time.Second

// flushMax is how long the last counts may take to be saved: a database that is
// away does not keep the program from stopping.
const flushMax = 2 * time.Second

// startLease keeps the number of shards while the rest of the program starts.
const startLease = 10 * time.Second

// New builds everything up to the open port. Run starts it.
func New(ctx context.Context, cfg Config, log *slog.Logger) (_ *App, err error) {
	a := &App{Config: cfg, log: log, board: watch.NewBoard(), registry: newRegistry()}
	defer func() {
		if err != nil {
			a.close(context.WithoutCancel(ctx))
		}
	}()
	var lc net.ListenConfig
	if a.listener, err = lc.Listen(ctx, "tcp", cfg.Listen); err != nil {
		return nil, fmt.Errorf("%s cannot be listened on (%w); is another Signalbox running? --listen chooses another address", cfg.Listen, err)
	}
	a.Origin = strings.TrimRight(cfg.PublicURL, "/")
	if a.Origin == "" {
		a.Origin = "http://" + a.listener.Addr().String()
	}
	if a.base, err = openBase(ctx, cfg, log); err != nil {
		return nil, err
	}
	if err = a.base.refuse(ctx); err != nil {
		return nil, err
	}
	if a.key, err = cfg.openKey(); err != nil {
		return nil, err
	}
	a.store = pg.NewStore(a.base.db)
	a.store.SealWith(a.key.Values(), cfg.SealValues)
	for _, build := range []func(context.Context) error{a.openChannel, a.openMeters, a.openTraces, a.openEngine, a.openServices, a.openWorkers, a.openServer} {
		if err = build(ctx); err != nil {
			return nil, err
		}
	}
	return a, nil
}

func (a *App) openEngine(ctx context.Context) error {
	if a.base.server != nil { // its directory is locked: an owner before us is dead
		if err := a.store.FreeShards(ctx); err != nil {
			return err
		}
	}
	host, err := os.Hostname()
	if err != nil {
		host = "host"
	}
	owner := host + "/" + uuid.NewString()
	if err := a.openRouting(ctx, owner); err != nil {
		return err
	}
	cfg := runtime.Config{
		Store: a.store, Ledger: a.store, Callees: a.store, Channel: a.toWorkers, Log: a.log,
		Owner: owner, Meter: a.meters, Queues: a.routing, Slots: a.store, Inside: a.Config.inside,
	}
	if cfg.Shards, err = a.store.Spread(ctx, cfg.Owner, a.Config.shards(), startLease); err != nil {
		return err
	}
	if wish := a.Config.shards(); cfg.Shards != wish {
		a.log.WarnContext(ctx, "the number of shards stays while other servers live: stop all of them once to change it", "shards", cfg.Shards, "wanted", wish)
	}
	if a.Config.shared() {
		if cfg.Peers, err = nats.NewPeers(a.conn, a.bus); err != nil {
			return err
		}
	}
	if a.Config.NATSURL == "" { // all who watch are in this process
		cfg.Watched = a.board.Watched
	}
	a.engine, err = runtime.New(cfg)
	return err
}

func (a *App) openServices(ctx context.Context) error {
	pool := a.base.db.Pool()
	a.hub = server.NewHub(a.log, a.board)
	if a.bus != nil {
		if err := a.hub.Join(a.bus); err != nil {
			return err
		}
	}
	a.vault = vault.New(pg.NewCredentials(pool), a.key, time.Now)
	a.accounts = account.New(pg.NewAccounts(pool), time.Now)
	a.drafts = draft.New(pg.NewDrafts(pool), a.hub, time.Now)
	var err error
	if a.gallery, err = gallery.New(); err != nil {
		return fmt.Errorf("read the templates: %w", err)
	}
	return a.importFlagship(ctx)
}

// loopback is how this machine reaches the server, whatever address it listens
// on and whatever its public URL is.
func (a *App) loopback() string {
	addr, ok := a.listener.Addr().(*net.TCPAddr)
	if !ok || addr.IP.IsUnspecified() {
		_, port, _ := net.SplitHostPort(a.listener.Addr().String()) // of a listener: well formed
		return "http://127.0.0.1:" + port
	}
	return "http://" + a.listener.Addr().String()
}

func (a *App) openWorkers(ctx context.Context) error {
	actions, err := a.Config.actions(a.loopback(), addresses(a.Origin, a.vault))
	if err != nil {
		return err
	}
	counted, err := meter.NewWorkers(a.registry)
	if err != nil {
		return fmt.Errorf("register metrics: %w", err)
	}
	a.witness = openWitness(ctx, a.Config, a.log)
	a.pool, err = worker.New(worker.Config{
		Source: a.fromEngine, Actions: actions, Payloads: patient{a.store}, Secret: secrets(a.vault), Redact: a.vault.Redactor().Bytes,
		Log: a.log, Name: "w1", Default: a.Config.Slots, Meter: counted.Attempt, Serves: notOwn, Witness: a.witness,
	})
	if err != nil {
		return err
	}
	a.elastic.pool, a.elastic.min, a.elastic.max = a.pool, a.Config.SlotsMin, a.Config.Slots
	a.jobs = append(a.jobs, a.elastic.run)
	return a.openOffice(counted)
}

func (a *App) openServer(ctx context.Context) error {
	assets, err := static.Open(a.Config.Assets)
	if err != nil {
		return err
	}
	if !assets.Built() {
		a.log.WarnContext(ctx, "the browser's files are not built: run make assets")
	}
	pool := a.base.db.Pool()
	_, port, err := net.SplitHostPort(a.listener.Addr().String())
	if err != nil {
		return fmt.Errorf("read the address: %w", err)
	}
	proposals, err := a.proposals()
	if err != nil {
		return err
	}
	h := pg.NewHistory(a.store)
	letters := pg.NewDeadLetters(h)
	a.openBulk(h, letters)
	a.server, err = server.New(server.Config{
		PublicURL: a.Origin, Hosts: []string{"127.0.0.1:" + port, "localhost:" + port, "[::1]:" + port}, TrustedProxy: a.Config.TrustedProxy,
		Log: a.log, Metrics: a.registry, Ready: a.ready, Assets: assets, Sessions: pg.NewSessions(pool), Tickets: pg.NewTickets(pool),
		Accounts: a.accounts, Audit: auditlog.New(pg.NewAudit(pool), time.Now), Drafts: a.drafts,
		Comments: comment.New(pg.NewComments(pool), a.hub, time.Now), Inbox: inbox.New(pg.NewInboxes(pool), time.Now), Reviews: review.New(pg.NewReviews(pool), a.hub, time.Now), Gallery: a.gallery, Shares: share.New(pg.NewShares(pool), a.hub, time.Now),
		Vault: a.vault, Routing: a.routing, Hub: a.hub, Workers: a.office, Engine: a.engine, Events: h, History: h, Boards: pg.NewBoards(pool), Letters: letters,
		Cases: a.cases, Bulk: a.bulk, Filters: pg.NewFilters(pool), Proposals: proposals,
	})
	if err != nil {
		return err
	}
	a.web = assets.Guard(a.server)
	a.ops, err = openOps(ctx, a.Config, a.log, a.registry, a.ready)
	return err
}

// ready reports whether requests can be served.
func (a *App) ready(ctx context.Context) error {
	select {
	case <-a.engine.Ready():
	default:
		return errors.New("the engine is starting")
	}
	if err := a.engine.Able(); err != nil {
		return err
	}
	if err := a.base.db.Ping(ctx); err != nil {
		return fmt.Errorf("the database does not answer: %w", err)
	}
	if a.conn != nil {
		return connected(a.conn)
	}
	return nil
}

// Run serves until the context ends, then stops everything in order: first
// the door, then the workers, then the engine.
func (a *App) Run(ctx context.Context, started func()) error {
	defer a.close(context.WithoutCancel(ctx))
	inner, stopInner := context.WithCancel(context.WithoutCancel(ctx))
	defer stopInner()
	work, stopWork := context.WithCancel(context.WithoutCancel(ctx))
	defer stopWork()
	own, disown := context.WithCancel(inner)
	defer disown()
	g, failed := errgroup.WithContext(ctx)
	for _, job := range a.jobs {
		g.Go(func() error { return job(inner) })
	}
	g.Go(func() error { return a.engine.Run(own) })
	g.Go(func() error { return a.sweep(inner) })
	g.Go(func() error { return a.keep(inner) })
	g.Go(func() error { return a.lookForStuck(inner) })
	g.Go(func() error { return a.ops.run(inner) })
	worked := make(chan struct{})
	g.Go(func() error { defer close(worked); return a.pool.Run(work) })
	g.Go(func() error { return a.office.Run(work) })
	web := &http.Server{Handler: a.web, ReadHeaderTimeout: 10 * time.Second, WriteTimeout: time.Minute, IdleTimeout: 2 * time.Minute, ErrorLog: slog.NewLogLogger(a.log.Handler(), slog.LevelDebug)}
	g.Go(func() error {
		if err := web.Serve(a.listener); !errors.Is(err, http.ErrServerClosed) {
			return fmt.Errorf("serve: %w", err)
		}
		return nil
	})
	g.Go(func() error {
		select {
		case <-a.engine.Ready():
			started()
		case <-failed.Done():
		}
		<-failed.Done()
		closing, cancel := context.WithTimeout(inner, shutdownMax)
		defer cancel()
		if a.Config.shared() {
			disown() // other servers go on while requests under way are answered
		}
		a.hub.Close()
		a.office.Close()
		if err := web.Shutdown(closing); err != nil {
			_ = web.Close()
		}
		stopWork()
		<-worked
		a.leave(inner)
		stopInner()
		return nil
	})
	err := g.Wait()
	last, done := context.WithTimeout(context.WithoutCancel(ctx), flushMax)
	defer done()
	a.rollups.Flush(last) // what the last turns counted
	return err
}

// leave gives the results of this process's workers time to find the new owners
// of their shards.
func (a *App) leave(ctx context.Context) {
	if s, ok := a.source.(*nats.Source); ok && a.Config.shared() {
		s.Leave(ctx)
	}
}

// sweepEvery is how often it is looked for sessions that are over and for what
// came late into deleted workspaces.
const sweepEvery = time.Minute

// sweep forgets sessions that are over, and what came into workspaces while they
// were deleted.
func (a *App) sweep(ctx context.Context) error {
	sessions := pg.NewSessions(a.base.db.Pool())
	tick := time.NewTicker(sweepEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
			if err := sessions.Sweep(ctx); err != nil {
				a.log.WarnContext(ctx, "sessions not swept", "err", err)
			}
			if err := sweepDeleted(ctx, pg.NewAccounts(a.base.db.Pool()), a.engine, a.log); err != nil {
				a.log.WarnContext(ctx, "deleted workspaces not swept", "err", err)
			}
		}
	}
}

func (a *App) close(ctx context.Context) {
	if a.listener != nil {
		_ = a.listener.Close()
	}
	a.ops.close()
	a.closeChannel()
	if err := a.witness.Close(); err != nil {
		a.log.WarnContext(ctx, "the witness did not close", "err", err)
	}
	if a.base != nil {
		if err := a.base.close(ctx); err != nil {
			a.log.ErrorContext(ctx, "the database did not stop well", "err", err)
		}
		a.base = nil
	}
}

// Welcome prints where to go, and until there is an owner how to become it.
func (a *App) Welcome(ctx context.Context, out io.Writer) error {
	fmt.Fprintf(out, "\n  Signalbox is at %s\n", a.Origin)
	token, err := a.accounts.SetupLink(ctx)
	if err == nil {
		fmt.Fprintf(out, "  Make yourself its owner (the link works once, for 10 minutes):\n  %s/setup/%s\n", a.Origin, token)
	}
	fmt.Fprintf(out, "\n  Try it:\n  curl %s/hooks/demo-ticket -H 'Content-Type: application/json' \\\n    -d '{\"subject\":\"Payment failed twice\",\"priority\":9}'\n\n", a.Origin)
	return nil
}
