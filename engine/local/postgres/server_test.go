package postgres_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"signalbox/engine/local/postgres"
)

// parentOf names the directory in which this binary, started again by a test,
// runs a server until it is killed.
const parentOf = "SIGNALBOX_TEST_PARENT_OF"

func TestMain(m *testing.M) {
	if dir := os.Getenv(parentOf); dir != "" {
		os.Exit(beParent(dir))
	}
	os.Exit(m.Run())
}

// beParent starts a server, says where, and waits for the end.
func beParent(dir string) int {
	s, err := postgres.Start(context.Background(), config(dir))
	if err != nil {
		fmt.Println("error", err)
		return 1
	}
	fmt.Println("pid", s.PID())
	select {}
}

func config(dir string) postgres.Config {
	wd, err := os.Getwd()
	if err != nil {
		panic(err)
	}
	return postgres.Config{Dir: dir, NoSync: true, SearchFrom: []string{wd}, BinDir: os.Getenv("SIGNALBOX_PG_BIN")}
}

// newDir makes a directory that the server's user can enter, which t.TempDir
// is not when root runs the tests.
func newDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "signalbox-local-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

func start(t *testing.T, dir string) *postgres.Server {
	t.Helper()
	s, err := postgres.Start(t.Context(), config(dir))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Stop(context.Background()) })
	return s
}

// ask connects, retrying while the server is on its way, and scans one value.
func ask[T any](t *testing.T, dsn, sql string) T {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	var v T
	for {
		err := query(ctx, dsn, sql, &v)
		if err == nil {
			return v
		}
		if ctx.Err() != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
}

func query(ctx context.Context, dsn, sql string, v any) error {
	c, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return err
	}
	defer func() { _ = c.Close(ctx) }()
	return c.QueryRow(ctx, sql).Scan(v)
}

func TestServerIsPrivateAndSafe(t *testing.T) {
	t.Parallel()
	s := start(t, newDir(t))
	for sql, want := range map[string]string{
		"show data_checksums":            "on",
		"show listen_addresses":          "",
		"show unix_socket_permissions":   "0700",
		"show server_encoding":           "UTF8",
		"select current_user::text":      "signalbox",
		"select ('ÄÖ' ilike 'äö')::text": "true",
		"select rolsuper::text from pg_roles where rolname = current_user": "false",
	} {
		if got := ask[string](t, s.DSN(), sql); got != want {
			t.Errorf("%s: %q, want %q", sql, got, want)
		}
	}
	socket := ask[string](t, s.Admin(), "show unix_socket_directories")
	fi, err := os.Stat(socket)
	if err != nil {
		t.Fatal(err)
	}
	if fi.Mode().Perm() != 0o700 {
		t.Errorf("the socket's directory may be entered by others: %v", fi.Mode())
	}
}

func TestServerSyncsUnlessToldOtherwise(t *testing.T) {
	t.Parallel()
	cfg := config(newDir(t))
	cfg.NoSync = false
	s, err := postgres.Start(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Stop(context.Background()) }()
	for _, name := range []string{"fsync", "full_page_writes", "synchronous_commit"} {
		if got := ask[string](t, s.DSN(), "show "+name); got != "on" {
			t.Errorf("%s is %s", name, got)
		}
	}
}

func TestSecondInstanceIsRefused(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	start(t, dir)
	_, err := postgres.Start(t.Context(), config(dir))
	if !errors.Is(err, postgres.ErrInUse) {
		t.Fatalf("second start: %v", err)
	}
	if want := fmt.Sprintf("(pid %d)", os.Getpid()); !strings.Contains(err.Error(), want) {
		t.Errorf("%q does not name the owner %s", err, want)
	}
}

func TestStopLeavesNothingAndKeepsData(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	s := start(t, dir)
	exec1(t, s.DSN(), "create table kept (n int)", "insert into kept values (7)")
	pid := s.PID()
	if err := s.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("process %d is still there: %v", pid, err)
	}
	if n := ask[int](t, start(t, dir).DSN(), "select n from kept"); n != 7 {
		t.Errorf("kept row is %d", n)
	}
}

func exec1(t *testing.T, dsn string, statements ...string) {
	t.Helper()
	c, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close(context.Background()) }()
	for _, sql := range statements {
		if _, err := c.Exec(t.Context(), sql); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
}

