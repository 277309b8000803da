package learn_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"signalbox/engine/learn"
)

// world is queues whose work takes time and may fail, as of a task's number.
type world struct {
	goal  string
	costs []float64
	mean  func(queue, task int) float64 // seconds
	ok    func(queue, task int) float64
}

const (
	tasks   = 6_000            // of one simulation; the world changes half way
	between = time.Second      // two tasks
	refresh = 2 * time.Second  // of the shares
	settles = 1_000            // tasks after which a half is judged
	most    = 20 * time.Minute // a task takes
)

// ended is one task that is under way.
type ended struct {
	at    time.Duration
	queue int
	ok    bool
	took  time.Duration
	share float64
}

// score is what a half of a simulation came to; less is better.
type score struct{ seconds, cost, ok, n float64 }

func (s score) of(goal string) float64 {
	switch goal {
	case learn.Fastest:
		return s.seconds / s.ok
	case learn.Cheapest:
		return s.cost / s.ok
	}
	return 1 - s.ok/s.n
}

// simulate sends all tasks as choose says, in virtual time: what a task came to
// is known when it is over.
func simulate(w world, queues int, seed uint64, choose func(task int, known learn.Table) (queue int, share float64)) (halves [2]score, known learn.Table) {
	rnd := rand.New(rand.NewPCG(seed, 7))
	known, since := learn.Table{}, learn.Table{}
	var out []ended
	var merged time.Duration
	for i := range tasks {
		now := time.Duration(i) * between
		left := out[:0]
		for _, e := range out {
			if e.at > now {
				left = append(left, e)
				continue
			}
			since.Add(name(e.queue), e.ok, e.took, e.share)
		}
		out = left
		if now-merged >= refresh {
			known, since, merged = learn.Merge(known, since, now-merged), learn.Table{}, now
		}
		// Every queue's luck is drawn, so that all ways of choosing meet the
		// same.
		took, ok := make([]time.Duration, queues), make([]bool, queues)
		for q := range queues {
			took[q] = min(most, time.Duration(w.mean(q, i)*rnd.ExpFloat64()*float64(time.Second)))
			ok[q] = rnd.Float64() < w.ok(q, i)
		}
		q, share := choose(i, known)
		out = append(out, ended{now + took[q], q, ok[q], took[q], share})
		h := &halves[i/(tasks/2)]
		if i%(tasks/2) < settles {
			continue
		}
		h.n++
		h.seconds += took[q].Seconds()
		if w.costs != nil {
			h.cost += w.costs[q]
		}
		if ok[q] {
			h.ok++
		}
	}
	return halves, known
}

func name(queue int) string { return fmt.Sprintf("q%d", queue) }

func (w world) options(queues int, known learn.Table) []learn.Option {
	list := make([]learn.Option, queues)
	for q := range list {
		list[q].Figures = known[name(q)]
		if w.costs != nil {
			list[q].Cost = w.costs[q]
		}
	}
	return list
}

func (w world) learned(queues int) func(int, learn.Table) (int, float64) {
	return func(task int, known learn.Table) (int, float64) {
		shares := learn.Shares(w.goal, 0, w.options(queues, known))
		q := learn.Pick(shares, learn.Point("rule", "run", "node", 0, task))
		return q, shares[q]
	}
}

func fixed(q int) func(int, learn.Table) (int, float64) {
	return func(int, learn.Table) (int, float64) { return q, 1 }
}

func random(queues int) func(int, learn.Table) (int, float64) {
	return func(task int, _ learn.Table) (int, float64) {
		return int(learn.Point("random", "", "", 0, task) * float64(queues)), 1 / float64(queues)
	}
}

// by gives figures for each queue, first and second half.
func by(first, second []float64) func(queue, task int) float64 {
	return func(queue, task int) float64 {
		if task < tasks/2 {
			return first[queue]
		}
		return second[queue]
	}
}

func same(v float64) func(int, int) float64 { return func(int, int) float64 { return v } }

