package sim

import (
	"context"
	"strconv"

	"github.com/google/uuid"

	"signalbox/engine/runtime"
)

// errand is the way of what an engine asks of a run from beside its turns: the
// start of a called run, what became of it, the cancel of an item. Each goes on
// at an instant of its own, some of them much later; a process can die there,
// and one that is frozen goes no further.
func (s *server) errand(ctx context.Context, run uuid.UUID, what string) {
	w := s.w
	name := "errand " + run.String() + " " + what + actOf(ctx)
	w.mu.Lock()
	late := s.draw("late "+name) < w.plan.Late
	w.mu.Unlock()
	if late {
		s.stroll(name, 4e9)
	}
	for {
		s.stroll(name, 0)
		if s.gate(ctx, name, 0) != nil {
			return
		}
		w.mu.Lock()
		if s.draw("crash at "+name) < w.plan.Crash/4 {
			_ = s.die()
		}
		h := s.held[w.shardOf(run)]
		w.mu.Unlock()
		if h == nil || !h.slow {
			return
		}
		<-h.free // no input comes while time passes behind a commit
	}
}

// actKey is the key of the act that a context is of.
type actKey struct{}

// actOf tells acts of one instant apart that ask the same.
func actOf(ctx context.Context) string {
	if id, is := ctx.Value(actKey{}).(int); is {
		return " by act " + strconv.Itoa(id)
	}
	return ""
}

// callees finds the workflows of a world by name.
type callees struct{ s *server }

// Callee implements runtime.Callees.
func (c callees) Callee(ctx context.Context, _, name, _ string) (runtime.Target, error) {
	c.s.travel("callee " + name)
	if err := c.s.gate(ctx, "callee "+name, c.s.w.plan.ReadFails); err != nil {
		return runtime.Target{}, err
	}
	o := c.s.w.others[name]
	return runtime.Target{Workflow: workflow, Version: o.version, Trigger: o.trigger}, nil
}

// Called implements runtime.Callings.
func (s *server) Called(ctx context.Context, shard, shards int, after uuid.UUID, limit int) ([]runtime.Calling, error) {
	s.travel("called " + nameOf(shard))
	if err := s.gate(ctx, "called "+nameOf(shard), s.w.plan.ReadFails); err != nil {
		return nil, err
	}
	return s.w.store.Called(ctx, shard, shards, after, limit) //nolint:wrapcheck // as the store says it
}
