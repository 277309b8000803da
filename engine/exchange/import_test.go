package exchange_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"signalbox/engine/chart"
	"signalbox/engine/exchange"
)

func TestImportReadsWhatXStateTakes(t *testing.T) {
	t.Parallel()
	const machine = `{
		"id": "m", "initial": "a", "context": {"n": 0},
		"states": {
			"b": {"type": "parallel", "states": {"x": {"id": "own.id"}, "2": {}, "10": {}, "y": {}}, "meta": {"color": "red"}},
			"a": {
				"entry": {"type": "greet", "params": {"name": "Ada"}},
				"on": {
					"one": "b", "two": ["b.x", {"target": "#own\\.id"}], "three": {"target": ".c", "guard": {"type": "limit", "params": {"most": 3}}},
					"four": {"target": ["#m.b.x", "#m.b.y"]}, "five": null, "six": {"guard": {"cel": "context.n > 1"}},
					"seven": {"guard": {"stateIn": {"b": {"x": "z"}}}}, "eight": {"guard": {"type": "xstate.not", "params": {"guard": "q"}}}
				},
				"after": {"nap": "b", "200": "b", "30": {"actions": [{"type": "xstate.raise", "params": {"event": {"type": "E", "k": 1}, "delay": 5, "id": "r"}}]}},
				"invoke": {"src": "http", "input": {"id": 1}, "onDone": "b", "onError": {"actions": {"assign": {"n": "=context.n + 1"}}}},
				"initial": {"target": "c", "actions": "begin"},
				"states": {"c": {}, "h": {"history": "deep", "target": "c"}}
			}
		}
	}`
	machineWithZ := strings.Replace(machine, `"x": {"id": "own.id"}`, `"x": {"id": "own.id", "initial": "z", "states": {"z": {}}}`, 1)
	d, losses, err := exchange.FromXState([]byte(machineWithZ))
	if err != nil || len(losses) > 0 {
		t.Fatalf("%v %v", err, losses)
	}
	b, a := d.States[0], d.States[1]
	keys := []string{}
	for _, s := range b.States {
		keys = append(keys, s.Key)
	}
	if diff := cmp.Diff([]string{"2", "10", "x", "y"}, keys); diff != "" || b.States[2].ID != "own.id" {
		t.Errorf("order of states: %s", diff)
	}
	want := []chart.Transition{
		{Event: "one", Targets: []string{"m.b"}},
		{Event: "two", Targets: []string{"own.id"}},
		{Event: "two", Targets: []string{"own.id"}},
		{Event: "three", Targets: []string{"m.a.c"}, Guard: &chart.Guard{Name: "limit", Params: []byte(`{"most": 3}`)}},
		{Event: "four", Targets: []string{"own.id", "m.b.y"}},
		{Event: "five"},
		{Event: "six", Guard: &chart.Guard{Expr: "context.n > 1"}},
		{Event: "seven", Guard: &chart.Guard{And: []chart.Guard{{In: "m.b.x.z"}}}},
		{Event: "eight", Guard: &chart.Guard{Not: &chart.Guard{Name: "q"}}},
	}
	if diff := cmp.Diff(want, a.On); diff != "" {
		t.Error(diff)
	}
	want = []chart.Transition{
		{Delay: "30", Actions: []chart.Action{{Raise: &chart.Raise{Event: "E", Data: []byte(`{"k":1}`), Delay: "5", ID: "r"}}}},
		{Delay: "200", Targets: []string{"m.b"}},
		{Delay: "nap", Targets: []string{"m.b"}},
	}
	if diff := cmp.Diff(want, a.After); diff != "" {
		t.Error(diff)
	}
	if a.Initial != "c" || len(a.InitialDo) != 1 || !a.States[1].Deep || a.States[1].Kind != chart.KindHistory || a.States[1].Targets[0] != "m.a.c" {
		t.Errorf("initial and history: %+v", a)
	}
	if string(a.Invoke[0].Error[0].Actions[0].Assign) != `{"n": "=context.n + 1"}` {
		t.Errorf("invoke: %+v", a.Invoke)
	}
}

