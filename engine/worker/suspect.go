package worker

import (
	"context"
	"fmt"
	"sync"
	"time"

	"signalbox/engine/task"
)

// Witness remembers which visits this process was at work on when it died.
type Witness interface {
	// Deaths is how often in a row it died while it was at work on the visit of
	// an attempt: since an attempt of it ended.
	Deaths(id task.ID) int
	// Begin says that an attempt is at work, until End, or Keep when it is given
	// back.
	Begin(id task.ID) (slot int)
	End(slot int)
	Keep(slot int)
}

// Limits of what may kill the process.
//
// A process dies of many things, and whatever is at work then is not the cause
// of it because of that. So a visit that was at work at three deaths in a row is
// a suspect, and suspects run one at a time: what is innocent among them ends
// well and is none any more, and each further death counts for one of them
// alone. Eight in a row are then no accident.
const (
	suspectAfter = 3
	deathsMax    = 8
)

// nobody is the witness of a pool without one.
type nobody struct{}

func (nobody) Deaths(task.ID) int { return 0 }
func (nobody) Begin(task.ID) int  { return 0 }
func (nobody) End(int)            {}
func (nobody) Keep(int)           {}

// alone lets a suspect wait until no other one is at work; leave lets the next
// one in. It reports false when the pool stops before.
func (p *Pool) alone(ctx context.Context, j Job) (leave func(), ok bool) {
	if n := p.cfg.Witness.Deaths(j.Task().ID()); n < suspectAfter || n >= deathsMax {
		return func() {}, true
	}
	tick := time.NewTicker(extendEvery) //nolint:forbidigo // a heartbeat, not a decision
	defer tick.Stop()
	for {
		select {
		case p.suspect <- struct{}{}:
			return sync.OnceFunc(func() { <-p.suspect }), true
		case <-tick.C:
			j.Extend()
		case <-p.draining:
			return nil, false
		case <-ctx.Done():
			return nil, false
		}
	}
}

// deadly is how an attempt fails whose visit has killed the process too often.
func deadly(deaths int) *Failure {
	return Fail(ClassCrash, fmt.Sprintf("The program died %d times in a row while this step ran, so the step is not run again.", deaths))
}
