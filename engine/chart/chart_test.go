package chart_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"signalbox/engine/chart"
)

func compiled(t *testing.T, raw string) *chart.Chart {
	t.Helper()
	d, err := chart.Decode([]byte(raw))
	if err != nil {
		t.Fatal(err)
	}
	c, faults := chart.Compile(d)
	if len(faults) > 0 {
		t.Fatalf("faults: %v", faults)
	}
	return c
}

const order = `{
	"id": "order", "initial": "charging", "context": {"total": "=input.total", "tries": 0},
	"states": [
		{"key": "charging",
			"invoke": [{"src": "charge", "input": {"amount": "=context.total"},
				"done": [{"targets": ["order.paid"], "actions": [{"assign": {"receipt": "=event.output.receipt"}}]}],
				"error": [{"targets": ["order.waiting"], "guard": {"expr": "context.tries < 1"}, "actions": [{"assign": {"tries": "=context.tries + 1"}}]}]}],
			"on": [{"event": "cancel", "targets": ["order.dropped"]}]},
		{"key": "waiting", "after": [{"delay": "15m", "targets": ["order.charging"]}]},
		{"key": "paid", "kind": "final"},
		{"key": "dropped", "kind": "final"}
	],
	"output": {"receipt": "=context.?receipt.orValue(null)", "tries": "=context.tries"}
}`

func TestATaskThatFailsIsTriedAgainAndItsOutputIsKept(t *testing.T) {
	t.Parallel()
	c := compiled(t, order)
	s, effects := c.Start(map[string]any{"total": 9.5})
	want := []chart.Effect{{Op: chart.OpStart, ID: "t1", Name: "0.order.charging", Source: "charge", Input: json.RawMessage(`{"amount":9.5}`), Event: "xstate.init"}}
	if d := cmp.Diff(want, effects); d != "" {
		t.Fatal(d)
	}
	s, effects = c.Send(s, chart.Event{Type: chart.Failed, From: "t1", Data: map[string]any{"error": map[string]any{"class": "timeout"}}})
	if c.Value(s) != "waiting" || len(effects) != 1 || effects[0].Op != chart.OpTimer || effects[0].DelayMS != 900_000 {
		t.Fatalf("value %v, effects %v", c.Value(s), effects)
	}
	s, effects = c.Send(s, chart.Event{From: effects[0].ID})
	if c.Value(s) != "charging" || len(effects) != 1 || effects[0].ID != "t3" {
		t.Fatalf("value %v, effects %v", c.Value(s), effects)
	}
	late, effects := c.Send(s, chart.Event{Type: chart.Done, From: "t1", Data: map[string]any{"output": map[string]any{"receipt": "late"}}})
	if d := cmp.Diff(s, late); d != "" || effects != nil {
		t.Fatalf("a task that is over changed the chart: %s %v", d, effects)
	}
	s, effects = c.Send(s, chart.Event{Type: chart.Done, From: "t3", Data: map[string]any{"output": map[string]any{"receipt": "r1"}}})
	if s.Status != chart.StatusDone || string(s.Output) != `{"receipt":"r1","tries":1}` || len(effects) != 0 {
		t.Errorf("status %s, output %s, effects %v", s.Status, s.Output, effects)
	}
	again, effects := c.Send(s, chart.NewEvent("cancel", nil))
	if d := cmp.Diff(s, again); d != "" || effects != nil {
		t.Errorf("a chart that is done moved: %s", d)
	}
}

func TestATaskIsStoppedWhenItsStateIsLeft(t *testing.T) {
	t.Parallel()
	c := compiled(t, order)
	s, _ := c.Start(map[string]any{"total": 1})
	if !c.Handles(s, "cancel") || c.Handles(s, "refund") {
		t.Error("Handles is wrong")
	}
	s, effects := c.Send(s, chart.NewEvent("cancel", nil))
	if d := cmp.Diff([]chart.Effect{{Op: chart.OpStop, ID: "t1"}}, effects); d != "" || s.Status != chart.StatusDone {
		t.Errorf("status %s\n%s", s.Status, d)
	}
}

func TestAnErrorThatNothingTakesFailsTheChart(t *testing.T) {
	t.Parallel()
	c := compiled(t, strings.Replace(order, `"expr": "context.tries < 1"`, `"expr": "false"`, 1))
	s, _ := c.Start(map[string]any{"total": 1})
	s, _ = c.Send(s, chart.Event{Type: chart.Failed, From: "t1", Data: map[string]any{"error": map[string]any{"class": "unavailable", "message": "the bank is closed"}}})
	if s.Status != chart.StatusFailed || s.Error.Class != "unavailable" || s.Error.Message != "the bank is closed" {
		t.Errorf("status %s, error %+v", s.Status, s.Error)
	}
}