func TestImportSaysWhatDoesNotComeAlong(t *testing.T) {
	t.Parallel()
	d, losses, err := exchange.FromXState([]byte(`{
		"id": "m", "initial": "a", "context": "code", "version": "2", "surprise": 1,
		"states": {"a": {
			"onEntry": "old", "route": {},
			"on": {"E": {"target": "a", "cond": "old", "internal": true, "meta": {}}},
			"exit": [{"type": "xstate.enqueueActions"}, {"type": "xstate.assign"}, {"type": "xstate.stopChild", "params": {}}],
			"invoke": {"src": {"type": "fn"}, "onSnapshot": "a", "systemId": "s"}
		}}
	}`))
	if err != nil {
		t.Fatal(err)
	}
	got := []string{}
	for _, l := range losses {
		got = append(got, l.Path+" "+l.What)
	}
	want := []string{
		"/version version", "/surprise surprise",
		"/states/a/onEntry onEntry", "/states/a/route route",
		"/states/a/on/E/0/cond cond", "/states/a/on/E/0/internal internal", "/states/a/on/E/0/meta meta",
		"/states/a/exit/0 xstate.enqueueActions", "/states/a/exit/1 xstate.assign", "/states/a/exit/2 xstate.stopChild",
		"/states/a/invoke/0/src src", "/states/a/invoke/0/onSnapshot onSnapshot", "/states/a/invoke/0/systemId systemId",
		"/context context",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if len(d.States[0].Exit) != 0 || len(d.Context) != 0 {
		t.Errorf("what was lost came along: %+v", d)
	}
}

func TestImportRefusesWhatIsNoMachine(t *testing.T) {
	t.Parallel()
	for name, machine := range map[string]string{
		"no JSON":          `{"id":`,
		"a list":           `[]`,
		"unknown target":   `{"initial":"a","states":{"a":{"on":{"E":"b"}}}}`,
		"unknown id":       `{"initial":"a","states":{"a":{"on":{"E":"#b"}}}}`,
		"same id":          `{"initial":"a","states":{"a":{"id":"x"},"b":{"id":"x"}}}`,
		"states as a list": `{"initial":"a","states":[]}`,
		"guard":            `{"initial":"a","states":{"a":{"on":{"E":{"guard":7}}}}}`,
		"too deep":         strings.Repeat(`{"initial":"a","states":{"a":`, 40) + `{}` + strings.Repeat(`}}`, 40),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if d, _, err := exchange.FromXState([]byte(machine)); err == nil {
				t.Errorf("it was read as %+v", d)
			}
		})
	}
}

// FuzzImport wants that no text breaks the import, and that what it takes
// either has faults or runs.
func FuzzImport(f *testing.F) {
	f.Add([]byte(`{"initial":"a","states":{"a":{"on":{"E":"b"},"after":{"10":"b"}},"b":{"type":"parallel","states":{"h":{"history":"deep"},"c":{}}}}}`))
	f.Add([]byte(`{"initial":"a","states":{"a":{"always":[{"target":"b","guard":{"cel":"true"}}]},"b":{"type":"final"}}}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		d, _, err := exchange.FromXState(raw)
		if err != nil {
			return
		}
		c, faults := chart.Compile(d)
		if len(faults) > 0 {
			return
		}
		s, effects := c.Start(nil)
		again, same := c.Start(nil)
		if diff := cmp.Diff(s, again) + cmp.Diff(effects, same); diff != "" {
			t.Error(diff)
		}
		for _, event := range []string{"E", "a.b", "c"} {
			s, _ = c.Send(s, chart.NewEvent(event, map[string]any{"n": 1.0}))
		}
		c.Value(s)
		exchange.ToXState(d)
		exchange.MermaidChart(d)
		exchange.DotChart(d)
		if _, _, err := exchange.ToSCXML(d); err != nil {
			t.Error(err)
		}
	})
}

// TestImportMapsTasksOfStates: a source that is one of our tasks is one; any
// other is kept, and said to be lost.
func TestImportMapsTasksOfStates(t *testing.T) {
	t.Parallel()
	const machine = `{"id":"m","initial":"a","states":{"a":{"invoke":[
		{"id":"ask","src":"http","input":{"url":{"cel":"context.url"}},"onDone":{"target":"b"},"onError":"b"},
		{"src":"fetchUser"}]},"b":{}}}`
	d, losses, err := exchange.FromXState([]byte(machine))
	if err != nil || len(losses) != 1 || losses[0].Path != "/states/a/invoke/1/src" || !strings.Contains(losses[0].Message, `"fetchUser"`) {
		t.Fatalf("%v %+v", err, losses)
	}
	v := d.States[0].Invoke
	if len(v) != 2 || v[0].ID != "ask" || v[0].Source != "http" || len(v[0].Done) != 1 || v[0].Done[0].Targets[0] != "m.b" || len(v[0].Error) != 1 || v[1].Source != "fetchUser" {
		t.Errorf("%+v", v)
	}
	text, _ := exchange.ToXState(d)
	for _, want := range []string{`src: "http"`, `id: "ask"`, `onDone`, `onError`, `src: "fetchUser"`} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
}
