package pg

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Tickets keeps what opens websockets, by hash, for seconds.
type Tickets struct{ pool *pgxpool.Pool }

// NewTickets makes the adapter.
func NewTickets(pool *pgxpool.Pool) *Tickets { return &Tickets{pool} }

// Put keeps a ticket unless so many wait already. Those that expired leave.
func (t *Tickets) Put(ctx context.Context, hash string, data []byte, now, expires time.Time, most int) (bool, error) {
	done, err := t.pool.Exec(ctx, `
		with old as (delete from tickets where expires <= $4)
		insert into tickets (hash, data, expires) select $1, $2, $3 where (select count(*) from tickets where expires > $4) < $5`,
		hash, data, expires, now, most)
	if err != nil {
		return false, fmt.Errorf("keep a ticket: %w", err)
	}
	return done.RowsAffected() == 1, nil
}

// Take removes a ticket and returns it.
func (t *Tickets) Take(ctx context.Context, hash string, now time.Time) ([]byte, bool, error) {
	var data []byte
	var expires time.Time
	err := t.pool.QueryRow(ctx, `delete from tickets where hash = $1 returning data, expires`, hash).Scan(&data, &expires)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, fmt.Errorf("take a ticket: %w", err)
	}
	return data, now.Before(expires), nil
}
