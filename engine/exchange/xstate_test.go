package exchange_test

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"signalbox/engine/chart"
	"signalbox/engine/exchange"
)

// driver replays traces with the real XState and tells what differs.
const driver = `
import { readFileSync } from "node:fs";
import { createActor, fromCallback, SimulatedClock } from "xstate";
import { isDeepStrictEqual } from "node:util";
const all = readFileSync("traces.jsonl", "utf8").trim().split("\n").map((l) => JSON.parse(l));
let steps = 0;
for (const { id, trace } of all) {
  const { machine } = await import("./" + id + ".mjs");
  let log = [];
  const act = (n) => ({ event }) => log.push(n + "@" + event.type);
  const names = new Set(readFileSync(id + ".mjs", "utf8").match(/"a\d+"/g)?.map((n) => n.slice(1, -1)) ?? []);
  const actions = Object.fromEntries([...names].map((n) => [n, act(n)]));
  const clock = new SimulatedClock();
  const actors = { work: fromCallback(() => {}) };
  const actor = createActor(machine.provide({ actions, actors }), { clock });
  actor.subscribe({ error() {} });
  for (const [i, want] of trace.entries()) {
    log = [];
    if (want.step === "start") actor.start();
    else if (want.step.send) actor.send({ ...want.step.data, type: want.step.send });
    else if (want.step.done) actor.send({ type: "xstate.done.actor." + want.step.done, output: "fine", actorId: want.step.done });
    else if (want.step.error) actor.send({ type: "xstate.error.actor." + want.step.error, error: "broken", actorId: want.step.error });
    else clock.increment(want.step.advance);
    const s = actor.getSnapshot();
    const got = { step: want.step, value: s.value, context: s.context, status: s.status, tags: [...s.tags].sort(), actions: log };
    if ("output" in want) got.output = s.output ?? null;
    if (!isDeepStrictEqual(got, { ...want, tags: want.tags.toSorted() })) {
      console.log(id + " step " + i + "\n got " + JSON.stringify(got) + "\nwant " + JSON.stringify(want));
      break;
    }
    steps++;
  }
}
console.log("steps " + steps);
`

// charts is how many random charts are played.
var charts = flag.Int("charts", 40, "random charts for the real XState")

// check has XState run modules and compares with traces.
func check(t *testing.T, modules map[string]string, traces []byte, steps int) {
	t.Helper()
	files := map[string]string{"driver.mjs": driver, "traces.jsonl": string(traces)}
	for id, text := range modules {
		files[id+".mjs"] = text
	}
	node(t, files, steps)
}

// node runs driver.mjs of some files with the real XState: the one that npm has
// installed, or another in XSTATE_DIR.
func node(t *testing.T, files map[string]string, steps int) {
	t.Helper()
	xstate := cmp.Or(os.Getenv("XSTATE_DIR"), "../..")
	modules, err := filepath.Abs(filepath.Join(xstate, "node_modules"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(modules, "xstate")); err != nil {
		t.Fatalf("this test needs Node.js and XState, which make assets installs: %v", err)
	}
	dir := t.TempDir()
	if err := os.Symlink(modules, filepath.Join(dir, "node_modules")); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), "node", "driver.mjs")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "NODE_ENV=production")
	out, err := cmd.CombinedOutput()
	if err != nil || string(out) != fmt.Sprintf("steps %d\n", steps) {
		t.Errorf("want %d steps: %v\n%s", steps, err, out)
	}
	if keep := os.Getenv("KEEP_DIR"); t.Failed() && keep != "" {
		if err := os.CopyFS(keep, os.DirFS(dir)); err != nil {
			t.Log(err)
		}
	}
}

// TestRealXStateRunsWhatWeExport takes each machine of the recorded traces
// through import and export.
func TestRealXStateRunsWhatWeExport(t *testing.T) {
	t.Parallel()
	steps, modules := 0, map[string]string{}
	var traces bytes.Buffer
	for i, r := range recorded(t) {
		if i%max(1, 200 / *charts) > 0 {
			continue
		}
		module, losses := exchange.ToXState(r.Def)
		if len(losses) > 0 {
			t.Fatalf("%s: %v", r.ID, losses)
		}
		modules[r.ID] = module
		traces.Write(append(r.line, '\n'))
		steps += len(r.Trace)
	}
	check(t, modules, traces.Bytes(), steps)
}

