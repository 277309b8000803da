import assert from "node:assert/strict";
import { test } from "node:test";
import { diff, differences, opsBetween, together } from "./diff.ts";
import { Drawing } from "./drawing.ts";
import type { Graph } from "./graph.ts";
import { apply } from "./ops.ts";
import { dice, randomGraph, randomOps } from "./random-graph.ts";

// Neither the order nor the ids of edges have a meaning.
function plain(d: Drawing): unknown {
  const g = d.graph();
  const nodes = Object.fromEntries(g.nodes.map((n) => [n.id, n]));
  const edges = g.edges.map((e) => `${e.from} ${e.port} ${e.to}`).sort();
  return JSON.parse(JSON.stringify({ ...g, name: undefined, nodes, edges }));
}

test("the operations between two random drawings make one into the other, and undo takes them back", () => {
  for (let seed = 1; seed <= 300; seed++) {
    const random = dice(seed);
    const before = new Drawing(randomGraph(random));
    apply(before, randomOps(random, before, 6));
    const after = new Drawing(before.graph());
    apply(after, randomOps(random, after, 1 + Math.floor(random() * 14)));
    const work = new Drawing(before.graph());
    const inverse = apply(work, opsBetween(before.graph(), after.graph()));
    assert.deepEqual(plain(work), plain(after), `seed ${seed}`);
    apply(work, inverse);
    assert.deepEqual(plain(work), plain(before), `seed ${seed}: back`);
  }
});

const before: Graph = {
  signalbox: 1,
  nodes: [
    { id: "a", key: "a", kind: "http", config: { url: "x", headers: { q: 1 } } },
    { id: "b", key: "b", kind: "set" },
    { id: "m", key: "m", kind: "set" },
  ],
  edges: [{ id: "e1", from: "a", port: "success", to: "b" }],
  layout: { nodes: { a: { x: 0, y: 0 }, b: { x: 9, y: 9 }, m: { x: 1, y: 1 } } },
};

const after: Graph = {
  signalbox: 1,
  transaction: true,
  nodes: [
    { id: "a", key: "a", kind: "http", config: { url: "y", headers: { q: 1 } } },
    { id: "c", key: "b", kind: "wait" },
    { id: "m", key: "m", kind: "set" },
  ],
  edges: [
    { id: "e2", from: "a", port: "success", to: "c" },
    { id: "e3", from: "c", port: "success", to: "m" },
  ],
  layout: { nodes: { a: { x: 0, y: 0, title: "Ask" }, c: { x: 9, y: 9 }, m: { x: 5, y: 5 } } },
};

test("what came, went, changed and only moved", () => {
  const found = diff(before, after);
  assert.deepEqual(
    found.nodes.map(({ id, is }) => `${id} ${is}`),
    ["a changed", "c added", "b removed"],
  );
  assert.deepEqual(found.nodes[0]?.fields, [
    { path: "/config/url", before: "x", after: "y" },
    { path: "/title", before: undefined, after: "Ask" },
  ]);
  assert.deepEqual(found.moved, ["m"]);
  assert.deepEqual(
    found.edges.map(({ edge, is }) => `${edge.id} ${is}`),
    ["e2 added", "e3 added", "e1 removed"],
  );
  assert.deepEqual(found.fields, [{ path: "/transaction", before: undefined, after: true }]);
});

test("both in one drawing: what went is still there, marked", () => {
  const { graph, marks } = together(before, after);
  assert.deepEqual(graph.nodes.map((n) => n.id).sort(), ["a", "b", "c", "m"]);
  assert.deepEqual(graph.layout.nodes?.["b"], { x: 9, y: 9 });
  assert.equal(marks.get("b"), "removed");
  assert.equal(marks.get("removed-e1"), "removed");
  assert.equal(marks.get("e3"), "added");
});

test("an edge that was drawn anew under another id is the same edge", () => {
  const again = { ...before, edges: [{ id: "new", from: "a", port: "success", to: "b" }] };
  assert.deepEqual(diff(before, again).edges, []);
});

test("lists of one length are compared item by item, others as a whole", () => {
  assert.deepEqual(differences({ l: [1, { a: 1 }] }, { l: [1, { a: 2 }] }), [
    { path: "/l/1/a", before: 1, after: 2 },
  ]);
  assert.deepEqual(differences({ l: [1] }, { l: [1, 2] }), [
    { path: "/l", before: [1], after: [1, 2] },
  ]);
});
