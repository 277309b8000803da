package pg

import (
	"context"
	"encoding/binary"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"signalbox/engine/runtime"
)

// turnSQL is a whole turn as one statement: the fence, the events, the runs
// that were born (perhaps over already: upd cannot see the rows of ins), the
// runs that changed, and snapshots. No row in own: another owner has the
// shard, and nothing is written.
const turnSQL = `with own as materialized (select shard from shards where shard = $1 and epoch = $2 for share),
 ev as (insert into workflow_events (run_id, seq, at, node, type, data, hash)
   select u.r, u.q, u.a, u.n, u.t, u.d, u.h
   from own, unnest($3::uuid[], $4::int[], $5::timestamptz[], $6::text[], $7::text[], $8::json[], $9::bytea[]) u(r, q, a, n, t, d, h)),
 ins as (insert into runs (id, shard, workspace_id, workflow_id, version_id, trigger, source, test, attributes, status, seq, owed, wake_at, error, created_at, ended_at)
   select u.r, own.shard, u.ws, u.wf, u.v, u.tr, u.so, u.te, u.at, u.st, u.q, u.o, u.w, u.e, $10, u.en
   from own, unnest($11::uuid[], $12::text[], $13::uuid[], $14::uuid[], $15::text[], $16::text[], $17::bool[], $18::json[], $19::text[], $20::int[], $21::bool[], $22::timestamptz[], $23::text[], $24::timestamptz[])
     u(r, ws, wf, v, tr, so, te, at, st, q, o, w, e, en)),
 upd as (update runs r set status = u.st, seq = u.q, owed = u.o, wake_at = u.w, error = u.e, ended_at = u.en
   from own, unnest($25::uuid[], $26::text[], $27::int[], $28::bool[], $29::timestamptz[], $30::text[], $31::timestamptz[]) u(r, st, q, o, w, e, en)
   where r.id = u.r),
 snap as (insert into snapshots (run_id, seq, data)
   select u.r, u.q, u.d from own, unnest($32::uuid[], $33::int[], $34::bytea[]) u(r, q, d)
   on conflict (run_id) do update set seq = excluded.seq, data = excluded.data where snapshots.seq < excluded.seq)
select shard from own`

const turnParams = 34

// writer commits the turns of one shard over a connection of its own.
type writer struct {
	mu      sync.Mutex
	conn    *pgx.Conn
	closed  bool
	columns [turnParams]column
	shard   [4]byte
	epoch   [8]byte
	at      [8]byte
	params  [turnParams][]byte
	formats [turnParams]int16
}

func newWriter() *writer {
	w := &writer{}
	for i, oid := range [turnParams]uint32{
		2: oidUUID, 3: oidInt4, 4: oidTimestamptz, 5: oidText, 6: oidText, 7: oidJSON, 8: oidBytea,
		10: oidUUID, 11: oidText, 12: oidUUID, 13: oidUUID, 14: oidText, 15: oidText, 16: oidBool, 17: oidJSON, 18: oidText, 19: oidInt4, 20: oidBool, 21: oidTimestamptz, 22: oidText, 23: oidTimestamptz,
		24: oidUUID, 25: oidText, 26: oidInt4, 27: oidBool, 28: oidTimestamptz, 29: oidText, 30: oidTimestamptz,
		31: oidUUID, 32: oidInt4, 33: oidBytea,
	} {
		w.columns[i].oid = oid
		w.formats[i] = 1
	}
	return w
}

// connect opens the connection with the plan that stays right while tables
// grow: a generic plan made on an empty table must not scan it for ever.
func (w *writer) connect(ctx context.Context, dsn string) error {
	if w.conn != nil && !w.conn.IsClosed() {
		return nil
	}
	cfg, err := pgx.ParseConfig(dsn)
	if err != nil {
		return fmt.Errorf("read the address: %w", err)
	}
	for name, value := range map[string]string{
		"plan_cache_mode": "force_generic_plan", "synchronous_commit": "on",
		"enable_seqscan": "off", "enable_hashjoin": "off", "enable_mergejoin": "off",
	} {
		cfg.RuntimeParams[name] = value
	}
	conn, err := pgx.ConnectConfig(ctx, cfg)
	if err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	if _, err := conn.Prepare(ctx, "turn", turnSQL); err != nil {
		_ = conn.Close(ctx)
		return fmt.Errorf("prepare the turn: %w", err)
	}
	w.conn = conn
	return nil
}

