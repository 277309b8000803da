package reference_test

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"signalbox/engine/reference"
	"signalbox/engine/reference/play"
)

// graphs is how many drawings are played; SIGNALBOX_SOAK asks for more.
func graphs(t *testing.T) int {
	t.Helper()
	n, err := strconv.Atoi(os.Getenv("SIGNALBOX_SOAK"))
	if err != nil {
		return 2_000
	}
	return n
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
			var c census
			for seed := shard; seed < n; seed += shards {
				c.play(t, uint64(seed))
			}
			t.Logf("%d played, %d succeeded; %d of %d are sound", c.played, c.succeeded, c.sound, c.asked)
			if 10*c.sound < 4*c.asked || 10*(c.asked-c.sound) < c.asked || 10*c.succeeded < 3*c.played {
				t.Error("the drawings are too much alike: the test tells too little")
			}
		})
	}
}

// census counts what was played.
type census struct {
	seed                            uint64 // being played
	played, succeeded, asked, sound int
}

func (c *census) play(t *testing.T, seed uint64) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 7))
	g := play.Draw(r)
	start := reference.Start{Trigger: g.Nodes[0].Key, Input: map[string]any{"a": 1.0}, At: noon}
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
	if a, b := play.Written(g, got), play.Written(g, want); a != b {
		t.Fatalf("seed %d\n%s\nthe machine\n%s\n\nthe reference\n%s", seed, play.Drawn(g), a, b)
	}
}
