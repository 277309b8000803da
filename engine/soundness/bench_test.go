package soundness_test

import (
	"fmt"
	"testing"

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
func beside(n int) []string {
	var lines []string
	for i := range n {
		lines = append(lines, fmt.Sprintf("s>c%d", i), fmt.Sprintf("c%d.a>x%d", i, i), fmt.Sprintf("c%d.b>y%d", i, i), fmt.Sprintf("x%d>j%d", i, i), fmt.Sprintf("y%d>j%d", i, i), fmt.Sprintf("j%d>w%d", i, i), fmt.Sprintf("w%d>end", i))
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

// again leads from the last node back to the first.
func again(lines []string, last string) []string {
	return append(lines, last+".again>first", "first>c0", "s>first")
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
		"200 nodes, 40 choices in a row":    draw(tb, diamonds(40)...),
		"1000 nodes, 200 choices in a row":  draw(tb, diamonds(200)...),
		"1000 nodes, 166 choices beside":    draw(tb, beside(166)...),
		"500 nodes, 100 optional branches":  draw(tb, optional(100, "inclusive")...),
		"150 nodes, 30 optional, 2 wanted":  draw(tb, optional(30, "n2")...),
		"1000 nodes, 200 choices in a loop": draw(tb, again(diamonds(200), "c200")...),
		"1000 nodes, 166 beside in a loop":  draw(tb, again(beside(166)[1:], "end")...),
		"35 nodes, first of 7 cancels":      draw(tb, optional(7, "first!")...),
		"35 nodes, 7 until a deadline":      draw(tb, optional(7, "all@")...),
		"100 nodes, first of 20 cancels":    draw(tb, optional(20, "first!")...),
		"10000 nodes in a row":              draw(tb, chain...),
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