// TestRealXStateAgreesOnRandomCharts drives random charts with our
// interpreter, then what is exported of them with XState.
func TestRealXStateAgreesOnRandomCharts(t *testing.T) {
	t.Parallel()
	steps, modules := 0, map[string]string{}
	var traces bytes.Buffer
	for seed := uint64(1); len(modules) < *charts; seed++ {
		a := &author{Rand: rand.New(rand.NewPCG(seed, 5))}
		id := fmt.Sprintf("r%d", seed)
		d := a.chart(id)
		c, faults := chart.Compile(d)
		if len(faults) > 0 {
			if !strings.Contains(faults[0].Message, "by way of itself") {
				t.Fatalf("%s: %v", id, faults)
			}
			continue
		}
		trace, ok := drive(t, a, c)
		if !ok {
			continue // it does not come to rest: XState would go on for ever
		}
		module, losses := exchange.ToXState(d)
		if len(losses) > 0 {
			t.Fatalf("%s: %v", id, losses)
		}
		modules[id] = module
		line, err := json.Marshal(map[string]any{"id": id, "def": d, "trace": trace})
		if err != nil {
			t.Fatal(err)
		}
		traces.Write(append(line, '\n'))
		steps += len(trace)
	}
	check(t, modules, traces.Bytes(), steps)
	if *update && *charts >= recordsMax && !t.Failed() {
		keep(t, traces.Bytes())
	}
}

// recordsMax is how many random charts stand in the repository.
const recordsMax = 150

// keep writes the first traces where the tests of the interpreter find them,
// which run without XState.
func keep(t *testing.T, traces []byte) {
	t.Helper()
	lines := bytes.SplitAfterN(traces, []byte("\n"), recordsMax+1)
	var packed bytes.Buffer
	z, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := z.Write(bytes.Join(lines[:recordsMax], nil)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("../chart/testdata/random.jsonl.gz", packed.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}

// drive takes random steps and writes down what our interpreter did.
func drive(t *testing.T, a *author, c *chart.Chart) ([]map[string]any, bool) {
	t.Helper()
	type timer struct {
		id  string
		due int64
	}
	var (
		now     int64
		timers  []timer
		actions []string
		state   chart.State
		trace   []map[string]any
	)
	take := func(s chart.State, effects []chart.Effect) {
		state = s
		for _, e := range effects {
			switch e.Op {
			case chart.OpAct:
				actions = append(actions, e.Name+"@"+e.Event)
			case chart.OpTimer:
				timers = append(timers, timer{e.ID, now + e.DelayMS})
			case chart.OpCancel:
				timers = slices.DeleteFunc(timers, func(t timer) bool { return t.id == e.ID })
			default:
			}
		}
	}
	for i := range 16 {
		actions = []string{}
		var step any = "start"
		switch kind := a.IntN(10); {
		case i == 0:
			take(c.Start(nil))
		case kind < 2 && len(state.Tasks) > 0:
			task := pick(a, state.Tasks...)
			step = map[string]any{"done": task.Name}
			take(c.Send(state, chart.Event{Type: chart.Done, From: task.ID, Data: map[string]any{"output": "fine"}}))
		case kind < 3 && len(state.Tasks) > 0:
			task := pick(a, state.Tasks...)
			step = map[string]any{"error": task.Name}
			take(c.Send(state, chart.Event{Type: chart.Failed, From: task.ID, Data: map[string]any{"error": "broken"}}))
		case kind < 5:
			ms := pick[int64](a, 5, 10, 50, 100)
			step = map[string]any{"advance": ms}
			for now += ms; ; {
				due := -1
				for j, t := range timers {
					if t.due <= now && (due < 0 || t.due < timers[due].due) {
						due = j
					}
				}
				if due < 0 {
					break
				}
				id := timers[due].id
				timers = slices.Delete(timers, due, due+1)
				take(c.Send(state, chart.Event{From: id}))
			}
		default:
			data := map[string]any{"n": float64(a.IntN(8))}
			name := pick(a, "A", "B", "C", "n.x", "n.y", "n.z", "UNKNOWN")
			step = map[string]any{"send": name, "data": data}
			take(c.Send(state, chart.NewEvent(name, data)))
		}
		if state.Error != nil && state.Error.Class != "internal" {
			return nil, state.Error.Class != "limit"
		}
		m := map[string]any{"step": step, "value": c.Value(state), "context": state.Context, "status": state.Status, "tags": c.Tags(state), "actions": actions}
		if state.Status == chart.StatusDone {
			m["output"] = state.Output
		}
		trace = append(trace, m)
		if state.Status != chart.StatusActive {
			break
		}
	}
	return trace, true
}
