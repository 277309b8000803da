package nats

import (
	"bytes"
	"context"
	"fmt"
	"strconv"

	client "github.com/nats-io/nats.go"

	"signalbox/engine/runtime"
	"signalbox/engine/task"
)

// Results implements runtime.Channel.
func (c *Channel) Results(ctx context.Context, shard int, deliver func(runtime.Delivered)) error {
	stop, err := c.conn.subscribe(resultSubject(shard), func(m *client.Msg) { c.deliver(m, deliver) })
	if err != nil {
		return err
	}
	defer stop()
	c.own(shard, deliver)
	defer c.own(shard, nil)
	if err := c.hello(shard); err != nil {
		return err
	}
	back, quiet := c.conn.back()
	defer quiet()
	for {
		select {
		case <-back:
			if err := c.hello(shard); err != nil {
				c.conn.note("workers cannot be greeted", err)
			}
		case <-ctx.Done():
			return nil
		}
	}
}

// own notes who takes the results of a shard in this process; nil: nobody does.
func (c *Channel) own(shard int, deliver func(runtime.Delivered)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if deliver == nil {
		delete(c.owners, shard)
		return
	}
	c.owners[shard] = deliver
}

// hand gives a result straight to the owner of its shard; false: it is not here.
// Told hears when it is settled.
func (c *Channel) hand(r *task.Result, ack string, told func(used bool)) bool {
	c.mu.Lock()
	to := c.owners[r.Shard]
	c.mu.Unlock()
	if to == nil {
		return false
	}
	run, at := r.Run, ref{r.Scope, r.Node, r.Visit, r.Attempt}
	settle := func(used bool) {
		c.bills.settle(ack, "", used)
		c.settled(run, at)
		told(used)
	}
	to(runtime.Delivered{Result: *r, Settle: func() { settle(true) }, Unused: func() { settle(false) }})
	return true
}

// hello asks the workers for results that an earlier owner of the shard may
// not have settled.
func (c *Channel) hello(shard int) error {
	if err := c.conn.nc.Publish("control.owner."+strconv.Itoa(shard), nil); err != nil {
		return fmt.Errorf("greet the workers of shard %d: %w", shard, err)
	}
	return nil
}

// deliver takes a result: a line with the task's acknowledgement subject, which
// the server refuses as a reply subject, and the result itself.
func (c *Channel) deliver(m *client.Msg, to func(runtime.Delivered)) {
	line, data, _ := bytes.Cut(m.Data, []byte("\n"))
	ack := string(line)
	d := runtime.Delivered{}
	if err := d.Result.Decode(data); err != nil {
		c.conn.note("a result cannot be read", err)
		c.conn.send(ack, ackTerm)
		return
	}
	r := &d.Result
	run, at := r.Run, ref{r.Scope, r.Node, r.Visit, r.Attempt}
	told := m.Reply
	settle := func(used bool) {
		c.bills.settle(ack, told, used)
		c.settled(run, at)
	}
	d.Settle, d.Unused = func() { settle(true) }, func() { settle(false) }
	to(d)
}

func (c *Channel) settled(run string, at ref) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if u := c.flying[run]; u != nil && u.drop(at) {
		delete(c.flying, run)
	}
}

// What is said to the stream about a task.
var (
	ackDone  = []byte("+ACK")  //nolint:gochecknoglobals // a constant in all but name
	ackTerm  = []byte("+TERM") //nolint:gochecknoglobals // the same
	ackAgain = []byte("-NAK")  //nolint:gochecknoglobals // the same
	ackBusy  = []byte("+WPI")  //nolint:gochecknoglobals // the same
)

// send publishes what may be lost: it is sent again, or made good, otherwise.
func (c *Conn) send(subject string, data []byte) {
	if subject == "" {
		return
	}
	if err := c.nc.Publish(subject, data); err != nil {
		c.note("a message was not sent", err)
	}
}
