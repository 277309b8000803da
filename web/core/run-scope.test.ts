import assert from "node:assert/strict";
import { test } from "node:test";
import type { Graph } from "./graph.ts";
import type { Brief } from "./run-event.ts";
import { positions, standing } from "./run-scope.ts";
import { fold, shapeOf, startState } from "./run-state.ts";

const node = (key: string, kind: string) => ({ id: key, key, kind });

/** A map whose body is one task, and a join of two ways behind it. */
const graph: Graph = {
  signalbox: 1,
  nodes: [node("start", "manual"), node("each", "map"), node("work", "mock"), node("last", "set")],
  edges: [
    { id: "in", from: "start", port: "success", to: "each" },
    { id: "out", from: "each", port: "success", to: "last" },
    { id: "inner", from: "work", port: "success", to: "last" },
    { id: "back", from: "work", port: "compensate", to: "last" },
  ],
  layout: {},
};
const shape = shapeOf(graph);

const EVENTS: readonly Omit<Brief, "seq" | "at">[] = [
  { type: "RunStarted", trigger: "start", port: "success", visit: 1 },
  { type: "ContainerStarted", node: "each", visit: 1, took: "1", count: 3 },
  { type: "BodyStarted", node: "each", visit: 1, index: 0, opens: 1 },
  { type: "BodyStarted", node: "each", visit: 1, index: 1, opens: 2 },
  { type: "TaskScheduled", node: "work", scope: 1, visit: 1, attempt: 1 },
  { type: "TaskScheduled", node: "work", scope: 2, visit: 1, attempt: 1 },
  { type: "TaskCompleted", node: "work", scope: 2, visit: 1, attempt: 1, port: "success" },
  { type: "BodyCompleted", node: "each", visit: 1, index: 1, closes: 2 },
  { type: "TaskFailed", node: "work", scope: 1, visit: 1, attempt: 1 },
  { type: "NodeFailed", node: "work", scope: 1, visit: 1 },
  { type: "BodyFailed", node: "each", visit: 1, index: 0, closes: 1 },
  { type: "BodyStarted", node: "each", visit: 1, index: 2, opens: 3 },
  { type: "TaskScheduled", node: "work", scope: 3, visit: 1, attempt: 1 },
  { type: "VisitCanceled", node: "work", scope: 3, visit: 1 },
  { type: "ContainerCompleted", node: "each", visit: 1, port: "success" },
  { type: "NodeCompleted", node: "last", visit: 1, took: "0", ports: [] },
  { type: "RunSucceeded" },
];
const log: readonly Brief[] = EVENTS.map((e, i) => ({ ...e, seq: i + 1, at: 1_000 + i }));
const after = (n: number) => fold(shape, startState(shape), log.slice(0, n));

test("positions of edges stand in ranges", () => {
  assert.deepEqual(positions("0-2,5"), [0, 1, 2, 5]);
  assert.deepEqual(positions("7"), [7]);
  assert.deepEqual(positions(""), []);
  assert.deepEqual(positions(undefined), []);
});

test("edges that undo have no position", () => {
  assert.deepEqual(shape.edges, ["out", "in", "inner"]);
});

test("a container counts its bodies", () => {
  const middle = after(11).bodies.get("each");
  assert.deepEqual(middle?.states, ["failed", "done"]);
  assert.equal(middle?.count, 3);
  assert.deepEqual([middle?.done, middle?.failed, middle?.running], [1, 1, 0]);
  const end = after(15).bodies.get("each");
  assert.deepEqual(end?.states, ["failed", "done", "canceled"]);
  assert.equal(end?.running, 0);
});

test("a step in a container sums its visits over all bodies", () => {
  const work = after(14).nodes.get("work");
  assert.deepEqual([work?.visits, work?.done, work?.failed], [3, 1, 1]);
  assert.equal(after(6).nodes.get("work")?.open.length, 2);
  assert.equal(after(7).nodes.get("work")?.status, "queued");
  assert.equal(work?.status, "canceled");
});

test("tokens stand in their own scope and go with it", () => {
  assert.deepEqual(Object.fromEntries(standing(after(7).scopes)), { inner: 1 });
  assert.equal(after(7).scopes.get(2)?.tokens.get("inner"), 1);
  assert.deepEqual(Object.fromEntries(standing(after(8).scopes)), {});
  assert.deepEqual([...after(12).scopes.keys()], [0, 3]);
  assert.deepEqual(Object.fromEntries(standing(after(15).scopes)), { out: 1 });
  assert.deepEqual(Object.fromEntries(standing(after(16).scopes)), {});
});

