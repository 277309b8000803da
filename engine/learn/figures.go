// Package learn says how much of some work each of several queues should get,
// by what was measured of them.
//
// It is pure: the same figures always give the same shares, and the same
// attempt with the same shares always goes to the same queue.
package learn

import (
	"math"
	"time"
)

// Sums are what a number of attempts came to. The number need not be whole:
// what is old counts less.
type Sums struct {
	N  float64 `json:"n"`            // attempts
	OK float64 `json:"ok"`           // of those, succeeded
	T  float64 `json:"t"`            // seconds from scheduled to done
	TT float64 `json:"tt,omitempty"` // of their squares
}

// Figures are what was measured of one queue.
type Figures struct {
	// Lately fades with each attempt of the rule: what it says is of now.
	Lately Sums `json:"lately"`
	// Long fades with time alone.
	Long Sums `json:"long"`
	// Each is Long with every attempt counted as often as the draw would have
	// sent it elsewhere (1 by its share): what all of the work would have been.
	Each Sums `json:"each"`
	// Spread is the sum of the squares of those counts.
	Spread float64 `json:"spread"`
}

// Table is the figures of the queues of one rule, by name.
type Table map[string]Figures

// How figures fade.
const (
	// Memory is how many attempts of a rule what is known lately fades over.
	Memory = 400
	// MemoryLeast bounds that by time: where thousands come in a second, a
	// moment of them is no better than another.
	MemoryLeast = time.Minute
	// HalfLife is when what nothing has been added to counts half.
	HalfLife = 7 * 24 * time.Hour
	// Least is how much of one attempt says nothing any more. Without an end, a
	// queue that gets nothing for hours would be left with numbers too small to
	// divide by.
	Least = 0.05
)

// Add counts one attempt: whether it succeeded, how long it took from scheduled
// to done, and which share of the work the queue had then.
func (t Table) Add(queue string, ok bool, took time.Duration, share float64) {
	f := t[queue]
	s := Sums{N: 1, T: max(0, took.Seconds())}
	s.TT = s.T * s.T
	if ok {
		s.OK = 1
	}
	f.Lately = f.Lately.plus(s)
	f.Long = f.Long.plus(s)
	if share > 0 {
		w := 1 / share
		f.Each = f.Each.plus(s.times(w))
		f.Spread += w * w
	}
	t[queue] = f
}

// Merge adds what was measured since to what was known, which has faded
// meanwhile. Neither is changed.
func Merge(was, since Table, passed time.Duration) Table {
	passed = max(0, passed)
	came := 0.0
	for _, f := range since {
		came += f.Lately.N
	}
	fade := min(came/Memory, passed.Seconds()/MemoryLeast.Seconds())
	keep := math.Exp2(-passed.Seconds() / HalfLife.Seconds())
	recent, own := math.Exp(-fade), 1.0
	if fade > 0 {
		own = (1 - recent) / fade // what came first has faded since, too
	}
	all := make(Table, len(was)+len(since))
	for queue, f := range was {
		f = Figures{Lately: f.Lately.times(recent * keep), Long: f.Long.times(keep), Each: f.Each.times(keep), Spread: f.Spread * keep * keep}
		if f.Lately.N < Least {
			f.Lately = Sums{}
		}
		if f.Long.N < Least {
			continue // it has not been used for weeks
		}
		all[queue] = f
	}
	for queue, n := range since {
		f := all[queue]
		all[queue] = Figures{Lately: f.Lately.plus(n.Lately.times(own)), Long: f.Long.plus(n.Long), Each: f.Each.plus(n.Each), Spread: f.Spread + n.Spread}
	}
	return all
}

// Plus adds two figures of one age.
func (f Figures) Plus(o Figures) Figures {
	return Figures{Lately: f.Lately.plus(o.Lately), Long: f.Long.plus(o.Long), Each: f.Each.plus(o.Each), Spread: f.Spread + o.Spread}
}

func (s Sums) plus(o Sums) Sums {
	return Sums{N: s.N + o.N, OK: s.OK + o.OK, T: s.T + o.T, TT: s.TT + o.TT}
}

func (s Sums) times(w float64) Sums { return Sums{N: s.N * w, OK: s.OK * w, T: s.T * w, TT: s.TT * w} }

// unevenness is the variance of the times by the square of their mean. Of few
// it is near that of exponential times, which is 1.
func (s Sums) unevenness() float64 {
	const prior = 2
	if s.N <= 0 || s.T <= 0 {
		return 1
	}
	mean := s.T / s.N
	own := max(0, s.TT/s.N/(mean*mean)-1)
	return (s.N*own + prior) / (s.N + prior)
}
