package server

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"signalbox/engine/draft"
	"signalbox/engine/graph"
	"signalbox/engine/problem"
	"signalbox/engine/runtime/brief"
	"signalbox/engine/share"
)

// Limits of the hub.
const (
	socketsMax      = 20_000
	topicsMax       = 32             // of one socket
	socketAgeMax    = 12 * time.Hour // then the client comes back with a fresh ticket
	historyPage     = 500            // events in one frame of the past
	draftPage       = 50             // batches read at once
	topicReadWithin = 10 * time.Second
)

// Codes with which a socket is closed.
const (
	closeUnauthorized = 4401
	closeRevoked      = 4403
	closeTooMany      = 4429
	closeTryAgain     = 4503
)

// Prefixes of topics.
const (
	topicRun   = "run:"
	topicDraft = "draft:"
)

// Hub carries live events to browsers. It implements draft.Publisher,
// comment.Publisher and share.Publisher; after Join what happens on other servers shows here, and
// the other way round.
type Hub struct {
	log     *slog.Logger
	metrics *metrics
	traces  Traces

	ctx    context.Context //nolint:containedctx // the life of all feeds: the hub's own
	cancel context.CancelFunc
	work   sync.WaitGroup

	buffers *sync.Pool // write buffers, held only while a frame goes out

	mu      sync.Mutex
	bus     Bus // nil: there are no other servers
	sockets map[*socket]struct{}
	feeds   map[string]*feed
}

var (
	_ draft.Publisher = (*Hub)(nil)
	_ share.Publisher = (*Hub)(nil)
)

// NewHub makes a hub; Close ends it.
func NewHub(log *slog.Logger, traces Traces) *Hub {
	ctx, cancel := context.WithCancel(context.Background())
	return &Hub{log: log, metrics: newMetrics(), traces: traces, ctx: ctx, cancel: cancel, buffers: &sync.Pool{}, sockets: map[*socket]struct{}{}, feeds: map[string]*feed{}}
}

// Close ends every socket and waits for their goroutines.
func (h *Hub) Close() {
	h.mu.Lock()
	h.cancel()
	h.mu.Unlock()
	h.work.Wait()
}

// begin runs a function that Close waits for; false: the hub is closed.
func (h *Hub) begin(f func()) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.ctx.Err() != nil {
		return false
	}
	h.work.Go(f)
	return true
}

// Sockets counts the open ones.
func (h *Hub) Sockets() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.sockets)
}

// add admits a socket unless there are too many.
func (h *Hub) add(s *socket) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.ctx.Err() != nil || len(h.sockets) >= socketsMax {
		return false
	}
	h.sockets[s] = struct{}{}
	h.metrics.sockets.Set(float64(len(h.sockets)))
	return true
}

func (h *Hub) remove(s *socket) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.sockets, s)
	h.metrics.sockets.Set(float64(len(h.sockets)))
}

// listen joins a topic's feed, which it starts when it is the first.
func (h *Hub) listen(topic, workspace string, run uuid.UUID, sub *subscription) {
	h.mu.Lock()
	defer h.mu.Unlock()
	f := h.feeds[topic]
	if f == nil {
		f = &feed{topic: topic, subs: map[*subscription]struct{}{}, stop: func() {}}
		h.feeds[topic] = f
		switch {
		case run != uuid.Nil:
			h.start(f, workspace, run)
		case h.bus != nil:
			h.startChecks(f)
		}
	}
	sub.feed = f
	f.mu.Lock()
	f.subs[sub] = struct{}{}
	f.mu.Unlock()
}

// start watches a run for a feed.
func (h *Hub) start(f *feed, workspace string, run uuid.UUID) {
	ctx, cancel := context.WithCancel(h.ctx)
	events, stop := h.traces.Watch(workspace, run)
	f.stop = func() {
		cancel()
		stop()
	}
	h.work.Go(func() { f.watch(ctx, events) })
}

// startChecks looks now and then whether a notice of another server was lost.
func (h *Hub) startChecks(f *feed) {
	ctx, cancel := context.WithCancel(h.ctx)
	f.stop = cancel
	h.work.Go(func() { f.watch(ctx, nil) })
}

// leave ends a subscription; the last one takes the feed with it.
func (h *Hub) leave(sub *subscription) {
	h.mu.Lock()
	defer h.mu.Unlock()
	f := sub.feed
	f.mu.Lock()
	delete(f.subs, sub)
	empty := len(f.subs) == 0
	f.mu.Unlock()
	if empty && h.feeds[f.topic] == f {
		f.stop()
		delete(h.feeds, f.topic)
	}
}

