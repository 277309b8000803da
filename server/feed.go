package server

import (
	"context"
	"encoding/json"
	"sync"
	"sync/atomic"
	"time"

	"signalbox/engine/runtime/brief"
)

const (
	frameEvery = 50 * time.Millisecond // events of a busy topic go out together
	checkEvery = 5 * time.Second       // a live feed may lose its last event: look
	liveMax    = 64                    // live frames that wait for one subscription
)

// live is one frame of a feed, before it is cut to a subscription's position.
type live struct {
	from, to int64 // 0: live only
	body     []byte
	events   []brief.Brief // of a run: to cut a frame that overlaps
	check    bool          // no frame: look whether something was missed
	loose    bool
	sender   *subscription // of a presence frame: it does not come back
	final    bool          // nothing follows it
}

// feed is one topic with those who listen to it.
type feed struct {
	topic string
	mu    sync.Mutex
	subs  map[*subscription]struct{}
	stop  func()
}

// send gives a frame to every subscription without waiting for any.
func (f *feed) send(l live) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for sub := range f.subs {
		if sub == l.sender {
			continue
		}
		select {
		case sub.live <- l:
		default:
			if !l.loose {
				sub.missed.Store(true)
			}
		}
	}
}

// watch turns a run's live events into frames: the first after a quiet time
// goes out at once, then one frame each 50 ms. It returns when the context
// ends.
func (f *feed) watch(ctx context.Context, events <-chan []brief.Brief) {
	check := time.NewTicker(checkEvery) //nolint:forbidigo // paces, decides nothing
	defer check.Stop()
	pause := time.NewTimer(0) //nolint:forbidigo // the same
	<-pause.C
	busy := false
	var buffer []brief.Brief
	flush := func() {
		busy = len(buffer) > 0
		if !busy {
			return
		}
		for _, l := range runFrames(f.topic, buffer) {
			f.send(l)
		}
		buffer = nil
		pause.Reset(frameEvery)
	}
	for {
		select {
		case <-ctx.Done():
			return
		case list, ok := <-events:
			if !ok {
				events = nil // only the checks are left
				continue
			}
			buffer = append(buffer, list...)
			if !busy {
				flush()
			}
		case <-pause.C:
			flush()
		case <-check.C:
			f.send(live{check: true, loose: true})
		}
	}
}

// runFrames makes frames without holes inside: where a number is missing a
// new frame begins, and the subscription sees the hole.
func runFrames(topic string, events []brief.Brief) []live {
	var out []live
	start, last := 0, 0
	for i, e := range events {
		if e.Seq > 0 && last > 0 && e.Seq != last+1 {
			out = append(out, runFrame(topic, events[start:i]))
			start = i
		}
		if e.Seq > 0 {
			last = e.Seq
		}
	}
	return append(out, runFrame(topic, events[start:]))
}

// eventFrame is the wire form of events of a run.
type eventFrame struct {
	T      string        `json:"t"`
	Topic  string        `json:"topic"`
	Events []brief.Brief `json:"e"`
}

func runFrame(topic string, events []brief.Brief) live {
	l := live{events: events, body: encodeFrame(eventFrame{"ev", topic, events})}
	for _, e := range events {
		if e.Seq == 0 {
			continue
		}
		if l.from == 0 {
			l.from = int64(e.Seq)
		}
		l.to = int64(e.Seq)
		l.final = endsRun(e)
	}
	l.loose = l.to == 0
	return l
}

// endsRun reports whether the event closes its log.
func endsRun(b brief.Brief) bool {
	switch b.Type {
	case "RunSucceeded", "RunFailed", "RunCanceled":
		return true
	}
	return false
}

// encodeFrame writes a frame whose type always encodes.
func encodeFrame(v any) []byte {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err) //nolint:forbidigo // frames are made of plain types and checked JSON
	}
	return raw
}

// source reads what a topic had before, in order.
type source interface {
	// after returns frames behind a position; more says that there are others.
	after(ctx context.Context, pos int64) (list []frame, more bool, err error)
	// cut returns the part of a live frame behind a position, as this
	// subscription may see it.
	cut(l live, pos int64) []byte
}

// subscription is one socket's interest in one topic. It has read everything
// up to pos; a hole is filled from the store before anything later goes out,
// so that the browser sees 1..n without gap or repeat.
type subscription struct {
	feed   *feed
	source source
	out    *outbox
	live   chan live
	missed atomic.Bool
	pos    int64
	over   bool // the last event has gone out: no check is needed
}

// run goes on until the context ends or the store cannot be read.
func (s *subscription) run(ctx context.Context) error {
	if err := s.fill(ctx); err != nil {
		return err
	}
	for {
		select {
		case <-ctx.Done():
			return nil
		case l := <-s.live:
			if err := s.pass(ctx, l); err != nil {
				return err
			}
		}
		if len(s.live) == 0 && s.missed.Swap(false) {
			if err := s.fill(ctx); err != nil {
				return err
			}
		}
	}
}

func (s *subscription) pass(ctx context.Context, l live) error {
	switch {
	case l.check && s.over:
		return nil
	case l.check:
		return s.fill(ctx)
	case l.to == 0:
		if body := s.source.cut(l, s.pos); body != nil {
			s.out.push(frame{body: body, topic: s.feed.topic, loose: l.loose})
		}
		return nil
	case l.to <= s.pos:
		return nil
	case l.from > s.pos+1:
		if err := s.fill(ctx); err != nil {
			return err
		}
		if l.to <= s.pos {
			return nil
		}
		if l.from > s.pos+1 {
			// The store does not have them yet: it will at the next check.
			return nil
		}
	}
	s.out.push(frame{body: s.source.cut(l, s.pos), topic: s.feed.topic, from: s.pos + 1, to: l.to})
	s.pos, s.over = l.to, s.over || l.final
	return nil
}

// fill sends what the store has behind the position, at the reader's pace.
func (s *subscription) fill(ctx context.Context) error {
	for {
		list, more, err := s.source.after(ctx, s.pos)
		if err != nil {
			return err
		}
		for _, f := range list {
			if err := s.out.pushWait(ctx, f); err != nil {
				return err
			}
			s.pos, s.over = f.to, s.over || f.final
		}
		if !more {
			return nil
		}
	}
}
