package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"signalbox/engine/runtime"
	"signalbox/engine/task"
	"signalbox/engine/worker/action"
	"signalbox/engine/worker/local"
)

// clumsy is a channel that in turn takes tasks at once, takes them and lets
// them fall, and does not take them.
type clumsy struct {
	*local.Channel
	n                       atomic.Int64
	took, fell, left, later atomic.Int64
}

func (c *clumsy) Hand(tasks []task.Task) (landed func(context.Context) error, taken bool) {
	switch c.n.Add(1) % 4 {
	case 0:
		c.left.Add(1)
		return nil, false
	case 1:
		c.fell.Add(1)
		return func(context.Context) error { return errors.New("they fell") }, true
	case 2:
		c.later.Add(1)
		return func(ctx context.Context) error { return c.Dispatch(ctx, tasks) }, true
	default:
		c.took.Add(1)
		return c.Channel.Hand(tasks)
	}
}

// Tasks go out whether the channel takes them at once, later, or lets them fall.
func TestTasksGoOutHoweverTheChannelTakesThem(t *testing.T) {
	t.Parallel()
	c := &clumsy{}
	w := openAs(t, 0, chain, action.Mock{}, func(cfg *runtime.Config) {
		c.Channel = cfg.Channel.(*local.Channel) //nolint:forcetypeassert // that of serve
		cfg.Channel = c
	})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for i := range 6 { // one after the other: only a run that is alone is handed out at once
		s, err := w.start(ctx, fmt.Sprintf(`{"n":%d}`, i), "", runtime.WaitEnd)
		if err != nil || s.Answer == nil || s.Answer.Run != "succeeded" {
			t.Fatalf("run %d: %+v %v", i, s, err)
		}
		w.check(t, s.Run)
	}
	if c.took.Load() == 0 || c.fell.Load() == 0 || c.left.Load() == 0 || c.later.Load() == 0 {
		t.Errorf("not every way was gone: %d taken, %d fell, %d left, %d taken later", c.took.Load(), c.fell.Load(), c.left.Load(), c.later.Load())
	}
}
