package pg_test

import (
	"context"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"golang.org/x/sync/errgroup"

	"signalbox/engine/local/postgres/postgrestest"
	"signalbox/engine/pg"
	"signalbox/migrations"
)

func TestOpenWaitsForAServerThatStarts(t *testing.T) {
	t.Parallel()
	w, dsn := newWire(t)
	w.refuse.Store(3)
	db, err := pg.Open(context.Background(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	db.Close()
	if w.refuse.Load() >= 0 {
		t.Error("nothing was refused")
	}
}

func TestOpenRefusesAWrongAddressAtOnce(t *testing.T) {
	t.Parallel()
	u, err := url.Parse(postgrestest.Open(t))
	if err != nil {
		t.Fatal(err)
	}
	u.Path = "/no_such_database"
	began := time.Now()
	for _, dsn := range []string{u.String(), "postgres://%zz"} {
		if _, err := pg.Open(context.Background(), dsn); err == nil || time.Since(began) > 10*time.Second {
			t.Errorf("%s: %v after %s", dsn, err, time.Since(began))
		}
	}
}

func TestMigrateTwice(t *testing.T) {
	t.Parallel()
	db := open(t)
	if n, err := db.Migrate(context.Background()); n != 0 || err != nil {
		t.Errorf("a second time: %d applied, %v", n, err)
	}
}

func TestMigrateAtOnce(t *testing.T) {
	t.Parallel()
	dsn := postgrestest.Open(t)
	var g errgroup.Group
	for range 4 {
		g.Go(func() error {
			db, err := pg.Open(context.Background(), dsn)
			if err != nil {
				return err
			}
			defer db.Close()
			_, err = db.Migrate(context.Background())
			return err
		})
	}
	if err := g.Wait(); err != nil {
		t.Error(err)
	}
}

func TestMigrateRefusesANewerDatabase(t *testing.T) {
	t.Parallel()
	db := open(t)
	if _, err := db.Pool().Exec(context.Background(), `insert into goose_db_version (version_id, is_applied) values (29991231000000, true)`); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Migrate(context.Background()); err == nil || !strings.Contains(err.Error(), "run a newer program") {
		t.Errorf("got %v", err)
	}
}

func TestMigrateDownAndUp(t *testing.T) {
	t.Parallel()
	cfg, err := pgx.ParseConfig(postgrestest.Open(t))
	if err != nil {
		t.Fatal(err)
	}
	conn := stdlib.OpenDB(*cfg)
	t.Cleanup(func() { _ = conn.Close() })
	p, err := goose.NewProvider(goose.DialectPostgres, conn, migrations.Files)
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	for range 2 {
		if _, err := p.Up(ctx); err != nil {
			t.Fatal(err)
		}
		if _, err := p.DownTo(ctx, 0); err != nil {
			t.Fatal(err)
		}
	}
	var left int
	if err := conn.QueryRowContext(ctx, `select count(*) from pg_tables where schemaname = 'public' and tablename <> 'goose_db_version'`).Scan(&left); err != nil || left > 0 {
		t.Errorf("%d tables are left, %v", left, err)
	}
}
