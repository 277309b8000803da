import assert from "node:assert/strict";
import { test } from "node:test";
import type { Board, BoardSeries, Business, Decision, Metric } from "./board.ts";
import {
  decisionChart,
  eventCharts,
  infrastructureCharts,
  metricChart,
  percentile,
  rates,
  stacked,
  summary,
} from "./board-chart.ts";
import { format, lengthOf } from "./board-format.ts";

const NONE = "00000000-0000-0000-0000-000000000000";

const series = (measure: string, label: string, more: Partial<BoardSeries> = {}): BoardSeries => ({
  measure,
  label,
  version: NONE,
  n: [1, 2, null],
  ...more,
});

const board = (...list: BoardSeries[]): Board => ({
  from: "",
  to: "",
  now: "",
  step: 10,
  times: [100, 110, 120],
  covered: [10, 4, null],
  numbers: { v2: 2, v1: 1 },
  marks: [],
  series: list,
});

const naming = (workflow = "") => ({
  t: (key: string, args: Readonly<Record<string, string | number>> = {}) =>
    [key, ...Object.values(args)].join(" "),
  kind: (name: string) => `kind ${name}`,
  workflow,
});

const chart = (list: ReturnType<typeof eventCharts>, id: string) => {
  const found = list.find((c) => c.id === id);
  assert.ok(found, id);
  return found;
};

test("a rate is by the seconds that were measured, and none where nobody did", () => {
  assert.deepEqual(rates([20, 8, null, 5], [10, 4, null, 0]), [2, 2, null, null]);
});

test("a percentile breaks where nobody measured and goes on where nothing was to measure", () => {
  assert.deepEqual(percentile([0.5, null, null], [3, 0, null]), [0.5, undefined, null]);
  assert.deepEqual(percentile(undefined, [3, null]), [undefined, null]);
});

test("bars stand on those below; a hole does not lift them", () => {
  const row = (values: (number | null | undefined)[]) => ({ name: "", color: "ok", values });
  assert.deepEqual(stacked([row([1, 2, null]), row([3, null, null]), row([1, 1, 2])]), [
    [1, 2, null],
    [4, 2, null],
    [5, 3, 2],
  ]);
});

test("outcomes come in one order with their colors, and lead to their runs", () => {
  const charts = eventCharts(
    board(
      series("run.time", "failed", { high: [7, 1, null], p95: [7, 1, null] }),
      series("run.time", "succeeded", {
        p50: [1, 1, null],
        p95: [2, null, null],
        p99: [3, 3, null],
      }),
    ),
    naming("w1"),
  );
  const ended = chart(charts, "ended");
  assert.deepEqual(
    ended.rows.map((r) => [r.name, r.color, r.link]),
    [
      ["status.succeeded", "ok", { status: "succeeded", workflow: "w1" }],
      ["status.failed", "fail", { status: "failed", workflow: "w1" }],
    ],
  );
  assert.deepEqual(ended.rows[1]?.longest, [7, 1, null]);
  assert.deepEqual(chart(charts, "time").rows[1]?.values, [2, undefined, null]);
});

test("versions are told apart only within one workflow, the latest first, tests left out", () => {
  const list = ["v1", "v2", "draft"].map((version) =>
    series("run.time", "succeeded", { version, p95: [1, 2, null] }),
  );
  assert.equal(
    eventCharts(board(...list), naming()).some((c) => c.id === "version"),
    false,
  );
  const rows = chart(eventCharts(board(...list), naming("w1")), "version").rows;
  assert.deepEqual(
    rows.map((r) => [r.name, r.link?.version]),
    [
      ["boards.version 2", 2],
      ["boards.version 1", 1],
    ],
  );
});

test("of many kinds those with the most are drawn", () => {
  const list = Array.from({ length: 12 }, (_, i) =>
    series("failure", `k${String(i).padStart(2, "0")}`, { n: [i, 0, null] }),
  );
  const rows = chart(eventCharts(board(...list), naming()), "failure").rows;
  assert.equal(rows.length, 8);
  assert.equal(rows[0]?.name, "kind k04");
  assert.equal(rows.at(-1)?.name, "kind k11");
});

