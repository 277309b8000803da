package reference_test

import (
	"testing"

	"signalbox/engine/reference"
	"signalbox/engine/reference/play"
)

// TestRulesBetweenTheRules holds what is said in half a sentence, on both
// readings of the page.
func TestRulesBetweenTheRules(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		lines   []string
		seconds map[string]float64
		want    string
	}{
		"scopes settle in the order in which they opened": {
			[]string{"s:manual", `m:map{"items":"=[1,2]","concurrency":2}`, "a:join in m", "b:join in m", "a>b", "s>m"},
			nil, `s m m#1[0]:a m#1[0]:b m#1[1]:a m#1[1]:b succeeded [1,2]`,
		},
		"a scope in which no token ended gives null": {
			[]string{"s:manual", "a:join", `a set {"join":{"mode":"first"}}`, "b:join", "s>a", "a>b", "b>a"},
			nil, `s a b succeeded null`,
		},
		"an error of the container's own is not tried again": {
			[]string{"s:manual", `m:map{"items":"=7"}`, `m set {"retry":{"max_attempts":3,"on":["invalid_input"]}}`, "a:mock in m", "s>m"},
			nil, `s m failed invalid_input m`,
		},
		"no deadline runs while a round is open": {
			[]string{
				"s:manual", `w:wait{"duration":"1s"}`, `v:wait{"duration":"2s"}`, "x:join", `x set {"join":{"mode":"each"}}`, "c:mock",
				"j:join", `j set {"join":{"mode":"first","deadline":"5s"}}`, "late:output", "good:output",
				"s>w", "s>v", "s>c", "w>x", "v>x", "x>j", "c>j", "j>good", "j.timeout>late",
			},
			map[string]float64{"c": 20}, `s c v w x j good x j good succeeded {"x":{"in":1}}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := sketch(t, c.lines...)
			for i := range g.Nodes {
				if g.Nodes[i].Kind == "mock" {
					g.Nodes[i].Config = []byte(`{"answer":"=input"}`)
				}
			}
			start := reference.Start{Trigger: "s", Input: map[string]any{"in": 1.0}, At: noon}
			r, err := reference.Run(g, start, after(c.seconds))
			if err != nil {
				t.Fatal(err)
			}
			if got := told(r); got != c.want {
				t.Errorf("the reference:\n%s\nwant\n%s", got, c.want)
			}
			if got := told(drive(t, play.Lower(g), start, after(c.seconds))); got != c.want {
				t.Errorf("the machine:\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}
