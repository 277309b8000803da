// Package meter turns what the parts of the program tell into metrics for
// Prometheus. The parts themselves know nothing of it: they call small hooks,
// and what has to be asked for is asked at each scrape (Sources).
//
// Labels are few and bounded: kinds, queues, classes, outcomes, workflows. No
// run, no path, no payload and no name that a caller may invent is a label.
package meter

import (
	"context"
	"encoding/binary"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"

	"signalbox/engine/event"
	"signalbox/engine/insight"
	"signalbox/engine/machine"
	"signalbox/engine/runtime"
)

// space is the first word of all names.
const space = "signalbox"

// Other stands for label values beyond a limit.
const Other = "other"

// Limits of labels.
const (
	workflowsMax = 1_000
	queuesMax    = 200
	kindsMax     = 200
)

// Runs counts what happens in runs. It implements runtime.Meter.
type Runs struct {
	inputs   prometheus.Counter
	commit   prometheus.Histogram
	batch    prometheus.Histogram
	events   *prometheus.CounterVec
	started  *prometheus.CounterVec
	ended    *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
	queued   *prometheus.HistogramVec
	attempts *prometheus.HistogramVec
	retries  *prometheus.CounterVec
	failures *prometheus.CounterVec

	rollups                  *Rollups // nil: none
	log                      *slog.Logger
	workflows, queues, kinds bound
	open                     scheduled
}

var _ runtime.Meter = (*Runs)(nil)

// NewRuns makes the counters and registers them. The log hears of every run
// that is over: what ended badly at info, the rest at debug.
func NewRuns(r prometheus.Registerer, log *slog.Logger) (*Runs, error) {
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: space, Name: name, Help: help}, labels)
	}
	histogram := func(name, help string, buckets []float64, labels ...string) *prometheus.HistogramVec {
		return prometheus.NewHistogramVec(prometheus.HistogramOpts{Namespace: space, Name: name, Help: help, Buckets: buckets}, labels)
	}
	m := &Runs{
		inputs: prometheus.NewCounter(prometheus.CounterOpts{Namespace: space, Name: "engine_inputs_total", Help: "Inputs that the engine took."}),
		commit: prometheus.NewHistogram(prometheus.HistogramOpts{
			Namespace: space, Name: "engine_commit_seconds", Help: "Time to commit a turn.", Buckets: prometheus.ExponentialBuckets(0.0002, 2, 14),
		}),
		batch: prometheus.NewHistogram(prometheus.HistogramOpts{
			Namespace: space, Name: "engine_turn_inputs", Help: "Inputs in one turn.", Buckets: prometheus.ExponentialBuckets(1, 2, 9),
		}),
		events:   counter("events_total", "Events on disk, by type.", "type"),
		started:  counter("runs_started_total", "Runs that began, by source.", "source"),
		ended:    counter("runs_ended_total", "Runs that are over, by workflow and outcome.", "workflow", "outcome"),
		seconds:  histogram("run_seconds", "Time from a run's beginning to its end.", prometheus.ExponentialBuckets(0.001, 4, 13), "outcome"),
		queued:   histogram("task_queue_seconds", "Time from a task's scheduling to a worker's taking it.", prometheus.ExponentialBuckets(0.0005, 2.5, 14), "queue"),
		attempts: histogram("task_attempt_seconds", "Time from a worker's taking a task to its result.", prometheus.ExponentialBuckets(0.0005, 2.5, 15), "kind", "outcome"),
		retries:  counter("task_retries_total", "Attempts that failed and are tried again, by kind of node and class of failure.", "kind", "class"),
		failures: counter("node_failures_total", "Visits that failed for good, by kind of node and class of failure.", "kind", "class"),

		log: log, workflows: bound{max: workflowsMax}, queues: bound{max: queuesMax}, kinds: bound{max: kindsMax},
	}
	return m, register(r, m.inputs, m.commit, m.batch, m.events, m.started, m.ended, m.seconds, m.queued, m.attempts, m.retries, m.failures)
}

func register(r prometheus.Registerer, list ...prometheus.Collector) error {
	for _, c := range list {
		if err := r.Register(c); err != nil {
			return err //nolint:wrapcheck // names the metric already
		}
	}
	return nil
}

// To counts everything in rollups as well.
func (m *Runs) To(r *Rollups) { m.rollups = r }

// Turn implements runtime.Meter.
func (m *Runs) Turn(inputs int, commit time.Duration) {
	m.inputs.Add(float64(inputs))
	m.batch.Observe(float64(inputs))
	m.commit.Observe(commit.Seconds())
	m.rollups.turn(inputs, commit)
}