test("levels of the infrastructure are means, and break where nobody looked", () => {
  const charts = infrastructureCharts(
    board(
      series("shared.waiting", "q", { mean: [2, 4.5, null], n: [1, 2, null] }),
      series("turn", "", { p50: [1, 1, null], n: [20, 8, null] }),
    ),
    naming(),
  );
  assert.deepEqual(chart(charts, "waiting").rows[0]?.values, [2, 4.5, null]);
  assert.deepEqual(chart(charts, "turns").rows[0]?.values, [2, 2, null]);
  assert.equal(chart(charts, "database").rows.length, 0);
});

test("the summary adds up what was counted, and knows no share of nothing", () => {
  assert.deepEqual(
    summary(
      board(
        series("run.started", "api"),
        series("run.started", "webhook"),
        series("run.time", "succeeded", { n: [3, 3, null] }),
        series("run.time", "failed", { n: [2, null, null] }),
        series("run.time", "failed", { n: [2, null, null], version: "v1" }),
        series("retry", "http"),
      ),
    ),
    { started: 6, ended: 8, succeeded: 0.75, failed: 2, retries: 3, dead: 0 },
  );
  assert.equal(summary(board()).succeeded, undefined);
});

const metric = (type: string, more: Partial<Metric> = {}): Metric => ({
  name: "paid",
  type,
  series: [
    {
      labels: { country: "NO" },
      n: [1, null],
      total: [5, null],
      last: [5, null],
      p50: [4, null],
      p95: [9, null],
      points: 1,
      sum: 5,
    },
    { labels: {}, rest: true, n: [1, 1], total: [2, 3], last: [2, 3], points: 2, sum: 5 },
  ],
  more: 7,
  ...more,
});

test("counters are bars of what was added, with the rest as one; gauges are lines of the latest", () => {
  const bars = metricChart(metric("counter"), naming());
  assert.deepEqual(
    [bars.drawn, ...bars.rows.map((r) => [r.name, r.color, r.values])],
    ["bars", ["country: NO", "c-queue", [5, null]], ["boards.rest 7", "skip", [2, 3]]],
  );
  const lines = metricChart(metric("gauge"), naming());
  assert.deepEqual([lines.drawn, lines.rows[0]?.values], ["lines", [5, undefined]]);
  assert.deepEqual(metricChart(metric("histogram"), naming()).rows.map((r) => r.values)[1], [
    9,
    undefined,
  ]);
});

test("accuracy is drawn by version", () => {
  const score = (version: string, shares: (number | null)[]) => ({
    workflow: "w",
    version,
    predicted: 3,
    known: 2,
    right: 1,
    accuracy: 0.5,
    classes: [],
    n: [3],
    shares,
  });
  const decision: Decision = {
    name: "spam",
    scores: [score("v2", [0.5, null]), score("draft", [1, 1])],
  };
  const c = decisionChart(
    decision,
    { ...board(), metrics: [], decisions: [] } as unknown as Business,
    naming(),
  );
  assert.deepEqual(
    c.rows.map((r) => [r.name, r.values]),
    [
      ["boards.version 2", [0.5, undefined]],
      ["boards.version.none", [1, 1]],
    ],
  );
});

test("numbers are short", () => {
  const n = "\u202f";
  for (const [value, unit, want] of [
    [0, "seconds", "0"],
    [0.00042, "seconds", `420${n}µs`],
    [0.0042, "seconds", `4.2${n}ms`],
    [0.42, "seconds", `420${n}ms`],
    [4.2, "seconds", `4.2${n}s`],
    [600, "seconds", `10${n}min`],
    [9000, "seconds", `2.5${n}h`],
    [864_000, "seconds", `10${n}d`],
    [1536, "bytes", `1.5${n}KB`],
    [52_000_000, "bytes", `52${n}MB`],
    [0.123, "share", `12.3${n}%`],
    [12_345, "count", "12.3k"],
    [9999, "count", "9,999"],
    [0.1234, "rate", "0.123/s"],
    [2_500_000, "value", "2.5M"],
  ] as const) {
    assert.equal(format(value, unit, "en"), want);
  }
  assert.deepEqual([lengthOf("15m"), lengthOf("168h"), lengthOf("soon")], [900, 604_800, 0]);
});
