import assert from "node:assert/strict";
import { test } from "node:test";
import { Drawing } from "./drawing.ts";
import type { Op } from "./graph.ts";
import { dissolveOps, wrapOps, wrappable } from "./group.ts";
import { apply } from "./ops.ts";

function line(): Drawing {
  return new Drawing({
    signalbox: 1,
    nodes: ["s", "a", "b", "u", "z", "y"].map((id) => ({ id, key: id, kind: "http" })),
    edges: [
      { id: "sa", from: "s", port: "success", to: "a" },
      { id: "ab", from: "a", port: "success", to: "b" },
      { id: "au", from: "a", port: "compensate", to: "u" },
      { id: "bz", from: "b", port: "success", to: "z" },
      { id: "by", from: "b", port: "failure", to: "y" },
      { id: "ay", from: "a", port: "failure", to: "y" },
    ],
    layout: {},
  });
}

const words = (d: Drawing): string[] =>
  [...d.edges.values()].map((e) => `${e.from}.${e.port}>${e.to}`).sort();

function wrap(d: Drawing, ids: readonly string[]): readonly Op[] {
  let n = 0;
  const chosen = wrappable(d, ids);
  const group: Op = { op: "node.add", id: "g", value: { key: "g", kind: "group", x: 0, y: 0 } };
  return apply(d, [group, ...wrapOps(d, chosen, "g", () => `new${++n}`)]);
}

test("wrapping leads the lines at the border to the container's ports, each once", () => {
  const d = line();
  const before = words(d);
  const inverse = wrap(d, ["a", "b"]);
  assert.deepEqual([...d.held("g")].sort(), ["a", "b", "u"]);
  assert.deepEqual(words(d), [
    "a.compensate>u",
    "a.success>b",
    "g.failure>y",
    "g.success>z",
    "s.success>g",
  ]);
  apply(d, inverse);
  assert.deepEqual(words(d), before);
  assert.equal(d.parent("a"), undefined);
});

test("taking a container apart joins what led to it with its entries, and its ends with what followed", () => {
  const d = line();
  wrap(d, ["a", "b"]);
  let n = 0;
  const inverse = apply(
    d,
    dissolveOps(d, "g", () => `back${++n}`),
  );
  assert.equal(d.nodes.has("g"), false);
  assert.deepEqual(words(d), ["a.compensate>u", "a.success>b", "b.success>z", "s.success>a"]);
  apply(d, inverse);
  assert.deepEqual([...d.held("g")].sort(), ["a", "b", "u"]);
});

test("only steps of one scope are wrapped together", () => {
  const d = line();
  wrap(d, ["a", "b"]);
  assert.deepEqual(wrappable(d, ["z", "a"]), ["z"]);
  assert.deepEqual(wrappable(d, ["g", "a"]), ["g"]);
});
