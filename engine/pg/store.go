package pg

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"signalbox/engine/event"
	"signalbox/engine/runtime"
)

// Store implements runtime.Store and runtime.Ledger.
type Store struct {
	*DB
	pulse   pulse
	mu      sync.Mutex
	writers map[int]*writer // by shard
	closed  bool
	sealer  Sealer // nil: there is no key
	seals   bool
}

var (
	_ runtime.Store  = (*Store)(nil)
	_ runtime.Ledger = (*Store)(nil)
)

// NewStore makes the adapter. It ends with the database.
func NewStore(db *DB) *Store {
	s := &Store{DB: db, writers: map[int]*writer{}}
	db.mu.Lock()
	defer db.mu.Unlock()
	db.stores = append(db.stores, s)
	return s
}

var errClosed = errors.New("the database is closed")

// Commit implements runtime.Log.
func (s *Store) Commit(ctx context.Context, t *runtime.Turn) error {
	w := s.writer(t.Shard)
	if w == nil {
		return errClosed
	}
	return w.commit(ctx, s.dsn, t)
}

func (s *Store) writer(shard int) *writer {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	w := s.writers[shard]
	if w == nil {
		w = newWriter()
		s.writers[shard] = w
	}
	return w
}

// close waits for turns under way and ends their connections.
func (s *Store) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	for _, w := range s.writers {
		w.close()
	}
	s.pulse.close()
}

// Load implements runtime.Log: one round trip, and one look at the database,
// or else a turn that commits meanwhile would leave a hole between the
// snapshot and the events.
func (s *Store) Load(ctx context.Context, run uuid.UUID) (*runtime.Record, error) {
	rec := &runtime.Record{}
	b := &pgx.Batch{}
	b.Queue(`begin isolation level repeatable read, read only`)
	b.Queue(`select id, shard, workspace_id, workflow_id, version_id, trigger, source, test, attributes, status, seq, owed, wake_at, error, created_at, ended_at, format, semantics
		from runs where id = $1`, run).QueryRow(func(row pgx.Row) error { return scanRecord(row, rec) })
	b.Queue(`select seq, format, data from snapshots where run_id = $1 and format = $2`, run, runtime.SnapFormat).Query(func(rows pgx.Rows) error {
		snap, err := pgx.CollectExactlyOneRow(rows, func(row pgx.CollectableRow) (*runtime.Snap, error) {
			snap := &runtime.Snap{Run: run}
			return snap, row.Scan(&snap.Seq, &snap.Format, &snap.Data)
		})
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		rec.Snap = snap
		return err //nolint:wrapcheck // below
	})
	b.Queue(`select seq, at, node, type, data, hash from workflow_events
		where run_id = $1 and seq >= coalesce((select seq from snapshots where run_id = $1 and format = $2), 1) order by seq`, run, runtime.SnapFormat).Query(func(rows pgx.Rows) error {
		var err error
		rec.Events, err = pgx.CollectRows(rows, scanEvent)
		return err //nolint:wrapcheck // below
	})
	b.Queue(`commit`)
	if err := s.pool.SendBatch(ctx, b).Close(); err != nil {
		if errors.Is(err, pgx.ErrNoRows) {
			return nil, runtime.ErrNotFound
		}
		return nil, fmt.Errorf("load run: %w", err)
	}
	return rec, join(rec)
}

func scanRecord(row pgx.Row, rec *runtime.Record) error {
	var wake, ended *time.Time
	err := row.Scan(&rec.Run, &rec.Shard, &rec.Workspace, &rec.Workflow, &rec.Version, &rec.Trigger, &rec.Source, &rec.Test,
		(*[]byte)(&rec.Attributes), &rec.Status, &rec.Seq, &rec.Owed, &wake, &rec.Error, &rec.CreatedAt, &ended, &rec.Format, &rec.Semantics)
	rec.WakeAt, rec.EndedAt, rec.CreatedAt = orZero(wake).UTC(), orZero(ended).UTC(), rec.CreatedAt.UTC()
	return err
}

