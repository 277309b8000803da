import assert from "node:assert/strict";
import { test } from "node:test";
import { Drawing } from "./drawing.ts";
import type { Box } from "./geometry.ts";
import type { Direction } from "./walk.ts";
import { alongEdges, downstream, nearestToward, readingOrder, upstream } from "./walk.ts";

const box = (x: number, y: number): Box => ({ x, y, w: 200, h: 56 });

const boxes = new Map<string, Box>([
  ["mid", box(0, 0)],
  ["right", box(300, 20)],
  ["far", box(900, 0)],
  ["aside", box(300, 500)],
  ["below", box(10, 200)],
  ["left", box(-300, -30)],
]);

const ways: readonly (readonly [Direction, string | undefined])[] = [
  ["right", "right"],
  ["left", "left"],
  ["down", "below"],
  ["up", undefined],
];

for (const [direction, want] of ways) {
  test(`the nearest card ${direction} of the middle is ${want ?? "none"}`, () => {
    const others = [...boxes].filter(([id]) => id !== "mid");
    assert.equal(nearestToward(box(0, 0), direction, others), want);
  });
}

const fork = new Drawing({
  signalbox: 1,
  nodes: ["s", "r", "low", "high", "j", "lone"].map((id) => ({ id, key: id, kind: "set" })),
  edges: [
    { id: "1", from: "s", port: "success", to: "r" },
    { id: "2", from: "r", port: "low", to: "low" },
    { id: "3", from: "r", port: "high", to: "high" },
    { id: "4", from: "low", port: "success", to: "j" },
    { id: "5", from: "high", port: "success", to: "j" },
    { id: "6", from: "j", port: "again", to: "r" },
  ],
  layout: {
    nodes: {
      s: { x: 0, y: 0 },
      r: { x: 300, y: 0 },
      high: { x: 600, y: -100 },
      low: { x: 600, y: 100 },
      j: { x: 900, y: 0 },
      lone: { x: -500, y: 900 },
    },
  },
});

test("edges are followed from top to bottom", () => {
  assert.deepEqual(alongEdges(fork, "r", true), ["high", "low"]);
  assert.deepEqual(alongEdges(fork, "r", false), ["s", "j"]);
});

test("streams go through cycles once", () => {
  assert.deepEqual([...downstream(fork, ["high"])].sort(), ["high", "j", "low", "r"]);
  assert.deepEqual([...upstream(fork, ["s"])], ["s"]);
  assert.equal(upstream(fork, ["j"]).size, 5);
});

test("reading goes from the starts along the edges and forgets nobody", () => {
  assert.deepEqual(readingOrder(fork), ["lone", "s", "r", "high", "low", "j"]);
  const ring = new Drawing({
    signalbox: 1,
    nodes: ["a", "b"].map((id) => ({ id, key: id, kind: "set" })),
    edges: [
      { id: "1", from: "a", port: "p", to: "b" },
      { id: "2", from: "b", port: "p", to: "a" },
    ],
    layout: { nodes: { a: { x: 0, y: 0 }, b: { x: 9, y: 0 } } },
  });
  assert.deepEqual(readingOrder(ring), ["a", "b"]);
});
