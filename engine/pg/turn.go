package pg

import (
	"context"
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"signalbox/engine/event"
	"signalbox/engine/runtime"
)

// part is one table that a turn writes. Its rows go out as one array for each
// column.
type part struct {
	types []uint32
	sql   string // with the arrays, as u, at %s
}

// The parts of a turn, in the order of their statement.
const (
	partEvents = iota
	partNew    // runs that were born, perhaps over already: partChanged cannot see them
	partChanged
	partSnaps
	partUses // which large values the events name
	partPoints
	partPredictions
	partTruths
	partDead
	partFreed // attempts that give their slots back
	partCount
)

//nolint:gochecknoglobals // a table
var parts = [partCount]part{
	partEvents: {
		[]uint32{oidUUID, oidInt4, oidTimestamptz, oidText, oidText, oidJSON, oidBytea},
		`insert into workflow_events (run_id, seq, at, node, type, data, hash)
  select u.r, u.q, u.a, u.n, u.t, u.d, u.h from own, %s u(r, q, a, n, t, d, h)`,
	},
	partNew: {
		[]uint32{
			oidUUID, oidText, oidUUID, oidUUID, oidText, oidText, oidBool, oidJSON, oidTimestamptz,
			oidInt4, oidText, oidInt4, oidBool, oidTimestamptz, oidText, oidTimestamptz, oidInt4,
		},
		`insert into runs (id, shard, workspace_id, workflow_id, version_id, trigger, source, test, attributes, created_at, semantics, status, seq, owed, wake_at, error, ended_at, format)
  select u.r, own.shard, u.ws, u.wf, u.v, u.tr, u.so, u.te, u.at, u.c, u.se, u.st, u.q, u.o, u.w, u.e, u.en, u.f
  from own, %s u(r, ws, wf, v, tr, so, te, at, c, se, st, q, o, w, e, en, f)`,
	},
	partChanged: {
		[]uint32{oidUUID, oidText, oidInt4, oidBool, oidTimestamptz, oidText, oidTimestamptz, oidInt4},
		`update runs r set status = u.st, seq = u.q, owed = u.o, wake_at = u.w, error = u.e, ended_at = u.en, format = u.f
  from own, %s u(r, st, q, o, w, e, en, f) where r.id = u.r`,
	},
	partSnaps: {
		[]uint32{oidUUID, oidInt4, oidInt4, oidBytea},
		`insert into snapshots (run_id, seq, format, data) select u.r, u.q, u.f, u.d from own, %s u(r, q, f, d)
  on conflict (run_id) do update set seq = excluded.seq, format = excluded.format, data = excluded.data where snapshots.seq < excluded.seq`,
	},
	partUses: {
		[]uint32{oidText, oidUUID},
		`insert into payload_uses (digest, run_id) select u.d, u.r from own, %s u(d, r) on conflict do nothing`,
	},
	partPoints: {
		[]uint32{oidUUID, oidInt4, oidTimestamptz, oidText, oidUUID, oidUUID, oidText, oidText, oidText, oidText, oidText},
		`insert into metric_points (run_id, seq, at, workspace_id, workflow_id, version_id, node, name, type, value, labels)
  select u.r, u.q, u.a, u.ws, u.wf, u.v, u.n, u.na, u.ty, u.va::float8, u.la from own, %s u(r, q, a, ws, wf, v, n, na, ty, va, la) on conflict do nothing`,
	},
	partPredictions: {
		[]uint32{oidUUID, oidInt4, oidTimestamptz, oidText, oidUUID, oidUUID, oidText, oidText, oidText, oidText},
		`insert into predictions (run_id, seq, at, workspace_id, workflow_id, version_id, node, name, decision, value)
  select u.r, u.q, u.a, u.ws, u.wf, u.v, u.n, u.na, u.de, u.va from own, %s u(r, q, a, ws, wf, v, n, na, de, va) on conflict do nothing`,
	},
	// The latest truth counts; of several in one turn only it may be named, or
	// the statement would change a row twice and fail for everybody.
	partTruths: {
		[]uint32{oidText, oidText, oidText, oidText, oidTimestamptz},
		`insert into truths (workspace_id, name, decision, value, at)
  select distinct on (u.ws, u.na, u.de) u.ws, u.na, u.de, u.va, u.a from own, %s u(ws, na, de, va, a) order by u.ws, u.na, u.de, u.a desc
  on conflict (workspace_id, name, decision) do update set value = excluded.value, at = excluded.at where truths.at <= excluded.at`,
	},
	partDead: {
		[]uint32{oidUUID, oidInt4, oidTimestamptz, oidText, oidUUID, oidUUID, oidText, oidText, oidInt4, oidInt4, oidText, oidInt4},
		`insert into dead_letters (run_id, seq, at, workspace_id, workflow_id, version_id, node, class, scope, visit, message, attempts)
  select u.r, u.q, u.a, u.ws, u.wf, u.v, u.n, u.c, u.s, u.vi, u.m, u.t from own, %s u(r, q, a, ws, wf, v, n, c, s, vi, m, t) on conflict do nothing`,
	},
	partFreed: {
		[]uint32{oidUUID, oidText, oidInt4, oidInt4, oidInt4},
		`delete from queue_slots s using own, %s u(r, n, s, v, a)
  where s.run_id = u.r and s.node = u.n and s.scope = u.s and s.visit = u.v and s.attempt = u.a`,
	},
}

