package nats

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/google/uuid"
	client "github.com/nats-io/nats.go"

	"signalbox/engine/runtime"
	"signalbox/engine/task"
	"signalbox/engine/watch"
)

var errNotConnected = errors.New("there is no connection to NATS")

const (
	dispatchWait = 5 * time.Second  // usual value of Wait: twice of it is more than a cluster needs for a new leader
	checkEvery   = 10 * time.Second // whether the streams are still there
	purgesMax    = 1_024            // runs whose tasks wait to be taken out
)

// ChannelConfig is what a Channel is made of.
type ChannelConfig struct {
	Queues   []string // served from the start; others appear with their first task
	Replicas int      // of the streams; 0 is 1
	// Wait for the server's word on a batch of tasks; 0 is 5 s. After it the
	// stream gets twice as long to say that it works.
	Wait time.Duration
	// Silence of a worker after which its task goes to another; 0 is 10 s.
	Silence time.Duration
	// Fresh: no worker outlived the server, as with an embedded one. What the
	// stream still holds is on its way to workers that are gone and would wait
	// for their silence to be noticed; it is thrown away, and the runtime
	// issues it again.
	Fresh bool
	// Watch takes the traces of runs, when everybody who watches is in this
	// process; nil: they are published.
	Watch func(watch.Frame)
}

// Channel implements runtime.Channel.
type Channel struct {
	conn   *Conn
	cfg    ChannelConfig
	lost   chan struct{}
	kick   chan struct{} // look after the streams now
	silent chan struct{} // the same, and whether they take anything
	purges chan purge
	bills  *bills

	acks    string // prefix of reply subjects
	mu      sync.Mutex
	next    int
	flights map[string]*flight              // by reply subject
	queues  map[string]bool                 // that have consumers
	flying  map[string]*underway            // tasks that are not settled, by run
	made    time.Time                       // of TASKS
	owners  map[int]func(runtime.Delivered) // who takes results in this process, by shard
}

var (
	_ runtime.Channel = (*Channel)(nil)
	_ runtime.Prompt  = (*Channel)(nil)
)

// purge names a run whose tasks nobody wants any more.
type purge struct{ workspace, run string }

// flight is a batch of tasks on its way to the server.
type flight struct {
	left int
	err  error
	done chan struct{}
}

// NewChannel makes the streams, as soon as there is a server, and returns the
// engine's end of the channel. Run has to be called too.
func NewChannel(ctx context.Context, conn *Conn, cfg ChannelConfig) (*Channel, error) {
	if cfg.Wait == 0 {
		cfg.Wait = dispatchWait
	}
	c := &Channel{
		bills: newBills(conn),
		conn:  conn, cfg: cfg, lost: make(chan struct{}, 1), kick: make(chan struct{}, 1), silent: make(chan struct{}, 1), purges: make(chan purge, purgesMax),
		acks: client.NewInbox() + ".", flights: map[string]*flight{}, queues: map[string]bool{}, flying: map[string]*underway{}, owners: map[int]func(runtime.Delivered){},
	}
	for _, q := range cfg.Queues {
		c.queues[q] = true
	}
	if err := c.open(ctx); err != nil {
		return nil, err
	}
	sub, err := conn.nc.Subscribe(c.acks+"*", c.acknowledged)
	if err == nil {
		err = sub.SetPendingLimits(pendingMax, pendingBytes)
	}
	if err != nil {
		return nil, fmt.Errorf("listen to acknowledgements: %w", err)
	}
	return c, nil
}

// open makes the streams for the first time. A server elsewhere that is not
// there yet is waited for by Run; until then nothing is dispatched.
func (c *Channel) open(ctx context.Context) error {
	err := c.tend(ctx)
	if err != nil && !c.cfg.Fresh && ctx.Err() == nil {
		c.conn.note("the streams are not there yet", err)
		signal(c.kick)
		return nil
	}
	if err != nil || !c.cfg.Fresh {
		return err
	}
	s, err := c.conn.js.Stream(ctx, streamTasks)
	if err == nil {
		err = s.Purge(ctx)
	}
	if err != nil {
		return fmt.Errorf("empty stream %s: %w", streamTasks, err)
	}
	return nil
}

