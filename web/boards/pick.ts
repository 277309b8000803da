// What a click on a chart means: the runs of an interval.

import type { Chart, Row } from "../core/board-chart.ts";
import { runsAddress } from "./place.ts";

/** The row that a value of an interval belongs to: that bar, or the nearest line. */
export function rowAt(chart: Chart, interval: number, value: number): Row | undefined {
  const there = chart.rows.filter((r) => typeof r.values[interval] === "number");
  if (chart.drawn === "lines") {
    const far = (r: Row) => Math.abs((r.values[interval] ?? 0) - value);
    return there.sort((a, b) => far(a) - far(b))[0];
  }
  let top = 0;
  for (const row of there) {
    top += row.values[interval] ?? 0;
    if (value <= top) return row;
  }
  return highest(chart, interval);
}

/** The row with the most in an interval. */
export function highest(chart: Chart, interval: number): Row | undefined {
  return chart.rows
    .filter((r) => (r.values[interval] ?? 0) > 0)
    .sort((a, b) => (b.values[interval] ?? 0) - (a.values[interval] ?? 0))[0];
}

/** The address of the runs behind a row's value. */
export function addressOf(
  row: Row | undefined,
  interval: number,
  times: readonly number[],
  step: number,
): string | undefined {
  const from = times[interval];
  if (row?.link === undefined || from === undefined || !row.values[interval]) return undefined;
  return runsAddress(row.link, from, from + step, row.longest?.[interval] ?? 0);
}
