package elastic_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"signalbox/engine/worker/elastic"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// look is one look at a queue, so many seconds after noon.
type look struct {
	at     int
	seen   elastic.Seen
	expect int
}

func TestSizes(t *testing.T) {
	t.Parallel()
	late, early := time.Second, 10*time.Millisecond
	for name, c := range map[string]struct {
		policy elastic.Policy
		looks  []look
	}{
		"it begins with the least":                             {elastic.Policy{Min: 2, Max: 10}, []look{{0, elastic.Seen{}, 2}}},
		"a short wait adds nobody":                             {elastic.Policy{Min: 2, Max: 10}, []look{{0, elastic.Seen{}, 2}, {1, elastic.Seen{Waiting: 6, Busy: 2, Oldest: early}, 2}}},
		"a long wait adds as many as are missing, and a tenth": {elastic.Policy{Min: 2, Max: 20}, []look{{0, elastic.Seen{}, 2}, {1, elastic.Seen{Waiting: 8, Busy: 2, Oldest: late}, 11}}},
		"never more than the most":                             {elastic.Policy{Min: 2, Max: 10}, []look{{0, elastic.Seen{Waiting: 500, Oldest: late}, 10}}},
		"from nobody, the first task adds one":                 {elastic.Policy{Min: 0, Max: 10, Spare: -1}, []look{{0, elastic.Seen{}, 0}, {1, elastic.Seen{Waiting: 1, Oldest: early}, 1}}},
		"a pause is no reason to go": {elastic.Policy{Min: 1, Max: 10, Spare: -1}, []look{
			{0, elastic.Seen{Waiting: 8, Oldest: late}, 8}, {10, elastic.Seen{}, 8}, {20, elastic.Seen{}, 8}, {29, elastic.Seen{Busy: 8}, 8}, {31, elastic.Seen{}, 8},
		}},
		"who is not needed goes, a quarter at a time": {elastic.Policy{Min: 1, Max: 10, Spare: -1}, []look{
			{0, elastic.Seen{Waiting: 8, Oldest: late}, 8}, {30, elastic.Seen{}, 8}, {60, elastic.Seen{}, 6}, {75, elastic.Seen{}, 6}, {90, elastic.Seen{}, 5}, {120, elastic.Seen{Busy: 4}, 4}, {150, elastic.Seen{Busy: 4}, 4},
		}},
		"what was needed in the window stays": {elastic.Policy{Min: 1, Max: 10, Spare: -1}, []look{
			{0, elastic.Seen{Waiting: 8, Oldest: late}, 8}, {30, elastic.Seen{}, 8}, {45, elastic.Seen{Busy: 7}, 8}, {60, elastic.Seen{}, 7},
		}},
		"never fewer than the least": {elastic.Policy{Min: 3, Max: 10}, []look{{0, elastic.Seen{}, 3}, {300, elastic.Seen{}, 3}, {600, elastic.Seen{}, 3}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var s elastic.Size
			for _, l := range c.looks {
				if s = c.policy.Next(s, l.seen, noon.Add(time.Duration(l.at)*time.Second)); s.Workers != l.expect {
					t.Fatalf("at %d s: %d workers, want %d", l.at, s.Workers, l.expect)
				}
			}
		})
	}
}

// Whatever it sees, it stays within its bounds; the same again changes nothing
// in the same moment; more waiting tasks never make it smaller.
func TestLaws(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for range 2_000 {
		p := elastic.Policy{Min: r.IntN(5), Max: 5 + r.IntN(50), Cool: time.Duration(r.IntN(60)) * time.Second}
		var s elastic.Size
		at := noon
		for range 50 {
			at = at.Add(time.Duration(r.IntN(20_000)) * time.Millisecond)
			seen := elastic.Seen{Waiting: r.IntN(80), Busy: r.IntN(50), Oldest: time.Duration(r.IntN(2_000)) * time.Millisecond}
			more := seen
			more.Waiting++
			before := s
			s = p.Next(before, seen, at)
			if s.Workers < p.Min || s.Workers > p.Max {
				t.Fatalf("%+v gives %d workers", p, s.Workers)
			}
			if again := p.Next(s, seen, at); again.Workers != s.Workers {
				t.Fatalf("%+v: %d, then %d in the same moment", p, s.Workers, again.Workers)
			}
			if m := p.Next(before, more, at); m.Workers < s.Workers {
				t.Fatalf("%+v: %d workers for %+v, %d for one task more", p, s.Workers, seen, m.Workers)
			}
		}
	}
}

func TestPoliciesThatAreNone(t *testing.T) {
	t.Parallel()
	for _, p := range []elastic.Policy{{}, {Min: 3, Max: 2}, {Min: -1, Max: 2}, {Max: 2, Step: 2}, {Max: 2, Cool: -1}} {
		if p.Validate() == nil {
			t.Errorf("%+v is taken", p)
		}
	}
	if err := (elastic.Policy{Min: 1, Max: 1}).Validate(); err != nil {
		t.Error(err)
	}
}
