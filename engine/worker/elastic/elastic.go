// Package elastic decides how many workers a queue should have: more as soon as
// tasks wait too long, fewer when they have not been needed for a while.
//
// The same policy sizes the slots of the workers in this process and answers an
// outside scaler, which reads the number as a metric. It is pure: what it sees
// and the time come in, a number comes out.
package elastic

import (
	"errors"
	"fmt"
	"math"
	"time"
)

// Usual values of a Policy.
const (
	PatienceUsual = 200 * time.Millisecond
	CoolUsual     = 30 * time.Second
	StepUsual     = 0.25
	SpareUsual    = 0.1
)

// Policy says between which bounds, and how fast.
type Policy struct {
	Min, Max int
	// Patience is how long the oldest task may wait before workers are added.
	// A shorter wait is what the workers that are there will deal with. 0 is
	// 200 ms; negative: none.
	Patience time.Duration
	// Cool is how long a worker must not have been needed before it goes. It
	// is what keeps the number from swinging. 0 is 30 s.
	Cool time.Duration
	// Step is the share of the workers that may go at once, one at least. 0 is
	// a quarter.
	Step float64
	// Spare is the share of workers kept beyond what was needed at most. 0 is
	// a tenth; negative: none.
	Spare float64
}

// Validate names every fault.
func (p Policy) Validate() error {
	var faults []error
	if p.Min < 0 || p.Max < 1 || p.Min > p.Max {
		faults = append(faults, fmt.Errorf("%d to %d workers are no bounds; expected 0 or more, and at most the upper one, which is 1 or more", p.Min, p.Max))
	}
	if p.Cool < 0 || p.Step < 0 || p.Step > 1 || p.Spare > 1 {
		faults = append(faults, errors.New("a policy's times are positive and its shares are 0 to 1"))
	}
	return errors.Join(faults...)
}

// filled is the policy with the usual values in place of zeros.
func (p Policy) filled() Policy {
	if p.Patience == 0 {
		p.Patience = PatienceUsual
	}
	if p.Cool == 0 {
		p.Cool = CoolUsual
	}
	if p.Step == 0 {
		p.Step = StepUsual
	}
	if p.Spare == 0 {
		p.Spare = SpareUsual
	}
	p.Spare, p.Patience = max(0, p.Spare), max(0, p.Patience)
	return p
}

// Seen is what a queue looks like.
type Seen struct {
	Waiting int           // tasks
	Busy    int           // workers at work
	Oldest  time.Duration // wait of the oldest task; 0 when none waits
}

// Size is how many workers there should be, with what is remembered for the
// next decision. The zero Size is a queue that was never looked at.
type Size struct {
	Workers int
	high    int       // most that were needed since
	since   time.Time // the window began
}

// Next looks at a queue once more.
//
// It grows at once, by as many as there are tasks without a worker, when the
// oldest has waited longer than the patience or nobody is there at all. It
// shrinks only at the end of a window in which fewer were needed, to the most
// that were, plus the spare, and by a step at most.
func (p Policy) Next(s Size, seen Seen, at time.Time) Size {
	p = p.filled()
	if s.since.IsZero() {
		s = Size{Workers: p.Min, since: at}
	}
	needed := seen.Busy + seen.Waiting
	s.high = max(s.high, needed)
	late := seen.Waiting > 0 && (seen.Oldest >= p.Patience || s.Workers == 0)
	if late && needed > s.Workers {
		s.Workers = spared(needed, p.Spare)
	} else if at.Sub(s.since) >= p.Cool {
		if want := spared(s.high, p.Spare); want < s.Workers {
			step := max(1, int(float64(s.Workers)*p.Step))
			s.Workers = max(want, s.Workers-step)
		}
		s.high, s.since = needed, at
	}
	s.Workers = max(p.Min, min(s.Workers, p.Max))
	return s
}

func spared(n int, spare float64) int { return int(math.Ceil(float64(n) * (1 + spare))) }