func (w *writer) fill(t *runtime.Turn) {
	for i := range w.columns {
		if w.columns[i].oid != 0 {
			w.columns[i].reset()
		}
	}
	c := &w.columns
	for i := range t.Events {
		e := &t.Events[i]
		c[2].add(e.Run[:])
		c[3].addInt(e.Event.Seq)
		c[4].addTime(e.Event.At)
		c[5].addText(e.Event.Node)
		c[6].addText(e.Event.Type)
		c[7].add(e.Event.Data)
		c[8].add(e.Event.Hash[:])
	}
	for i := range t.New {
		r := &t.New[i]
		c[10].add(r.Run[:])
		c[11].addText(r.Workspace)
		c[12].add(r.Workflow[:])
		c[13].add(r.Version[:])
		c[14].addText(r.Trigger)
		c[15].addText(r.Source)
		c[16].addBool(r.Test)
		c[17].add(r.Attributes)
		w.state(18, &r.RunState)
	}
	for i := range t.Changed {
		c[24].add(t.Changed[i].Run[:])
		w.state(25, &t.Changed[i].RunState)
	}
	for i := range t.Snaps {
		c[31].add(t.Snaps[i].Run[:])
		c[32].addInt(t.Snaps[i].Seq)
		c[33].add(t.Snaps[i].Data)
	}
}

// state writes status, seq, owed, wake_at, error and ended_at from a column
// on.
func (w *writer) state(from int, s *runtime.RunState) {
	c := w.columns[from : from+6]
	c[0].addText(s.Status)
	c[1].addInt(s.Seq)
	c[2].addBool(s.Owed)
	c[3].addTime(s.WakeAt)
	c[4].addText(storable(s.Error))
	c[5].addTime(s.EndedAt)
}

// storable is a sentence without what PostgreSQL cannot hold as text: whoever
// wrote it must not stop the turn of everybody else.
func storable(s string) string {
	return strings.ToValidUTF8(strings.ReplaceAll(s, "\x00", ""), "\uFFFD")
}

// close waits for the turn under way and ends the connection.
func (w *writer) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed = true
	w.drop(context.Background())
}

func (w *writer) drop(ctx context.Context) {
	if w.conn == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeMax)
	defer cancel()
	_ = w.conn.Close(ctx)
	w.conn = nil
}

// closeMax is how long a goodbye may take.
const closeMax = time.Second

// commit runs the statement. On any error but a lost fence the connection is
// given up: what it was doing is unknown.
func (w *writer) commit(ctx context.Context, dsn string, t *runtime.Turn) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return errClosed
	}
	if err := w.connect(ctx, dsn); err != nil {
		return err
	}
	w.fill(t)
	binary.BigEndian.PutUint32(w.shard[:], uint32(t.Shard)) //nolint:gosec // small
	binary.BigEndian.PutUint64(w.epoch[:], uint64(t.Epoch)) //nolint:gosec // never negative
	binary.BigEndian.PutUint64(w.at[:], timestamp(t.At))
	for i := range w.columns {
		if w.columns[i].oid != 0 {
			w.params[i] = w.columns[i].bytes()
		}
	}
	w.params[0], w.params[1], w.params[9] = w.shard[:], w.epoch[:], w.at[:]
	tag, err := w.conn.PgConn().ExecPrepared(ctx, "turn", w.params[:], w.formats[:], nil).Close()
	if err != nil {
		w.drop(ctx)
		return fmt.Errorf("write the turn: %w", err)
	}
	if tag.RowsAffected() != 1 {
		return runtime.ErrFenced
	}
	return nil
}
