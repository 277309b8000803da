package pg

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"signalbox/engine/insight"
)

// rollupsBatch is how many rows one statement writes.
const rollupsBatch = 5_000

// SaveRollups implements meter.Archive. A row that is there already has less of
// the same count, and is replaced.
func (s *Store) SaveRollups(ctx context.Context, rows []insight.Row) error {
	for len(rows) > 0 {
		n := min(len(rows), rollupsBatch)
		if err := s.saveRollups(ctx, rows[:n]); err != nil {
			return fmt.Errorf("save rollups: %w", err)
		}
		rows = rows[n:]
	}
	return nil
}

func (s *Store) saveRollups(ctx context.Context, rows []insight.Row) error {
	var c struct {
		step                      []int32
		workspace, measure, label []string
		workflow, version, server []uuid.UUID
		at                        []time.Time
		n                         []int64
		total, high               []float64
		spread                    [][]byte
	}
	for i := range rows {
		r := &rows[i]
		c.step, c.workspace, c.measure, c.label = append(c.step, int32(r.Step)), append(c.workspace, r.Workspace), append(c.measure, r.Measure), append(c.label, storable(r.Label)) //nolint:gosec // small
		c.workflow, c.version, c.server = append(c.workflow, r.Workflow), append(c.version, r.Version), append(c.server, r.Server)
		c.at, c.n, c.total, c.high, c.spread = append(c.at, r.At), append(c.n, r.N), append(c.total, r.Total), append(c.high, r.High), append(c.spread, r.Spread.Pack())
	}
	_, err := s.pool.Exec(ctx, `insert into rollups (step, workspace_id, workflow_id, at, measure, label, version_id, server, n, total, high, spread)
		select * from unnest($1::int[], $2::text[], $3::uuid[], $4::timestamptz[], $5::text[], $6::text[], $7::uuid[], $8::uuid[], $9::bigint[], $10::float8[], $11::float8[], $12::bytea[])
		on conflict (step, workspace_id, workflow_id, at, measure, label, version_id, server)
		do update set n = excluded.n, total = excluded.total, high = excluded.high, spread = excluded.spread`,
		c.step, c.workspace, c.workflow, c.at, c.measure, c.label, c.version, c.server, c.n, c.total, c.high, c.spread)
	return err //nolint:wrapcheck // by the caller
}

// ForgetRollups deletes rows whose interval began before a time, at most so
// many.
func (s *Store) ForgetRollups(ctx context.Context, step int, before time.Time, limit int) (n int, err error) {
	tag, err := s.pool.Exec(ctx, `delete from rollups where ctid = any(array(select ctid from rollups where step = $1 and at < $2 limit $3))`, step, before, limit)
	if err != nil {
		return 0, fmt.Errorf("forget rollups: %w", err)
	}
	return int(tag.RowsAffected()), nil
}

// ForgetNotes deletes points, predictions and truths from before a time, at
// most so many of each.
func (s *Store) ForgetNotes(ctx context.Context, before time.Time, limit int) (n int, err error) {
	for _, table := range []string{"metric_points", "predictions", "truths"} {
		tag, err := s.pool.Exec(ctx, `delete from `+table+` where ctid = any(array(select ctid from `+table+` where at < $1 limit $2))`, before, limit)
		if err != nil {
			return n, fmt.Errorf("forget %s: %w", table, err)
		}
		n = max(n, int(tag.RowsAffected()))
	}
	return n, nil
}

// DatabaseSize is how many bytes the database has on disk.
func (s *Store) DatabaseSize(ctx context.Context) (bytes int64, err error) {
	if err := s.pool.QueryRow(ctx, `select pg_database_size(current_database())`).Scan(&bytes); err != nil {
		return 0, fmt.Errorf("ask for the size of the database: %w", err)
	}
	return bytes, nil
}

// rollupsMax is how many rows one board reads.
const rollupsMax = 200_000

// Rollups reads the rows of a span: of one workflow, of the workspace as a
// whole, or with an empty workspace of the infrastructure; and with them when
// anybody measured.
func (b *Boards) Rollups(ctx context.Context, workspace string, workflow uuid.UUID, span insight.Span) ([]insight.Row, error) {
	rows, err := b.pool.Query(ctx, `select workspace_id, workflow_id, version_id, measure, label, at, server, n, total, high, spread
		from rollups where step = $1 and workspace_id = $2 and workflow_id = $3 and at >= $4 and at < $5
		union all
		select workspace_id, workflow_id, version_id, measure, label, at, server, n, total, high, spread
		from rollups where step = $1 and workspace_id = '' and workflow_id = $6 and at >= $4 and at < $5 and measure = $7 and $2 <> ''
		limit $8`, span.Tier, workspace, workflow, span.From, span.To, uuid.Nil, insight.Covered, rollupsMax)
	if err != nil {
		return nil, fmt.Errorf("read rollups: %w", err)
	}
	list, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (r insight.Row, err error) {
		var spread []byte
		err = row.Scan(&r.Workspace, &r.Workflow, &r.Version, &r.Measure, &r.Label, &r.At, &r.Server, &r.N, &r.Total, &r.High, &spread)
		r.Step, r.Spread = span.Tier, insight.Unpack(spread)
		return r, err //nolint:wrapcheck // by the caller
	})
	if err != nil {
		return nil, fmt.Errorf("read rollups: %w", err)
	}
	return list, nil
}
