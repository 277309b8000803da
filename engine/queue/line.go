package queue

import (
	"slices"
	"strings"
	"time"

	"signalbox/engine/task"
)

// lanes4 is how many priorities there are.
const lanes4 = 4

func lane4(priority int) int { return min(max(priority, 0), lanes4-1) }

// line is one queue of a workspace.
type line struct {
	name  name
	lanes map[laneKey]*lane
	// served counts what has gone out of each who take turns; clock is the
	// count of the last one, so that who comes anew does not catch up.
	served map[string]uint64
	clock  uint64

	depth [lanes4]int // scheduled and not over
	asks  [lanes4]int // picked
	out   [lanes4]int // with the workers, or in the channel on the way to them
	in    uint64      // so far
	done  uint64
	ages  ages
}

// OutMax is how many attempts of a queue and a priority are out at once, limits
// or not. What is out cannot take turns any more, and the channel holds it in
// memory a second time; what waits can.
const OutMax = 8_192

// crowded reports whether so many of an attempt's kind are out that it waits.
func (l *line) crowded(e *Entry) bool {
	p := lane4(e.Task.Priority)
	return l.asks[p]+l.out[p] >= OutMax
}

// passes reports whether an attempt without limits goes out at once: there is
// room, and none that came before it waits for that.
func (l *line) passes(e *Entry) bool {
	return !l.crowded(e) && (len(l.lanes) == 0 || l.lanes[laneKey{priority: lane4(e.Task.Priority)}] == nil)
}

// laneKey is what attempts have in common that go out in the order in which
// they came: nothing can hold one of them back and let a later one pass.
type laneKey struct {
	priority   int
	fair, held string
}

type lane struct {
	key  laneKey
	list []*Entry
}

func newLine(n name) *line {
	return &line{name: n, lanes: map[laneKey]*lane{}, served: map[string]uint64{}}
}

// let says that an attempt that did not wait is out.
func (l *line) let(e *Entry) {
	e.state = out
	e.Task.Config = task.Task{}.Config // it is not needed here any more
	l.out[lane4(e.Task.Priority)]++
}

func (l *line) push(e *Entry, s Settings, front bool) {
	k := laneKey{lane4(e.Task.Priority), s.fairKey(e), e.heldBy()}
	q := l.lanes[k]
	if q == nil {
		q = &lane{key: k}
		l.lanes[k] = q
		if !l.waits(k.fair, q) {
			l.served[k.fair] = max(l.served[k.fair], l.clock)
		}
	}
	e.lane = q
	if front {
		q.list = slices.Insert(q.list, 0, e)
	} else {
		q.list = append(q.list, e)
	}
}

// waits reports whether another lane of the same who takes turns is there.
func (l *line) waits(fair string, but *lane) bool {
	for _, q := range l.lanes {
		if q != but && q.key.fair == fair {
			return true
		}
	}
	return false
}

// heldBy names the limits of the attempt's node.
func (e *Entry) heldBy() string {
	if len(e.Needs) == 0 && e.Trip == nil {
		return ""
	}
	var b strings.Builder
	for _, n := range e.Needs {
		b.WriteString(n.Name)
		b.WriteByte(0)
	}
	if e.Trip != nil {
		b.WriteString(e.Trip.Name)
	}
	return b.String()
}

func (l *line) remove(e *Entry) {
	q := e.lane
	if i := slices.Index(q.list, e); i >= 0 {
		q.list = slices.Delete(q.list, i, i+1)
	}
	e.lane = nil
	l.tidy(q)
}

func (l *line) tidy(q *lane) {
	if len(q.list) > 0 {
		return
	}
	delete(l.lanes, q.key)
	if len(l.lanes) == 0 { // nobody waits: nobody has had more than others
		clear(l.served)
		l.clock = 0
		return
	}
	if !l.waits(q.key.fair, q) && l.served[q.key.fair] <= l.clock {
		delete(l.served, q.key.fair)
	}
}

// best is the lane whose turn it is among those that may go; nil: none.
func (l *line) best(may func(*Entry) bool) *lane {
	var best *lane
	for _, q := range l.lanes {
		if best != nil && !l.before(q, best) {
			continue
		}
		if may(q.list[0]) {
			best = q
		}
	}
	return best
}

// before orders lanes: the more urgent, then who has had less, then who has
// waited longer.
func (l *line) before(a, b *lane) bool {
	if a.key.priority != b.key.priority {
		return a.key.priority < b.key.priority
	}
	if x, y := l.served[a.key.fair], l.served[b.key.fair]; a.key.fair != b.key.fair && x != y {
		return x < y
	}
	return a.list[0].seq < b.list[0].seq
}

// pop takes the first of a lane.
func (l *line) pop(q *lane) *Entry {
	e := q.list[0]
	q.list[0] = nil
	q.list = q.list[1:]
	if q.key.fair != "" {
		l.clock = max(l.clock, l.served[q.key.fair])
		l.served[q.key.fair]++
	}
	e.lane = nil
	l.tidy(q)
	return e
}

// ages finds the oldest attempt that is not over.
type ages struct{ list []*Entry }

func (a *ages) push(e *Entry) {
	a.trim()
	if len(a.list) == cap(a.list) && len(a.list) > 64 { // before it grows, what is over behind the oldest goes
		a.list = slices.DeleteFunc(a.list, func(e *Entry) bool { return e.state == gone })
	}
	a.list = append(a.list, e)
}

func (a *ages) trim() {
	for len(a.list) > 0 && a.list[0].state == gone {
		a.list[0] = nil
		a.list = a.list[1:]
	}
}

func (a *ages) oldest() time.Time {
	a.trim()
	if len(a.list) == 0 {
		return time.Time{}
	}
	return a.list[0].At
}
