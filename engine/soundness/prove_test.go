package soundness_test

import (
	"testing"

	"signalbox/engine/machine"
	"signalbox/engine/soundness"
)

func TestEachFindingIsSeenWhereItIs(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		lines []string
		want  string
	}{
		"choice and inclusive join": {[]string{"s>c", "c.a>x", "c.b>y", "x>j", "y>j"}, ""},
		"choice into all": {
			[]string{"s>c", "c.a>x", "c.b>y", "x>j", "y>j", "j=all"},
			"join_stuck j fix j=inclusive s.success c.a x.success\ndead_node j\n",
		},
		"split into all":             {[]string{"s>x y", "x>j", "y>j", "j=all"}, ""},
		"split into each":            {[]string{"s>x y", "x>j", "y>j", "j=each", "j>k"}, "runs_twice j s.success y.success x.success j.success j.success\n"},
		"two of three, two come":     {[]string{"s>c", "c.a>x y", "c.b>y z", "x>j", "y>j", "z>j", "j=n2"}, ""},
		"two of three, one comes":    {[]string{"s>c", "c.a>x y", "c.b>z", "x>j", "y>j", "z>j", "j=n2"}, "join_stuck j fix j=inclusive s.success c.b z.success\n"},
		"first absorbs the others":   {[]string{"s>x y z", "x>j", "y>j", "z>j", "j=first", "j>k"}, ""},
		"first cancels the others":   {[]string{"s>x y", "x>j", "y>j q", "q>r", "j=first!", "j>k"}, ""},
		"joins in a ring":            {[]string{"s>a b", "a>b", "b>a"}, "no_exit a\njoin_cycle a s.success\ndead_node a\ndead_node b\n"},
		"ring with a way out":        {[]string{"s>a b", "a.x>b", "a.y>k", "b>a"}, "join_cycle a fix a=each s.success\ndead_node a\ndead_node b\ndead_node k\n"},
		"loop with a way out":        {[]string{"s>a", "a>c", "c.again>a", "c.done>k"}, ""},
		"loop without a way out":     {[]string{"s>a", "a>c", "c>a"}, "no_exit a\n"},
		"a branch in a loop":         {[]string{"s>a", "a>x y", "x>j", "y>j", "j=all", "j.again>a", "j.done>k"}, ""},
		"tokens pile up":             {[]string{"s>a", "a=each", "a>c q", "c.again>a", "c.done>k"}, "runs_twice q s.success a.success c.again a.success c.done q.success q.success\ngrows_without_end q s.success a.success c.again a.success c.again a.success c.again a.success c.again\n"},
		"two enter a loop":           {[]string{"s>x y", "x>a", "y>a", "a=each", "a.again>b", "a.done>k", "b>a"}, "runs_twice"},
		"absorb in a loop":           {[]string{"s>x y", "x>a", "y>a", "a=first", "a.again>x", "a.done>k", "x=each"}, "absorb_in_loop"},
		"cancel in a loop":           {[]string{"s>x y", "x>a", "y>a", "a=first!", "a.again>x", "a.done>k", "x=each"}, "cancel_in_loop"},
		"fail ends it at once":       {[]string{"s>c y", "c.a>x", "c.b>f", "f:fail", "x>j", "y>j", "j=all"}, ""},
		"fail after work comes late": {[]string{"s>c y", "c.a>x", "c.b>w", "w>f", "f:fail", "x>j", "y>j", "j=all"}, "join_stuck j fix j=inclusive s.success y.success c.b w.success\n"},
		"all with a deadline":        {[]string{"s>c y", "c.a>x", "c.b>q", "x>j", "y>j", "j=all@", "j.timeout>late"}, ""},
		"second pass finds nothing":  {[]string{"s>x y", "x>j", "y>j", "j=all", "j.again>x", "j.done>k", "x=each"}, "join_stuck"},
		"body by itself":             {[]string{"s>g", "g.success>k", "g:group x c y z j", "x>j", "c.a>y", "c.b>z", "y>j", "j=all"}, "join_stuck j fix j=inclusive c.b z.success x.success\n"},
		"body without an entry":      {[]string{"s>g", "g:loop x y", "x>y", "y.again>x", "y.done>x"}, "no_exit x\ndead_node x\ndead_node y\n"},
		"body in a body":             {[]string{"s>g", "g:group h a", "h:map x y j", "h>a", "x>j", "y>j", "j=each"}, "runs_twice j"},
		"a box that fails":           {[]string{"s>g", "g.success>x", "g.failure>y", "g:group b", "x>j", "y>j", "j=all"}, "join_stuck j"},
		"nobody leads there":         {[]string{"s>a", "b>c"}, "dead_node b\ndead_node c\n"},
	} {
		m := draw(t, c.lines...)
		got := say(m, soundness.Prove(m))
		if got != c.want && (c.want == "" || c.want[len(c.want)-1] == '\n' || len(got) < len(c.want) || got[:len(c.want)] != c.want) {
			t.Errorf("%s:\n%swant\n%s", name, got, c.want)
		}
	}
}

// TestChoicesSideBySideInALoopAreMendedTogether: no join alone mends them, all
// do, and the one that is to wait for all branches is left out.
func TestChoicesSideBySideInALoopAreMendedTogether(t *testing.T) {
	t.Parallel()
	for _, n := range []int{2, 3, 20, 166} {
		for _, end := range []string{"inclusive", "all"} {
			lines := append(again(beside(n, "inclusive"), "end"), "end="+end)
			m := draw(t, lines...)
			var cycle soundness.Finding
			for _, f := range soundness.Prove(m) {
				if f.Code == soundness.JoinCycle {
					cycle = f
				}
			}
			if cycle.Fix == nil || len(cycle.Fix.Others) != n-1 || cycle.Fix.Mode != machine.JoinEach {
				t.Fatalf("%d choices, then %s: the finding is %+v", n, end, cycle)
			}
			for _, i := range append(cycle.Fix.Others, cycle.Fix.Node) {
				if key := m.Nodes[i].Key; key[0] != 'j' {
					t.Errorf("%d choices, then %s: the fix changes %s", n, end, key)
				}
				m.Nodes[i].Join = machine.JoinEach
			}
			if err := m.Link(); err != nil {
				t.Fatal(err)
			}
			if got := say(m, soundness.Prove(m)); got != "" {
				t.Errorf("%d choices, then %s, mended: %s", n, end, got)
			}
		}
	}
}
