package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/gorilla/websocket"

	"signalbox/engine/graph"
	"signalbox/engine/problem"
)

// Times and limits of one socket.
const (
	socketReadMax  = 64 << 10 // bytes of one frame; without it a frame could make us hold hundreds of MB
	writeWithin    = 5 * time.Second
	pingEvery      = 25 * time.Second
	pongWithin     = 60 * time.Second
	authWithin     = 10 * time.Second
	socketDepthMax = 8 // nesting of a client's frame
)

var errSocketEnds = errors.New("the socket ends")

// socket is one browser tab.
type socket struct {
	server *Server
	hub    *Hub
	id     string
	conn   *websocket.Conn
	out    *outbox
	grant  grant
	ctx    context.Context //nolint:containedctx // the life of the connection
	cancel context.CancelCauseFunc

	mu       sync.Mutex
	subs     map[string]subscribed
	presence time.Time // of the last one that was passed on
}

type subscribed struct {
	sub    *subscription
	cancel context.CancelFunc
}

// socket upgrades a request. A browser sends exactly one Origin; a socket
// without our own one is refused, whatever its ticket.
func (s *Server) socket(w http.ResponseWriter, r *http.Request) {
	origins := r.Header.Values("Origin")
	if len(origins) != 1 || !s.ownOrigin(origins[0], r.Host) {
		s.fail(w, r, problem.New(problem.Forbidden, "A websocket is opened by our own pages only."))
		return
	}
	if !websocket.IsWebSocketUpgrade(r) {
		s.fail(w, r, problem.New(problem.Invalid, "This address speaks websocket only."))
		return
	}
	if !s.fromLoopback(r) && s.limits.sockets.OnLimit(w, r, s.clientIP(r)) {
		s.fail(w, r, problem.New(problem.TooMany, "Too many connections in a minute."))
		return
	}
	conn, err := s.upgrader.Upgrade(w, r, nil)
	if err != nil {
		return // the upgrader has answered
	}
	// The handler returns, so that the request's memory is free; the socket
	// lives on in its own goroutines.
	if !s.hub.begin(func() { s.serveSocket(conn) }) {
		closeConn(conn, closeTryAgain, "the server stops")
		_ = conn.Close()
	}
}

func (s *Server) serveSocket(conn *websocket.Conn) {
	defer conn.Close() //nolint:errcheck // it is over either way
	conn.SetReadLimit(socketReadMax)
	_ = conn.SetReadDeadline(time.Now().Add(authWithin))                                  //nolint:forbidigo // a network deadline
	stop := context.AfterFunc(s.hub.ctx, func() { _ = conn.SetReadDeadline(time.Now()) }) //nolint:forbidigo // a network deadline
	g, ok := s.readAuth(conn)
	stop()
	if !ok {
		closeConn(conn, closeUnauthorized, "the ticket is not valid")
		return
	}
	sock := &socket{server: s, hub: s.hub, id: uuid.NewString(), conn: conn, grant: g, subs: map[string]subscribed{}}
	sock.out = newOutbox(gapFrame, func(n int) { s.hub.metrics.dropped.Add(float64(n)) })
	ctx, cancel := context.WithCancelCause(s.hub.ctx)
	sock.ctx, sock.cancel = ctx, cancel
	defer cancel(errSocketEnds)
	if !s.hub.add(sock) {
		closeConn(conn, closeTooMany, "too many connections")
		return
	}
	defer s.hub.remove(sock)
	sock.out.push(frame{body: []byte(`{"t":"hello","v":1}`)})
	age := time.AfterFunc(sock.lifetime(s.config.Now()), func() { sock.out.close(closeUnauthorized, "come back with a fresh ticket") })
	defer age.Stop()
	s.hub.work.Go(sock.write)
	sock.read()
	sock.leaveAll()
	sock.out.close(websocket.CloseNormalClosure, "")
}

