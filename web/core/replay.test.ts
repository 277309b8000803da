import assert from "node:assert/strict";
import { test } from "node:test";
import { Drawing } from "./drawing.ts";
import type { JoinMode } from "./graph.ts";
import { momentAfter } from "./replay.ts";

function meeting(mode: JoinMode): Drawing {
  return new Drawing({
    signalbox: 1,
    nodes: [
      { id: "s", key: "s", kind: "manual" },
      { id: "a", key: "a", kind: "if" },
      { id: "b", key: "b", kind: "set" },
      { id: "m", key: "m", kind: "set", join: { mode } },
    ],
    edges: [
      { id: "sa", from: "s", port: "success", to: "a" },
      { id: "sb", from: "s", port: "success", to: "b" },
      { id: "am", from: "a", port: "true", to: "m" },
      { id: "bm", from: "b", port: "success", to: "m" },
    ],
    layout: {},
  });
}

const way = [
  { node: "s", port: "success" },
  { node: "a", port: "true" },
  { node: "b", port: "success" },
  { node: "m", port: "success" },
];

test("a choice takes the tokens before it and puts one on every edge of its port", () => {
  const d = meeting("all");
  assert.deepEqual(
    [...momentAfter(d, way, 1).tokens],
    [
      ["sa", 1],
      ["sb", 1],
    ],
  );
  const two = momentAfter(d, way, 2);
  assert.deepEqual(
    [...two.tokens],
    [
      ["sb", 1],
      ["am", 1],
    ],
  );
  assert.deepEqual(
    two.moved.map((e) => e.id),
    ["am"],
  );
  assert.deepEqual([...two.done], ["s", "a"]);
  assert.deepEqual([...momentAfter(d, way, 4).tokens], []);
});

test("a port without an edge leaves nothing behind", () => {
  const stuck = [way[0], { node: "a", port: "false" }, way[2]].filter((c) => c !== undefined);
  const end = momentAfter(meeting("all"), stuck, 3);
  assert.deepEqual([...end.tokens], [["bm", 1]]);
  assert.deepEqual([...end.taken].sort(), ["bm", "sa", "sb"]);
});

test("a step that starts for each takes one token at a time", () => {
  assert.deepEqual([...momentAfter(meeting("each"), way, 4).tokens], [["bm", 1]]);
});