func TestChildThatDiesIsStartedAgain(t *testing.T) {
	t.Parallel()
	cfg := config(newDir(t))
	cfg.NoSync = false // what is committed must be there
	s, err := postgres.Start(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Stop(context.Background()) })
	exec1(t, s.DSN(), "create table kept (n int)", "insert into kept values (7)")
	first := s.PID()
	if err := syscall.Kill(first, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	for began := time.Now(); s.PID() == first; {
		if time.Since(began) > 30*time.Second {
			t.Fatal("no new child")
		}
		time.Sleep(5 * time.Millisecond)
	}
	if n := ask[int](t, s.DSN(), "select n from kept"); n != 7 {
		t.Errorf("kept row is %d", n)
	}
}

// family is a process that runs a server, and that server's number.
func family(t *testing.T, dir string) (parent *os.Process, server int) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), exe)
	cmd.Env = append(os.Environ(), parentOf+"="+dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	if server, err = strconv.Atoi(strings.TrimSpace(strings.TrimPrefix(line, "pid "))); err != nil {
		t.Fatalf("the parent said %q", line)
	}
	return cmd.Process, server
}

// bereave kills the parent of a server without the server's knowing.
func bereave(t *testing.T, parent *os.Process, server int) {
	t.Helper()
	// Frozen, it cannot obey the signal that its parent's death sends.
	if err := syscall.Kill(server, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	if err := parent.Kill(); err != nil {
		t.Fatal(err)
	}
	_, _ = parent.Wait()
}

// A parent that is killed cannot stop its server; the next one takes over.
func TestOrphanOfKilledParentIsTakenOver(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	parent, orphan := family(t, dir)
	bereave(t, parent, orphan)
	if err := syscall.Kill(orphan, syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	s := start(t, dir)
	if s.PID() == orphan {
		t.Error("the orphan was not replaced")
	}
	if got := ask[string](t, s.DSN(), "select 'alive'"); got != "alive" {
		t.Error(got)
	}
}

// The server is killed too, and one of its backends is so busy that it does not
// notice: it holds the shared memory, without which no new server starts. The
// file that tells of the server may be there or not.
func TestBackendOfKilledServerIsEnded(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("only Linux tells which processes work in a directory")
	}
	for _, file := range []bool{true, false} {
		dir := newDir(t)
		parent, server := family(t, dir)
		dsn, err := postgres.Running(dir, "signalbox")
		if err != nil {
			t.Fatal(err)
		}
		c, err := pgx.Connect(t.Context(), dsn)
		if err != nil {
			t.Fatal(err)
		}
		backend := c.PgConn().PID()
		ended := make(chan error, 1)
		go func() {
			_, err := c.Exec(context.WithoutCancel(t.Context()), "select sum(n) from (select generate_series(1, 1000000000000) n) busy")
			ended <- err
		}()
		for state := ""; state != "active"; {
			state = ask[string](t, dsn, fmt.Sprintf("select state from pg_stat_activity where pid = %d", backend))
		}
		bereave(t, parent, server)
		if err := syscall.Kill(server, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		if !file {
			if err := os.Remove(filepath.Join(dir, "data", "postmaster.pid")); err != nil {
				t.Fatal(err)
			}
		}
		s := start(t, dir)
		if got := ask[string](t, s.DSN(), "select 'alive'"); got != "alive" {
			t.Error(got)
		}
		if err := <-ended; err == nil {
			t.Error("the backend of the killed server finished its work")
		}
	}
}

func TestLongDirectoryGetsShortSocket(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(newDir(t), strings.Repeat("a-long-name/", 12))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	s := start(t, dir)
	socket := ask[string](t, s.Admin(), "show unix_socket_directories")
	t.Cleanup(func() { _ = os.RemoveAll(socket) })
	if len(socket) > 80 {
		t.Errorf("socket directory of %d bytes", len(socket))
	}
}

func TestRunningFindsTheServerOfAnotherProcess(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	if _, err := postgres.Running(dir, "signalbox"); err == nil {
		t.Error("found a server where there is none")
	}
	s := start(t, dir)
	dsn, err := postgres.Running(dir, "signalbox")
	if err != nil {
		t.Fatal(err)
	}
	if dsn != s.DSN() {
		t.Errorf("%s, want %s", dsn, s.DSN())
	}
}

func TestWrongBinariesAreNamed(t *testing.T) {
	t.Parallel()
	cfg := config(newDir(t))
	cfg.BinDir = "/nowhere/bin"
	if _, err := postgres.Start(t.Context(), cfg); err == nil || !strings.Contains(err.Error(), "/nowhere/bin") {
		t.Errorf("start: %v", err)
	}
}
