import assert from "node:assert/strict";
import { test } from "node:test";
import map from "./fixtures/run-map.json" with { type: "json" };
import retry from "./fixtures/run-retry.json" with { type: "json" };
import saga from "./fixtures/run-saga.json" with { type: "json" };
import wait from "./fixtures/run-wait.json" with { type: "json" };
import { Bars } from "./run-bars.ts";
import type { Brief } from "./run-event.ts";
import { timesOf } from "./run-times.ts";

type Golden = { readonly steps: readonly { readonly event: unknown }[] };

function barsOf(golden: Golden): Bars {
  const bars = new Bars();
  bars.add(golden.steps.map((s) => s.event as Brief));
  return bars;
}

const timesIn = (golden: Golden, key: string) =>
  timesOf(barsOf(golden).rows, 0, 1_000).filter((t) => t.key === key);

test("attempts, queue, work and back-off add up", () => {
  const [work] = timesIn(retry, "work");
  assert.ok(work);
  assert.equal(work.attempts, 3);
  assert.equal(work.work, 120, "three attempts of 40 ms");
  assert.equal(work.outcome, "ok");
  assert.equal(Math.round(work.queued + work.work + work.backoff), Math.round(work.to - work.from));
  assert.ok(work.backoff >= 2_900, `${work.backoff} ms of back-off: one second, then two`);
});

test("a wait is no work", () => {
  const [pause] = timesIn(wait, "pause");
  assert.ok(pause);
  assert.deepEqual([pause.waiting, pause.work, pause.queued], [2_000, 0, 0]);
});

test("each body of a container has visits of its own, and the container its time inside", () => {
  const work = timesIn(map, "work");
  assert.deepEqual(
    work.map((t) => `${t.scope} ${t.outcome}`),
    ["1 ok", "2 fail", "3 ok"],
  );
  const [each] = timesIn(map, "each");
  assert.ok(each);
  assert.equal(each.inside, each.to - each.from);
  assert.equal(timesIn(map, "each").length, 1, "no bar for each body");
});

test("what undoes is marked", () => {
  const rows = barsOf(saga).rows;
  const undo = (key: string) => rows.find((r) => r.key === key)?.bars.every((b) => b.undo);
  assert.equal(undo("unpay"), true);
  assert.equal(undo("pay"), false);
});

test("the table has an end", () => {
  assert.equal(timesOf(barsOf(map).rows, 0, 2).length, 2);
});
