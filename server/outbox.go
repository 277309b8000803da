package server

import (
	"context"
	"sync"
)

// Limits of what waits for one socket.
const (
	outboxFrames = 256
	outboxBytes  = 1 << 20
)

// frame is one message on its way to a browser. Event frames cover the
// numbers From..To of their topic and may be dropped: the client fetches what
// a gap names.
type frame struct {
	body     []byte
	topic    string
	from, to int64 // 0: the frame carries no numbered event
	loose    bool  // worthless when late: presence, progress
	final    bool  // nothing follows it in its topic
}

// outbox is the bounded queue in front of one socket. Pushing never blocks, so
// that a stalled reader changes nothing for others.
type outbox struct {
	mu     sync.Mutex
	list   []frame
	bytes  int
	ready  chan struct{} // holds a token while list is not empty or the box is closed
	room   chan struct{} // holds a token when frames have been taken
	closed bool
	code   int // of the close frame, once the list is empty
	reason string
	drops  func(frames int)
	gap    func(topic string, from, to int64) []byte
}

func newOutbox(gap func(topic string, from, to int64) []byte, drops func(int)) *outbox {
	return &outbox{ready: make(chan struct{}, 1), room: make(chan struct{}, 1), gap: gap, drops: drops}
}

// push queues a frame. When there is no room, queued event frames give way to
// one gap per topic.
func (o *outbox) push(f frame) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return
	}
	if o.full(f) {
		if f.loose {
			o.drops(1)
			return
		}
		f = o.overflow(f)
	}
	o.add(f)
}

// pushWait queues a frame when there is room for it.
func (o *outbox) pushWait(ctx context.Context, f frame) error {
	for {
		o.mu.Lock()
		if o.closed || !o.full(f) {
			if !o.closed {
				o.add(f)
			}
			o.mu.Unlock()
			return nil
		}
		o.mu.Unlock()
		select {
		case <-o.room:
		case <-ctx.Done():
			return context.Cause(ctx) //nolint:wrapcheck // the cause says why the socket ends
		}
	}
}

// full reports whether the frame would pass a limit. One frame always fits
// into an empty box, however large.
func (o *outbox) full(f frame) bool {
	return len(o.list) > 0 && (len(o.list) >= outboxFrames || o.bytes+len(f.body) > outboxBytes)
}

// overflow drops every event frame, the new one included when it is one, and
// leaves one gap per topic. It returns what is left to add.
func (o *outbox) overflow(f frame) frame {
	type span struct{ from, to int64 }
	gaps := map[string]span{}
	var order []string
	var kept []frame
	dropped := 0
	for _, q := range append(o.list, f) {
		switch {
		case q.from > 0:
			s, ok := gaps[q.topic]
			if !ok {
				order, s = append(order, q.topic), span{q.from, q.to}
			}
			gaps[q.topic] = span{min(s.from, q.from), max(s.to, q.to)}
			dropped++
		case q.loose:
			dropped++
		default:
			kept = append(kept, q)
		}
	}
	o.drops(dropped)
	o.list, o.bytes = nil, 0
	for _, q := range kept {
		o.add(q)
	}
	last := frame{}
	for _, topic := range order {
		if last.body != nil {
			o.add(last)
		}
		// The gap carries its numbers, so that the next overflow widens it.
		last = frame{body: o.gap(topic, gaps[topic].from, gaps[topic].to), topic: topic, from: gaps[topic].from, to: gaps[topic].to}
	}
	return last
}

func (o *outbox) add(f frame) {
	if f.body == nil {
		return
	}
	o.list = append(o.list, f)
	o.bytes += len(f.body)
	signal(o.ready)
}

// take returns all queued frames; done is true after the last one of a closed
// box.
func (o *outbox) take() (list []frame, done bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	list, o.list, o.bytes = o.list, nil, 0
	signal(o.room)
	return list, o.closed
}

// close lets what is queued go out, then ends the socket with the code.
func (o *outbox) close(code int, reason string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return
	}
	o.closed, o.code, o.reason = true, code, reason
	signal(o.ready)
	signal(o.room)
}

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
