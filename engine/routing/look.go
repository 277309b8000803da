package routing

import (
	"context"
	"fmt"
	"slices"
	"time"

	"signalbox/engine/queue"
)

// Looks are what processes see of their queues.
type Looks interface {
	// PutLooks replaces what a process sees.
	PutLooks(ctx context.Context, owner string, seen []queue.Seen, at time.Time) error
	// Looks lists what processes have seen since a moment.
	Looks(ctx context.Context, since time.Time) ([][]queue.Seen, error)
	// SlotsUsed counts the slots that are taken, by limit.
	SlotsUsed(ctx context.Context) (map[string]int, error)
}

// How often a process says what it sees, and when it counts as gone.
const (
	ReportEvery = 2 * time.Second
	lookOld     = 4 * ReportEvery
)

// Report says what a process sees of its queues, again and again until the
// context ends. While nothing moves it says nothing.
func (s *Service) Report(ctx context.Context, owner string, look func() []queue.Look) error {
	looks, ok := s.store.(Looks)
	if !ok {
		return nil
	}
	tick := time.NewTicker(ReportEvery) //nolint:forbidigo // a report, not a decision
	defer tick.Stop()
	var watch queue.Watch
	said := false
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		seen := watch.Observe(look())
		if len(seen) == 0 && !said {
			continue
		}
		said = len(seen) > 0
		if err := looks.PutLooks(ctx, owner, seen, s.now()); err != nil && ctx.Err() == nil {
			s.log.WarnContext(ctx, "the queues' page is old", "err", err)
		}
	}
}

// State is a queue with its settings and what is known of it now.
type State struct {
	Queue
	Seen  queue.Seen
	Slots int // taken; counted only where the concurrency is limited
}

// States lists the queues of a workspace, by name.
func (s *Service) States(ctx context.Context, workspace string) ([]State, error) {
	if err := s.Load(ctx); err != nil {
		return nil, err
	}
	var list []State
	for _, q := range s.Queues(workspace) {
		list = append(list, State{Queue: q})
	}
	looks, ok := s.store.(Looks)
	if !ok {
		return list, nil
	}
	all, err := looks.Looks(ctx, s.now().Add(-lookOld))
	if err != nil {
		return nil, fmt.Errorf("look at the queues: %w", err)
	}
	used, err := looks.SlotsUsed(ctx)
	if err != nil {
		return nil, fmt.Errorf("count slots: %w", err)
	}
	for _, process := range all {
		for _, seen := range process {
			if seen.Workspace != workspace {
				continue
			}
			i := slices.IndexFunc(list, func(st State) bool { return st.Name == seen.Queue })
			if i < 0 {
				list = append(list, State{Queue: Queue{Workspace: workspace, Name: seen.Queue}})
				i = len(list) - 1
			}
			list[i].Seen.Add(seen)
		}
	}
	for i := range list {
		list[i].Slots = used["queue/"+workspace+"/"+list[i].Name]
	}
	slices.SortFunc(list, func(a, b State) int { return compareNames(a.Name, b.Name) })
	return list, nil
}