func TestAChartThatNeverRestsFails(t *testing.T) {
	t.Parallel()
	c := compiled(t, `{"id":"m","initial":"a","states":[{"key":"a","always":[{"targets":["m.b"]}]},{"key":"b","always":[{"targets":["m.a"]}]}]}`)
	s, _ := c.Start(nil)
	if s.Status != chart.StatusFailed || s.Error.Class != "limit" {
		t.Errorf("status %s, error %+v", s.Status, s.Error)
	}
}

func TestADelayedEventIsWithdrawnByItsName(t *testing.T) {
	t.Parallel()
	c := compiled(t, `{"id":"m","delays":{"soon":"=context.ms * 2"},"context":{"ms":50},
		"on":[{"event":"go","actions":[{"raise":{"event":"late","data":{"n":"=event.n"},"delay":"soon","id":"x"}}]},
			{"event":"halt","actions":[{"cancel":"x"}]},
			{"event":"late","actions":[{"do":"ring","params":{"n":"=event.n"}}]}]}`)
	s, _ := c.Start(nil)
	s, effects := c.Send(s, chart.NewEvent("go", map[string]any{"n": 7.0}))
	if len(effects) != 1 || effects[0].DelayMS != 100 {
		t.Fatalf("effects %v", effects)
	}
	fired, rung := c.Send(s, chart.Event{From: effects[0].ID})
	if len(rung) != 1 || rung[0].Name != "ring" || string(rung[0].Input) != `{"n":7}` || len(fired.Timers) != 0 {
		t.Errorf("effects %v, timers %v", rung, fired.Timers)
	}
	halted, effects := c.Send(s, chart.NewEvent("halt", nil))
	if d := cmp.Diff([]chart.Effect{{Op: chart.OpCancel, ID: "t1"}}, effects); d != "" || len(halted.Timers) != 0 {
		t.Error(d)
	}
}

func TestAFailingExpressionFailsTheChart(t *testing.T) {
	t.Parallel()
	for name, on := range map[string]string{
		"a guard":  `{"event":"go","guard":{"expr":"context.missing.field > 1"},"actions":[{"do":"never"}]}`,
		"no bool":  `{"event":"go","guard":{"expr":"1 + 1"},"actions":[{"do":"never"}]}`,
		"assign":   `{"event":"go","actions":[{"assign":{"n":"=context.missing + 1"}},{"do":"never"}]}`,
		"a delay":  `{"event":"go","actions":[{"raise":{"event":"x","delay":"=\"soon\""}},{"do":"never"}]}`,
		"in a log": `{"event":"go","actions":[{"log":"=event.missing"},{"do":"never"}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := compiled(t, `{"id":"m","on":[`+on+`]}`)
			s, _ := c.Start(nil)
			s, effects := c.Send(s, chart.NewEvent("go", nil))
			if s.Status != chart.StatusFailed || s.Error.Class != "invalid_input" {
				t.Errorf("status %s, error %+v", s.Status, s.Error)
			}
			for _, e := range effects {
				if e.Name == "never" {
					t.Error("it went on after the failure")
				}
			}
		})
	}
}

func TestFaultsOfADefinitionAreAllSaid(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ def, want string }{
		"no such target":   {`{"id":"m","on":[{"event":"go","targets":["m.b"]}]}`, `There is no state "m.b" to go to.`},
		"no beginning":     {`{"id":"m","states":[{"key":"a"}]}`, `It begins in "", and no state in it has that key.`},
		"twice":            {`{"id":"m","initial":"a","states":[{"key":"a","id":"x"},{"key":"b","id":"x"}]}`, `Two states have the id "x".`},
		"unknown guard":    {`{"id":"m","on":[{"event":"go","guard":{"name":"ready"}}]}`, `Nothing says what the guard "ready" means.`},
		"bad delay":        {`{"id":"m","after":[{"delay":"soon"}]}`, `The delay "soon" is not a number of milliseconds, a duration like 15m, or the name of a delay.`},
		"star inside":      {`{"id":"m","on":[{"event":"a.*.b"}]}`, `In "a.*.b" the star must stand alone or come last, after a dot.`},
		"bad expression":   {`{"id":"m","on":[{"event":"go","guard":{"expr":"context.n >"}}]}`, `(in context.n >)`},
		"a workflow name":  {`{"id":"m","on":[{"event":"go","guard":{"expr":"trigger.id == 1"}}]}`, `There is no “trigger” here. What there is: context, event, params, input.`},
		"begins in itself": {`{"id":"m","initial":"h","states":[{"key":"h","kind":"history"},{"key":"a"}]}`, `It is entered by way of itself.`},
		"empty action":     {`{"id":"m","entry":[{}]}`, `An action is empty.`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, err := chart.Decode([]byte(c.def))
			if err != nil {
				t.Fatal(err)
			}
			got, faults := chart.Compile(d)
			if got != nil || len(faults) != 1 || !strings.Contains(faults[0].Message, c.want) {
				t.Errorf("faults %v, want one with %q", faults, c.want)
			}
		})
	}
}
