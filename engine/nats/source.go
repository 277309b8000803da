package nats

import (
	"context"
	"strconv"
	"strings"
	"sync"
	"time"

	client "github.com/nats-io/nats.go"

	"signalbox/engine/task"
	"signalbox/engine/worker"
)

// What a worker's process remembers of its last attempts: a task that comes
// again is not acted upon twice, its result is sent again.
const (
	rememberMax   = 4_096
	rememberBytes = 16 << 20
	lookEvery     = 15 * time.Second // for queues whose announcement was missed
)

// Source implements worker.Source: the workers' end of the channel.
type Source struct {
	conn *Conn

	inbox string   // prefix of subjects on which settled tasks are named
	near  *Channel // the engine of this process; nil: there is none

	mu    sync.Mutex
	next  int
	known map[string]*delivery // by subject: at work, or done and remembered
	sent  map[string]*delivery // by inbox subject: done and not settled
	done  []*delivery          // the oldest first
	bytes int
}

var _ worker.Source = (*Source)(nil)

// NewSource makes the workers' end. The connection should not be shared with a
// busy engine: one reader for each is faster.
func NewSource(conn *Conn) *Source {
	return &Source{conn: conn, inbox: client.NewInbox() + ".", known: map[string]*delivery{}, sent: map[string]*delivery{}}
}

// Near names the engine of this process. A result for a shard that it owns goes
// straight to it: over NATS it would come through four goroutines more.
func (s *Source) Near(c *Channel) { s.near = c }

// delivery is one delivered task. It is a worker.Job.
type delivery struct {
	source  *Source
	subject string
	task    task.Task
	heldAt  time.Time

	ack    string       // of the last delivery; guarded by source.mu
	inbox  string       // where the server says that the task is settled; set before the result is sent
	result *task.Result // when it is done; guarded by source.mu

	again time.Time       // when the result is sent again; guarded by source.mu
	pause time.Duration   // until the time after that
	told  func(used bool) // when it is settled; guarded by source.mu
}

// Queues implements worker.Source.
func (s *Source) Queues(ctx context.Context, found func(queue string)) error {
	names := make(chan string, 1_024)
	stop, err := s.conn.subscribe("control.queue.*", func(m *client.Msg) {
		select {
		case names <- name(strings.TrimPrefix(m.Subject, "control.queue.")):
		default: // found when the list is read
		}
	})
	if err != nil {
		return err
	}
	defer stop()
	back, quiet := s.conn.back()
	defer quiet()
	tick := time.NewTicker(lookEvery) //nolint:forbidigo // a check, not a decision
	defer tick.Stop()
	look := func() {
		list, cancel := context.WithTimeout(ctx, apiWait)
		defer cancel()
		there, err := s.conn.consumers(list)
		if err != nil {
			return // there is no stream yet: it will be announced
		}
		for q := range there {
			found(q)
		}
	}
	look()
	for {
		select {
		case q := <-names:
			found(q)
		case <-back:
			look()
		case <-tick.C:
			look()
		case <-ctx.Done():
			return nil
		}
	}
}

// Canceled implements worker.Source. It also hears what is settled, and answers
// the greeting of a new owner of a shard.
func (s *Source) Canceled(ctx context.Context, notify func(workspace, run string)) error {
	stop, err := s.conn.subscribe("control.cancel.*.*", func(m *client.Msg) {
		parts := strings.Split(m.Subject, ".")
		notify(name(parts[2]), name(parts[3]))
	})
	if err != nil {
		return err
	}
	defer stop()
	leave, err := s.conn.subscribe("control.owner.*", func(m *client.Msg) {
		if shard, err := strconv.Atoi(strings.TrimPrefix(m.Subject, "control.owner.")); err == nil {
			s.resend(shard)
		}
	})
	if err != nil {
		return err
	}
	defer leave()
	deaf, err := s.conn.subscribe(s.inbox+settledToken, func(m *client.Msg) { s.settled(string(m.Data)) })
	if err != nil {
		return err
	}
	defer deaf()
	s.remind(ctx)
	return nil
}

// settled forgets what need not be sent again.
func (s *Source) settled(numbers string) {
	for n := range strings.FieldsSeq(numbers) {
		n, unused := strings.CutSuffix(n, strings.TrimSpace(unusedMark))
		s.heard(s.inbox+n, !unused)
	}
}

