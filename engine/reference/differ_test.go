package reference_test

import (
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"signalbox/engine/graph"
	"signalbox/engine/reference"
	"signalbox/engine/reference/play"
)

// graphs is how many drawings are played; SIGNALBOX_SOAK asks for more.
func graphs(t *testing.T) int {
	t.Helper()
	n, err := strconv.Atoi(os.Getenv("SIGNALBOX_SOAK"))
	switch {
	case err == nil:
		return n
	case raceDetector:
		return 1_000
	}
	return 2_000
}

// TestTheMachineMeansWhatThePageSays plays random drawings on the machine and
// on the reference, with the same outcomes at the same times: everything that
// they did must be the same, in the same order.
func TestTheMachineMeansWhatThePageSays(t *testing.T) {
	t.Parallel()
	const shards = 4
	n := graphs(t)
	for shard := range shards {
		t.Run(strconv.Itoa(shard), func(t *testing.T) {
			t.Parallel()
			c := census{ended: map[string]int{}}
			for seed := shard; seed < n; seed += shards {
				c.play(t, uint64(seed))
			}
			t.Logf("%d played, %d succeeded; %d of %d are sound; %d runs of items, %d called, %d rolled back; %v", c.played, c.succeeded, c.sound, c.asked, c.items, c.called, c.undone, c.ended)
			if raceDetector {
				return // too few to judge them by
			}
			if c.items == 0 || c.called == 0 || c.undone == 0 || len(c.ended) < 6 {
				t.Error("something is never met: the test tells too little")
			}
			if 10*c.sound < 4*c.asked || 10*(c.asked-c.sound) < c.asked || 10*c.succeeded < 3*c.played {
				t.Error("the drawings are too much alike: the test tells too little")
			}
		})
	}
}

// others lets a run meet the world: signals, people and callbacks, other
// workflows, items that are runs, and somebody who wants everything undone.
func others(seed uint64, g *graph.Graph, start *reference.Start) {
	r := rand.New(rand.NewPCG(seed, 13))
	start.Inside = []int{0, 1, 1, 1, 2}[r.IntN(5)]
	if r.IntN(2) == 0 {
		start.Workflows = map[string]reference.Workflow{}
		var names []string
		for _, name := range []string{"inner", "outer"} {
			other := play.Draw(r)
			play.Meet(r, &other, names...)
			start.Workflows[name] = reference.Workflow{Drawing: other, Trigger: other.Nodes[0].Key}
			names = append(names, name)
		}
		play.Meet(r, g, names...)
		start.Signals = play.Messages(r, start.At)
	}
	if r.IntN(8) == 0 {
		start.RollBack = start.At.Add(time.Duration(1+r.IntN(15_000_000)) * time.Microsecond)
	}
}

// census counts what was played.
type census struct {
	seed                            uint64 // being played
	played, succeeded, asked, sound int

	items, called, undone int            // runs of items, called runs, runs that somebody rolled back
	ended                 map[string]int // visits that ended, by kind and way
}

// count looks whether what was played tells anything.
func (c *census) count(g graph.Graph, r reference.Report) {
	seen := map[string]bool{}
	for _, v := range r.Visits {
		if v.Run != "" && !seen[v.Run] {
			seen[v.Run] = true
			if strings.HasSuffix(v.Run, "()") {
				c.called++
			} else {
				c.items++
			}
		}
		n := g.Node("id-" + v.Node)
		if n == nil || v.Run != "" {
			continue
		}
		switch n.Kind {
		case "signal", "human", "callback", "call":
			for _, port := range v.Ports {
				c.ended[n.Kind+" "+port]++
			}
		}
	}
	if r.Error != nil && r.Error.Class == "rolled_back" {
		c.undone++
	}
}

func (c *census) play(t *testing.T, seed uint64) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 7))
	g := play.Draw(r)
	start := reference.Start{Trigger: g.Nodes[0].Key, Input: map[string]any{"a": 1.0}, At: noon}
	others(seed, &g, &start)
	outcomes := play.Chance(seed, []uint64{0, 10, 40}[r.IntN(3)])
	want, err := reference.Run(g, start, outcomes)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() && c.seed == seed {
			t.Logf("seed %d", seed)
		}
	})
	c.seed = seed
	got := drive(t, play.Lower(g), start, outcomes)
	c.played++
	if seed/4%24 == 0 { // a proof takes longer than both runs
		c.asked++
		if sound, _ := prove(t, g); sound {
			c.sound++
		}
	}
	if got.Status == reference.StatusSucceeded {
		c.succeeded++
	}
	c.count(g, got)
	if a, b := play.Written(g, got), play.Written(g, want); a != b {
		t.Fatalf("seed %d\n%s\nthe machine\n%s\n\nthe reference\n%s", seed, play.Drawn(g), a, b)
	}
}
