package draw_test

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"signalbox/engine/chart"
	"signalbox/engine/chart/draw"
	"signalbox/engine/exchange"
	"signalbox/engine/graph"
)

// charts reads the 200 recorded machines and the example of the exporters.
func charts(t *testing.T) []chart.Def {
	t.Helper()
	raw, err := os.ReadFile("../../exchange/testdata/player.chart.json")
	if err != nil {
		t.Fatal(err)
	}
	player, err := chart.Decode(raw)
	if err != nil {
		t.Fatal(err)
	}
	all := []chart.Def{player}
	f, err := os.Open("../testdata/xstate-5.33.3.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	unzipped, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(unzipped)
	for lines.Buffer(nil, 1<<20); lines.Scan(); {
		var m struct {
			Machine json.RawMessage `json:"machine"`
		}
		if err := json.Unmarshal(lines.Bytes(), &m); err != nil {
			t.Fatal(err)
		}
		d, _, err := exchange.FromXState(m.Machine)
		if err != nil {
			t.Fatal(err)
		}
		d.Guards = map[string]chart.Guard{"gT": {Expr: "true"}, "gF": {Expr: "false"}, "even": {Expr: "context.n % 2 == 0"}, "lt2": {Expr: "context.n < 2"}}
		all = append(all, d)
	}
	if len(all) != 201 {
		t.Fatalf("%d charts", len(all))
	}
	return all
}

func TestADrawnChartIsReadAsItWas(t *testing.T) {
	t.Parallel()
	for _, d := range charts(t) {
		nodes, edges := draw.ToGraph(d)
		g := graph.Graph{Format: graph.Format, Nodes: nodes, Edges: edges}
		file, err := g.Encode()
		if err != nil {
			t.Fatal(err)
		}
		stored, err := graph.Decode(file) // checks ids, keys, ports and borders, and sorts
		if err != nil {
			t.Fatalf("%s: not a drawing: %v", d.ID, err)
		}
		for _, e := range stored.Edges {
			if stored.Node(e.From).In != stored.Node(e.To).In {
				t.Errorf("%s: edge %s crosses a border", d.ID, e.ID)
			}
		}
		back, issues := draw.FromGraph(stored, nodes[0].ID)
		if len(issues) > 0 {
			t.Fatalf("%s: %v", d.ID, issues)
		}
		if diff := cmp.Diff(text(t, d), text(t, back)); diff != "" {
			t.Fatalf("%s (-drawn +read):\n%s", d.ID, diff)
		}
	}
}

func text(t *testing.T, d chart.Def) []string {
	t.Helper()
	raw, err := json.MarshalIndent(d, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(string(raw), "\n")
}

// drawn is a chart as somebody draws it: sign up, then wait to be confirmed.
func drawn() graph.Graph {
	node := func(key, kind, in, config string) graph.Node {
		return graph.Node{ID: "id-" + key, Key: key, Kind: kind, In: in, Config: json.RawMessage(config)}
	}
	return graph.Graph{
		Nodes: []graph.Node{
			node("signup", draw.KindStates, "", `{"initial":"asked"}`),
			node("asked", draw.KindState, "id-signup", `{"on":[{"event":"confirm","port":"on_confirm"}],"after":[{"delay":"1h","port":"after_1h"}]}`),
			node("known", draw.KindState, "id-signup", `{"final":true}`),
			node("forgotten", draw.KindState, "id-signup", `{"final":true}`),
			node("mail", "http", "", `{}`),
		},
		Edges: []graph.Edge{
			{ID: "e1", From: "id-asked", Port: "on_confirm", To: "id-known"},
			{ID: "e2", From: "id-asked", Port: "after_1h", To: "id-forgotten"},
			{ID: "e3", From: "id-signup", Port: "success", To: "id-mail"},
		},
	}
}

func TestAChartDrawnByHandRuns(t *testing.T) {
	t.Parallel()
	d, issues := draw.FromGraph(drawn(), "id-signup")
	if len(issues) > 0 {
		t.Fatal(issues)
	}
	c, faults := chart.Compile(d)
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	s, effects := c.Start(nil)
	if c.Value(s) != "asked" || len(effects) != 1 || effects[0].DelayMS != 3_600_000 {
		t.Errorf("value %v, effects %v", c.Value(s), effects)
	}
	s, _ = c.Send(s, chart.NewEvent("confirm", nil))
	if c.Value(s) != "known" || s.Status != chart.StatusDone {
		t.Errorf("value %v, status %s", c.Value(s), s.Status)
	}
}

func TestWhatCannotBeAChartIsPinnedToItsPlace(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(g *graph.Graph)
		at     string
		want   string
	}{
		"no state inside":  {func(g *graph.Graph) { g.Nodes[4].In = "id-signup" }, "id-mail", "“mail” is no state"},
		"a crossing edge":  {func(g *graph.Graph) { g.Edges[0].To = "id-mail" }, "e1", "crosses the border"},
		"an unknown field": {func(g *graph.Graph) { g.Nodes[1].Config = json.RawMessage(`{"onn":[]}`) }, "id-asked", `unknown field "onn"`},
		"a bad guard": {func(g *graph.Graph) {
			g.Nodes[1].Config = json.RawMessage(`{"always":[{"port":"always","guard":{"expr":"context."}}]}`)
		}, "id-asked", "(in context.)"},
		"no beginning": {func(g *graph.Graph) { g.Nodes[0].Config = nil }, "id-signup", "It begins in"},
		"no container": {func(g *graph.Graph) { g.Nodes[0].Kind = "group" }, "id-signup", "no container of states"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := drawn()
			c.change(&g)
			_, issues := draw.FromGraph(g, "id-signup")
			if len(issues) == 0 || issues[0].Node+issues[0].Edge != c.at || !strings.Contains(issues[0].Message, c.want) {
				t.Errorf("issues %+v", issues)
			}
		})
	}
}

func TestAPlacedChartStandsInItsFrames(t *testing.T) {
	t.Parallel()
	for _, d := range charts(t)[:40] {
		nodes, _ := draw.ToGraph(d)
		at := draw.Place(nodes, 100, 50)
		for i, n := range nodes {
			l := at[n.ID]
			if n.In != "" {
				f := at[n.In]
				if l.X < f.X || l.Y < f.Y || l.X+max(l.W, 248) > f.X+f.W || l.Y+max(l.H, 72) > f.Y+f.H {
					t.Errorf("%s: %s at %+v is not inside %+v", d.ID, n.Key, l, f)
				}
			}
			for _, m := range nodes[i+1:] {
				k := at[m.ID]
				if m.In == n.In && l.X < k.X+max(k.W, 248) && k.X < l.X+max(l.W, 248) && l.Y < k.Y+max(k.H, 72) && k.Y < l.Y+max(l.H, 72) {
					t.Errorf("%s: %s lies over %s", d.ID, n.Key, m.Key)
				}
			}
		}
	}
}
