package server

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"

	"signalbox/engine/account"
	"signalbox/engine/problem"
)

const (
	ticketLifetime = 30 * time.Second
	ticketsMax     = 50_000 // that wait to be used, of all servers
)

// Tickets keeps what opens sockets, for all servers: a page gets its ticket
// from one and may come to another with it.
type Tickets interface {
	// Put keeps a ticket under the hash of its text unless there are too many.
	Put(ctx context.Context, hash string, data []byte, now, expires time.Time, most int) (kept bool, err error)
	// Take removes a ticket and returns it: of many who want one, one gets it.
	// false: there is none, or it has expired.
	Take(ctx context.Context, hash string, now time.Time) (data []byte, ok bool, err error)
}

// grant is what a ticket stands for: who the socket belongs to.
type grant struct {
	who     account.Identity // a member; zero for a guest
	session string           // ends with it; empty for API tokens
	share   uuid.UUID        // a guest's link
	run     uuid.UUID        // the only run that a guest may watch; zero: none
	until   time.Time        // the socket ends then; zero: by its age
}

func (g grant) guest() bool { return !g.who.Known() }

// keptGrant is a grant as it is kept.
type keptGrant struct {
	Who     account.Identity
	Session string
	Share   uuid.UUID
	Run     uuid.UUID
	Until   time.Time
}

// issue makes a ticket. It lets a page that is logged in open one socket: it
// travels in the first frame, so that another site, which can open a socket
// here but cannot read our answers, has none.
func (s *Server) issue(ctx context.Context, g grant) (text string, err error) {
	text = rand.Text()
	now := s.config.Now()
	kept, err := s.config.Tickets.Put(ctx, hashText(text), encodeFrame(keptGrant{g.who, g.session, g.share, g.run, g.until}), now, now.Add(ticketLifetime), ticketsMax)
	if err != nil {
		return "", fmt.Errorf("keep a ticket: %w", err)
	}
	if !kept {
		return "", problem.New(problem.TooMany, "Too many tickets wait to be used.")
	}
	return text, nil
}

// redeem takes the ticket away and says what it stands for.
func (s *Server) redeem(ctx context.Context, text string) (grant, bool, error) {
	data, ok, err := s.config.Tickets.Take(ctx, hashText(text), s.config.Now())
	if err != nil || !ok {
		return grant{}, false, err //nolint:wrapcheck // logged by the caller
	}
	var k keptGrant
	if err := json.Unmarshal(data, &k); err != nil {
		return grant{}, false, fmt.Errorf("read a ticket: %w", err)
	}
	return grant{k.Who, k.Session, k.Share, k.Run, k.Until}, true, nil
}
