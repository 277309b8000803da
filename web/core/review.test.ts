import assert from "node:assert/strict";
import { test } from "node:test";
import { isApproved, standsAt } from "./review.ts";

const approved = { state: "approved", decision: { seq: 7 } } as const;

test("an approval holds for the one position that was looked at", () => {
  assert.equal(standsAt(approved, 7), "approved");
  for (const seq of [6, 8, 0]) assert.equal(standsAt(approved, seq), "stale", String(seq));
  assert.ok(isApproved(approved, 7));
  assert.ok(!isApproved(approved, 8));
});

test("what is open or sent back is no approval, whatever was looked at", () => {
  assert.equal(standsAt({ state: "open" }, 7), "open");
  assert.equal(standsAt({ state: "changes", decision: { seq: 7 } }, 7), "changes");
  for (const review of [
    undefined,
    { state: "open" },
    { state: "changes", decision: { seq: 7 } },
    { state: "approved" },
  ] as const)
    assert.ok(!isApproved(review, 7));
});
