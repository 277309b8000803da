package app_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"signalbox/app"
	"signalbox/engine/pg/pgtest"
)

func TestMetricsNeedATokenFromElsewhere(t *testing.T) {
	t.Parallel()
	const token = "a token of enough length"
	metrics := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "figures") })
	fault := errors.New("away")
	for name, c := range map[string]struct {
		token, from, header, path string
		want                      int
	}{
		"from this machine":              {"", "127.0.0.1:9", "", "/metrics", http.StatusOK},
		"from this machine, version 6":   {"", "[::1]:9", "", "/metrics", http.StatusOK},
		"from elsewhere":                 {token, "192.0.2.1:9", "", "/metrics", http.StatusNotFound},
		"with a wrong token":             {token, "192.0.2.1:9", "Bearer another", "/metrics", http.StatusNotFound},
		"with the token":                 {token, "192.0.2.1:9", "Bearer " + token, "/metrics", http.StatusOK},
		"no token is set, none is given": {"", "192.0.2.1:9", "Bearer ", "/metrics", http.StatusNotFound},
		"health from elsewhere":          {"", "192.0.2.1:9", "", "/healthz", http.StatusOK},
		"not ready":                      {"", "192.0.2.1:9", "", "/readyz", http.StatusServiceUnavailable},
		"another method":                 {"", "127.0.0.1:9", "", "/nothing", http.StatusNotFound},
	} {
		h := app.OpsHandler(c.token, metrics, func(context.Context) error { return fault })
		r := httptest.NewRequest(http.MethodGet, c.path, nil)
		r.RemoteAddr = c.from
		if c.header != "" {
			r.Header.Set("Authorization", c.header)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != c.want {
			t.Errorf("%s: %d, want %d", name, w.Code, c.want)
		}
	}
}

// TestNotReadyWithoutNATS takes NATS away from a running program.
func TestNotReadyWithoutNATS(t *testing.T) {
	t.Parallel()
	cfg := config(t, t.TempDir())
	url, shutdown := startNATS(t)
	cfg.DatabaseURL, cfg.NATSURL, cfg.OpsListen = pgtest.DSN(t), url, "127.0.0.1:0"
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	a, err := app.New(ctx, cfg, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	running, stop := context.WithCancel(ctx)
	ready, done := make(chan struct{}), make(chan error, 1)
	go func() { done <- a.Run(running, func() { close(ready) }) }()
	<-ready
	if code, _ := fetch(ctx, t, a.Origin+"/readyz", ""); code != http.StatusOK {
		t.Errorf("/readyz while all is there: %d", code)
	}
	shutdown()
	for _, origin := range []string{a.Origin, a.OpsOrigin()} {
		for code := 0; code != http.StatusServiceUnavailable; { // the client notices soon; the context bounds it
			code, _ = fetch(ctx, t, origin+"/readyz", "")
		}
		if code, _ := fetch(ctx, t, origin+"/healthz", ""); code != http.StatusOK {
			t.Errorf("/healthz without NATS: %d", code)
		}
	}
	_, text := fetch(ctx, t, a.OpsOrigin()+"/metrics", "")
	if got := sample(t, text, "signalbox_nats_connected"); got != 0 {
		t.Errorf("signalbox_nats_connected is %g", got)
	}
	stop()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestLogAsJSON(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	cfg, err := app.Parse([]string{"--log-format", "json", "--log", "debug"}, none, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	log, err := cfg.Logger(&out)
	if err != nil {
		t.Fatal(err)
	}
	log.Debug("run over", "run", "r1")
	var line struct{ Level, Msg, Run string }
	if err := json.Unmarshal(out.Bytes(), &line); err != nil || line.Level != "DEBUG" || line.Msg != "run over" || line.Run != "r1" {
		t.Errorf("%s: %v", &out, err)
	}
	for _, args := range [][]string{{"--log-format", "xml"}, {"--ops-listen", "nonsense"}, {"--metrics-token", "short"}} {
		if _, err := app.Parse(args, none, io.Discard); err == nil {
			t.Errorf("%v is accepted", args)
		}
	}
}
