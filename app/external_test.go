package app_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	natsserver "github.com/nats-io/nats-server/v2/server"

	"signalbox/app"
	"signalbox/engine/pg/pgtest"
)

// startNATS runs a NATS server that listens, as operators run it.
func startNATS(t *testing.T) (url string, shutdown func()) {
	t.Helper()
	s, err := natsserver.NewServer(&natsserver.Options{Host: "127.0.0.1", Port: natsserver.RANDOM_PORT, NoSigs: true, NoLog: true, JetStream: true, StoreDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	if !s.ReadyForConnections(20 * time.Second) {
		t.Fatal("the NATS server was not ready")
	}
	shutdown = func() { s.Shutdown(); s.WaitForShutdown() }
	t.Cleanup(shutdown)
	return s.ClientURL(), shutdown
}

// natsVariable and natsPortVariable make this test binary be a NATS server that
// gets killed.
const (
	natsVariable     = "SIGNALBOX_TEST_NATS"
	natsPortVariable = "SIGNALBOX_TEST_NATS_PORT"
)

// natsChild is that server; it ends by being killed.
func natsChild(dir, port string) error {
	n, err := strconv.Atoi(port)
	if err != nil {
		return err
	}
	s, err := natsserver.NewServer(&natsserver.Options{Host: "127.0.0.1", Port: n, NoSigs: true, NoLog: true, JetStream: true, StoreDir: dir})
	if err != nil {
		return err
	}
	s.Start()
	s.WaitForShutdown()
	return errors.New("the NATS server ended")
}

// TestServersOfOnesOwn runs the program on a PostgreSQL and a NATS elsewhere,
// with a worker process beside it, and stops both cleanly.
func TestServersOfOnesOwn(t *testing.T) {
	t.Parallel()
	cfg := config(t, t.TempDir())
	url, _ := startNATS(t)
	cfg.DatabaseURL, cfg.NATSURL = pgtest.DSN(t), url
	log := slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn}))
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	a, err := app.New(ctx, cfg, log)
	if err != nil {
		t.Fatal(err)
	}
	running, stop := context.WithCancel(ctx)
	ready, done := make(chan struct{}), make(chan error, 2)
	go func() { done <- a.Run(running, func() { close(ready) }) }()
	go func() { done <- app.Command(running, "worker", cfg, log, io.Discard) }()
	<-ready
	body := strings.NewReader(`{"subject":"Payment failed twice","priority":9}`)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, a.Origin+"/hooks/demo-ticket", body)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := io.ReadAll(res.Body)
	if e := res.Body.Close(); err != nil || e != nil {
		t.Fatal(err, e)
	}
	if res.StatusCode != http.StatusOK || !strings.Contains(string(answer), "Payment failed twice") {
		t.Errorf("%s %s", res.Status, answer)
	}
	stop()
	for range 2 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

func TestWorkerWithoutTheKeyIsRefused(t *testing.T) {
	t.Parallel()
	cfg := config(t, t.TempDir())
	cfg.DatabaseURL, cfg.NATSURL = pgtest.DSN(t), "nats://127.0.0.1:1"
	cfg.KeyFile = filepath.Join(t.TempDir(), "missing")
	err := app.Command(t.Context(), "worker", cfg, slog.New(slog.DiscardHandler), io.Discard)
	if err == nil || !strings.Contains(err.Error(), cfg.KeyFile) {
		t.Errorf("a worker without the key: %v", err)
	}
}