// turnSQL is a whole turn as one statement: the fence, and the parts that have
// rows. A part that is not there costs nothing, and most turns of a few inputs
// have events only. No row in own: another owner has the shard, and nothing is
// written.
func turnSQL(mask int) string {
	var b strings.Builder
	b.WriteString("with own as materialized (select shard from shards where shard = $1 and epoch = $2 for share)")
	next := 3
	for i, p := range parts {
		if mask&(1<<i) == 0 {
			continue
		}
		arrays := make([]string, len(p.types))
		for j, oid := range p.types {
			arrays[j] = "$" + strconv.Itoa(next) + "::" + typeNames[oid] + "[]"
			next++
		}
		fmt.Fprintf(&b, ",\n p%d as (", i)
		fmt.Fprintf(&b, p.sql, "unnest("+strings.Join(arrays, ", ")+")")
		b.WriteByte(')')
	}
	b.WriteString("\nselect shard from own")
	return b.String()
}

// smallMax is how many events a turn may have, and nothing else, to go out in
// the plain statement.
const smallMax = 4

// smallSQL is a turn of so many events and nothing else, as most are of a run
// that is alone. It does what turnSQL does in a third less of the server's
// time: no arrays are taken apart, and no query is planned into another.
func smallSQL(events int) string {
	types := parts[partEvents].types
	rows, next := make([]string, events), 3
	for i := range rows {
		row := make([]string, len(types))
		for j, oid := range types {
			row[j] = "$" + strconv.Itoa(next) + "::" + typeNames[oid]
			next++
		}
		rows[i] = "(" + strings.Join(row, ", ") + ")"
	}
	return `insert into workflow_events (run_id, seq, at, node, type, data, hash)
select u.* from (select shard from shards where shard = $1 and epoch = $2 for share) own, (values ` + strings.Join(rows, ", ") + ") u"
}

// writer commits the turns of one shard over a connection of its own.
type writer struct {
	mu      sync.Mutex
	conn    *pgx.Conn
	known   map[int]string // names of the prepared statements, by the parts in them or minus the events of a small one
	closed  bool
	columns [partCount][]column
	shard   [4]byte
	epoch   [8]byte
	params  [][]byte
	formats []int16
}

