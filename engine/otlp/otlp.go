// Package otlp describes runs that are over to a collector of traces, by
// OTLP over HTTP with JSON: a run is a trace, a visit a span, an attempt a span
// in it.
//
// It works from the log, so a run that lived through crashes has a whole trace.
// Traces may be lost: what a slow collector does not take is dropped and
// counted in the log, and no run ever waits.
package otlp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"signalbox/engine/event"
	"signalbox/engine/machine"
	"signalbox/engine/runtime"
)

// Limits of the exporter.
const (
	queueMax  = 4_096            // runs that wait to be described
	batchMax  = 64               // runs in one request
	eventsMax = 20_000           // of one run
	sendMax   = 10 * time.Second // for one request
	triesMax  = 3
	pauseMin  = 500 * time.Millisecond // between tries
	answerMax = 4_096                  // bytes of a refusal that are read
)

// Config is what a Tracer is made of.
type Config struct {
	Endpoint string            // base address of the collector, for example http://localhost:4318
	Headers  map[string]string // sent with each request; may be nil
	Log      *slog.Logger
	// Events reads the first events of a run.
	Events func(ctx context.Context, run uuid.UUID, limit int) ([]event.Event, error)
}

// Tracer exports. It implements runtime.Meter, which tells it what is over.
type Tracer struct {
	cfg     Config
	address string
	client  *http.Client
	queue   chan over
	dropped atomic.Int64
}

var _ runtime.Meter = (*Tracer)(nil)

// over is a run that has ended.
type over struct {
	row runtime.NewRun
	m   *machine.Machine
}

// New checks the settings.
func New(cfg Config) (*Tracer, error) {
	u, err := url.Parse(cfg.Endpoint)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("the collector's address %q is not http://host or https://host", cfg.Endpoint)
	}
	return &Tracer{cfg: cfg, address: u.JoinPath("v1", "traces").String(), client: &http.Client{Timeout: sendMax}, queue: make(chan over, queueMax)}, nil
}

// Turn implements runtime.Meter.
func (*Tracer) Turn(int, time.Duration) {}

// Events implements runtime.Meter.
func (t *Tracer) Events(run *runtime.NewRun, m *machine.Machine, events []machine.Event) {
	switch events[len(events)-1].Fact.(type) {
	case *machine.RunSucceeded, *machine.RunFailed, *machine.RunCompensated, *machine.RunCanceled:
	default:
		return
	}
	select {
	case t.queue <- over{*run, m}:
	default:
		t.dropped.Add(1)
	}
}

// Run exports until the context ends.
func (t *Tracer) Run(ctx context.Context) error {
	for {
		var batch []over
		select {
		case o := <-t.queue:
			batch = append(batch, o)
		case <-ctx.Done():
			return nil
		}
		for more := true; more && len(batch) < batchMax; {
			select {
			case o := <-t.queue:
				batch = append(batch, o)
			default:
				more = false
			}
		}
		if err := t.export(ctx, batch); err != nil && ctx.Err() == nil {
			t.cfg.Log.WarnContext(ctx, "traces not exported", "count", len(batch), "err", err)
		}
		if n := t.dropped.Swap(0); n > 0 {
			t.cfg.Log.WarnContext(ctx, "traces dropped: the collector is too slow", "count", n)
		}
	}
}

// export describes some runs in one request.
func (t *Tracer) export(ctx context.Context, batch []over) error {
	var spans []record
	for i := range batch {
		log, err := t.cfg.Events(ctx, batch[i].row.Run, eventsMax)
		if err != nil {
			return fmt.Errorf("read run %s: %w", batch[i].row.Run, err)
		}
		spans = append(spans, spansOf(&batch[i].row, batch[i].m, log)...)
	}
	body, err := json.Marshal(export{[]resourceSpans{{
		Resource:   resource{[]attribute{{"service.name", text{"signalbox"}}}},
		ScopeSpans: []scopeSpans{{scope{"signalbox"}, spans}},
	}}})
	if err != nil {
		return fmt.Errorf("write traces: %w", err)
	}
	for try := 1; ; try++ {
		again, err := t.send(ctx, body)
		if err == nil || !again || try == triesMax {
			return err
		}
		pause := time.NewTimer(pauseMin << try) //nolint:forbidigo // between tries, not a decision
		select {
		case <-pause.C:
		case <-ctx.Done():
			pause.Stop()
			return ctx.Err()
		}
	}
}

// send makes one request; again: it may go better the next time.
func (t *Tracer) send(ctx context.Context, body []byte) (again bool, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, t.address, bytes.NewReader(body))
	if err != nil {
		return false, fmt.Errorf("ask the collector: %w", err)
	}
	req.Header.Set("Content-Type", "application/json")
	for name, value := range t.cfg.Headers {
		req.Header.Set(name, value)
	}
	res, err := t.client.Do(req)
	if err != nil {
		return true, fmt.Errorf("ask the collector: %w", err)
	}
	defer func() { _ = res.Body.Close() }()
	_, err = io.Copy(io.Discard, io.LimitReader(res.Body, answerMax))
	switch {
	case res.StatusCode >= http.StatusInternalServerError, res.StatusCode == http.StatusTooManyRequests:
		return true, errors.New("the collector answers " + res.Status)
	case res.StatusCode >= http.StatusMultipleChoices:
		return false, errors.New("the collector answers " + res.Status)
	case err != nil:
		return false, fmt.Errorf("read the collector's answer: %w", err)
	}
	return false, nil
}
