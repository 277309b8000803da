// One chart on a canvas. uPlot draws lines, bars and axes; what nobody measured
// is hatched, and what was published stands as a line.

import uPlot from "uplot";
import type { Column, Mark } from "../core/board.ts";
import type { Chart, Row, Values } from "../core/board-chart.ts";
import { stacked } from "../core/board-chart.ts";
import { format } from "../core/board-format.ts";
import { clock } from "./clock.ts";
import type { Palette } from "./palette.ts";
import { thin } from "./palette.ts";

const HEIGHT = 188;
const CLICK_SLACK = 4;
const BAR = { share: 0.84, most: 26 };
/** The name under which all charts share their pointer. */
const SHARED = "boards";

export type PlotInput = {
  readonly chart: Chart;
  /** The beginnings of the intervals, in seconds. */
  readonly times: readonly number[];
  readonly step: number;
  readonly covered: Column | undefined;
  readonly marks: readonly Mark[];
  readonly palette: Palette;
  readonly lang: string;
};

export type PlotEvents = {
  /** The pointer is at an interval, or at none. */
  readonly point: (interval: number | undefined, left: number) => void;
  readonly brush: (from: number, to: number) => void;
  /** An interval was clicked, at a value. */
  readonly pick: (interval: number, value: number) => void;
};

export class Plot {
  readonly #u: uPlot;
  #input: PlotInput;

