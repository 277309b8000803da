package server

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"signalbox/engine/draft"
)

// Bus carries notices between servers. A server does not hear itself. Notices
// may be lost: whoever listens looks at the store from time to time.
type Bus interface {
	// Publish tells the other servers; a topic is words separated by dots.
	Publish(topic string, data []byte) error
	// Subscribe calls the function, one notice at a time, for a topic in which
	// "*" stands for any one word, until stop is called.
	Subscribe(topic string, fn func(topic string, data []byte)) (stop func(), err error)
}

// What hubs tell each other, behind "hub.".
const (
	noticeDraft    = "draft"    // operations were accepted
	noticeDeleted  = "deleted"  // a workflow is gone
	noticePresence = "presence" // somebody points
	noticeShare    = "share"    // a link was revoked
	noticeSession  = "session"  // somebody logged out
	noticeUser     = "user"     // a person lost rights, or changed their password
	noticeToken    = "token"    // an API token was deleted
	noticeBeside   = "beside"   // what stands beside a drawing has changed: a thread, a review
	noticeNudge    = "nudge"    // there is something for some people
)

// noticeMax is the size above which a frame does not travel: the others are
// told to read it from the store.
const noticeMax = 256 << 10

// notice is what one hub tells the others. Which fields count depends on its
// kind.
type notice struct {
	ID        uuid.UUID       `json:"id,omitzero"`       // of the workflow, share, user or token
	Seq       int64           `json:"seq,omitempty"`     // of the operations
	Frame     json.RawMessage `json:"frame,omitempty"`   // for the sockets; none: it is in the store
	Session   string          `json:"session,omitempty"` // hash of its token's hash
	Workspace string          `json:"workspace,omitempty"`
	Sessions  bool            `json:"sessions,omitempty"` // sockets of API tokens stay
	Users     []uuid.UUID     `json:"users,omitempty"`
}

// Join lets this hub and those of other servers hear each other.
func (h *Hub) Join(bus Bus) error {
	h.mu.Lock()
	h.bus = bus
	h.mu.Unlock()
	stop, err := bus.Subscribe("hub.*", h.hear)
	if err != nil {
		return fmt.Errorf("listen to other servers: %w", err)
	}
	h.begin(func() {
		<-h.ctx.Done()
		stop()
	})
	return nil
}

// tell passes a notice on to the other servers, if there are any.
func (h *Hub) tell(kind string, n notice) {
	h.mu.Lock()
	bus := h.bus
	h.mu.Unlock()
	if bus == nil {
		return
	}
	if len(n.Frame) > noticeMax {
		n.Frame = nil
	}
	if err := bus.Publish("hub."+kind, encodeFrame(n)); err != nil {
		h.log.Warn("other servers were not told", "kind", kind, "err", err)
	}
}

// hear does what another server's hub has done.
func (h *Hub) hear(topic string, data []byte) {
	var n notice
	if err := json.Unmarshal(data, &n); err != nil {
		h.log.Warn("a notice of another server cannot be read", "err", err)
		return
	}
	switch kind := strings.TrimPrefix(topic, "hub."); kind {
	case noticeDraft:
		h.showDraft(n)
	case noticeDeleted:
		h.endDraft(n.ID)
	case noticePresence:
		if f := h.feed(topicDraft + n.ID.String()); f != nil {
			f.send(live{body: n.Frame, loose: true})
		}
	case noticeShare:
		h.endShare(n.ID)
	case noticeSession:
		h.end(func(g grant) bool { return g.session == n.Session })
	case noticeUser:
		h.end(ofUser(n))
	case noticeToken:
		h.end(func(g grant) bool { return n.ID != uuid.Nil && g.who.Token == n.ID })
	case noticeBeside:
		h.showBeside(n)
	case noticeNudge:
		h.nudge(n)
	default: // of a newer server
	}
}

// showDraft passes operations on to those who look at their draft here.
func (h *Hub) showDraft(n notice) {
	f := h.feed(topicDraft + n.ID.String())
	switch {
	case f == nil:
	case n.Frame == nil:
		f.send(live{check: true})
	default:
		f.send(live{from: n.Seq, to: n.Seq, body: n.Frame})
	}
}

// DraftChanged implements draft.Publisher.
func (h *Hub) DraftChanged(c draft.Change) {
	if h.feed(topicDraft+c.Workflow.String()) == nil && !h.joined() {
		return
	}
	n := notice{ID: c.Workflow, Seq: c.Batch.Seq, Frame: draftFrame(c)}
	h.showDraft(n)
	h.tell(noticeDraft, n)
}

func (h *Hub) joined() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.bus != nil
}

// WorkflowDeleted implements draft.Publisher.
func (h *Hub) WorkflowDeleted(_ string, id uuid.UUID) {
	h.endDraft(id)
	h.tell(noticeDeleted, notice{ID: id})
}

func (h *Hub) endDraft(id uuid.UUID) {
	topic := topicDraft + id.String()
	if f := h.feed(topic); f != nil {
		f.send(live{body: encodeFrame(goneFrame{"gone", topic, "deleted"})})
	}
}

// ShareRevoked implements share.Publisher: guests of the link are told and cut
// off at once.
func (h *Hub) ShareRevoked(id uuid.UUID) {
	h.endShare(id)
	h.tell(noticeShare, notice{ID: id})
}

func (h *Hub) endShare(id uuid.UUID) {
	h.end(func(g grant) bool { return g.guest() && g.share == id })
}

// endSession cuts off the sockets of a session.
func (h *Hub) endSession(session string) {
	if session != "" {
		h.end(func(g grant) bool { return g.session == session })
		h.tell(noticeSession, notice{Session: session})
	}
}

// endUser cuts off the sockets of a person in a workspace; sessions says that
// those of API tokens stay.
func (h *Hub) endUser(workspace string, user uuid.UUID, sessions bool) {
	n := notice{ID: user, Workspace: workspace, Sessions: sessions}
	h.end(ofUser(n))
	h.tell(noticeUser, n)
}

func ofUser(n notice) func(grant) bool {
	return func(g grant) bool {
		return g.who.User == n.ID && g.who.Workspace == n.Workspace && (!n.Sessions || g.session != "")
	}
}

// endToken cuts off the sockets of an API token.
func (h *Hub) endToken(id uuid.UUID) {
	h.end(func(g grant) bool { return g.who.Token == id })
	h.tell(noticeToken, notice{ID: id})
}