// Run looks after the streams until the context ends: what was deleted is made
// anew, and the runtime hears of it.
func (c *Channel) Run(ctx context.Context) error {
	back, stop := c.conn.back()
	defer stop()
	gone, err := c.conn.subscribe("$JS.EVENT.ADVISORY.STREAM.DELETED."+streamTasks, func(*client.Msg) { signal(c.kick) })
	if err != nil {
		return err
	}
	defer gone()
	tick := time.NewTicker(checkEvery) //nolint:forbidigo // a check, not a decision
	defer tick.Stop()
	for {
		again := false
		select {
		case <-ctx.Done():
			return nil
		case <-back:
			again = true
		case <-c.kick:
		case <-c.silent:
			c.replace(ctx)
		case <-tick.C:
		case p := <-c.purges:
			c.purge(ctx, p)
			continue
		}
		before := c.made
		if err := c.tend(ctx); err != nil {
			if ctx.Err() == nil {
				c.conn.note("the streams cannot be looked after", err)
			}
			again = false
		}
		if again || !before.Equal(c.made) {
			c.conn.cfg.Log.WarnContext(ctx, "tasks may have been lost, they are issued again")
			signal(c.lost)
		}
	}
}

// tend makes streams and consumers that are missing.
func (c *Channel) tend(ctx context.Context) error {
	if !c.conn.nc.IsConnected() {
		return errNotConnected
	}
	ctx, cancel := context.WithTimeout(ctx, apiWait)
	defer cancel()
	made, err := c.conn.ensureStreams(ctx, streams(max(1, c.cfg.Replicas), c.cfg.Fresh), !c.made.IsZero())
	if err != nil {
		return err
	}
	there, err := c.conn.consumers(ctx)
	if err != nil {
		return err
	}
	c.mu.Lock()
	var missing []string
	for q := range c.queues {
		if there[q] < lanes {
			missing = append(missing, q)
		}
	}
	c.mu.Unlock()
	for _, q := range missing {
		if err := c.openQueue(ctx, q); err != nil {
			return err
		}
	}
	c.made = made
	return nil
}

// replace throws a stream away that takes nothing any more. What it held is
// issued again.
func (c *Channel) replace(ctx context.Context) {
	ok, err := c.conn.works(ctx, 2*c.cfg.Wait)
	if err == nil && !ok {
		c.conn.cfg.Log.ErrorContext(ctx, "a stream takes nothing and is made anew", "stream", streamTasks)
		err = c.conn.js.DeleteStream(ctx, streamTasks)
	}
	if err != nil && ctx.Err() == nil {
		c.conn.note("a stream that is silent cannot be looked after", err)
	}
}

// openQueue makes a queue's consumers and tells the workers.
func (c *Channel) openQueue(ctx context.Context, queue string) error {
	if err := c.conn.ensureQueue(ctx, queue, cmp.Or(c.cfg.Silence, ackWait)); err != nil {
		return err
	}
	if err := c.conn.nc.Publish("control.queue."+token(queue), nil); err != nil {
		return fmt.Errorf("announce queue %s: %w", queue, err)
	}
	return nil
}

// Dispatch implements runtime.Channel. It returns when the server holds every
// task; a task that it holds already counts as taken.
func (c *Channel) Dispatch(ctx context.Context, tasks []task.Task) error {
	if len(tasks) == 0 {
		return nil
	}
	if !c.conn.nc.IsConnected() {
		return errNotConnected
	}
	if err := c.newQueues(ctx, tasks); err != nil {
		return err
	}
	return c.publish(tasks)(ctx)
}

// Hand implements runtime.Prompt, with a server in this process: another one
// may leave a publisher waiting.
func (c *Channel) Hand(tasks []task.Task) (landed func(context.Context) error, taken bool) {
	if c.conn.cfg.InProcess == nil || !c.conn.nc.IsConnected() {
		return nil, false
	}
	c.mu.Lock()
	for i := range tasks {
		if !c.queues[tasks[i].Queue] {
			c.mu.Unlock()
			return nil, false
		}
	}
	c.mu.Unlock()
	return c.publish(tasks), true
}

// publish sends tasks to the server and returns what waits until it holds them.
func (c *Channel) publish(tasks []task.Task) (landed func(context.Context) error) {
	reply, f := c.board(tasks)
	if err := c.sendTasks(tasks, reply); err != nil {
		c.land(reply)
		return func(context.Context) error { return err }
	}
	n := len(tasks)
	return func(ctx context.Context) error {
		defer c.land(reply)
		return c.await(ctx, f, n)
	}
}

