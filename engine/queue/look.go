package queue

import (
	"cmp"
	"slices"
	"time"
)

// Look is what a queue looks like at one moment, in one process.
type Look struct {
	Workspace string      `json:"workspace"`
	Queue     string      `json:"queue"`
	Depth     [lanes4]int `json:"depth"`   // scheduled and not over, by priority
	Out       int         `json:"out"`     // of those, let out
	Waiting   int         `json:"waiting"` // of those, held back
	Oldest    time.Time   `json:"oldest,omitzero"`
	In        uint64      `json:"in"`   // so far
	Done      uint64      `json:"done"` // so far
}

// Backlog is how many attempts are scheduled and not over.
func (l *Look) Backlog() int {
	return sum(l.Depth[:])
}

func (l *line) backlog() int { return sum(l.depth[:]) }

// Look lists the queues, by name.
func (g *Gate) Look() []Look {
	list := make([]Look, 0, len(g.order))
	for _, l := range g.order {
		k := Look{Workspace: l.name.workspace, Queue: l.name.queue, Depth: l.depth, Out: sum(l.out[:]), Oldest: l.ages.oldest(), In: l.in, Done: l.done}
		k.Waiting = k.Backlog() - k.Out
		list = append(list, k)
	}
	slices.SortFunc(list, func(a, b Look) int {
		return cmp.Or(cmp.Compare(a.Workspace, b.Workspace), cmp.Compare(a.Queue, b.Queue))
	})
	return list
}

// Backlog is how many attempts of a queue are scheduled and not over.
func (g *Gate) Backlog(workspace, queue string) int {
	if l := g.queues[name{workspace, queue}]; l != nil {
		return l.backlog()
	}
	return 0
}

// Full names the queue of a workspace whose backlog is furthest past its
// limit; empty: none is.
func (g *Gate) Full(workspace string) (queue string, backlog, limit int) {
	worst := 1.0
	for _, l := range g.order {
		if l.name.workspace != workspace {
			continue
		}
		s := g.Settings(workspace, l.name.queue)
		n, most := l.backlog(), s.BacklogLimit()
		if share := float64(n) / float64(most); n > most && share > worst {
			worst, queue, backlog, limit = share, l.name.queue, n, most
		}
	}
	return queue, backlog, limit
}

// Open lists the circuits that are open, by name, with the time until which
// they are.
func (g *Gate) Open() map[string]time.Time {
	open := map[string]time.Time{}
	for name, c := range g.circuits {
		if !c.until.IsZero() {
			open[name] = c.until
		}
	}
	return open
}

func sortBySeq(list []*Entry) {
	slices.SortFunc(list, func(a, b *Entry) int { return cmp.Compare(a.seq, b.seq) })
}

// SeriesLength is how many rates are kept of each queue.
const SeriesLength = 60

// Seen is a queue with how fast tasks came and went lately: per look, the
// newest last.
type Seen struct {
	Look
	Ins  []int `json:"ins"`
	Outs []int `json:"outs"`
}

// Watch makes rates of one look after the other.
type Watch struct{ seen map[name]*Seen }

// Observe takes a look and returns it with its rates. Queues that are empty
// and have been still for the whole series are left out.
func (w *Watch) Observe(looks []Look) []Seen {
	if w.seen == nil {
		w.seen = map[name]*Seen{}
	}
	list := make([]Seen, 0, len(looks))
	for _, l := range looks {
		n := name{l.Workspace, l.Queue}
		s := w.seen[n]
		if s == nil {
			s = &Seen{Look: l, Ins: make([]int, SeriesLength), Outs: make([]int, SeriesLength)}
			s.In, s.Done = 0, 0
			w.seen[n] = s
		}
		s.Ins = append(s.Ins[1:], int(l.In-s.In))       //nolint:gosec // small
		s.Outs = append(s.Outs[1:], int(l.Done-s.Done)) //nolint:gosec // small
		s.Look = l
		if l.Backlog() > 0 || sum(s.Ins)+sum(s.Outs) > 0 {
			list = append(list, Seen{l, slices.Clone(s.Ins), slices.Clone(s.Outs)})
		}
	}
	return list
}

func sum(list []int) int {
	n := 0
	for _, v := range list {
		n += v
	}
	return n
}

// Add counts what another process has seen of the same queue.
func (s *Seen) Add(o Seen) {
	for i := range s.Depth {
		s.Depth[i] += o.Depth[i]
	}
	s.Out += o.Out
	s.Waiting += o.Waiting
	s.In += o.In
	s.Done += o.Done
	if s.Oldest.IsZero() || !o.Oldest.IsZero() && o.Oldest.Before(s.Oldest) {
		s.Oldest = o.Oldest
	}
	s.Ins, s.Outs = addTo(s.Ins, o.Ins), addTo(s.Outs, o.Outs)
}

// addTo adds two series that end at the same time.
func addTo(a, b []int) []int {
	if len(a) < len(b) {
		a, b = b, a
	}
	out := slices.Clone(a)
	for i := range b {
		out[len(a)-len(b)+i] += b[i]
	}
	return out
}