func (h *Hub) feed(topic string) *feed {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.feeds[topic]
}

// opFrame is the wire form of an accepted batch.
type opFrame struct {
	T     string `json:"t"`
	Topic string `json:"topic"`
	draft.Batch
	Issues []graph.Issue `json:"issues,omitempty"`
}

// draftFrame writes an accepted batch for the sockets.
func draftFrame(c draft.Change) []byte {
	issues := c.Issues
	if issues == nil {
		issues = []graph.Issue{}
	}
	return encodeFrame(struct {
		opFrame
		Issues []graph.Issue `json:"issues"` // also when there is none: the old ones are gone
	}{opFrame{T: "op", Topic: topicDraft + c.Workflow.String(), Batch: c.Batch}, issues})
}

// goneFrame tells that a topic has ended.
type goneFrame struct {
	T     string `json:"t"`
	Topic string `json:"topic"`
	Why   string `json:"why"`
}

func (h *Hub) end(whose func(grant) bool) {
	var list []*socket // told without the lock: a socket that leaves has its own and wants this one
	h.mu.Lock()
	for s := range h.sockets {
		if whose(s.grant) {
			list = append(list, s)
		}
	}
	h.mu.Unlock()
	for _, s := range list {
		s.gone("revoked")
	}
}

// runSource reads a run's events.
type runSource struct {
	events    Events
	topic     string
	workspace string
	run       uuid.UUID
	public    bool // for a guest
}

func (r runSource) after(ctx context.Context, pos int64) ([]frame, bool, error) {
	ctx, cancel := context.WithTimeout(ctx, topicReadWithin)
	defer cancel()
	list, err := r.events.Briefs(ctx, r.workspace, r.run, int(pos), historyPage)
	if err != nil || len(list) == 0 {
		return nil, false, err
	}
	f := frame{topic: r.topic, from: int64(list[0].Seq), to: int64(list[len(list)-1].Seq), final: endsRun(list[len(list)-1])}
	f.body = encodeFrame(eventFrame{"ev", r.topic, r.see(list)})
	return []frame{f}, len(list) == historyPage, nil
}

func (r runSource) cut(l live, pos int64) []byte {
	if !r.public && l.from == pos+1 || l.events == nil {
		return l.body // shared by all who listen
	}
	var rest []brief.Brief
	for _, e := range l.events {
		if int64(e.Seq) > pos || e.Seq == 0 && !r.public {
			rest = append(rest, e)
		}
	}
	if len(rest) == 0 {
		return nil
	}
	return encodeFrame(eventFrame{"ev", r.topic, r.see(rest)})
}

// see is what this listener may see of events.
func (r runSource) see(list []brief.Brief) []brief.Brief {
	if !r.public {
		return list
	}
	out := make([]brief.Brief, len(list))
	for i, b := range list {
		out[i] = share.PublicBrief(b)
	}
	return out
}

// draftSource reads a draft's batches.
type draftSource struct {
	drafts    *draft.Service
	topic     string
	workspace string
	workflow  uuid.UUID
}

func (d draftSource) after(ctx context.Context, pos int64) ([]frame, bool, error) {
	ctx, cancel := context.WithTimeout(ctx, topicReadWithin)
	defer cancel()
	list, err := d.drafts.Batches(ctx, d.workspace, d.workflow, pos, draftPage)
	if err != nil {
		return nil, false, err
	}
	frames := make([]frame, len(list))
	for i, b := range list {
		frames[i] = frame{body: encodeFrame(opFrame{T: "op", Topic: d.topic, Batch: b}), topic: d.topic, from: b.Seq, to: b.Seq}
	}
	return frames, len(list) == draftPage, nil
}

func (d draftSource) cut(l live, _ int64) []byte { return l.body }

// parseTopic splits a topic into its prefix and id.
func parseTopic(topic string) (prefix string, id uuid.UUID, err error) {
	for _, p := range []string{topicRun, topicDraft} {
		if text, ok := strings.CutPrefix(topic, p); ok {
			id, err := uuid.Parse(text)
			if err != nil || id.String() != text {
				break
			}
			return p, id, nil
		}
	}
	return "", uuid.Nil, problem.New(problem.Invalid, "There is no such topic.")
}

// stopped reports whether an error only says that a socket has ended.
func stopped(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, errSocketEnds)
}
