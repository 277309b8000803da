package pg_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/google/uuid"

	"signalbox/engine/history"
	"signalbox/engine/pg"
)

// seedSQL fills the list of runs: 20 workflows of two versions, the first with
// half of all runs; one run in a hundred has failed, one in 50,000 was a
// retry; each has an order number of its own and one of five regions.
const seedSQL = `insert into runs (id, shard, workspace_id, workflow_id, version_id, trigger, source, test, attributes, status, seq, owed, error, created_at, ended_at)
select (lpad(to_hex(ms), 12, '0') || '7' || substr(md5(i::text), 1, 3) || '8' || substr(md5(i::text), 4, 15))::uuid, i % 8, 'main',
	w.id, ('00000000-0000-7000-9000-' || lpad((w.n * 2 + (i > $1 - $1 / 100)::int)::text, 12, '0'))::uuid,
	case when i % 1000 = 3 then 'nightly' else 'start' end,
	case when i % 50000 = 7 then 'retry' when i % 3 = 0 then 'webhook' else 'api' end, false,
	json_build_object('order', 'o-' || i, 'region', 'r' || i % 5),
	case when i % 100 = 9 then 'failed' when i % 2500 = 11 then 'canceled' when i > $1 - 20 then 'running' else 'succeeded' end, 12, false,
	case when i % 100 <> 9 then '' when i % 300 = 9 then 'The connection timed out after ' || i % 60 || ' s' else 'Card ' || i || ' was declined by the bank' end,
	to_timestamp(ms / 1000.0), to_timestamp(ms / 1000.0 + 1)
from (select i, $2::bigint - ($1 - i)::bigint * 2592 as ms from generate_series(1, $1::int) i) g,
	lateral (select case when i % 2 = 0 then 0 else i / 2 % 20 end n) k,
	lateral (select k.n, ('00000000-0000-7000-8000-' || lpad(k.n::text, 12, '0'))::uuid id) w`

// BenchmarkFindRuns measures the first page, and pages deep inside, of every
// filter on a list of SIGNALBOX_RUNS runs, or one of a million.
func BenchmarkFindRuns(b *testing.B) {
	rows := 1_000_000
	if text := os.Getenv("SIGNALBOX_RUNS"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil {
			b.Fatal(err)
		}
		rows = n
	}
	store, now, ctx := durable(b), time.Now(), context.Background()
	if _, err := store.Pool().Exec(ctx, seedSQL, rows, now.UnixMilli()); err != nil {
		b.Fatal(err)
	}
	if _, err := store.Pool().Exec(ctx, `vacuum analyze runs`); err != nil {
		b.Fatal(err)
	}
	h := pg.NewHistory(store)
	busy, quiet := uuid.MustParse("00000000-0000-7000-8000-000000000000"), uuid.MustParse("00000000-0000-7000-8000-000000000013")
	old := uuid.MustParse("00000000-0000-7000-9000-000000000000")
	for name, q := range map[string]history.Query{
		"all":                          {},
		"failed":                       {Status: "failed"},
		"canceled":                     {Status: "canceled"},
		"running":                      {Status: "running"},
		"waiting, none is":             {Status: "waiting"},
		"a busy workflow":              {Workflow: busy},
		"a quiet workflow":             {Workflow: quiet},
		"failed of a quiet workflow":   {Workflow: quiet, Status: "failed"},
		"an old version":               {Workflow: busy, Version: old},
		"a rare source":                {Source: "retry"},
		"a common source":              {Source: "webhook"},
		"a rare trigger of a workflow": {Workflow: quiet, Trigger: "nightly"},
		"an attribute that one has":    {Attribute: history.Attribute{Name: "order", Value: "o-" + strconv.Itoa(rows/3)}},
		"an attribute that many have":  {Attribute: history.Attribute{Name: "region", Value: "r3"}},
		"an attribute that none has":   {Attribute: history.Attribute{Name: "region", Value: "mars"}},
		"a common error":               {Text: "timed out"},
		"a rare error":                 {Text: fmt.Sprintf("card %d", rows/2+9)},
		"an error that never was":      {Text: "moon"},
		"an hour weeks ago":            {From: now.Add(-400 * time.Hour), To: now.Add(-399 * time.Hour)},
		"failed, before three weeks":   {Status: "failed", To: now.Add(-500 * time.Hour)},
		"failed with words, one hour":  {Status: "failed", Text: "declined", From: now.Add(-100 * time.Hour), To: now.Add(-99 * time.Hour)},
	} {
		q.Limit = 51
		b.Run(name, func(b *testing.B) {
			var spent []time.Duration
			for b.Loop() {
				began := time.Now()
				list, err := h.Runs(ctx, "main", q)
				spent = append(spent, time.Since(began))
				if err != nil {
					b.Fatal(err)
				}
				if len(list) == 51 { // and on from there
					q.After = list[50].ID
				} else {
					q.After = uuid.Nil
				}
			}
			slices.Sort(spent)
			b.ReportMetric(float64(spent[len(spent)*95/100].Microseconds())/1_000, "p95-ms")
			b.ReportMetric(float64(spent[len(spent)-1].Microseconds())/1_000, "max-ms")
		})
	}
}
