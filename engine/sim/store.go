package sim

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/google/uuid"

	"signalbox/engine/runtime"
)

// Commit implements runtime.Log. It is where most goes wrong.
func (s *server) Commit(ctx context.Context, t *runtime.Turn) error {
	shard := nameOf(t.Shard)
	s.travel("commit " + shard)
	if err := s.gate(ctx, "commit "+shard, s.w.plan.CommitFails); err != nil {
		return err
	}
	s.w.mu.Lock()
	if s.draw("hold "+shard) < s.w.plan.Hold {
		h := &holdup{free: make(chan struct{}), slow: s.draw("slow "+shard) < 0.3}
		s.held[t.Shard] = h
		s.w.wake()
		s.w.mu.Unlock()
		<-h.free
		if err := s.gate(ctx, "", 0); err != nil && !errors.Is(err, errDead) || errors.Is(err, errDead) && s.coin(shard) {
			return err
		}
		s.w.mu.Lock()
	}
	defer s.w.mu.Unlock()
	if s.draw("crash before the commit "+shard) < s.w.plan.Crash {
		return s.die()
	}
	if err := s.w.store.Commit(ctx, t); err != nil {
		s.hurt = true
		return err //nolint:wrapcheck // as the store says it
	}
	if last := s.w.epochs[t.Shard]; t.Epoch < last {
		s.w.accuse("fence", -1, "%s committed with epoch %d when epoch %d was given out", s.name, t.Epoch, last)
	}
	s.w.committed(s, t)
	if s.draw("crash after the commit "+shard) < s.w.plan.Crash {
		return s.die()
	}
	if s.draw("lie "+shard) < s.w.plan.CommitLies {
		s.hurt = true
		return errCut
	}
	if s.dead {
		return errDead
	}
	return nil
}

// coin decides whether a turn that was on its way when its process died is
// written.
func (s *server) coin(shard string) bool {
	s.w.mu.Lock()
	defer s.w.mu.Unlock()
	return s.draw("died at the commit "+shard) < 0.5
}

// Load implements runtime.Log.
func (s *server) Load(ctx context.Context, run uuid.UUID) (*runtime.Record, error) {
	if err := s.gate(ctx, "load "+run.String(), s.w.plan.ReadFails); err != nil {
		return nil, err
	}
	return s.w.store.Load(ctx, run) //nolint:wrapcheck // as the store says it
}

// Beat implements runtime.Shards.
func (s *server) Beat(ctx context.Context, name string, able bool, lease time.Duration) (runtime.Roster, error) {
	s.travel("beat")
	if err := s.gate(ctx, "beat", 0); err != nil {
		return runtime.Roster{}, err
	}
	return s.w.store.Beat(ctx, name, able, lease) //nolint:wrapcheck // as the store says it
}

// Acquire implements runtime.Shards.
func (s *server) Acquire(ctx context.Context, shard int, name string, lease time.Duration) (int64, error) {
	s.travel("acquire " + nameOf(shard))
	if err := s.gate(ctx, "acquire "+nameOf(shard), 0); err != nil {
		return 0, err
	}
	epoch, err := s.w.store.Acquire(ctx, shard, name, lease)
	s.w.mu.Lock()
	defer s.w.mu.Unlock()
	s.w.epochs[shard] = max(s.w.epochs[shard], epoch)
	return epoch, err //nolint:wrapcheck // as the store says it
}

// Release implements runtime.Shards.
func (s *server) Release(ctx context.Context, shard int, name string) error {
	s.travel("release " + nameOf(shard))
	if err := s.gate(ctx, "release "+nameOf(shard), 0); err != nil {
		return err
	}
	return s.w.store.Release(ctx, shard, name) //nolint:wrapcheck // as the store says it
}

// Leave implements runtime.Shards.
func (s *server) Leave(ctx context.Context, name string) error {
	if err := s.gate(ctx, "leave", 0); err != nil {
		return err
	}
	return s.w.store.Leave(ctx, name) //nolint:wrapcheck // as the store says it
}

// Owed implements runtime.Recovery.
func (s *server) Owed(ctx context.Context, shard int, after uuid.UUID, limit int) ([]uuid.UUID, error) {
	s.nap()
	if err := s.gate(ctx, "owed "+nameOf(shard), s.w.plan.ReadFails); err != nil {
		return nil, err
	}
	return s.w.store.Owed(ctx, shard, after, limit) //nolint:wrapcheck // as the store says it
}

// Due implements runtime.Recovery.
func (s *server) Due(ctx context.Context, shard int, before time.Time, limit int) ([]uuid.UUID, time.Time, error) {
	s.nap()
	if err := s.gate(ctx, "due "+nameOf(shard), s.w.plan.ReadFails); err != nil {
		return nil, time.Time{}, err
	}
	return s.w.store.Due(ctx, shard, before, limit) //nolint:wrapcheck // as the store says it
}

// Machine implements runtime.Versions.
func (s *server) Machine(ctx context.Context, version uuid.UUID) (json.RawMessage, error) {
	if err := s.gate(ctx, "machine "+version.String(), s.w.plan.ReadFails); err != nil {
		return nil, err
	}
	return s.w.store.Machine(ctx, version) //nolint:wrapcheck // as the store says it
}

// PutPayload implements runtime.Payloads.
func (s *server) PutPayload(ctx context.Context, workspace, digest string, data []byte) error {
	if err := s.gate(ctx, "put "+digest, s.w.plan.CommitFails); err != nil {
		return err
	}
	s.w.mu.Lock()
	s.w.payloads[digest] = data
	s.w.mu.Unlock()
	return s.w.store.PutPayload(ctx, workspace, digest, data) //nolint:wrapcheck // as the store says it
}

// Payload implements runtime.Payloads.
func (s *server) Payload(ctx context.Context, workspace, digest string) ([]byte, error) {
	if err := s.gate(ctx, "payload "+digest, s.w.plan.ReadFails); err != nil {
		return nil, err
	}
	return s.w.store.Payload(ctx, workspace, digest) //nolint:wrapcheck // as the store says it
}

// ClaimStart implements runtime.Ledger. Nothing is drawn that the seed does not
// draw: the key of whoever asks from outside is the run's id, and the id of a
// called run follows from its key.
func (s *server) ClaimStart(ctx context.Context, _, _, key string, _ uuid.UUID) (uuid.UUID, error) {
	s.travel("claim " + key + actOf(ctx))
	if err := s.gate(ctx, "claim "+key, 0); err != nil {
		return uuid.Nil, err
	}
	if id, err := uuid.Parse(key); err == nil {
		return id, nil
	}
	s.w.mu.Lock()
	defer s.w.mu.Unlock()
	id := s.w.idOf(key)
	s.w.claims[id] = key
	return id, nil
}
