package graph_test

import (
	"strings"
	"testing"

	"signalbox/engine/graph"
	"signalbox/engine/problem"
)

func TestCheckJSON(t *testing.T) {
	t.Parallel()
	var again graph.Checker
	check := func(text string) *problem.Problem {
		p := graph.CheckJSON([]byte(text), 4)
		if q := again.Check([]byte(text), 4); (p == nil) != (q == nil) || p != nil && p.Detail != q.Detail {
			t.Errorf("%q: %v at first, %v by a checker that has seen others", text, p, q)
		}
		return p
	}
	for _, good := range []string{`1`, ` {"a":[1,"\u0001",null]} `, `"\\u0000"`, strings.Repeat("[", 4) + strings.Repeat("]", 4)} {
		if p := check(good); p != nil {
			t.Errorf("%s: %v", good, p)
		}
	}
	for bad, want := range map[string]string{
		`{"a":"x\u0000"}`:       "NUL",
		`{"\u0000":1}`:          "NUL",
		`{"a":1,"a":2}`:         "twice",
		`[[[[[1]]]]]`:           "deeper",
		`{} {}`:                 "behind",
		`{"a":`:                 "",
		``:                      "",
		"\"\xff\"":              "",
		`{"a":tru}`:             "",
		`{"b":"\\u0000\ud800"}`: "",
	} {
		p := check(bad)
		if p == nil || !strings.Contains(p.Detail, want) {
			t.Errorf("%q: got %v, want %q", bad, p, want)
		}
	}
}

func BenchmarkCheckJSON(b *testing.B) {
	data := []byte(`{"ok":true,"status":200,"label":"invoice","total":{"currency":"EUR","net":1042.5}}`)
	b.ReportAllocs()
	var c graph.Checker
	for b.Loop() {
		if p := c.Check(data, 512); p != nil {
			b.Fatal(p)
		}
	}
}
