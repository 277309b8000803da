package server

import (
	"slices"

	"github.com/google/uuid"

	"signalbox/engine/comment"
	"signalbox/engine/review"
)

var (
	_ comment.Publisher = (*Hub)(nil)
	_ review.Publisher  = (*Hub)(nil)
)

// threadFrame tells those who look at a drawing that a thread on it is new, has
// changed or is gone. They read it over HTTP, where each sees what is unread.
type threadFrame struct {
	T     string    `json:"t"`
	Topic string    `json:"topic"`
	ID    uuid.UUID `json:"id"`
}

// ThreadChanged implements comment.Publisher.
func (h *Hub) ThreadChanged(_ string, workflow, thread uuid.UUID) {
	n := notice{ID: workflow, Frame: encodeFrame(threadFrame{"thread", topicDraft + workflow.String(), thread})}
	h.showBeside(n)
	h.tell(noticeBeside, n)
}

// reviewFrame tells those who look at a drawing that its review has changed.
type reviewFrame struct {
	T     string `json:"t"`
	Topic string `json:"topic"`
}

// ReviewChanged implements review.Publisher.
func (h *Hub) ReviewChanged(_ string, workflow uuid.UUID) {
	n := notice{ID: workflow, Frame: encodeFrame(reviewFrame{"review", topicDraft + workflow.String()})}
	h.showBeside(n)
	h.tell(noticeBeside, n)
}

// showBeside passes on what stands beside the drawing to those who look at it.
func (h *Hub) showBeside(n notice) {
	if f := h.feed(topicDraft + n.ID.String()); f != nil {
		f.send(live{body: n.Frame})
	}
}

// Nudged implements comment.Publisher.
func (h *Hub) Nudged(workspace string, users []uuid.UUID) {
	n := notice{Workspace: workspace, Users: users}
	h.nudge(n)
	h.tell(noticeNudge, n)
}

// nudge tells every socket of some people that there is something for them.
func (h *Hub) nudge(n notice) {
	body := []byte(`{"t":"nudge"}`)
	h.mu.Lock()
	defer h.mu.Unlock()
	for s := range h.sockets {
		if who := s.grant.who; !s.grant.guest() && who.Workspace == n.Workspace && slices.Contains(n.Users, who.User) {
			s.out.push(frame{body: body, loose: true})
		}
	}
}
