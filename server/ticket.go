package server

import (
	"crypto/rand"
	"sync"
	"time"

	"github.com/google/uuid"

	"signalbox/engine/account"
)

const (
	ticketLifetime = 30 * time.Second
	ticketsMax     = 50_000 // that wait to be used
)

// grant is what a ticket stands for: who the socket belongs to.
type grant struct {
	who     account.Identity // a member; zero for a guest
	session string           // ends with it; empty for API tokens
	share   uuid.UUID        // a guest's link
	run     uuid.UUID        // the only run that a guest may watch; zero: none
	until   time.Time        // the socket ends then; zero: by its age
}

func (g grant) guest() bool { return !g.who.Known() }

// tickets lets a page that is logged in open one socket: the ticket travels in
// the first frame, so that another site, which can open a socket here but
// cannot read our answers, has none.
type tickets struct {
	mu   sync.Mutex
	open map[string]ticket // by hash
	now  func() time.Time
}

type ticket struct {
	grant   grant
	expires time.Time
}

func newTickets(now func() time.Time) *tickets {
	return &tickets{open: map[string]ticket{}, now: now}
}

// issue makes a ticket; ok is false when too many are waiting.
func (t *tickets) issue(g grant) (text string, ok bool) {
	text = rand.Text()
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.open) >= ticketsMax {
		t.sweep()
	}
	if len(t.open) >= ticketsMax {
		return "", false
	}
	t.open[hashText(text)] = ticket{grant: g, expires: t.now().Add(ticketLifetime)}
	return text, true
}

// use takes the ticket away and says what it stands for.
func (t *tickets) use(text string) (grant, bool) {
	key := hashText(text)
	t.mu.Lock()
	defer t.mu.Unlock()
	k, ok := t.open[key]
	delete(t.open, key)
	return k.grant, ok && t.now().Before(k.expires)
}

func (t *tickets) sweep() {
	now := t.now()
	for key, k := range t.open {
		if !now.Before(k.expires) {
			delete(t.open, key)
		}
	}
}
