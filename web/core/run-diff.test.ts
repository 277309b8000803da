import assert from "node:assert/strict";
import { test } from "node:test";
import choice from "./fixtures/run-choice-and-join.json" with { type: "json" };
import failure from "./fixtures/run-failure-ends-the-run.json" with { type: "json" };
import type { Graph } from "./graph.ts";
import { differenceOf } from "./run-diff.ts";
import type { Brief } from "./run-event.ts";
import { shapeOf } from "./run-state.ts";
import { Trace } from "./run-trace.ts";

type Golden = { readonly graph: unknown; readonly steps: readonly { readonly event: unknown }[] };

function changes(golden: Golden, seq: number) {
  const trace = new Trace(shapeOf(golden.graph as Graph));
  trace.add(golden.steps.map((s) => s.event as Brief));
  return differenceOf(trace.at(seq - 1), trace.at(seq));
}

test("a split puts a token on each of its edges and takes the one it came by", () => {
  const d = changes(choice, 2); // pick
  assert.deepEqual(d.nodes, [{ key: "pick", before: "idle", after: "done", visits: 1 }]);
  assert.deepEqual(
    d.tokens.map((t) => `${t.edge} ${t.by}`),
    ["start.success>pick -1", "pick.express>fast 1", "pick.vision>look 1"],
  );
  assert.equal(d.status, undefined);
});

test("the end of a run settles every step", () => {
  const d = changes(failure, 7);
  assert.deepEqual(d.status, { before: "running", after: "failed" });
  assert.deepEqual(
    d.nodes.map((n) => `${n.key} ${n.after}`),
    ["b canceled", "pause canceled", "never skipped"],
  );
});

test("nothing differs from itself", () => {
  const trace = new Trace(shapeOf(choice.graph as unknown as Graph));
  trace.add(choice.steps.map((s) => s.event as Brief));
  const d = differenceOf(trace.live, trace.live);
  assert.deepEqual(d, { status: undefined, nodes: [], tokens: [], bodies: [] });
});

test("a container's bodies count", () => {
  const shape = shapeOf({
    signalbox: 1,
    nodes: [{ id: "m", key: "m", kind: "map" }],
    edges: [],
    layout: {},
  });
  const trace = new Trace(shape);
  trace.add([
    { seq: 1, at: 1, type: "ContainerStarted", node: "m", visit: 1, count: 2 },
    { seq: 2, at: 1, type: "BodyStarted", node: "m", visit: 1, index: 0, opens: 1 },
    { seq: 3, at: 1, type: "BodyCompleted", node: "m", visit: 1, index: 0, closes: 1 },
  ]);
  assert.deepEqual(differenceOf(trace.at(2), trace.at(3)).bodies, [
    { key: "m", done: 1, failed: 0 },
  ]);
});
