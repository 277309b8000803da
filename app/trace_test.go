package app_test

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"signalbox/app"
	"signalbox/engine/pg/pgtest"
)

// collected is what a collector of traces understands of a request.
type collected struct {
	ResourceSpans []struct {
		Resource   struct{ Attributes []pair }
		ScopeSpans []struct {
			Spans []struct {
				TraceID, SpanID, ParentSpanID, Name string
				StartTimeUnixNano, EndTimeUnixNano  string
				Attributes                          []pair
				Status                              struct{ Code int }
			}
		}
	}
}

type pair struct {
	Key   string
	Value struct{ StringValue string }
}

// TestTraceOfARun runs a workflow; the collector gets one trace, whose spans
// hang together.
func TestTraceOfARun(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	traces := make(chan collected, 10)
	var auth string
	collector := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var c collected
		body, err := io.ReadAll(r.Body)
		if err == nil {
			err = json.Unmarshal(body, &c)
		}
		if err != nil || r.URL.Path != "/v1/traces" || r.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s %s %v", r.URL.Path, body, err)
		}
		if strings.Contains(string(body), "Payment") {
			t.Error("the trace holds a payload")
		}
		auth = r.Header.Get("Api-Key")
		traces <- c
	}))
	defer collector.Close()
	cfg := config(t, t.TempDir())
	cfg.DatabaseURL, cfg.OTLPEndpoint, cfg.OTLPHeaders = pgtest.DSN(t), collector.URL, "api-key=se%20cret"
	a, err := app.New(ctx, cfg, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	running, stop := context.WithCancel(ctx)
	ready, done := make(chan struct{}), make(chan error, 1)
	go func() { done <- a.Run(running, func() { close(ready) }) }()
	defer func() {
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	}()
	<-ready
	start, err := a.Exercise(ctx, 2)
	if err != nil {
		t.Fatal(err)
	}
	run, err := start(ctx)
	if err != nil {
		t.Fatal(err)
	}
	c := <-traces
	spans := c.ResourceSpans[0].ScopeSpans[0].Spans
	names := map[string]string{} // by span id
	for _, s := range spans {
		if s.TraceID != strings.ReplaceAll(run.String(), "-", "") {
			t.Errorf("span %s is of trace %s", s.Name, s.TraceID)
		}
		if s.StartTimeUnixNano > s.EndTimeUnixNano || s.StartTimeUnixNano < "1" {
			t.Errorf("span %s goes from %s to %s", s.Name, s.StartTimeUnixNano, s.EndTimeUnixNano)
		}
		names[s.SpanID] = s.Name
	}
	parents := map[string]string{}
	for _, s := range spans {
		parents[s.Name] = names[s.ParentSpanID]
	}
	for name, parent := range map[string]string{"run": "", "t0": "run", "t1": "run", "t0 attempt": "t0", "t1 attempt": "t1"} {
		if got, ok := parents[name]; !ok || got != parent {
			t.Errorf("the parent of %s is %q (%v), want %q", name, got, ok, parent)
		}
	}
	if len(spans) != 5 || spans[0].Status.Code != 1 || auth != "se cret" {
		t.Errorf("%d spans, status %d, header %q", len(spans), spans[0].Status.Code, auth)
	}
}
