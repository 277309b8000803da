package runtime

import (
	"context"

	"signalbox/engine/task"
)

// outgoing is tasks on their way to the channel.
type outgoing struct {
	tasks  []task.Task
	landed func(context.Context) error // it has them in hand already; nil: not yet
}

// send hands tasks out: a few by itself, when nothing is before them and the
// channel need not be waited for, else by the dispatcher. Each wake-up that is
// spared counts: a run that is alone spends most of its time with them.
func (s *shard) send(ctx context.Context, tasks []task.Task) {
	p := outgoing{tasks: tasks}
	if prompt, ok := s.cfg.Channel.(Prompt); ok && len(tasks) <= inlineMax && s.sending.Load() == 0 {
		if p.tasks = s.gate.wanted(tasks); len(p.tasks) == 0 {
			return
		}
		landed, taken := prompt.Hand(p.tasks)
		if taken && landed == nil {
			return
		}
		p.landed = landed
	}
	s.post(ctx, p)
}

// post leaves tasks to the dispatcher.
func (s *shard) post(ctx context.Context, p outgoing) {
	s.sending.Add(1)
	select {
	case s.tasks <- p:
	case <-ctx.Done(): // recovered at the next start
		s.sending.Add(-1)
	}
}

// dispatcher hands tasks to the channel, again and again until it takes them:
// they are committed, so they must go out.
func (s *shard) dispatcher(ctx context.Context) {
	for {
		select {
		case p := <-s.tasks:
			s.dispatch(ctx, p)
			s.sending.Add(-1)
		case <-ctx.Done():
			return
		}
	}
}

func (s *shard) dispatch(ctx context.Context, p outgoing) {
	for wait := backoffMin; ; wait = min(2*wait, backoffMax) {
		var err error
		if p.landed != nil {
			err, p.landed = p.landed(ctx), nil
		} else if p.tasks = s.gate.wanted(p.tasks); len(p.tasks) > 0 {
			err = s.cfg.Channel.Dispatch(ctx, p.tasks)
		}
		if err == nil || ctx.Err() != nil {
			return
		}
		s.cfg.Log.WarnContext(ctx, "tasks not dispatched yet", "shard", s.n, "count", len(p.tasks), "err", err)
		pause(ctx, wait)
	}
}
