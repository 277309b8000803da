import assert from "node:assert/strict";
import { test } from "node:test";
import type { Bar } from "./run-bars.ts";
import { Bars } from "./run-bars.ts";
import type { Brief } from "./run-event.ts";
import { GAP_WIDTH, histogram, idleOf, scaleOf, ticksOf } from "./run-scale.ts";

const task = (seq: number, at: number, type: string, more: Partial<Brief> = {}): Brief => ({
  seq,
  at,
  type,
  node: "work",
  visit: 1,
  attempt: 1,
  ...more,
});

const short = (b: Bar) => [b.kind, b.attempt, b.from, b.to, b.outcome];

test("queued, work, back-off, queued, work", () => {
  const bars = new Bars();
  bars.add([
    task(1, 100, "TaskScheduled"),
    task(2, 200, "TaskFailed", {
      began: 150,
      retry_at: 400,
      error: { class: "timeout", message: "" },
    }),
    task(3, 400, "TaskScheduled", { attempt: 2 }),
    task(4, 520, "TaskCompleted", { attempt: 2, began: 420, port: "success" }),
  ]);
  assert.deepEqual(bars.rows[0]?.bars.map(short), [
    ["queued", 1, 100, 150, "ok"],
    ["work", 1, 150, 200, "fail"],
    ["backoff", 1, 200, 400, "ok"],
    ["queued", 2, 400, 420, "ok"],
    ["work", 2, 420, 520, "ok"],
  ]);
  assert.equal(bars.rows[0]?.failed, true);
});

test("a live word ends the time in the queue, and the log does not double the bar", () => {
  const bars = new Bars();
  bars.add([task(1, 100, "TaskScheduled"), task(0, 131, "TaskRunning", { began: 130 })]);
  assert.deepEqual(bars.rows[0]?.bars.map(short), [
    ["queued", 1, 100, 130, "ok"],
    ["work", 1, 130, undefined, "open"],
  ]);
  bars.add([task(2, 300, "TaskCompleted", { began: 130, port: "success" })]);
  assert.deepEqual(bars.rows[0]?.bars.map(short), [
    ["queued", 1, 100, 130, "ok"],
    ["work", 1, 130, 300, "ok"],
  ]);
});

test("work inside the machine takes no time, a wait does", () => {
  const bars = new Bars();
  bars.add([
    { seq: 1, at: 10, type: "RunStarted", trigger: "start", port: "success" },
    { seq: 2, at: 11, type: "NodeCompleted", node: "pick", visit: 1, ports: ["fast", "success"] },
    { seq: 3, at: 12, type: "WaitStarted", node: "rest", visit: 1, until: 90 },
    { seq: 4, at: 91, type: "WaitCompleted", node: "rest", visit: 1, port: "success" },
  ]);
  assert.deepEqual(
    bars.rows.map((r) => r.key),
    ["start", "pick", "rest"],
  );
  assert.equal(bars.rows[1]?.bars[0]?.note, "fast");
  assert.deepEqual(bars.rows[2]?.bars.map(short), [["waiting", 1, 12, 91, "ok"]]);
});

test("failed for good adds no bar of its own; the end of the run ends what is open", () => {
  const bars = new Bars();
  bars.add([
    task(1, 100, "TaskScheduled"),
    task(2, 200, "TaskFailed", { began: 150 }),
    task(3, 200, "NodeFailed"),
    { seq: 4, at: 201, type: "TaskScheduled", node: "other", visit: 1, attempt: 1 },
    { seq: 5, at: 250, type: "RunFailed" },
  ]);
  assert.equal(bars.rows[0]?.bars.length, 2);
  assert.deepEqual(bars.rows[1]?.bars.map(short), [["queued", 1, 201, 250, "canceled"]]);
});

test("a scale goes there and back, with a folded gap", () => {
  const idle = idleOf(
    [
      { from: 0, to: 100 },
      { from: 50, to: 120 },
      { from: 920, to: 1_000 },
    ],
    0,
    1_000,
  );
  assert.deepEqual(idle, [{ from: 120, to: 920 }]);
  const scale = scaleOf(0, 1_000, 448, idle);
  assert.equal(scale.x(120), 240);
  assert.equal(scale.x(920), 240 + GAP_WIDTH);
  assert.equal(scale.x(1_000), 448);
  for (const time of [0, 60, 120, 500, 920, 999])
    assert.ok(Math.abs(scale.time(scale.x(time)) - time) < 1e-6);
  assert.deepEqual(scaleOf(0, 1_000, 448, [{ from: 100, to: 250 }]).gaps, []);
});

test("marks are round, apart enough, and few", () => {
  assert.deepEqual(ticksOf(scaleOf(0, 1_000, 500), 0, 100), [0, 200, 400, 600, 800, 1_000]);
  assert.ok(ticksOf(scaleOf(0, 40 * 86_400_000, 600), 0, 100).length <= 7);
  assert.ok(ticksOf(scaleOf(1e12, 1e12 + 3, 600), 1e12, 100).length >= 3);
  const folded = scaleOf(0, 100_000, 600, [{ from: 1_000, to: 99_000 }]);
  assert.ok(ticksOf(folded, 0, 60).every((t) => t <= 1_000 || t >= 99_000));
});

test("the histogram counts every event once, failures apart", () => {
  const events = [0, 1, 50, 99, 100].map((at) => ({
    at,
    type: at === 50 ? "TaskFailed" : "NodeCompleted",
  }));
  const bins = histogram(events, (type) => type === "TaskFailed", 0, 100, 10);
  assert.equal(
    bins.reduce((n, b) => n + b.count, 0),
    5,
  );
  assert.deepEqual(bins[5], { count: 1, failed: 1 });
});
