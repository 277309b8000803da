package reference_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"signalbox/engine/graph"
	"signalbox/engine/reference"
	"signalbox/engine/reference/play"
)

// sketch makes a drawing of lines like "a:kind{config}", "a.port>b" and
// "a join {…}"; "a in b" puts a node into a container.
func sketch(t *testing.T, lines ...string) graph.Graph {
	t.Helper()
	g := graph.Graph{Format: graph.Format}
	find := func(key string) *graph.Node {
		n := g.Node("id-" + key)
		if n == nil {
			t.Fatalf("no node %s", key)
		}
		return n
	}
	for _, l := range lines {
		if key, more, is := strings.Cut(l, " set "); is {
			if err := json.Unmarshal([]byte(more), find(key)); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if from, to, is := strings.Cut(l, ">"); is && !strings.Contains(from, "{") {
			from, port, _ := strings.Cut(from, ".")
			if port == "" {
				port = "success"
			}
			g.Edges = append(g.Edges, graph.Edge{ID: fmt.Sprint("e", len(g.Edges)), From: "id-" + from, Port: port, To: "id-" + to})
			continue
		}
		key, rest, _ := strings.Cut(l, ":")
		kind, config, _ := strings.Cut(rest, "{")
		kind, in, _ := strings.Cut(kind, " in ")
		n := graph.Node{ID: "id-" + key, Key: key, Kind: kind, Config: json.RawMessage(`{` + strings.TrimSuffix(config, "}") + `}`)}
		if in != "" {
			n.In = "id-" + in
		}
		g.Nodes = append(g.Nodes, n)
	}
	return g
}

// nodesFirst puts the lines that draw nodes before those that change them.
func nodesFirst(lines []string) []string {
	var nodes, rest []string
	for _, l := range lines {
		if strings.Contains(l, ":") && !strings.Contains(l, " set ") {
			nodes = append(nodes, l)
		} else {
			rest = append(rest, l)
		}
	}
	return append(nodes, rest...)
}

// after makes every task give its own key, so many seconds after it was handed
// out; less than none is a failure.
func after(seconds map[string]float64) reference.Outcomes {
	return func(p reference.Place) reference.Outcome {
		s := seconds[p.Node]
		if again, there := seconds[p.Node+"~2"]; there && strings.HasSuffix(p.Scope, "~2") {
			s = again
		}
		o := reference.Outcome{After: time.Duration(max(s, -s) * float64(time.Second)), Output: p.Node}
		if s < 0 {
			o.Error = &reference.Error{Class: "own", Message: "no"}
		}
		return o
	}
}

func told(r reference.Report) string {
	var b strings.Builder
	for _, v := range r.Visits {
		if v.Scope != "" {
			b.WriteString(v.Scope + ":")
		}
		b.WriteString(v.Node)
		if v.Ports == nil && v.Error == nil && v.Output == nil {
			b.WriteString("…")
		}
		b.WriteByte(' ')
	}
	b.WriteString(r.Status)
	if r.Error != nil {
		return b.String() + " " + r.Error.Class + " " + r.Error.Node
	}
	return b.String() + " " + play.Text(r.Result)
}

func three(join string) []string {
	return []string{
		"s:manual", "a:mock", "b:mock", "c:mock", "j:join", "j set " + join, "end:output",
		"s>a", "s>b", "s>c", "a>j", "b>j", "c>j", "j>end",
	}
}

func TestJoins(t *testing.T) {
	t.Parallel()
	fast := map[string]float64{"a": 1, "b": 2, "c": 3}
	for name, c := range map[string]struct {
		lines   []string
		seconds map[string]float64
		want    string
		ended   float64
	}{
		"inclusive waits for all that can come": {three(`{}`), fast, `s a b c j end succeeded {"a":"a","b":"b","c":"c"}`, 3},
		"each starts for every token":           {three(`{"join":{"mode":"each"}}`), fast, `s a b c j end j end j end succeeded "c"`, 3},
		"two of three, the third is absorbed":   {three(`{"join":{"mode":"n","n":2}}`), fast, `s a b c j end succeeded {"a":"a","b":"b"}`, 3},
		"the first cancels the others":          {three(`{"join":{"mode":"first","then":"cancel"}}`), fast, `s a b… c… j end succeeded {"a":"a"}`, 1},
		"three of three with one that fails":    {append(three(`{"join":{"mode":"n","n":3}}`), "x:join", "b.failure>x"), map[string]float64{"a": 1, "b": -1, "c": 9}, `s a b c… x failed join_unsatisfied j`, 4},
		"all with one that fails":               {append(three(`{"join":{"mode":"all"}}`), "x:join", "b.failure>x"), map[string]float64{"a": 1, "b": -1, "c": 9}, `s a b c… x failed join_unsatisfied j`, 4},
		"a deadline leaves by its port":         {append(three(`{"join":{"mode":"all","deadline":"90s"}}`), "late:output", "j.timeout>late"), map[string]float64{"a": 1, "b": 2, "c": 200}, `s a b c j late succeeded {"a":"a","b":"b"}`, 200},
		"append puts lists end to end":          {append(three(`{"join":{"mode":"all","combine":"append"}}`), "a set {\"kind\":\"join\"}"), fast, `s a b c j end succeeded [{"in":1},"b","c"]`, 3},
		"reduce goes from one to the next":      {three(`{"join":{"mode":"all","combine":"reduce","reduce":"acc + item","start":"'>'"}}`), fast, `s a b c j end succeeded ">abc"`, 3},
		"merge leaves alone what has no key": {
			[]string{"s:manual", `a:transform{"expression":"[{'k':1,'a':1},{'b':2}]"}`, `b:transform{"expression":"[{'c':3},{'k':1,'d':4}]"}`, "j:join", `j set {"join":{"mode":"all","combine":"merge","key":"k"}}`, "s>a", "s>b", "a>j", "b>j"},
			nil, `s a b j succeeded [{"a":1,"d":4,"k":1},{"b":2},{"c":3}]`, 0,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := sketch(t, c.lines...)
			for i := range g.Nodes {
				if g.Nodes[i].Kind == "mock" && c.seconds[g.Nodes[i].Key] < 0 {
					g.Nodes[i].Retry = &graph.Retry{MaxAttempts: 2}
				}
			}
			r, err := reference.Run(g, reference.Start{Trigger: "s", Input: map[string]any{"in": 1.0}, At: noon}, after(c.seconds))
			if err != nil {
				t.Fatal(err)
			}
			if got := told(r); got != c.want {
				t.Errorf("%s\nwant\n%s", got, c.want)
			}
			if got := r.Ended.Sub(noon).Seconds(); got != c.ended && !strings.Contains(c.want, "unsatisfied") {
				t.Errorf("ended after %v s, want %v", got, c.ended)
			}
		})
	}
}

// once is the policy of a task that is not tried again.
func once() *graph.Retry { return &graph.Retry{MaxAttempts: 1} }
