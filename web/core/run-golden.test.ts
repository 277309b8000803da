// The browser's fold against the machine's: scripted runs, written by the Go
// tests of engine/runtime/brief, with what the machine holds after each event.

import assert from "node:assert/strict";
import { test } from "node:test";
import cancel from "./fixtures/run-cancel.json" with { type: "json" };
import choice from "./fixtures/run-choice-and-join.json" with { type: "json" };
import failureEnds from "./fixtures/run-failure-ends-the-run.json" with { type: "json" };
import failurePort from "./fixtures/run-failure-port.json" with { type: "json" };
import first from "./fixtures/run-first-cancels.json" with { type: "json" };
import group from "./fixtures/run-group-in-group.json" with { type: "json" };
import held from "./fixtures/run-held.json" with { type: "json" };
import heldCanceled from "./fixtures/run-held-and-canceled.json" with { type: "json" };
import linear from "./fixtures/run-linear.json" with { type: "json" };
import loop from "./fixtures/run-loop.json" with { type: "json" };
import map from "./fixtures/run-map.json" with { type: "json" };
import mapFails from "./fixtures/run-map-that-fails.json" with { type: "json" };
import oneStep from "./fixtures/run-one-step.json" with { type: "json" };
import repeat from "./fixtures/run-repeat.json" with { type: "json" };
import retry from "./fixtures/run-retry.json" with { type: "json" };
import toHere from "./fixtures/run-run-to-here.json" with { type: "json" };
import saga from "./fixtures/run-saga.json" with { type: "json" };
import sagaPerson from "./fixtures/run-saga-needs-a-person.json" with { type: "json" };
import signal from "./fixtures/run-signal-and-pause.json" with { type: "json" };
import absorb from "./fixtures/run-two-of-three-absorb.json" with { type: "json" };
import virtual from "./fixtures/run-virtual-clock.json" with { type: "json" };
import overlap from "./fixtures/run-visits-overlap.json" with { type: "json" };
import wait from "./fixtures/run-wait.json" with { type: "json" };
import type { Graph } from "./graph.ts";
import type { Brief } from "./run-event.ts";
import type { NodeStatus, Phase } from "./run-node.ts";
import { standing } from "./run-scope.ts";
import type { RunState } from "./run-state.ts";
import { fold, shapeOf, startState } from "./run-state.ts";

type Golden = {
  readonly graph: unknown;
  readonly edges: readonly string[];
  readonly steps: readonly Step[];
};

type Step = {
  readonly event: unknown;
  readonly status: string;
  readonly visits: Readonly<Record<string, number | undefined>>;
  readonly live: readonly string[];
  readonly tokens: Readonly<Record<string, number | undefined>>;
  readonly shown: Readonly<Record<string, string | undefined>>;
};

const logs: Readonly<Record<string, Golden>> = {
  linear,
  "choice and join": choice,
  retry,
  "failure port": failurePort,
  "failure that ends the run": failureEnds,
  wait,
  loop,
  "visits that overlap": overlap,
  cancel,
  map: map,
  "map that fails": mapFails,
  repeat: repeat,
  "group in group": group,
  "first cancels": first,
  "two of three absorb": absorb,
  "signal and pause": signal,
  saga: saga,
  "saga that needs a person": sagaPerson,
  held: held,
  "held and canceled": heldCanceled,
  "virtual clock": virtual,
  "run to here": toHere,
  "one step": oneStep,
};

for (const [name, golden] of Object.entries(logs)) {
  test(`${name}: the browser sees what the machine holds, after every event`, () => {
    const shape = shapeOf(golden.graph as Graph);
    assert.deepEqual(shape.edges, golden.edges);
    let state = startState(shape);
    for (const step of golden.steps) {
      state = fold(shape, state, [step.event as Brief]);
      const where = `after event ${state.seq}`;
      assert.equal(state.status, step.status, where);
      assert.deepEqual(visits(state), plain(step.visits), where);
      assert.deepEqual(live(state), [...step.live].sort(), where);
      assert.deepEqual(Object.fromEntries(standing(state.scopes)), plain(step.tokens), where);
      assert.deepEqual(shown(state), plain(step.shown), where);
    }
    const all = golden.steps.map((s) => s.event as Brief);
    assert.deepEqual(fold(shape, startState(shape), all), state);
  });
}

/** Without the members that TypeScript adds when it unites the files' types. */
function plain<T>(record: Readonly<Record<string, T | undefined>>): Record<string, T | undefined> {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined));
}

function visits(state: RunState): Readonly<Record<string, number>> {
  const out: Record<string, number> = {};
  for (const [key, node] of state.nodes) if (node.visits > 0) out[key] = node.visits;
  return out;
}

/** The machine notes a last failure with the event that follows it. */
const PHASES: Readonly<Record<Phase, string>> = {
  queued: "queued",
  running: "queued",
  backoff: "backoff",
  waiting: "waiting",
  failing: "queued",
  inside: "open",
  calling: "calling",
};

function live(state: RunState): readonly string[] {
  const out: string[] = [];
  for (const [key, node] of state.nodes) {
    for (const o of node.open)
      out.push(`${o.scope} ${key} ${o.visit}.${o.attempt} ${PHASES[o.phase]}`);
  }
  return out.sort();
}

const PICTURE: Readonly<Record<NodeStatus, string>> = {
  idle: "",
  queued: "run",
  running: "run",
  waiting: "wait",
  done: "ok",
  failed: "fail",
  canceled: "cancel",
  skipped: "skip",
  // The server's picture shows what a step did, not that it was undone.
  undoing: "ok",
  undone: "ok",
};

function shown(state: RunState): Readonly<Record<string, string>> {
  const out: Record<string, string> = {};
  for (const [key, node] of state.nodes) {
    if (node.status !== "idle") out[key] = PICTURE[node.status];
  }
  return out;
}
