import assert from "node:assert/strict";
import { test } from "node:test";
import { Drawing } from "./drawing.ts";
import { apply } from "./ops.ts";
import type { Change } from "./touch.ts";
import { Undo } from "./undo.ts";

function bench() {
  const drawing = new Drawing({
    signalbox: 1,
    nodes: [
      { id: "a", key: "a", kind: "set" },
      { id: "b", key: "b", kind: "set" },
    ],
    edges: [],
    layout: { nodes: { a: { x: 0, y: 0 }, b: { x: 0, y: 0 } } },
  });
  const undo = new Undo();
  return {
    drawing,
    undo,
    me(label: string, ops: readonly Change[], merge?: string) {
      undo.did(label, ops, apply(drawing, ops), merge);
    },
    them(ops: readonly Change[]) {
      apply(drawing, ops);
      undo.theirs(ops);
    },
    back: () => undo.undo((s) => apply(drawing, s.ops)),
    forth: () => undo.redo((s) => apply(drawing, s.ops)),
  };
}

const title = (id: string, value: string): Change => ({
  op: "node.set",
  id,
  path: "/title",
  value,
});

test("a gesture is taken back and made again as one", () => {
  const b = bench();
  b.me("Move 2", [
    { op: "node.move", id: "a", value: { x: 8, y: 8 } },
    { op: "node.move", id: "b", value: { x: 16, y: 8 } },
  ]);
  assert.equal(b.back()?.label, "Move 2");
  assert.deepEqual([b.drawing.place("a").x, b.drawing.place("b").x], [0, 0]);
  b.forth();
  assert.deepEqual([b.drawing.place("a").x, b.drawing.place("b").x], [8, 16]);
});

test("typing in one field is one step", () => {
  const b = bench();
  for (const text of ["h", "he", "hey"]) b.me("Rename", [title("a", text)], "a/title");
  b.back();
  assert.equal(b.drawing.place("a").title, undefined);
  assert.equal(b.back(), undefined);
});

test("after a pause typing in the same field is another step", () => {
  const b = bench();
  b.me("Rename", [title("a", "one")], "a/title");
  b.undo.seal();
  b.me("Rename", [title("a", "two")], "a/title");
  b.back();
  assert.equal(b.drawing.place("a").title, "one");
});

test("what somebody else wrote since is left alone, and said", () => {
  const b = bench();
  b.me("Rename two", [title("a", "mine"), title("b", "mine")]);
  b.them([title("a", "theirs")]);
  const step = b.back();
  assert.equal(step?.skipped, 1);
  assert.equal(b.drawing.place("a").title, "theirs");
  assert.equal(b.drawing.place("b").title, undefined);
});

test("a step that somebody else has worked on is not deleted by an undo", () => {
  const b = bench();
  b.me("Add", [{ op: "node.add", id: "n", value: { key: "n", kind: "set", x: 0, y: 0 } }]);
  b.them([{ op: "node.set", id: "n", path: "/config/x", value: 1 }]);
  assert.equal(b.back()?.ops.length, 0);
  assert.ok(b.drawing.nodes.has("n"));
});

test("an undo that no longer fits changes nothing", () => {
  const b = bench();
  b.me("Connect", [{ op: "edge.add", id: "e", value: { from: "a", port: "success", to: "b" } }]);
  const step = b.undo.undo(() => undefined);
  assert.equal(step?.ops.length, 0);
  assert.ok(b.drawing.edges.has("e"));
});

test("a new gesture ends redo", () => {
  const b = bench();
  b.me("Rename", [title("a", "one")]);
  b.back();
  b.me("Rename", [title("a", "two")]);
  assert.equal(b.forth(), undefined);
});