test("a container that is over closes what is open in it, however deep", () => {
  const nested: readonly Brief[] = [
    ...log.slice(0, 3),
    { seq: 4, at: 1, type: "ContainerStarted", node: "work", scope: 1, visit: 1 },
    { seq: 5, at: 1, type: "BodyStarted", node: "work", scope: 1, visit: 1, index: 0, opens: 2 },
    { seq: 6, at: 1, type: "VisitCanceled", node: "each", visit: 1 },
  ];
  assert.deepEqual([...fold(shape, startState(shape), nested).scopes.keys()], [0]);
});

test("one fold of all equals a fold in parts, at every cut", () => {
  for (let cut = 0; cut <= log.length; cut += 1) {
    assert.deepEqual(fold(shape, after(cut), log.slice(cut)), after(log.length), `cut at ${cut}`);
  }
});

test("what holds a run shows until it goes on", () => {
  const held = fold(shape, after(6), [{ seq: 7, at: 1, type: "RunPaused", by: "Ada" }]);
  assert.equal(held.status, "paused");
  const on = fold(shape, held, [{ seq: 8, at: 2, type: "RunResumed", by: "Ada" }]);
  assert.equal(on.status, "running");
});

test("what undoes and what is undone shows", () => {
  const undoing = fold(shape, after(8), [
    { seq: 9, at: 1, type: "CompensationStarted" },
    {
      seq: 10,
      at: 1,
      type: "TaskScheduled",
      node: "last",
      visit: 1,
      undoes: { node: "work", visit: 1 },
    },
  ]);
  assert.equal(undoing.status, "compensating");
  assert.equal(undoing.nodes.get("work")?.status, "undoing");
  assert.deepEqual([...undoing.scopes.keys()], [0]);
  const troubled = fold(shape, undoing, [
    {
      seq: 11,
      at: 2,
      type: "AttentionNeeded",
      node: "last",
      visit: 1,
      undoes: { node: "work", visit: 1 },
    },
  ]);
  assert.equal(troubled.status, "needs_attention");
  const end = fold(shape, undoing, [
    { seq: 11, at: 2, type: "TaskCompleted", node: "last", visit: 1, attempt: 1, port: "success" },
    { seq: 12, at: 3, type: "CompensationCompleted" },
    { seq: 13, at: 3, type: "RunCompensated" },
  ]);
  assert.equal(end.status, "compensated");
  assert.equal(end.nodes.get("work")?.status, "undone");
});

test("a join that cancels leaves one token on its own edges and none elsewhere", () => {
  const two: readonly Brief[] = [
    { seq: 1, at: 1, type: "NodeCompleted", node: "each", visit: 1, ports: ["success"] },
    { seq: 2, at: 1, type: "NodeCompleted", node: "each", visit: 2, ports: ["success"] },
    { seq: 3, at: 1, type: "NodeCompleted", node: "start", visit: 1, ports: ["success"] },
  ];
  const state = fold(shape, startState(shape), two);
  assert.deepEqual(Object.fromEntries(standing(state.scopes)), { out: 2, in: 1 });
  const left = fold(shape, state, [
    { seq: 4, at: 1, type: "TokensCanceled", node: "last", took: "0-1" },
  ]);
  assert.deepEqual(Object.fromEntries(standing(left.scopes)), { out: 1 });
});

test("an event of a newer program does no harm", () => {
  const state = fold(shape, after(6), [{ seq: 7, at: 1, type: "SomethingNew", node: "work" }]);
  assert.equal(state.seq, 7);
  assert.equal(state.nodes.get("work")?.status, "queued");
});

test("items that are runs are counted", () => {
  const events: readonly Omit<Brief, "seq" | "at">[] = [
    { type: "RunStarted", trigger: "start", port: "success", visit: 1 },
    { type: "ContainerStarted", node: "each", visit: 1, took: "1", count: 20_000, runs: true },
    { type: "ItemsStarted", node: "each", visit: 1, count: 10 },
    { type: "ItemsEnded", node: "each", visit: 1, count: 4, failed: 1 },
    { type: "ItemFailed", node: "each", visit: 1, index: 5, count: 1, failed: 1 },
    { type: "ItemsCanceled", node: "each", visit: 1, count: 5 },
  ];
  const runs = events.map((e, i) => ({ ...e, seq: i + 1, at: 1_000 + i }));
  const told = (n: number) => fold(shape, startState(shape), runs.slice(0, n)).bodies.get("each");
  assert.deepEqual(told(4), {
    scope: 0,
    visit: 1,
    count: 20_000,
    runs: true,
    states: [],
    done: 3,
    failed: 1,
    running: 6,
  });
  assert.deepEqual([told(5)?.running, told(5)?.failed, told(6)?.running], [5, 2, 0]);
});
