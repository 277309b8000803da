// Package audit keeps the record of who did what: an append-only list for each
// workspace, where every entry holds a hash over itself and the entry before
// it. A changed, missing or inserted entry breaks the chain, and Verify names
// the first place.
//
// It records what it is told; it decides nothing.
package audit

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"time"

	"github.com/google/uuid"
)

// Limits of an entry, in bytes: longer texts are cut.
const (
	TextMax = 200
	PageMax = 1_000
)

// Entry says who did what, when and from where.
type Entry struct {
	Seq     int64 // from 1, without gaps
	At      time.Time
	Actor   uuid.UUID // zero: nobody that is known
	Name    string    // of the actor, as it was then
	Token   uuid.UUID // the API token that was used; zero for a session
	Action  string    // what: login, token.create, …
	Target  string    // on what: an id, or empty
	Detail  string    // a name or a role, never a secret
	Address string    // network address of the caller
	Hash    []byte
}

// Sum is the hash of an entry behind the one before it. Every field goes in
// with its length, so that no two entries have the same bytes.
func (e Entry) Sum(workspace string, before []byte) []byte {
	h := sha256.New()
	var n [8]byte
	number := func(v int64) {
		binary.BigEndian.PutUint64(n[:], uint64(v)) //nolint:gosec // a pattern of bits
		_, _ = h.Write(n[:])                        // never fails
	}
	text := func(b []byte) {
		number(int64(len(b)))
		_, _ = h.Write(b) // never fails
	}
	text(before)
	text([]byte(workspace))
	number(e.Seq)
	number(e.At.UnixMicro())
	text(e.Actor[:])
	text([]byte(e.Name))
	text(e.Token[:])
	text([]byte(e.Action))
	text([]byte(e.Target))
	text([]byte(e.Detail))
	text([]byte(e.Address))
	return h.Sum(nil)
}

// Query narrows a list of entries.
type Query struct {
	Action string    // this one, or all that begin with it and a dot; empty: all
	Actor  uuid.UUID // zero: everybody
	From   time.Time // zero: from the first
	To     time.Time // zero: to the last; exclusive
	Before int64     // entries below this number; 0: the newest ones
	Limit  int
}

// Store is where entries are kept.
type Store interface {
	// Append numbers the entries, chains them by Sum and stores them, all or
	// none, after those that are there.
	Append(ctx context.Context, workspace string, entries []Entry) error
	// List returns entries, newest first.
	List(ctx context.Context, workspace string, q Query) ([]Entry, error)
	// After returns entries in their order, those above a number.
	After(ctx context.Context, workspace string, seq int64, limit int) ([]Entry, error)
}
