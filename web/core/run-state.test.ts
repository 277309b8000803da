import assert from "node:assert/strict";
import { test } from "node:test";
import type { Graph } from "./graph.ts";
import type { Brief } from "./run-event.ts";
import { countNodes, fold, shapeOf, startState, taken } from "./run-state.ts";
import { Trace } from "./run-trace.ts";

const node = (id: string, kind: string) => ({ id, key: id, kind });

const graph: Graph = {
  signalbox: 1,
  nodes: [
    node("start", "manual"),
    node("pick", "route"),
    node("work", "http"),
    node("rest", "set"),
  ],
  edges: [
    { id: "e1", from: "start", port: "success", to: "pick" },
    { id: "e2", from: "pick", port: "fast", to: "work" },
    { id: "e3", from: "pick", port: "default", to: "rest" },
    { id: "e4", from: "work", port: "failure", to: "rest" },
  ],
  layout: {},
};
const shape = shapeOf(graph);

/** A log: a route takes one way, the work fails once and then for good. */
const log: readonly Brief[] = [
  { seq: 1, at: 1_000, type: "RunStarted", trigger: "start", port: "success", visit: 1 },
  { seq: 2, at: 1_001, type: "NodeCompleted", node: "pick", visit: 1, ports: ["fast"] },
  { seq: 3, at: 1_002, type: "TaskScheduled", node: "work", visit: 1, attempt: 1, queue: "q" },
  {
    seq: 4,
    at: 1_100,
    began: 1_050,
    type: "TaskFailed",
    node: "work",
    visit: 1,
    attempt: 1,
    retry_at: 1_600,
    error: { class: "timeout", message: "slow" },
  },
  { seq: 5, at: 1_600, type: "TaskScheduled", node: "work", visit: 1, attempt: 2, queue: "q" },
  {
    seq: 6,
    at: 1_700,
    began: 1_650,
    type: "TaskFailed",
    node: "work",
    visit: 1,
    attempt: 2,
    error: { class: "timeout", message: "slow" },
  },
  {
    seq: 7,
    at: 1_700,
    type: "NodeFailed",
    node: "work",
    visit: 1,
    error: { class: "timeout", message: "slow" },
  },
  { seq: 8, at: 1_701, type: "RunFailed", error: { class: "timeout", message: "slow" } },
];

const after = (n: number) => fold(shape, startState(shape), log.slice(0, n));
const status = (n: number, key: string) => after(n).nodes.get(key)?.status;

test("a step goes through its statuses", () => {
  assert.equal(status(0, "work"), "idle");
  assert.equal(status(3, "work"), "queued");
  assert.equal(status(4, "work"), "waiting");
  assert.equal(status(5, "work"), "queued");
  assert.equal(after(5).nodes.get("work")?.attempt, 2);
  assert.equal(status(7, "work"), "failed");
  assert.equal(after(7).nodes.get("work")?.error?.class, "timeout");
  assert.equal(after(7).nodes.get("work")?.took, 50);
});

test("only the edges of the ports that were left by carry a token", () => {
  assert.deepEqual(
    [...after(8).edges],
    [
      ["e1", 1],
      ["e2", 1],
    ],
  );
  assert.deepEqual(
    taken(shape, { seq: 9, at: 0, type: "NodeFailed", node: "work", port: "failure" }).map(
      (e) => e.id,
    ),
    ["e4"],
  );
});

test("after the end nobody is idle, and the run has its end", () => {
  const state = after(8);
  assert.equal(state.status, "failed");
  assert.equal(state.ended, 1_701);
  assert.equal(state.started, 1_000);
  assert.deepEqual(
    { ...countNodes(state) },
    {
      idle: 0,
      queued: 0,
      running: 0,
      waiting: 0,
      done: 2,
      failed: 1,
      canceled: 0,
      skipped: 1,
      undoing: 0,
      undone: 0,
    },
  );
});

test("what is at work when a run is canceled is canceled", () => {
  const state = fold(shape, after(3), [{ seq: 4, at: 1_050, type: "RunCanceled", by: "Ada" }]);
  assert.equal(state.nodes.get("work")?.status, "canceled");
  assert.equal(state.status, "canceled");
});

