package nats

import (
	"context"
	"fmt"
	"strconv"
	"time"

	client "github.com/nats-io/nats.go"

	"signalbox/engine/worker"
)

// How tasks are pulled. Requests are short-lived and the server's heartbeats
// are watched: a request that was lost costs a second, not the queue.
const (
	pullExpiry    = 2 * time.Second
	pullHeartbeat = 500 * time.Millisecond
	pullSilence   = 1500 * time.Millisecond // without any word the request is lost
	askWait       = time.Second             // for the answer "there is nothing"
	watchEvery    = 250 * time.Millisecond
	holdMax       = time.Second // a task that waits longer for a slot goes to another worker
	retryMin      = 100 * time.Millisecond
	retryMax      = 2 * time.Second
	drainMax      = 256 // messages taken before slots are looked at
)

// puller feeds one desk from the consumers of one queue.
//
// Every priority is a lane with a consumer of its own. While there are free
// slots each lane has an open request for as many tasks; a lane that was closed
// is first asked for what waits there, and until it has answered nothing less
// urgent starts. So among the tasks that wait when a slot is free, the most
// urgent one goes first.
type puller struct {
	source *Source
	queue  string
	desk   *worker.Desk
	in     chan *client.Msg
	lanes  [lanes]pullLane
}

// pullLane is one priority of a queue.
type pullLane struct {
	sub    *client.Subscription
	inbox  string
	next   string // where requests go
	held   []*delivery
	asked  int       // tasks that may still come on a request that does not wait
	askEnd time.Time // then it is taken for lost
	dry    bool      // nothing waits there: it has said so and was listened to ever since
	open   int       // tasks that may still come on waiting requests
	ends   time.Time // of the last waiting request
	heard  time.Time // the server's last word
	wait   time.Duration
	after  time.Time // no request before: the consumer is not there
}

// Serve implements worker.Source.
func (s *Source) Serve(ctx context.Context, queue string, d *worker.Desk) error {
	p := &puller{source: s, queue: queue, desk: d, in: make(chan *client.Msg, lanes*(4*d.Slots()+256))}
	for i := range p.lanes {
		l := &p.lanes[i]
		l.inbox = client.NewInbox()
		l.next = "$JS.API.CONSUMER.MSG.NEXT." + streamTasks + "." + durable(queue, i)
		sub, err := s.conn.nc.ChanSubscribe(l.inbox, p.in)
		if err != nil {
			return fmt.Errorf("pull from queue %s: %w", queue, err)
		}
		l.sub = sub
		defer func() { _ = sub.Unsubscribe() }()
	}
	p.run(ctx)
	return nil
}

func (p *puller) run(ctx context.Context) {
	back, quiet := p.source.conn.back()
	defer quiet()
	tick := time.NewTicker(watchEvery) //nolint:forbidigo // a watchdog, not a decision
	defer tick.Stop()
	for {
		p.drain()
		if ctx.Err() != nil { // not in the select, which may choose a task that has come
			p.stop()
			return
		}
		free := p.look()
		p.pull(free)
		p.start(free)
		select {
		case m := <-p.in:
			p.take(m)
		case <-p.desk.Freed():
		case <-tick.C:
			p.watch()
		case <-back: // requests died with the connection
			for i := range p.lanes {
				p.lanes[i].close()
			}
		case <-ctx.Done(): // it stops above
		}
	}
}

// look returns how many slots are free, looked at once: what becomes free
// meanwhile has not asked yet. It is told of slots that would change anything.
func (p *puller) look() int {
	p.desk.Await(true)
	free := p.desk.Free()
	for i := range p.lanes {
		if l := &p.lanes[i]; len(l.held) > 0 || l.open <= p.desk.Slots()/2 {
			return free
		}
	}
	p.desk.Await(false)
	return free
}

// drain takes what has come meanwhile.
func (p *puller) drain() {
	for range drainMax {
		select {
		case m := <-p.in:
			p.take(m)
		default:
			return
		}
	}
}

// take is one message: a task, or a word about a request.
func (p *puller) take(m *client.Msg) {
	now := p.source.conn.cfg.Now()
	for i := range p.lanes {
		if l := &p.lanes[i]; l.sub == m.Sub {
			l.heard = now
			if m.Subject == l.inbox {
				l.word(m, now)
				return
			}
			if l.asked > 0 {
				l.asked--
			} else if l.open > 0 {
				l.open--
				l.dry = l.dry && l.open > 0
			}
			if d := p.source.take(m, now); d != nil {
				l.held = append(l.held, d)
			}
			return
		}
	}
}

