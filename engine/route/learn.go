package route

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"signalbox/engine/learn"
)

// Learn chooses among queues by what was measured of them.
type Learn struct {
	// ID is what is learned under; a rule with a new one knows nothing.
	ID    string  `json:"id,omitempty"`
	Among []Among `json:"among"`
	Goal  string  `json:"goal"` // one of learn.Goals
	// By are attributes whose values are learned apart: some of LearnedBy.
	By []string `json:"by,omitempty"`
	// Explore is the share that is spread evenly; 0: learn.ExploreUsual.
	Explore float64 `json:"explore,omitempty"`
	// Pin is the queue that everything goes to, whatever was learned.
	Pin string `json:"pin,omitempty"`
}

// Among is one of the queues.
type Among struct {
	Queue string  `json:"queue"`
	Cost  float64 `json:"cost,omitempty"` // of one attempt, for the goal cheapest
}

// Limits of a learned rule.
const (
	AmongLeast = 2
	AmongMost  = 6
	CostMost   = 1e9
)

// LearnedBy lists the attributes whose values can be learned apart: those that
// have few.
func LearnedBy() []string { return []string{"kind", "priority"} }

// Attempt names what is decided about; the draw comes from it.
type Attempt struct {
	Run, Node    string
	Scope, Visit int
}

// Learned says why a queue was chosen among others. The event keeps it.
type Learned struct {
	Rule  string   `json:"rule"`          // id
	For   string   `json:"for,omitempty"` // the values that are learned apart
	Goal  string   `json:"goal"`
	Why   string   `json:"why"`
	Among []Figure `json:"among"`
}

// Why a queue was chosen.
const (
	WhyBest    = "best"    // it has the largest share
	WhyTried   = "tried"   // to learn more of it
	WhyUnknown = "unknown" // nothing is known of any yet
	WhyPinned  = "pinned"  // a person said so
	WhyNone    = "none"    // none of them takes anything: the default
)

// Figure is what was known of a queue when the choice was made.
type Figure struct {
	Queue   string  `json:"queue"`
	Share   float64 `json:"share"`             // of the work, then
	N       float64 `json:"n,omitempty"`       // attempts that count, lately
	Seconds float64 `json:"seconds,omitempty"` // mean, from scheduled to done
	OK      float64 `json:"ok,omitempty"`      // share that succeeded
	Off     string  `json:"off,omitempty"`     // why it was left out
}

// Why a queue is left out.
const (
	OffPaused  = "paused"
	OffStalled = "stalled" // what went there does not come back
)

// For names the values that are learned apart, for one task.
func (l *Learn) For(a *Attributes) string {
	if len(l.By) == 0 {
		return ""
	}
	list := make([]string, 0, len(l.By))
	for _, by := range l.By {
		switch by {
		case "kind":
			list = append(list, "kind="+a.Kind)
		case "priority":
			list = append(list, "priority="+Names()[min(max(a.Priority, 0), len(Names())-1)])
		}
	}
	return strings.Join(list, ",")
}

// Figures makes of what was measured what a choice needs, in the order of the
// queues.
func (l *Learn) Figures(t learn.Table) []Figure {
	shares := learn.Shares(l.Goal, l.Explore, l.Options(t))
	list := make([]Figure, len(l.Among))
	for i, q := range l.Among {
		s := t[q.Queue].Lately
		list[i] = Figure{Queue: q.Queue, Share: max(round(shares[i]), 1/precision), N: math.Round(s.N*10) / 10}
		if s.N > 0 {
			list[i].Seconds, list[i].OK = round(s.T/s.N), round(s.OK/s.N)
		}
	}
	return list
}

// Options are the queues with what was measured of them.
func (l *Learn) Options(t learn.Table) []learn.Option {
	list := make([]learn.Option, len(l.Among))
	for i, q := range l.Among {
		list[i] = learn.Option{Figures: t[q.Queue], Cost: q.Cost}
	}
	return list
}

// precision is of the figures in an event.
const precision = 10_000

func round(v float64) float64 { return math.Round(v*precision) / precision }

