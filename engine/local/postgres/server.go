// Package postgres runs a private PostgreSQL server as a child process: found
// or bundled binaries, a Unix socket that only we may enter, checksums, and a
// restart when it dies. It is for one machine; with DATABASE_URL it is not
// used.
package postgres

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
)

// ErrInUse: another process has the directory.
var ErrInUse = errors.New("already in use by another running instance")

// Config is how the server runs.
type Config struct {
	Dir        string            // holds data/, sock/ and lock
	BinDir     string            // of postgres and initdb; empty: searched
	Database   string            // empty: signalbox
	SearchFrom []string          // directories at or above which node_modules may hold bundled binaries
	Settings   map[string]string // over the defaults
	NoSync     bool              // tests only: what is committed may be lost
	Log        *slog.Logger
}

// Server is a running server.
type Server struct {
	cfg     Config
	bin     candidate
	runner  *runner
	lock    io.Closer
	sockDir string
	data    string

	mu       sync.Mutex
	cmd      *exec.Cmd
	done     chan struct{} // of the present child
	stopping bool
	watched  chan struct{} // closed when the watcher is gone
}

// Limits of starting and stopping.
const (
	readyMax   = 60 * time.Second
	stopMax    = 20 * time.Second
	restartMax = 5 * time.Second // longest pause before a died server is started again
)

// Start makes the data directory if there is none, takes over from a parent
// that was killed, and starts the server.
func Start(ctx context.Context, cfg Config) (_ *Server, err error) {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.Database == "" {
		cfg.Database = "signalbox"
	}
	if cfg.Dir, err = filepath.Abs(cfg.Dir); err != nil {
		return nil, fmt.Errorf("find the data directory: %w", err)
	}
	s := &Server{cfg: cfg, data: filepath.Join(cfg.Dir, "data"), watched: make(chan struct{})}
	if err := os.MkdirAll(cfg.Dir, 0o755); err != nil {
		return nil, fmt.Errorf("make the data directory: %w", err)
	}
	if s.lock, err = lockFile(filepath.Join(cfg.Dir, "lock")); err != nil {
		return nil, fmt.Errorf("the database directory %s is %w", cfg.Dir, err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.lock.Close())
		}
	}()
	if err := s.prepare(ctx); err != nil {
		return nil, err
	}
	if err := s.first(ctx); err != nil {
		return nil, err
	}
	if err := s.ensureDatabase(ctx); err != nil {
		s.kill()
		return nil, err
	}
	go s.watch(context.WithoutCancel(ctx))
	return s, nil
}

// DSN is the address of the database, for the role of the application, which
// is no superuser.
func (s *Server) DSN() string { return s.address("signalbox", s.cfg.Database) }

// DSNFor is the address of another database of this server.
func (s *Server) DSNFor(database string) string { return s.address("signalbox", database) }

// Admin is the address for the superuser.
func (s *Server) Admin() string { return s.address("postgres", "postgres") }

func (s *Server) address(user, database string) string {
	u := url.URL{Scheme: "postgres", User: url.User(user), Path: "/" + database}
	u.RawQuery = url.Values{"host": {s.sockDir}, "port": {"5432"}}.Encode()
	return u.String()
}

// PID is the process of the present child.
func (s *Server) PID() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.cmd.Process.Pid
}

// prepare finds binaries and a user, makes the data directory, and stops what
// a parent that was killed left running.
func (s *Server) prepare(ctx context.Context) error {
	want := 0
	if b, err := os.ReadFile(filepath.Join(s.data, "PG_VERSION")); err == nil {
		want, _ = strconv.Atoi(strings.TrimSpace(string(b)))
	}
	var err error
	if s.bin, err = pick(s.cfg, want, s.data); err != nil {
		return err
	}
	if s.runner, err = newRunner(s.cfg.Dir, s.bin.dir); err != nil {
		return err
	}
	if want == 0 {
		if err := s.initdb(ctx); err != nil {
			return err
		}
	}
	// We hold the lock, so any server alive in data/ belongs to a dead parent.
	if err := stopOrphan(ctx, s.data, s.cfg.Log); err != nil {
		return err
	}
	if s.sockDir, err = s.runner.socketDir(s.cfg.Dir); err != nil {
		return err
	}
	for _, n := range []string{".s.PGSQL.5432", ".s.PGSQL.5432.lock"} {
		_ = os.Remove(filepath.Join(s.sockDir, n)) // stale by the same argument
	}
	return nil
}

