package meter

import (
	"github.com/prometheus/client_golang/prometheus"

	"signalbox/engine/queue"
)

// queues shows what one process sees of its queues.
type queues struct {
	look     func() []queue.Look
	overload func() (refused, shed uint64)

	waiting, out, refused, shed *prometheus.Desc
}

// RegisterQueues asks the engine at each scrape for its queues, and for what
// it refused because a backlog was too long.
func RegisterQueues(r prometheus.Registerer, look func() []queue.Look, overload func() (refused, shed uint64)) error {
	desc := func(name, help string, labels ...string) *prometheus.Desc {
		return prometheus.NewDesc(space+"_"+name, help, labels, nil)
	}
	return register(r, &queues{
		look: look, overload: overload,
		waiting: desc("queue_held", "Attempts that a limit or a pause holds back.", "workspace", "queue"),
		out:     desc("queue_out", "Attempts that are with workers or on their way to them.", "workspace", "queue"),
		refused: desc("starts_refused_total", "Starts of runs that were refused because a queue's backlog was too long."),
		shed:    desc("tasks_shed_total", "Attempts of low priority that were failed because a queue's backlog was far too long."),
	})
}

// Describe implements prometheus.Collector.
func (q *queues) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{q.waiting, q.out, q.refused, q.shed} {
		ch <- d
	}
}

// Collect implements prometheus.Collector.
func (q *queues) Collect(ch chan<- prometheus.Metric) {
	for _, l := range q.look() {
		ch <- prometheus.MustNewConstMetric(q.waiting, prometheus.GaugeValue, float64(l.Waiting), l.Workspace, l.Queue)
		ch <- prometheus.MustNewConstMetric(q.out, prometheus.GaugeValue, float64(l.Out), l.Workspace, l.Queue)
	}
	refused, shed := q.overload()
	ch <- prometheus.MustNewConstMetric(q.refused, prometheus.CounterValue, float64(refused))
	ch <- prometheus.MustNewConstMetric(q.shed, prometheus.CounterValue, float64(shed))
}
