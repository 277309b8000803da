import assert from "node:assert/strict";
import { test } from "node:test";
import type { Clip } from "./clip.ts";
import { clipOf, endsOf, graphOf } from "./snippet.ts";

const clip: Clip = {
  signalbox_clip: 1,
  nodes: [
    { id: "a", key: "a", kind: "http", x: 0, y: 0, in: "elsewhere", pin: { secret: 1 } },
    { id: "b", key: "b", kind: "group", x: 300, y: 0, title: "Hold" },
    { id: "c", key: "c", kind: "set", x: 340, y: 80, in: "b" },
    { id: "u", key: "u", kind: "http", x: 900, y: 0 },
  ],
  edges: [
    { id: "e1", from: "a", port: "success", to: "b" },
    { id: "e2", from: "a", port: "compensate", to: "u" },
  ],
  outside: [{ id: "o", from: "x", port: "success", to: "a" }],
  notes: [{ id: "n", x: 1, y: 2, w: 3, h: 4, text: "Hi" }],
};

test("what is kept has no pins, no ends elsewhere, and its own containers", () => {
  const graph = graphOf(clip, "Mine");
  assert.deepEqual(graph.nodes, [
    { id: "a", key: "a", kind: "http" },
    { id: "b", key: "b", kind: "group" },
    { id: "c", key: "c", kind: "set", in: "b" },
    { id: "u", key: "u", kind: "http" },
  ]);
  assert.equal(JSON.stringify(graph).includes("secret"), false);
  assert.equal(graph.edges.length, 2);
  assert.deepEqual(graph.layout.notes, { n: { x: 1, y: 2, w: 3, h: 4, text: "Hi" } });
});

test("what was kept comes back as copied steps", () => {
  const back = clipOf(graphOf(clip, "Mine"));
  assert.deepEqual(back.nodes[1], {
    id: "b",
    key: "b",
    kind: "group",
    x: 300,
    y: 0,
    title: "Hold",
  });
  assert.deepEqual(back.notes, clip.notes);
  assert.deepEqual(back.outside, []);
});

test("it is entered where nothing leads to, and left on the right; what undoes is neither", () => {
  const back = clipOf(graphOf(clip, "Mine"));
  assert.deepEqual(
    endsOf(back, () => "success"),
    { entry: "a", exit: "b" },
  );
  assert.deepEqual(
    endsOf(back, () => undefined),
    { entry: "a", exit: undefined },
  );
});
