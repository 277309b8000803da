import assert from "node:assert/strict";
import { test } from "node:test";
import choice from "./fixtures/run-choice-and-join.json" with { type: "json" };
import failureEnds from "./fixtures/run-failure-ends-the-run.json" with { type: "json" };
import failurePort from "./fixtures/run-failure-port.json" with { type: "json" };
import loop from "./fixtures/run-loop.json" with { type: "json" };
import type { Graph } from "./graph.ts";
import { eventsOf, failureOf, Origins, readsIn, valueAt } from "./run-cause.ts";
import type { Brief } from "./run-event.ts";
import { shapeOf } from "./run-state.ts";

type Golden = { readonly graph: unknown; readonly steps: readonly { readonly event: unknown }[] };

const logOf = (g: Golden) => g.steps.map((s) => s.event as Brief);
const originsOf = (g: Golden) => new Origins(shapeOf(g.graph as Graph), logOf(g));
const find = (log: readonly Brief[], type: string, node: string, visit = 1): Brief => {
  const e = log.find((x) => x.type === type && x.node === node && x.visit === visit);
  assert.ok(e, `${type} ${node} ${visit}`);
  return e;
};
const names = (list: readonly Brief[]) => list.map((e) => `${e.type} ${e.node ?? e.trigger ?? ""}`);

test("the failure that ended a run is found, a caught one is none", () => {
  assert.equal(failureOf(logOf(failureEnds))?.node, "a");
  assert.equal(failureOf(logOf(failurePort)), undefined);
  assert.equal(failureOf([]), undefined);
  const nested: readonly Brief[] = [
    { seq: 1, at: 1, type: "NodeFailed", node: "x", handled: true },
    { seq: 2, at: 1, type: "TaskFailed", node: "inner", scope: 1, visit: 1 },
    { seq: 3, at: 1, type: "NodeFailed", node: "inner", scope: 1, visit: 1 },
    { seq: 4, at: 1, type: "VisitCanceled", node: "other", scope: 1, visit: 1 },
    { seq: 5, at: 1, type: "BodyFailed", node: "box", visit: 1, opens: 1 },
    { seq: 6, at: 1, type: "NodeFailed", node: "box", visit: 1 },
    { seq: 7, at: 1, type: "RunFailed" },
  ];
  assert.equal(failureOf(nested)?.seq, 3);
});

test("the events of one visit", () => {
  const log = logOf(failureEnds);
  const failure = failureOf(log);
  assert.ok(failure);
  assert.deepEqual(names(eventsOf(log, failure)), [
    "TaskScheduled a",
    "TaskFailed a",
    "NodeFailed a",
  ]);
});

test("a join knows every event that gave it a token", () => {
  const log = logOf(choice);
  const origins = originsOf(choice);
  assert.deepEqual(names(origins.of(find(log, "NodeCompleted", "meet"))).sort(), [
    "TaskCompleted fast",
    "TaskCompleted look",
  ]);
  assert.deepEqual(names(origins.back(find(log, "TaskCompleted", "last"), 10)), [
    "NodeCompleted meet",
    "TaskCompleted fast",
    "TaskCompleted look",
    "NodeCompleted pick",
    "RunStarted start",
  ]);
  assert.equal(origins.back(find(log, "TaskCompleted", "last"), 2).length, 2);
});

test("in a loop each pass comes from the one before", () => {
  const log = logOf(loop);
  const origins = originsOf(loop);
  assert.equal(origins.of(find(log, "NodeCompleted", "head", 1))[0]?.type, "RunStarted");
  assert.equal(origins.of(find(log, "NodeCompleted", "head", 2))[0]?.node, "again");
});

test("an entry of a container's body comes from the event that opened it", () => {
  const shape = shapeOf({
    signalbox: 1,
    nodes: [
      { id: "box", key: "box", kind: "map" },
      { id: "in", key: "in", kind: "mock" },
    ],
    edges: [],
    layout: {},
  });
  const log: readonly Brief[] = [
    { seq: 1, at: 1, type: "ContainerStarted", node: "box", visit: 1 },
    { seq: 2, at: 1, type: "BodyStarted", node: "box", visit: 1, index: 0, opens: 1 },
    { seq: 3, at: 1, type: "TaskScheduled", node: "in", scope: 1, visit: 1, attempt: 1 },
  ];
  const origins = new Origins(shape, log);
  assert.deepEqual(
    origins.of(log[2] as Brief).map((e) => e.seq),
    [2],
  );
});

test("what the expressions of a configuration read", () => {
  const reads = readsIn({
    url: "=input.customer.links[0]",
    text: "Hi {{ nodes.look_up.output.name.upperAscii() }} of {{inputs.crm.org}}",
    list: ["=trigger.id", "=trigger.id"],
    when: 'has(input["odd name"].x)',
    not: "myinput.x",
    constant: "==input.y",
    words: "the input and the trigger",
  });
  assert.deepEqual(
    reads.map((r) => r.text),
    [
      "input.customer.links[0]",
      "nodes.look_up.output.name",
      "inputs.crm.org",
      "trigger.id",
      'input["odd name"].x',
    ],
  );
  assert.deepEqual(reads[1], {
    text: "nodes.look_up.output.name",
    from: "nodes",
    key: "look_up",
    path: ["name"],
  });
  assert.deepEqual(readsIn(undefined), []);
});

test("the value at a path", () => {
  const value = { a: [{ b: null }], c: 0 };
  assert.equal(valueAt(value, ["a", "0", "b"]), null);
  assert.equal(valueAt(value, ["c"]), 0);
  assert.equal(valueAt(value, ["a", "1", "b"]), undefined);
  assert.equal(valueAt(value, ["constructor"]), undefined);
  assert.deepEqual(valueAt(value, []), value);
});
