package queue

import (
	"slices"
	"time"

	"signalbox/engine/task"
)

// Entry is one attempt that is scheduled and not over.
type Entry struct {
	Task   task.Task
	Queue  string // as people know it; the task has the channel's name of it
	Labels map[string]string
	Needs  []Need // limits of its node; those of its queue are read when it is picked
	Trip   *Trip  // circuit of its node; nil: none
	At     time.Time

	state state
	probe bool
	shed  bool // it is being failed
	lane  *lane
	asked []Need // limits of which it has, or asks for, a slot
	seq   uint64
	at    int // its place among the entries of its run
}

type state int

const (
	waiting state = iota
	picked        // slots are being asked for
	out           // with the workers
	gone          // over while slots were asked for
)

// Gate holds what waits in one process, and knows what it has let out.
//
// It is told what it cannot know: whether slots were to be had, over all
// processes. What it knows itself keeps it from asking in vain.
type Gate struct {
	// Settings of a queue; they may change from call to call.
	Settings func(workspace, queue string) Settings

	seq      uint64
	entries  map[task.ID]*Entry
	runs     map[string][]*Entry
	queues   map[name]*line
	order    []*line              // the same, in the order in which they came
	used     map[string]int       // slots that attempts of this process have, by limit
	blocked  map[string]time.Time // limits that refused, and until when not to ask
	circuits map[string]*Circuit
	waits    int
}

// name of a queue.
type name struct{ workspace, queue string }

// NewGate makes an empty gate.
func NewGate(settings func(workspace, queue string) Settings) *Gate {
	return &Gate{
		Settings: settings, entries: map[task.ID]*Entry{}, runs: map[string][]*Entry{}, queues: map[name]*line{}, used: map[string]int{},
		blocked: map[string]time.Time{}, circuits: map[string]*Circuit{},
	}
}

// Add takes an attempt in. It waits for its turn when wait says so, or when
// OutMax of its kind are out; else it counts as let out, and Add returns true.
// One that is known already changes nothing: what is out may go out again.
func (g *Gate) Add(e Entry, wait bool) (free bool) {
	if old := g.entries[e.Task.ID()]; old != nil {
		return old.state == out && !g.Settings(e.Task.Workspace, e.Queue).Paused
	}
	l, kept := g.keep(e)
	if !wait && l.passes(kept) {
		l.let(kept)
		return true
	}
	g.waits++
	l.push(kept, g.Settings(e.Task.Workspace, e.Queue), false)
	return false
}

// keep notes an attempt that is new.
func (g *Gate) keep(e Entry) (*line, *Entry) {
	g.seq++
	e.seq = g.seq
	l := g.line(e.Task.Workspace, e.Queue)
	kept := &e
	g.entries[e.Task.ID()] = kept
	kept.at = len(g.runs[e.Task.Run])
	g.runs[e.Task.Run] = append(g.runs[e.Task.Run], kept)
	l.in++
	l.depth[lane4(e.Task.Priority)]++
	l.ages.push(kept)
	return l, kept
}

// Took says that an attempt holds slots of these limits already: it was let
// out before whoever does so now began, so it is out, whoever waits.
func (g *Gate) Took(e Entry, limits []string) {
	if g.entries[e.Task.ID()] != nil {
		return
	}
	l, kept := g.keep(e)
	l.let(kept)
	for _, name := range limits {
		kept.asked = append(kept.asked, Need{Name: name})
		g.used[name]++
	}
}

// Known reports whether an attempt is in the gate.
func (g *Gate) Known(id task.ID) bool { return g.entries[id] != nil }

// Holds reports whether an attempt has slots, or is asking for them.
func (g *Gate) Holds(id task.ID) bool {
	e := g.entries[id]
	return e != nil && len(e.asked) > 0
}

// HeldBy lists the attempts of a run that have slots.
func (g *Gate) HeldBy(run string) []task.ID {
	var list []task.ID
	for _, e := range g.runs[run] {
		if len(e.asked) > 0 {
			list = append(list, e.Task.ID())
		}
	}
	return list
}

// Workspaces lists those that have queues.
func (g *Gate) Workspaces() []string {
	var list []string
	for _, l := range g.order {
		if !slices.Contains(list, l.name.workspace) {
			list = append(list, l.name.workspace)
		}
	}
	return list
}

// Len is how many attempts are in the gate; Waiting, how many of them wait.
func (g *Gate) Len() int { return len(g.entries) }

// Waiting is how many attempts wait.
func (g *Gate) Waiting() int { return g.waits }

// End says that an attempt is over. It returns true when it holds slots that
// have to be given back.
func (g *Gate) End(id task.ID, class string, ok bool, now time.Time) (held bool) {
	e := g.entries[id]
	if e == nil {
		return false
	}
	l := g.line(e.Task.Workspace, e.Queue)
	l.done++
	if e.Trip != nil && e.state != waiting {
		g.circuit(e.Trip.Name).end(*e.Trip, ok, Down(class), e.probe, now)
	}
	return g.drop(e, l)
}

// drop forgets an attempt.
func (g *Gate) drop(e *Entry, l *line) (held bool) {
	delete(g.entries, e.Task.ID())
	list := g.runs[e.Task.Run]
	last := len(list) - 1
	list[e.at], list[last].at = list[last], e.at
	list[last] = nil
	list = list[:last]
	if len(list) == 0 {
		delete(g.runs, e.Task.Run)
	} else {
		g.runs[e.Task.Run] = list
	}
	l.depth[lane4(e.Task.Priority)]--
	switch e.state {
	case waiting:
		g.waits--
		l.remove(e)
	case picked:
		e.state = gone // whoever asks for its slots gives them back, too
		return len(e.asked) > 0
	case out:
		l.out[lane4(e.Task.Priority)]--
		held = len(e.asked) > 0
		for _, n := range e.asked {
			if n.Slots > 0 || n.Rate == 0 {
				delete(g.blocked, n.Name)
			}
		}
		g.release(e)
	case gone:
	}
	e.state = gone
	return held
}

// EndRun ends all attempts of a run and lists those that hold slots.
func (g *Gate) EndRun(run string) (held []task.ID) {
	for len(g.runs[run]) > 0 {
		e := g.runs[run][0]
		l := g.line(e.Task.Workspace, e.Queue)
		l.done++
		if e.Trip != nil && e.probe {
			g.circuit(e.Trip.Name).probe = false // it told nothing; the next one may
		}
		if g.drop(e, l) {
			held = append(held, e.Task.ID())
		}
	}
	return held
}

// Forget drops all attempts of a shard: another process has it now, or it is
// read again.
func (g *Gate) Forget(shard int) {
	for _, e := range g.entries {
		if e.Task.Shard == shard {
			if e.Trip != nil && e.probe {
				g.circuit(e.Trip.Name).probe = false
			}
			g.drop(e, g.line(e.Task.Workspace, e.Queue))
		}
	}
}

func (g *Gate) circuit(name string) *Circuit {
	c := g.circuits[name]
	if c == nil {
		c = &Circuit{}
		g.circuits[name] = c
	}
	return c
}

func (g *Gate) line(workspace, queue string) *line {
	n := name{workspace, queue}
	l := g.queues[n]
	if l == nil {
		l = newLine(n)
		g.queues[n] = l
		g.order = append(g.order, l)
	}
	return l
}
