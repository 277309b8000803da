import assert from "node:assert/strict";
import { test } from "node:test";
import { clipOf, paste } from "./clip.ts";
import { Drawing } from "./drawing.ts";
import {
  enterOps,
  FRAME,
  fitting,
  frameBox,
  outermost,
  transactionOf,
  withContent,
} from "./frame.ts";
import { apply } from "./ops.ts";
import { readingOrder } from "./walk.ts";

function boxes(): Drawing {
  return new Drawing({
    signalbox: 1,
    nodes: [
      { id: "s", key: "s", kind: "webhook" },
      { id: "g", key: "g", kind: "group", config: { transaction: true } },
      { id: "a", key: "a", kind: "http", in: "g" },
      { id: "b", key: "b", kind: "http", in: "g" },
      { id: "h", key: "h", kind: "map", in: "g" },
      { id: "c", key: "c", kind: "set", in: "h" },
      { id: "z", key: "z", kind: "end" },
    ],
    edges: [
      { id: "sg", from: "s", port: "success", to: "g" },
      { id: "ab", from: "a", port: "success", to: "b" },
      { id: "bh", from: "b", port: "success", to: "h" },
      { id: "gz", from: "g", port: "success", to: "z" },
    ],
    layout: {
      nodes: {
        g: { x: 100, y: 0 },
        a: { x: 124, y: 72 },
        b: { x: 400, y: 72 },
        h: { x: 700, y: 72 },
        c: { x: 724, y: 144 },
        z: { x: 1200, y: 0 },
      },
    },
  });
}

test("a frame without a size fits its content; one with a size never cuts it off", () => {
  const body = { x: 100, y: 100, w: 300, h: 60 };
  assert.deepEqual(frameBox({ x: 5, y: 6 }, undefined), {
    x: 5,
    y: 6,
    w: FRAME.width,
    h: FRAME.height,
  });
  assert.deepEqual(frameBox({ x: 5, y: 6 }, body), fitting(body));
  assert.deepEqual(frameBox({ x: 0, y: 0, w: 900, h: 500 }, body), { x: 0, y: 0, w: 900, h: 500 });
  const grown = frameBox({ x: 90, y: 90, w: 250, h: 100 }, body);
  assert.deepEqual([grown.x, grown.y], [76, 28]);
  assert.ok(grown.x + grown.w >= 424 && grown.y + grown.h >= 184);
});

test("content goes with its container, and the outermost stand for all", () => {
  const d = boxes();
  assert.deepEqual([...withContent(d, ["g"])].sort(), ["a", "b", "c", "g", "h"]);
  assert.deepEqual(outermost(d, ["c", "g", "z", "a"]).sort(), ["g", "z"]);
  assert.equal(transactionOf(d, "c"), "g");
  assert.equal(transactionOf(d, "z"), undefined);
  d.transaction = true;
  assert.equal(transactionOf(d, "z"), "");
});

test("who leaves a container loses the lines that would cross its border, and undo brings them back", () => {
  const d = boxes();
  const before = d.graph();
  const inverse = apply(d, enterOps(d, ["b"], ""));
  assert.equal(d.parent("b"), undefined);
  assert.deepEqual([...d.edges.keys()].sort(), ["gz", "sg"]);
  apply(d, inverse);
  assert.equal(d.parent("b"), "g");
  assert.deepEqual([...d.edges.keys()].sort(), before.edges.map((e) => e.id).sort());
});

test("lines between those that go together stay", () => {
  const d = boxes();
  apply(d, enterOps(d, ["a", "b", "h"], ""));
  assert.deepEqual([...d.edges.keys()].sort(), ["ab", "bh", "gz", "sg"]);
  assert.equal(d.parent("c"), "h");
});

test("a copy of a container has copies of its content in it, at any depth", () => {
  const d = boxes();
  let n = 0;
  const made = paste(d, clipOf(d, ["g"], []), { newId: () => `new${++n}`, into: "" });
  apply(d, made.ops);
  const copy = made.ops.find((op) => op.op === "node.add");
  const top = copy?.id ?? "";
  assert.equal(d.nodes.get(top)?.kind, "group");
  assert.equal(d.parent(top), undefined);
  assert.deepEqual([...d.inside(top)].map((id) => d.nodes.get(id)?.kind).sort(), [
    "http",
    "http",
    "map",
    "set",
  ]);
  assert.equal(d.edges.size, 6);
});

test("what is pasted stands where it is put: in a container, in none, or beside its original", () => {
  const d = boxes();
  let n = 0;
  const newId = (): string => `new${++n}`;
  const scope = (into: string | undefined): string | undefined => {
    const made = paste(d, clipOf(d, ["a"], []), { newId, into });
    apply(d, made.ops);
    return d.parent(made.nodes[0] ?? "");
  };
  assert.equal(scope("h"), "h");
  assert.equal(scope(""), undefined);
  assert.equal(scope(undefined), "g");
});

test("a container is read before what stands in it, and that before what follows", () => {
  assert.deepEqual(readingOrder(boxes()), ["s", "g", "a", "b", "h", "c", "z"]);
});
