//go:build conformance

package exchange_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"signalbox/engine/exchange"
)

// driver replays the traces with the real XState and tells what differs.
const driver = `
import { readFileSync } from "node:fs";
import { createActor, SimulatedClock } from "xstate";
import { isDeepStrictEqual } from "node:util";
const all = readFileSync("traces.jsonl", "utf8").trim().split("\n").map((l) => JSON.parse(l));
let steps = 0;
for (const { id, trace } of all) {
  const { machine } = await import("./" + id + ".mjs");
  let log = [];
  const names = new Set(JSON.stringify(machine.config).match(/a\d+/g) ?? []);
  const actions = Object.fromEntries([...names].map((n) => [n, ({ event }) => log.push(n + "@" + event.type)]));
  const clock = new SimulatedClock();
  const actor = createActor(machine.provide({ actions }), { clock });
  for (const [i, want] of trace.entries()) {
    log = [];
    if (want.step === "start") actor.start();
    else if (want.step.send) actor.send({ type: want.step.send });
    else clock.increment(want.step.advance);
    const s = actor.getSnapshot();
    const got = { step: want.step, value: s.value, context: s.context, status: s.status, tags: [...s.tags].sort(), actions: log };
    if (!isDeepStrictEqual(got, { ...want, tags: want.tags.toSorted() })) {
      console.log(id + " step " + i + "\n got " + JSON.stringify(got) + "\nwant " + JSON.stringify(want));
      break;
    }
    steps++;
  }
}
console.log("steps " + steps);
`

// TestRealXStateRunsWhatWeExport takes each machine of the recorded traces
// through import and export, and has XState from XSTATE_DIR run the result.
func TestRealXStateRunsWhatWeExport(t *testing.T) {
	t.Parallel()
	xstate := os.Getenv("XSTATE_DIR")
	if xstate == "" {
		t.Fatal("XSTATE_DIR is to name a directory with node_modules/xstate in it")
	}
	dir := t.TempDir()
	if err := os.Symlink(filepath.Join(xstate, "node_modules"), filepath.Join(dir, "node_modules")); err != nil {
		t.Fatal(err)
	}
	want := writeModules(t, dir)
	if err := os.WriteFile(filepath.Join(dir, "driver.mjs"), []byte(driver), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "node", "driver.mjs")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil || string(out) != fmt.Sprintf("steps %d\n", want) {
		t.Errorf("want %d steps: %v\n%s", want, err, out)
	}
}

// writeModules exports every machine and counts the steps of the traces.
func writeModules(t *testing.T, dir string) int {
	t.Helper()
	steps := 0
	var traces bytes.Buffer
	for _, r := range recorded(t) {
		module, losses := exchange.ToXState(r.Def)
		if len(losses) > 0 {
			t.Fatalf("%s: %v", r.ID, losses)
		}
		if err := os.WriteFile(filepath.Join(dir, r.ID+".mjs"), []byte(module), 0o600); err != nil {
			t.Fatal(err)
		}
		traces.Write(append(r.line, '\n'))
		steps += len(r.Trace)
	}
	if err := os.WriteFile(filepath.Join(dir, "traces.jsonl"), traces.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return steps
}
