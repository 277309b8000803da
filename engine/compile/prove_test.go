package compile_test

import (
	"slices"
	"strings"
	"testing"

	"signalbox/engine/compile"
	"signalbox/engine/graph"
	"signalbox/engine/machine"
)

// issue returns the first issue with the code.
func issue(issues []graph.Issue, code string) (graph.Issue, bool) {
	for _, i := range issues {
		if i.Code == code {
			return i, true
		}
	}
	return graph.Issue{}, false
}

func TestFixesTakeTheirFindingAway(t *testing.T) {
	t.Parallel()
	choice := []string{"s:manual", `c:if{"condition":"true"}`, "a:mock", "b:mock", "s>c", "c.true>a", "c.false>b", "a>j", "b>j"}
	loop := []string{"s:manual", "a:mock", "b:mock", `again:if{"condition":"true"}`, "k:mock", "s>a", "s>b", "a>j", "b>j", "j>again", "again.true>a", "again.false>k"}
	for name, c := range map[string]struct {
		code, title string
		join        graph.Join
		lines       []string
	}{
		"a starved all":         {"join_stuck", "what still comes", graph.Join{Mode: "all", Combine: "append"}, choice},
		"a starved n":           {"join_stuck", "what still comes", graph.Join{Mode: "n", N: 2}, choice},
		"first in a loop":       {"absorb_in_loop", "cancel the other", graph.Join{Mode: "first"}, loop},
		"n of m in a loop":      {"absorb_in_loop", "cancel the other", graph.Join{Mode: "n", N: 1, Deadline: "5s"}, append([]string{"late:mock", "j.timeout>late"}, loop...)},
		"a deadline in a loop":  {"absorb_in_loop", "Take the deadline off", graph.Join{Mode: "inclusive", Deadline: "5s"}, append([]string{"late:mock", "j.timeout>late"}, loop...)},
		"a canceler's deadline": {"absorb_in_loop", "Take the deadline off", graph.Join{Mode: "first", Then: "cancel", Deadline: "5s"}, loop},
	} {
		g := draw(t, append([]string{"j:join"}, c.lines...)...)
		g.Nodes[0].Join = &c.join
		_, issues := compile.Compile(g)
		found, ok := issue(issues, c.code)
		if !ok || found.Fix == nil || !strings.Contains(found.Fix.Title, c.title) {
			t.Errorf("%s: %+v", name, issues)
			continue
		}
		fixed, _, err := g.ApplyAll(found.Fix.Ops)
		if err != nil {
			t.Errorf("%s: the fix cannot be applied: %v", name, err)
			continue
		}
		if fixed.Nodes[0].Join.Combine != c.join.Combine {
			t.Errorf("%s: the fix changes how the join combines", name)
		}
		_, after := compile.Compile(fixed)
		if again, ok := issue(after, c.code); ok {
			t.Errorf("%s: after the fix still %+v", name, again)
		}
		for _, code := range []string{"unknown_port", "bad_join"} {
			if more, ok := issue(after, code); ok {
				t.Errorf("%s: the fix brings %+v", name, more)
			}
		}
	}
}

func TestFindingsInAContainerNameItsNodes(t *testing.T) {
	t.Parallel()
	g := draw(t, "s:manual", "g:group", `c:if{"condition":"true"}`, "a:mock", "b:mock", "j:join/all", "s>g", "c.true>a", "c.false>b", "a>j", "b>j")
	for i := range g.Nodes {
		if strings.Contains("cabj", g.Nodes[i].Key) {
			g.Nodes[i].In = "g"
		}
	}
	_, issues := compile.Compile(g)
	found, ok := issue(issues, "join_stuck")
	if !ok || found.Node != "j" || len(found.Example) == 0 || found.Example[0].Node != "c" {
		t.Errorf("%+v", issues)
	}
}

// TestAWaitWithoutALimitNeverTimesOut takes a join of all behind a signal: only
// a limit of time can leave it without the signal's token.
func TestAWaitWithoutALimitNeverTimesOut(t *testing.T) {
	t.Parallel()
	for config, stuck := range map[string]bool{
		`{"name":"paid"}`: false, `{"name":"paid","timeout":""}`: false, `{"name":"paid","timeout":"1h"}`: true, `{"name":"paid","timeout":"=input.wait"}`: true,
	} {
		_, issues := compile.Compile(draw(t, "s:manual", "w:signal"+config, "a:mock", "j:join/all", "s>w", "s>a", "w>j", "a>j"))
		if _, ok := issue(issues, "join_stuck"); ok != stuck {
			t.Errorf("%s: %+v", config, issues)
		}
	}
	_, issues := compile.Compile(draw(t, "s:manual", `w:signal{"name":"paid"}`, "late:mock", "s>w", "w.timeout>late"))
	if found, ok := issue(issues, "dead_node"); !ok || found.Node != "late" {
		t.Errorf("%+v", issues)
	}
}

