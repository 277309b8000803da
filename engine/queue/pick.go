package queue

import (
	"time"

	"signalbox/engine/task"
)

// pollEvery is when a limit that refused is asked again: another process may
// have given slots back.
const pollEvery = 100 * time.Millisecond

// Pick chooses what may go out now, in order, at most so many. Each has to be
// let out or refused.
func (g *Gate) Pick(now time.Time, most int) []*Entry {
	var list []*Entry
	for _, l := range g.order {
		if len(l.lanes) == 0 {
			continue
		}
		s := g.Settings(l.name.workspace, l.name.queue)
		if s.Paused {
			continue
		}
		own, limited := s.need(l.name.workspace, l.name.queue)
		may := func(e *Entry) bool {
			return !l.crowded(e) && (!limited || g.room(own, now)) && g.may(e, now)
		}
		for len(list) < most {
			q := l.best(may)
			if q == nil {
				break
			}
			e := l.pop(q)
			l.asks[lane4(e.Task.Priority)]++
			g.take(e, own, limited)
			list = append(list, e)
		}
	}
	return list
}

// take reserves what is known here.
func (g *Gate) take(e *Entry, own Need, limited bool) {
	g.waits--
	e.state = picked
	e.asked = e.asked[:0]
	if limited {
		e.asked = append(e.asked, own)
	}
	e.asked = append(e.asked, e.Needs...)
	for _, n := range e.asked {
		g.used[n.Name]++
	}
	if e.Trip != nil {
		c := g.circuit(e.Trip.Name)
		e.probe = !c.until.IsZero()
		c.pass()
	}
}

// may reports whether the node's own limits let an attempt go.
func (g *Gate) may(e *Entry, now time.Time) bool {
	for _, n := range e.Needs {
		if !g.room(n, now) {
			return false
		}
	}
	return e.Trip == nil || g.circuits[e.Trip.Name] == nil || g.circuits[e.Trip.Name].held(now).IsZero()
}

// room reports whether it is worth to ask a limit.
func (g *Gate) room(n Need, now time.Time) bool {
	if until, held := g.blocked[n.Name]; held && now.Before(until) {
		return false
	}
	return n.Slots == 0 || g.used[n.Name] < n.Slots
}

// Asked are the limits that a picked attempt needs; none: it may go at once.
func (e *Entry) Asked() []Need { return e.asked }

// Let says that a picked attempt has its slots. It returns false when it is
// over by now: the slots have to be given back, and nothing goes out.
func (g *Gate) Let(e *Entry) (wanted bool) {
	l := g.line(e.Task.Workspace, e.Queue)
	l.asks[lane4(e.Task.Priority)]--
	if e.state == gone {
		g.release(e)
		return false
	}
	e.state = out
	l.out[lane4(e.Task.Priority)]++
	return true
}

// Refuse puts a picked attempt back to the front: the limit refuses it, until
// then, or until a slot is given back.
func (g *Gate) Refuse(e *Entry, limit string, until, now time.Time) {
	if limit != "" {
		if until.IsZero() {
			until = now.Add(pollEvery)
		}
		g.blocked[limit] = until
	}
	g.release(e)
	l := g.line(e.Task.Workspace, e.Queue)
	l.asks[lane4(e.Task.Priority)]--
	if e.state == gone {
		return
	}
	if e.Trip != nil && e.probe {
		g.circuit(e.Trip.Name).probe = false
	}
	e.state, e.probe = waiting, false
	g.waits++
	s := g.Settings(e.Task.Workspace, e.Queue)
	if key := s.fairKey(e); key != "" && l.served[key] > 0 {
		l.served[key]--
	}
	l.push(e, s, true)
}

// release forgets what an attempt has reserved here.
func (g *Gate) release(e *Entry) {
	for _, n := range e.asked {
		if g.used[n.Name]--; g.used[n.Name] <= 0 {
			delete(g.used, n.Name)
		}
	}
	e.asked = nil
}

// Resort puts what waits into its lanes anew: settings have changed.
func (g *Gate) Resort() {
	clear(g.blocked)
	for _, l := range g.order {
		var all []*Entry
		for _, q := range l.lanes {
			all = append(all, q.list...)
		}
		clear(l.lanes)
		clear(l.served)
		l.clock = 0
		sortBySeq(all)
		s := g.Settings(l.name.workspace, l.name.queue)
		for _, e := range all {
			l.push(e, s, false)
		}
	}
}

// Next is when something that waits may go out without a word from outside;
// zero: never.
func (g *Gate) Next(now time.Time) time.Time {
	var next time.Time
	if g.waits == 0 {
		return next
	}
	earlier := func(at time.Time) {
		if at.After(now) && at.Before(farFuture) && (next.IsZero() || at.Before(next)) {
			next = at
		}
	}
	for _, at := range g.blocked {
		earlier(at)
	}
	for _, c := range g.circuits {
		earlier(c.until)
	}
	return next
}

// Shed lists what waits with the lowest priority in a queue whose backlog has
// passed twice its limit, the youngest first, as many as are too many.
func (g *Gate) Shed() []task.ID {
	var list []task.ID
	for _, l := range g.order {
		s := g.Settings(l.name.workspace, l.name.queue)
		over := l.backlog() - 2*s.BacklogLimit()
		if over <= 0 {
			continue
		}
		var low []*Entry
		for _, q := range l.lanes {
			if q.key.priority == lanes4-1 {
				low = append(low, q.list...)
			}
		}
		sortBySeq(low)
		for i := len(low) - 1; i >= 0 && over > 0 && len(list) < shedMax; i, over = i-1, over-1 {
			if !low[i].shed {
				list = append(list, low[i].Task.ID())
			}
		}
	}
	return list
}

// Shedding says that attempts are being failed: they are not listed again.
func (g *Gate) Shedding(ids []task.ID) {
	for _, id := range ids {
		if e := g.entries[id]; e != nil {
			e.shed = true
		}
	}
}

// shedMax is how many attempts are shed in one go.
const shedMax = 1_000
