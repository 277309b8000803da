package insight

import (
	"time"

	"signalbox/engine/problem"
)

// Tier is one length of interval, and how long rows of it are kept. Everything
// is counted in all of them, so that nothing has to be put together later.
type Tier struct {
	Step int // seconds
	Keep time.Duration
}

// Tiers lists them, the finest first. The last is kept as long as the setting
// says.
func Tiers() []Tier {
	const day = 24 * time.Hour
	return []Tier{{10, 3 * time.Hour}, {60, 2 * day}, {600, 15 * day}, {3600, 0}}
}

// Limits of one question.
const (
	PointsMax = 400         // intervals in one answer
	SpanMin   = time.Minute // between from and to
	SpanMax   = 400 * 24 * time.Hour
)

// Span is a range of time cut into intervals.
type Span struct {
	From, To time.Time // the beginning of the first interval, and the end of the last
	Tier     int       // seconds of the rows to read
	Step     int       // seconds of an interval: the tier, or a multiple of it
}

// SpanOf chooses the finest intervals that were kept and are not too many.
func SpanOf(from, to, now time.Time) (Span, error) {
	if to.After(now) {
		to = now
	}
	switch d := to.Sub(from); {
	case d < SpanMin:
		return Span{}, problem.New(problem.Invalid, "The range of time must begin in the past and be a minute or longer.").At("from", "too late", "a time at least a minute before to")
	case d > SpanMax:
		return Span{}, problem.New(problem.Invalid, "The range of time is longer than 400 days.").At("from", "too early", "a time at most 400 days before to")
	}
	tiers := Tiers()
	for _, t := range tiers {
		last := t.Keep == 0
		if !last && (now.Sub(from) > t.Keep || to.Sub(from) > time.Duration(t.Step*(PointsMax-1))*time.Second) {
			continue
		}
		step := t.Step
		for to.Sub(from) > time.Duration(step*(PointsMax-1))*time.Second {
			step += t.Step
		}
		return Span{Tier: t.Step, Step: step}.over(from, to), nil
	}
	return Span{}, nil // the last tier takes everything
}

// over puts the span's ends onto whole intervals.
func (s Span) over(from, to time.Time) Span {
	step := time.Duration(s.Step) * time.Second
	s.From, s.To = from.UTC().Truncate(step), to.UTC().Truncate(step)
	if s.To.Before(to) {
		s.To = s.To.Add(step)
	}
	return s
}

// Len is how many intervals there are.
func (s Span) Len() int { return int(s.To.Sub(s.From) / (time.Duration(s.Step) * time.Second)) }

// Index is the interval of a time.
func (s Span) Index(at time.Time) int {
	return int(at.Sub(s.From) / (time.Duration(s.Step) * time.Second))
}

// partMax is how many parts an interval has at most.
const partMax = 120

// Part is the part of an interval of so many seconds that a moment is in: a
// second, or longer ones in long intervals. By parts, processes that counted at
// the same time are told from those that counted one after the other.
func Part(step int, at time.Time) uint8 {
	length := max(1, step/partMax)
	return uint8(at.Unix() % int64(step) / int64(length)) //nolint:gosec // below partMax
}

// Times are the beginnings of the intervals, in seconds since 1970.
func (s Span) Times() []int64 {
	list := make([]int64, s.Len())
	for i := range list {
		list[i] = s.From.Unix() + int64(i*s.Step)
	}
	return list
}
