// Package watch gives live news of runs to whoever looks at them at the
// moment. It keeps nothing: who comes late reads the log first.
package watch

import (
	"encoding/json"
	"sync"
	"time"

	"github.com/google/uuid"

	"signalbox/engine/runtime/brief"
)

// queueMax is how many frames wait for one watcher; more are dropped, which
// the numbers of the events show.
const queueMax = 256

// Frame is one piece of news from a channel.
type Frame struct {
	Live      bool // not in the log: it may be lost without a gap
	Workspace string
	Run       string
	Briefs    []byte // a JSON array of brief.Brief
}

// Board hands frames to watchers.
type Board struct {
	// Seen is told how old an event was when it reached its watchers; nil:
	// nobody wants to know. Set it before the first Deliver.
	Seen func(age time.Duration)

	mu       sync.RWMutex
	watchers map[subject]map[*watcher]struct{}
}

type subject struct{ workspace, run string }

type watcher struct{ events chan []brief.Brief }

// NewBoard makes a board without watchers.
func NewBoard() *Board { return &Board{watchers: map[subject]map[*watcher]struct{}{}} }

// Deliver gives a frame to those who watch its run. It never blocks; a frame
// that nobody watches is not even read.
func (b *Board) Deliver(f Frame) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	list := b.watchers[subject{f.Workspace, f.Run}]
	if len(list) == 0 {
		return
	}
	var briefs []brief.Brief
	if json.Unmarshal(f.Briefs, &briefs) != nil {
		return
	}
	if n := len(briefs); n > 0 && !f.Live && b.Seen != nil {
		b.Seen(time.Duration(float64(time.Now().UnixMicro())-briefs[n-1].At*1_000) * time.Microsecond) //nolint:forbidigo // a measurement, not a decision
	}
	for w := range list {
		select {
		case w.events <- briefs:
		default:
		}
	}
}

// Watched reports whether anybody watches a run.
func (b *Board) Watched(workspace string, run uuid.UUID) bool {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return len(b.watchers) > 0 && len(b.watchers[subject{workspace, run.String()}]) > 0
}

// Watch returns the news of a run until stop is called. The slices are shared:
// they must not be changed.
func (b *Board) Watch(workspace string, run uuid.UUID) (events <-chan []brief.Brief, stop func()) {
	s := subject{workspace, run.String()}
	w := &watcher{events: make(chan []brief.Brief, queueMax)}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.watchers[s] == nil {
		b.watchers[s] = map[*watcher]struct{}{}
	}
	b.watchers[s][w] = struct{}{}
	return w.events, func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		delete(b.watchers[s], w)
		if len(b.watchers[s]) == 0 {
			delete(b.watchers, s)
		}
	}
}
