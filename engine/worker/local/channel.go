// Package local hands tasks straight to the workers of the same process: no
// network, no copy. It is the channel of tests, of the memory mode and of
// queues that are set to local hand-over.
//
// Like every channel it may lose all that it holds, at the latest when the
// process ends; the runtime then issues again what is owed.
package local

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"signalbox/engine/problem"
	"signalbox/engine/runtime"
	"signalbox/engine/task"
	"signalbox/engine/watch"
	"signalbox/engine/worker"
)

// heldMax is how many tasks may be under way; more are refused until some are
// settled.
const heldMax = 200_000

// Channel carries tasks and results inside the process.
type Channel struct {
	show func(watch.Frame)
	lost chan struct{}

	mu      sync.Mutex
	held    map[key]*job      // not settled
	byRun   map[string][]*job // the same
	queues  map[string]*queue
	found   []chan string                   // who wants to hear of new queues
	cancels []*func(workspace, run string)  // workers
	owners  map[int]func(runtime.Delivered) // by shard
}

var (
	_ runtime.Channel = (*Channel)(nil)
	_ runtime.Prompt  = (*Channel)(nil)
	_ worker.Source   = (*Channel)(nil)
)

// New makes a channel; show, which may be nil, gets traces and live briefs
// and must not block.
func New(show func(watch.Frame)) *Channel {
	if show == nil {
		show = func(watch.Frame) {}
	}
	return &Channel{
		show: show, lost: make(chan struct{}, 1), held: map[key]*job{}, byRun: map[string][]*job{},
		queues: map[string]*queue{}, owners: map[int]func(runtime.Delivered){},
	}
}

// key names an attempt.
type key struct {
	run            string
	scope          int
	node           string
	visit, attempt int
}

// job is a task that is not settled. It is a worker.Job.
type job struct {
	c      *Channel
	task   task.Task
	came   time.Time
	result *task.Result // when it is done
	told   func(bool)   // when it is settled; may be nil
	gone   atomic.Bool  // nobody wants it any more
	at     int          // its place among the tasks of its run
}

func (j *job) key() key {
	return key{j.task.Run, j.task.Scope, j.task.Node, j.task.Visit, j.task.Attempt}
}

// Dispatch implements runtime.Channel.
func (c *Channel) Dispatch(_ context.Context, tasks []task.Task) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.held)+len(tasks) > heldMax {
		return problem.New(problem.TooMany, "%d tasks are under way, which is the limit.", heldMax)
	}
	now := time.Now() //nolint:forbidigo // for figures, not for a decision
	for i := range tasks {
		j := &job{c: c, task: tasks[i], came: now}
		k := j.key()
		if c.held[k] != nil {
			continue // dispatched before: absorbed
		}
		c.held[k] = j
		j.at = len(c.byRun[k.run])
		c.byRun[k.run] = append(c.byRun[k.run], j)
		c.queue(j.task.Queue).push(j)
	}
	return nil
}

// Hand implements runtime.Prompt: nothing here has to be waited for.
func (c *Channel) Hand(tasks []task.Task) (landed func(context.Context) error, taken bool) {
	return nil, c.Dispatch(context.Background(), tasks) == nil
}

// queue finds or makes a queue; the lock is held.
func (c *Channel) queue(name string) *queue {
	q := c.queues[name]
	if q == nil {
		q = &queue{desks: map[*worker.Desk]chan struct{}{}}
		c.queues[name] = q
		for _, f := range c.found {
			f <- name // it has room for as many as there can be, see Queues
		}
	}
	return q
}

// Results implements runtime.Channel. Results that came while the shard had no
// owner, and those that the owner before did not settle, come first.
func (c *Channel) Results(ctx context.Context, shard int, deliver func(runtime.Delivered)) error {
	c.mu.Lock()
	c.owners[shard] = deliver
	var again []*job
	for _, j := range c.held {
		if j.result != nil && j.task.Shard == shard {
			again = append(again, j)
		}
	}
	c.mu.Unlock()
	for _, j := range again {
		deliver(runtime.Delivered{Result: *j.result, Settle: j.settle, Unused: j.unused})
	}
	<-ctx.Done()
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.owners, shard)
	return nil
}

// Trace implements runtime.Channel.
func (c *Channel) Trace(workspace string, run uuid.UUID, briefs []byte) {
	c.show(watch.Frame{Workspace: workspace, Run: run.String(), Briefs: briefs})
}

// Live implements worker.Source.
func (c *Channel) Live(workspace, run string, briefs []byte) {
	c.show(watch.Frame{Live: true, Workspace: workspace, Run: run, Briefs: briefs})
}

