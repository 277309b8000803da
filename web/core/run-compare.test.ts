import assert from "node:assert/strict";
import { test } from "node:test";
import type { CompareRow, CompareSide } from "./run-compare.ts";
import { differs, edgesOf, nodesOf } from "./run-compare.ts";
import { shapeOf } from "./run-state.ts";

const side = (...ports: readonly string[]): CompareSide => ({
  first: 1,
  last: 2,
  start_ms: 0,
  took_ms: 1,
  outcome: "done",
  attempts: 1,
  ports,
  size: 0,
});
const row = (
  node: string,
  a: CompareSide | undefined,
  b: CompareSide | undefined,
  sameWay: boolean,
  sameData: boolean,
  visit = 1,
): CompareRow => ({ node, visit, a, b, same_way: sameWay, same_data: sameData });

const rows: readonly CompareRow[] = [
  row("start", side("success"), side("success"), true, true),
  row("pick", side("fast"), side("slow"), false, true),
  row("quick", side("success"), undefined, false, false),
  row("calm", undefined, side("success"), false, false),
  row("end", side(), side(), true, true),
  row("end", side(), side(), true, false, 2),
];

test("a step shows the gravest of what its visits show", () => {
  assert.deepEqual(Object.fromEntries(nodesOf(rows)), {
    start: "same",
    pick: "way",
    quick: "a",
    calm: "b",
    end: "data",
  });
  assert.deepEqual(
    rows.filter(differs).map((r) => `${r.node} ${r.visit}`),
    ["pick 1", "quick 1", "calm 1", "end 2"],
  );
});

test("an edge tells which run took it", () => {
  const edge = (from: string, port: string, to: string) => ({
    id: `${from}.${port}`,
    from,
    port,
    to,
  });
  const keys = ["start", "pick", "quick", "calm", "end"];
  const shape = shapeOf({
    signalbox: 1,
    nodes: keys.map((key) => ({ id: key, key, kind: "set" })),
    edges: [
      edge("start", "success", "pick"),
      edge("pick", "fast", "quick"),
      edge("pick", "slow", "calm"),
      edge("pick", "default", "end"),
      edge("quick", "success", "end"),
    ],
    layout: {},
  });
  assert.deepEqual(Object.fromEntries(edgesOf(shape, rows)), {
    "start.success": "both",
    "pick.fast": "a",
    "pick.slow": "b",
    "quick.success": "a",
  });
});
