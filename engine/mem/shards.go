package mem

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"

	"signalbox/engine/runtime"
)

func (s *Store) lives(server string) bool {
	m, there := s.servers[server]
	return there && !m.until.Before(s.now())
}

// Beat implements runtime.Shards.
func (s *Store) Beat(_ context.Context, server string, able bool, lease time.Duration) (runtime.Roster, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.servers[server] = member{able, s.now().Add(lease)}
	r := runtime.Roster{Owners: map[int]runtime.Holding{}}
	for _, name := range slices.Sorted(maps.Keys(s.servers)) {
		if m := s.servers[name]; s.lives(name) {
			r.Servers = append(r.Servers, runtime.Member{Server: name, Able: m.able, Left: m.until.Sub(s.now())})
		}
	}
	for n, o := range s.shards {
		if s.lives(o.name) {
			r.Owners[n] = runtime.Holding{Server: o.name, Epoch: o.epoch}
		}
	}
	return r, nil
}

// Acquire implements runtime.Shards.
func (s *Store) Acquire(_ context.Context, shard int, server string, lease time.Duration) (int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o := s.shards[shard]
	switch {
	case o == nil:
		o = &owner{name: server, epoch: 1}
		s.shards[shard] = o
	case o.name == server:
	case !s.lives(o.name):
		o.name, o.epoch = server, o.epoch+1
	default:
		return 0, runtime.ErrFenced
	}
	s.servers[server] = member{s.servers[server].able, s.now().Add(lease)}
	return o.epoch, nil
}

// Release implements runtime.Shards.
func (s *Store) Release(_ context.Context, shard int, server string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if o := s.shards[shard]; o != nil && o.name == server {
		o.name = ""
	}
	return nil
}

// Leave implements runtime.Shards.
func (s *Store) Leave(_ context.Context, server string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.servers, server)
	return nil
}

// Called implements runtime.Callings.
func (s *Store) Called(_ context.Context, shard, shards int, after uuid.UUID, limit int) ([]runtime.Calling, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []runtime.Calling
	for id, r := range s.runs {
		var by struct{ Parent uuid.UUID }
		if r.Source != "call" || !r.EndedAt.IsZero() || bytes.Compare(id[:], after[:]) <= 0 || json.Unmarshal(r.Attributes, &by) != nil {
			continue
		}
		if runtime.ShardOf(by.Parent, shards) == shard {
			list = append(list, runtime.Calling{Run: id, Workspace: r.Workspace, Attributes: r.Attributes})
		}
	}
	slices.SortFunc(list, func(a, b runtime.Calling) int { return bytes.Compare(a.Run[:], b.Run[:]) })
	return list[:min(len(list), limit)], nil
}
