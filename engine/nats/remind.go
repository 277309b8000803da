package nats

import (
	"context"
	"time"

	client "github.com/nats-io/nats.go"

	"signalbox/engine/task"
)

// How results that nobody has settled are kept in mind.
const (
	remindAfter = 3 * time.Second  // a result that is not settled is sent again
	remindMax   = 30 * time.Second // the longest pause between two times
	remindEvery = time.Second
)

// remind sends results again that are not settled: one that was lost, or that
// came while its shard had no owner, costs seconds. Meanwhile the server hears
// that the task is in good hands, or another worker would do it a second time
// while the database is away.
func (s *Source) remind(ctx context.Context) {
	tick := time.NewTicker(remindEvery) //nolint:forbidigo // a check, not a decision
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			s.sendAgain(s.conn.cfg.Now())
		case <-ctx.Done():
			return
		}
	}
}

func (s *Source) sendAgain(now time.Time) {
	type reminder struct {
		d      *delivery
		ack    string
		result *task.Result // nil: only that it is in good hands
	}
	var list []reminder
	s.mu.Lock()
	for _, d := range s.sent {
		if d.pause == remindAfter && now.Before(d.again) {
			continue // it was sent just now
		}
		r := reminder{d: d, ack: d.ack}
		if !now.Before(d.again) {
			r.result = d.result
			d.pause = min(2*d.pause, remindMax)
			d.again = now.Add(d.pause)
		}
		list = append(list, r)
	}
	s.mu.Unlock()
	for _, r := range list {
		s.conn.send(r.ack, ackBusy)
		if r.result != nil {
			s.send(r.d, r.ack, r.result)
		}
	}
}

// How workers leave.
const (
	leaveMax   = 2 * time.Second        // for the word that results are settled
	leaveEvery = 150 * time.Millisecond // then they are sent again
)

// Leave is called when the workers have stopped. A result that came while its
// shard went to another owner would be missed only when the silence of this
// process is noticed: what is not settled is sent again for a moment, and then
// the tasks are given back.
func (s *Source) Leave(ctx context.Context) {
	deaf, err := s.conn.subscribe(s.inbox+settledToken, func(m *client.Msg) { s.settled(string(m.Data)) })
	if err != nil {
		return
	}
	defer deaf()
	ctx, cancel := context.WithTimeout(ctx, leaveMax)
	defer cancel()
	for {
		list, acks := s.unsettled()
		if len(list) == 0 {
			return
		}
		for i, d := range list {
			s.send(d, acks[i], d.result)
		}
		pause(ctx, leaveEvery)
		if ctx.Err() != nil {
			break
		}
	}
	list, _ := s.unsettled()
	for _, d := range list {
		d.Return()
	}
}

// unsettled lists results, and where their tasks are acknowledged.
func (s *Source) unsettled() (list []*delivery, acks []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, d := range s.sent {
		list, acks = append(list, d), append(acks, d.ack)
	}
	return list, acks
}
