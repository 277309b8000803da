package app

import (
	"context"
	"fmt"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"signalbox/engine/meter"
	"signalbox/engine/nats"
	"signalbox/engine/pg"
	"signalbox/engine/worker/local"
)

// newRegistry makes a registry that knows about the process itself.
func newRegistry() *prometheus.Registry {
	r := prometheus.NewRegistry()
	r.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return r
}

// openMeters registers what is asked for at each scrape, and what is told.
func (a *App) openMeters(context.Context) error {
	watch, err := meter.NewWatch(a.registry)
	if err != nil {
		return fmt.Errorf("register metrics: %w", err)
	}
	a.board.Seen = watch.Seen
	if a.runs, err = meter.NewRuns(a.registry, a.log); err != nil {
		return fmt.Errorf("register metrics: %w", err)
	}
	s := meter.Sources{Pool: poolOf(a.base.db), Runtime: runtimeOf(a.store)}
	switch ch := a.channel.(type) {
	case *local.Channel:
		s.Channel = func(context.Context) (meter.Channel, error) { return localDepth(ch), nil }
	default:
		s.Connected = func() bool { return a.conn.Health() == "" }
		s.Channel = func(ctx context.Context) (meter.Channel, error) { return natsDepth(ctx, a.conn) }
	}
	if err := meter.Register(a.registry, s); err != nil {
		return fmt.Errorf("register metrics: %w", err)
	}
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
		held.Queues[name] = meter.Queue{Waiting: q.Waiting, Running: q.Running}
	}
	return held, nil
}

func localDepth(ch *local.Channel) meter.Channel {
	waiting, running := ch.Depth()
	held := meter.Channel{Queues: map[string]meter.Queue{}}
	for name := range waiting {
		held.Queues[name] = meter.Queue{Waiting: waiting[name], Running: running[name]}
	}
	return held
}
