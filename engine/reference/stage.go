package reference

import (
	"slices"
	"time"
)

// stage is where the run and the runs that it started play, on one clock. A run
// starts others for calls, and for the items of a map that are too many to be
// scopes. Each of them is a world by itself: what is said of one moment and of
// order holds within each; at one moment the timers of the run that began first
// come first, and all timers come before what somebody does and before results.
//
// What a run starts begins when the run has settled, first wanted first. Its end
// is told at once, and what follows from that has happened before the next one
// begins.
type stage struct {
	outcomes Outcomes
	calls    map[string]Workflow
	now      time.Time
	agreed   int // counts appointments
	worlds   []*world
	unborn   []*world
	acts     []act
}

// act is something that somebody does to the run from outside.
type act struct {
	at time.Time
	do func(w *world)
}

// child makes a run that a visit starts. It begins later.
func (w *world) child(v *visit, path string, of *world) {
	of.stage, of.path, of.parent, of.caller = w.stage, path, w, v
	w.stage.unborn = append(w.stage.unborn, of)
	v.children = append(v.children, of)
}

// dismiss ends the runs that a visit started and waits for.
func (w *world) dismiss(v *visit) {
	for _, c := range v.children {
		if c.detached {
			continue
		}
		c.over = true
		for _, s := range c.scopes {
			for _, inner := range s.live {
				c.dismiss(inner)
			}
		}
	}
	v.children = slices.DeleteFunc(v.children, func(c *world) bool { return !c.detached })
}

// play lets everything happen until the first run is over.
func (g *stage) play(first *world) {
	g.raise(first)
	for g.flush(); !first.over; g.flush() {
		w, at, timer, order := g.next()
		switch {
		case len(g.acts) > 0 && (w == nil || at.After(g.acts[0].at) || at.Equal(g.acts[0].at) && !timer):
			a := g.acts[0]
			g.acts = g.acts[1:]
			g.now = a.at
			a.do(first)
			first.settle()
			first.answer()
		case w == nil: // nobody will ever come: a person ends it
			first.report.Status, first.over = StatusCanceled, true
		default:
			g.now = at
			w.happenAll(timer, order)
			w.answer()
		}
	}
}

// next is the world in which something happens first.
func (g *stage) next() (first *world, at time.Time, timer bool, order int) {
	for _, w := range g.worlds {
		if w.over || w.halted {
			continue
		}
		t, isTimer, n, some := w.first()
		if !some {
			continue
		}
		sooner := first == nil || t.Before(at)
		if first != nil && t.Equal(at) {
			sooner = isTimer && !timer || !isTimer && !timer && n < order
		}
		if sooner {
			first, at, timer, order = w, t, isTimer, n
		}
	}
	return first, at, timer, order
}

// flush begins the runs that are wanted.
func (g *stage) flush() {
	for len(g.unborn) > 0 && !g.worlds[0].over {
		w := g.unborn[0]
		g.unborn = g.unborn[1:]
		if !w.over { // nobody wants it any more
			g.raise(w)
			w.answer()
		}
	}
}

func (g *stage) raise(w *world) {
	g.worlds = append(g.worlds, w)
	w.launch()
}

// answer tells whoever waits for the run that it is over, and so on upwards.
func (w *world) answer() {
	for ; w.over && w.parent != nil && !w.told; w = w.parent {
		w.told = true
		if w.detached || w.parent.over {
			return
		}
		w.parent.childEnded(w.caller, w)
		w.parent.settle()
	}
}

// reports are those of all runs that were waited for, each run by itself.
func (g *stage) reports() []Visit {
	var list []Visit
	for _, w := range g.worlds {
		if w.apart() {
			continue
		}
		for _, v := range w.report.Visits {
			v.Run = w.path
			list = append(list, v)
		}
	}
	return list
}

// apart reports whether a run was left to itself, or was started by one that
// was.
func (w *world) apart() bool {
	for ; w != nil; w = w.parent {
		if w.detached {
			return true
		}
	}
	return false
}
