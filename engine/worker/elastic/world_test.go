package elastic_test

import (
	"container/heap"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"signalbox/engine/worker/elastic"
)

// job is a task of the simulation: when it comes and how long it takes, in
// seconds.
type job struct{ comes, takes float64 }

// day makes the work of a day, sped up: a quiet night, a busy day, and bursts.
func day(seed uint64) []job {
	r := rand.New(rand.NewPCG(seed, 7))
	const length = 2 * 3600.0 // a day in two hours
	rate := func(at float64) float64 {
		base := 2 + 18*math.Pow(math.Max(0, math.Sin(math.Pi*at/length)), 3) // tasks a second
		if math.Mod(at, 1_200) < 60 {
			base *= 1.5
		}
		return base
	}
	const most = 30.0
	var list []job
	for at := 0.0; at < length; {
		at += r.ExpFloat64() / most
		if r.Float64() < rate(at)/most {
			list = append(list, job{at, math.Exp(r.NormFloat64()*0.5) * 1.5}) // seconds, a long tail
		}
	}
	return list
}

// result is what a pool made of the work.
type result struct {
	p95    float64 // from coming to done
	idle   float64 // worker seconds without work
	worked float64
	most   int
}

// pool says how many workers there should be.
type pool interface {
	next(seen elastic.Seen, at float64) int
}

type fixed int

func (f fixed) next(elastic.Seen, float64) int { return int(f) }

type growing struct {
	policy elastic.Policy
	size   elastic.Size
}

func (g *growing) next(seen elastic.Seen, at float64) int {
	g.size = g.policy.Next(g.size, seen, noon.Add(time.Duration(at*float64(time.Second))))
	return g.size.Workers
}

// ends is a heap of moments.
type ends []float64

func (e ends) Len() int           { return len(e) }
func (e ends) Less(i, j int) bool { return e[i] < e[j] }
func (e ends) Swap(i, j int)      { e[i], e[j] = e[j], e[i] }
func (e *ends) Push(x any)        { *e = append(*e, x.(float64)) }
func (e *ends) Pop() any {
	old := *e
	x := old[len(old)-1]
	*e = old[:len(old)-1]
	return x
}

// simulate plays the work: the pool is looked at every so often, and a worker
// that is added takes work only after it has started. A worker at work is never
// taken away; one that is not goes at once.
func simulate(work []job, p pool, every, starts float64) result {
	var (
		busy, starting ends // when a task ends; when a worker is ready
		waiting        []job
		took           []float64
		r              result
		now, looked    = 0.0, 0.0
		workers, i     = p.next(elastic.Seen{}, 0), 0
	)
	for i < len(work) || len(waiting) > 0 || busy.Len() > 0 {
		next := looked
		if i < len(work) {
			next = min(next, work[i].comes)
		}
		if busy.Len() > 0 {
			next = min(next, busy[0])
		}
		if starting.Len() > 0 {
			next = min(next, starting[0])
		}
		r.idle += float64(max(0, workers+starting.Len()-busy.Len())) * (next - now)
		r.worked += float64(busy.Len()) * (next - now)
		now = next
		for i < len(work) && work[i].comes <= now {
			waiting = append(waiting, work[i])
			i++
		}
		for busy.Len() > 0 && busy[0] <= now {
			heap.Pop(&busy)
		}
		for starting.Len() > 0 && starting[0] <= now {
			heap.Pop(&starting)
			workers++
		}
		if looked <= now {
			looked = now + every
			seen := elastic.Seen{Waiting: len(waiting), Busy: busy.Len()}
			if len(waiting) > 0 {
				seen.Oldest = time.Duration((now - waiting[0].comes) * float64(time.Second))
			}
			want := p.next(seen, now)
			for workers+starting.Len() < want {
				if starts == 0 {
					workers++
				} else {
					heap.Push(&starting, now+starts)
				}
			}
			workers = max(min(workers, want), busy.Len())
		}
		for len(waiting) > 0 && busy.Len() < workers {
			heap.Push(&busy, now+waiting[0].takes)
			took = append(took, now+waiting[0].takes-waiting[0].comes)
			waiting = waiting[1:]
		}
		r.most = max(r.most, workers)
	}
	slices.Sort(took)
	r.p95 = took[len(took)*95/100]
	return r
}

// peak is the smallest fixed pool whose p95 is within a hundredth of that of a
// pool without end.
func peak(work []job) int {
	best := simulate(work, fixed(1_000), 1, 0).p95
	few, enough := 0, 1_000
	for enough-few > 1 {
		if n := (few + enough) / 2; simulate(work, fixed(n), 1, 0).p95 > best*1.01 {
			few = n
		} else {
			enough = n
		}
	}
	return enough
}

// TestElasticPoolsIdleLess is the proof that docs/bench.md names: the same
// work, the same p95, and at least 40 % less capacity that does nothing.
func TestElasticPoolsIdleLess(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name          string
		every, starts float64
		policy        elastic.Policy
	}{
		{"slots of a process, there at once", 0.25, 0, elastic.Policy{Min: 1}},
		{"processes that take 5 s to start", 2, 5, elastic.Policy{Min: 4, Patience: -1, Spare: 0.5, Cool: time.Minute}},
	} {
		for seed := range uint64(3) {
			work := day(seed)
			n := peak(work)
			c.policy.Max = n
			whole, elas := simulate(work, fixed(n), c.every, 0), simulate(work, &growing{policy: c.policy}, c.every, c.starts)
			saved := 1 - elas.idle/whole.idle
			t.Logf("%s, seed %d: %d tasks, fixed %d workers: p95 %.2f s, idle %.0f s of %.0f; elastic: p95 %.2f s, idle %.0f s, %.0f %% less, %d workers at most",
				c.name, seed, len(work), n, whole.p95, whole.idle, whole.idle+whole.worked, elas.p95, elas.idle, 100*saved, elas.most)
			if elas.p95 > whole.p95*1.02 {
				t.Errorf("%s, seed %d: p95 is %.3f s instead of %.3f s", c.name, seed, elas.p95, whole.p95)
			}
			if saved < 0.4 {
				t.Errorf("%s, seed %d: only %.0f %% less idle capacity", c.name, seed, 100*saved)
			}
			if math.Abs(elas.worked-whole.worked) > 1 {
				t.Errorf("%s: %.1f s of work instead of %.1f s", c.name, elas.worked, whole.worked)
			}
		}
	}
}
