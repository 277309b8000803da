package otlp_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"signalbox/engine/event"
	"signalbox/engine/machine"
	"signalbox/engine/otlp"
	"signalbox/engine/runtime"
)

func stored(t *testing.T, at time.Time, facts ...machine.Fact) []event.Event {
	t.Helper()
	list := make([]event.Event, len(facts))
	for i, f := range facts {
		e, err := machine.Encode(machine.Event{Seq: i + 1, At: at.Add(time.Duration(i) * time.Second), Fact: f})
		if err != nil {
			t.Fatal(err)
		}
		list[i] = e
	}
	return list
}

// export runs a tracer against a collector until the first request is
// answered well, and returns its body and how many requests there were.
func export(t *testing.T, log []event.Event, answers ...int) (body string, requests int) {
	t.Helper()
	var n atomic.Int64
	got := make(chan string, 10)
	collector := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		i := int(n.Add(1)) - 1
		code := http.StatusOK
		if i < len(answers) {
			code = answers[i]
		}
		w.WriteHeader(code)
		if code == http.StatusOK {
			got <- string(raw)
		}
	}))
	defer collector.Close()
	tracer, err := otlp.New(otlp.Config{
		Endpoint: collector.URL + "/base/", Log: slog.New(slog.DiscardHandler),
		Events: func(context.Context, uuid.UUID, int) ([]event.Event, error) { return log, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- tracer.Run(ctx) }()
	last, err := machine.Decode(log[len(log)-1])
	if err != nil {
		t.Fatal(err)
	}
	tracer.Events(&runtime.NewRun{Run: uuid.New()}, &machine.Machine{}, []machine.Event{last})
	body = <-got
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
	return body, int(n.Load())
}

func TestFailuresAndRetriesShow(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC)
	secret := event.Error{Class: "unavailable", Message: "the password is hunter2"}
	log := stored(
		t, at,
		&machine.RunStarted{Trigger: "start", Input: event.Value{Inline: json.RawMessage(`"hunter2"`)}},
		&machine.TaskScheduled{Node: "call", Visit: 1, Attempt: 1, Queue: "default"},
		&machine.TaskFailed{Node: "call", Visit: 1, Attempt: 1, Error: secret, RetryAt: at.Add(3 * time.Second), Began: at.Add(1500 * time.Millisecond)},
		&machine.TaskScheduled{Node: "call", Visit: 1, Attempt: 2, Queue: "default"},
		&machine.TaskFailed{Node: "call", Visit: 1, Attempt: 2, Error: secret},
		&machine.NodeFailed{Node: "call", Visit: 1, Error: secret},
		&machine.RunFailed{Error: secret},
	)
	body, requests := export(t, log, http.StatusServiceUnavailable)
	if requests != 2 {
		t.Errorf("%d requests, want one that is refused and one that is not", requests)
	}
	if strings.Contains(body, "hunter2") {
		t.Errorf("the trace holds payloads or messages:\n%s", body)
	}
	var c struct {
		ResourceSpans []struct {
			ScopeSpans []struct {
				Spans []struct {
					Name, StartTimeUnixNano, EndTimeUnixNano string
					Status                                   struct {
						Code    int
						Message string
					}
				}
			}
		}
	}
	if err := json.Unmarshal([]byte(body), &c); err != nil {
		t.Fatal(err)
	}
	spans := c.ResourceSpans[0].ScopeSpans[0].Spans
	var names []string
	for _, s := range spans {
		names = append(names, s.Name)
		if s.Status.Code != 2 || s.Status.Message != "unavailable" {
			t.Errorf("span %s has the status %+v", s.Name, s.Status)
		}
	}
	if got := strings.Join(names, ", "); got != "run, call attempt, call attempt, call" {
		t.Errorf("spans are %s", got)
	}
	if s := spans[1]; s.StartTimeUnixNano != "1796029201500000000" || s.EndTimeUnixNano != "1796029202000000000" {
		t.Errorf("the first attempt goes from %s to %s", s.StartTimeUnixNano, s.EndTimeUnixNano)
	}
	if s := spans[3]; s.StartTimeUnixNano != "1796029201000000000" || s.EndTimeUnixNano != "1796029205000000000" {
		t.Errorf("the visit goes from %s to %s", s.StartTimeUnixNano, s.EndTimeUnixNano)
	}
}

func TestAddressIsChecked(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"", "localhost:4318", "ftp://x", "http://"} {
		if _, err := otlp.New(otlp.Config{Endpoint: address}); err == nil {
			t.Errorf("%q is accepted", address)
		}
	}
}

// TestEngineNeverWaits fills the queue of a tracer that does not run.
func TestEngineNeverWaits(t *testing.T) {
	t.Parallel()
	tracer, err := otlp.New(otlp.Config{Endpoint: "http://localhost:1", Log: slog.New(slog.DiscardHandler), Events: func(context.Context, uuid.UUID, int) ([]event.Event, error) {
		return nil, errors.New("not asked")
	}})
	if err != nil {
		t.Fatal(err)
	}
	for range 10_000 {
		tracer.Events(&runtime.NewRun{}, &machine.Machine{}, []machine.Event{{Fact: &machine.RunSucceeded{}}})
	}
}
