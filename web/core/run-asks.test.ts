import assert from "node:assert/strict";
import { test } from "node:test";
import { openAsks } from "./run-asks.ts";
import type { Brief } from "./run-event.ts";

const log = (...events: readonly Partial<Brief>[]): readonly Brief[] =>
  events.map((e, i) => ({ seq: i + 1, at: 0, type: "", ...e }));

test("a question is open until it is answered, canceled or the run is over", () => {
  const asked = { type: "WaitStarted", node: "ask", visit: 1, for: "human" };
  const other = { type: "WaitStarted", node: "ask", visit: 1, scope: 2, for: "human" };
  assert.deepEqual(
    openAsks(log(asked, other)).map((a) => [a.seq, a.scope, a.kind]),
    [
      [1, 0, "human"],
      [2, 2, "human"],
    ],
  );
  assert.deepEqual(
    openAsks(log(asked, other, { type: "WaitCompleted", node: "ask", visit: 1 })).map(
      (a) => a.scope,
    ),
    [2],
  );
  assert.equal(openAsks(log(asked, { type: "CompensationStarted" })).length, 0);
  assert.equal(openAsks(log(asked, { type: "RunCanceled" })).length, 0);
});

test("waits for time and signals ask nobody; a compensation that failed does", () => {
  const events = log(
    { type: "WaitStarted", node: "w", visit: 1 },
    { type: "WaitStarted", node: "s", visit: 1, for: "signal" },
    { type: "AttentionNeeded", node: "refund", visit: 1 },
  );
  assert.deepEqual(
    openAsks(events).map((a) => a.kind),
    ["attention"],
  );
  const solved = [
    ...events,
    { seq: 4, at: 0, type: "AttentionResolved", node: "refund", visit: 1 },
  ];
  assert.equal(openAsks(solved).length, 0);
});
