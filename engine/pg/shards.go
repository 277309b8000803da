package pg

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"signalbox/engine/runtime"
)

// pulse is the connection over which a server says that it lives. It is its
// own: a pool that is busy must not cost a lease.
type pulse struct {
	mu     sync.Mutex
	conn   *pgx.Conn
	closed bool
}

// beatSQL are the questions of one beat. The database's clock alone decides
// when a lease is over.
const (
	beatSQL = `insert into servers (id, able, lease_until) values ($1, $2, clock_timestamp() + $3)
		on conflict (id) do update set able = excluded.able, lease_until = excluded.lease_until`
	livesSQL  = `select id, able, lease_until - clock_timestamp() from servers where lease_until >= clock_timestamp() order by id`
	ownersSQL = `select shard, owner, epoch from shards where exists (select from servers where id = shards.owner and lease_until >= clock_timestamp())`
	countSQL  = `select coalesce((select shards from shard_count), 0)`
)

// Beat implements runtime.Shards.
func (s *Store) Beat(ctx context.Context, server string, able bool, lease time.Duration) (runtime.Roster, error) {
	p := &s.pulse
	p.mu.Lock()
	defer p.mu.Unlock()
	r, err := p.beat(ctx, s.dsn, server, able, lease)
	if err != nil {
		p.drop()
		return r, fmt.Errorf("renew the lease of this server: %w", err)
	}
	return r, nil
}

func (p *pulse) beat(ctx context.Context, dsn, server string, able bool, lease time.Duration) (runtime.Roster, error) {
	r := runtime.Roster{Owners: map[int]runtime.Holding{}}
	if p.closed {
		return r, errClosed
	}
	if p.conn == nil || p.conn.IsClosed() {
		cfg, err := pgx.ParseConfig(dsn)
		if err != nil {
			return r, err //nolint:wrapcheck // by Beat
		}
		cfg.RuntimeParams["synchronous_commit"] = "off" // a lease that a crash forgets is renewed at once
		if p.conn, err = pgx.ConnectConfig(ctx, cfg); err != nil {
			p.conn = nil
			return r, err //nolint:wrapcheck // by Beat
		}
	}
	if _, err := p.conn.Exec(ctx, beatSQL, server, able, lease); err != nil { // alone: it must not hold its row while others are read
		return r, err //nolint:wrapcheck // by Beat
	}
	b := &pgx.Batch{}
	b.Queue(livesSQL).Query(func(rows pgx.Rows) (err error) {
		r.Servers, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (m runtime.Member, err error) {
			return m, row.Scan(&m.Server, &m.Able, &m.Left)
		})
		return err //nolint:wrapcheck // by Beat
	})
	b.Queue(ownersSQL).Query(func(rows pgx.Rows) error {
		var n int
		var h runtime.Holding
		_, err := pgx.ForEachRow(rows, []any{&n, &h.Server, &h.Epoch}, func() error {
			r.Owners[n] = h
			return nil
		})
		return err //nolint:wrapcheck // by Beat
	})
	b.Queue(countSQL).QueryRow(func(row pgx.Row) error { return row.Scan(&r.Count) })
	return r, p.conn.SendBatch(ctx, b).Close() //nolint:wrapcheck // by Beat
}

func (p *pulse) drop() {
	if p.conn == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), closeMax)
	defer cancel()
	_ = p.conn.Close(ctx)
	p.conn = nil
}

func (p *pulse) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	p.drop()
}

// Acquire implements runtime.Shards. It waits for a turn of the former owner
// that is under way.
func (s *Store) Acquire(ctx context.Context, shard int, server string, lease time.Duration) (int64, error) {
	var epoch int64
	b := &pgx.Batch{} // one transaction
	b.Queue(`insert into shards (shard, owner, epoch) values ($1, '', 0) on conflict do nothing`, shard)
	b.Queue(`select from shards where shard = $1 for update`, shard)
	// Only a statement that begins with the lock in hand sees the lease of who
	// had it before.
	b.Queue(`
		with lives as (
			insert into servers (id, able, lease_until) values ($2, false, clock_timestamp() + $3)
			on conflict (id) do update set lease_until = excluded.lease_until)
		update shards set epoch = epoch + (owner <> $2)::int, owner = $2
		where shard = $1 and (owner = $2 or not exists (select from servers where id = owner and lease_until >= clock_timestamp()))
		returning epoch`, shard, server, lease).QueryRow(func(row pgx.Row) error { return row.Scan(&epoch) })
	err := s.pool.SendBatch(ctx, b).Close()
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, runtime.ErrFenced
	}
	if err != nil {
		return 0, fmt.Errorf("acquire shard: %w", err)
	}
	return epoch, nil
}

