package meter_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"

	"signalbox/engine/machine"
	"signalbox/engine/meter"
	"signalbox/engine/runtime"
)

func wrote(p machine.Point) []machine.Event {
	return []machine.Event{{Fact: &machine.NodeCompleted{Node: "m", Point: &p}}}
}

// TestBusinessMetricsAreTold writes points of each type and scrapes them.
func TestBusinessMetricsAreTold(t *testing.T) {
	t.Parallel()
	registry := prometheus.NewRegistry()
	b, err := meter.NewBusiness(registry, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	run := runtime.NewRun{Workflow: uuid.New()}
	trial := runtime.NewRun{Workflow: run.Workflow, Test: true}
	no := map[string]string{"country": "NO"}
	for _, p := range []machine.Point{
		{Name: "paid", Type: machine.Counter, Value: 10, Labels: no},
		{Name: "paid", Type: machine.Counter, Value: 2.5, Labels: no},
		{Name: "paid", Type: machine.Counter, Value: 7, Labels: map[string]string{"country": "SE"}},
		{Name: "stock", Type: machine.Gauge, Value: 9},
		{Name: "stock", Type: machine.Gauge, Value: 4},
		{Name: "basket", Type: machine.Histogram, Value: 3},
		{Name: "basket", Type: machine.Histogram, Value: 30},
		{Name: "paid", Type: machine.Gauge, Value: 1, Labels: no}, // another type
		{Name: "paid", Type: machine.Counter, Value: 1},           // other labels
	} {
		b.Events(&run, nil, wrote(p))
	}
	b.Events(&trial, nil, wrote(machine.Point{Name: "paid", Type: machine.Counter, Value: 1_000, Labels: no}))
	w := run.Workflow.String()
	wantLines(t, scrape(t, registry),
		`signalbox_business_paid{country="NO",workflow="`+w+`"} 12.5`,
		`signalbox_business_paid{country="SE",workflow="`+w+`"} 7`,
		`signalbox_business_stock{workflow="`+w+`"} 4`,
		`signalbox_business_basket_count{workflow="`+w+`"} 2`,
		`signalbox_business_basket_sum{workflow="`+w+`"} 33`,
		`signalbox_business_basket_bucket{workflow="`+w+`",le="5"} 1`,
		`signalbox_business_points_hidden_total{reason="type"} 1`,
		`signalbox_business_points_hidden_total{reason="labels"} 1`,
		`# TYPE signalbox_business_paid counter`,
	)
}

// TestBusinessSeriesAreBounded gives a label a value of its own in every point.
func TestBusinessSeriesAreBounded(t *testing.T) {
	t.Parallel()
	registry := prometheus.NewRegistry()
	var log bytes.Buffer
	b, err := meter.NewBusiness(registry, slog.New(slog.NewTextHandler(&log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	run := runtime.NewRun{Workflow: uuid.New()}
	for i := range 130 {
		b.Events(&run, nil, wrote(machine.Point{Name: "paid", Type: machine.Counter, Value: 1, Labels: map[string]string{"order": fmt.Sprint(i)}}))
	}
	text := scrape(t, registry)
	wantLines(t, text, `signalbox_business_paid{order="other",workflow="other"} 30`)
	if n := strings.Count(text, "\nsignalbox_business_paid{"); n != 101 {
		t.Errorf("%d series, want 101", n)
	}
	if n := strings.Count(log.String(), "too many series"); n != 1 {
		t.Errorf("said %d times that there are too many series, want once", n)
	}
}