// heard is settled for one result.
func (s *Source) heard(inbox string, used bool) {
	s.mu.Lock()
	d := s.sent[inbox]
	delete(s.sent, inbox)
	var told func(bool)
	if d != nil {
		told, d.told = d.told, nil
	}
	s.mu.Unlock()
	if told != nil {
		told(used)
	}
}

// Live implements worker.Source.
func (s *Source) Live(workspace, run string, briefs []byte) {
	s.conn.send(runSubject("live", workspace, run), briefs)
}

// take registers a delivered task; nil: it needs no work.
func (s *Source) take(m *client.Msg, now time.Time) *delivery {
	s.mu.Lock()
	d := s.known[m.Subject]
	if d != nil {
		d.ack = m.Reply
		data := d.result
		s.mu.Unlock()
		if data != nil {
			s.send(d, m.Reply, data)
		}
		return nil // at work: its result will carry the new acknowledgement
	}
	s.mu.Unlock()
	d = &delivery{source: s, subject: m.Subject, ack: m.Reply, heldAt: now}
	if err := d.task.Decode(m.Data); err != nil {
		s.conn.note("a task cannot be read", err)
		s.conn.send(m.Reply, ackTerm)
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.known[m.Subject] = d
	return d
}

// Task implements worker.Job.
func (d *delivery) Task() *task.Task { return &d.task }

// Extend implements worker.Job.
func (d *delivery) Extend() { d.source.conn.send(d.acknowledgment(), ackBusy) }

func (d *delivery) acknowledgment() string {
	d.source.mu.Lock()
	defer d.source.mu.Unlock()
	return d.ack
}

// Finish implements worker.Job. The task stays in the stream until the owner
// says that the result is on disk.
func (d *delivery) Finish(r *task.Result, settled func(used bool)) {
	s := d.source
	s.mu.Lock()
	s.next++
	d.told = settled
	d.result, d.inbox = r, s.inbox+strconv.Itoa(s.next)
	s.sent[d.inbox], d.again, d.pause = d, s.conn.cfg.Now().Add(remindAfter), remindAfter
	s.done = append(s.done, d)
	s.bytes += d.size()
	for len(s.done) > rememberMax || s.bytes > rememberBytes {
		s.bytes -= s.done[0].size()
		delete(s.known, s.done[0].subject)
		delete(s.sent, s.done[0].inbox)
		s.done[0] = nil
		s.done = s.done[1:]
	}
	ack := d.ack
	s.mu.Unlock()
	if s.near == nil || !s.near.hand(r, ack, func(used bool) { s.heard(d.inbox, used) }) {
		s.send(d, ack, r)
	}
}

// size is about how much is remembered.
func (d *delivery) size() int { return 256 + len(d.result.Output) }

func (s *Source) send(d *delivery, ack string, r *task.Result) {
	m := make([]byte, 0, len(ack)+1+256+len(r.Output))
	m = append(append(m, ack...), '\n')
	m, err := r.Encode(m)
	if err != nil {
		s.conn.note("a result cannot be written", err)
		d.Return()
		return
	}
	if err := s.conn.nc.PublishRequest(resultSubject(d.task.Shard), d.inbox, m); err != nil {
		s.conn.note("a result was not sent", err) // the task comes again and so does its result
	}
}

// resend sends what is not settled of a shard to its new owner.
func (s *Source) resend(shard int) {
	s.mu.Lock()
	var list []*delivery
	var acks []string
	for _, d := range s.done {
		if d.task.Shard == shard && s.sent[d.inbox] == d {
			list, acks = append(list, d), append(acks, d.ack)
		}
	}
	s.mu.Unlock()
	for i, d := range list {
		s.send(d, acks[i], d.result)
	}
}

// Return implements worker.Job.
func (d *delivery) Return() { d.leave(ackAgain) }

// Drop implements worker.Job.
func (d *delivery) Drop() { d.leave(ackDone) }

func (d *delivery) leave(word []byte) {
	s := d.source
	s.mu.Lock()
	ack := d.ack
	if s.known[d.subject] == d {
		delete(s.known, d.subject)
	}
	s.mu.Unlock()
	s.conn.send(ack, word)
}
