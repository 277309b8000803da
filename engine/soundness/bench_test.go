package soundness_test

import (
	"fmt"
	"strings"
	"testing"

	"signalbox/engine/graph"
	"signalbox/engine/machine"
	"signalbox/engine/soundness"
)

// diamonds is a row of choices whose branches join again.
func diamonds(n int) []string {
	lines := []string{"s>c0"}
	for i := range n {
		lines = append(lines, fmt.Sprintf("c%d.a>x%d", i, i), fmt.Sprintf("c%d.b>y%d", i, i), fmt.Sprintf("x%d>j%d", i, i), fmt.Sprintf("y%d>j%d", i, i), fmt.Sprintf("j%d>c%d", i, i+1))
	}
	return lines
}

// beside is so many diamonds side by side, joined by all.
func beside(n int, join string) []string {
	var lines []string
	for i := range n {
		lines = append(lines, fmt.Sprintf("s>c%d", i), fmt.Sprintf("c%d.a>x%d", i, i), fmt.Sprintf("c%d.b>y%d", i, i), fmt.Sprintf("x%d>j%d", i, i), fmt.Sprintf("y%d>j%d", i, i), fmt.Sprintf("j%d>w%d", i, i), fmt.Sprintf("w%d>end", i), fmt.Sprintf("j%d=%s", i, join))
	}
	return append(lines, "end=all")
}

// optional is so many branches side by side, each of which may end early.
func optional(n int, join string) []string {
	var lines []string
	for i := range n {
		lines = append(lines, fmt.Sprintf("s>c%d", i), fmt.Sprintf("c%d.a>x%d", i, i), fmt.Sprintf("c%d.b>y%d", i, i), fmt.Sprintf("x%d>w%d", i, i), fmt.Sprintf("w%d>end", i))
	}
	return append(lines, "end="+join)
}

// boxes is so many groups in a row, each with a choice and a join in it.
func boxes(n int) []string {
	lines := []string{"s>g0"}
	for i := range n {
		lines = append(lines, fmt.Sprintf("g%d>g%d", i, i+1), fmt.Sprintf("g%d:group a%d x%d y%d j%d", i, i, i, i, i),
			fmt.Sprintf("a%d.a>x%d", i, i), fmt.Sprintf("a%d.b>y%d", i, i), fmt.Sprintf("x%d>j%d", i, i), fmt.Sprintf("y%d>j%d", i, i))
	}
	return lines
}

// again puts a drawing into a loop, from its last node back to its first.
func again(lines []string, last string) []string {
	for i, l := range lines {
		if rest, ok := strings.CutPrefix(l, "s>"); ok {
			lines[i] = "first>" + rest
		}
	}
	return append(lines, "s>first", last+".again>first", last+".done>over")
}

// drawings of every shape and size that the figures are about.
func drawings(tb testing.TB) map[string]*machine.Machine {
	tb.Helper()
	chain := make([]string, 0, 10_000)
	chain = append(chain, "s>n0")
	for i := range 9_998 {
		chain = append(chain, fmt.Sprintf("n%d>n%d", i, i+1))
	}
	return map[string]*machine.Machine{
		"200 nodes, 40 choices in a row":             draw(tb, diamonds(40)...),
		"1000 nodes, 200 choices in a row":           draw(tb, diamonds(200)...),
		"1000 nodes, 166 choices beside":             draw(tb, beside(166, "inclusive")...),
		"500 nodes, 100 optional branches":           draw(tb, optional(100, "inclusive")...),
		"150 nodes, 30 optional, 2 wanted":           draw(tb, optional(30, "n2")...),
		"1000 nodes, joins that wait for each other": draw(tb, again(beside(166, "inclusive"), "end")...),
		"70 nodes, 14 optional until a deadline":     draw(tb, optional(14, "inclusive@")...),
		"65 nodes, first of 13 cancels":              draw(tb, optional(13, "first!")...),
		"10000 nodes in 2000 groups":                 draw(tb, boxes(2_000)...),
		"1000 nodes, 200 choices in a loop":          draw(tb, again(diamonds(200), "c200")...),
		"1000 nodes, 166 beside in a loop":           draw(tb, again(beside(166, "each"), "end")...),
		"35 nodes, first of 7 cancels":               draw(tb, optional(7, "first!")...),
		"35 nodes, 7 until a deadline":               draw(tb, optional(7, "all@")...),
		"100 nodes, first of 20 cancels":             draw(tb, optional(20, "first!")...),
		"10000 nodes in a row":                       draw(tb, chain...),
	}
}

func TestLargeDrawingsAreProvedOrCalledTooLarge(t *testing.T) {
	t.Parallel()
	for name, m := range drawings(t) {
		found := soundness.Prove(m)
		large := strings.Contains(say(m, found), soundness.TooLarge)
		cycle := strings.Contains(name, "wait for each other")
		if cycle != strings.Contains(say(m, found), soundness.JoinCycle) {
			t.Errorf("%s: %s", name, say(m, found))
		}
		if want := cycle || strings.Contains(name, "first of 20"); large != want {
			t.Errorf("%s: too large is %t, want %t", name, large, want)
		}
		for _, f := range found {
			if f.Severity == graph.SeverityError && !cycle && !strings.Contains(name, "2 wanted") && !strings.Contains(name, "cancels") {
				t.Errorf("%s is sound, but: %s", name, say(m, []soundness.Finding{f}))
			}
		}
	}
}

func BenchmarkProve(b *testing.B) {
	for name, m := range drawings(b) {
		b.Run(name, func(b *testing.B) {
			var found []soundness.Finding
			for b.Loop() {
				found = soundness.Prove(m)
			}
			for _, f := range found {
				if f.Code == soundness.TooLarge {
					b.ReportMetric(float64(f.States), "states-not-all")
				}
			}
		})
	}
}
