import assert from "node:assert/strict";
import { test } from "node:test";
import { setBelow } from "./json-set.ts";

// Forms show members in their order; the server keeps it in the same way.
test("a member keeps its place, and a new one comes last", () => {
  const set = (root: unknown, path: string, value: unknown): string =>
    JSON.stringify(setBelow(root, "/config", `/config${path}`, value).next);
  assert.equal(set({ z: 1, m: 2, a: 3 }, "/m", { y: 1, b: 2 }), '{"z":1,"m":{"y":1,"b":2},"a":3}');
  assert.equal(set({ z: { y: 1, b: 2 }, a: 3 }, "/z/y", 9), '{"z":{"y":9,"b":2},"a":3}');
  assert.equal(set({ z: 1 }, "/a/b", 1), '{"z":1,"a":{"b":1}}');
  assert.equal(set({ z: 1, a: 2 }, "/z", undefined), '{"a":2}');
  assert.equal(set({ a: 1 }, "/__proto__", 2), '{"a":1,"__proto__":2}');
});
