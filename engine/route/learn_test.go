package route_test

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"signalbox/engine/learn"
	"signalbox/engine/route"
)

func among(names ...string) []route.Among {
	list := make([]route.Among, len(names))
	for i, n := range names {
		list[i].Queue = n
	}
	return list
}

func learned(l route.Learn) route.Table {
	return route.Table{Default: "rest", Rules: []route.Rule{{Name: "models", Learn: &l, When: []route.Condition{{Attribute: "kind", Op: "is", Value: "llm"}}}}}
}

func on(string) string { return "" }

// measured is figures in which the first queue is the best.
func measured(names ...string) learn.Table {
	t := learn.Table{}
	for i, n := range names {
		for range 100 {
			t.Add(n, true, time.Duration(i*i+1)*time.Second, 0.5)
		}
	}
	return t
}

func attributes(i int) route.Attributes {
	return route.Attributes{Kind: "llm", Priority: 1, ID: route.Attempt{Run: fmt.Sprintf("run-%d", i), Node: "ask", Visit: 1}}
}

func TestLearnedChoiceFollowsItsSharesAndIsTheSameAgain(t *testing.T) {
	t.Parallel()
	l := route.Learn{ID: "a", Among: among("fast", "slow"), Goal: learn.Fastest, Explore: 0.2, By: []string{"kind", "priority"}}
	table := learned(l)
	known := l.Figures(measured("fast", "slow"))
	went := map[string]int{}
	const n = 10_000
	for i := range n {
		a := attributes(i)
		d := table.Choose(a).Settle(&a, known, on)
		if again := table.Choose(a).Settle(&a, known, on); !reflect.DeepEqual(d, again) {
			t.Fatalf("chose %+v, then %+v", d, again)
		}
		went[d.Queue]++
		want := map[string]string{"fast": route.WhyBest, "slow": route.WhyTried}[d.Queue]
		if d.Learned.Why != want || d.Learned.For != "kind=llm,priority=high" || d.Learned.Goal != learn.Fastest || d.Rule != 0 || d.Name != "models" {
			t.Fatalf("%+v of %+v", d.Learned, d)
		}
		if f := d.Learned.Among[0]; f.N != 100 || f.Seconds != 1 || f.OK != 1 || f.Share != 0.9 || d.Learned.ShareOf("slow") != 0.1 {
			t.Fatalf("the event says %+v", d.Learned.Among)
		}
	}
	if share := float64(went["slow"]) / n; math.Abs(share-0.1) > 0.015 {
		t.Errorf("%v went to the slow one, its share is 0.1", share)
	}
	a := route.Attributes{Kind: "http"}
	if d := table.Choose(a).Settle(&a, known, on); d.Queue != "rest" || d.Learned != nil {
		t.Errorf("a task of another kind: %+v", d)
	}
}

func TestLearnedChoiceWithoutKnowledgeOrQueues(t *testing.T) {
	t.Parallel()
	l := route.Learn{ID: "a", Among: among("one", "two", "three"), Goal: learn.Fastest}
	off := func(which ...string) func(string) string {
		return func(q string) string {
			for i := 0; i < len(which); i += 2 {
				if which[i] == q {
					return which[i+1]
				}
			}
			return ""
		}
	}
	known := l.Figures(measured("one", "two", "three"))
	for _, c := range []struct {
		title string
		known []route.Figure
		off   func(string) string
		pin   string
		want  map[string]bool
		why   string
	}{
		{"nothing is known", nil, on, "", map[string]bool{"one": true, "two": true, "three": true}, route.WhyUnknown},
		{"what is known is of other queues", (&route.Learn{Among: among("x", "y", "z"), Goal: learn.Fastest}).Figures(learn.Table{}), on, "", map[string]bool{"one": true, "two": true, "three": true}, route.WhyUnknown},
		{"the best is paused", known, off("one", route.OffPaused, "three", route.OffPaused), "", map[string]bool{"two": true}, route.WhyBest},
		{"one is paused, the rest stalled", known, off("one", route.OffPaused, "two", route.OffStalled, "three", route.OffStalled), "", map[string]bool{"two": true, "three": true}, ""},
		{"all are paused", known, off("one", route.OffPaused, "two", route.OffPaused, "three", route.OffPaused), "", map[string]bool{"rest": true}, route.WhyNone},
		{"one is pinned", known, on, "three", map[string]bool{"three": true}, route.WhyPinned},
	} {
		l.Pin = c.pin
		got := map[string]bool{}
		for i := range 300 {
			a := attributes(i)
			d := learned(l).Choose(a).Settle(&a, c.known, c.off)
			got[d.Queue] = true
			if c.why != "" && d.Learned.Why != c.why {
				t.Fatalf("%s: %+v", c.title, d.Learned)
			}
		}
		if c.why == "" { // seldom ones need not come up
			delete(got, "two")
			delete(c.want, "two")
			delete(c.want, "three")
			delete(got, "three")
		}
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: went to %v, want %v", c.title, got, c.want)
		}
	}
}

