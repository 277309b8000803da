package server

import (
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// metrics counts what the server does. Labels are routes, never paths: a path
// may hold a secret and is without limit.
type metrics struct {
	requests *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
	sockets  prometheus.Gauge
	frames   prometheus.Counter
	dropped  prometheus.Counter
	stalled  prometheus.Counter
}

func newMetrics() *metrics {
	const space = "signalbox"
	return &metrics{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: space, Name: "http_requests_total", Help: "Requests by route and status."}, []string{"method", "route", "status"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Namespace: space, Name: "http_request_seconds", Help: "Time to answer a request.",
			Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30},
		}, []string{"route"}),
		sockets: prometheus.NewGauge(prometheus.GaugeOpts{Namespace: space, Name: "websockets", Help: "Open websockets."}),
		frames:  prometheus.NewCounter(prometheus.CounterOpts{Namespace: space, Name: "websocket_frames_total", Help: "Frames sent to browsers."}),
		dropped: prometheus.NewCounter(prometheus.CounterOpts{Namespace: space, Name: "websocket_frames_dropped_total", Help: "Frames that a slow reader lost and fetches again."}),
		stalled: prometheus.NewCounter(prometheus.CounterOpts{Namespace: space, Name: "websocket_stalled_total", Help: "Sockets cut off because their reader took nothing."}),
	}
}

func (m *metrics) register(r *prometheus.Registry) error {
	for _, c := range []prometheus.Collector{m.requests, m.seconds, m.sockets, m.frames, m.dropped, m.stalled} {
		if err := r.Register(c); err != nil {
			return err //nolint:wrapcheck // names the metric already
		}
	}
	return nil
}

func (m *metrics) observe(method, route string, status int, took time.Duration) {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions:
	default:
		method = "other" // a client may invent methods without end
	}
	m.requests.WithLabelValues(method, route, strconv.Itoa(status)).Inc()
	m.seconds.WithLabelValues(route).Observe(took.Seconds())
}
