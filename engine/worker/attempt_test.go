package worker_test

import (
	"context"
	"encoding/json"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"signalbox/engine/task"
	"signalbox/engine/worker"
)

// single is a source with one task.
type single struct {
	task     task.Task
	extended atomic.Int32
	done     chan *task.Result
}

func (s *single) Queues(ctx context.Context, found func(string)) error {
	found(s.task.Queue)
	<-ctx.Done()
	return nil
}

func (s *single) Serve(ctx context.Context, _ string, d *worker.Desk) error {
	d.Start(s)
	<-ctx.Done()
	return nil
}

func (s *single) Canceled(ctx context.Context, _ func(workspace, run string)) error {
	<-ctx.Done()
	return nil
}

func (s *single) Live(string, string, []byte)              {}
func (s *single) Task() *task.Task                         { return &s.task }
func (s *single) Extend()                                  { s.extended.Add(1) }
func (s *single) Finish(r *task.Result, _ func(used bool)) { s.done <- r }
func (s *single) Return()                                  {}
func (s *single) Drop()                                    {}

// slow is a store that takes its time.
type slow struct {
	payloads
	wait time.Duration
}

func (s *slow) PutPayload(ctx context.Context, workspace, digest string, data []byte) error {
	time.Sleep(s.wait)
	return s.payloads.PutPayload(ctx, workspace, digest, data)
}

// Another worker gets a task that is silent for ten seconds: one whose output
// is being stored must not be.
func TestATaskIsKeptWhileItsOutputIsStored(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &single{task: task.Task{Workspace: "main", Run: "r", Node: "n", Kind: "mock", Queue: "default", Visit: 1, Attempt: 1}, done: make(chan *task.Result, 1)}
		p, err := worker.New(worker.Config{
			Source: s, Payloads: &slow{wait: 25 * time.Second},
			Actions: map[string]worker.Action{"mock": act(func(context.Context, worker.Call) (json.RawMessage, error) {
				return json.RawMessage(`"` + strings.Repeat("x", 300<<10) + `"`), nil
			})},
		})
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		over := make(chan error, 1)
		go func() { over <- p.Run(ctx) }()
		r := <-s.done
		if n := s.extended.Load(); n < 6 || r.OutputRef == nil {
			t.Errorf("the task was extended %d times in 25 s, want each 3 s; result: %v %v", n, r.OutputRef, r.Error)
		}
		stop()
		if err := <-over; err != nil {
			t.Error(err)
		}
	})
}
