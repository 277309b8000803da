package compile_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"signalbox/engine/compile"
	"signalbox/engine/machine"
)

// noted plays a run and lists what its nodes wrote down.
func noted(t *testing.T, input string, lines ...string) (points []machine.Point, said []machine.Statement, failure string) {
	t.Helper()
	s, log := play(t, build(t, lines...), input, nil)
	for _, e := range log {
		if f, ok := e.Fact.(*machine.NodeCompleted); ok && f.Point != nil {
			points = append(points, *f.Point)
		} else if ok && f.Said != nil {
			said = append(said, *f.Said)
		}
	}
	if s.Failure != nil {
		failure = s.Failure.Message
	}
	return points, said, failure
}

func TestMetricWritesAPointAndHandsOn(t *testing.T) {
	t.Parallel()
	points, said, failure := noted(t, `{"total":12.5,"country":"NO","vip":true,"id":7}`,
		"start:manual", `m:metric{"name":"paid","value":"input.total","labels":{"country":"=input.country","vip":"=input.vip","tier":2}}`,
		`g:metric{"name":"level","type":"gauge","value":"-1"}`,
		`p:outcome{"name":"label","decision":"input.id","value":"input.vip"}`, `q:outcome{"name":"label","says":"truth","decision":"input.id","value":"\"yes\""}`,
		"start>m", "m>g", "g>p", "p>q")
	want := []machine.Point{
		{Name: "paid", Type: "counter", Value: 12.5, Labels: map[string]string{"country": "NO", "vip": "true", "tier": "2"}},
		{Name: "level", Type: "gauge", Value: -1},
	}
	if diff := cmp.Diff(want, points); diff != "" || failure != "" {
		t.Errorf("%s (-want +got):\n%s", failure, diff)
	}
	if diff := cmp.Diff([]machine.Statement{{Name: "label", Says: "prediction", Decision: "7", Value: "true"}, {Name: "label", Says: "truth", Decision: "7", Value: "yes"}}, said); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestLongLabelIsCut(t *testing.T) {
	t.Parallel()
	points, _, failure := noted(t, `"`+strings.Repeat("å", 80)+`"`, "start:manual", `m:metric{"name":"paid","value":"1","labels":{"who":"=input"}}`, "start>m")
	if want := strings.Repeat("å", 59) + "…"; failure != "" || len(points) != 1 || points[0].Labels["who"] != want {
		t.Errorf("%s %+v", failure, points)
	}
}

func TestWrongPointsFailTheVisit(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ node, want string }{
		{`m:metric{"name":"paid","value":"\"a\""}`, "the value of the metric paid must be a number, this one is text"},
		{`m:metric{"name":"paid","value":"-1"}`, "the counter paid cannot take -1: it only adds up"},
		{`m:metric{"name":"paid","value":"1","labels":{"a":"=input"}}`, "the label a must be text, a number, true or false, this one is an object"},
		{`m:metric{"name":"paid","value":"1","labels":"={\"a\":1,\"b\":2,\"c\":3,\"d\":4,\"e\":5,\"f\":6}"}`, "the metric paid has 6 labels, more than 5"},
		{`m:metric{"name":"paid","value":"1","labels":"={\"A b\":1}"}`, `a label cannot be called "A b"`},
		{`m:outcome{"name":"label","decision":"null","value":"1"}`, "the decision of the outcome label must be text of at most 100 characters, a number, true or false"},
		{`m:outcome{"name":"label","value":"[1]"}`, "the value of the outcome label must be text of at most 100 characters, a number, true or false"},
	} {
		points, said, failure := noted(t, `{}`, "start:manual", c.node, "start>m")
		if !strings.Contains(failure, c.want) || len(points)+len(said) > 0 {
			t.Errorf("%s: %q, want %q; %+v %+v", c.node, failure, c.want, points, said)
		}
	}
}

func TestMetricsOfOneNameAreAlike(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ other, want string }{
		{`b:metric{"name":"paid","value":"2","labels":{"x":1}}`, ""},
		{`b:metric{"name":"sold","type":"gauge","value":"2"}`, ""},
		{`b:metric{"name":"paid","type":"gauge","value":"2","labels":{"x":1}}`, "“a” and “b” write down paid as different types."},
		{`b:metric{"name":"paid","value":"2"}`, "“a” and “b” write down paid with different labels. Expected: x"},
	} {
		_, issues := compile.Compile(draw(t, "start:manual", `a:metric{"name":"paid","value":"1","labels":{"x":"=input.x"}}`, c.other, "start>a", "a>b"))
		got := ""
		for _, i := range issues {
			if i.Code == "bad_metric" {
				got += i.Message
			}
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.other, got, c.want)
		}
	}
}
