// Package postgrestest gives tests a PostgreSQL server of their own: one for
// each test binary, without fsync, and a fresh database for each test.
package postgrestest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sys/unix"

	"signalbox/engine/local/postgres"
)

// server is shared by the tests of one binary. It ends with the process, which
// is its parent.
var server = sync.OnceValues(start) //nolint:gochecknoglobals // one server a test binary

var (
	wanted    atomic.Bool  //nolint:gochecknoglobals // a test asked for the server
	databases atomic.Int64 //nolint:gochecknoglobals // their numbers

	original sync.Once //nolint:gochecknoglobals // what OpenCopy copies is made
	spoiled  error     //nolint:gochecknoglobals // why it could not be made
)

func start() (*postgres.Server, error) {
	sweep()
	dir, err := os.MkdirTemp(memory(), fmt.Sprintf("%s%d-", prefix, os.Getpid()))
	if err != nil {
		return nil, fmt.Errorf("make a directory: %w", err)
	}
	if err := os.Chmod(dir, 0o755); err != nil { // the server's user must be able to enter
		return nil, fmt.Errorf("open the directory: %w", err)
	}
	root, err := os.Getwd()
	if err != nil {
		return nil, fmt.Errorf("find the repository: %w", err)
	}
	return postgres.Start(context.Background(), postgres.Config{
		Dir: dir, NoSync: true, SearchFrom: []string{root}, BinDir: os.Getenv("SIGNALBOX_PG_BIN"),
		Settings: map[string]string{"max_connections": "200", "shared_buffers": "32MB", "max_wal_size": "256MB"},
	})
}

// memory is a directory that the kernel keeps in memory, where that has room for the
// data of a server: each database is hundreds of files, which a disk makes and
// deletes slowly. Elsewhere it is the usual one.
func memory() string {
	const dir, room = "/dev/shm", 4 << 30
	var fs unix.Statfs_t
	if err := unix.Statfs(dir, &fs); err != nil || uint64(fs.Bavail)*uint64(fs.Bsize) < room { //nolint:gosec,unconvert // their types differ by system
		return os.TempDir()
	}
	return dir
}

// prefix of the name of a server's directory; the number of its process follows.
const prefix = "signalbox-test-pg-"

// sweep deletes what processes left that were killed: it would stay in memory.
func sweep() {
	dirs, _ := filepath.Glob(filepath.Join(memory(), prefix+"*"))
	for _, dir := range dirs {
		number, _, _ := strings.Cut(strings.TrimPrefix(filepath.Base(dir), prefix), "-")
		if pid, err := strconv.Atoi(number); err == nil && errors.Is(unix.Kill(pid, 0), unix.ESRCH) {
			_ = os.RemoveAll(dir)
		}
	}
}

// Open returns the address of a new, empty database that is gone after the
// test.
func Open(t testing.TB) string {
	t.Helper()
	return open(t, "template1")
}

// copied is the database of which OpenCopy gives copies.
const copied = "original"

// OpenCopy is Open for a database that is not empty. The first test of the
// binary fills one by the given function; all get copies of it, which costs a
// tenth of filling another one.
func OpenCopy(t testing.TB, fill func(ctx context.Context, dsn string) error) string {
	t.Helper()
	original.Do(func() { spoiled = makeOriginal(fill) })
	if spoiled != nil {
		t.Fatalf("make the database to copy: %v", spoiled)
	}
	return open(t, copied)
}

func makeOriginal(fill func(ctx context.Context, dsn string) error) error {
	wanted.Store(true)
	s, err := server()
	if err != nil {
		return err
	}
	ctx := context.Background()
	if err := create(ctx, s, copied, "template1"); err != nil {
		return err
	}
	return fill(ctx, s.DSNFor(copied))
}

func open(t testing.TB, template string) string {
	t.Helper()
	wanted.Store(true)
	s, err := server()
	if err != nil {
		t.Fatalf("these tests need PostgreSQL: %v", err)
	}
	name, ctx := fmt.Sprintf("t%d_%s", databases.Add(1), clean(t.Name())), context.Background()
	if err := create(ctx, s, name, template); err != nil {
		t.Fatalf("make a test database: %v", err)
	}
	t.Cleanup(func() {
		if c, err := pgx.Connect(ctx, s.Admin()); err == nil {
			_, _ = c.Exec(ctx, "drop database if exists "+pgx.Identifier{name}.Sanitize()+" with (force)")
			_ = c.Close(ctx)
		}
	})
	return s.DSNFor(name)
}

// create makes a database like another one. Files are copied without the log:
// nothing that crashes is to find them again.
func create(ctx context.Context, s *postgres.Server, name, template string) error {
	c, err := pgx.Connect(ctx, s.Admin())
	if err != nil {
		return fmt.Errorf("connect to the test server: %w", err)
	}
	defer func() { _ = c.Close(ctx) }()
	_, err = c.Exec(ctx, "create database "+pgx.Identifier{name}.Sanitize()+" owner signalbox template "+template+" strategy file_copy")
	return err //nolint:wrapcheck // the caller says what for
}

// Main runs the tests of a package and stops its server, if one was started.
// Call it from TestMain; without it the server ends with the process but its
// directory stays.
func Main(m *testing.M) int {
	code := m.Run()
	if !wanted.Load() {
		return code
	}
	if s, err := server(); err == nil {
		_ = s.Stop(context.Background())
		_ = os.RemoveAll(filepath.Dir(s.Data()))
	}
	return code
}

func clean(name string) string {
	name = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, strings.ToLower(name))
	return name[:min(len(name), 40)]
}
