package reference_test

import (
	"testing"

	"signalbox/engine/reference"
	"signalbox/engine/reference/play"
)

// TestCasesThatDiffered keeps the smallest drawing of each kind that the
// machine and the reference once read differently.
func TestCasesThatDiffered(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		lines   []string
		seconds map[string]float64
		want    string
	}{
		"a deadline fires by itself": {
			append(three(`{"join":{"mode":"all","deadline":"90s"}}`), "late:output", "j.timeout>late"),
			map[string]float64{"a": 1, "b": 2, "c": 200}, `s a b c j late succeeded {"a":"a","b":"b"}`,
		},
		"a container is tried again once": {
			[]string{"s:manual", "g:group", `g set {"retry":{"max_attempts":2}}`, "a:mock in g", "s>g"},
			map[string]float64{"a": -1}, `s g g#1[0]:a g#1[0]~2:a failed own a`,
		},
		"an empty container gives its input back": {
			[]string{"s:manual", "g:group", "s>g"}, nil, `s g succeeded {"in":1}`,
		},
		"no try of a container begins after its time": {
			[]string{"s:manual", "g:group", `g set {"retry":{"max_attempts":9,"initial":"10s"},"timeout":{"total":"5s"}}`, "a:mock in g", "s>g"},
			map[string]float64{"a": -1}, `s g g#1[0]:a failed own a`,
		},
		"an open round does not keep a stuck scope alive": {
			[]string{
				"s:manual", "a:join", "b:join", "d:join", `d set {"join":{"mode":"first"}}`,
				"s>d", "b>d", "s>a", "s>b", "a>b", "b>a",
			},
			nil, `s d failed join_cycle a`,
		},
		"a join for the first of several is not among those that lack a branch": {
			[]string{
				"s:manual", `w:wait{"duration":"1s"}`, "x:join", `x set {"join":{"mode":"each"}}`, "a:join", "b:join", "d:join", `d set {"join":{"mode":"first"}}`,
				"s>w", "s>x", "w>x", "x>d", "b>d", "s>a", "s>b", "a>b", "b>a",
			},
			nil, `s w x d x failed join_cycle a`,
		},
		"a loop's own error tells how often it was tried": {
			[]string{
				"s:manual", `l:loop{"condition":"true","max":1}`, `l set {"retry":{"max_attempts":2}}`,
				"a:mock in l", `o:transform{"expression":"input.error.attempts"}`, "s>l", "l.failure>o",
			},
			map[string]float64{"a": -1, "a~2": 1}, `s l l#1[0]:a l#1[0]~2:a o succeeded 2`,
		},
		"a map that is tried again opens all its items": {
			[]string{"s:manual", `m:map{"items":"=[1,2]","concurrency":2}`, `m set {"retry":{"max_attempts":2}}`, "a:wait in m", `a set {"config":{"duration":"5s"}}`, "b:mock in m", "a>b", "s>m"},
			map[string]float64{"b": -1}, `s m m#1[0]:a m#1[1]:a m#1[0]:b m#1[1]:b… m#1[0]~2:a m#1[1]~2:a m#1[0]~2:b m#1[1]~2:b… failed own b`,
		},
		"merge leaves alone what has no key": {
			[]string{"s:manual", `a:transform{"expression":"[{'k':1,'a':1},{'b':2}]"}`, `b:transform{"expression":"[{'c':3},{'k':1,'d':4}]"}`, "j:join", `j set {"join":{"mode":"all","combine":"merge","key":"k"}}`, "s>a", "s>b", "a>j", "b>j"},
			nil, `s a b j succeeded [{"a":1,"d":4,"k":1},{"b":2},{"c":3}]`,
		},
		"what other items of a map did is undone too": {
			[]string{
				"s:manual", `g:group{"transaction":true}`, `m:map in g{"items":"=[1,2]"}`, "a:join in m", "b:mock in m", "u:mock in m",
				"s>g", "a>b", "a.compensate>u",
			},
			map[string]float64{"b": -1}, `s g g#1[0]:m g#1[0]/m#1[0]:a g#1[0]/m#1[0]:b g#1[0]/m#1[1]:a g#1[0]/m#1[1]:b… g#1[0]:u g#1[0]:u failed own b`,
		},
		"the time of a transaction does not count while it is undone": {
			[]string{
				"s:manual", `g:group{"transaction":true}`, `g set {"timeout":{"total":"5s"}}`, "a:mock in g", "b:mock in g", "u:mock in g",
				"s>g", "a>b", "a.compensate>u",
			},
			map[string]float64{"a": 1, "b": -3, "u": 9}, `s g g#1[0]:a g#1[0]:b g#1[0]:u failed own b`,
		},
		"a transaction that is undone too late is not tried again": {
			[]string{
				"s:manual", `g:group{"transaction":true}`, `g set {"timeout":{"total":"5s"},"retry":{"max_attempts":2}}`, "a:mock in g", "b:mock in g", "u:mock in g",
				"s>g", "a>b", "a.compensate>u",
			},
			map[string]float64{"a": 1, "b": -1, "u": 9}, `s g g#1[0]:a g#1[0]:b g#1[0]:u failed own b`,
		},
		"a task in flight in another item is waited for, and undone": {
			[]string{
				"s:manual", `g:group{"transaction":true}`, `m:map in g{"items":"=[1,2]"}`, "a:mock in m", "u:mock in m", "b:if in m", `b set {"config":{"condition":"index == 1 && item.none"}}`,
				`w:wait in m`, `w set {"config":{"duration":"1s"}}`, "s>g", "w>b", "a.compensate>u",
			},
			map[string]float64{"a": 9}, `s g g#1[0]:m g#1[0]/m#1[0]:a g#1[0]/m#1[0]:w g#1[0]/m#1[1]:a g#1[0]/m#1[1]:w g#1[0]/m#1[0]:b g#1[0]/m#1[1]:b g#1[0]:u g#1[0]:u failed invalid_input b`,
		},
		"fields are set on null as on an empty object": {
			[]string{"s:manual", `n:transform{"expression":"null"}`, `f:set{"fields":{"a":1}}`, "s>n", "n>f"},
			nil, `s n f succeeded {"a":1}`,
		},
		"a loop in a map leaves the item alone": {
			[]string{"s:manual", `m:map{"items":"=[7]"}`, `l:loop in m{"condition":"index < 2","max":3}`, `n:transform in l{"expression":"[item, index]"}`, "s>m"},
			nil, `s m m#1[0]:l m#1[0]/l#1[0]:n m#1[0]/l#1[1]:n succeeded [[7,1]]`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := sketch(t, c.lines...)
			for i := range g.Nodes {
				if g.Nodes[i].Kind == "mock" {
					g.Nodes[i].Config = []byte(`{"answer":"=input"}`)
					g.Nodes[i].Retry = once()
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
