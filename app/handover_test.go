package app

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/google/uuid"

	"signalbox/engine/queue"
	"signalbox/engine/runtime"
	"signalbox/engine/task"
	"signalbox/engine/worker"
	"signalbox/engine/worker/local"
)

// A queue that is set to it takes the short way; the results of both come back.
func TestQueuesTakeTheWayThatTheyAreSetTo(t *testing.T) {
	t.Parallel()
	far := local.New(nil)
	h := newHandover(far, far, func(_, name string) queue.Settings {
		return map[string]queue.Settings{"near": {Handover: queue.HandoverLocal}}[name]
	})
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel()
	results := make(chan string, 10)
	wg.Go(func() {
		_ = h.Results(ctx, 0, func(d runtime.Delivered) { d.Settle(); results <- d.Result.Run })
	})
	var tasks []task.Task
	for i, name := range []string{"far", "near", "far", "near"} {
		tasks = append(tasks, task.Task{Workspace: "main", Run: uuid.NewSHA1(uuid.Nil, fmt.Append(nil, i)).String(), Node: "a", Visit: 1, Attempt: 1, Queue: name})
	}
	if err := h.Dispatch(ctx, tasks); err != nil {
		t.Fatal(err)
	}
	if far.Held() != 2 || h.near.Held() != 2 {
		t.Errorf("%d tasks went far and %d near, want two each", far.Held(), h.near.Held())
	}
	if err := h.Dispatch(ctx, tasks); err != nil || far.Held() != 2 || h.near.Held() != 2 {
		t.Errorf("a second dispatch was not absorbed: %d and %d (%v)", far.Held(), h.near.Held(), err)
	}
	landed, taken := h.Hand(tasks)
	if !taken || landed != nil || far.Held() != 2 || h.near.Held() != 2 {
		t.Errorf("handed out: %v, held %d and %d", taken, far.Held(), h.near.Held())
	}
	wg.Go(func() {
		_ = h.Queues(ctx, func(name string) {
			d := worker.NewDesk(1, func(j worker.Job) {
				j.Finish(&task.Result{Workspace: "main", Run: j.Task().Run, Node: "a", Visit: 1, Attempt: 1}, func(bool) {})
			})
			wg.Go(func() { _ = h.Serve(ctx, name, d) })
		})
	})
	seen := map[string]bool{}
	for len(seen) < len(tasks) {
		seen[<-results] = true
	}
	h.CancelTasks("main", uuid.MustParse(tasks[0].Run))
}
