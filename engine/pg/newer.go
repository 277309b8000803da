package pg

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"signalbox/engine/machine"
	"signalbox/engine/runtime"
)

// Newer counts the runs that go on and have numbers that this program does not
// know. The condition names the index that holds few or none.
func (db *DB) Newer(ctx context.Context) ([]runtime.Numbered, error) {
	rows, err := db.pool.Query(ctx, `select format, semantics, count(*) from runs where ended_at is null and (semantics > 1 or format > 1)
		group by format, semantics order by format, semantics`)
	if err != nil {
		return nil, fmt.Errorf("count runs of newer programs: %w", err)
	}
	all, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (runtime.Numbered, error) {
		var n runtime.Numbered
		return n, row.Scan(&n.Format, &n.Semantics, &n.Open)
	})
	if err != nil {
		return nil, fmt.Errorf("count runs of newer programs: %w", err)
	}
	return slices.DeleteFunc(all, func(n runtime.Numbered) bool { return machine.Released().Knows(n.Format, n.Semantics) }), nil
}