func (s *Server) readAuth(conn *websocket.Conn) (grant, bool) {
	_, raw, err := conn.ReadMessage()
	if err != nil {
		return grant{}, false
	}
	var m clientFrame
	if decodeClient(raw, &m) != nil || m.T != "auth" || m.Ticket == "" {
		return grant{}, false
	}
	ctx, cancel := context.WithTimeout(s.hub.ctx, authWithin)
	defer cancel()
	g, ok, err := s.redeem(ctx, m.Ticket)
	if err != nil {
		s.config.Log.ErrorContext(ctx, "a ticket cannot be looked up", "err", err)
	}
	return g, ok
}

func (s *socket) lifetime(now time.Time) time.Duration {
	if !s.grant.until.IsZero() {
		return min(socketAgeMax, s.grant.until.Sub(now))
	}
	return socketAgeMax
}

// clientFrame is any message of a client.
type clientFrame struct {
	T         string   `json:"t"`
	Ticket    string   `json:"ticket"`
	Topic     string   `json:"topic"`
	After     int64    `json:"after"`
	X         float64  `json:"x"`
	Y         float64  `json:"y"`
	Selection []string `json:"selection"`
	Field     string   `json:"field"`
}

func decodeClient(raw []byte, m *clientFrame) error {
	if p := graph.CheckJSON(raw, socketDepthMax); p != nil {
		return p
	}
	if err := json.Unmarshal(raw, m); err != nil {
		return fmt.Errorf("read a client's frame: %w", err)
	}
	return nil
}

// read handles what the client says until the connection ends.
func (s *socket) read() {
	extend := func() { _ = s.conn.SetReadDeadline(time.Now().Add(pongWithin)) } //nolint:forbidigo // a network deadline
	extend()
	s.conn.SetPongHandler(func(string) error {
		extend()
		return nil
	})
	for {
		_, raw, err := s.conn.ReadMessage()
		if err != nil {
			s.cancel(errSocketEnds)
			return
		}
		var m clientFrame
		if err := decodeClient(raw, &m); err != nil {
			s.tell("This frame cannot be read.")
			continue
		}
		s.handle(m)
	}
}

func (s *socket) handle(m clientFrame) {
	var err error
	switch m.T {
	case "sub":
		err = s.subscribe(m.Topic, m.After)
	case "unsub":
		s.unsubscribe(m.Topic)
	case "presence":
		s.shareCursor(m)
	default:
		err = problem.New(problem.Invalid, "There is no such message.")
	}
	if p := problem.Of(err); p != nil {
		s.tell(p.Detail)
	} else if err != nil {
		s.hub.log.ErrorContext(s.ctx, "a subscription failed", "err", err)
		s.tell("Something went wrong on the server.")
	}
}

func (s *socket) tell(message string) {
	s.out.push(frame{loose: true, body: encodeFrame(struct {
		T       string `json:"t"`
		Message string `json:"message"`
	}{"error", message})})
}

// subscribe begins a topic when this socket may see it. The same topic again
// starts over from the new position.
func (s *socket) subscribe(topic string, after int64) error {
	src, run, err := s.open(topic)
	if err != nil {
		return err
	}
	s.unsubscribe(topic)
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.subs) >= topicsMax {
		return problem.New(problem.TooMany, "One socket has %d topics at most.", topicsMax)
	}
	ctx, cancel := context.WithCancel(s.ctx)
	sub := &subscription{source: src, out: s.out, live: make(chan live, liveMax), pos: max(after, 0)}
	s.hub.listen(topic, s.workspace(src), run, sub)
	s.subs[topic] = subscribed{sub, cancel}
	s.hub.work.Go(func() {
		defer s.hub.leave(sub)
		if err := sub.run(ctx); err != nil && ctx.Err() == nil && !stopped(err) {
			s.hub.log.ErrorContext(ctx, "a topic could not be read", "topic", topic, "err", err)
			// The client comes back and resumes from its last number.
			s.out.close(closeTryAgain, "the events cannot be read for now")
		}
	})
	return nil
}

func (s *socket) workspace(src source) string {
	if r, ok := src.(runSource); ok {
		return r.workspace
	}
	return s.grant.who.Workspace
}