func TestFaultsOfALearnedRuleNameTheirPlace(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		learn route.Learn
		want  string
	}{
		{route.Learn{Among: among("a"), Goal: learn.Fastest}, "/among"},
		{route.Learn{Among: among("a", "b", "c", "d", "e", "f", "g"), Goal: learn.Fastest}, "/among"},
		{route.Learn{Among: among("a", "b"), Goal: "best"}, "/goal"},
		{route.Learn{Among: among("a", "a"), Goal: learn.Fastest}, "/among/1/queue"},
		{route.Learn{Among: among("a", "B!"), Goal: learn.Fastest}, "/among/1/queue"},
		{route.Learn{Among: among("a", "b"), Goal: learn.Cheapest}, "/among/0/cost /among/1/cost"},
		{route.Learn{Among: []route.Among{{Queue: "a", Cost: -1}, {Queue: "b", Cost: math.NaN()}}, Goal: learn.Fastest}, "/among/0/cost /among/1/cost"},
		{route.Learn{Among: among("a", "b"), Goal: learn.Fastest, By: []string{"kind", "kind", "size"}}, "/by/1 /by/2"},
		{route.Learn{Among: among("a", "b"), Goal: learn.Fastest, Explore: 0.9}, "/explore"},
		{route.Learn{Among: among("a", "b"), Goal: learn.Fastest, Explore: 0.001}, "/explore"},
		{route.Learn{Among: among("a", "b"), Goal: learn.Fastest, Pin: "c"}, "/pin"},
		{route.Learn{Among: among("a", "b"), Goal: learn.Fastest, ID: "No!"}, "/id"},
	} {
		p := learned(c.learn).Check(route.OfWorkspace)
		if p == nil {
			t.Errorf("%+v was taken", c.learn)
			continue
		}
		var got []string
		for _, f := range p.Fields {
			got = append(got, strings.TrimPrefix(f.Location, "/rules/0/learn"))
			if f.Message == "" || f.Expected == "" {
				t.Errorf("%s: %q, expected %q", f.Location, f.Message, f.Expected)
			}
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%+v: found %v, want %s", c.learn, got, c.want)
		}
	}
	both := learned(route.Learn{ID: "x", Among: among("a", "b"), Goal: learn.Fastest})
	both.Rules = append(both.Rules, both.Rules[0])
	if p := both.Check(route.OfWorkspace); p == nil || p.Fields[0].Location != "/rules/1/learn/id" {
		t.Errorf("two rules of one id: %v", p)
	}
	both.Rules = both.Rules[:1]
	both.Rules[0].Queue = "a"
	if p := both.Check(route.OfWorkspace); p == nil || p.Fields[0].Location != "/rules/0/queue" {
		t.Errorf("a queue and others to learn among: %v", p)
	}
}

// What was stored before rules could learn reads as it did, and what learns is
// written and read without a loss.
func TestTablesKeepTheirForm(t *testing.T) {
	t.Parallel()
	old := `{"rules":[{"name":"High","when":[{"attribute":"priority","op":"at_least","value":"high"}],"queue":"express"}],"default":"rest"}`
	var table route.Table
	if err := json.Unmarshal([]byte(old), &table); err != nil {
		t.Fatal(err)
	}
	if raw, err := json.Marshal(table); err != nil || string(raw) != old {
		t.Errorf("%s, %v", raw, err)
	}
	was := learned(route.Learn{ID: "a-1", Among: []route.Among{{"a", 1.5}, {"b", 2}}, Goal: learn.Cheapest, By: []string{"kind"}, Explore: 0.1, Pin: "b"})
	raw, err := json.Marshal(was)
	if err != nil {
		t.Fatal(err)
	}
	var is route.Table
	if err := json.Unmarshal(raw, &is); err != nil || !reflect.DeepEqual(was, is) {
		t.Errorf("%+v became %+v, %v", was, is, err)
	}
}

func BenchmarkChooseWithoutLearning(b *testing.B) {
	table := route.Standard()
	a := route.Attributes{Kind: "http", Priority: 2, ID: route.Attempt{Run: "r", Node: "n", Visit: 1}}
	b.ReportAllocs()
	for b.Loop() {
		table.Choose(a)
	}
}

func BenchmarkSettle(b *testing.B) {
	l := route.Learn{ID: "a", Among: among("one", "two", "three"), Goal: learn.Fastest}
	table, known := learned(l), l.Figures(measured("one", "two", "three"))
	a := attributes(1)
	b.ReportAllocs()
	for b.Loop() {
		d := table.Choose(a)
		d.Settle(&a, known, on)
	}
}
