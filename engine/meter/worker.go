package meter

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Workers counts the attempts of this process.
type Workers struct {
	attempts *prometheus.HistogramVec
	outcomes *prometheus.CounterVec

	queues, kinds bound
}

// NewWorkers makes the counters and registers them.
func NewWorkers(r prometheus.Registerer) (*Workers, error) {
	w := &Workers{
		attempts: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Namespace: space, Name: "worker_attempt_seconds", Help: "Time that attempts took in this process, by queue, kind of node and outcome.",
			Buckets: prometheus.ExponentialBuckets(0.0005, 4, 10),
		}, []string{"queue", "kind", "outcome"}),
		outcomes: prometheus.NewCounterVec(prometheus.CounterOpts{
			Namespace: space, Name: "worker_results_total",
			Help: "Results that workers of one's own brought, by what became of them: committed, refused, stale, pending; silent counts workers that fell silent.",
		}, []string{"outcome"}),
		queues: bound{max: queuesMax}, kinds: bound{max: kindsMax},
	}
	return w, register(r, w.attempts, w.outcomes)
}

// Attempt is worker.Config.Meter.
func (w *Workers) Attempt(queue, kind, class string, took time.Duration) {
	outcome := outcomeOK
	if class != "" {
		outcome = outcomeFailed
	}
	w.attempts.WithLabelValues(w.queues.of(queue), w.kinds.of(kind), outcome).Observe(took.Seconds())
}

// Outcome is remote.Config.Count.
func (w *Workers) Outcome(outcome string) { w.outcomes.WithLabelValues(outcome).Inc() }

// Watch is how long events take to reach those who watch.
type Watch struct{ latency prometheus.Histogram }

// NewWatch makes the histogram and registers it.
func NewWatch(r prometheus.Registerer) (*Watch, error) {
	w := &Watch{latency: prometheus.NewHistogram(prometheus.HistogramOpts{
		Namespace: space, Name: "watch_latency_seconds", Help: "Time from an event to those who watch its run, its commit included.",
		Buckets: prometheus.ExponentialBuckets(0.0005, 2, 15),
	})}
	return w, register(r, w.latency)
}

// Seen notes one.
func (w *Watch) Seen(age time.Duration) { w.latency.Observe(max(0, age.Seconds())) }
