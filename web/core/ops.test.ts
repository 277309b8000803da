import assert from "node:assert/strict";
import { test } from "node:test";
import { Drawing } from "./drawing.ts";
import type { Graph, Op } from "./graph.ts";
import { apply, OpError } from "./ops.ts";
import { dice, randomGraph, randomOps } from "./random-graph.ts";

// Order is no part of a drawing's meaning: what a gesture deletes and its undo
// restores stands at the end of the list.
function sorted(g: Graph): Graph {
  const byId = (a: { id: string }, b: { id: string }): number => a.id.localeCompare(b.id);
  return { ...g, nodes: g.nodes.toSorted(byId), edges: g.edges.toSorted(byId) };
}

function one(): Drawing {
  return new Drawing({
    signalbox: 1,
    nodes: [
      { id: "a", key: "a", kind: "webhook" },
      { id: "b", key: "b", kind: "http", config: { url: "x", headers: { q: 1 }, list: [1, 2, 3] } },
      { id: "c", key: "c", kind: "end" },
    ],
    edges: [
      { id: "ab", from: "a", port: "success", to: "b" },
      { id: "bc", from: "b", port: "success", to: "c" },
      { id: "bb", from: "b", port: "failure", to: "b" },
    ],
    layout: { nodes: { b: { x: 8, y: 16, title: "Fetch", pin: null } }, notes: {} },
  });
}

test("a batch and its inverse leave a random drawing as it was", () => {
  for (let seed = 1; seed <= 300; seed++) {
    const random = dice(seed);
    const drawing = new Drawing(randomGraph(random));
    const before = sorted(drawing.graph());
    const ops = randomOps(random, drawing, 1 + Math.floor(random() * 12));
    const inverse = apply(drawing, ops);
    const after = sorted(drawing.graph());
    const again = apply(drawing, inverse);
    assert.deepEqual(sorted(drawing.graph()), before, `seed ${seed}: undo`);
    apply(drawing, again);
    assert.deepEqual(sorted(drawing.graph()), after, `seed ${seed}: redo`);
  }
});

test("a batch with a bad operation changes nothing and names the operation", () => {
  for (let seed = 1; seed <= 100; seed++) {
    const random = dice(seed);
    const drawing = new Drawing(randomGraph(random));
    const before = sorted(drawing.graph());
    const good = randomOps(random, drawing, 5);
    const ops: Op[] = [...good, { op: "node.move", id: "nobody", value: { x: 0, y: 0 } }];
    assert.throws(
      () => apply(drawing, ops),
      (fault) => fault instanceof OpError && fault.index === good.length,
    );
    assert.deepEqual(sorted(drawing.graph()), before, `seed ${seed}`);
  }
});

test("deleting a node takes its edges, and undo brings them back", () => {
  const d = one();
  const inverse = apply(d, [{ op: "node.del", id: "b" }]);
  assert.deepEqual([...d.edges.keys()], []);
  assert.equal(d.out("a").size, 0);
  apply(d, inverse);
  assert.deepEqual([...d.edges.keys()].sort(), ["ab", "bb", "bc"]);
  assert.deepEqual(d.place("b"), { x: 8, y: 16, title: "Fetch", pin: null });
});

test("a container goes with what stands in it, and comes back with it", () => {
  const d = new Drawing({
    signalbox: 1,
    nodes: [
      { id: "g", key: "g", kind: "group" },
      { id: "a", key: "a", kind: "http", in: "g" },
      { id: "h", key: "h", kind: "group", in: "g" },
      { id: "b", key: "b", kind: "http", in: "h" },
      { id: "c", key: "c", kind: "end" },
    ],
    edges: [
      { id: "ah", from: "a", port: "success", to: "h" },
      { id: "gc", from: "g", port: "success", to: "c" },
    ],
    layout: { nodes: { g: { x: 1, y: 2, w: 400, h: 300 }, h: { x: 3, y: 4, folded: true } } },
  });
  const before = sorted(d.graph());
  const inverse = apply(d, [{ op: "node.del", id: "g" }]);
  assert.deepEqual([...d.nodes.keys()], ["c"]);
  assert.deepEqual([...d.edges.keys()], []);
  apply(d, inverse);
  assert.deepEqual(sorted(d.graph()), before);
  assert.deepEqual([...d.inside("g")].sort(), ["a", "b", "h"]);
});

const nestings: readonly {
  readonly name: string;
  readonly ops: readonly Op[];
  readonly fault: RegExp;
}[] = [
  {
    name: "a container cannot stand in itself",
    ops: [{ op: "node.set", id: "a", path: "/in", value: "a" }],
    fault: /in itself/,
  },
  {
    name: "nor in what stands in it",
    ops: [
      { op: "node.set", id: "b", path: "/in", value: "a" },
      { op: "node.set", id: "a", path: "/in", value: "b" },
    ],
    fault: /in itself/,
  },
  {
    name: "it has to be there",
    ops: [{ op: "node.set", id: "a", path: "/in", value: "gone" }],
    fault: /not there/,
  },
];

for (const c of nestings) {
  test(`containers: ${c.name}`, () => {
    const d = one();
    const before = d.graph();
    assert.throws(() => apply(d, c.ops), c.fault);
    assert.deepEqual(d.graph(), before);
  });
}

