package sim_test

import (
	"flag"
	"os"
	goruntime "runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"signalbox/engine/sim"
)

var one = flag.Int64("seed", -1, "play this seed only, and tell its history")

// seeds is how many are played; SIGNALBOX_SOAK asks for more.
func seeds(t *testing.T) int {
	t.Helper()
	if n, err := strconv.Atoi(os.Getenv("SIGNALBOX_SOAK")); err == nil {
		return n
	}
	return 500
}

// TestSeed plays worlds: whatever is lost, cut, repeated, frozen or killed, the
// rules hold, and every run ends once the faults do.
func TestSeed(t *testing.T) {
	t.Parallel()
	if *one >= 0 {
		p := sim.Play(t, uint64(*one))
		t.Logf("%s\n%s\n%s\n%v, %d events, %s", p.Plan, strings.Join(p.Drawings, "\n"), strings.Join(p.History, "\n"), p.Status, p.Events, p.Digest)
		report(t, p)
		return
	}
	var c census
	n, abreast := seeds(t), goruntime.GOMAXPROCS(0)
	t.Run("worlds", func(t *testing.T) { // a world has one thread: several go beside each other
		for first := range abreast {
			t.Run(strconv.Itoa(first), func(t *testing.T) {
				t.Parallel()
				for seed := first; seed < n && !c.stop.Load(); seed += abreast {
					p := sim.Play(t, uint64(seed)) //nolint:gosec // a count
					c.add(p)
					if report(t, p) {
						c.stop.Store(true)
					}
				}
			})
		}
	})
	if !c.stop.Load() {
		c.tell(t)
	}
}

// census counts what was played.
type census struct {
	stop atomic.Bool

	mu                  sync.Mutex
	seeds, runs, events int
	compared, succeeded int
	called, items       int // runs that others started
	apart, left         int
}

func (c *census) add(p sim.Played) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.seeds++
	c.events += p.Events
	c.compared += p.Compared
	c.succeeded += p.Status["succeeded"]
	c.called += p.Called
	c.items += p.Items
	c.apart += p.Apart
	c.left += p.Left
	for _, n := range p.Status {
		c.runs += n
	}
}

func (c *census) tell(t *testing.T) {
	t.Helper()
	t.Logf("%d seeds, %d runs, %d events; %d runs succeeded, %d the reference told too", c.seeds, c.runs, c.events, c.succeeded, c.compared)
	t.Logf("%d runs were called and %d were items; %d of another shard than who started them, %d were left alone before their end", c.called, c.items, c.apart, c.left)
	if c.seeds >= 500 && (c.called < 100 || c.items < 100 || c.apart < 20 || c.left < 20) {
		t.Error("too few runs start others: the test tells too little")
	}
	if outside := c.runs - c.called - c.items; 10*c.succeeded < 2*c.runs || 10*c.compared < 2*outside {
		t.Error("too little happens: the test tells too little")
	}
}

// report tells what a seed found, with the command that plays it again and a
// smaller drawing that finds the same.
func report(t *testing.T, p sim.Played) bool {
	t.Helper()
	if len(p.Found) == 0 {
		return false
	}
	for _, v := range p.Found {
		t.Error(v)
	}
	t.Errorf("play it again: go test ./engine/sim -run Seed -v -args -seed %d", p.Seed)
	small, left := sim.Shrink(t, p.Seed, p.Found[0].Rule)
	t.Errorf("without %v it is found in\n%s", left, strings.Join(small.Drawings, "\n"))
	return true
}

var repeats = flag.Uint64("repeats", 40, "how many seeds are played twice")

// TestASeedRepeatsItself plays seeds twice: everything that happened is the
// same, byte for byte, however busy the machine is.
func TestASeedRepeatsItself(t *testing.T) {
	t.Parallel()
	for seed := range *repeats {
		if a, b := sim.Play(t, seed), sim.Play(t, seed); a.Digest != b.Digest {
			at := 0
			for at < min(len(a.History), len(b.History))-1 && a.History[at] == b.History[at] {
				at++
			}
			t.Errorf("seed %d (%s) goes two ways, from line %d on:\n%s\n%s", seed, a.Plan, at, a.History[at], b.History[at])
		}
	}
}
