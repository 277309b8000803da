//go:build soak && linux

package app_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"signalbox/engine/pg/pgtest"
)

// soakPoison lets a step kill whoever runs it, of two servers and a worker
// beside them, which share a PostgreSQL and a NATS. Each counts its own deaths,
// so the step is given up at the eighth of one of them.
func soakPoison(t *testing.T) {
	t.Helper()
	dir := t.TempDir()
	url, _ := startNATS(t)
	address := pgtest.DSN(t)
	key := filepath.Join(dir, "key")
	env := []string{"DATABASE_URL=" + address, "NATS_URL=" + url, "SIGNALBOX_KEY_FILE=" + key}
	if err := os.WriteFile(key, []byte("0123456789abcdef0123456789abcdef"), 0o600); err != nil {
		t.Fatal(err)
	}
	var list []*mortal
	for i, role := range []string{"serve", "serve", "worker"} {
		m := &mortal{role: role, dir: filepath.Join(dir, fmt.Sprint(role, i))}
		if err := os.Mkdir(m.dir, 0o700); err != nil {
			t.Fatal(err)
		}
		list = append(list, m)
	}
	dsn := func() (string, error) { return address, nil }
	began := time.Now()
	suffer(t, dsn, env, list...)
	letter(t, dsn)
	most := 0
	for _, m := range list {
		m.stop(t)
		most = max(most, m.deaths)
		t.Logf("%s died %d times", m.role, m.deaths)
	}
	if most != 8 {
		t.Errorf("one of them died %d times", most)
	}
	t.Logf("given up after %s", time.Since(began).Round(time.Second))
}
