// Package postgrestest gives tests a PostgreSQL server of their own: one for
// each test binary, without fsync, and a fresh database for each test.
package postgrestest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"

	"signalbox/engine/local/postgres"
)

// server is shared by the tests of one binary. It ends with the process, which
// is its parent.
var server = sync.OnceValues(start) //nolint:gochecknoglobals // one server a test binary

var (
	wanted    atomic.Bool  //nolint:gochecknoglobals // a test asked for the server
	databases atomic.Int64 //nolint:gochecknoglobals // their numbers
)

func start() (*postgres.Server, error) {
	dir, err := os.MkdirTemp("", "signalbox-test-pg-")
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
		Settings: map[string]string{"max_connections": "200", "shared_buffers": "32MB"},
	})
}

// Open returns the address of a new, empty database that is gone after the
// test.
func Open(t testing.TB) string {
	t.Helper()
	wanted.Store(true)
	s, err := server()
	if err != nil {
		t.Fatalf("these tests need PostgreSQL: %v", err)
	}
	name := fmt.Sprintf("t%d_%s", databases.Add(1), clean(t.Name()))
	ctx := context.Background()
	c, err := pgx.Connect(ctx, s.Admin())
	if err != nil {
		t.Fatalf("connect to the test server: %v", err)
	}
	defer func() { _ = c.Close(ctx) }()
	if _, err := c.Exec(ctx, "create database "+pgx.Identifier{name}.Sanitize()+" owner signalbox"); err != nil {
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
