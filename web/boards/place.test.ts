import assert from "node:assert/strict";
import { test } from "node:test";
import type { Chart } from "../core/board-chart.ts";
import { addressOf, highest, rowAt } from "./pick.ts";
import {
  answerAddress,
  brushed,
  placeAddress,
  readPlace,
  refreshSeconds,
  runsAddress,
} from "./place.ts";

test("an address without anything is the last hour of the events of all", () => {
  assert.deepEqual(readPlace(""), {
    tab: "events",
    range: { is: "last", last: "1h" },
    workflow: "",
  });
  assert.equal(placeAddress(readPlace("")), "/boards");
});

test("every place comes back from its address", () => {
  for (const search of [
    "?tab=business&last=168h",
    "?tab=infrastructure",
    "?from=2026-11-30T10%3A00%3A00Z&to=2026-11-30T11%3A30%3A10Z&workflow=w1",
  ]) {
    const place = readPlace(search);
    assert.equal(placeAddress(place), `/boards${search}`);
    assert.deepEqual(readPlace(placeAddress(place).slice("/boards".length)), place);
  }
});

test("what cannot be read is as usual", () => {
  for (const search of [
    "?last=soon&tab=x",
    "?from=never&to=2026-11-30",
    "?from=2026-12-01&to=2026-11-30",
    "?last=%E0%A4%A",
  ]) {
    assert.deepEqual(readPlace(search), readPlace(""));
  }
});

test("the infrastructure is asked without a workflow", () => {
  assert.equal(
    answerAddress(readPlace("?tab=infrastructure&workflow=w1")),
    "/api/boards/infrastructure?last=1h",
  );
  assert.equal(
    answerAddress(readPlace("?workflow=w1&last=6h")),
    "/api/boards/events?last=6h&workflow=w1",
  );
});

test("a brush is at least a minute", () => {
  assert.deepEqual(brushed(1000, 1020), { is: "between", from: 980, to: 1040 });
  assert.deepEqual(brushed(1000.4, 2000.2), { is: "between", from: 1000, to: 2001 });
});

test("runs that are over may have begun before", () => {
  assert.equal(
    runsAddress({ status: "failed", workflow: "", version: 2 }, 1796040000, 1796040010, 7.5),
    "/runs?status=failed&version=2&from=2026-11-30T11%3A59%3A52&to=2026-11-30T12%3A00%3A10",
  );
  assert.match(
    runsAddress({ workflow: "w1" }, 0, 10),
    /^\/w\/w1\/runs\?from=1970-01-01T00%3A00%3A00&to=/,
  );
});

test("numbers are asked for as often as they can change", () => {
  assert.deepEqual([10, 1, 3600].map(refreshSeconds), [10, 5, 30]);
});

const link = (status: string) => ({ status, workflow: "" });
const chart = (drawn: Chart["drawn"]): Chart => ({
  id: "c",
  title: "",
  about: "",
  unit: "count",
  drawn,
  rows: [
    { name: "a", color: "ok", values: [5, 1, null], link: link("succeeded") },
    { name: "b", color: "fail", values: [2, 9, null], link: link("failed"), longest: [3, 3, null] },
    { name: "c", color: "skip", values: [0, 1, 3] },
  ],
});

test("a click finds the bar that it is on, or the nearest line", () => {
  const name = (drawn: Chart["drawn"], i: number, value: number) =>
    rowAt(chart(drawn), i, value)?.name;
  assert.deepEqual(
    [4, 6, 50].map((v) => name("bars", 0, v)),
    ["a", "b", "a"],
  );
  assert.deepEqual(
    [4, 1, 0].map((v) => name("lines", 0, v)),
    ["a", "b", "c"],
  );
  assert.equal(highest(chart("bars"), 1)?.name, "b");
});

test("only what has runs leads to them", () => {
  const c = chart("bars");
  assert.equal(addressOf(c.rows[2], 2, [0, 10, 20], 10), undefined);
  assert.equal(addressOf(c.rows[0], 2, [0, 10, 20], 10), undefined);
  assert.match(
    addressOf(c.rows[1], 1, [0, 10, 20], 10) ?? "",
    /status=failed&from=1970-01-01T00%3A00%3A07&/,
  );
});
