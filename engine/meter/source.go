package meter

import (
	"context"
	"log/slog"
	goruntime "runtime"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"signalbox/engine/insight"
)

// askMax is how long the questions of one scrape may take together.
const askMax = 3 * time.Second

// Pool is the state of a pool of database connections.
type Pool struct {
	Used, Idle, Max int
	Waits           int64         // connections that had to be waited for
	Waited          time.Duration // altogether, for all that were asked for
}

// Runtime is what the database knows of runs.
type Runtime struct {
	Open      map[string]int    // runs that are not over, by status
	Workflows map[string]string // names by id
	Stuck     map[string]int    // of those that are open: by why nothing seems to move them
}

// Stream is what a stream holds.
type Stream struct {
	Messages uint64
	Bytes    uint64
}

// Queue is what one queue holds.
type Queue struct {
	Waiting int           // not handed out
	Running int           // handed out, no result yet
	Oldest  time.Duration // wait of the task that waits longest
	Wanted  int           // attempts that should be able to run at once
}

// Slots is what a queue has in this process.
type Slots struct{ Open, Busy int }

// Channel is what the event channel holds.
type Channel struct {
	Streams map[string]Stream
	Queues  map[string]Queue
}

// Sources are asked at each scrape. A nil one is left out; one that fails is
// left out of that scrape, which is what its up metric tells.
type Sources struct {
	Pool      func() Pool
	Runtime   func(context.Context) (Runtime, error)
	Connected func() bool // to NATS
	Channel   func(context.Context) (Channel, error)
	Slots     func() map[string]Slots                       // of this process's workers
	Open      func(context.Context) (map[string]int, error) // runs that are not over, by status; for boards
}

// collector asks the sources.
type collector struct {
	mu      sync.Mutex // one scrape at a time: they cost the database
	sources Sources

	postgres, nats, conns, connsMax, waits, waited *prometheus.Desc
	open, stuck, workflow, messages, bytes, tasks  *prometheus.Desc
	oldest, wanted, slots                          *prometheus.Desc
}

// Register asks the sources at each scrape of the registry.
func Register(r prometheus.Registerer, s Sources) error {
	desc := func(name, help string, labels ...string) *prometheus.Desc {
		return prometheus.NewDesc(space+"_"+name, help, labels, nil)
	}
	return register(r, &collector{
		sources:  s,
		postgres: desc("postgres_up", "1 while the database answers."),
		conns:    desc("postgres_connections", "Connections of the pool, by state.", "state"),
		connsMax: desc("postgres_connections_max", "Connections that the pool may have."),
		waits:    desc("postgres_connection_waits_total", "Times that a connection had to be waited for."),
		waited:   desc("postgres_connection_wait_seconds_total", "Time spent on getting connections."),
		open:     desc("runs_open", "Runs that are not over, by status.", "status"),
		stuck:    desc("runs_stuck", "Open runs that nothing seems to move, by reason: nothing (owed or awaited), timer (overdue), silent (attempt), waits (longer than usual).", "reason"),
		workflow: desc("workflow_info", "The name of each workflow, to join with.", "workflow", "name"),
		nats:     desc("nats_connected", "1 while there is a connection to NATS."),
		messages: desc("stream_messages", "Messages in a JetStream stream.", "stream"),
		bytes:    desc("stream_bytes", "Bytes in a JetStream stream.", "stream"),
		tasks:    desc("queue_tasks", "Tasks of a queue: waiting for a worker, or running.", "queue", "state"),
		oldest:   desc("queue_oldest_seconds", "Wait of the task that waits longest in a queue.", "queue"),
		wanted:   desc("queue_wanted_workers", "Attempts of a queue that should be able to run at once, for an outside scaler.", "queue"),
		slots:    desc("worker_slots", "Attempts of a queue that may run at once in this process (open), and those that do (busy).", "queue", "state"),
	})
}

// Describe implements prometheus.Collector.
func (c *collector) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{c.postgres, c.nats, c.conns, c.connsMax, c.waits, c.waited, c.open, c.stuck, c.workflow, c.messages, c.bytes, c.tasks, c.oldest, c.wanted, c.slots} {
		ch <- d
	}
}