// initdb makes the data beside its place and moves it there when it is whole.
func (s *Server) initdb(ctx context.Context) error {
	old, err := filepath.Glob(filepath.Join(s.cfg.Dir, "data.init-*"))
	if err != nil {
		return fmt.Errorf("look for interrupted set-ups: %w", err)
	}
	for _, o := range old {
		_ = os.RemoveAll(o)
	}
	// An interrupted set-up may still be cleaning up: never its name again.
	tmp := filepath.Join(s.cfg.Dir, fmt.Sprintf("data.init-%d-%d", os.Getpid(), time.Now().UnixNano()))
	if err := s.runner.mkdir(tmp); err != nil {
		return fmt.Errorf("make the database directory: %w", err)
	}
	args := []string{"-D", tmp, "-U", "postgres", "--encoding=UTF8", "--auth-local=trust", "--auth-host=reject", "--data-checksums", "--locale=C"}
	switch {
	case s.bin.major >= 17:
		args = append(args, "--locale-provider=builtin", "--builtin-locale=C.UTF-8")
	case runtime.GOOS == "linux":
		args = append(args, "--lc-ctype=C.UTF-8")
	default:
		args = append(args, "--lc-ctype=en_US.UTF-8")
	}
	if s.cfg.NoSync {
		args = append(args, "--no-sync")
	}
	c := exec.CommandContext(ctx, filepath.Join(s.bin.dir, "initdb"), args...) //nolint:gosec // found by us
	c.Env = cleanEnv()
	s.runner.apply(c)
	// The death signal is tied to the thread that forks, and one that another
	// server has locked ends with that server.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb failed: %w\n%s", err, out)
	}
	if err := os.Rename(tmp, s.data); err != nil {
		return fmt.Errorf("put the new database in its place: %w", err)
	}
	return nil
}

// settings is how the server is set for one machine (docs/bench.md).
func (s *Server) settings() map[string]string {
	conf := map[string]string{
		"listen_addresses": "", "unix_socket_directories": s.sockDir, "unix_socket_permissions": "0700",
		"max_connections": "60", "shared_buffers": "24MB", "wal_level": "minimal", "max_wal_senders": "0",
		"max_wal_size": "2GB", "checkpoint_timeout": "15min", "jit": "off", "timezone": "UTC", "log_timezone": "UTC",
		"lc_messages": "C", "log_line_prefix": "", "log_checkpoints": "off", "logging_collector": "off",
		"cluster_name": "signalbox", "idle_in_transaction_session_timeout": "60s", "shared_memory_type": "mmap",
	}
	if s.cfg.NoSync {
		conf["fsync"], conf["full_page_writes"], conf["synchronous_commit"] = "off", "off", "off"
	}
	for k, v := range s.cfg.Settings {
		conf[k] = v
	}
	return conf
}

// first starts the child. What a killed server left may hold its memory for a
// moment after its processes are gone; PostgreSQL does not wait for that.
func (s *Server) first(ctx context.Context) error {
	for try := 0; ; try++ {
		err := s.fork(ctx)
		if err == nil || try == 10 || !strings.Contains(err.Error(), "pre-existing shared memory block") {
			return err
		}
		time.Sleep(200 * time.Millisecond)
		if err := stopOrphan(ctx, s.data, s.cfg.Log); err != nil {
			return err
		}
	}
}

// fork starts the child and waits until it answers.
func (s *Server) fork(ctx context.Context) error {
	args := []string{"-D", s.data}
	for k, v := range s.settings() {
		args = append(args, "-c", k+"="+v)
	}
	cmd := exec.Command(filepath.Join(s.bin.dir, "postgres"), args...) //nolint:gosec,noctx // found by us; it ends by Stop, not by a context
	cmd.Env, cmd.Dir = cleanEnv(), s.cfg.Dir
	pr, pw, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("make a pipe: %w", err)
	}
	cmd.Stdout, cmd.Stderr = pw, pw
	s.runner.apply(cmd)
	tail := &tail{}
	go s.listen(pr, tail)
	done, started := make(chan struct{}), make(chan error, 1)
	go func() {
		// The death signal is tied to the thread that forks: keep that thread.
		runtime.LockOSThread()
		err := cmd.Start()
		_ = pw.Close()
		started <- err
		if err == nil {
			_ = cmd.Wait()
			close(done)
		}
	}()
	if err := <-started; err != nil {
		return fmt.Errorf("start postgres: %w", err)
	}
	s.mu.Lock()
	s.cmd, s.done = cmd, done
	s.mu.Unlock()
	if err := s.waitReady(ctx, cmd, done); err != nil {
		s.kill()
		return fmt.Errorf("%w\npostgres said:\n%s", err, tail)
	}
	return nil
}

func (s *Server) listen(r io.Reader, t *tail) {
	sc := bufio.NewScanner(r)
	for sc.Scan() {
		t.add(sc.Text())
		s.cfg.Log.Debug("postgres says", "line", sc.Text())
	}
}