type Case = {
  readonly name: string;
  readonly op: Op;
  readonly config?: unknown;
  readonly inverse?: Op;
  readonly fault?: RegExp;
};

const cases: readonly Case[] = [
  {
    name: "a field is set",
    op: { op: "node.set", id: "b", path: "/config/url", value: "y" },
    config: { url: "y", headers: { q: 1 }, list: [1, 2, 3] },
    inverse: { op: "node.set", id: "b", path: "/config/url", value: "x" },
  },
  {
    name: "objects are made on the way, and the topmost goes on undo",
    op: { op: "node.set", id: "b", path: "/config/auth/basic/user", value: "me" },
    config: { url: "x", headers: { q: 1 }, list: [1, 2, 3], auth: { basic: { user: "me" } } },
    inverse: { op: "node.set", id: "b", path: "/config/auth" },
  },
  {
    name: "an absent value removes",
    op: { op: "node.set", id: "b", path: "/config/headers/q" },
    config: { url: "x", headers: {}, list: [1, 2, 3] },
    inverse: { op: "node.set", id: "b", path: "/config/headers/q", value: 1 },
  },
  {
    name: "a change in a list sets the whole list back",
    op: { op: "node.set", id: "b", path: "/config/list/1" },
    config: { url: "x", headers: { q: 1 }, list: [1, 3] },
    inverse: { op: "node.set", id: "b", path: "/config/list", value: [1, 2, 3] },
  },
  {
    name: "a dash adds to a list",
    op: { op: "node.set", id: "b", path: "/config/list/-", value: 4 },
    config: { url: "x", headers: { q: 1 }, list: [1, 2, 3, 4] },
    inverse: { op: "node.set", id: "b", path: "/config/list", value: [1, 2, 3] },
  },
  {
    name: "names are escaped",
    op: { op: "node.set", id: "b", path: "/config/headers/a~1b~0c", value: 1 },
    config: { url: "x", headers: { q: 1, "a/b~c": 1 }, list: [1, 2, 3] },
    inverse: { op: "node.set", id: "b", path: "/config/headers/a~1b~0c" },
  },
  {
    name: "a list has no item beyond its end",
    op: { op: "node.set", id: "b", path: "/config/list/3", value: 4 },
    fault: /no item/,
  },
  {
    name: "nothing can be set inside a text",
    op: { op: "node.set", id: "b", path: "/config/url/x", value: 4 },
    fault: /not an object/,
  },
  {
    name: "a configuration is an object",
    op: { op: "node.set", id: "b", path: "/config", value: [] },
    fault: /object/,
  },
  {
    name: "a key is taken",
    op: { op: "node.set", id: "b", path: "/key", value: "a" },
    fault: /already/,
  },
  {
    name: "a key is reserved",
    op: { op: "node.set", id: "b", path: "/key", value: "input" },
    fault: /reserved/,
  },
  {
    name: "an unknown place",
    op: { op: "node.set", id: "b", path: "/colour", value: 1 },
    fault: /nothing to set/,
  },
  {
    name: "two nodes are joined once",
    op: { op: "edge.add", id: "new", value: { from: "a", port: "success", to: "b" } },
    fault: /already connected/,
  },
  {
    name: "an edge does not become another's double",
    op: { op: "edge.set", id: "bb", path: "/to", value: "gone" },
    fault: /not there/,
  },
  {
    name: "a title has no character that turns the writing",
    op: { op: "node.set", id: "b", path: "/title", value: "ab\u202Ecd" },
    fault: /control/,
  },
  {
    name: "a place is a whole number",
    op: { op: "node.move", id: "b", value: { x: 0.5, y: 1 } },
    fault: /whole/,
  },
];

for (const c of cases) {
  test(`node.set and others: ${c.name}`, () => {
    const d = one();
    if (c.fault !== undefined) {
      assert.throws(() => apply(d, [c.op]), c.fault);
      return;
    }
    assert.deepEqual(apply(d, [c.op]), [c.inverse]);
    assert.deepEqual(d.nodes.get("b")?.config, c.config);
  });
}

test("a member with a strange name stays a member", () => {
  const d = one();
  apply(d, [{ op: "node.set", id: "b", path: "/config/__proto__", value: { polluted: true } }]);
  assert.equal(({} as { polluted?: boolean }).polluted, undefined);
  assert.match(JSON.stringify(d.nodes.get("b")?.config), /"__proto__":\{"polluted":true\}/);
});

test("an edge carries a label, which is kept when it is deleted and comes back", () => {
  const drawing = one();
  const undo = apply(drawing, [{ op: "edge.set", id: "bc", path: "/label", value: "paid" }]);
  assert.equal(drawing.edges.get("bc")?.label, "paid");
  const back = apply(drawing, [{ op: "edge.del", id: "bc" }]);
  apply(drawing, back);
  assert.equal(drawing.edges.get("bc")?.label, "paid");
  apply(drawing, undo);
  assert.equal("label" in (drawing.edges.get("bc") ?? {}), false);
  const long = { op: "edge.set", id: "bc", path: "/label", value: "x".repeat(61) } as const;
  assert.throws(() => apply(drawing, [long]), OpError);
});
