package mem

import (
	"context"
	"maps"
	"slices"

	"signalbox/engine/queue"
	"signalbox/engine/runtime"
	"signalbox/engine/task"
)

var _ runtime.Slots = (*Store)(nil)

// slots are what attempts have.
type slots struct {
	book  queue.Book
	taken map[task.ID]slot
}

type slot struct {
	shard  int
	limits []string
}

// Take implements runtime.Slots.
func (s *Store) Take(_ context.Context, wants []runtime.Want) ([]runtime.Grant, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	grants := make([]runtime.Grant, len(wants))
	for i, w := range wants {
		o := s.shards[w.Shard]
		if o == nil || o.epoch != w.Epoch {
			continue
		}
		if _, there := s.slots.taken[w.ID]; there {
			grants[i].OK = true
			continue
		}
		limit, until := s.slots.book.Grant(w.Needs, s.now())
		if limit != "" {
			grants[i] = runtime.Grant{Limit: limit, Until: until}
			continue
		}
		grants[i].OK = true
		t := slot{shard: w.Shard}
		for _, n := range w.Needs {
			t.limits = append(t.limits, n.Name)
		}
		s.slots.taken[w.ID] = t
	}
	return grants, nil
}

// Free implements runtime.Slots.
func (s *Store) Free(_ context.Context, has []runtime.Want) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, w := range has {
		if o := s.shards[w.Shard]; o != nil && o.epoch == w.Epoch {
			s.free([]task.ID{w.ID})
		}
	}
	return nil
}

func (s *Store) free(ids []task.ID) {
	for _, id := range ids {
		s.slots.book.Free(s.slots.taken[id].limits)
		delete(s.slots.taken, id)
	}
}

// Taken implements runtime.Slots.
func (s *Store) Taken(_ context.Context, shard int) (map[task.ID][]string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	taken := map[task.ID][]string{}
	for id, t := range s.slots.taken {
		if t.shard == shard {
			taken[id] = slices.Clone(t.limits)
		}
	}
	return taken, nil
}

// SlotsUsed counts the slots of each limit.
func (s *Store) SlotsUsed(context.Context) (map[string]int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	used := map[string]int{}
	for t := range maps.Values(s.slots.taken) {
		for _, name := range t.limits {
			used[name]++
		}
	}
	return used, nil
}