// Collect implements prometheus.Collector.
func (c *collector) Collect(ch chan<- prometheus.Metric) {
	c.mu.Lock()
	defer c.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), askMax)
	defer cancel()
	gauge := func(d *prometheus.Desc, v float64, labels ...string) {
		ch <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
	}
	if c.sources.Pool != nil {
		p := c.sources.Pool()
		gauge(c.conns, float64(p.Used), "used")
		gauge(c.conns, float64(p.Idle), "idle")
		gauge(c.connsMax, float64(p.Max))
		ch <- prometheus.MustNewConstMetric(c.waits, prometheus.CounterValue, float64(p.Waits))
		ch <- prometheus.MustNewConstMetric(c.waited, prometheus.CounterValue, p.Waited.Seconds())
	}
	if c.sources.Runtime != nil {
		r, err := c.sources.Runtime(ctx)
		gauge(c.postgres, truth(err == nil))
		for status, n := range r.Open {
			gauge(c.open, float64(n), status)
		}
		for reason, n := range r.Stuck {
			gauge(c.stuck, float64(n), reason)
		}
		for id, name := range r.Workflows {
			gauge(c.workflow, 1, id, name)
		}
	}
	if c.sources.Connected != nil {
		gauge(c.nats, truth(c.sources.Connected()))
	}
	if c.sources.Slots != nil {
		for name, s := range c.sources.Slots() {
			gauge(c.slots, float64(s.Open), name, "open")
			gauge(c.slots, float64(s.Busy), name, "busy")
		}
	}
	if c.sources.Channel != nil {
		held, err := c.sources.Channel(ctx)
		if err != nil {
			return
		}
		for name, s := range held.Streams {
			gauge(c.messages, float64(s.Messages), name)
			gauge(c.bytes, float64(s.Bytes), name)
		}
		for name, q := range held.Queues {
			gauge(c.tasks, float64(q.Waiting), name, "waiting")
			gauge(c.tasks, float64(q.Running), name, "running")
			gauge(c.oldest, q.Oldest.Seconds(), name)
			gauge(c.wanted, float64(q.Wanted), name)
		}
	}
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// Looks asks the sources for what boards show, and how large the database is. A
// source that does not answer is left out: nothing is known then.
func (s Sources) Looks(log *slog.Logger, size func(context.Context) (int64, error)) func(context.Context) []insight.Look {
	return func(ctx context.Context) []insight.Look {
		var memory goruntime.MemStats
		goruntime.ReadMemStats(&memory)
		list := []insight.Look{{Measure: insight.Goroutines, Value: float64(goruntime.NumGoroutine())}, {Measure: insight.Memory, Value: float64(memory.HeapInuse)}}
		add := func(measure, label string, v float64) {
			list = append(list, insight.Look{Measure: measure, Label: label, Value: v})
		}
		failed := func(what string, err error) {
			log.DebugContext(ctx, "a source of the boards does not answer", "source", what, "err", err)
		}
		if s.Pool != nil {
			p := s.Pool()
			add(insight.Connections, "used", float64(p.Used))
			add(insight.Connections, "idle", float64(p.Idle))
		}
		if n, err := size(ctx); err == nil {
			add(insight.Database, "", float64(n))
		} else {
			failed("database", err)
		}
		if s.Open != nil {
			if open, err := s.Open(ctx); err == nil {
				for status, n := range open {
					add(insight.Open, status, float64(n))
				}
			} else {
				failed("open runs", err)
			}
		}
		if s.Channel == nil {
			return list
		}
		held, err := s.Channel(ctx)
		if err != nil {
			failed("channel", err)
			return list
		}
		for name, one := range held.Streams {
			add(insight.Streams, name, float64(one.Messages))
		}
		for name, q := range held.Queues {
			add(insight.Waiting, name, float64(q.Waiting))
			add(insight.Working, name, float64(q.Running))
		}
		return list
	}
}
