package reference_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"signalbox/engine/graph"
	"signalbox/engine/machine"
	"signalbox/engine/reference"
	"signalbox/engine/reference/play"
)

// The laws say what must not change when something else does. They ask only
// the machine; nobody has to know what a drawing means to check them.

// laws plays drawings and hands each to a law.
func laws(t *testing.T, law func(t *testing.T, r *rand.Rand, c played)) {
	t.Helper()
	t.Parallel()
	for seed := range uint64(graphs(t) / 16) {
		r := rand.New(rand.NewPCG(seed, 11))
		g := play.Draw(r)
		play.Calm(&g)
		_, overlaps := prove(t, g)
		if overlaps {
			play.Steady(&g)
		}
		m := play.Lower(g)
		c := played{seed: seed, g: g, m: m, overlaps: overlaps, start: reference.Start{Trigger: g.Nodes[0].Key, Input: map[string]any{"a": 1.0}, At: noon}, failing: []uint64{0, 10, 30}[r.IntN(3)]}
		c.start.Inside = []int{0, 1, 2}[r.IntN(3)]
		c.report = drive(t, m, c.start, play.Chance(seed, c.failing))
		if slices.ContainsFunc(c.report.Visits, func(v reference.Visit) bool { return v.Error != nil && container(g, v.Node) }) {
			continue // how far a failing scope got follows the order
		}
		law(t, r, c)
		if t.Failed() {
			t.Logf("seed %d\n%s\nas drawn\n%s", seed, play.Drawn(g), play.Written(g, c.report))
			return
		}
	}
}

// played is a drawing with what it did.
type played struct {
	seed     uint64
	g        graph.Graph
	m        *machine.Machine
	start    reference.Start
	failing  uint64
	overlaps bool // visits of a node can overlap: then values may follow the order
	report   reference.Report
}

func container(g graph.Graph, key string) bool {
	kind := g.Node("id-" + key).Kind
	return kind == "group" || kind == "map" || kind == "loop"
}

// essence is what rule 8 keeps apart from the order: how the run ended and,
// where it did not fail, how often each node ran; and, where visits cannot
// overlap, what each of them got and gave.
func (c played) essence(g graph.Graph, r reference.Report) string {
	if r.Status != reference.StatusSucceeded {
		return "not well" // what had been done by then, to be undone or not, follows the order
	}
	r.Ended = noon
	if !c.overlaps {
		slices.SortStableFunc(r.Visits, func(a, b reference.Visit) int { return strings.Compare(a.Scope+":"+a.Node, b.Scope+":"+b.Node) })
		return play.Written(g, r)
	}
	return fmt.Sprint(r.Status, r.Count())
}

func (c played) same(t *testing.T, what string, g graph.Graph, r reference.Report) {
	t.Helper()
	if a, b := c.essence(c.g, c.report), c.essence(g, r); a != b {
		t.Errorf("%s changes the run from\n%s\nto\n%s\n%s", what, a, b, play.Drawn(g))
	}
}

// TestADelayChangesNothing lets everything take another time.
func TestADelayChangesNothing(t *testing.T) {
	laws(t, func(t *testing.T, _ *rand.Rand, c played) {
		t.Helper()
		for shift := range uint64(3) {
			outcomes := play.Chance(c.seed, c.failing)
			later := func(p reference.Place) reference.Outcome {
				o := outcomes(p)
				o.After = play.Chance(c.seed+1_000*(shift+1), 0)(p).After + time.Duration(shift)*time.Minute
				return o
			}
			c.same(t, "a delay", c.g, drive(t, c.m, c.start, later))
		}
	})
}

