package app

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// meter counts the engine's turns.
type meter struct {
	inputs prometheus.Counter
	turns  prometheus.Histogram
}

func newMeter(r *prometheus.Registry) *meter {
	m := &meter{
		inputs: prometheus.NewCounter(prometheus.CounterOpts{Name: "signalbox_engine_inputs_total", Help: "Inputs that the engine took."}),
		turns: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "signalbox_engine_commit_seconds", Help: "Time to commit a turn.", Buckets: prometheus.ExponentialBuckets(0.0002, 2, 14),
		}),
	}
	r.MustRegister(m.inputs, m.turns)
	return m
}

func (m *meter) turn(inputs int, commit time.Duration) {
	m.inputs.Add(float64(inputs))
	m.turns.Observe(commit.Seconds())
}
