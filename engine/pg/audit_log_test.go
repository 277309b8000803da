package pg_test

import (
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"signalbox/engine/audit"
	"signalbox/engine/pg"
	"signalbox/engine/pg/pgtest"
)

// TestAuditLogIsOneChain: two programs append at the same time, and no entry is
// lost or numbered twice.
func TestAuditLogIsOneChain(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DSN(t)
	const each = 60
	var logs []*audit.Log
	var g errgroup.Group
	for range 2 {
		db, err := pg.Open(t.Context(), dsn)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(db.Close)
		logs = append(logs, audit.New(pg.NewAudit(db.Pool()), time.Now))
	}
	for _, log := range logs {
		for range each {
			g.Go(func() error {
				return log.Append(t.Context(), "main", audit.Entry{Name: "Ada", Action: "run.start", Address: "192.0.2.1"})
			})
		}
	}
	if err := g.Wait(); err != nil {
		t.Fatal(err)
	}
	r, err := logs[0].Verify(t.Context(), "main")
	if err != nil || r.Entries != 2*each || r.Broken != 0 {
		t.Errorf("the log has %+v: %v", r, err)
	}
	list, err := logs[1].List(t.Context(), "main", audit.Query{Action: "run", Limit: 10, Before: 31})
	if err != nil || len(list) != 10 || list[0].Seq != 30 {
		t.Errorf("a page has %d entries from %v: %v", len(list), list, err)
	}
	if list, err := logs[1].List(t.Context(), "other", audit.Query{}); err != nil || len(list) != 0 {
		t.Errorf("another workspace sees %d entries: %v", len(list), err)
	}
}

func BenchmarkAuditAppend(b *testing.B) {
	db := pgtest.Open(b)
	log := audit.New(pg.NewAudit(db.Pool()), time.Now)
	b.SetParallelism(32)
	b.RunParallel(func(p *testing.PB) {
		for p.Next() {
			if err := log.Append(b.Context(), "main", audit.Entry{Name: "Ada", Action: "run.start"}); err != nil {
				b.Error(err)
			}
		}
	})
}