  constructor(box: HTMLElement, input: PlotInput, events: PlotEvents) {
    this.#input = input;
    this.#u = new uPlot(
      options(input, box.clientWidth, () => this.#input, events),
      dataOf(input),
      box,
    );
    listen(this.#u, events);
  }

  /** Shows new numbers of the same rows; false: the rows are others. */
  update(input: PlotInput): boolean {
    if (shape(input) !== shape(this.#input)) return false;
    this.#input = input;
    this.#u.setData(dataOf(input));
    return true;
  }

  resize(width: number): void {
    if (width > 0 && width !== this.#u.width) this.#u.setSize({ width, height: HEIGHT });
  }

  /** Puts the pointer onto an interval, for the keyboard. */
  point(interval: number | undefined): void {
    const at = interval === undefined ? undefined : middles(this.#input)[interval];
    const left = at === undefined ? -10 : this.#u.valToPos(at, "x");
    this.#u.setCursor({ left, top: at === undefined ? -10 : 20 });
  }

  destroy(): void {
    this.#u.destroy();
  }
}

/** What a change of needs a new canvas. */
function shape(input: PlotInput): string {
  const { chart, palette } = input;
  return JSON.stringify([
    chart.id,
    chart.drawn,
    palette.ink,
    chart.rows.map((r) => [r.name, r.color]),
  ]);
}

function middles(input: PlotInput): number[] {
  return input.times.map((at) => at + input.step / 2);
}

/** Rows as uPlot takes them: bars with those below, the highest first. */
function dataOf(input: PlotInput): uPlot.AlignedData {
  const { rows, drawn } = input.chart;
  const values: readonly Values[] =
    drawn === "bars" ? [...stacked(rows)].reverse() : rows.map((r) => r.values);
  return [middles(input), ...values.map((v) => [...v])] as uPlot.AlignedData;
}

function options(
  input: PlotInput,
  width: number,
  now: () => PlotInput,
  events: PlotEvents,
): uPlot.Options {
  const { chart, palette } = input;
  const rows = chart.drawn === "bars" ? [...chart.rows].reverse() : chart.rows;
  return {
    width: Math.max(width, 200),
    height: HEIGHT,
    padding: [10, 10, 0, 0],
    legend: { show: false },
    cursor: {
      y: false,
      sync: { key: SHARED, setSeries: false, scales: ["x", null] },
      hover: { skip: [] }, // no value here is no point elsewhere
      drag: { x: true, y: false, setScale: false, dist: CLICK_SLACK },
      points: chart.drawn === "bars" ? { show: false } : { size: 8, width: 2 },
    },
    scales: {
      x: { time: true, range: () => ends(now()) },
      y: { range: (_u, low, high) => heights(chart, low, high) },
    },
    axes: axes(input, now),
    series: [{}, ...rows.map((row) => seriesOf(row, chart, palette, rows.length === 1))],
    hooks: {
      drawClear: [(u) => hatch(u, now())],
      draw: [(u) => drawMarks(u, now())],
      setCursor: [(u) => events.point(u.cursor.idx ?? undefined, u.cursor.left ?? -1)],
      setSelect: [
        (u) => {
          const { left, width: wide } = u.select;
          if (wide <= CLICK_SLACK) return;
          events.brush(u.posToVal(left, "x"), u.posToVal(left + wide, "x"));
          u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
        },
      ],
    },
  };
}

/** The whole range, also where there is no number. */
function ends(input: PlotInput): [number, number] {
  const first = input.times[0] ?? 0;
  return [first, (input.times.at(-1) ?? first) + input.step];
}

function heights(chart: Chart, low: number | null, high: number | null): [number, number] {
  if (chart.unit === "share") return [0, 1];
  const bottom = Math.min(0, low ?? 0);
  const top = Math.max(high ?? 0, chart.unit === "count" ? 4 : 0);
  if (top <= bottom) return [bottom, bottom + 1];
  return [bottom < 0 ? bottom * 1.08 : 0, top * 1.08];
}

function axes(input: PlotInput, now: () => PlotInput): uPlot.Axis[] {
  const { palette, lang, chart } = input;
  const looks = {
    stroke: palette["ink-3"],
    font: `11px ${palette["font-ui"]}`,
    ticks: { show: false },
    grid: { stroke: palette.line, width: 1 },
  };
  const label = (at: number) => {
    const [from, to] = ends(now());
    return clock(at, 60, to - from, lang);
  };
  return [
    { ...looks, grid: { show: false }, size: 26, space: 72, values: (_u, at) => at.map(label) },
    {
      ...looks,
      size: 58,
      gap: 6,
      space: 36,
      ...(chart.unit === "count" ? { incrs: WHOLE } : {}),
      values: (_u, list) => list.map((v) => format(v, chart.unit, lang)),
    },
  ];
}

/** Steps of an axis of things, of which there is no half. */
const WHOLE = [
  1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5, 1e6, 1e7, 1e8, 1e9,
];

function seriesOf(row: Row, chart: Chart, palette: Palette, alone: boolean): uPlot.Series {
  const color = palette.of(row.color);
  if (chart.drawn === "bars") {
    return {
      stroke: color,
      fill: color,
      width: 0,
      points: { show: false },
      ...bars(),
    };
  }
  return {
    stroke: color,
    width: 1.75,
    dash: [...(row.dash ?? [])],
    ...(alone ? { fill: thin(color, 0.1) } : {}),
    points: { show: true, size: 4, fill: color, filter: (u, i) => alonePoints(u.data[i] ?? []) },
  };
}

function bars(): Partial<uPlot.Series> {
  const paths = uPlot.paths.bars?.({ size: [BAR.share, BAR.most] });
  return paths === undefined ? {} : { paths };
}

/** Values that no line leads to or from: they are drawn as points. */
function alonePoints(values: ArrayLike<number | null | undefined>): number[] {
  const list: number[] = [];
  const near = (i: number, by: number) => {
    let j = i + by;
    while (j >= 0 && j < values.length && values[j] === undefined) j += by;
    return typeof values[j] === "number";
  };
  for (let i = 0; i < values.length; i++) {
    if (typeof values[i] === "number" && !near(i, -1) && !near(i, 1)) list.push(i);
  }
  return list;
}

/** Hatches the intervals in which nobody measured. */
function hatch(u: uPlot, input: PlotInput): void {
  const { covered, times, step, palette } = input;
  if (covered === undefined) return;
  const { ctx, bbox } = u;
  ctx.save();
  ctx.beginPath();
  for (let i = 0; i < times.length; i++) {
    if (covered[i] !== null && covered[i] !== undefined) continue;
    const left = Math.max(bbox.left, u.valToPos(times[i] ?? 0, "x", true));
    const right = Math.min(bbox.left + bbox.width, u.valToPos((times[i] ?? 0) + step, "x", true));
    if (right > left) ctx.rect(left, bbox.top, right - left, bbox.height);
  }
  ctx.clip();
  ctx.strokeStyle = palette["line-2"];
  ctx.lineWidth = 1;
  ctx.globalAlpha = 0.55;
  ctx.beginPath();
  const gap = 7 * devicePixelRatio;
  for (let x = bbox.left - bbox.height; x < bbox.left + bbox.width; x += gap) {
    ctx.moveTo(x, bbox.top + bbox.height);
    ctx.lineTo(x + bbox.height, bbox.top);
  }
  ctx.stroke();
  ctx.restore();
}

/** A line with a small flag where something was published. */
function drawMarks(u: uPlot, input: PlotInput): void {
  const { ctx, bbox } = u;
  const size = 5 * devicePixelRatio;
  ctx.save();
  ctx.strokeStyle = input.palette.brand;
  ctx.fillStyle = input.palette.brand;
  ctx.lineWidth = devicePixelRatio;
  ctx.setLineDash([3 * devicePixelRatio, 3 * devicePixelRatio]);
  for (const mark of input.marks) {
    const x = Math.round(u.valToPos(Date.parse(mark.at) / 1000, "x", true));
    if (x < bbox.left || x > bbox.left + bbox.width) continue;
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    ctx.beginPath();
    ctx.moveTo(x - size, bbox.top - size);
    ctx.lineTo(x + size, bbox.top - size);
    ctx.lineTo(x, bbox.top + size);
    ctx.fill();
  }
  ctx.restore();
}

/** A click is a press that does not move. */
function listen(u: uPlot, events: PlotEvents): void {
  let pressed: number | undefined;
  u.over.addEventListener("mousedown", (e) => {
    pressed = e.button === 0 ? e.clientX : undefined;
  });
  u.over.addEventListener("mouseup", (e) => {
    const { idx, top } = u.cursor;
    if (pressed === undefined || Math.abs(e.clientX - pressed) > CLICK_SLACK) return;
    if (typeof idx === "number") events.pick(idx, u.posToVal(top ?? 0, "y"));
  });
}