func (c *Channel) sendTasks(tasks []task.Task, reply string) error {
	var subject, data []byte
	for i := range tasks {
		var err error
		if data, err = tasks[i].Encode(data[:0]); err != nil {
			return fmt.Errorf("encode a task of run %s: %w", tasks[i].Run, err)
		}
		subject = taskSubject(subject[:0], &tasks[i])
		if err := c.conn.nc.PublishRequest(string(subject), reply, data); err != nil {
			return fmt.Errorf("publish a task of run %s: %w", tasks[i].Run, err)
		}
	}
	return nil
}

// await waits for the server's word on n tasks.
func (c *Channel) await(ctx context.Context, f *flight, n int) error {
	limit := time.NewTimer(c.cfg.Wait) //nolint:forbidigo // a time limit
	defer limit.Stop()
	select {
	case <-f.done:
		if f.err != nil {
			signal(c.kick)
		}
		return f.err
	case <-limit.C:
		signal(c.silent)
		return fmt.Errorf("NATS did not take %d tasks within %s", n, c.cfg.Wait)
	case <-ctx.Done():
		return ctx.Err()
	}
}

// newQueues opens queues that no task has named before.
func (c *Channel) newQueues(ctx context.Context, tasks []task.Task) error {
	for i := range tasks {
		q := tasks[i].Queue
		c.mu.Lock()
		known := c.queues[q]
		c.mu.Unlock()
		if known {
			continue
		}
		open, cancel := context.WithTimeout(ctx, apiWait)
		err := c.openQueue(open, q)
		cancel()
		if err != nil {
			return err
		}
		c.mu.Lock()
		c.queues[q] = true
		c.mu.Unlock()
	}
	return nil
}

// board registers a batch and its tasks.
func (c *Channel) board(tasks []task.Task) (reply string, f *flight) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.next++
	reply = c.acks + strconv.Itoa(c.next)
	f = &flight{left: len(tasks), done: make(chan struct{})}
	c.flights[reply] = f
	for i := range tasks {
		t := &tasks[i]
		r := ref{t.Scope, t.Node, t.Visit, t.Attempt}
		u := c.flying[t.Run]
		if u == nil {
			u = &underway{}
			c.flying[t.Run] = u
		}
		u.add(r)
	}
	return reply, f
}

func (c *Channel) land(reply string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.flights, reply)
}

// refused is what the server says to a second dispatch of the same attempt.
var refused = []byte("maximum messages per subject exceeded") //nolint:gochecknoglobals // a constant in all but name

// acknowledged takes the server's word on one task.
func (c *Channel) acknowledged(m *client.Msg) {
	var err error
	switch {
	case len(m.Data) == 0 && m.Header.Get("Status") != "":
		err = fmt.Errorf("no stream takes tasks (%s)", m.Header.Get("Status"))
	case bytes.Contains(m.Data, []byte(`"error"`)) && !bytes.Contains(m.Data, refused):
		err = fmt.Errorf("NATS refuses a task: %s", m.Data)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	f := c.flights[m.Subject]
	if f == nil {
		return
	}
	if err != nil {
		f.err = err
	}
	if f.left--; f.left == 0 {
		close(f.done)
	}
}

// Trace implements runtime.Channel.
func (c *Channel) Trace(workspace string, run uuid.UUID, briefs []byte) {
	if c.cfg.Watch != nil {
		c.cfg.Watch(watch.Frame{Workspace: workspace, Run: run.String(), Briefs: briefs})
		return
	}
	c.conn.send(runSubject("trace", workspace, run.String()), briefs)
}

// CancelTasks implements runtime.Channel: what waits is taken out of the
// stream, what is at work is told. Nothing happens for a run that has no task
// under way, as it is with most that end.
func (c *Channel) CancelTasks(workspace string, run uuid.UUID) {
	id := run.String()
	c.mu.Lock()
	none := c.flying[id] == nil
	delete(c.flying, id)
	c.mu.Unlock()
	if none {
		return
	}
	c.conn.send(runSubject("control.cancel", workspace, id), nil)
	select {
	case c.purges <- purge{workspace, id}:
	default: // many runs end at once: the workers drop what they get of this one
	}
}

func (c *Channel) purge(ctx context.Context, p purge) {
	ctx, cancel := context.WithTimeout(ctx, apiWait)
	defer cancel()
	if err := c.conn.purgeRun(ctx, p.workspace, p.run); err != nil {
		c.conn.note("the tasks of a run that is over were not taken out", err)
	}
}

// Lost implements runtime.Channel.
func (c *Channel) Lost() <-chan struct{} { return c.lost }
