package local_test

import (
	"context"
	"fmt"
	gort "runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"signalbox/engine/runtime"
	"signalbox/engine/task"
	"signalbox/engine/worker"
	"signalbox/engine/worker/local"
)

func one(n, priority int) task.Task {
	return task.Task{Workspace: "main", Run: uuid.NewSHA1(uuid.Nil, fmt.Append(nil, n)).String(), Node: "a", Visit: 1, Attempt: 1, Queue: "default", Priority: priority}
}

// serve starts a desk; its jobs come out of the channel.
func serve(t *testing.T, c *local.Channel, slots int) (jobs chan worker.Job, release chan struct{}) {
	t.Helper()
	jobs, release = make(chan worker.Job), make(chan struct{})
	d := worker.NewDesk(slots, func(j worker.Job) { jobs <- j; <-release })
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := c.Serve(ctx, "default", d); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(func() { cancel(); wg.Wait() })
	return jobs, release
}

// own receives the results of shard 0.
func own(t *testing.T, c *local.Channel) (results chan runtime.Delivered, stop func()) {
	t.Helper()
	results = make(chan runtime.Delivered, 100)
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() { _ = c.Results(ctx, 0, func(d runtime.Delivered) { results <- d }) })
	stop = sync.OnceFunc(func() { cancel(); wg.Wait() })
	t.Cleanup(stop)
	return results, stop
}

func dispatch(t *testing.T, c *local.Channel, tasks ...task.Task) {
	t.Helper()
	if err := c.Dispatch(t.Context(), tasks); err != nil {
		t.Fatal(err)
	}
}

func TestMostUrgentFirst(t *testing.T) {
	t.Parallel()
	c := local.New(nil)
	var want []int
	for n, prio := range []int{3, 2, 0, 1, 3, 1, 0, 2, 2, 0} {
		dispatch(t, c, one(n, prio))
		want = append(want, prio)
	}
	slices.Sort(want)
	jobs, release := serve(t, c, 1)
	var got []int
	for range want {
		got = append(got, (<-jobs).Task().Priority)
		release <- struct{}{}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestSecondDispatchIsAbsorbedUntilSettled(t *testing.T) {
	t.Parallel()
	c := local.New(nil)
	results, _ := own(t, c)
	dispatch(t, c, one(1, 0), one(1, 0))
	jobs, release := serve(t, c, 4)
	j := <-jobs
	dispatch(t, c, one(1, 0))
	j.Finish(&task.Result{Run: j.Task().Run}, nil)
	close(release)
	d := <-results
	if c.Held() != 1 {
		t.Errorf("%d tasks are held before the result is settled, want 1", c.Held())
	}
	d.Settle()
	d.Settle()
	if c.Held() != 0 {
		t.Errorf("%d tasks are held, want none", c.Held())
	}
}

func TestResultsWaitForAnOwner(t *testing.T) {
	t.Parallel()
	c := local.New(nil)
	dispatch(t, c, one(1, 0))
	jobs, release := serve(t, c, 1)
	j := <-jobs
	j.Finish(&task.Result{Run: j.Task().Run}, nil)
	close(release)
	results, stop := own(t, c)
	<-results // and the owner dies before it settles
	stop()
	results, _ = own(t, c)
	(<-results).Settle()
	if c.Held() != 0 {
		t.Errorf("%d tasks are held, want none", c.Held())
	}
}

func TestReturnedTaskGoesOutAgain(t *testing.T) {
	t.Parallel()
	c := local.New(nil)
	dispatch(t, c, one(1, 0))
	jobs, release := serve(t, c, 1)
	(<-jobs).Return()
	release <- struct{}{}
	(<-jobs).Drop()
	close(release)
	if c.Held() != 0 {
		t.Errorf("%d tasks are held, want none", c.Held())
	}
}

func TestForgottenTasksAreSaidToBeLost(t *testing.T) {
	t.Parallel()
	c := local.New(nil)
	dispatch(t, c, one(1, 0), one(2, 0))
	c.Forget()
	<-c.Lost()
	dispatch(t, c, one(1, 0))
	jobs, release := serve(t, c, 2)
	if got := (<-jobs).Task().Run; got != one(1, 0).Run {
		t.Errorf("got run %s", got)
	}
	close(release)
	if c.Held() != 1 {
		t.Errorf("%d tasks are held, want 1", c.Held())
	}
}

func TestTooManyTasksAreRefused(t *testing.T) {
	t.Parallel()
	c := local.New(nil)
	list := make([]task.Task, 200_001)
	for i := range list {
		list[i] = task.Task{Run: "r", Node: "n", Visit: i}
	}
	if err := c.Dispatch(t.Context(), list); err == nil || c.Held() != 0 {
		t.Errorf("%v, %d held: want a refusal of all", err, c.Held())
	}
}

// Tasks that come while a slot is free start at once, but never more than there
// are slots, and never before one that waits.
func TestTasksStartAtOnceWhileSlotsAreFree(t *testing.T) {
	t.Parallel()
	const slots, senders, each = 3, 8, 200
	c := local.New(nil)
	results, _ := own(t, c)
	var busy, most atomic.Int32
	d := worker.NewDesk(slots, func(j worker.Job) {
		n := busy.Add(1)
		for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
		}
		gort.Gosched()
		busy.Add(-1)
		j.Finish(&task.Result{Workspace: "main", Run: j.Task().Run}, nil)
	})
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() { _ = c.Serve(ctx, "default", d) })
	defer wg.Wait()
	defer cancel()
	for s := range senders {
		wg.Go(func() {
			for n := range each {
				dispatch(t, c, one(s*each+n, task.Normal))
			}
		})
	}
	for range senders * each {
		(<-results).Settle()
	}
	if got := most.Load(); got < 1 || got > slots || c.Held() != 0 {
		t.Errorf("%d were at work at once, %d are held", got, c.Held())
	}
}