func (s *Server) waitReady(ctx context.Context, cmd *exec.Cmd, done chan struct{}) error {
	ctx, cancel := context.WithTimeout(ctx, readyMax)
	defer cancel()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return fmt.Errorf("postgres was not ready in time: %w", ctx.Err())
		case <-done:
			return errors.New("postgres ended at its start")
		case <-tick.C:
			b, err := os.ReadFile(filepath.Join(s.data, "postmaster.pid"))
			if err != nil {
				continue
			}
			l := strings.Split(string(b), "\n")
			if len(l) >= 8 && strings.TrimSpace(l[7]) == "ready" && strings.TrimSpace(l[0]) == strconv.Itoa(cmd.Process.Pid) {
				return nil
			}
		}
	}
}

// ensureDatabase makes the role of the application and its database. The role
// is no superuser: an injected statement must not reach COPY … PROGRAM.
func (s *Server) ensureDatabase(ctx context.Context) error {
	c, err := pgx.Connect(ctx, s.DSN())
	if err == nil {
		return c.Close(ctx) //nolint:wrapcheck // says it all
	}
	if c, err = pgx.Connect(ctx, s.Admin()); err != nil {
		return fmt.Errorf("connect to the new database server: %w", err)
	}
	defer func() { _ = c.Close(ctx) }()
	for _, sql := range []string{
		"do $$ begin if not exists (select from pg_roles where rolname = 'signalbox') then create role signalbox login createdb; end if; end $$",
		"create database " + pgx.Identifier{s.cfg.Database}.Sanitize() + " owner signalbox",
	} {
		if _, err := c.Exec(ctx, sql); err != nil {
			return fmt.Errorf("make the database: %w", err)
		}
	}
	return nil
}

// watch starts the server again when it dies.
func (s *Server) watch(ctx context.Context) {
	defer close(s.watched)
	pause := 50 * time.Millisecond
	for {
		s.mu.Lock()
		done := s.done
		s.mu.Unlock()
		began := time.Now()
		<-done
		s.mu.Lock()
		stopping := s.stopping
		s.mu.Unlock()
		if stopping {
			return
		}
		if time.Since(began) > time.Minute {
			pause = 50 * time.Millisecond
		}
		s.cfg.Log.WarnContext(ctx, "postgres died and is started again", "pause", pause)
		time.Sleep(pause)
		pause = min(2*pause, restartMax)
		if err := stopOrphan(ctx, s.data, s.cfg.Log); err != nil {
			s.cfg.Log.ErrorContext(ctx, "postgres cannot be started again yet", "err", err)
		} else if err := s.fork(ctx); err != nil {
			s.cfg.Log.ErrorContext(ctx, "postgres does not start again", "err", err)
		}
	}
}

// Stop ends the server: a fast shutdown, then an immediate one.
func (s *Server) Stop(ctx context.Context) error {
	s.mu.Lock()
	s.stopping = true
	cmd, done := s.cmd, s.done
	s.mu.Unlock()
	_ = fastShutdown(cmd.Process)
	t := time.NewTimer(stopMax)
	defer t.Stop()
	select {
	case <-done:
	case <-ctx.Done():
		s.kill()
	case <-t.C:
		s.kill()
	}
	<-s.watched
	if err := s.lock.Close(); err != nil {
		return fmt.Errorf("give the data directory up: %w", err)
	}
	return nil
}

func (s *Server) kill() {
	s.mu.Lock()
	cmd, done := s.cmd, s.done
	s.mu.Unlock()
	_ = cmd.Process.Kill()
	<-done
}

// cleanEnv keeps PGDATA, PGPORT, locales and the like out.
func cleanEnv() []string {
	var out []string
	for _, e := range os.Environ() {
		switch k, _, _ := strings.Cut(e, "="); k {
		case "PATH", "HOME", "TMPDIR":
			out = append(out, e)
		}
	}
	// glibc gives memory back to the system after each statement and asks for it
	// again at the next one, which is a fifth of a small turn's time.
	return append(out, "LC_ALL=C", "TZ=UTC", "MALLOC_TOP_PAD_=262144", "MALLOC_TRIM_THRESHOLD_=1048576")
}

// tail keeps the last lines that the server wrote.
type tail struct {
	mu    sync.Mutex
	lines []string
}

func (t *tail) add(line string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.lines = append(t.lines, line)
	if len(t.lines) > 20 {
		t.lines = t.lines[1:]
	}
}

// String is the lines.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.Join(t.lines, "\n")
}

// Data is the directory of the database's files.
func (s *Server) Data() string { return s.data }

// Running returns the address of the database that another process runs in the
// directory.
func Running(dir, database string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("find the data directory: %w", err)
	}
	b, err := os.ReadFile(filepath.Join(abs, "data", "postmaster.pid"))
	if err != nil {
		return "", fmt.Errorf("find the running database: %w", err)
	}
	l := strings.Split(string(b), "\n")
	const socketLine = 4 // of postmaster.pid, from 0
	if len(l) <= socketLine || l[socketLine] == "" {
		return "", errors.New("the running database has no socket")
	}
	s := &Server{cfg: Config{Database: database}, sockDir: l[socketLine]}
	return s.DSN(), nil
}