// TestAChoiceBesideABranchInALoopIsJoinedByEach is the case that
// docs/semantics.md names under Loops.
func TestAChoiceBesideABranchInALoopIsJoinedByEach(t *testing.T) {
	t.Parallel()
	for after, code := range map[string]string{"inclusive": "join_cycle", "all": "join_stuck"} {
		g := draw(t,
			"s:manual", "head:join/each", `c:if{"condition":"true"}`, "x:mock", "y:mock", "j:join/inclusive", "b:mock", "k:join/"+after, `again:if{"condition":"true"}`, "last:mock",
			"s>head", "head>c", "head>b", "c.true>x", "c.false>y", "x>j", "y>j", "j>k", "b>k", "k>again", "again.true>head", "again.false>last")
		_, issues := compile.Compile(g)
		found, ok := issue(issues, code)
		if !ok || found.Fix == nil || found.Fix.Title != "Let “j” join each branch by itself" {
			t.Errorf("%s: %+v", after, issues)
			continue
		}
		fixed, _, err := g.ApplyAll(found.Fix.Ops)
		if err != nil {
			t.Fatal(err)
		}
		if _, issues = compile.Compile(fixed); len(issues) > 0 {
			t.Errorf("%s, after the fix: %+v", after, issues)
		}
	}
}

// TestNoJoinOfParallelBranchesIsTakenApart has the same loop with a split in
// place of the choice: its join is not what keeps a branch back.
func TestNoJoinOfParallelBranchesIsTakenApart(t *testing.T) {
	t.Parallel()
	_, issues := compile.Compile(draw(t,
		"s:manual", "head:join/each", "x:mock", "y:mock", "j:join/inclusive", `c:if{"condition":"true"}`, "b:mock", "z:mock", "k:join/all",
		"s>head", "head>x", "head>y", "head>c", "x>j", "y>j", "c.true>b", "c.false>z", "j>k", "b>k"))
	if found, ok := issue(issues, "join_stuck"); !ok || found.Fix == nil || strings.Contains(found.Fix.Title, "“j”") {
		t.Errorf("%+v", issues)
	}
}

// TestChoicesSideBySideInALoop: with default joins the machine stands still
// where the finding says, and with its fix it goes on.
func TestChoicesSideBySideInALoop(t *testing.T) {
	t.Parallel()
	g := draw(t, "s:manual", "first:mock", `c:if{"condition":"true"}`, "a:mock", "b:mock", "j:join", `d:if{"condition":"false"}`, "x:mock", "y:mock", "k:join",
		`again:if{"condition":"false"}`, "over:mock",
		"s>first", "first>c", "first>d", "c.true>a", "c.false>b", "a>j", "b>j", "d.true>x", "d.false>y", "x>k", "y>k", "j>again", "k>again", "again.true>first", "again.false>over")
	for i := range g.Nodes {
		if g.Nodes[i].Key == "first" {
			g.Nodes[i].Join = &graph.Join{Mode: "each"}
		}
	}
	_, issues := compile.Compile(g)
	found, ok := issue(issues, "join_cycle")
	if !ok || found.Fix == nil || found.Fix.Title != "Let “j” and 1 more join each branch by itself" || len(found.Fix.Ops) != 2 ||
		!strings.HasPrefix(found.Message, "“j” and “k” can wait for each other for ever: what waits at the one could still go round the loop") {
		t.Fatalf("%+v", issues)
	}
	fixed, _, err := g.ApplyAll(found.Fix.Ops)
	if err != nil {
		t.Fatal(err)
	}
	m, issues := compile.Compile(fixed)
	if graph.Errors(issues) {
		t.Fatalf("after the fix: %+v", issues)
	}
	if s, _ := play(t, m, `1`, nil); s.Status != "succeeded" {
		t.Errorf("after the fix the machine ends with %s %+v", s.Status, s.Failure)
	}
	for _, key := range []string{"j", "k"} { // as it was drawn
		m.Nodes[m.Index(key)].Join = machine.JoinInclusive
	}
	if err := m.Link(); err != nil {
		t.Fatal(err)
	}
	if s, _ := play(t, m, `1`, nil); s.Failure == nil || s.Failure.Class != "join_cycle" {
		t.Errorf("without the fix the machine ends with %s %+v", s.Status, s.Failure)
	}
}

// TestWhatFollowsIsNotTold takes drawings in which one cause keeps many nodes
// from running.
func TestWhatFollowsIsNotTold(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		want  []string
		lines []string
	}{
		"behind joins that wait for each other": {[]string{"join_cycle a"}, []string{"s:manual", "a:join", `i:if{"condition":"true"}`, "b:join", "c:mock", "d:mock", "s>a", "s>b", "a>i", "i.true>b", "i.false>c", "b>a", "c>d"}},
		"a row that nobody comes to":            {[]string{"dead_node x"}, []string{"s:manual", "x:mock", "y:mock", "z:mock", "x>y", "y>z"}},
		"two rows":                              {[]string{"dead_node w", "dead_node x"}, []string{"s:manual", "w:mock", "x:mock", "y:mock", "w>y", "x>y"}},
		"a ring that nobody comes to":           {[]string{"dead_node x"}, []string{"s:manual", "x:mock/each", `y:if/each{"condition":"true"}`, "z:mock", "x>y", "y.true>x", "y.false>z"}},
	} {
		_, issues := compile.Compile(draw(t, c.lines...))
		var got []string
		for _, i := range issues {
			got = append(got, i.Code+" "+i.Node)
		}
		slices.Sort(got)
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
