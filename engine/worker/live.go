package worker

import (
	"cmp"
	"encoding/json"
	"strings"
	"sync"
	"time"

	"signalbox/engine/runtime/brief"
)

// Limits of what is shown live.
const (
	runningAfter  = 10 * time.Millisecond // an attempt that is over sooner is not announced: nobody could see it
	progressEvery = 50 * time.Millisecond // text is sent at most so often
	progressMax   = 64 << 10              // bytes of text that one attempt shows
)

// announcer tells whoever watches which attempts are at work, a while after
// they began. One clock serves them all: most are over before anybody could see
// them, and a clock of its own would cost such an attempt more than all else.
type announcer struct {
	mu          sync.Mutex
	fresh, aged []*attempt // since the clock's last ring, and those before
	armed       bool
	clock       *time.Timer
}

func newAnnouncer() *announcer {
	n := &announcer{}
	n.clock = time.AfterFunc(time.Hour, n.ring) //nolint:forbidigo // a delay, not a decision
	return n
}

// add has an attempt announced if it is still at work after runningAfter, at
// the latest after twice as long.
func (n *announcer) add(a *attempt) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.fresh = append(n.fresh, a)
	if !n.armed {
		n.armed = true
		n.clock.Reset(runningAfter)
	}
}

func (n *announcer) ring() {
	n.mu.Lock()
	due := n.aged
	n.fresh, n.aged = nil, n.fresh
	if n.armed = len(n.aged) > 0; n.armed {
		n.clock.Reset(runningAfter)
	}
	n.mu.Unlock()
	for _, a := range due {
		a.announce()
	}
}

// announce tells whoever watches that a worker has taken the task.
func (a *attempt) announce() {
	a.stream.mu.Lock()
	defer a.stream.mu.Unlock()
	if !a.stream.closed {
		a.show(brief.Brief{Type: "TaskRunning", Worker: cmp.Or(a.stream.worker, a.pool.cfg.Name), Began: brief.Millis(a.began)})
	}
}

// by notes who does the work.
func (a *attempt) by(worker string) {
	a.stream.mu.Lock()
	defer a.stream.mu.Unlock()
	a.stream.worker = worker
}

// worker is who does the work.
func (a *attempt) worker() string {
	a.stream.mu.Lock()
	defer a.stream.mu.Unlock()
	return cmp.Or(a.stream.worker, a.pool.cfg.Name)
}

// show publishes one brief of this attempt.
func (a *attempt) show(b brief.Brief) {
	t := a.job.Task()
	b.At, b.Scope, b.Node, b.Visit, b.Attempt = brief.Millis(a.pool.cfg.Now()), t.Scope, t.Node, t.Visit, t.Attempt
	raw, err := json.Marshal([]brief.Brief{b})
	if err != nil {
		return // a brief holds only texts and numbers
	}
	a.pool.cfg.Source.Live(t.Workspace, t.Run, raw)
}

// stream gathers progress and sends it in pieces.
type stream struct {
	mu      sync.Mutex
	text    strings.Builder
	sent    int
	last    time.Time
	waiting bool
	worker  string // who does the work; empty: the pool
	closed  bool   // the attempt is over: nothing is shown any more
}

// add takes text; the first goes out at once, more at most every 50 ms.
func (s *stream) add(a *attempt, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || s.sent+s.text.Len()+len(text) > progressMax {
		return
	}
	s.text.WriteString(text)
	if s.waiting {
		return
	}
	if now := a.pool.cfg.Now(); now.Sub(s.last) >= progressEvery {
		s.send(a)
		return
	}
	s.waiting = true
	time.AfterFunc(progressEvery, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.waiting = false
		if !s.closed {
			s.send(a)
		}
	})
}

// close sends what is left.
func (s *stream) close(a *attempt) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.push(a, s.text.String(), "")
	s.closed = true
}

// send sends whole words: a secret that comes in two pieces would be found in
// neither, so what may be the first half of one stays until the rest is there.
func (s *stream) send(a *attempt) {
	text := s.text.String()
	end := strings.LastIndexAny(text, " \t\r\n") + 1
	s.push(a, text[:end], text[end:])
}

func (s *stream) push(a *attempt, text, rest string) {
	if text == "" {
		return
	}
	s.text.Reset()
	s.text.WriteString(rest)
	s.sent += len(text)
	s.last = a.pool.cfg.Now()
	a.show(brief.Brief{Type: "TaskProgress", Text: string(a.pool.cfg.Redact([]byte(text)))})
}