// Release implements runtime.Shards.
func (s *Store) Release(ctx context.Context, shard int, server string) error {
	if _, err := s.pool.Exec(ctx, `update shards set owner = '' where shard = $1 and owner = $2`, shard, server); err != nil {
		return fmt.Errorf("release shard: %w", err)
	}
	return nil
}

// Leave implements runtime.Shards. It also forgets servers that died long ago.
func (s *Store) Leave(ctx context.Context, server string) error {
	_, err := s.pool.Exec(ctx, `delete from servers where id = $1 or lease_until < clock_timestamp() - interval '1 hour'`, server)
	if err != nil {
		return fmt.Errorf("end the lease of this server: %w", err)
	}
	return nil
}

// FreeShards ends all leases at once. Only who knows that no other process can
// be alive may call it: whoever holds the lock of a private database's
// directory. An owner that lives nevertheless is fenced by its epoch.
func (s *Store) FreeShards(ctx context.Context) error {
	if _, err := s.pool.Exec(ctx, `delete from servers`); err != nil {
		return fmt.Errorf("free the shards: %w", err)
	}
	return nil
}

// Spread settles how many shards there are and begins the lease of a server.
// The wish counts only while no other server lives: then every open run gets
// the shard that it now belongs to, and whoever wakes up with the old number
// is fenced.
func (s *Store) Spread(ctx context.Context, server string, wish int, lease time.Duration) (shards int, err error) {
	err = pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		// One server after the other; one that stands still in here must not
		// keep the others out.
		if _, err := tx.Exec(ctx, `set local idle_in_transaction_session_timeout = '5s'`); err != nil {
			return err //nolint:wrapcheck // below
		}
		if _, err := tx.Exec(ctx, `lock table shard_count in exclusive mode`); err != nil {
			return err //nolint:wrapcheck // below
		}
		var others int
		err := tx.QueryRow(ctx, `select coalesce((select shards from shard_count), 1), (select count(*) from servers where lease_until >= clock_timestamp() and id <> $1)`, server).Scan(&shards, &others)
		if err != nil {
			return err //nolint:wrapcheck // below
		}
		b := &pgx.Batch{}
		if others == 0 && shards != wish {
			shards = wish
			b.Queue(`lock table shards in exclusive mode`)
			b.Queue(`insert into shard_count (shards) values ($1) on conflict (one) do update set shards = excluded.shards`, wish)
			b.Queue(`update shards set owner = '', epoch = epoch + 1`)
			b.Queue(`update runs set shard = ('x' || right(id::text, 4))::bit(16)::int % $1 where ended_at is null`, wish)
		}
		b.Queue(beatSQL, server, false, lease)
		return tx.SendBatch(ctx, b).Close() //nolint:wrapcheck // below
	})
	if err != nil {
		return 0, fmt.Errorf("settle the number of shards: %w", err)
	}
	return shards, nil
}

// Called implements runtime.Callings.
func (s *Store) Called(ctx context.Context, shard, shards int, after uuid.UUID, limit int) ([]runtime.Calling, error) {
	rows, err := s.pool.Query(ctx, `
		select id, workspace_id, attributes from runs
		where source = 'call' and ended_at is null and id > $1
			and ('x' || right(attributes ->> 'parent', 4))::bit(16)::int % $2 = $3
		order by id limit $4`, after, shards, shard, limit)
	if err != nil {
		return nil, fmt.Errorf("list called runs: %w", err)
	}
	list, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (c runtime.Calling, err error) {
		return c, row.Scan(&c.Run, &c.Workspace, (*[]byte)(&c.Attributes))
	})
	if err != nil {
		return nil, fmt.Errorf("list called runs: %w", err)
	}
	return list, nil
}