// TestAPauseChangesNothing holds the run now and then: what comes meanwhile is
// kept, and it goes on as if it had only taken longer.
func TestAPauseChangesNothing(t *testing.T) {
	laws(t, func(t *testing.T, r *rand.Rand, c played) {
		t.Helper()
		var holds []hold
		at := noon
		for range 1 + r.IntN(4) {
			at = at.Add(time.Duration(r.IntN(4_000_000)) * time.Microsecond)
			until := at.Add(time.Duration(1+r.IntN(6_000_000)) * time.Microsecond)
			holds = append(holds, hold{at, until})
			at = until
		}
		c.same(t, "a pause", c.g, drive(t, c.m, c.start, play.Chance(c.seed, c.failing), holds...))
	})
}

// TestAPassThroughChangesNothing puts a node that only passes on into an edge.
func TestAPassThroughChangesNothing(t *testing.T) {
	laws(t, func(t *testing.T, r *rand.Rand, c played) {
		t.Helper()
		if len(c.g.Edges) == 0 {
			return
		}
		at := r.IntN(len(c.g.Edges))
		e := c.g.Edges[at]
		if e.Port == graph.PortCompensate {
			return // no token takes it
		}
		for _, other := range c.g.Edges {
			if other.ID != e.ID && other.From == e.From && other.To == e.To {
				return // the ports are part of the joined value's names
			}
		}
		g := c.g
		g.Nodes = append(slices.Clone(g.Nodes), graph.Node{ID: "id-p00", Key: "p00", Kind: "join", MaxVisits: 1_000, In: g.Node(e.To).In})
		g.Edges = append(slices.Clone(g.Edges), graph.Edge{ID: "e-p", From: "id-p00", Port: "success", To: e.To})
		g.Edges[at].To = "id-p00"
		m := play.Lower(g)
		got := drive(t, m, c.start, play.Chance(c.seed, c.failing))
		got.Visits = slices.DeleteFunc(got.Visits, func(v reference.Visit) bool { return v.Node == "p00" })
		source := strings.TrimPrefix(e.From, "id-")
		for i, v := range got.Visits { // values joined from there bear the new name
			got.Visits[i].Input, got.Visits[i].Output = renamed(v.Input, source), renamed(v.Output, source)
		}
		got.Result = renamed(got.Result, source)
		c.same(t, "a node that passes on", c.g, got)
	})
}

// renamed gives the parts of joined values their old name back.
func renamed(v any, name string) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for k, part := range v {
			if k == "p00" {
				k = name
			}
			out[k] = renamed(part, name)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, part := range v {
			out[i] = renamed(part, name)
		}
		return out
	case string:
		return strings.ReplaceAll(v, "p00", name)
	}
	return v
}

// TestLayoutAndOrderChangeNothing moves, names and reorders: the machine is
// the same, byte for byte.
func TestLayoutAndOrderChangeNothing(t *testing.T) {
	laws(t, func(t *testing.T, r *rand.Rand, c played) {
		t.Helper()
		g := c.g
		g.Nodes, g.Edges = slices.Clone(g.Nodes), slices.Clone(g.Edges)
		r.Shuffle(len(g.Nodes), func(i, j int) { g.Nodes[i], g.Nodes[j] = g.Nodes[j], g.Nodes[i] })
		r.Shuffle(len(g.Edges), func(i, j int) { g.Edges[i], g.Edges[j] = g.Edges[j], g.Edges[i] })
		g.Name, g.Description = "Another", "name"
		g.Layout.Nodes = map[string]graph.NodeLayout{}
		for i := range g.Nodes {
			g.Layout.Nodes[g.Nodes[i].ID] = graph.NodeLayout{X: r.IntN(5_000), Y: r.IntN(5_000), Title: fmt.Sprint("Node ", r.IntN(9))}
		}
		for i := range g.Edges {
			g.Edges[i].ID = fmt.Sprint("x", r.IntN(1_000), "-", i)
		}
		m := play.Lower(g)
		was, err := c.m.Digest()
		if err != nil {
			t.Fatal(err)
		}
		is, err := m.Digest()
		if err != nil {
			t.Fatal(err)
		}
		if was != is {
			t.Errorf("the machine is another once nodes were moved, titled and reordered")
		}
	})
}
