package server_test

import (
	"os"
	"testing"

	"signalbox/engine/local/postgres/postgrestest"
	"signalbox/engine/pg"
)

func TestMain(m *testing.M) { os.Exit(postgrestest.Main(m)) }

// openDB makes a database of its own for the test.
func openDB(t *testing.T) *pg.DB {
	t.Helper()
	db, err := pg.Open(t.Context(), postgrestest.Open(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	if _, err := db.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	return db
}
