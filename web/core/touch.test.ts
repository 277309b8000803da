import assert from "node:assert/strict";
import { test } from "node:test";
import type { Change } from "./touch.ts";
import { conflicts, touched } from "./touch.ts";

const meet = (a: Change, b: Change) => conflicts(touched([a]), touched([b]));
const set = (path: string): Change => ({ op: "node.set", id: "a", path, value: 1 });

test("the same property meets, neighbours do not", () => {
  assert.ok(meet(set("/config/url"), set("/config/url")));
  assert.ok(!meet(set("/config/url"), set("/config/urls")));
  assert.ok(!meet(set("/config/url"), set("/title")));
});

test("a part meets the whole", () => {
  assert.ok(meet(set("/config/rules/0/when"), set("/config/rules")));
  assert.ok(meet(set("/config"), set("/config/url")));
  assert.ok(meet({ op: "node.del", id: "a" }, set("/title")));
});

test("an edge needs its ends, and names are unique", () => {
  const edge: Change = { op: "edge.add", id: "e", value: { from: "a", port: "success", to: "b" } };
  assert.ok(meet(edge, { op: "node.del", id: "b" }));
  assert.ok(!meet(edge, set("/title")));
  assert.ok(
    meet(edge, { op: "edge.add", id: "f", value: { from: "a", port: "success", to: "b" } }),
  );
  assert.ok(
    meet(
      { op: "node.add", id: "x", value: { key: "k" } },
      { op: "node.set", id: "y", path: "/key", value: "k" },
    ),
  );
});

test("moving and renaming are different properties", () => {
  assert.ok(!meet({ op: "node.move", id: "a", value: { x: 1, y: 1 } }, set("/title")));
  assert.ok(meet({ op: "node.move", id: "a" }, { op: "node.move", id: "a" }));
});
