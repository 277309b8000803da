// Package pgtest gives tests a database that has the schema. It is made once for
// each test binary and copied for each test.
package pgtest

import (
	"context"
	"fmt"
	"testing"

	"signalbox/engine/local/postgres/postgrestest"
	"signalbox/engine/pg"
)

// DSN returns the address of a new database with the schema and without rows;
// it is gone after the test.
func DSN(t testing.TB) string {
	t.Helper()
	return postgrestest.OpenCopy(t, migrate)
}

// Open returns a database like that of DSN, opened.
func Open(t testing.TB) *pg.DB {
	t.Helper()
	db, err := pg.Open(t.Context(), DSN(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	return db
}

func migrate(ctx context.Context, dsn string) error {
	db, err := pg.Open(ctx, dsn)
	if err != nil {
		return fmt.Errorf("open the database to copy: %w", err)
	}
	defer db.Close()
	if _, err := db.Migrate(ctx); err != nil {
		return fmt.Errorf("make the schema to copy: %w", err)
	}
	return nil
}
