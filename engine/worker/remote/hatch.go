package remote

import (
	"context"
	"time"

	"signalbox/engine/problem"
	"signalbox/engine/worker"
)

// hatch is a queue that is served because workers have asked for it. The
// office's lock guards it.
type hatch struct {
	workspace string
	asked     time.Time          // for the last time
	stop      context.CancelFunc // ends the serving; nil: it has not begun
	closing   bool
}

// source is the channel's source of tasks, of which only those queues are
// served that somebody has asked for.
type source struct {
	worker.Source
	office *Office
}

// Queues implements worker.Source.
func (s source) Queues(ctx context.Context, found func(queue string)) error {
	for {
		select {
		case queue := <-s.office.want:
			found(queue)
		case <-ctx.Done():
			return nil
		}
	}
}

// Serve implements worker.Source. It ends before the context does when the
// queue has to make room for others.
func (s source) Serve(ctx context.Context, queue string, d *worker.Desk) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	s.office.mu.Lock()
	if h := s.office.asked[queue]; h != nil {
		h.stop = stop
	}
	s.office.mu.Unlock()
	return s.Source.Serve(ctx, queue, d) //nolint:wrapcheck // the pool names the queue
}

// serve sees to it that a queue is served. Where too many are, one that nobody
// asks for any more makes room. The lock is held.
func (o *Office) serve(workspace, queue string) error {
	now := o.cfg.Now()
	if h := o.asked[queue]; h != nil {
		h.asked = now
		return nil
	}
	all, own := 0, 0
	for _, h := range o.asked {
		if !h.closing {
			all++
			if h.workspace == workspace {
				own++
			}
		}
	}
	switch {
	case own >= queuesOwn && !o.makeRoom(now, workspace):
		return problem.New(problem.TooMany, "This server hands out tasks of %d types and locations of this workspace already, which is the limit.", queuesOwn)
	case own < queuesOwn && all >= queuesMax && !o.makeRoom(now, ""):
		return problem.New(problem.TooMany, "This server hands out tasks of %d types and locations already, which is the limit.", queuesMax)
	}
	if !o.open(workspace, queue) {
		return problem.New(problem.Unavailable, "This server opens too many queues at once; ask again in a moment.")
	}
	return nil
}

// open has a queue served; false: too many wait for that. The lock is held.
func (o *Office) open(workspace, queue string) bool {
	select {
	case o.want <- queue:
		o.asked[queue] = &hatch{workspace: workspace, asked: o.cfg.Now()}
		return true
	default:
		return false
	}
}

// makeRoom closes the queue that nobody has asked for longest, of a workspace
// or of all; false: all are in use. The lock is held.
func (o *Office) makeRoom(now time.Time, workspace string) bool {
	var idle *hatch
	for queue, h := range o.asked {
		switch {
		case h.closing || h.stop == nil || workspace != "" && h.workspace != workspace:
		case len(o.takers[queue]) > 0 || len(o.waiting[queue]) > 0 || now.Sub(h.asked) < queueIdle:
		case idle == nil || h.asked.Before(idle.asked):
			idle = h
		}
	}
	if idle == nil {
		return false
	}
	idle.closing = true
	idle.stop()
	return true
}

func (o *Office) opened(queue string, d *worker.Desk) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.desks[queue] = d
}

// shut is told when a queue is not served any more. Who has asked for it
// meanwhile has it opened again.
func (o *Office) shut(queue string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	h := o.asked[queue]
	delete(o.desks, queue)
	delete(o.asked, queue)
	if h != nil && len(o.takers[queue]) > 0 {
		o.open(h.workspace, queue)
	}
}
