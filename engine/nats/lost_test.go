package nats_test

import (
	"testing"
	"time"

	"signalbox/engine/nats"
	"signalbox/engine/task"
	"signalbox/engine/worker"
)

func TestStreamThatWasDeletedIsMadeAnewAndSaidToBeLost(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	b.own(t)
	b.dispatch(one(1, task.Normal), one(2, task.Normal))
	if err := b.jetstream().DeleteStream(t.Context(), "TASKS"); err != nil {
		t.Fatal(err)
	}
	select {
	case <-b.channel.Lost():
	case <-time.After(patience):
		t.Fatal("nobody was told that tasks are lost")
	}
	b.dispatch(one(1, task.Normal), one(2, task.Normal))
	b.work(worker.Config{Actions: actions(echo)})
	for range 2 {
		b.result().Settle()
	}
	b.until("the stream is empty", func() bool { return b.tasks() == 0 })
}

// A server whose disk failed keeps a stream that takes nothing and says
// nothing; one that must not acknowledge is as silent.
func TestStreamThatIsSilentIsMadeAnew(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	b.stop()
	b.open(nats.ChannelConfig{Queues: []string{"default"}, Fresh: true, Wait: 200 * time.Millisecond})
	b.own(t)
	s, err := b.jetstream().Stream(t.Context(), "TASKS")
	if err != nil {
		t.Fatal(err)
	}
	mute := s.CachedInfo().Config
	mute.NoAck = true
	if _, err := b.jetstream().UpdateStream(t.Context(), mute); err != nil {
		t.Fatal(err)
	}
	if err := b.channel.Dispatch(t.Context(), []task.Task{one(1, task.Normal)}); err == nil {
		t.Fatal("a task that nobody acknowledged counts as dispatched")
	}
	<-b.channel.Lost()
	b.work(worker.Config{Actions: actions(echo)})
	b.until("the new stream takes tasks", func() bool {
		return b.channel.Dispatch(t.Context(), []task.Task{one(2, task.Normal)}) == nil
	})
	b.result().Settle()
}

// A worker that was connected before goes on with the new stream.
func TestWorkerSurvivesALostStream(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	b.own(t)
	b.work(worker.Config{Actions: actions(echo)})
	b.dispatch(one(1, task.Normal))
	b.result().Settle()
	if err := b.jetstream().DeleteStream(t.Context(), "TASKS"); err != nil {
		t.Fatal(err)
	}
	<-b.channel.Lost()
	for n := range 5 {
		b.dispatch(one(10+n, task.Normal))
		b.result().Settle()
	}
}

func TestFreshServerForgetsTasksOfDeadWorkers(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	b.dispatch(one(1, task.Normal))
	if err := b.fetch("default", task.Normal); err != nil { // a worker that is about to die
		t.Fatal(err)
	}
	b.stop()
	b.open(nats.ChannelConfig{Queues: []string{"default"}, Fresh: true})
	b.own(t)
	b.work(worker.Config{Actions: actions(echo)})
	began := time.Now()
	b.dispatch(one(1, task.Normal)) // what the runtime owes
	b.result().Settle()
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("the task came after %s", took)
	}
}
