package server

import (
	"time"

	"github.com/google/uuid"

	"signalbox/engine/draft"
)

// Limits of presence.
const (
	presenceHz   = 15  // cursors a second from one socket
	selectionMax = 200 // nodes in one selection
	fieldMax     = 300 // bytes of the name of a field
)

// presenceFrame shows where somebody points, what they have selected and in
// which field they type: others leave it alone meanwhile.
type presenceFrame struct {
	T         string       `json:"t"`
	Topic     string       `json:"topic"`
	Socket    string       `json:"socket"` // one person may have several tabs
	By        draft.Person `json:"by"`
	X         float64      `json:"x"`
	Y         float64      `json:"y"`
	Selection []string     `json:"selection"`
	Field     string       `json:"field,omitempty"` // node and place in it: "n1/config/url"
	Gone      bool         `json:"gone,omitempty"`
}

func (s *socket) person() draft.Person {
	return draft.Person{ID: s.grant.who.User, Name: s.grant.who.Name}
}

// shareCursor passes a cursor on to the others in the topic, at most 15 times
// a second; what comes faster is dropped.
func (s *socket) shareCursor(m clientFrame) {
	s.mu.Lock()
	k, ok := s.subs[m.Topic]
	now := s.server.config.Now()
	early := now.Sub(s.presence) < time.Second/presenceHz
	if ok && !early {
		s.presence = now
	}
	s.mu.Unlock()
	prefix, id, err := parseTopic(m.Topic)
	if !ok || early || err != nil || prefix != topicDraft || len(m.Selection) > selectionMax || len(m.Field) > fieldMax {
		return
	}
	if m.Selection == nil {
		m.Selection = []string{}
	}
	for _, node := range m.Selection {
		if len(node) > 64 {
			return
		}
	}
	s.showPresence(id, presenceFrame{T: "presence", Topic: m.Topic, Socket: s.id, By: s.person(), X: m.X, Y: m.Y, Selection: m.Selection, Field: m.Field}, k.sub)
}

// showPresence shows it to all who look at the draft, on every server, but not
// to whom it comes from.
func (s *socket) showPresence(workflow uuid.UUID, p presenceFrame, sender *subscription) {
	body := encodeFrame(p)
	if f := s.hub.feed(p.Topic); f != nil {
		f.send(live{body: body, loose: true, sender: sender})
	}
	s.hub.tell(noticePresence, notice{ID: workflow, Frame: body})
}
