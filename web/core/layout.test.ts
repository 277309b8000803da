import assert from "node:assert/strict";
import { test } from "node:test";
import { Drawing } from "./drawing.ts";
import { frameBox } from "./frame.ts";
import { type Point, union } from "./geometry.ts";
import type { LayoutEdge, LayoutNode } from "./layout.ts";
import { layered } from "./layout.ts";
import { apply } from "./ops.ts";
import { dice } from "./random-graph.ts";
import { tidy } from "./tidy.ts";

function node(id: string, h = 56): LayoutNode {
  return { id, w: 208, h };
}

function edge(from: string, to: string, out = 28): LayoutEdge {
  return { from, to, out, into: 28 };
}

function at(places: ReadonlyMap<string, Point>, id: string): Point {
  const found = places.get(id);
  assert.ok(found, `${id} has a place`);
  return found;
}

test("a line of steps runs from left to right at one height", () => {
  const places = layered([node("c"), node("b"), node("a")], [edge("a", "b"), edge("b", "c")]);
  assert.deepEqual(
    ["a", "b", "c"].map((id) => at(places, id).y),
    [0, 0, 0],
  );
  assert.ok(at(places, "a").x < at(places, "b").x);
  assert.ok(at(places, "b").x < at(places, "c").x);
});

test("branches stand in the order of their ports", () => {
  const nodes = [node("r", 150), node("low"), node("high")];
  const places = layered(nodes, [edge("r", "low", 120), edge("r", "high", 70)]);
  assert.ok(at(places, "high").y < at(places, "low").y);
});

test("an edge that leads back does not change the direction", () => {
  const places = layered(
    [node("a"), node("b"), node("c")],
    [edge("a", "b"), edge("b", "c"), edge("c", "a")],
  );
  assert.ok(at(places, "a").x < at(places, "b").x && at(places, "b").x < at(places, "c").x);
});

test("parts that hang together with nothing stand apart", () => {
  const places = layered([node("a"), node("b"), node("lone")], [edge("a", "b")]);
  assert.ok(at(places, "lone").y >= at(places, "a").y + 56);
});

test("no two cards lie on each other, and the same drawing is laid out the same", () => {
  for (let seed = 1; seed <= 60; seed++) {
    const { nodes, edges } = random(seed, 40);
    const places = layered(nodes, edges);
    assert.equal(places.size, nodes.length);
    for (const [i, a] of nodes.entries()) {
      for (const b of nodes.slice(i + 1)) {
        const p = at(places, a.id);
        const q = at(places, b.id);
        const apart = p.x + a.w <= q.x || q.x + b.w <= p.x || p.y + a.h <= q.y || q.y + b.h <= p.y;
        assert.ok(apart, `seed ${seed}: ${a.id} lies on ${b.id}`);
      }
    }
    assert.deepEqual([...layered(nodes, edges)], [...places], `seed ${seed}`);
  }
});

test("without time a layout is still complete", () => {
  const { nodes, edges } = random(7, 200);
  assert.equal(layered(nodes, edges, { left: () => 0 }).size, 200);
});

test("the budget is asked for often: a large drawing stops soon after it is used up", () => {
  const { nodes, edges } = random(3, 1_000);
  for (const [i, n] of nodes.entries()) edges.push(edge(nodes[i >> 1]?.id ?? "n0", n.id));
  let asked = 0;
  layered(nodes, edges, { left: () => 5 - asked++ });
  assert.ok(asked >= 5 && asked <= 12, `asked ${asked} times`);
});

function random(seed: number, size: number): { nodes: LayoutNode[]; edges: LayoutEdge[] } {
  const roll = dice(seed);
  const nodes = Array.from({ length: size }, (_, i) => node(`n${i}`, roll() < 0.3 ? 150 : 56));
  const edges: LayoutEdge[] = [];
  for (let i = 0; i < size * 1.3; i++) {
    edges.push(
      edge(
        `n${Math.floor(roll() * size)}`,
        `n${Math.floor(roll() * size)}`,
        28 + Math.floor(roll() * 60),
      ),
    );
  }
  return { nodes, edges };
}

test("tidy arranges containers from the inside out and keeps what stands in them", () => {
  const d = new Drawing({
    signalbox: 1,
    nodes: [
      { id: "s", key: "s", kind: "http" },
      { id: "g", key: "g", kind: "group" },
      { id: "a", key: "a", kind: "http", in: "g" },
      { id: "b", key: "b", kind: "http", in: "g" },
      { id: "z", key: "z", kind: "http" },
    ],
    edges: [
      { id: "sg", from: "s", port: "success", to: "g" },
      { id: "ab", from: "a", port: "success", to: "b" },
      { id: "gz", from: "g", port: "success", to: "z" },
    ],
    layout: { nodes: { s: { x: 0, y: 0 }, a: { x: 900, y: 40 }, b: { x: 900, y: 40 } } },
  });
  apply(
    d,
    tidy(d, () => undefined),
  );
  const box = (id: string) => ({ ...d.place(id), w: 208, h: 56 });
  const frame = frameBox(d.place("g"), union([box("a"), box("b")]));
  assert.ok(d.place("b").x >= d.place("a").x + 208, "in a row");
  assert.ok(frame.x >= d.place("s").x + 208, "the frame lies behind its start");
  assert.ok(d.place("z").x >= frame.x + frame.w, "and before what follows");
  assert.deepEqual(
    tidy(d, () => undefined),
    [],
  );
});
