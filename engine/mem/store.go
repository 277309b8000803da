// Package mem keeps everything in memory: the store of tests and of headless
// runs. It passes the same conformance suite as PostgreSQL's.
package mem

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"signalbox/engine/event"
	"signalbox/engine/mutant"
	"signalbox/engine/queue"
	"signalbox/engine/runtime"
	"signalbox/engine/task"
)

// Store implements runtime.Store and runtime.Ledger.
type Store struct {
	now func() time.Time

	mu       sync.Mutex
	servers  map[string]member
	shards   map[int]*owner
	runs     map[uuid.UUID]*runtime.Record
	machines map[uuid.UUID]json.RawMessage
	payloads map[string][]byte
	ledger   map[string]uuid.UUID
	slots    slots
	notes    []runtime.Note
}

// Notes is what runs wrote down for the boards.
func (s *Store) Notes() []runtime.Note {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.notes)
}

type member struct {
	able  bool
	until time.Time
}

type owner struct {
	name  string // empty: nobody
	epoch int64
}

var (
	_ runtime.Store  = (*Store)(nil)
	_ runtime.Ledger = (*Store)(nil)
)

// NewStore makes an empty store; now is its clock.
func NewStore(now func() time.Time) *Store {
	return &Store{
		now: now, servers: map[string]member{}, shards: map[int]*owner{}, runs: map[uuid.UUID]*runtime.Record{},
		machines: map[uuid.UUID]json.RawMessage{}, payloads: map[string][]byte{}, ledger: map[string]uuid.UUID{},
		slots: slots{book: queue.Book{}, taken: map[task.ID]slot{}},
	}
}

// Runs lists the rows of all runs, by id.
func (s *Store) Runs() []runtime.NewRun {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := make([]runtime.NewRun, 0, len(s.runs))
	for _, r := range s.runs {
		list = append(list, r.NewRun)
	}
	slices.SortFunc(list, func(a, b runtime.NewRun) int { return bytes.Compare(a.Run[:], b.Run[:]) })
	return list
}

// PutMachine stores the machine of a version.
func (s *Store) PutMachine(version uuid.UUID, raw json.RawMessage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.machines[version] = raw
}

// Commit implements runtime.Log: all of the turn or nothing.
func (s *Store) Commit(_ context.Context, t *runtime.Turn) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if o := s.shards[t.Shard]; o == nil || o.epoch != t.Epoch && !mutant.On(mutant.EpochUnchecked) {
		return runtime.ErrFenced
	}
	if err := s.check(t); err != nil {
		return err
	}
	for i := range t.New {
		r := t.New[i]
		r.Error = storable(r.Error)
		s.runs[r.Run] = &runtime.Record{NewRun: r, CreatedAt: t.At, Shard: t.Shard}
	}
	for i := range t.Changed {
		if r := s.runs[t.Changed[i].Run]; r != nil {
			r.RunState = t.Changed[i].RunState
			r.Error = storable(r.Error)
		}
	}
	for i := range t.Events {
		e := t.Events[i].Event
		e.Data = bytes.Clone(e.Data)
		r := s.runs[t.Events[i].Run]
		r.Events, r.LastHash = append(r.Events, e), e.Hash
	}
	s.notes = append(s.notes, t.Notes...)
	s.free(t.Freed)
	for i := range t.Snaps {
		snap := t.Snaps[i]
		snap.Data = bytes.Clone(snap.Data)
		if r := s.runs[snap.Run]; r.Snap == nil || r.Snap.Seq < snap.Seq {
			r.Snap = &snap
		}
	}
	return nil
}

// check refuses what a database refuses: a run that is there already, an event
// number that is taken, data that is not JSON; and, as Load would, a number
// that leaves a hole.
func (s *Store) check(t *runtime.Turn) error {
	seq := map[uuid.UUID]int{}
	for i := range t.New {
		id := t.New[i].Run
		if _, twice := seq[id]; twice || s.runs[id] != nil {
			return fmt.Errorf("run %s is there already", id)
		}
		seq[id] = 0
	}
	for i := range t.Events {
		id, e := t.Events[i].Run, &t.Events[i].Event
		last, named := seq[id]
		if r := s.runs[id]; !named && r != nil {
			last, named = len(r.Events), true
		}
		if !named || e.Seq != last+1 {
			return fmt.Errorf("event %d of run %s does not follow event %d", e.Seq, id, last)
		}
		if !utf8.Valid(e.Data) || !json.Valid(e.Data) {
			return fmt.Errorf("event %d of run %s is not JSON in UTF-8", e.Seq, id)
		}
		seq[id] = e.Seq
	}
	for i := range t.Snaps {
		id := t.Snaps[i].Run
		last := seq[id]
		if r := s.runs[id]; r != nil {
			last = max(last, len(r.Events))
		}
		if t.Snaps[i].Seq < 1 || t.Snaps[i].Seq > last {
			return fmt.Errorf("a snapshot of run %s stands on event %d, which is not there", id, t.Snaps[i].Seq)
		}
	}
	return nil
}

