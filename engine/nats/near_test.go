package nats_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	client "github.com/nats-io/nats.go"

	"signalbox/engine/nats"
	"signalbox/engine/runtime"
	"signalbox/engine/task"
	"signalbox/engine/worker"
)

// A result for a shard that this process owns goes straight to its owner, and
// its worker hears that it is settled; for any other it goes over NATS.
func TestResultsOfThisProcessGoStraightToTheOwner(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	var overNATS atomic.Int32
	ear, err := client.Connect("", client.InProcessServer(b.server))
	if err != nil {
		t.Fatal(err)
	}
	defer ear.Close()
	_, err = ear.Subscribe("result.*", func(*client.Msg) { overNATS.Add(1) })
	if err != nil {
		t.Fatal(err)
	}
	if err := ear.Flush(); err != nil {
		t.Fatal(err)
	}
	work := b.connect()
	source := nats.NewSource(work)
	source.Near(b.channel)
	heard := make(chan bool, 1)
	desk := worker.NewDesk(1, func(j worker.Job) {
		j.Finish(&task.Result{Workspace: j.Task().Workspace, Run: j.Task().Run, Node: j.Task().Node, Visit: 1, Attempt: 1, Output: []byte(`1`)},
			func(used bool) { heard <- used })
	})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() { _ = source.Serve(ctx, "default", desk) }()
	go func() { _ = source.Canceled(ctx, func(string, string) {}) }()

	leave := b.own(t)
	b.dispatch(one(1, task.Normal))
	d := b.result()
	if d.Result.Run != one(1, task.Normal).Run || string(d.Result.Output) != `1` {
		t.Errorf("the owner got %+v", d.Result)
	}
	d.Unused()
	hears(t, heard, false)
	for _, flush := range []func() error{func() error { return work.Flush(t.Context()) }, ear.Flush} {
		if err := flush(); err != nil {
			t.Fatal(err)
		}
	}
	if n := overNATS.Load(); n != 0 {
		t.Errorf("%d results went over NATS, though the owner was here", n)
	}

	leave() // and nobody owns the shard: the result waits for the next owner
	b.dispatch(one(2, task.Normal))
	b.until("the result went over NATS", func() bool { return overNATS.Load() > 0 })
	b.own(t)
	for d = b.result(); d.Result.Run != one(2, task.Normal).Run; d = b.result() {
		d.Settle()
	}
	d.Settle()
	hears(t, heard, true)
}

func hears(t *testing.T, heard <-chan bool, want bool) {
	t.Helper()
	select {
	case used := <-heard:
		if used != want {
			t.Errorf("the worker heard that its result was used: %v", used)
		}
	case <-time.After(patience):
		t.Fatal("the worker did not hear that its result is settled")
	}
}

// What can be handed out without being waited for is; the rest is left to
// Dispatch.
func TestHandDoesNotWait(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	var prompt runtime.Prompt = b.channel
	landed, taken := prompt.Hand([]task.Task{one(1, task.Normal)})
	if !taken || landed == nil {
		t.Fatal("a task for a queue that is there was not taken")
	}
	if err := landed(t.Context()); err != nil {
		t.Errorf("it did not land: %v", err)
	}
	strange := one(2, task.Normal)
	strange.Queue = "never-seen"
	if _, taken = prompt.Hand([]task.Task{strange}); taken {
		t.Error("a queue was opened, which has to be waited for")
	}
	b.dispatch(strange)
	if _, taken = prompt.Hand([]task.Task{strange}); !taken {
		t.Error("now it is there")
	}
	b.engine.Close()
	if _, taken = prompt.Hand([]task.Task{one(3, task.Normal)}); taken {
		t.Error("a task was taken without a connection")
	}
}
