package reference_test

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"signalbox/engine/graph"
	"signalbox/engine/reference"
)

// chance makes outcomes that depend on nothing but the seed and the place.
func chance(seed uint64, failing uint64) reference.Outcomes {
	return func(p reference.Place) reference.Outcome {
		h := fnv.New64a()
		fmt.Fprint(h, seed, p)
		r := rand.New(rand.NewPCG(h.Sum64(), seed))
		o := reference.Outcome{After: time.Duration(r.IntN(5_000_000)) * time.Microsecond, Output: map[string]any{"r": float64(r.IntN(10))}}
		if r.Uint64N(100) < failing {
			class := []string{"unavailable", "invalid_input", "rate_limited", "own"}[r.IntN(4)]
			o.Output, o.Error = nil, &reference.Error{Class: class, Message: "no"}
		}
		return o
	}
}

// written is a run as text; two that are the same run read the same. A port
// without an edge is not told: nothing leaves there.
func written(g graph.Graph, r reference.Report) string {
	var b strings.Builder
	leads := map[string]bool{}
	for _, e := range g.Edges {
		leads[strings.TrimPrefix(e.From, "id-")+"."+e.Port] = true
	}
	for _, v := range r.Visits {
		fmt.Fprintf(&b, "%s%s#%d %s", v.Scope, v.Node, v.Number, text(wordless(v.Input)))
		switch {
		case v.Error != nil:
			fmt.Fprintf(&b, " failed %s after %d", v.Error.Class, v.Error.Attempts)
		case v.Ports != nil || v.Output != nil:
			ports := slices.DeleteFunc(slices.Clone(v.Ports), func(p string) bool { return !leads[v.Node+"."+p] })
			fmt.Fprintf(&b, " -> %v %s", ports, text(wordless(v.Output)))
		}
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "%s at %s", r.Status, r.Ended.Format(time.RFC3339Nano))
	if r.Error != nil {
		fmt.Fprintf(&b, ": %s at %s", r.Error.Class, r.Error.Node)
	} else {
		fmt.Fprintf(&b, ": %s", text(wordless(r.Result)))
	}
	return b.String()
}

// wordless leaves out the messages of errors: their words are free.
func wordless(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for name, part := range v {
			if _, is := v["class"]; name != "message" || !is {
				out[name] = wordless(part)
			}
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, part := range v {
			out[i] = wordless(part)
		}
		return out
	}
	return v
}

// drawn is a workflow as text, to read it in a report.
func drawn(g graph.Graph) string {
	var b strings.Builder
	for _, n := range g.Nodes {
		fmt.Fprintf(&b, "%s:%s", n.Key, n.Kind)
		if n.Join != nil {
			fmt.Fprintf(&b, "/%s %d %s %s", n.Join.Mode, n.Join.N, n.Join.Then, n.Join.Deadline+" "+n.Join.Combine+" "+n.Join.Reduce)
		}
		if n.Disabled {
			b.WriteString(" disabled")
		}
		if n.In != "" {
			b.WriteString(" in " + n.In)
		}
		if n.Timeout != nil {
			b.WriteString(" at most " + n.Timeout.Total)
		}
		fmt.Fprintf(&b, " %s max %d", n.Config, n.MaxVisits)
		if n.Retry != nil {
			fmt.Fprintf(&b, " retry %+v", *n.Retry)
		}
		b.WriteByte('\n')
	}
	for _, e := range g.Edges {
		fmt.Fprintf(&b, "%s.%s>%s\n", e.From, e.Port, e.To)
	}
	return b.String()
}

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
	g := draw(r)
	start := reference.Start{Trigger: g.Nodes[0].Key, Input: map[string]any{"a": 1.0}, At: noon}
	outcomes := chance(seed, []uint64{0, 10, 40}[r.IntN(3)])
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
	got := drive(t, lower(g), start, outcomes)
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
	if a, b := written(g, got), written(g, want); a != b {
		t.Fatalf("seed %d\n%s\nthe machine\n%s\n\nthe reference\n%s", seed, drawn(g), a, b)
	}
}
