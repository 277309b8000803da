package runtime_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"signalbox/engine/event"
	"signalbox/engine/learn"
	"signalbox/engine/machine"
	"signalbox/engine/route"
)

// A learned choice stands in its event with what was known, is the same for the
// same run, and a replay of the log asks nobody.
func TestLearnedChoiceStandsInTheLog(t *testing.T) {
	t.Parallel()
	m, err := machine.Load(machineOf(t, strings.ReplaceAll(limited, `"queue":"few"`, `"type":"text"`)))
	if err != nil {
		t.Fatal(err)
	}
	rule := route.Learn{ID: "a", Among: []route.Among{{Queue: "one"}, {Queue: "two"}}, Goal: learn.Fastest}
	table := route.Table{Default: "rest", Rules: []route.Rule{{Learn: &rule, When: []route.Condition{{Attribute: "priority", Op: "at_least", Value: "low"}}}}}
	known := learn.Table{}
	for range 50 {
		known.Add("one", true, time.Second, 0.5)
		known.Add("two", true, 3*time.Second, 0.5)
	}
	routes := func(a route.Attributes) route.Decision {
		return table.Choose(a).Settle(&a, rule.Figures(known), func(string) string { return "" })
	}
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	run := func(name string) (*machine.Snapshot, []machine.Event, *machine.TaskScheduled) {
		s := m.New(name)
		s.Routes = routes
		events, err := m.Step(s, machine.Start{Trigger: "start", Value: json.RawMessage(`{"k":1}`)}, at)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range events {
			if f, ok := e.Fact.(*machine.TaskScheduled); ok {
				return s, events, f
			}
		}
		t.Fatal("nothing was scheduled")
		return nil, nil, nil
	}
	s, events, f := run("r-1")
	if _, _, again := run("r-1"); !reflect.DeepEqual(f.Learned, again.Learned) || f.Queue != again.Queue {
		t.Errorf("chose %+v, then %+v", f.Learned, again.Learned)
	}
	if f.Learned == nil || f.Learned.Among[0].N != 50 || f.Learned.Among[1].Seconds != 3 || f.Learned.ShareOf("one") < 0.95 {
		t.Fatalf("the event says %+v", f.Learned)
	}
	stored := make([]event.Event, len(events))
	for i, e := range events {
		if stored[i], err = machine.Encode(e); err != nil {
			t.Fatal(err)
		}
	}
	again := m.New("r-1")
	again.Routes = func(route.Attributes) route.Decision {
		t.Error("a replay asked a table")
		return route.Decision{}
	}
	for i, e := range stored {
		read, err := machine.Decode(e)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(read.Fact, events[i].Fact) {
			t.Errorf("read %+v, written was %+v", read.Fact, events[i].Fact)
		}
		if err := m.Fold(again, read); err != nil {
			t.Fatal(err)
		}
	}
	if !reflect.DeepEqual(m.Pending(s), m.Pending(again)) {
		t.Errorf("owed then %+v, now %+v", m.Pending(s), m.Pending(again))
	}
}
