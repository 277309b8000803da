package app_test

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"signalbox/app"
	"signalbox/engine/local/postgres/postgrestest"
)

func TestMain(m *testing.M) {
	for variable, be := range map[string]func(dir string) error{childVariable: child, diskVariable: diskChild, deadlyVariable: deadlyChild, serverVariable: serverChild, edgeVariable: edgeChild} {
		if dir := os.Getenv(variable); dir != "" {
			if err := be(dir); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
			os.Exit(0)
		}
	}
	if dir := os.Getenv(natsVariable); dir != "" {
		fmt.Fprintln(os.Stderr, natsChild(dir, os.Getenv(natsPortVariable)))
		os.Exit(1)
	}
	os.Exit(postgrestest.Main(m))
}

func config(t interface{ Fatal(...any) }, dir string) app.Config {
	cfg, err := app.Parse([]string{"--data", dir, "--listen", "127.0.0.1:0"}, none, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

// alone is the whole program in one process with PostgreSQL as its child.
type alone struct {
	*arena
	v *victim
}

// fault is one thing that goes wrong.
type fault struct {
	name string
	do   func(*alone)
}

// faultsAlone lists what can happen to one process and its child.
func faultsAlone() []fault {
	return []fault{
		{"kill -9 of the program", func(a *alone) { a.restart(func() {}) }},
		{"kill -9, NATS's files wiped", func(a *alone) {
			a.restart(func() { _ = os.RemoveAll(filepath.Join(a.dir, "nats")) })
		}},
		{"kill -9, NATS's files spoiled", func(a *alone) { a.restart(a.spoil) }},
		{"SIGSTOP of the program", func(a *alone) {
			_ = a.v.cmd.Process.Signal(syscall.SIGSTOP)
			a.rest(1500 * time.Millisecond)
			_ = a.v.cmd.Process.Signal(syscall.SIGCONT)
		}},
		{"kill -9 of PostgreSQL", func(a *alone) { a.postgres(syscall.SIGKILL) }},
		{"SIGSTOP of PostgreSQL", func(a *alone) {
			a.postgres(syscall.SIGSTOP)
			a.rest(1500 * time.Millisecond)
			a.postgres(syscall.SIGCONT)
		}},
		{"kill -9 of both", func(a *alone) {
			a.postgres(syscall.SIGKILL)
			a.restart(func() {})
		}},
	}
}

func newAlone(t *testing.T, seed uint64) *alone {
	t.Helper()
	a := &alone{arena: newArena(t, seed)}
	a.v = a.start(a.dir)
	a.awaited(a.v)
	return a
}

// restart kills the program and starts it again.
func (a *alone) restart(between func()) {
	a.t.Helper()
	_ = a.v.cmd.Process.Kill()
	<-a.v.gone
	between()
	a.v = a.start(a.dir)
	a.awaited(a.v)
}

func (a *alone) postgres(s syscall.Signal) {
	if p, err := postgresOf(a.dir); err == nil {
		_ = p.Signal(s)
	}
}

// spoil cuts off or overwrites half of NATS's files.
func (a *alone) spoil() {
	err := filepath.WalkDir(filepath.Join(a.dir, "nats"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || a.rng.IntN(2) == 0 {
			return err
		}
		raw, err := os.ReadFile(path)
		if err != nil || len(raw) == 0 {
			return err
		}
		if a.rng.IntN(2) == 0 {
			raw = raw[:a.rng.IntN(len(raw))]
		} else {
			for range 20 {
				raw[a.rng.IntN(len(raw))] ^= 0xff
			}
		}
		return os.WriteFile(path, raw, 0o600)
	})
	if err != nil {
		a.t.Error(err)
	}
}

// suffer lets one fault happen after a while.
func (a *alone) suffer(f fault, after time.Duration) {
	a.t.Helper()
	time.Sleep(after)
	f.do(a)
	a.moves(f.name)
}

// TestFaults does everything to the program that make soak does a thousand
// times, once. Every start that was acknowledged is there, once, and has ended
// well; the invariants hold; nothing had to wait for a time limit.
func TestFaults(t *testing.T) {
	t.Parallel()
	a := newAlone(t, 1)
	for _, f := range faultsAlone() {
		a.suffer(f, 300*time.Millisecond)
	}
	v := a.settle()
	a.print(v)
	if v.took > recoveredWithin {
		t.Errorf("it took %s until all was over, so something waited for a time limit", v.took)
	}
}

// recoveredWithin is far more than a busy machine needs for the work that was
// left, and less than the silence after which an attempt is handed out again.
const recoveredWithin = 40 * time.Second

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
	asleep := write("asleep.json", `{"signalbox":1,"nodes":[{"id":"s","key":"start","kind":"manual"},{"id":"a","key":"hear","kind":"signal","config":{"name":"go","timeout":"72h"}},{"id":"b","key":"late","kind":"set","config":{"fields":{"late":true},"keep":false}}],"edges":[{"id":"1","from":"s","port":"success","to":"a"},{"id":"2","from":"a","port":"timeout","to":"b"}],"layout":{}}`)
	input := write("in.json", `{"n":41}`)
	for _, c := range []struct {
		code int
		want string
		args []string
	}{
		{0, `{"n":42}`, []string{"run", good, "--input", input}},
		{0, `{"late":true}`, []string{"run", asleep, "--fast-forward"}},
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