// open checks that this socket may see the topic. What it may not see does not
// exist for it.
func (s *socket) open(topic string) (source, uuid.UUID, error) {
	prefix, id, err := parseTopic(topic)
	if err != nil {
		return nil, uuid.Nil, err
	}
	unknown := problem.New(problem.NotFound, "There is no such topic.")
	ctx, cancel := context.WithTimeout(s.ctx, topicReadWithin)
	defer cancel()
	events := s.server.config.Events
	if s.grant.guest() {
		if prefix != topicRun || id != s.grant.run {
			return nil, uuid.Nil, unknown
		}
		return runSource{events: events, topic: topic, workspace: s.grant.who.Workspace, run: id, public: true}, id, nil
	}
	workspace := s.grant.who.Workspace
	if prefix == topicDraft {
		if _, err := s.server.config.Drafts.Workflow(ctx, workspace, id); err != nil {
			return nil, uuid.Nil, unknownOr(err, unknown)
		}
		return draftSource{drafts: s.server.config.Drafts, topic: topic, workspace: workspace, workflow: id}, uuid.Nil, nil
	}
	if err := events.Exists(ctx, workspace, id); err != nil {
		return nil, uuid.Nil, unknownOr(err, unknown)
	}
	return runSource{events: events, topic: topic, workspace: workspace, run: id}, id, nil
}

func unknownOr(err error, unknown *problem.Problem) error {
	if p := problem.Of(err); p != nil {
		return unknown
	}
	return err
}

func (s *socket) unsubscribe(topic string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if k, ok := s.subs[topic]; ok {
		k.cancel()
		delete(s.subs, topic)
	}
}

// leaveAll ends all topics and takes the cursor off other people's screens.
func (s *socket) leaveAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for topic, k := range s.subs {
		if prefix, id, err := parseTopic(topic); err == nil && prefix == topicDraft && !s.grant.guest() && !s.presence.IsZero() {
			s.showPresence(id, presenceFrame{T: "presence", Topic: topic, Socket: s.id, By: s.person(), Gone: true}, k.sub)
		}
		k.cancel()
		delete(s.subs, topic)
	}
}

// gone tells the client that its right has ended and closes the socket.
func (s *socket) gone(why string) {
	s.mu.Lock()
	for topic := range s.subs {
		s.out.push(frame{body: encodeFrame(goneFrame{"gone", topic, why})})
	}
	s.mu.Unlock()
	s.out.close(closeRevoked, why)
}

// write sends what is queued. A reader that takes nothing for five seconds is
// cut off; it resumes from its last number.
func (s *socket) write() {
	defer s.conn.Close()              //nolint:errcheck // wakes the reader; it is over either way
	ping := time.NewTicker(pingEvery) //nolint:forbidigo // paces, decides nothing
	defer ping.Stop()
	deadline := func() time.Time { return time.Now().Add(writeWithin) } //nolint:forbidigo // a network deadline
	for {
		select {
		case <-s.out.ready:
		case <-ping.C:
			if s.conn.WriteControl(websocket.PingMessage, nil, deadline()) != nil {
				return
			}
			continue
		case <-s.ctx.Done():
			closeConn(s.conn, closeTryAgain, "the server stops")
			return
		}
		list, done := s.out.take()
		for _, f := range list {
			_ = s.conn.SetWriteDeadline(deadline())
			if err := s.conn.WriteMessage(websocket.TextMessage, f.body); err != nil {
				var slow net.Error
				if errors.As(err, &slow) && slow.Timeout() {
					s.hub.metrics.stalled.Inc()
				}
				return
			}
			s.hub.metrics.frames.Inc()
		}
		if done {
			closeConn(s.conn, s.out.code, s.out.reason)
			return
		}
	}
}

func closeConn(conn *websocket.Conn, code int, reason string) {
	at := time.Now().Add(writeWithin) //nolint:forbidigo // a network deadline
	_ = conn.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(code, reason), at)
}

func gapFrame(topic string, from, to int64) []byte {
	return encodeFrame(struct {
		T     string `json:"t"`
		Topic string `json:"topic"`
		From  int64  `json:"from"`
		To    int64  `json:"to"`
	}{"gap", topic, from, to})
}
