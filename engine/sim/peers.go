package sim

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"signalbox/engine/runtime"
)

// peers is what one server sees of the others. Whatever is asked or answered may
// be lost and late; what one server asks another one comes in order, as it does
// through one subscription.
type peers struct{ s *server }

// wire is the way from one server to another.
type wire struct{ of, to *server }

var _ runtime.Peers = peers{}

// question is one on its way to another server.
type question struct {
	of, to *server
	shard  int
	name   string // of its bytes and its instant
	body   []byte
	answer chan []byte
}

// parcel is an answer on its way back.
type parcel struct {
	of   *question
	body []byte
}

// Ask implements runtime.Peers.
func (p peers) Ask(ctx context.Context, shard int, body []byte) ([]byte, error) {
	s, w := p.s, p.s.w
	sum := sha256.Sum256(body)
	q := &question{of: s, shard: shard, body: body, name: hex.EncodeToString(sum[:8]), answer: make(chan []byte, 1)}
	if err := s.gate(ctx, "ask "+q.name, 0); err != nil {
		return nil, err
	}
	w.mu.Lock()
	for _, o := range w.servers { // that of a frozen one still hears, and says nothing
		if o != nil && !o.dead && o.listens[shard] != nil {
			q.to = o
		}
	}
	lost := s.draw("lose the question "+q.name) < w.plan.Drop
	if q.to != nil && !lost {
		w.questions = append(w.questions, q)
		w.wake()
	}
	w.mu.Unlock()
	if q.to == nil {
		return nil, runtime.ErrNoOwner
	}
	select {
	case out := <-q.answer:
		if err := s.gate(ctx, "answer "+q.name, 0); err != nil {
			return nil, err
		}
		return out, nil
	case <-ctx.Done():
		return nil, ctx.Err() //nolint:wrapcheck // as a driver does
	}
}

// Answer implements runtime.Peers.
func (p peers) Answer(ctx context.Context, shard int, fn func([]byte, func([]byte))) error {
	p.s.w.mu.Lock()
	p.s.listens[shard] = fn
	p.s.w.mu.Unlock()
	<-ctx.Done()
	p.s.w.mu.Lock()
	defer p.s.w.mu.Unlock()
	delete(p.s.listens, shard)
	return ctx.Err() //nolint:wrapcheck // the end of it
}

// Nudge implements runtime.Peers.
func (p peers) Nudge() {
	p.s.w.mu.Lock()
	defer p.s.w.mu.Unlock()
	if !p.s.dead {
		p.s.w.nudges = append(p.s.w.nudges, p.s)
		p.s.w.wake()
	}
}

// Nudged implements runtime.Peers.
func (p peers) Nudged() <-chan struct{} { return p.s.nudged }

// Connected implements runtime.Peers.
func (peers) Connected() bool { return true }

// post carries what servers said to each other.
func (w *world) post() (any bool) {
	w.mu.Lock()
	questions, parcels, nudges := w.questions, w.parcels, w.nudges
	w.questions, w.parcels, w.nudges = nil, nil, nil
	w.mu.Unlock()
	slices.SortFunc(questions, func(a, b *question) int { return bytes.Compare(a.body, b.body) })
	slices.SortFunc(parcels, func(a, b parcel) int { return bytes.Compare(a.of.body, b.of.body) })
	slices.SortFunc(nudges, func(a, b *server) int { return a.life - b.life })
	for _, q := range questions {
		way := wire{q.of, q.to}
		w.wires[way] = append(w.wires[way], q)
		w.toEngine(w.delay(), "", func() { w.put(way) })
	}
	for _, p := range parcels {
		w.toEngine(w.delay(), "", func() { p.of.answer <- p.body })
	}
	for _, from := range nudges {
		w.in(w.delay(), "", func() {
			for _, s := range w.servers {
				if s != from {
					wakeUp(s.nudged)
				}
			}
		})
	}
	return len(questions)+len(parcels)+len(nudges) > 0
}

func wakeUp(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// put hands the next question to the server that it goes to. One that stands
// gets it later.
func (w *world) put(way wire) {
	q := w.wires[way][0]
	w.mu.Lock()
	s := q.to
	listens, h := s.listens[q.shard], s.held[q.shard]
	dead, stands := s.dead, s.frozen || h != nil && h.slow
	w.mu.Unlock()
	if stands && !dead && listens != nil {
		w.toEngine(w.between(1e6, 1e9), "", func() { w.put(way) })
		return
	}
	w.wires[way] = w.wires[way][1:]
	if dead || listens == nil {
		return // nobody hears it
	}
	w.say("%s is asked %s", s.name, q.name)
	said := false
	listens(q.body, func(out []byte) {
		w.mu.Lock()
		defer w.mu.Unlock()
		if s.dead || s.frozen || said || s.draw("lose the answer "+q.name) < w.plan.Drop {
			return
		}
		said = true
		w.parcels = append(w.parcels, parcel{q, out})
		w.wake()
	})
}
