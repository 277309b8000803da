package compile_test

import (
	"encoding/json"
	"strings"
	"testing"

	"signalbox/engine/compile"
	"signalbox/engine/graph"
)

// TestVariablesOfAPlaceAreRefusedElsewhere: item and index stand inside of what
// repeats, acc where a join reduces, error where a retry asks.
func TestVariablesOfAPlaceAreRefusedElsewhere(t *testing.T) {
	t.Parallel()
	reading := func(expression string, in ...string) graph.Graph {
		raw, err := json.Marshal(map[string]string{"expression": expression})
		if err != nil {
			t.Fatal(err)
		}
		g := draw(t, "s:manual", `each:map{"items":[1]}`, `again:loop{"condition":"index < 2"}`, "box:group", "a:transform"+string(raw), "s>each", "s>again", "s>box")
		around := ""
		for _, key := range in { // outermost first
			g = inside(g, around, key)
			around = key
		}
		if around != "" {
			return inside(g, around, "a")
		}
		g.Edges = append(g.Edges, graph.Edge{ID: "sa", From: "s", Port: "success", To: "a"})
		return g
	}
	joined := func(j graph.Join) graph.Graph {
		return with(draw(t, "s:manual", "a:mock", "b:mock", "s>a", "s>b", "j:join", "a>j", "b>j"), "j", func(n *graph.Node) { n.Join = &j })
	}
	retried := func(when string) graph.Graph {
		return with(draw(t, "s:manual", "a:mock", "s>a"), "a", func(n *graph.Node) { n.Retry = &graph.Retry{MaxAttempts: 2, When: when} })
	}
	for name, c := range map[string]struct {
		g      graph.Graph
		field  string // empty: nothing is wrong
		offset int
	}{
		"item in the run":            {reading("item"), "/config/expression", 0},
		"index in the run":           {reading("input.n + index"), "/config/expression", 10},
		"acc in the run":             {reading("1 + acc"), "/config/expression", 4},
		"error in the run":           {reading("has(input.x) ? error.class : 1"), "/config/expression", 15},
		"item in a group":            {reading("item", "box"), "/config/expression", 0},
		"item in a map":              {reading("[item, index]", "each"), "", 0},
		"item in a loop":             {reading("[item, index]", "again"), "", 0},
		"item in a group in a map":   {reading("[item, index]", "each", "box"), "", 0},
		"acc in a map":               {reading("acc", "each"), "/config/expression", 0},
		"a name of its own":          {reading("[1].map(item, item)[0]"), "", 0},
		"index of the loop itself":   {reading("1"), "", 0},
		"item of the map itself":     {with(reading("1"), "each", func(n *graph.Node) { n.Config = json.RawMessage(`{"items":"=[item]"}`) }), "/config/items", 2},
		"item of a map in a map":     {with(inside(reading("1"), "again", "each"), "each", func(n *graph.Node) { n.Config = json.RawMessage(`{"items":"=[item]"}`) }), "", 0},
		"deep in a configuration":    {draw(t, "s:manual", `a:set{"fields":{"x":[1,"at {{ index }}"]}}`, "s>a"), "/config/fields/x/1", 6},
		"reduce":                     {joined(graph.Join{Combine: "reduce", Reduce: "acc + item", Start: "0"}), "", 0},
		"where a reduction starts":   {joined(graph.Join{Combine: "reduce", Reduce: "acc + item", Start: "acc"}), "/join/start", 0},
		"index in a reduction":       {joined(graph.Join{Combine: "reduce", Reduce: "acc + index", Start: "0"}), "/join/reduce", 6},
		"error in a retry":           {retried("error.class == 'own'"), "", 0},
		"item in a retry":            {retried("=item == 1"), "/retry/when", 1},
		"the priority of a task":     {with(retried("true"), "a", func(n *graph.Node) { n.Task = &graph.Task{Priority: json.RawMessage(`"=item.urgent"`)} }), "/task/priority", 1},
		"what is not looked at then": {with(reading("item"), "a", func(n *graph.Node) { n.Disabled = true }), "", 0},
	} {
		_, issues := compile.Compile(c.g)
		i, found := issue(issues, "never_ready_data")
		switch {
		case !found && c.field != "":
			t.Errorf("%s: nothing is refused: %+v", name, issues)
		case found && (i.Field != c.field || i.Offset != c.offset || i.Severity != graph.SeverityError || i.Node == ""):
			t.Errorf("%s: %+v, want field %q at %d", name, i, c.field, c.offset)
		}
	}
}

// TestCompensationSeesTheItemItUndoes also when a transaction around the map
// undoes it, long after the item's body is over.
func TestCompensationSeesTheItemItUndoes(t *testing.T) {
	t.Parallel()
	g := draw(t, "s:manual", `each:map{"items":["x","y"],"concurrency":1}`, "take:mock", `give:mock{"answer":{"back":"=item","at":"=index"}}`, "last:mock", "s>each", "each>last", "take.compensate>give")
	g.Transaction = true
	st := perform(t, compiled(t, inside(g, "each", "take", "give")), `{}`)
	st.succeed("take", `1`)
	st.succeed("take", `2`)
	st.breaks("last")
	for _, want := range []string{`{"answer":{"at":1,"back":"y"},`, `{"answer":{"at":0,"back":"x"},`} {
		if got := string(st.task("give").Config.Inline); !strings.HasPrefix(got, want) {
			t.Errorf("it is undone with %s, want %s", got, want)
		}
		st.succeed("give", `{}`)
	}
}
