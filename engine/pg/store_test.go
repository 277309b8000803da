package pg_test

import (
	"context"
	"testing"

	"signalbox/engine/local/postgres/postgrestest"
	"signalbox/engine/pg"
	"signalbox/engine/runtime/runtimetest"
)

func open(t testing.TB) *pg.DB {
	t.Helper()
	db, err := pg.Open(context.Background(), postgrestest.Open(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	if _, err := db.Migrate(context.Background()); err != nil {
		t.Fatal(err)
	}
	return db
}

func TestStore(t *testing.T) {
	t.Parallel()
	runtimetest.Run(t, func(t *testing.T) runtimetest.Store { return pg.NewStore(open(t)) })
}

func TestMigrateTwice(t *testing.T) {
	t.Parallel()
	db := open(t)
	if n, err := db.Migrate(context.Background()); n != 0 || err != nil {
		t.Errorf("a second time: %d applied, %v", n, err)
	}
}
