package nats_test

import (
	"testing"

	"signalbox/engine/task"
	"signalbox/engine/worker"
)

func TestPausedQueueKeepsItsTasksUntilItIsResumed(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	b.own(t)
	if err := b.channel.PauseQueue(t.Context(), "default", true); err != nil {
		t.Fatal(err)
	}
	other := one(2, task.Normal)
	other.Queue = "other"
	b.work(worker.Config{Actions: actions(echo)})
	b.dispatch(one(1, task.Critical), other)
	d := b.result()
	if d.Result.Run != other.Run {
		t.Fatal("a paused queue handed its task out")
	}
	d.Settle()
	b.until("only the paused task is there", func() bool { return b.tasks() == 1 })
	for range 2 { // twice changes nothing
		if err := b.channel.PauseQueue(t.Context(), "default", false); err != nil {
			t.Fatal(err)
		}
	}
	if d := b.result(); d.Result.Run != one(1, 0).Run {
		t.Errorf("got the result of %s", d.Result.Run)
	}
}