func newWriter() *writer {
	w := &writer{}
	n := 2
	for i, p := range parts {
		for _, oid := range p.types {
			w.columns[i] = append(w.columns[i], column{oid: oid})
		}
		n += len(p.types)
	}
	n = max(n, 2+smallMax*len(parts[partEvents].types))
	w.params, w.formats = make([][]byte, 0, n), make([]int16, n)
	for i := range w.formats {
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
	w.conn, w.known = conn, map[int]string{}
	return nil
}

// prepare names the statement for turns with these parts; small: it has so many
// events and nothing else.
func (w *writer) prepare(ctx context.Context, mask, small int) (name string, err error) {
	key := mask
	if small > 0 {
		key = -small
	}
	if name, ok := w.known[key]; ok {
		return name, nil
	}
	name, sql := "turn"+strconv.Itoa(mask), turnSQL(mask)
	if small > 0 {
		name, sql = "small"+strconv.Itoa(small), smallSQL(small)
	}
	if _, err := w.conn.Prepare(ctx, name, sql); err != nil {
		return "", fmt.Errorf("prepare the turn: %w", err)
	}
	w.known[key] = name
	return name, nil
}

// fill makes the parameters of a turn and says which parts it has.
func (w *writer) fill(t *runtime.Turn) (mask int) {
	for i := range w.columns {
		for j := range w.columns[i] {
			w.columns[i][j].reset()
		}
	}
	c, uses := w.columns[partEvents], w.columns[partUses]
	for i := range t.Events {
		e := &t.Events[i]
		c[0].add(e.Run[:])
		c[1].addInt(e.Event.Seq)
		c[2].addTime(e.Event.At)
		c[3].addText(e.Event.Node)
		c[4].addText(e.Event.Type)
		c[5].add(e.Event.Data)
		c[6].add(e.Event.Hash[:])
		for digest := range event.Digests(e.Event.Data) {
			uses[0].addText(digest)
			uses[1].add(e.Run[:])
		}
	}
	c = w.columns[partNew]
	for i := range t.New {
		r := &t.New[i]
		c[0].add(r.Run[:])
		c[1].addText(r.Workspace)
		c[2].add(r.Workflow[:])
		c[3].add(r.Version[:])
		c[4].addText(r.Trigger)
		c[5].addText(r.Source)
		c[6].addBool(r.Test)
		c[7].add(r.Attributes)
		c[8].addTime(t.At)
		c[9].addInt(r.Semantics)
		addState(c[10:], &r.RunState)
	}
	c = w.columns[partChanged]
	for i := range t.Changed {
		c[0].add(t.Changed[i].Run[:])
		addState(c[1:], &t.Changed[i].RunState)
	}
	c = w.columns[partSnaps]
	for i := range t.Snaps {
		c[0].add(t.Snaps[i].Run[:])
		c[1].addInt(t.Snaps[i].Seq)
		c[2].addInt(t.Snaps[i].Format)
		c[3].add(t.Snaps[i].Data)
	}
	w.fillNotes(t.Notes)
	w.fillFreed(t)
	binary.BigEndian.PutUint32(w.shard[:], uint32(t.Shard)) //nolint:gosec // small
	binary.BigEndian.PutUint64(w.epoch[:], uint64(t.Epoch)) //nolint:gosec // never negative
	w.params = append(w.params[:0], w.shard[:], w.epoch[:])
	for i := range w.columns {
		if w.columns[i][0].n == 0 {
			continue
		}
		mask |= 1 << i
		for j := range w.columns[i] {
			w.params = append(w.params, w.columns[i][j].bytes())
		}
	}
	return mask
}

// rows makes the parameters of a small turn: the values of each event instead
// of an array of each column.
func (w *writer) rows() (events int) {
	columns := w.columns[partEvents]
	events = int(columns[0].n)
	w.params = w.params[:2+events*len(columns)]
	for j := range columns {
		at := 2 + j
		for v := range columns[j].values() {
			w.params[at] = v
			at += len(columns)
		}
	}
	return events
}

// fillFreed writes the attempts that give their slots back.
func (w *writer) fillFreed(t *runtime.Turn) {
	c := w.columns[partFreed]
	for _, id := range t.Freed {
		run, err := uuid.Parse(id.Run)
		if err != nil {
			continue // no run has such an id
		}
		c[0].add(run[:])
		c[1].addText(id.Node)
		c[2].addInt(id.Scope)
		c[3].addInt(id.Visit)
		c[4].addInt(id.Attempt)
	}
}

// addState writes status, seq, owed, wake_at, error, ended_at and format.
func addState(c []column, s *runtime.RunState) {
	c[0].addText(s.Status)
	c[1].addInt(s.Seq)
	c[2].addBool(s.Owed)
	c[3].addTime(s.WakeAt)
	c[4].addText(storable(s.Error))
	c[5].addTime(s.EndedAt)
	c[6].addInt(s.Format)
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
	mask, small, rows := w.fill(t), 0, 1
	if mask == 1<<partEvents && len(t.Events) <= smallMax {
		small = w.rows()
		rows = small
	}
	name, err := w.prepare(ctx, mask, small)
	if err != nil {
		w.drop(ctx)
		return err
	}
	tag, err := w.conn.PgConn().ExecPrepared(ctx, name, w.params, w.formats[:len(w.params)], nil).Close()
	if err != nil {
		w.drop(ctx)
		return fmt.Errorf("write the turn: %w", err)
	}
	if tag.RowsAffected() != int64(rows) {
		return runtime.ErrFenced
	}
	return nil
}