// CancelTasks implements runtime.Channel: what waits is taken out, what is at
// work is told.
func (c *Channel) CancelTasks(workspace string, run uuid.UUID) {
	id := run.String()
	c.mu.Lock()
	jobs := c.byRun[id]
	delete(c.byRun, id)
	for _, j := range jobs {
		delete(c.held, j.key())
		j.gone.Store(true)
	}
	cancels := make([]func(workspace, run string), 0, len(c.cancels))
	for _, notify := range c.cancels {
		cancels = append(cancels, *notify)
	}
	c.mu.Unlock()
	if len(jobs) == 0 {
		return
	}
	for _, cancel := range cancels {
		cancel(workspace, id)
	}
}

// Lost implements runtime.Channel.
func (c *Channel) Lost() <-chan struct{} { return c.lost }

// Forget drops everything, as a channel may at any time, and says so.
func (c *Channel) Forget() {
	c.mu.Lock()
	for _, j := range c.held {
		j.gone.Store(true)
	}
	clear(c.held)
	clear(c.byRun)
	c.mu.Unlock()
	select {
	case c.lost <- struct{}{}:
	default:
	}
}

// Held is how many tasks are not settled.
func (c *Channel) Held() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.held)
}

// Task implements worker.Job.
func (j *job) Task() *task.Task { return &j.task }

// Extend implements worker.Job: nothing is handed out twice here.
func (j *job) Extend() {}

// Finish implements worker.Job.
func (j *job) Finish(r *task.Result, settled func(used bool)) {
	j.c.mu.Lock()
	j.result, j.told = r, settled
	deliver := j.c.owners[j.task.Shard]
	wanted := j.c.held[j.key()] == j
	j.c.mu.Unlock()
	switch {
	case !wanted:
		j.unused() // nobody does any more
	case deliver != nil:
		deliver(runtime.Delivered{Result: *r, Settle: j.settle, Unused: j.unused})
	}
}

// Return implements worker.Job.
func (j *job) Return() {
	j.c.mu.Lock()
	defer j.c.mu.Unlock()
	if j.c.held[j.key()] == j {
		j.c.queue(j.task.Queue).push(j)
	}
}

// Drop implements worker.Job.
func (j *job) Drop() { j.settle() }

// settle forgets the task and says so.
func (j *job) settle() { j.over(true) }

// unused is settle for a result that changed nothing.
func (j *job) unused() { j.over(false) }

func (j *job) over(used bool) {
	if told := j.forget(); told != nil {
		told(used)
	}
}

func (j *job) forget() (told func(bool)) {
	c := j.c
	c.mu.Lock()
	defer c.mu.Unlock()
	told, j.told = j.told, nil
	k := j.key()
	if c.held[k] != j {
		return told
	}
	delete(c.held, k)
	list := c.byRun[k.run]
	last := len(list) - 1
	list[j.at], list[last].at = list[last], j.at
	list[last] = nil
	list = list[:last]
	if len(list) == 0 {
		delete(c.byRun, k.run)
	} else {
		c.byRun[k.run] = list
	}
	return told
}

// Queues implements worker.Source.
func (c *Channel) Queues(ctx context.Context, found func(queue string)) error {
	const queuesMax = 10_000
	c.mu.Lock()
	more := make(chan string, queuesMax)
	for name := range c.queues {
		more <- name
	}
	c.found = append(c.found, more)
	c.mu.Unlock()
	for {
		select {
		case name := <-more:
			found(name)
		case <-ctx.Done():
			c.mu.Lock()
			defer c.mu.Unlock()
			c.found = slices.DeleteFunc(c.found, func(f chan string) bool { return f == more })
			return nil
		}
	}
}

// Canceled implements worker.Source.
func (c *Channel) Canceled(ctx context.Context, notify func(workspace, run string)) error {
	c.mu.Lock()
	c.cancels = append(c.cancels, &notify)
	c.mu.Unlock()
	<-ctx.Done()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.cancels = slices.DeleteFunc(c.cancels, func(f *func(workspace, run string)) bool { return f == &notify })
	return nil
}

// Serve implements worker.Source. What comes while nothing waits and a slot is
// free starts at once; this is for the rest.
func (c *Channel) Serve(ctx context.Context, name string, d *worker.Desk) error {
	c.mu.Lock()
	q := c.queue(name)
	c.mu.Unlock()
	wake := q.listen(d)
	defer q.leave(d)
	for {
		d.Await(false)
		for ctx.Err() == nil && q.serve(d) {
		}
		select {
		case <-ctx.Done():
			return nil
		case <-wake:
		case <-d.Freed():
		}
	}
}
