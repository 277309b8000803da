package server_test

import (
	"os"
	"testing"

	"signalbox/engine/local/postgres/postgrestest"
)

func TestMain(m *testing.M) { os.Exit(postgrestest.Main(m)) }
