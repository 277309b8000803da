package meter

import (
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"signalbox/engine/machine"
	"signalbox/engine/runtime"
)

// Limits of business metrics.
const (
	metricsMax = 200 // names
	seriesMax  = 100 // series of one name; package kind tells people the same
)

// Business exposes what metric nodes write down. It counts what this process
// committed since it began, as Prometheus expects of counters; all points ever
// written are in the database. It implements runtime.Meter and
// prometheus.Collector.
type Business struct {
	log     *slog.Logger
	dropped *prometheus.CounterVec

	mu      sync.Mutex
	metrics map[string]*businessMetric
}

// businessMetric is one name. Its type and labels are those of its first
// point: a monitor adds the series of a name up.
type businessMetric struct {
	typ    string
	labels []string
	full   bool // it was said that there are too many series
	series map[string]*businessSeries
}

type businessSeries struct {
	values  []string // of workflow, then of the labels
	count   uint64
	value   float64 // sum, or the latest of a gauge
	buckets map[float64]uint64
}

var (
	_ runtime.Meter        = (*Business)(nil)
	_ prometheus.Collector = (*Business)(nil)
)

// NewBusiness makes the collector and registers it.
func NewBusiness(r prometheus.Registerer, log *slog.Logger) (*Business, error) {
	b := &Business{log: log, metrics: map[string]*businessMetric{}, dropped: prometheus.NewCounterVec(prometheus.CounterOpts{
		Namespace: space, Name: "business_points_hidden_total",
		Help: "Points of metric nodes that are stored but not told here, by reason: type or labels differ from those of the name's first point, or there are too many names.",
	}, []string{"reason"})}
	return b, register(r, b.dropped, b)
}

// Turn implements runtime.Meter.
func (b *Business) Turn(int, time.Duration) {}

// Events implements runtime.Meter.
func (b *Business) Events(run *runtime.NewRun, _ *machine.Machine, events []machine.Event) {
	if run.Test {
		return
	}
	for _, e := range events {
		if f, ok := e.Fact.(*machine.NodeCompleted); ok && f.Point != nil {
			b.take(run.Workflow.String(), f.Point)
		}
	}
}

func (b *Business) take(workflow string, p *machine.Point) {
	b.mu.Lock()
	defer b.mu.Unlock()
	labels := slices.Sorted(maps.Keys(p.Labels))
	m := b.metrics[p.Name]
	switch {
	case m == nil && len(b.metrics) >= metricsMax:
		b.dropped.WithLabelValues("names").Inc()
		return
	case m == nil:
		m = &businessMetric{typ: p.Type, labels: labels, series: map[string]*businessSeries{}}
		b.metrics[p.Name] = m
	case m.typ != p.Type:
		b.dropped.WithLabelValues("type").Inc()
		return
	case !slices.Equal(m.labels, labels):
		b.dropped.WithLabelValues("labels").Inc()
		return
	}
	m.of(b.log, workflow, p).add(p)
}

// of finds the series of a point. Beyond the limit all labels are other: a
// label that takes any value must not fill the monitor.
func (m *businessMetric) of(log *slog.Logger, workflow string, p *machine.Point) *businessSeries {
	values := []string{workflow}
	for _, name := range m.labels {
		values = append(values, p.Labels[name])
	}
	key := seriesKey(values)
	if s := m.series[key]; s != nil {
		return s
	}
	if len(m.series) >= seriesMax {
		if !m.full {
			m.full = true
			log.LogAttrs(context.Background(), slog.LevelWarn, "a metric has too many series, those that come now count as other",
				slog.String("metric", p.Name), slog.Int("limit", seriesMax))
		}
		for i := range values {
			values[i] = Other
		}
		if key = seriesKey(values); m.series[key] != nil {
			return m.series[key]
		}
	}
	s := &businessSeries{values: values, buckets: map[float64]uint64{}}
	m.series[key] = s
	return s
}

func seriesKey(values []string) string {
	raw, err := json.Marshal(values)
	if err != nil {
		return "" // texts can always be written
	}
	return string(raw)
}

func (s *businessSeries) add(p *machine.Point) {
	s.count++
	switch p.Type {
	case machine.Gauge:
		s.value = p.Value
	case machine.Histogram:
		s.value += p.Value
		for _, most := range businessBuckets() {
			if p.Value <= most {
				s.buckets[most]++
			}
		}
	default:
		s.value += p.Value
	}
}

// businessBuckets serve seconds as well as money: 1, 2.5 and 5 of every power
// of ten from a thousandth to a million.
func businessBuckets() []float64 {
	return []float64{
		.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500,
		1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000,
	}
}

// Describe implements prometheus.Collector; names are not known beforehand.
func (b *Business) Describe(chan<- *prometheus.Desc) {}

// Collect implements prometheus.Collector.
func (b *Business) Collect(ch chan<- prometheus.Metric) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for name, m := range b.metrics {
		desc := prometheus.NewDesc(space+"_business_"+name, "Written down by metric nodes since this process began.", append([]string{"workflow"}, m.labels...), nil)
		for _, s := range m.series {
			switch m.typ {
			case machine.Histogram:
				ch <- prometheus.MustNewConstHistogram(desc, s.count, s.value, maps.Clone(s.buckets), s.values...)
			case machine.Gauge:
				ch <- prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, s.value, s.values...)
			default:
				ch <- prometheus.MustNewConstMetric(desc, prometheus.CounterValue, s.value, s.values...)
			}
		}
	}
}
