package app_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	"signalbox/app"
	"signalbox/engine/worker"
	"signalbox/engine/worker/action"
)

// TestALargeValueWaitsForTheDatabase kills PostgreSQL while steps wait for a
// free slot whose configuration is stored as a large value. They begin before
// it is back, and end well all the same.
func TestALargeValueWaitsForTheDatabase(t *testing.T) {
	t.Parallel()
	dir, err := os.MkdirTemp("", "signalbox-patient-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil { //nolint:gosec // PostgreSQL's user must enter
		t.Fatal(err)
	}
	cfg := config(t, dir)
	cfg.Slots = 1
	held := &hold{begun: make(chan struct{}, 1), free: make(chan struct{})}
	cfg.Instead("mock", held)
	a, err := app.New(t.Context(), cfg, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ready, done := make(chan struct{}), make(chan error, 1)
	go func() { done <- a.Run(ctx, func() { close(ready) }) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	<-ready
	if err := a.Single(t.Context(), "Held", `{"answer":"hold"}`, "held"); err != nil {
		t.Fatal(err)
	}
	<-held.begun
	const waiting = 5
	for n := range waiting {
		if err := a.Single(t.Context(), "Large", `{"answer":"`+strings.Repeat("large ", 2_000)+`"}`, fmt.Sprint(n)); err != nil {
			t.Fatal(err)
		}
	}
	p, err := postgresOf(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Kill(); err != nil {
		t.Fatal(err)
	}
	close(held.free) // the next one begins
	ran := func() (n int) {
		dsn, err := app.RunningDSN(dir)
		if err == nil {
			n = ends(func() (string, error) { return dsn, nil })
		}
		return n
	}
	for began := time.Now(); ran() < waiting+1; time.Sleep(20 * time.Millisecond) {
		if time.Since(began) > time.Minute {
			t.Fatalf("%d of %d runs are over", ran(), waiting+1)
		}
	}
	if why := a.Failures(t.Context()); why != "" {
		t.Error(why)
	}
}

// hold does what a mock does, but keeps its slot when it is told so.
type hold struct {
	action.Mock
	begun, free chan struct{}
}

func (h *hold) Do(ctx context.Context, c worker.Call) (json.RawMessage, error) {
	if strings.Contains(string(c.Config), `"hold"`) {
		h.begun <- struct{}{}
		<-h.free
	}
	return h.Mock.Do(ctx, c) //nolint:wrapcheck // it is one
}
