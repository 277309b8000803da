import assert from "node:assert/strict";
import { test } from "node:test";
import { inShort } from "./in-short.ts";

test("a value in short says its first names and what they are", () => {
  assert.equal(
    inShort({ subject: "Paid twice", priority: 9 }),
    'subject: "Paid twice", priority: 9',
  );
  assert.equal(inShort({}), "{}");
  assert.equal(inShort(null), "null");
  assert.equal(inShort([1, 2, 3, 4, 5]), "[1, 2, 3, 4, …]");
  assert.equal(inShort({ a: { b: { c: 1 } }, d: [[1]] }), "a: {b: {…}}, d: [[…]]");
});

test("and never more than there is room for", () => {
  assert.equal(inShort("x".repeat(100), 10), '"xxxxxxxx…');
  assert.equal(inShort({ long: "y".repeat(500) }, 20).length, 20);
});
