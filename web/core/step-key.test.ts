import assert from "node:assert/strict";
import { test } from "node:test";
import { goodKey } from "./check.ts";
import { idFrom, keyFor } from "./step-key.ts";

const nobody = (): boolean => false;

const cases: readonly (readonly [string, string])[] = [
  ["Send reply", "send_reply"],
  ["  Größe & Maß ", "grosse_mass"],
  ["3 tries", "tries"],
  ["input", "input_2"],
  ["日本語", "step"],
  ["x".repeat(60), "x".repeat(40)],
];

for (const [title, want] of cases) {
  test(`the key of ${JSON.stringify(title.slice(0, 20))} is ${want.slice(0, 20)}`, () => {
    const key = keyFor(title, nobody);
    assert.equal(key, want);
    assert.ok(goodKey(key));
  });
}

test("taken keys get a number, also when they are as long as they may be", () => {
  const taken = new Set(["send", "send_2", "y".repeat(40)]);
  assert.equal(
    keyFor("Send", (k) => taken.has(k)),
    "send_3",
  );
  assert.equal(
    keyFor("y".repeat(40), (k) => taken.has(k)),
    `${"y".repeat(38)}_2`,
  );
});

test("ids fit the server's rule", () => {
  assert.match(idFrom(Math.random), /^[a-z0-9]{12}$/);
  assert.equal(
    idFrom(() => 0),
    "000000000000",
  );
});
