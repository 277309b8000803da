package route_test

import (
	"strings"
	"testing"

	"signalbox/engine/route"
)

func rule(queue, attribute, op, value string) route.Rule {
	return route.Rule{Queue: queue, When: []route.Condition{{Attribute: attribute, Op: op, Value: value}}}
}

func TestTheFirstRuleThatMatchesDecides(t *testing.T) {
	t.Parallel()
	table := route.Table{Default: "rest", Rules: []route.Rule{
		{Name: "both", Queue: "both", Priority: "critical", When: []route.Condition{{Attribute: "priority", Op: "at_least", Value: "high"}, {Attribute: "type", Op: "starts_with", Value: "image/"}}},
		rule("urgent", "priority", "at_least", "7"),
		rule("slow", "priority", "at_most", "low"),
		rule("big", "size", "at_least", "2 MB"),
		rule("eu", "labels.region", "one_of", "de, fr"),
		rule("models", "kind", "is", "llm"),
		rule("here", "location", "is_not", ""),
	}}
	for _, c := range []struct {
		a    route.Attributes
		want string
		rule int
	}{
		{route.Attributes{Priority: 1, Type: "image/png"}, "both", 0},
		{route.Attributes{Priority: 0}, "urgent", 1},
		{route.Attributes{Priority: 3, Size: 3 << 20}, "slow", 2},
		{route.Attributes{Priority: 2, Size: 2 << 20}, "big", 3},
		{route.Attributes{Priority: 2, Size: 2<<20 - 1}, "rest", -1},
		{route.Attributes{Priority: 2, Labels: map[string]string{"region": "fr"}}, "eu", 4},
		{route.Attributes{Priority: 2, Labels: map[string]string{"region": "us"}, Kind: "llm"}, "models", 5},
		{route.Attributes{Priority: 2, Location: "berlin"}, "here", 6},
	} {
		d := table.Choose(c.a)
		if d.Queue != c.want || d.Rule != c.rule {
			t.Errorf("%+v went to %s by rule %d, want %s by %d", c.a, d.Queue, d.Rule, c.want, c.rule)
		}
		if wantPriority := map[bool]int{true: 0, false: c.a.Priority}[c.rule == 0]; d.Priority != wantPriority {
			t.Errorf("%+v has priority %d after its rule, want %d", c.a, d.Priority, wantPriority)
		}
	}
}

func TestTheWorkflowsTableIsAskedFirst(t *testing.T) {
	t.Parallel()
	workspace := route.Standard()
	own := route.Table{Rules: []route.Rule{rule("own", "kind", "is", "llm")}}
	for _, c := range []struct {
		a         route.Attributes
		queue, of string
	}{
		{route.Attributes{Kind: "llm", Priority: 0}, "own", route.OfWorkflow},
		{route.Attributes{Kind: "http", Priority: 1}, "express", route.OfWorkspace},
		{route.Attributes{Kind: "http", Priority: 2}, "default", route.OfWorkspace},
	} {
		if d := route.Choose(&own, &workspace, c.a); d.Queue != c.queue || d.Of != c.of {
			t.Errorf("%+v went to %s of %s, want %s of %s", c.a, d.Queue, d.Of, c.queue, c.of)
		}
	}
	own.Default = "all"
	if d := route.Choose(&own, &workspace, route.Attributes{Priority: 1}); d.Queue != "all" {
		t.Errorf("went to %s, want the workflow's own default", d.Queue)
	}
}

