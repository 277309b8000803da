package app_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"signalbox/app"
	"signalbox/engine/local/postgres/postgrestest"
)

// childVariable makes this test binary be the program that gets killed.
const childVariable = "SIGNALBOX_TEST_CHILD"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childVariable); dir != "" {
		if err := child(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(postgrestest.Main(m))
}

const (
	killRuns = 200
	killAt   = 120 // acknowledged runs

	recoveredWithin = 10 * time.Second // far less when no lease and no silence is waited for
)

func config(t interface{ Fatal(...any) }, dir string) app.Config {
	cfg, err := app.Parse([]string{"--data", dir, "--listen", "127.0.0.1:0"}, func(string) string { return "" }, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

type fatal struct{}

func (fatal) Fatal(a ...any) { panic(fmt.Sprint(a...)) }

// child is the whole program; it starts runs until it is killed, and says the
// id of each that was acknowledged.
func child(dir string) error {
	ctx := context.Background()
	a, err := app.New(ctx, config(fatal{}, dir), slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	ready := make(chan struct{})
	go func() { _ = a.Run(ctx, func() { close(ready) }) }()
	<-ready
	start, err := a.Exercise(ctx, 4)
	if err != nil {
		return err
	}
	for range killRuns {
		id, err := start(ctx)
		if err != nil {
			return err
		}
		fmt.Println(id)
	}
	select {}
}

// TestKilledRunsEnd kills the whole program with 200 runs under way. After the
// restart every run that was acknowledged ends well, no attempt ended twice,
// and every log is dense and unbroken.
func TestKilledRunsEnd(t *testing.T) {
	t.Parallel()
	dir, err := os.MkdirTemp("", "signalbox-kill-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil { // PostgreSQL's user must enter
		t.Fatal(err)
	}
	acked := killAfter(t, dir)
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	a, err := app.New(ctx, config(t, dir), slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn})))
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	running, stop := context.WithCancel(ctx)
	done, ready := make(chan error, 1), make(chan struct{})
	go func() { done <- a.Run(running, func() { close(ready) }) }()
	defer func() {
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	}()
	<-ready
	for {
		open, err := a.OpenRuns(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if open == 0 {
			break
		}
		time.Sleep(20 * time.Millisecond) // polls another process's database; nothing is decided by it
	}
	took := time.Since(began)
	t.Logf("%d acknowledged runs, all over %s after the restart", len(acked), took.Round(time.Millisecond))
	if took > recoveredWithin {
		t.Errorf("it took %s, so something waited for a time limit", took)
	}
	audited(ctx, t, a, acked)
}

// audited checks the whole database, and that it has every acknowledged run
// and all of them succeeded.
func audited(ctx context.Context, t *testing.T, a *app.App, acked []uuid.UUID) {
	t.Helper()
	r, err := a.Audit(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range r.Violations {
		t.Errorf("%+v", v)
	}
	lost, err := a.Missing(ctx, acked)
	if err != nil || len(lost) > 0 {
		t.Errorf("acknowledged and not there: %v %v", lost, err)
	}
	if n := r.Status["succeeded"]; n != r.Runs || n < len(acked) {
		t.Errorf("%d of %d runs succeeded, %d were acknowledged", n, r.Runs, len(acked))
	}
}

// killAfter starts the child and kills it in the middle.
func killAfter(t *testing.T, dir string) []uuid.UUID {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), exe)
	cmd.Env = append(os.Environ(), childVariable+"="+dir)
	cmd.Stderr = t.Output()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var acked []uuid.UUID
	for sc := bufio.NewScanner(out); len(acked) < killAt && sc.Scan(); {
		id, err := uuid.Parse(strings.TrimSpace(sc.Text()))
		if err != nil {
			t.Fatal(err)
		}
		acked = append(acked, id)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if len(acked) < killAt {
		t.Fatalf("the child acknowledged only %d runs", len(acked))
	}
	return acked
}

func TestASecondProcessIsRefused(t *testing.T) {
	t.Parallel()
	dir, err := os.MkdirTemp("", "signalbox-second-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	a, err := app.New(ctx, config(t, dir), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	ready, done := make(chan struct{}), make(chan error, 1)
	go func() { done <- a.Run(ctx, func() { close(ready) }) }()
	<-ready
	if _, err := app.New(ctx, config(t, dir), slog.New(slog.DiscardHandler)); err == nil || !strings.Contains(err.Error(), "already in use by another running instance") {
		t.Errorf("a second process on the same data: %v", err)
	}
	taken := config(t, filepath.Join(dir, "other"))
	taken.Listen = strings.TrimPrefix(a.Origin, "http://")
	if _, err := app.New(ctx, taken, slog.New(slog.DiscardHandler)); err == nil || !strings.Contains(err.Error(), "cannot be listened on") {
		t.Errorf("an occupied port: %v", err)
	}
	stop()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestSettings(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"--listen 0.0.0.0:80":                 "without TLS",
		"--listen nonsense":                   "not host:port",
		"--public-url ftp://x":                "not http://host",
		"--slots 0":                           "not from 1",
		"extra":                               "not understood",
		"--listen 0.0.0.0:80 --trusted-proxy": "",
		"--listen 0.0.0.0:80 --public-url https://a.example": "",
	} {
		_, err := app.Parse(strings.Fields(args), func(string) string { return "" }, io.Discard)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", args, err, want)
		}
	}
	cfg, err := app.Parse(nil, func(k string) string {
		return map[string]string{"DATABASE_URL": "postgres://x", "SIGNALBOX_LISTEN": "127.0.0.1:9"}[k]
	}, io.Discard)
	if err != nil || cfg.DatabaseURL != "postgres://x" || cfg.Listen != "127.0.0.1:9" {
		t.Errorf("%+v %v", cfg, err)
	}
}

func TestCheckAndRunAFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	good := write("good.json", `{"signalbox":1,"nodes":[{"id":"s","key":"start","kind":"manual"},{"id":"a","key":"a","kind":"mock","config":{"answer":{"n":"=input.n + 1"}}}],"edges":[{"id":"1","from":"s","port":"success","to":"a"}],"layout":{}}`)
	failing := write("failing.json", `{"signalbox":1,"nodes":[{"id":"s","key":"start","kind":"manual"},{"id":"a","key":"a","kind":"fail","config":{"message":"no"}}],"edges":[{"id":"1","from":"s","port":"success","to":"a"}],"layout":{}}`)
	unsound := write("unsound.json", `{"signalbox":1,"nodes":[{"id":"a","key":"a","kind":"mock"}],"edges":[],"layout":{}}`)
	broken := write("broken.json", `{"signalbox":1,"nodes":[{"id":"a","id":"b"}]}`)
	input := write("in.json", `{"n":41}`)
	for _, c := range []struct {
		code int
		want string
		args []string
	}{
		{0, `{"n":42}`, []string{"run", good, "--input", input}},
		{1, "failed: no", []string{"run", failing}},
		{2, "needs a trigger", []string{"run", unsound}},
		{2, "twice", []string{"run", broken}},
		{0, "Sound: 2 nodes", []string{"check", good}},
		{1, "needs a trigger", []string{"check", unsound}},
		{2, "twice", []string{"check", broken}},
		{2, "no such file", []string{"check", filepath.Join(dir, "none.json")}},
	} {
		var out strings.Builder
		var code int
		if c.args[0] == "run" {
			code = app.RunFile(context.Background(), c.args[1:], &out, &out)
		} else {
			code = app.Check(c.args[1:], &out, &out)
		}
		if code != c.code || !strings.Contains(out.String(), c.want) {
			t.Errorf("%v: exit %d, want %d and %q:\n%s", c.args, code, c.code, c.want, out.String())
		}
	}
}
