// Paints the bars of the timeline, and the histogram of the scrubber.

import type { Bar, BarRow } from "../core/run-bars.ts";
import type { Bin, Scale } from "../core/run-scale.ts";
import { GAP_WIDTH, ticksOf } from "../core/run-scale.ts";
import { took } from "../core/run-time.ts";
import { t } from "../core/strings.ts";

export const ROW_HEIGHT = 36;

/** The theme's colors as plain values, for a canvas. */
export type Colors = Readonly<
  Record<
    | "ok"
    | "fail"
    | "run"
    | "wait"
    | "waitSoft"
    | "queue"
    | "edge"
    | "line"
    | "ink"
    | "ink3"
    | "on"
    | "onFail"
    | "waitInk"
    | "skip"
    | "surface"
    | "select"
    | "comp",
    string
  >
>;

export function readColors(element: Element): Colors {
  const style = getComputedStyle(element);
  const get = (name: string) => style.getPropertyValue(name).trim();
  return {
    ok: get("--ok"),
    fail: get("--fail"),
    run: get("--run"),
    wait: get("--wait"),
    waitSoft: get("--wait-soft"),
    queue: get("--line-2"),
    edge: get("--edge"),
    line: get("--line"),
    ink: get("--ink"),
    ink3: get("--ink-3"),
    on: get("--on-status"),
    onFail: get("--on-fail"),
    waitInk: get("--wait-ink"),
    skip: get("--skip"),
    surface: get("--surface"),
    select: get("--run-soft"),
    comp: get("--comp"),
  };
}

/** A canvas made as sharp as the screen, cleared; undefined: it has no size. */
export function clear(
  canvas: HTMLCanvasElement,
  width: number,
  height: number,
): CanvasRenderingContext2D | undefined {
  const ratio = window.devicePixelRatio || 1;
  const w = Math.round(width * ratio);
  const h = Math.round(height * ratio);
  if (w <= 0 || h <= 0) return undefined;
  if (canvas.width !== w || canvas.height !== h) {
    canvas.width = w;
    canvas.height = h;
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
  }
  const c = canvas.getContext("2d") ?? undefined;
  c?.setTransform(ratio, 0, 0, ratio, 0, 0);
  c?.clearRect(0, 0, width, height);
  return c;
}

export type BarsPicture = {
  readonly rows: readonly BarRow[];
  readonly scale: Scale;
  readonly origin: number;
  readonly end: number;
  readonly height: number;
  readonly scrolled: number;
  readonly selected: string | undefined;
  readonly queue: boolean;
  /** Later than this is dimmed: the moment that is shown. */
  readonly moment: number | undefined;
  readonly colors: Colors;
};

export function paintBars(c: CanvasRenderingContext2D, p: BarsPicture): void {
  grid(c, p);
  const first = Math.floor(p.scrolled / ROW_HEIGHT);
  const last = Math.min(p.rows.length, Math.ceil((p.scrolled + p.height) / ROW_HEIGHT));
  c.font = "600 11px Inter, sans-serif";
  c.textBaseline = "middle";
  for (let i = first; i < last; i += 1) {
    const row = p.rows[i];
    if (row !== undefined) paintRow(c, p, row, i * ROW_HEIGHT - p.scrolled);
  }
  for (const gap of p.scale.gaps) zigzag(c, p, gap.x, took(gap.to - gap.from));
  if (p.moment !== undefined) dim(c, p, p.moment);
}

function grid(c: CanvasRenderingContext2D, p: BarsPicture): void {
  c.fillStyle = p.colors.line;
  for (const tick of ticksOf(p.scale, p.origin, 110))
    c.fillRect(Math.round(p.scale.x(p.origin + tick)), 0, 1, p.height);
}

function paintRow(c: CanvasRenderingContext2D, p: BarsPicture, row: BarRow, y: number): void {
  if (row.key === p.selected) {
    c.fillStyle = p.colors.select;
    c.globalAlpha = 0.55;
    c.fillRect(0, y, p.scale.width, ROW_HEIGHT);
    c.globalAlpha = 1;
  }
  let free = Number.NEGATIVE_INFINITY;
  for (const bar of row.bars) {
    const to = bar.to ?? p.end;
    if (to < p.scale.from || bar.from > p.scale.to || (bar.kind === "queued" && !p.queue)) continue;
    const x = p.scale.x(Math.max(bar.from, p.scale.from));
    const w = Math.max(bar.kind === "work" ? 4 : 1, p.scale.x(Math.min(to, p.scale.to)) - x);
    // Bars that would lie on one another, narrower than can be seen, are left out.
    if (x + w <= free + 0.5 && bar.outcome !== "fail") continue;
    paintBar(c, p, bar, x, y, w, row.bars.length);
    free = x + w;
  }
}

function paintBar(
  c: CanvasRenderingContext2D,
  p: BarsPicture,
  bar: Bar,
  x: number,
  y: number,
  w: number,
  many: number,
): void {
  switch (bar.kind) {
    case "queued":
      c.fillStyle = p.colors.queue;
      round(c, x, y + 15, w, 6, 3);
      c.fill();
      return;
    case "backoff":
      c.strokeStyle = p.colors.edge;
      c.lineWidth = 2;
      c.setLineDash([2, 3]);
      c.beginPath();
      c.moveTo(x, y + 18);
      c.lineTo(x + w, y + 18);
      c.stroke();
      c.setLineDash([]);
      return;
    case "waiting":
      c.fillStyle = p.colors.waitSoft;
      c.strokeStyle = bar.outcome === "fail" ? p.colors.fail : p.colors.wait;
      c.lineWidth = 1.5;
      round(c, x + 0.75, y + 9.75, Math.max(2, w - 1.5), 16.5, 5);
      c.fill();
      c.stroke();
      words(c, took((bar.to ?? p.end) - bar.from), x, y, w, p.colors.waitInk);
      return;
    case "inside":
      c.strokeStyle = bar.outcome === "fail" ? p.colors.fail : p.colors.edge;
      c.lineWidth = 1.5;
      c.beginPath();
      c.moveTo(x + 0.75, y + 24);
      c.lineTo(x + 0.75, y + 14);
      c.lineTo(x + w - 0.75, y + 14);
      c.lineTo(x + w - 0.75, y + 24);
      c.stroke();
      return;
    case "work":
      paintWork(c, p, bar, x, y, w, many);
      if (bar.undo) hatch(c, p, x, y, w);
  }
}