// In each half of a world that changes, learned shares come within a tenth of
// the best fixed choice, once they have settled, and beat a random split.
func TestLearnedSharesFollowAWorldThatChanges(t *testing.T) {
	t.Parallel()
	for title, c := range map[string]struct {
		world  world
		queues int
	}{
		"the fast one becomes slow":     {world{goal: learn.Fastest, mean: by([]float64{2, 6}, []float64{12, 6}), ok: same(1)}, 2},
		"the slow one becomes fast":     {world{goal: learn.Fastest, mean: by([]float64{6, 12}, []float64{6, 2}), ok: same(1)}, 2},
		"three change places":           {world{goal: learn.Fastest, mean: by([]float64{3, 6, 9}, []float64{9, 8, 3}), ok: same(0.98)}, 3},
		"fast, but it fails":            {world{goal: learn.Fastest, mean: same(4), ok: by([]float64{0.95, 0.4}, []float64{0.3, 0.9})}, 2},
		"the reliable one breaks":       {world{goal: learn.MostReliable, mean: same(3), ok: by([]float64{0.95, 0.7, 0.5}, []float64{0.3, 0.7, 0.9})}, 3},
		"the cheap one fails too often": {world{goal: learn.Cheapest, costs: []float64{1, 4}, mean: same(3), ok: by([]float64{0.9, 0.99}, []float64{0.1, 0.99})}, 2},
	} {
		t.Run(title, func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(5) {
				w := c.world
				got, _ := simulate(w, c.queues, seed, w.learned(c.queues))
				blind, _ := simulate(w, c.queues, seed, random(c.queues))
				for half := range got {
					best := math.Inf(1)
					for q := range c.queues {
						one, _ := simulate(w, c.queues, seed, fixed(q))
						best = min(best, one[half].of(w.goal))
					}
					is, split := got[half].of(w.goal), blind[half].of(w.goal)
					bound := best * 1.1
					if w.goal == learn.MostReliable { // of the share that succeeds
						bound = 1 - (1-best)*0.9
					}
					if is > bound {
						t.Errorf("seed %d, half %d: %.3f, the best fixed choice has %.3f", seed, half, is, best)
					}
					if is-best > (split-best)/2 {
						t.Errorf("seed %d, half %d: %.3f, a random split has %.3f, the best %.3f", seed, half, is, split, best)
					}
				}
			}
		})
	}
}

// The estimate of a fixed choice is near what that choice does, from a log in
// which it was seldom made.
func TestEstimatesOfFixedChoices(t *testing.T) {
	t.Parallel()
	w := world{goal: learn.Fastest, mean: by([]float64{3, 9}, []float64{3, 9}), ok: same(0.9)}
	_, known := simulate(w, 2, 3, w.learned(2))
	for q, want := range []float64{3 / 0.9, 9 / 0.9} {
		e := known[name(q)].Fixed(w.goal, 0)
		if !e.Known() || want < e.Low*0.9 || want > e.High*1.1 {
			t.Errorf("q%d would have had %+v, its truth is %.2f", q, e, want)
		}
	}
	went := learn.Went(w.goal, w.options(2, known))
	if best := known[name(0)].Fixed(w.goal, 0).Value; went.Value < best*0.95 || went.Value > best*1.25 {
		t.Errorf("it went %+v, the better of the two has %.2f", went, best)
	}
	few := learn.Table{}
	few.Add("q", true, time.Second, 0.5)
	if e := few["q"].Fixed(w.goal, 0); e.Known() {
		t.Errorf("one attempt says %+v", e)
	}
}

func TestSharesWithoutKnowledgeAreEvenAndNeverNothing(t *testing.T) {
	t.Parallel()
	for _, goal := range []string{learn.Fastest, learn.MostReliable} {
		for _, s := range learn.Shares(goal, 0, make([]learn.Option, 4)) {
			if math.Abs(s-0.25) > 1e-9 {
				t.Errorf("%s: %v of what nobody knows", goal, s)
			}
		}
	}
	bad, good := learn.Table{}, learn.Table{}
	for range 1_000 {
		good.Add("q", true, time.Second, 1)
		bad.Add("q", false, time.Hour, 1)
	}
	for _, goal := range learn.Goals() {
		shares := learn.Shares(goal, 0.000001, []learn.Option{{Figures: bad["q"], Cost: 1}, {Figures: good["q"], Cost: 1}})
		if sum := shares[0] + shares[1]; math.Abs(sum-1) > 1e-9 || shares[0] < learn.ExploreLeast/2 || shares[1] < 0.98 {
			t.Errorf("%s: %v", goal, shares)
		}
	}
}

