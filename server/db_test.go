package server_test

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"signalbox/engine/pg"
)

// openDB makes a database of its own for the test.
func openDB(t *testing.T) *pg.DB {
	t.Helper()
	ctx := context.Background()
	dsn := os.Getenv("DATABASE_URL")
	if dsn == "" {
		dsn = "postgres:///postgres?host=/tmp/sbpg&user=postgres"
	}
	admin, err := pgx.Connect(ctx, dsn)
	if err != nil {
		t.Fatal(err)
	}
	name := "t_" + strings.ReplaceAll(uuid.NewString(), "-", "")
	if _, err := admin.Exec(ctx, "create database "+name); err != nil {
		t.Fatal(err)
	}
	db, err := pg.Open(ctx, strings.Replace(dsn, "/postgres?", "/"+name+"?", 1))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		db.Close()
		_, _ = admin.Exec(ctx, "drop database "+name+" with (force)")
		_ = admin.Close(ctx)
	})
	if _, err := db.Migrate(ctx); err != nil {
		t.Fatal(err)
	}
	return db
}
