package audit

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// Log appends and reads entries.
type Log struct {
	store Store
	now   func() time.Time

	mu      sync.Mutex
	waiting []waiter
	writing bool // somebody writes what waits
}

// waiter is an entry on its way, and who waits for it.
type waiter struct {
	workspace string
	entry     Entry
	done      chan error
}

// New makes a log; now is the clock.
func New(store Store, now func() time.Time) *Log {
	return &Log{store: store, now: now}
}

// Append keeps an entry; it is stored when Append returns. Entries that come
// at the same time are written together, so that many callers do not stand in
// line for the end of the chain.
func (l *Log) Append(ctx context.Context, workspace string, e Entry) error {
	e.At = l.now().UTC().Truncate(time.Microsecond)
	e.Name, e.Target, e.Detail = clip(e.Name), clip(e.Target), clip(e.Detail)
	w := waiter{workspace, e, make(chan error, 1)}
	l.mu.Lock()
	l.waiting = append(l.waiting, w)
	lead := !l.writing
	l.writing = true
	l.mu.Unlock()
	if lead {
		// Others wait for this write: the caller's end must not end it.
		l.write(context.WithoutCancel(ctx))
	}
	return <-w.done
}

// write stores what waits until nothing does.
func (l *Log) write(ctx context.Context) {
	for {
		l.mu.Lock()
		list := l.waiting
		l.waiting = nil
		l.writing = len(list) > 0
		l.mu.Unlock()
		if len(list) == 0 {
			return
		}
		groups := map[string][]waiter{}
		for _, w := range list {
			groups[w.workspace] = append(groups[w.workspace], w)
		}
		for workspace, group := range groups {
			entries := make([]Entry, len(group))
			for i, w := range group {
				entries[i] = w.entry
			}
			err := l.store.Append(ctx, workspace, entries)
			for _, w := range group {
				w.done <- err
			}
		}
	}
}

// List returns entries, newest first.
func (l *Log) List(ctx context.Context, workspace string, q Query) ([]Entry, error) {
	if q.Limit <= 0 || q.Limit > PageMax {
		q.Limit = PageMax
	}
	list, err := l.store.List(ctx, workspace, q)
	if err != nil {
		return nil, fmt.Errorf("list the audit log: %w", err)
	}
	return list, nil
}

// Report says whether the chain is whole.
type Report struct {
	Entries int64
	Broken  int64  // number of the first entry that does not fit; 0: all fit
	Head    []byte // hash of the last entry: who keeps it can tell later that nothing was cut off
}

// Verify reads a workspace's whole log and looks at every link.
func (l *Log) Verify(ctx context.Context, workspace string) (Report, error) {
	var r Report
	for {
		list, err := l.store.After(ctx, workspace, r.Entries, PageMax)
		if err != nil {
			return r, fmt.Errorf("read the audit log: %w", err)
		}
		for _, e := range list {
			if e.Seq != r.Entries+1 || !bytes.Equal(e.Hash, e.Sum(workspace, r.Head)) {
				r.Broken = r.Entries + 1
				return r, nil
			}
			r.Entries, r.Head = e.Seq, e.Hash
		}
		if len(list) < PageMax {
			return r, nil
		}
	}
}

// clip cuts a text at the end of a character and takes out what no database
// keeps.
func clip(s string) string {
	s = strings.ReplaceAll(strings.ToValidUTF8(s, "�"), "\x00", "�")
	if len(s) <= TextMax {
		return s
	}
	s = s[:TextMax]
	for !utf8.ValidString(s) {
		s = s[:len(s)-1]
	}
	return s
}
