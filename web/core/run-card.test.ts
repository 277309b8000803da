import assert from "node:assert/strict";
import { test } from "node:test";
import { pictureOf, roomAt } from "./run-card.ts";

test("a pill has the room up to the nearest card at its height", () => {
  const cards = [
    { x: 0, y: 0, w: 200, h: 80 },
    { x: 300, y: 0, w: 200, h: 80 },
    { x: 240, y: 300, w: 20, h: 80 },
  ];
  assert.equal(roomAt(250, 28, cards), 84);
  assert.equal(roomAt(280, 28, cards), 24);
  assert.equal(roomAt(250, 200, cards), Number.POSITIVE_INFINITY);
  assert.ok(roomAt(100, 40, cards) < 0, "on a card there is none");
  assert.ok(roomAt(100, 90, cards) < 0, "nor just below it");
});

test("a line has what people wrote on it", () => {
  const node = (id: string) => ({ id, key: id, kind: "mock" });
  const { lines } = pictureOf(
    {
      signalbox: 1,
      name: "",
      nodes: [node("a"), node("b")],
      edges: [
        { id: "1", from: "a", port: "success", to: "b", label: "yes" },
        { id: "2", from: "b", port: "success", to: "a" },
      ],
      layout: { nodes: {} },
    },
    [],
  );
  assert.deepEqual(
    lines.map((l) => l.label),
    ["yes", ""],
  );
});