func TestPriorityThatNobodyUnderstandsGoesToTheDefaultQueueWithAWarning(t *testing.T) {
	t.Parallel()
	for _, v := range []any{"urgent!!", float64(11), float64(-1), true, map[string]any{}} {
		p, ok := route.Priority(v)
		if p != route.Normal || ok {
			t.Fatalf("%v reads as %d, %v", v, p, ok)
		}
		table := route.Table{Default: "rest", Rules: []route.Rule{rule("normal", "priority", "is", "normal")}}
		d := table.Choose(route.Attributes{Priority: p, Unknown: route.Unknown(v)})
		if d.Queue != "rest" || d.Rule != -1 || !strings.Contains(d.Warning, route.Unknown(v)) {
			t.Errorf("%v: %+v", v, d)
		}
	}
	for v, want := range map[any]int{nil: 2, "": 2, "critical": 0, "9": 1, float64(10): 0, float64(7): 1, float64(4): 2, float64(0): 3, "low": 3} {
		if p, ok := route.Priority(v); p != want || !ok {
			t.Errorf("%v reads as %d, %v, want %d", v, p, ok, want)
		}
	}
}

func TestFaultsOfATableNameTheirPlace(t *testing.T) {
	t.Parallel()
	bad := route.Table{Default: "Rest!", Rules: []route.Rule{
		rule("ok", "colour", "is", "red"),
		rule("ok", "priority", "at_least", "urgent!!"),
		rule("ok", "size", "at_least", "many"),
		rule("ok", "kind", "at_least", "http"),
		rule("No", "kind", "is", "http"),
		{Queue: "ok", Priority: "soon", When: []route.Condition{{Attribute: "labels.a", Op: "starts_with"}}},
		{Queue: "ok"},
	}}
	p := bad.Check(route.OfWorkspace)
	if p == nil {
		t.Fatal("nothing was found")
	}
	var got []string
	for _, f := range p.Fields {
		got = append(got, f.Location)
		if f.Message == "" || f.Expected == "" {
			t.Errorf("%s: %q, expected %q", f.Location, f.Message, f.Expected)
		}
	}
	want := "/default /rules/0/when/0/attribute /rules/1/when/0/value /rules/2/when/0/value /rules/3/when/0/op /rules/4/queue /rules/5/priority /rules/5/when/0/value /rules/6/when"
	if strings.Join(got, " ") != want {
		t.Errorf("found %v, want %s", got, want)
	}
	if p := route.Standard().Check(route.OfWorkspace); p != nil {
		t.Errorf("the standard table: %v", p)
	}
	if p := (route.Table{}).Check(route.OfWorkspace); p == nil {
		t.Error("a workspace without a default was taken")
	}
	if p := (route.Table{}).Check(route.OfWorkflow); p != nil {
		t.Errorf("a workflow without a default: %v", p)
	}
}

func TestQueuesOfWorkersOfOnesOwn(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ queue, channel, taskType, location string }{
		{route.Own("resize"), "worker:main:resize", "resize", ""},
		{route.OwnAt("resize", ""), "worker:main:resize", "resize", ""},
		{route.OwnAt("resize", "shop-7"), "worker:main:resize@shop-7", "resize", "shop-7"},
		{route.At("shop-7"), "at:main:shop-7", "", "shop-7"},
	} {
		if got := route.In("main", c.queue); got != c.channel || !route.IsOwn(c.queue) || !route.IsOwn(got) {
			t.Errorf("%s is %s in the channel", c.queue, got)
		}
		for _, name := range []string{c.queue, c.channel} {
			if typ, location := route.Served(name); typ != c.taskType || location != c.location {
				t.Errorf("%s: %q at %q", name, typ, location)
			}
		}
	}
	if route.IsOwn("vision") || route.In("main", "vision") != "vision" {
		t.Error("a queue of the program's workers is taken for another's")
	}
	if q, warning := route.Located("worker:resize", "Shop 7"); q != "worker:resize@?" || warning == "" {
		t.Errorf("a location that cannot be: %q, %q", q, warning)
	}
	for name, good := range map[string]bool{"at:shop-7": true, "at:": false, "at:Shop": false, "worker:resize": false, "vision": true} {
		if route.GoodQueue(name) != good {
			t.Errorf("%q may be named by a rule: %v", name, !good)
		}
	}
}
