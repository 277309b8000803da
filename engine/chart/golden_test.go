package chart_test

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"signalbox/engine/chart"
	"signalbox/engine/exchange"
)

// golden is one machine and what the real XState 5.33.3 did with it. The
// machines were generated for this project; see testdata/README.md.
type golden struct {
	ID      string          `json:"id"`
	Machine json.RawMessage `json:"machine"`
	Trace   []moment        `json:"trace"`
}

// moment is how the machine stood after one step.
type moment struct {
	Step    json.RawMessage `json:"step"` // "start", {"send": name} or {"advance": ms}
	Value   any             `json:"value"`
	Context any             `json:"context"`
	Status  string          `json:"status"`
	Tags    []string        `json:"tags"`
	Actions []string        `json:"actions"` // name@event, in the order of execution
	Output  any             `json:"output,omitempty"`
}

// differs names the machines in which we do not do what XState does, and why.
// It is empty, and is to stay so.
var differs = map[string]string{}

func TestChartsDoWhatXStateDoes(t *testing.T) {
	t.Parallel()
	machines := readLines[golden](t, "testdata/xstate-5.33.3.jsonl.gz")
	if len(machines) != 200 {
		t.Fatalf("%d machines, want 200", len(machines))
	}
	for _, g := range machines {
		t.Run(g.ID, func(t *testing.T) {
			t.Parallel()
			diff := replay(t, g)
			if reason, known := differs[g.ID]; known != (diff != "") {
				t.Errorf("known to differ: %v (%s)\n%s", known, reason, diff)
			}
		})
	}
}

// readLines reads a packed file of JSON, one value a line.
func readLines[T any](tb testing.TB, name string) []T {
	tb.Helper()
	f, err := os.Open(name)
	if err != nil {
		tb.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	unzipped, err := gzip.NewReader(f)
	if err != nil {
		tb.Fatal(err)
	}
	var all []T
	lines := bufio.NewScanner(unzipped)
	for lines.Buffer(nil, 1<<20); lines.Scan(); {
		var v T
		if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
			tb.Fatal(err)
		}
		all = append(all, v)
	}
	if err := lines.Err(); err != nil {
		tb.Fatal(err)
	}
	return all
}

// replay drives a machine through its trace and tells the first difference.
func replay(t *testing.T, g golden) string {
	t.Helper()
	d, losses, err := exchange.FromXState(g.Machine)
	if err != nil || len(losses) > 0 {
		t.Fatalf("import: %v, losses %v", err, losses)
	}
	d.Guards = map[string]chart.Guard{"gT": {Expr: "true"}, "gF": {Expr: "false"}, "even": {Expr: "context.n % 2 == 0"}, "lt2": {Expr: "context.n < 2"}}
	d.Actions = map[string][]chart.Action{"inc": {{Assign: json.RawMessage(`{"n":"=context.n + 1"}`)}}}
	return follow(t, d, g.Trace)
}

// random is a random chart with what we and the real XState both did with it:
// make conformance-xstate plays and writes them.
type random struct {
	ID    string    `json:"id"`
	Def   chart.Def `json:"def"`
	Trace []moment  `json:"trace"`
}

func TestRandomChartsDoWhatXStateDid(t *testing.T) {
	t.Parallel()
	charts := readLines[random](t, "testdata/random.jsonl.gz")
	if len(charts) != 150 {
		t.Fatalf("%d charts, want 150", len(charts))
	}
	for _, c := range charts {
		t.Run(c.ID, func(t *testing.T) {
			t.Parallel()
			if diff := follow(t, c.Def, c.Trace); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// follow drives a chart through a trace.
func follow(t *testing.T, d chart.Def, trace []moment) string {
	t.Helper()
	c, faults := chart.Compile(d)
	if len(faults) > 0 {
		t.Fatalf("compile: %v", faults)
	}
	r := rig{chart: c}
	for i, want := range trace {
		r.step(t, want.Step)
		got := moment{Step: want.Step, Value: c.Value(r.state), Status: string(r.state.Status), Tags: c.Tags(r.state), Actions: r.actions}
		if err := json.Unmarshal(r.state.Context, &got.Context); err != nil {
			t.Fatal(err)
		}
		if want.Output != nil && json.Unmarshal(r.state.Output, &got.Output) != nil {
			t.Fatalf("output %s", r.state.Output)
		}
		slices.Sort(want.Tags)
		if d := cmp.Diff(want, got); d != "" {
			return fmt.Sprintf("step %d, %s (-XState +ours):\n%s", i, want.Step, d)
		}
	}
	return ""
}

// rig is a chart with a clock that stands until it is moved.
type rig struct {
	chart   *chart.Chart
	state   chart.State
	actions []string
	now     int64
	timers  []timer
}

type timer struct {
	id  string
	due int64
}

func (r *rig) step(t *testing.T, raw json.RawMessage) {
	t.Helper()
	var step struct {
		Send    string         `json:"send"`
		Data    map[string]any `json:"data"`
		Done    string         `json:"done"`  // name of the task
		Error   string         `json:"error"` // name of the task
		Advance int64          `json:"advance"`
	}
	r.actions = []string{}
	if string(raw) == `"start"` {
		r.take(r.chart.Start(nil))
		return
	}
	if err := json.Unmarshal(raw, &step); err != nil {
		t.Fatal(err)
	}
	switch {
	case step.Send != "":
		r.take(r.chart.Send(r.stored(t), chart.Event{Type: step.Send, Data: step.Data}))
		return
	case step.Done != "":
		r.take(r.chart.Send(r.stored(t), chart.Event{Type: chart.Done, From: r.task(step.Done), Data: map[string]any{"output": "fine"}}))
		return
	case step.Error != "":
		r.take(r.chart.Send(r.stored(t), chart.Event{Type: chart.Failed, From: r.task(step.Error), Data: map[string]any{"error": "broken"}}))
		return
	}
	for r.now += step.Advance; ; {
		i := r.next()
		if i < 0 {
			return
		}
		id := r.timers[i].id
		r.timers = slices.Delete(r.timers, i, i+1)
		r.take(r.chart.Send(r.stored(t), chart.Event{From: id}))
	}
}

// task is the id of the running task of an invoke.
func (r *rig) task(name string) string {
	for _, o := range r.state.Tasks {
		if o.Name == name {
			return o.ID
		}
	}
	return "no such task"
}

// next is the timer that is due first.
func (r *rig) next() int {
	best := -1
	for i, t := range r.timers {
		if t.due <= r.now && (best < 0 || t.due < r.timers[best].due) {
			best = i
		}
	}
	return best
}

// stored sends the state through JSON, as a store would.
func (r *rig) stored(t *testing.T) chart.State {
	t.Helper()
	raw, err := json.Marshal(r.state)
	if err != nil {
		t.Fatal(err)
	}
	var s chart.State
	if err := json.Unmarshal(raw, &s); err != nil {
		t.Fatal(err)
	}
	return s
}

func (r *rig) take(s chart.State, effects []chart.Effect) {
	r.state = s
	for _, e := range effects {
		switch e.Op {
		case chart.OpAct:
			r.actions = append(r.actions, e.Name+"@"+e.Event)
		case chart.OpTimer:
			r.timers = append(r.timers, timer{e.ID, r.now + e.DelayMS})
		case chart.OpCancel:
			r.timers = slices.DeleteFunc(r.timers, func(t timer) bool { return t.id == e.ID })
		default:
		}
	}
}
