// Package pg keeps everything in PostgreSQL: it implements the ports of the
// runtime and of the services. Nothing of its driver shows outside.
package pg

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"

	"signalbox/migrations"
)

// Limits of the connection.
const (
	poolMax     = 8
	startingMax = 30 * time.Second // while the server starts
)

// DB is a database with its pool of connections.
type DB struct {
	pool *pgxpool.Pool
	dsn  string

	mu     sync.Mutex
	stores []*Store
}

// Open connects, and waits while the server is starting. An address or a
// password that is wrong is reported at once.
func Open(ctx context.Context, dsn string) (*DB, error) {
	cfg, err := pgxpool.ParseConfig(dsn)
	if err != nil {
		return nil, fmt.Errorf("DATABASE_URL cannot be read: %w", err)
	}
	cfg.MaxConns = poolMax
	pool, err := pgxpool.NewWithConfig(ctx, cfg)
	if err != nil {
		return nil, fmt.Errorf("open the database: %w", err)
	}
	db := &DB{pool: pool, dsn: dsn}
	ctx, cancel := context.WithTimeout(ctx, startingMax)
	defer cancel()
	for {
		if err = pool.Ping(ctx); err == nil {
			return db, nil
		}
		if refused(err) {
			pool.Close()
			return nil, fmt.Errorf("the database does not let us in: %w", err)
		}
		select {
		case <-ctx.Done():
			pool.Close()
			return nil, fmt.Errorf("the database does not answer: %w", err)
		case <-time.After(50 * time.Millisecond): //nolint:forbidigo // start-up, not a decision
		}
	}
}

// refused reports whether the server has answered and will not answer better
// the next time. While it starts or stops it says so with class 57.
func refused(err error) bool {
	var pe *pgconn.PgError
	return errors.As(err, &pe) && !strings.HasPrefix(pe.Code, "57") && pe.Code != tooManyConnections
}

const tooManyConnections = "53300"

// Pool gives the services' adapters their connections.
func (db *DB) Pool() *pgxpool.Pool { return db.pool }

// Close ends all connections, those of the stores too.
func (db *DB) Close() {
	db.mu.Lock()
	stores := db.stores
	db.stores = nil
	db.mu.Unlock()
	for _, s := range stores {
		s.close()
	}
	db.pool.Close()
}

// Ping reports whether the database answers.
func (db *DB) Ping(ctx context.Context) error { return db.pool.Ping(ctx) } //nolint:wrapcheck // asked by readiness only

// Migrate brings the schema up to date under a lock, so that several processes
// may start at once. A database that is newer than this program is refused.
func (db *DB) Migrate(ctx context.Context) (applied int, err error) {
	cfg, err := pgx.ParseConfig(db.dsn)
	if err != nil {
		return 0, fmt.Errorf("DATABASE_URL cannot be read: %w", err)
	}
	conn := stdlib.OpenDB(*cfg)
	defer func() { err = errors.Join(err, conn.Close()) }()
	return migrate(ctx, conn)
}

func migrate(ctx context.Context, conn *sql.DB) (int, error) {
	locker, err := lock.NewPostgresSessionLocker(lock.WithLockTimeout(1, 60))
	if err != nil {
		return 0, fmt.Errorf("prepare the migration lock: %w", err)
	}
	p, err := goose.NewProvider(goose.DialectPostgres, conn, migrations.Files, goose.WithSessionLocker(locker))
	if err != nil {
		return 0, fmt.Errorf("read migrations: %w", err)
	}
	have, want, err := p.GetVersions(ctx)
	if err != nil {
		return 0, fmt.Errorf("read the schema's version: %w", err)
	}
	if have > want {
		return 0, fmt.Errorf("the database has the schema %d, but this program knows only up to %d: run a newer program", have, want)
	}
	done, err := p.Up(ctx)
	if err != nil {
		return len(done), fmt.Errorf("migrate: %w", err)
	}
	return len(done), nil
}