function paintWork(
  c: CanvasRenderingContext2D,
  p: BarsPicture,
  bar: Bar,
  x: number,
  y: number,
  w: number,
  many: number,
): void {
  c.fillStyle = workColor(c, p, bar, x, w);
  round(c, x, y + 9, w, 18, Math.min(5, w / 2));
  c.fill();
  const number = bar.attempt > 1 || bar.outcome === "fail" ? String(bar.attempt) : "";
  const length = took((bar.to ?? p.end) - bar.from);
  const inside =
    number !== "" && w < 64 ? number : [number, length].filter((s) => s !== "").join(" · ");
  const on = bar.outcome === "fail" ? p.colors.onFail : p.colors.on;
  if (words(c, inside, x, y, w, on)) return;
  if (words(c, number, x, y, w, on) && number !== "") return;
  const beside = [number === "" ? "" : t("run.attempt", { n: bar.attempt }), bar.note]
    .filter((s) => s !== "")
    .join(" · ");
  if (beside !== "" && many <= 6) {
    c.fillStyle = p.colors.ink3;
    c.fillText(beside, x + w + 7, y + 18.5);
  }
}

/** What undoes is hatched. */
function hatch(c: CanvasRenderingContext2D, p: BarsPicture, x: number, y: number, w: number): void {
  c.save();
  round(c, x, y + 9, w, 18, Math.min(5, w / 2));
  c.clip();
  c.strokeStyle = p.colors.surface;
  c.globalAlpha = 0.55;
  c.lineWidth = 2;
  for (let at = x - 18; at < x + w; at += 7) {
    c.beginPath();
    c.moveTo(at, y + 27);
    c.lineTo(at + 18, y + 9);
    c.stroke();
  }
  c.restore();
}

function workColor(
  c: CanvasRenderingContext2D,
  p: BarsPicture,
  bar: Bar,
  x: number,
  w: number,
): string | CanvasGradient {
  switch (bar.outcome) {
    case "ok":
      return bar.undo ? p.colors.comp : p.colors.ok;
    case "fail":
      return p.colors.fail;
    case "canceled":
      return p.colors.skip;
    case "open": {
      const fade = c.createLinearGradient(x, 0, x + w, 0);
      fade.addColorStop(0, p.colors.run);
      fade.addColorStop(0.86, p.colors.run);
      fade.addColorStop(1, `color-mix(in oklab, ${p.colors.run} 55%, transparent)`);
      return fade;
    }
  }
}

/** Writes inside a bar when there is room. */
function words(
  c: CanvasRenderingContext2D,
  text: string,
  x: number,
  y: number,
  w: number,
  color: string,
): boolean {
  if (text === "" || w < 12 || c.measureText(text).width > w - 10) return false;
  c.fillStyle = color;
  c.fillText(text, x + 6, y + 18.5);
  return true;
}

function zigzag(c: CanvasRenderingContext2D, p: BarsPicture, x: number, length: string): void {
  c.fillStyle = p.colors.surface;
  c.fillRect(x, 0, GAP_WIDTH, p.height);
  c.strokeStyle = p.colors.edge;
  c.lineWidth = 1;
  for (const side of [x + 4, x + GAP_WIDTH - 4]) {
    c.beginPath();
    for (let y = 0; y <= p.height + 8; y += 8) c.lineTo(side + (y % 16 === 0 ? -3 : 3), y);
    c.stroke();
  }
  c.fillStyle = p.colors.ink3;
  c.textAlign = "center";
  c.fillText(length, x + GAP_WIDTH / 2, 18, GAP_WIDTH - 14);
  c.textAlign = "start";
}

function dim(c: CanvasRenderingContext2D, p: BarsPicture, moment: number): void {
  const x = Math.max(0, p.scale.x(moment));
  c.globalAlpha = 0.62;
  c.fillStyle = p.colors.surface;
  c.fillRect(x, 0, Math.max(0, p.scale.width - x), p.height);
  c.globalAlpha = 1;
}

function round(
  c: CanvasRenderingContext2D,
  x: number,
  y: number,
  w: number,
  h: number,
  r: number,
): void {
  c.beginPath();
  c.roundRect(x, y, w, h, Math.max(0, r));
}

/** The histogram: events in columns, the part that failed in its color. */
export function paintHistogram(
  c: CanvasRenderingContext2D,
  bins: readonly Bin[],
  width: number,
  height: number,
  colors: Colors,
): void {
  const most = Math.max(1, ...bins.map((b) => b.count));
  const step = width / bins.length;
  for (const [i, bin] of bins.entries()) {
    if (bin.count === 0) continue;
    const h = Math.max(2, Math.sqrt(bin.count / most) * height);
    c.fillStyle = colors.edge;
    c.fillRect(i * step + 1, height - h, Math.max(1, step - 2), h);
    if (bin.failed === 0) continue;
    const part = Math.max(3, (h * bin.failed) / bin.count);
    c.fillStyle = colors.fail;
    c.fillRect(i * step + 1, height - part, Math.max(1, step - 2), part);
  }
}