// Settle makes the choice that a learned rule leaves open: by what is known of
// its queues (Figures; anything else: nothing is known), without those that
// are off.
func (d Decision) Settle(a *Attributes, known []Figure, off func(queue string) string) Decision {
	l := d.Learn
	if l == nil {
		return d
	}
	out := &Learned{Rule: l.ID, For: l.For(a), Goal: l.Goal, Among: make([]Figure, len(l.Among))}
	d.Learn, d.Learned = nil, out
	shares, measured := make([]float64, len(l.Among)), false
	for i, q := range l.Among {
		f := Figure{Queue: q.Queue, Share: 1 / float64(len(l.Among))}
		if len(known) == len(l.Among) && known[i].Queue == q.Queue {
			f = known[i]
		}
		f.Off = off(q.Queue)
		out.Among[i], shares[i] = f, f.Share
		measured = measured || f.N > 0
	}
	if l.Pin != "" {
		out.Why, d.Queue = WhyPinned, l.Pin
		for i := range out.Among {
			out.Among[i].Share = 0
			if out.Among[i].Queue == l.Pin {
				out.Among[i].Share = 1
			}
		}
		return d
	}
	left := learn.Left(shares, func(i int) bool { return out.Among[i].Off != "" })
	if left == nil { // better late than never, but not where a person said no
		left = learn.Left(shares, func(i int) bool { return out.Among[i].Off == OffPaused })
	}
	if left == nil {
		out.Why = WhyNone
		for i := range out.Among {
			out.Among[i].Share = 0
		}
		return d
	}
	for i := range left {
		left[i] = round(left[i])
		out.Among[i].Share = left[i]
	}
	i := learn.Pick(left, learn.Point(l.ID, a.ID.Run, a.ID.Node, a.ID.Scope, a.ID.Visit))
	d.Queue, out.Why = out.Among[i].Queue, WhyTried
	switch {
	case !measured:
		out.Why = WhyUnknown
	case left[i] == slices.Max(left):
		out.Why = WhyBest
	}
	return d
}

// ShareOf is the share that a queue had when the choice was made.
func (l *Learned) ShareOf(queue string) float64 {
	for _, f := range l.Among {
		if f.Queue == queue {
			return f.Share
		}
	}
	return 0
}

var idRule = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,39}$`)

// learned checks what a rule says about learning.
func (c *checker) learned(at string, l *Learn) {
	if l.ID != "" && !idRule.MatchString(l.ID) {
		c.fault(at+"/id", fmt.Sprintf("%.60q is no id", l.ID), "small letters, digits and -, at most 40, or nothing for a new one")
	}
	if n := len(l.Among); n < AmongLeast || n > AmongMost {
		c.fault(at+"/among", queuesSaid(n), fmt.Sprintf("%d to %d queues that could all do the work", AmongLeast, AmongMost))
	}
	if !slices.Contains(learn.Goals(), l.Goal) {
		c.fault(at+"/goal", fmt.Sprintf("%.60q is no goal", l.Goal), strings.Join(learn.Goals(), ", "))
	}
	for i, q := range l.Among[:min(len(l.Among), AmongMost)] {
		here := at + "/among/" + strconv.Itoa(i)
		switch {
		case !GoodQueue(q.Queue):
			c.fault(here+"/queue", fmt.Sprintf("%.60q cannot be a queue's name", q.Queue), QueueExpected)
		case slices.ContainsFunc(l.Among[:i], func(o Among) bool { return o.Queue == q.Queue }):
			c.fault(here+"/queue", fmt.Sprintf("%q is there twice", q.Queue), "each queue once")
		}
		switch {
		case !(q.Cost >= 0 && q.Cost <= CostMost):
			c.fault(here+"/cost", fmt.Sprintf("%v", q.Cost), "a number above 0")
		case l.Goal == learn.Cheapest && q.Cost == 0:
			c.fault(here+"/cost", "none", "what one attempt there costs: a number above 0")
		}
	}
	for i, by := range l.By {
		if !slices.Contains(LearnedBy(), by) || slices.Contains(l.By[:i], by) {
			c.fault(at+"/by/"+strconv.Itoa(i), fmt.Sprintf("%.60q", by), strings.Join(LearnedBy(), ", ")+", each once")
		}
	}
	if l.Explore != 0 && !(l.Explore >= learn.ExploreLeast && l.Explore <= learn.ExploreMost) {
		c.fault(at+"/explore", fmt.Sprintf("%v", l.Explore), fmt.Sprintf("a share from %v to %v, or nothing for %v", learn.ExploreLeast, learn.ExploreMost, learn.ExploreUsual))
	}
	if l.Pin != "" && !slices.ContainsFunc(l.Among, func(o Among) bool { return o.Queue == l.Pin }) {
		c.fault(at+"/pin", fmt.Sprintf("%.60q is not among the queues", l.Pin), "one of the queues, or nothing")
	}
}

func queuesSaid(n int) string {
	if n == 1 {
		return "1 queue"
	}
	return strconv.Itoa(n) + " queues"
}
