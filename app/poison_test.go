package app_test

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"signalbox/app"
	"signalbox/engine/pg"
	"signalbox/engine/worker"
	"signalbox/engine/worker/action"
)

// Variables that make this test binary be the program, or a worker of it, with
// a step that kills its process.
const (
	deadlyVariable     = "SIGNALBOX_TEST_DEADLY"      // directory of the data
	deadlyRoleVariable = "SIGNALBOX_TEST_DEADLY_ROLE" // serve or worker
)

// deadly does what a mock does, but kills the process if it is told so.
type deadly struct{ action.Mock }

func (d deadly) Do(ctx context.Context, c worker.Call) (json.RawMessage, error) {
	if strings.Contains(string(c.Config), `"die"`) {
		time.Sleep(80 * time.Millisecond) // what runs beside it has begun
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	}
	return d.Mock.Do(ctx, c) //nolint:wrapcheck // it is one
}

// deadlyChild is the program, or a worker. A server starts two runs, once: one
// whose step kills whoever runs it, and one whose step takes a while.
func deadlyChild(dir string) error {
	log, err := os.OpenFile(filepath.Join(dir, "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	cfg, err := app.Parse([]string{"--data", dir, "--listen", "127.0.0.1:0"}, os.Getenv, io.Discard)
	if err != nil {
		return err
	}
	cfg.Instead("mock", deadly{})
	logger := slog.New(slog.NewTextHandler(log, nil))
	if os.Getenv(deadlyRoleVariable) == "worker" {
		return app.Command(ctx, "worker", cfg, logger, io.Discard)
	}
	a, err := app.New(ctx, cfg, logger)
	if err != nil {
		return err
	}
	begun := make(chan error, 1)
	err = a.Run(ctx, func() {
		go func() {
			err := a.Single(ctx, "Poison", `{"answer":"die"}`, "poison")
			if err == nil {
				err = a.Single(ctx, "Beside", `{"answer":1,"latency_ms":600}`, "beside")
			}
			begun <- err
		}()
	})
	select {
	case failed := <-begun:
		if err == nil && ctx.Err() == nil { // told to stop, it may not know whether they began
			err = failed
		}
	default:
	}
	return err
}

// mortal is one process that is started again whenever it dies.
type mortal struct {
	role, dir string
	deaths    int
	cmd       *exec.Cmd
	gone      chan error
}

func (m *mortal) start(t *testing.T, env []string) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	m.cmd, m.gone = exec.Command(exe), make(chan error, 1)
	m.cmd.Env = append(append(os.Environ(), env...), deadlyVariable+"="+m.dir, deadlyRoleVariable+"="+m.role)
	m.cmd.Stderr = os.Stderr
	if err := m.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { m.gone <- m.cmd.Wait() }()
}

// stop lets the process end in order.
func (m *mortal) stop(t *testing.T) {
	t.Helper()
	_ = m.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case err := <-m.gone:
		if err != nil {
			t.Errorf("%s: %v", m.role, err)
		}
	case <-time.After(30 * time.Second):
		_ = m.cmd.Process.Kill()
		t.Errorf("%s does not stop", m.role)
	}
}

// suffer starts processes again, as a supervisor does, until both runs are over.
func suffer(t *testing.T, dsn func() (string, error), env []string, list ...*mortal) {
	t.Helper()
	for _, m := range list {
		m.start(t, env)
	}
	began := time.Now()
	for ends(dsn) < 2 {
		for _, m := range list {
			select {
			case err := <-m.gone:
				if m.cmd.ProcessState.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
					t.Fatalf("%s ended by itself: %v", m.role, err)
				}
				m.deaths++
				m.start(t, env)
			default:
			}
		}
		if time.Since(began) > 8*time.Minute {
			for _, m := range list {
				t.Logf("%s died %d times", m.role, m.deaths)
				m.stop(t)
			}
			t.Fatal("the runs do not end")
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// ends is how many runs are over; the database dies with its parent.
func ends(dsn func() (string, error)) (n int) {
	address, err := dsn()
	if err != nil {
		return 0
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	db, err := pg.Open(ctx, address)
	if err != nil {
		return 0
	}
	defer db.Close()
	_ = db.Pool().QueryRow(ctx, `select count(*) from runs where ended_at is not null`).Scan(&n)
	return n
}

// letter checks how both runs have ended.
func letter(t *testing.T, dsn func() (string, error)) {
	t.Helper()
	address, err := dsn()
	if err != nil {
		t.Fatal(err)
	}
	db, err := pg.Open(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var class, message string
	var attempts int
	if err := db.Pool().QueryRow(t.Context(), `select d.class, d.message, d.attempts from dead_letters d join trigger_ledger l on l.run_id = d.run_id
		where l.key = 'poison'`).Scan(&class, &message, &attempts); err != nil {
		t.Fatal(err)
	}
	if class != "crash" || !strings.Contains(message, "died 8 times in a row while this step ran") || attempts != 1 {
		t.Errorf("the dead letter says %s: %q after %d attempts", class, message, attempts)
	}
	var status string
	if err := db.Pool().QueryRow(t.Context(), `select r.status from runs r join trigger_ledger l on l.run_id = r.id where l.key = 'beside'`).Scan(&status); err != nil {
		t.Fatal(err)
	}
	if status != "succeeded" {
		t.Errorf("what ran beside it has %s", status)
	}
}

// TestAStepThatKillsTheProgramIsGivenUp lets a step kill the program each time
// that it is run, under both ways of handing tasks over. At the eighth death it
// is a dead letter with its reason, and what was at work beside it all the time
// ends well.
func TestAStepThatKillsTheProgramIsGivenUp(t *testing.T) {
	t.Parallel()
	for name, env := range map[string][]string{"jetstream": nil, "local": {"SIGNALBOX_LOCAL=true"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, err := os.MkdirTemp("", "signalbox-poison-")
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = os.RemoveAll(dir) })
			if err := os.Chmod(dir, 0o755); err != nil { //nolint:gosec // PostgreSQL's user must enter
				t.Fatal(err)
			}
			began := time.Now()
			dsn := func() (string, error) { return app.RunningDSN(dir) }
			m := &mortal{role: "serve", dir: dir}
			suffer(t, dsn, env, m)
			letter(t, dsn)
			m.stop(t)
			if m.deaths != 8 {
				t.Errorf("it died %d times", m.deaths)
			}
			t.Logf("%d deaths in %s", m.deaths, time.Since(began).Round(time.Millisecond))
		})
	}
}
