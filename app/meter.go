package app

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"signalbox/engine/machine"
	"signalbox/engine/meter"
	"signalbox/engine/nats"
	"signalbox/engine/otlp"
	"signalbox/engine/pg"
	"signalbox/engine/runtime"
	"signalbox/engine/worker/local"
)

// newRegistry makes a registry that knows about the process itself.
func newRegistry() *prometheus.Registry {
	r := prometheus.NewRegistry()
	r.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return r
}

// meters tells several.
type meters []runtime.Meter

// Turn implements runtime.Meter.
func (m meters) Turn(inputs int, commit time.Duration) {
	for _, one := range m {
		one.Turn(inputs, commit)
	}
}

// Events implements runtime.Meter.
func (m meters) Events(run *runtime.NewRun, mach *machine.Machine, events []machine.Event) {
	for _, one := range m {
		one.Events(run, mach, events)
	}
}

// openTraces exports traces when there is a collector.
func (a *App) openTraces(context.Context) error {
	if a.Config.OTLPEndpoint == "" {
		return nil
	}
	headers, err := headersOf(a.Config.OTLPHeaders)
	if err != nil {
		return err
	}
	t, err := otlp.New(otlp.Config{Endpoint: a.Config.OTLPEndpoint, Headers: headers, Log: a.log, Events: a.store.Beginning})
	if err != nil {
		return err
	}
	a.meters = append(a.meters, t)
	a.jobs = append(a.jobs, t.Run)
	return nil
}

// headersOf reads name=value pairs, percent-encoded as the variable of
// OpenTelemetry has them.
func headersOf(text string) (map[string]string, error) {
	list := map[string]string{}
	for pair := range strings.SplitSeq(text, ",") {
		if strings.TrimSpace(pair) == "" {
			continue
		}
		name, value, ok := strings.Cut(pair, "=")
		value, err := url.PathUnescape(strings.TrimSpace(value))
		if name = strings.TrimSpace(name); !ok || name == "" || err != nil {
			return nil, errors.New("--otlp-headers is not a list of name=value") // without the text: it may be a secret
		}
		list[name] = value
	}
	return list, nil
}

// openMeters registers what is asked for at each scrape, and what is told.
func (a *App) openMeters(context.Context) error {
	watch, err := meter.NewWatch(a.registry)
	if err != nil {
		return fmt.Errorf("register metrics: %w", err)
	}
	a.board.Seen = watch.Seen
	runs, err := meter.NewRuns(a.registry, a.log)
	if err != nil {
		return fmt.Errorf("register metrics: %w", err)
	}
	business, err := meter.NewBusiness(a.registry, a.log)
	if err != nil {
		return fmt.Errorf("register metrics: %w", err)
	}
	a.meters = meters{runs, business}
	s := meter.Sources{Pool: poolOf(a.base.db), Runtime: runtimeOf(a.store), Open: a.store.OpenRuns}
	switch ch := a.channel.(type) {
	case *local.Channel:
		a.elastic.look = func(context.Context) (meter.Channel, error) { return localDepth(ch), nil }
	default:
		s.Connected = func() bool { return a.conn.Health() == "" }
		a.elastic.look = func(ctx context.Context) (meter.Channel, error) { return natsDepth(ctx, a.conn) }
	}
	s.Channel, s.Slots = a.elastic.wanted, a.elastic.slots
	if err := meter.Register(a.registry, s); err != nil {
		return fmt.Errorf("register metrics: %w", err)
	}
	a.rollups = meter.NewRollups(meter.RollupConfig{
		Archive: a.store, Log: a.log, Owned: func() bool { return a.engine.Holds() > 0 },
		Look: s.Looks(a.log, a.store.DatabaseSize),
	})
	runs.To(a.rollups)
	a.jobs = append(a.jobs, a.rollups.Run)
	return nil
}

func poolOf(db *pg.DB) func() meter.Pool {
	return func() meter.Pool {
		s := db.Pool().Stat()
		return meter.Pool{
			Used: int(s.AcquiredConns()), Idle: int(s.IdleConns()), Max: int(s.MaxConns()),
			Waits: s.EmptyAcquireCount(), Waited: s.AcquireDuration(),
		}
	}
}

func runtimeOf(store *pg.Store) func(context.Context) (meter.Runtime, error) {
	return func(ctx context.Context) (r meter.Runtime, err error) {
		if r.Open, err = store.OpenRuns(ctx); err != nil {
			return r, err
		}
		if r.Stuck, err = store.StuckRuns(ctx); err != nil {
			return r, err
		}
		r.Workflows, err = store.WorkflowNames(ctx)
		return r, err
	}
}

func natsDepth(ctx context.Context, conn *nats.Conn) (meter.Channel, error) {
	d, err := conn.Depth(ctx)
	if err != nil {
		return meter.Channel{}, err
	}
	held := meter.Channel{Streams: map[string]meter.Stream{}, Queues: map[string]meter.Queue{}}
	for name, s := range d.Streams {
		held.Streams[name] = meter.Stream{Messages: s.Messages, Bytes: s.Bytes}
	}
	for name, q := range d.Queues {
		held.Queues[name] = meter.Queue{Waiting: q.Waiting, Running: q.Running, Oldest: q.Oldest}
	}
	return held, nil
}

func localDepth(ch *local.Channel) meter.Channel {
	waiting, running := ch.Depth()
	oldest := ch.Oldest(time.Now())
	held := meter.Channel{Queues: map[string]meter.Queue{}}
	for name := range waiting {
		held.Queues[name] = meter.Queue{Waiting: waiting[name], Running: running[name], Oldest: oldest[name]}
	}
	return held
}