test("a run that does nothing but wait is waiting", () => {
  assert.equal(after(3).status, "running");
  assert.equal(after(4).status, "waiting");
});

test("the fold leaves the state before as it was", () => {
  const before = after(3);
  const kept = structuredClone(before);
  fold(shape, before, log.slice(3));
  assert.deepEqual(before, kept);
});

test("one fold of all equals a fold in parts, at every cut", () => {
  for (let cut = 0; cut <= log.length; cut += 1) {
    assert.deepEqual(fold(shape, after(cut), log.slice(cut)), after(log.length), `cut at ${cut}`);
  }
});

test("live words count for the open attempt only and leave the number alone", () => {
  const begins: Brief = {
    seq: 0,
    at: 1_010,
    type: "TaskRunning",
    node: "work",
    visit: 1,
    attempt: 1,
    worker: "w1",
  };
  const state = fold(shape, after(3), [
    begins,
    { ...begins, type: "TaskProgress", text: "Hel" },
    { ...begins, type: "TaskProgress", text: "lo" },
  ]);
  assert.equal(state.seq, 3);
  assert.equal(state.nodes.get("work")?.status, "running");
  assert.equal(state.nodes.get("work")?.open[0]?.text, "Hello");
  assert.equal(state.nodes.get("work")?.open[0]?.worker, "w1");
  const late = fold(shape, after(7), [begins]);
  assert.equal(late.nodes.get("work")?.status, "failed");
});

test("two visits at once: the step shows the one that works", () => {
  const events: readonly Brief[] = [
    { seq: 1, at: 1, type: "TaskScheduled", node: "work", visit: 1, attempt: 1 },
    { seq: 2, at: 2, type: "TaskScheduled", node: "work", visit: 2, attempt: 1 },
    {
      seq: 3,
      at: 3,
      type: "TaskCompleted",
      node: "work",
      visit: 1,
      attempt: 1,
      port: "success",
      began: 2,
    },
  ];
  const state = fold(shape, startState(shape), events);
  assert.equal(state.nodes.get("work")?.status, "queued");
  assert.equal(state.nodes.get("work")?.visits, 2);
});

/** A long log of one step that loops. */
function long(n: number): readonly Brief[] {
  return Array.from(
    { length: n },
    (_none, i): Brief => ({
      seq: i + 1,
      at: 1_000 + i,
      type: i === 0 ? "RunStarted" : "NodeCompleted",
      ...(i === 0
        ? { trigger: "start", port: "success" }
        : { node: "pick", visit: i, ports: [i % 2 === 0 ? "fast" : "default"] }),
    }),
  );
}

test("time travel: any moment equals a fold from the start, across keyframes", () => {
  const events = long(1_777);
  const trace = new Trace(shape);
  for (let i = 0; i < events.length; i += 37) trace.add(events.slice(i, i + 37));
  for (const seq of [0, 1, 499, 500, 501, 1_000, 1_500, 1_776, 1_777]) {
    assert.deepEqual(
      trace.at(seq),
      fold(shape, startState(shape), events.slice(0, seq)),
      `at ${seq}`,
    );
  }
  assert.deepEqual(trace.at(9_999), trace.live);
  assert.equal(trace.seqAt(999), 0);
  assert.equal(trace.seqAt(1_000), 1);
  assert.equal(trace.seqAt(1_250.5), 251);
  assert.equal(trace.seqAt(1e9), 1_777);
});

test("a hole is told, and what came early is taken when it is filled", () => {
  const events = long(20);
  const trace = new Trace(shape);
  assert.equal(trace.add(events.slice(0, 5)).hole, undefined);
  assert.deepEqual(trace.add(events.slice(10, 15)).hole, { from: 6, to: 10 });
  assert.equal(trace.last, 5);
  const filled = trace.add(events.slice(3, 11));
  assert.equal(filled.hole, undefined);
  assert.equal(filled.fresh.length, 10);
  assert.equal(trace.last, 15);
  assert.deepEqual(trace.add(events.slice(0, 15)).fresh, []);
  assert.deepEqual(trace.live, fold(shape, startState(shape), events.slice(0, 15)));
});