// word is what the server says about a request.
func (l *pullLane) word(m *client.Msg, now time.Time) {
	switch status := m.Header.Get("Status"); status {
	case "100": // a heartbeat
		l.wait = 0
	case "404": // nothing waits
		l.asked, l.wait, l.dry = 0, 0, true
	case "408": // a request has ended
		left, err := strconv.Atoi(m.Header.Get("Nats-Pending-Messages"))
		if err != nil { // others wait for what is there
			l.asked, l.dry = 0, true
		}
		l.open = max(0, l.open-left)
		l.wait = 0
	default: // no consumer, deleted, too many requests, another leader
		l.close()
		l.wait = min(max(2*l.wait, retryMin), retryMax)
		l.after = now.Add(l.wait)
	}
}

// close forgets the requests of a lane.
func (l *pullLane) close() { l.asked, l.open, l.dry = 0, 0, false }

// start begins what may begin.
func (p *puller) start(free int) {
	for ; free > 0; free-- {
		i := p.urgent()
		if i < 0 {
			return
		}
		l := &p.lanes[i]
		d := l.held[0]
		l.held[0] = nil
		if l.held = l.held[1:]; len(l.held) == 0 {
			l.held = nil
		}
		p.desk.Start(d)
	}
}

// urgent returns the lane whose turn it is; -1: none, or a more urgent one has
// yet to say whether something waits there.
func (p *puller) urgent() int {
	asking := false
	for i := range p.lanes {
		l := &p.lanes[i]
		if len(l.held) > 0 {
			if asking {
				return -1
			}
			return i
		}
		asking = asking || l.asked > 0
	}
	return -1
}

// pull keeps requests open for as many tasks as there are free slots.
func (p *puller) pull(free int) {
	var now time.Time
	for i := range p.lanes {
		l := &p.lanes[i]
		free -= len(l.held)
		if free > 0 && l.asked == 0 && l.open <= free/2 {
			if now.IsZero() {
				now = p.source.conn.cfg.Now()
			}
			switch {
			case now.Before(l.after):
			case l.open == 0 && !l.dry:
				p.ask(l, free, now)
			default:
				p.wait(l, free-l.open, now)
			}
		}
		if l.open == 0 {
			l.dry = false // something may come while nobody listens
		}
	}
}

// ask requests what waits, and the word that there is no more.
func (p *puller) ask(l *pullLane, n int, now time.Time) {
	l.asked, l.askEnd = n, now.Add(askWait)
	p.request(l, now, `{"batch":`+strconv.Itoa(n)+`,"no_wait":true}`)
}

// wait requests tasks as they come.
func (p *puller) wait(l *pullLane, n int, now time.Time) {
	if l.open == 0 {
		l.heard = now
	}
	l.open += n
	l.ends = now.Add(pullExpiry)
	p.request(l, now, `{"batch":`+strconv.Itoa(n)+`,"expires":`+strconv.FormatInt(int64(pullExpiry), 10)+
		`,"idle_heartbeat":`+strconv.FormatInt(int64(pullHeartbeat), 10)+`}`)
}

func (p *puller) request(l *pullLane, now time.Time, body string) {
	if err := p.source.conn.nc.PublishRequest(l.next, l.inbox, []byte(body)); err != nil {
		l.close()
		l.after = now.Add(retryMax)
	}
}

// watch finds requests that were lost and tasks that wait too long.
func (p *puller) watch() {
	now := p.source.conn.cfg.Now()
	for i := range p.lanes {
		l := &p.lanes[i]
		if l.asked > 0 && now.After(l.askEnd) {
			l.asked = 0
		}
		if l.open > 0 && (now.Sub(l.heard) > pullSilence || now.Sub(l.ends) > watchEvery) {
			l.open = 0
		}
		if p.desk.Free() > 0 {
			continue
		}
		kept := l.held[:0]
		for _, d := range l.held {
			if now.Sub(d.heldAt) > holdMax {
				d.Return()
			} else {
				kept = append(kept, d)
			}
		}
		clear(l.held[len(kept):])
		l.held = kept
	}
}

// stop gives back what was not started.
func (p *puller) stop() {
	for i := range p.lanes {
		_ = p.lanes[i].sub.Drain() // fails only when the connection is closed
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = p.source.conn.nc.FlushWithContext(ctx) // what was on its way is here then
	for len(p.in) > 0 {
		p.take(<-p.in)
	}
	for i := range p.lanes {
		for _, d := range p.lanes[i].held {
			d.Return()
		}
	}
}