// storable is a sentence without what a database cannot hold as text.
func storable(s string) string {
	return strings.ToValidUTF8(strings.ReplaceAll(s, "\x00", ""), "\uFFFD")
}

// Beginning implements runtime.Forks.
func (s *Store) Beginning(_ context.Context, run uuid.UUID, limit int) ([]event.Event, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.runs[run]
	if r == nil {
		return nil, nil
	}
	return slices.Clone(r.Events[:min(limit, len(r.Events))]), nil
}

// Fork implements runtime.Forks.
func (s *Store) Fork(_ context.Context, f *runtime.Fork) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	from := s.runs[f.From]
	switch {
	case s.runs[f.New.Run] != nil:
		return fmt.Errorf("run %s is there already", f.New.Run)
	case from == nil || len(from.Events) < f.Shared:
		return fmt.Errorf("run %s has no %d events", f.From, f.Shared)
	}
	r := &runtime.Record{NewRun: f.New, CreatedAt: f.At, Shard: f.Shard}
	r.Error = storable(r.Error)
	r.Events = append(slices.Clone(from.Events[:f.Shared]), f.Events...)
	for i := range r.Events {
		if r.Events[i].Seq != i+1 {
			return fmt.Errorf("event %d of run %s does not follow event %d", r.Events[i].Seq, f.New.Run, i)
		}
		r.LastHash = r.Events[i].Hash
	}
	s.runs[f.New.Run] = r
	return nil
}

// Load implements runtime.Log.
func (s *Store) Load(_ context.Context, run uuid.UUID) (*runtime.Record, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.runs[run]
	if r == nil {
		return nil, runtime.ErrNotFound
	}
	c := *r
	if c.Snap != nil && c.Snap.Format != runtime.SnapFormat {
		c.Snap = nil
	}
	if c.Snap != nil {
		snap := *c.Snap
		c.Snap, c.Events = &snap, c.Events[snap.Seq:]
	}
	c.Events = slices.Clone(c.Events)
	return &c, nil
}

// Owed implements runtime.Recovery.
func (s *Store) Owed(_ context.Context, shard int, after uuid.UUID, limit int) ([]uuid.UUID, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var ids []uuid.UUID
	for id, r := range s.runs {
		if r.Shard == shard && r.Owed && bytes.Compare(id[:], after[:]) > 0 {
			ids = append(ids, id)
		}
	}
	slices.SortFunc(ids, func(a, b uuid.UUID) int { return bytes.Compare(a[:], b[:]) })
	return ids[:min(len(ids), limit)], nil
}

// Due implements runtime.Recovery.
func (s *Store) Due(_ context.Context, shard int, before time.Time, limit int) ([]uuid.UUID, time.Time, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []*runtime.Record
	for _, r := range s.runs {
		if r.Shard == shard && !r.WakeAt.IsZero() {
			all = append(all, r)
		}
	}
	slices.SortFunc(all, func(a, b *runtime.Record) int {
		return cmp.Or(a.WakeAt.Compare(b.WakeAt), bytes.Compare(a.Run[:], b.Run[:]))
	})
	var due []uuid.UUID
	for _, r := range all {
		if len(due) == limit || !r.WakeAt.Before(before) {
			return due, r.WakeAt, nil
		}
		due = append(due, r.Run)
	}
	return due, time.Time{}, nil
}

// Machine implements runtime.Versions.
func (s *Store) Machine(_ context.Context, version uuid.UUID) (json.RawMessage, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if raw, ok := s.machines[version]; ok {
		return raw, nil
	}
	return nil, runtime.ErrNotFound
}

// PutPayload implements runtime.Payloads.
func (s *Store) PutPayload(_ context.Context, workspace, digest string, data []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.payloads[workspace+"/"+digest] = bytes.Clone(data)
	return nil
}

// Payload implements runtime.Payloads.
func (s *Store) Payload(_ context.Context, workspace, digest string) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if data, ok := s.payloads[workspace+"/"+digest]; ok {
		return data, nil
	}
	return nil, runtime.ErrNotFound
}

// ClaimStart implements runtime.Ledger.
func (s *Store) ClaimStart(_ context.Context, workspace, trigger, key string, run uuid.UUID) (uuid.UUID, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := workspace + "\x00" + trigger + "\x00" + key
	if winner, taken := s.ledger[id]; taken {
		return winner, nil
	}
	s.ledger[id] = run
	return run, nil
}

// Verify checks the chain of a run's events.
func (s *Store) Verify(run uuid.UUID) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r := s.runs[run]; r != nil {
		return event.Verify(r.Events)
	}
	return runtime.ErrNotFound
}