// Events implements runtime.Meter.
func (m *Runs) Events(run *runtime.NewRun, mach *machine.Machine, events []machine.Event) {
	roll := m.rollups.of(run)
	defer roll.done()
	roll.count(insight.Events, "", int64(len(events)))
	for _, e := range events {
		typ, node := machine.Name(e.Fact)
		m.events.WithLabelValues(typ).Inc()
		switch f := e.Fact.(type) {
		case *machine.RunStarted:
			m.started.WithLabelValues(sourceOf(f.Source)).Inc()
			roll.count(insight.RunStarted, sourceOf(f.Source), 1)
		case *machine.TaskScheduled:
			m.open.add(attempt{run.Run, node, f.Scope, f.Visit, f.Attempt}, waiting{f.Queue, f.Priority, e.At})
		case *machine.TaskCompleted:
			kind := m.kind(mach, node)
			m.worked(roll, attempt{run.Run, node, f.Scope, f.Visit, f.Attempt}, f.Began)
			m.attempt(roll, kind, outcomeOK, f.Began, e.At)
		case *machine.TaskFailed:
			kind := m.kind(mach, node)
			m.worked(roll, attempt{run.Run, node, f.Scope, f.Visit, f.Attempt}, f.Began)
			m.attempt(roll, kind, outcomeFailed, f.Began, e.At)
			if !f.RetryAt.IsZero() {
				roll.count(insight.Retry, kind, 1)
				m.retries.WithLabelValues(kind, classOf(&f.Error)).Inc()
			}
		case *machine.NodeFailed:
			kind := m.kind(mach, node)
			m.failures.WithLabelValues(kind, classOf(&f.Error)).Inc()
			roll.failed(mach, node, kind, f.Handled)
		case *machine.RunSucceeded:
			m.end(roll, run, runtime.StatusSucceeded, "", e.At)
		case *machine.RunFailed:
			m.end(roll, run, runtime.StatusFailed, f.Error.Class, e.At)
		case *machine.RunCompensated:
			m.end(roll, run, string(machine.StatusCompensated), f.Error.Class, e.At)
		case *machine.RunCanceled:
			m.end(roll, run, runtime.StatusCanceled, "", e.At)
		default: // counted by its type
			roll.saga(e.Fact)
		}
	}
}

// Outcomes of attempts.
const (
	outcomeOK     = "succeeded"
	outcomeFailed = "failed"
)

func (m *Runs) end(roll rolling, run *runtime.NewRun, outcome, class string, at time.Time) {
	level := slog.LevelInfo
	if outcome == runtime.StatusSucceeded {
		level = slog.LevelDebug
	}
	m.log.LogAttrs(context.Background(), level, "run over", slog.String("run", run.Run.String()),
		slog.String("workflow", run.Workflow.String()), slog.String("state", outcome), slog.String("class", class))
	m.ended.WithLabelValues(m.workflows.of(run.Workflow.String()), outcome).Inc()
	if run.Test {
		return // people hold it and move its clock: its time says nothing
	}
	took := max(0, at.Sub(bornAt(run.Run)).Seconds())
	m.seconds.WithLabelValues(outcome).Observe(took)
	roll.time(insight.RunTime, outcome, took)
}

// bornAt is the time in a run's id, which is of version 7.
func bornAt(run uuid.UUID) time.Time {
	return time.UnixMilli(int64(binary.BigEndian.Uint64(run[:8]) >> 16)) //nolint:gosec // 48 bits
}

// worked notes how long a task waited before a worker took it.
func (m *Runs) worked(roll rolling, a attempt, began time.Time) {
	w, ok := m.open.take(a)
	if ok && !began.IsZero() {
		waited := max(0, began.Sub(w.since).Seconds())
		m.queued.WithLabelValues(m.queues.of(w.queue)).Observe(waited)
		roll.time(insight.QueueTime, priorityName(w.priority), waited)
	}
}

func (m *Runs) attempt(roll rolling, kind, outcome string, began, ended time.Time) {
	if !began.IsZero() {
		took := max(0, ended.Sub(began).Seconds())
		m.attempts.WithLabelValues(kind, outcome).Observe(took)
		roll.time(insight.WorkTime, kind, took)
	}
}

// priorityName is the word for a task's priority.
func priorityName(p int) string {
	names := []string{"critical", "high", "normal", "low"}
	if p < 0 || p >= len(names) {
		return Other
	}
	return names[p]
}

func (m *Runs) kind(mach *machine.Machine, node string) string {
	if i := mach.Index(node); i >= 0 {
		return m.kinds.of(mach.Nodes[i].Kind)
	}
	return Other
}

// classOf bounds the class of a failure: a worker may send words of its own.
func classOf(e *event.Error) string {
	known := []string{"timeout", "rate_limited", "unavailable", "invalid_input", "unauthorized", "canceled", "budget", "limit", "internal", "crash", "invalid_output", "failed"}
	if slices.Contains(known, e.Class) {
		return e.Class
	}
	return Other
}

func sourceOf(source string) string {
	if slices.Contains([]string{"manual", "api", "webhook", "schedule", "test", "bench", "call", "fork", "retry"}, source) {
		return source
	}
	return Other
}

// bound lets the first so many values through and calls all later ones other.
type bound struct {
	max  int
	mu   sync.RWMutex
	seen map[string]bool
}

func (b *bound) of(value string) string {
	b.mu.RLock()
	known, full := b.seen[value], len(b.seen) >= b.max
	b.mu.RUnlock()
	switch {
	case known:
		return value
	case full:
		return Other
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.seen == nil {
		b.seen = map[string]bool{}
	}
	b.seen[value] = true
	return value
}

// attempt names one attempt.
type attempt struct {
	run                   uuid.UUID
	node                  string
	scope, visit, attempt int
}

// waiting is since when an attempt waits in which queue.
type waiting struct {
	queue    string
	priority int
	since    time.Time
}

// scheduledMax is how many attempts one generation remembers.
const scheduledMax = 32_768

// scheduled remembers when attempts were scheduled, in two generations: runs
// that are canceled never say what became of theirs, and so the older one is
// forgotten when the younger is full.
type scheduled struct {
	mu         sync.Mutex
	young, old map[attempt]waiting
}

func (s *scheduled) add(a attempt, w waiting) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.young == nil || len(s.young) >= scheduledMax {
		s.young, s.old = map[attempt]waiting{}, s.young
	}
	s.young[a] = w
}

func (s *scheduled) take(a attempt) (waiting, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, m := range []map[attempt]waiting{s.young, s.old} {
		if w, ok := m[a]; ok {
			delete(m, a)
			return w, true
		}
	}
	return waiting{}, false
}
