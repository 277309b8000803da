package graph_test

import (
	"encoding/json"
	"testing"

	"signalbox/engine/graph"
	"signalbox/engine/problem"
)

func drawn(t *testing.T, config string) *graph.Graph {
	t.Helper()
	g, err := graph.Decode([]byte(`{"signalbox":1,"nodes":[{"id":"a","key":"a","kind":"manual","config":` + config + `}],"edges":[],"layout":{}}`))
	if err != nil {
		t.Fatal(err)
	}
	return &g
}

// A form shows fields in the order in which somebody put them.
func TestASettingKeepsTheOrderOfItsMembers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, config, path, value, want, undone string }{
		{"in its place", `{"z":1,"m":2,"a":3}`, "/config/m", `{"y":1, "b":2}`, `{"z":1,"m":{"y":1,"b":2},"a":3}`, `{"z":1,"m":2,"a":3}`},
		{"a new one last", `{"z":1}`, "/config/a", `"x"`, `{"z":1,"a":"x"}`, `{"z":1}`},
		{"deep inside", `{"z":{"q":{"y":1,"b":2},"c":1},"a":3}`, "/config/z/q/y", `9`, `{"z":{"q":{"y":9,"b":2},"c":1},"a":3}`, `{"z":{"q":{"y":1,"b":2},"c":1},"a":3}`},
		{"objects on the way", `{"z":1}`, "/config/a/b", `1`, `{"z":1,"a":{"b":1}}`, `{"z":1}`},
		{"one goes", `{"z":1,"a":3}`, "/config/z", ``, `{"a":3}`, `{"a":3,"z":1}`},
		{"nothing there to remove", `{"z":1}`, "/config/a/b", ``, `{"z":1}`, `{"z":1}`},
		{"in a list", `{"l":[{"z":1,"a":2},3]}`, "/config/l/0/z", `5`, `{"l":[{"z":5,"a":2},3]}`, `{"l":[{"z":1,"a":2},3]}`},
		{"at the end of a list", `{"l":[1]}`, "/config/l/-", `{"z":1,"a":2}`, `{"l":[1,{"z":1,"a":2}]}`, `{"l":[1]}`},
		{"out of a list", `{"l":[1,2]}`, "/config/l/0", ``, `{"l":[2]}`, `{"l":[1,2]}`},
		{"names that need quotes, digits as written", `{"\"":1.50,"~/":2}`, "/config/~0~1", `1e2`, `{"\"":1.50,"~/":1e2}`, `{"\"":1.50,"~/":2}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			g := drawn(t, c.config)
			undo, err := g.Apply(graph.Op{Op: "node.set", ID: "a", Path: c.path, Value: json.RawMessage(c.value)})
			if err != nil {
				t.Fatal(err)
			}
			if got := string(g.Nodes[0].Config); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
			back, _, err := g.ApplyAll(undo)
			if err != nil {
				t.Fatal(err)
			}
			if got := string(back.Nodes[0].Config); got != c.undone {
				t.Errorf("undone: got %s, want %s", got, c.undone)
			}
		})
	}
}

func TestASettingInsideWhatHasNoInsideIsRefused(t *testing.T) {
	t.Parallel()
	for path, config := range map[string]string{"/config/z/a": `{"z":1}`, "/config/l/2": `{"l":[1]}`, "/config/l/x": `{"l":[1]}`} {
		g := drawn(t, config)
		_, err := g.Apply(graph.Op{Op: "node.set", ID: "a", Path: path, Value: json.RawMessage(`1`)})
		if p := problem.Of(err); p == nil || p.Code != problem.Invalid {
			t.Errorf("%s in %s: got %v, want a refusal", path, config, err)
		}
		if got := string(g.Nodes[0].Config); got != config {
			t.Errorf("%s: a refused change left %s", path, got)
		}
	}
}
