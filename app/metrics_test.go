package app_test

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"signalbox/app"
	"signalbox/engine/insight"
	"signalbox/engine/pg"
	"signalbox/engine/pg/pgtest"
)

// fetch reads an address; the token may be empty.
func fetch(ctx context.Context, t *testing.T, address, token string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(res.Body)
	if e := res.Body.Close(); err != nil || e != nil {
		t.Fatal(err, e)
	}
	return res.StatusCode, string(body)
}

// sample finds the value of a series.
func sample(t *testing.T, text, series string) float64 {
	t.Helper()
	for line := range strings.Lines(text) {
		if rest, ok := strings.CutPrefix(line, series+" "); ok {
			v, err := strconv.ParseFloat(strings.TrimSpace(rest), 64)
			if err != nil {
				t.Fatal(err)
			}
			return v
		}
	}
	t.Errorf("there is no series %s", series)
	return -1
}

// rolledUp checks that a server that stopped has saved all that it counted, for
// every length of interval, of the workflow and of the workspace.
func rolledUp(t *testing.T, dsn string, runs, steps int) {
	t.Helper()
	ctx := context.Background()
	db, err := pg.Open(ctx, dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, tier := range insight.Tiers() {
		for measure, want := range map[string]int{insight.RunStarted: runs, insight.RunTime: runs, insight.QueueTime: runs * steps, insight.WorkTime: runs * steps} {
			var whole, apart int
			err := db.Pool().QueryRow(ctx, `select coalesce(sum(n) filter (where workflow_id = $3), 0), coalesce(sum(n) filter (where workflow_id <> $3), 0)
				from rollups where step = $1 and measure = $2 and workspace_id <> ''`, tier.Step, measure, uuid.Nil).Scan(&whole, &apart)
			if err != nil || whole != want || apart != want {
				t.Errorf("%s by %d s: %d in all, %d by workflow, want %d: %v", measure, tier.Step, whole, apart, want, err)
			}
		}
	}
}

// TestScrape runs workflows in the whole program and reads its metrics at both
// addresses.
func TestScrape(t *testing.T) {
	t.Parallel()
	const runs, steps = 20, 3
	cfg := config(t, t.TempDir())
	cfg.DatabaseURL, cfg.OpsListen = pgtest.DSN(t), "127.0.0.1:0"
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
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
		rolledUp(t, cfg.DatabaseURL, runs, steps)
	}()
	<-ready
	if code, text := fetch(ctx, t, a.OpsOrigin()+"/healthz", ""); code != http.StatusOK || text != "ok\n" {
		t.Errorf("/healthz: %d %q", code, text)
	}
	if code, text := fetch(ctx, t, a.OpsOrigin()+"/readyz", ""); code != http.StatusOK || text != "ready\n" {
		t.Errorf("/readyz: %d %q", code, text)
	}
	if code, _ := fetch(ctx, t, a.OpsOrigin()+"/login", ""); code != http.StatusNotFound {
		t.Errorf("another page at the address for machines: %d", code)
	}
	start, err := a.Exercise(ctx, steps)
	if err != nil {
		t.Fatal(err)
	}
	for range runs {
		if _, err := start(ctx); err != nil {
			t.Fatal(err)
		}
	}
	for open := 1; open > 0; {
		if open, err = a.OpenRuns(ctx); err != nil {
			t.Fatal(err)
		}
	}
	for told := 0.0; told < runs && ctx.Err() == nil; { // the last one is on disk before it is counted
		_, text := fetch(ctx, t, a.OpsOrigin()+"/metrics", "")
		told = sample(t, text, `signalbox_run_seconds_count{outcome="succeeded"}`)
	}
	for _, origin := range []string{a.Origin, a.OpsOrigin()} {
		code, text := fetch(ctx, t, origin+"/metrics", "")
		if code != http.StatusOK {
			t.Fatalf("%s: %d", origin, code)
		}
		for series, want := range map[string]float64{
			`signalbox_runs_started_total{source="bench"}`:                                            runs,
			`signalbox_run_seconds_count{outcome="succeeded"}`:                                        runs,
			`signalbox_events_total{type="TaskCompleted"}`:                                            runs * steps,
			`signalbox_task_queue_seconds_count{queue="default"}`:                                     runs * steps,
			`signalbox_task_attempt_seconds_count{kind="mock",outcome="succeeded"}`:                   runs * steps,
			`signalbox_runs_open{status="running"}`:                                                   0,
			`signalbox_queue_tasks{queue="default",state="waiting"}`:                                  0,
			`signalbox_postgres_up`:                                                                   1,
			`signalbox_nats_connected`:                                                                1,
			`signalbox_websockets`:                                                                    0,
			`signalbox_worker_attempt_seconds_count{kind="mock",outcome="succeeded",queue="default"}`: runs * steps,
		} {
			if got := sample(t, text, series); got != want {
				t.Errorf("%s is %g, want %g", series, got, want)
			}
		}
		for _, series := range []string{"signalbox_engine_turn_inputs_count", "signalbox_engine_commit_seconds_count", "signalbox_postgres_connections_max", "go_goroutines", "process_open_fds"} {
			if got := sample(t, text, series); got <= 0 {
				t.Errorf("%s is %g", series, got)
			}
		}
	}
}
