package app

import (
	"context"
	"slices"
	"strings"

	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"

	"signalbox/engine/queue"
	"signalbox/engine/runtime"
	"signalbox/engine/task"
	"signalbox/engine/worker"
	"signalbox/engine/worker/local"
)

// nearSuffix marks queues whose tasks go straight to the workers of this
// process, so that they have slots of their own. No queue that a person names
// has it.
const nearSuffix = "@local"

// handover is a channel over NATS, with a short way for the queues that are
// set to it. A task that went one way and comes again, after a change, goes the
// other: like every second delivery it is absorbed when the first one's result
// is there.
type handover struct {
	runtime.Channel
	worker.Source
	near     *local.Channel
	settings func(workspace, queue string) queue.Settings
}

func newHandover(far runtime.Channel, source worker.Source, settings func(workspace, queue string) queue.Settings) *handover {
	return &handover{Channel: far, Source: source, near: local.New(nil), settings: settings}
}

// Dispatch implements runtime.Channel.
func (h *handover) Dispatch(ctx context.Context, tasks []task.Task) error {
	near, far := h.split(tasks)
	if err := h.near.Dispatch(ctx, near); err != nil {
		return err
	}
	return h.Channel.Dispatch(ctx, far)
}

// Hand implements runtime.Prompt.
func (h *handover) Hand(tasks []task.Task) (landed func(context.Context) error, taken bool) {
	near, far := h.split(tasks)
	if len(far) > 0 {
		prompt, ok := h.Channel.(runtime.Prompt)
		if !ok {
			return nil, false
		}
		if landed, taken = prompt.Hand(far); !taken {
			return nil, false
		}
	}
	if len(near) > 0 {
		if _, taken = h.near.Hand(near); !taken {
			return func(ctx context.Context) error {
				if landed != nil {
					if err := landed(ctx); err != nil {
						return err
					}
				}
				return h.near.Dispatch(ctx, near)
			}, true
		}
	}
	return landed, true
}

// split parts the tasks that go the short way from the others.
func (h *handover) split(tasks []task.Task) (near, far []task.Task) {
	short := func(t task.Task) bool { return h.settings(t.Workspace, t.Queue).Handover == queue.HandoverLocal }
	if !slices.ContainsFunc(tasks, short) {
		return nil, tasks
	}
	for _, t := range tasks {
		if short(t) {
			t.Queue += nearSuffix
			near = append(near, t)
		} else {
			far = append(far, t)
		}
	}
	return near, far
}

// Results implements runtime.Channel.
func (h *handover) Results(ctx context.Context, shard int, deliver func(runtime.Delivered)) error {
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return h.near.Results(ctx, shard, deliver) })
	g.Go(func() error { return h.Channel.Results(ctx, shard, deliver) })
	return g.Wait()
}

// CancelTasks implements runtime.Channel.
func (h *handover) CancelTasks(workspace string, run uuid.UUID) {
	h.near.CancelTasks(workspace, run)
	h.Channel.CancelTasks(workspace, run)
}

// PauseQueue implements runtime.Pauser.
func (h *handover) PauseQueue(ctx context.Context, name string, paused bool) error {
	if err := h.near.PauseQueue(ctx, name+nearSuffix, paused); err != nil {
		return err
	}
	if p, ok := h.Channel.(runtime.Pauser); ok {
		return p.PauseQueue(ctx, name, paused)
	}
	return nil
}

// Queues implements worker.Source.
func (h *handover) Queues(ctx context.Context, found func(name string)) error {
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return h.near.Queues(ctx, found) })
	g.Go(func() error { return h.Source.Queues(ctx, found) })
	return g.Wait()
}

// Serve implements worker.Source.
func (h *handover) Serve(ctx context.Context, name string, d *worker.Desk) error {
	if strings.HasSuffix(name, nearSuffix) {
		return h.near.Serve(ctx, name, d)
	}
	return h.Source.Serve(ctx, name, d)
}

// Canceled implements worker.Source.
func (h *handover) Canceled(ctx context.Context, notify func(workspace, run string)) error {
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return h.near.Canceled(ctx, notify) })
	g.Go(func() error { return h.Source.Canceled(ctx, notify) })
	return g.Wait()
}
