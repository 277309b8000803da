import assert from "node:assert/strict";
import { test } from "node:test";
import { Drawing } from "./drawing.ts";
import { type Extract, extracted, extractOf, replaceOps } from "./extract.ts";
import type { GraphNode } from "./graph.ts";
import { apply } from "./ops.ts";

function line(): Drawing {
  const node = (id: string, text = ""): GraphNode => ({
    id,
    key: id,
    kind: "set",
    config: { text },
  });
  return new Drawing({
    signalbox: 1,
    nodes: [node("s"), node("a"), node("b", "nodes.a.x"), node("z", "nodes.b.x"), node("y")],
    edges: [
      { id: "sa", from: "s", port: "success", to: "a" },
      { id: "ab", from: "a", port: "success", to: "b" },
      { id: "bz", from: "b", port: "success", to: "z" },
      { id: "sy", from: "s", port: "success", to: "y" },
    ],
    layout: { nodes: { a: { x: 400, y: 80 }, b: { x: 700, y: 80 } } },
  });
}

const mentions = (node: GraphNode, key: string): boolean =>
  JSON.stringify(node.config ?? {}).includes(`nodes.${key}.`);

function part(d: Drawing, ids: readonly string[]): Extract {
  const found = extractOf(d, ids, mentions);
  if ("why" in found) assert.fail(found.why);
  return found;
}

test("steps in a row become a workflow that starts by hand, and one step stands for them", () => {
  const d = line();
  const before = d.graph();
  const found = part(d, ["a", "b"]);
  assert.equal(found.exit?.id, "b");
  const graph = extracted(d, found, "Part", "new");
  assert.deepEqual(
    graph.nodes.map((n) => n.kind),
    ["manual", "set", "set"],
  );
  assert.deepEqual(
    graph.edges.map((e) => `${e.from}>${e.to}`),
    ["a>b", "new>a"],
  );
  assert.deepEqual(graph.layout.nodes?.["new"], { x: 80, y: 80 });
  const call = { key: "part", kind: "call", x: 400, y: 80 };
  const inverse = apply(d, replaceOps(d, found, call, "c"));
  assert.deepEqual([...d.edges.values()].map((e) => `${e.from}>${e.to}`).sort(), [
    "c>z",
    "s>c",
    "s>y",
  ]);
  apply(d, inverse);
  assert.deepEqual([...d.nodes.keys()].sort(), before.nodes.map((n) => n.id).sort());
});

const refused: readonly (readonly [string, readonly string[], string])[] = [
  ["two ways in", ["a", "y"], "entries"],
  ["what is outside is used inside", ["b"], "uses"],
  ["two ways out", ["s", "a"], "exits"],
  ["nothing is chosen", [], "nothing"],
];

for (const [name, ids, why] of refused) {
  test(`not taken out: ${name}`, () => {
    const found = extractOf(line(), ids, mentions);
    assert.equal("why" in found ? found.why : "", why);
  });
}

test("not taken out: what is inside is used outside, and is not the result", () => {
  const d = line();
  apply(d, [{ op: "node.set", id: "z", path: "/config/text", value: "nodes.a.x" }]);
  assert.deepEqual(extractOf(d, ["a", "b"], mentions), { why: "used", keys: ["a"] });
});