func TestWhatNobodyAddsToFadesToWhatIsUsual(t *testing.T) {
	t.Parallel()
	known := learn.Table{}
	for range 200 {
		known.Add("slow", true, 10*time.Second, 0.5)
		known.Add("fast", true, time.Second, 0.5)
	}
	options := func(t learn.Table) []learn.Option {
		return []learn.Option{{Figures: t["slow"]}, {Figures: t["fast"]}}
	}
	now := learn.Shares(learn.Fastest, 0, options(known))[0]
	later := learn.Shares(learn.Fastest, 0, options(learn.Merge(known, nil, 10*learn.HalfLife)))[0]
	if now > 0.02 || later < 0.2 {
		t.Errorf("the slow one has %v, and long after %v", now, later)
	}
	// As many as the memory holds, and no faster than time allows.
	many := learn.Table{}
	for range 100_000 {
		many.Add("fast", true, time.Second, 0.5)
	}
	if n := learn.Merge(known, many, time.Second)["slow"].Lately.N; n < 150 {
		t.Errorf("one busy second left %v of 200", n)
	}
	if n := learn.Merge(known, many, 10*time.Minute)["slow"].Lately.N; n > 1 {
		t.Errorf("ten busy minutes left %v of 200", n)
	}
	if n := known["slow"].Lately.N; n != 200 {
		t.Errorf("a merge changed what it got: %v", n)
	}
}

func TestPointsAreEvenAndTheSameAgain(t *testing.T) {
	t.Parallel()
	const n, parts = 100_000, 10
	var counts [parts]int
	for i := range n {
		p := learn.Point("rule", fmt.Sprintf("run-%d", i/4), "node", i%2, i/2%2)
		if p < 0 || p >= 1 || p != learn.Point("rule", fmt.Sprintf("run-%d", i/4), "node", i%2, i/2%2) {
			t.Fatalf("point %v", p)
		}
		counts[int(p*parts)]++
	}
	for i, c := range counts {
		if math.Abs(float64(c)-n/parts) > 5*math.Sqrt(n/parts) {
			t.Errorf("part %d got %d of %d", i, c, n)
		}
	}
	if learn.Point("a", "bc", "", 0, 0) == learn.Point("ab", "c", "", 0, 0) {
		t.Error("names run together")
	}
}

func TestQueuesThatAreOffGetNothing(t *testing.T) {
	t.Parallel()
	left := learn.Left([]float64{0.6, 0.3, 0.1}, func(i int) bool { return i == 0 })
	if left[0] != 0 || math.Abs(left[1]-0.75) > 1e-9 || math.Abs(left[2]-0.25) > 1e-9 {
		t.Errorf("left %v", left)
	}
	for p := 0.0; p < 1; p += 0.01 {
		if i := learn.Pick(left, p); i == 0 {
			t.Fatalf("%v went to what is off", p)
		}
	}
	if learn.Pick(left, math.Nextafter(1, 0)) != 2 {
		t.Error("what rounding leaves over went astray")
	}
	if left := learn.Left([]float64{0.5, 0.5}, func(int) bool { return true }); left != nil {
		t.Errorf("left %v of nothing", left)
	}
}

// A queue that gets nothing for days, while others get thousands, is known less
// and less, and then not at all: every figure can be shown all the time.
func TestFiguresThatFadeStayFinite(t *testing.T) {
	t.Parallel()
	known := learn.Table{}
	known.Add("idle", true, 3*time.Second, 0.5)
	known.Add("idle", false, time.Second, 0.5)
	for range 100_000 {
		since := learn.Table{}
		for range 40 {
			since.Add("busy", true, time.Second, 0.99)
		}
		known = learn.Merge(known, since, 2*time.Second)
		idle := known["idle"]
		for _, e := range []learn.Estimate{idle.Lately.Time(), idle.Lately.Success(), idle.Lately.Score(learn.Fastest, 1), idle.Fixed(learn.Cheapest, 1)} {
			for _, v := range []float64{e.Value, e.Low, e.High, e.N} {
				if math.IsNaN(v) || math.IsInf(v, 0) || v > 1e9 {
					t.Fatalf("%+v makes %+v", idle, e)
				}
			}
		}
	}
	if n := known["idle"].Lately.N; n != 0 {
		t.Errorf("%v attempts of the idle one count lately", n)
	}
	if known = learn.Merge(known, nil, 100*24*time.Hour*7); len(known) != 0 {
		t.Errorf("after two years there is %+v", known)
	}
}