// join takes the event that the snapshot stands on out of the events, and
// makes sure that none of them is missing.
func join(rec *runtime.Record) error {
	next := 1
	if rec.Snap != nil {
		next = rec.Snap.Seq
	}
	for i := range rec.Events {
		if rec.Events[i].Seq != next+i {
			return fmt.Errorf("load run %s: its event %d is missing", rec.Run, next+i)
		}
		rec.LastHash = rec.Events[i].Hash
	}
	if rec.Snap != nil {
		if len(rec.Events) == 0 {
			return fmt.Errorf("load run %s: its event %d is missing", rec.Run, next)
		}
		rec.Events = rec.Events[1:]
	}
	return nil
}

func scanEvent(row pgx.CollectableRow) (event.Event, error) {
	var e event.Event
	var hash []byte
	err := row.Scan(&e.Seq, &e.At, &e.Node, &e.Type, (*[]byte)(&e.Data), &hash)
	e.At = e.At.UTC()
	copy(e.Hash[:], hash)
	return e, err
}

// Owed implements runtime.Recovery.
func (s *Store) Owed(ctx context.Context, shard int, after uuid.UUID, limit int) ([]uuid.UUID, error) {
	rows, err := s.pool.Query(ctx, `select id from runs where shard = $1 and owed and id > $2 order by id limit $3`, shard, after, limit)
	if err != nil {
		return nil, fmt.Errorf("list owed runs: %w", err)
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
	if err != nil {
		return nil, fmt.Errorf("list owed runs: %w", err)
	}
	return ids, nil
}

// Due implements runtime.Recovery.
func (s *Store) Due(ctx context.Context, shard int, before time.Time, limit int) ([]uuid.UUID, time.Time, error) {
	rows, err := s.pool.Query(ctx, `(select id, wake_at from runs where shard = $1 and wake_at < $2 order by wake_at limit $3)
		union all (select id, wake_at from runs where shard = $1 and wake_at >= $2 order by wake_at limit 1) order by wake_at`, shard, before, limit+1)
	if err != nil {
		return nil, time.Time{}, fmt.Errorf("list due runs: %w", err)
	}
	defer rows.Close()
	var due []uuid.UUID
	for rows.Next() {
		var id uuid.UUID
		var at time.Time
		if err := rows.Scan(&id, &at); err != nil {
			return nil, time.Time{}, fmt.Errorf("list due runs: %w", err)
		}
		if len(due) == limit || !at.Before(before) {
			return due, at.UTC(), nil
		}
		due = append(due, id)
	}
	if err := rows.Err(); err != nil {
		return nil, time.Time{}, fmt.Errorf("list due runs: %w", err)
	}
	return due, time.Time{}, nil
}

// Machine implements runtime.Versions.
func (s *Store) Machine(ctx context.Context, version uuid.UUID) (json.RawMessage, error) {
	var raw []byte
	if err := found(s.pool.QueryRow(ctx, `select machine from versions where id = $1`, version).Scan(&raw), runtime.ErrNotFound); err != nil {
		return nil, fmt.Errorf("load machine: %w", err)
	}
	return raw, nil
}

// ClaimStart implements runtime.Ledger.
func (s *Store) ClaimStart(ctx context.Context, workspace, trigger, key string, run uuid.UUID) (uuid.UUID, error) {
	var winner uuid.UUID
	err := s.pool.QueryRow(ctx, `
		with mine as (insert into trigger_ledger (workspace_id, trigger, key, run_id) values ($1, $2, $3, $4) on conflict do nothing returning run_id)
		select run_id from mine union all select run_id from trigger_ledger where workspace_id = $1 and trigger = $2 and key = $3 limit 1`,
		workspace, trigger, key, run).Scan(&winner)
	if errors.Is(err, pgx.ErrNoRows) { // the other one committed between our two looks
		err = s.pool.QueryRow(ctx, `select run_id from trigger_ledger where workspace_id = $1 and trigger = $2 and key = $3`, workspace, trigger, key).Scan(&winner)
	}
	if err != nil {
		return uuid.Nil, fmt.Errorf("claim start: %w", err)
	}
	return winner, nil
}
