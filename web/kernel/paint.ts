// The canvas under the cards: dots, edges with arrow heads, labels, drops,
// and, from far, the cards themselves.

import { type Curve, pointAt } from "../core/curve.ts";
import { type Box, grow, type Point } from "../core/geometry.ts";
import { COMPENSATE } from "../core/graph.ts";
import type { Drops } from "./drops.ts";
import { fontOf, LABELS, type Pill, pillOf } from "./labels.ts";
import { paintCard, paintFar } from "./paint-far.ts";
import { paintFrames } from "./paint-frames.ts";
import type { ColorName } from "./palette.ts";
import type { Line } from "./scene.ts";
import { FAR, type Stage } from "./stage.ts";

const PITCH = 24;
/** Below this zoom an edge is a straight line. */
const STRAIGHT = 0.15;

type Style = {
  readonly color: string;
  readonly width: number;
  readonly dash?: readonly number[] | undefined;
  readonly alpha?: number | undefined;
};

export function paint(
  stage: Stage,
  ctx: CanvasRenderingContext2D,
  ratio: number,
  drops: Drops,
  now: number,
): void {
  const { view, palette } = stage;
  const { x, y, z } = view.camera;
  ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
  ctx.globalAlpha = 1;
  ctx.fillStyle = palette.canvas;
  ctx.fillRect(0, 0, view.size.w, view.size.h);
  paintDots(stage, ctx);
  ctx.setTransform(z * ratio, 0, 0, z * ratio, x * ratio, y * ratio);
  const area = view.world;
  paintFrames(stage, ctx, area);
  const lines = stage.scene
    .linesWithin(area)
    .map((id) => stage.scene.lines.get(id))
    .filter((line) => line !== undefined);
  paintLines(stage, ctx, lines);
  if (z < FAR) paintFar(stage, ctx, area);
  for (const { id, box } of stage.left) paintCard(stage, ctx, id, box);
  for (const id of stage.unbuilt) paintCard(stage, ctx, id, stage.scene.cards.get(id));
  paintTokens(stage, ctx, lines);
  paintDrops(stage, ctx, area, drops, now);
  if (z >= LABELS) for (const line of lines) paintLabel(stage, ctx, line, drops, now);
  if (z >= LABELS) for (const line of lines) paintUndo(stage, ctx, line);
}

function paintDots(stage: Stage, ctx: CanvasRenderingContext2D): void {
  const { x, y, z } = stage.view.camera;
  const { w, h } = stage.view.size;
  let pitch = PITCH * z;
  while (pitch < 15) pitch *= 2;
  const size = Math.min(2.4, Math.max(1.4, 2 * z));
  ctx.fillStyle = stage.palette.dot;
  ctx.beginPath();
  for (let gx = ((x % pitch) + pitch) % pitch; gx < w; gx += pitch) {
    for (let gy = ((y % pitch) + pitch) % pitch; gy < h; gy += pitch) {
      ctx.rect(gx - size / 2, gy - size / 2, size, size);
    }
  }
  ctx.fill();
}

function styleOf(stage: Stage, id: string): Style {
  const { palette, hover, selected } = stage;
  const issue = stage.edgeIssues.get(id);
  if (selected.edges.has(id) || stage.landing === id) return { color: palette.brand, width: 2.5 };
  const mark = stage.marks.get(id);
  if (mark === "added") return { color: palette.ok, width: 2.5 };
  if (mark === "removed") return { color: palette.fail, width: 2, dash: [4, 5], alpha: 0.7 };
  const state = stage.edgeStates.get(id) ?? "idle";
  if (state === "active") return { color: palette.run, width: 2.5 };
  if (state === "skipped") return { color: palette.edge, width: 2, dash: [4, 5], alpha: 0.5 };
  const hovered = hover.is === "edge" && hover.id === id;
  const undo = stage.scene.drawing.edges.get(id)?.port === COMPENSATE;
  if (undo && !hovered) {
    return { color: palette["c-saga"], width: state === "taken" ? 2.5 : 2, dash: [6, 5] };
  }
  if (hovered) return { color: palette["ink-3"], width: 2.5 };
  if (state === "taken") return { color: palette.taken, width: 2 };
  if (issue !== undefined && issue.errors > 0) return { color: palette.fail, width: 2 };
  const on = touched(stage, id);
  return { color: on ? palette.brand : palette.edge, width: 2 };
}

// Edges of the one selected step stand out, as long as no run tells more.
function touched(stage: Stage, id: string): boolean {
  const { nodes } = stage.selected;
  const edge = stage.scene.drawing.edges.get(id);
  return nodes.size === 1 && stage.status.size === 0 && edge !== undefined && nodes.has(edge.from);
}

type Group = { readonly style: Style; readonly path: Path2D; readonly heads: Path2D };

// Lines of one look are drawn in one go.
function paintLines(stage: Stage, ctx: CanvasRenderingContext2D, lines: readonly Line[]): void {
  const { z } = stage.view.camera;
  const groups = new Map<string, Group>();
  for (const line of lines) {
    if (line.edge.id === stage.loose?.edge) continue;
    const style = styleOf(stage, line.edge.id);
    const key = `${style.color}/${style.width}/${style.alpha ?? 1}/${style.dash?.length ?? 0}`;
    let group = groups.get(key);
    if (group === undefined) {
      group = { style, path: new Path2D(), heads: new Path2D() };
      groups.set(key, group);
    }
    trace(group.path, line.curve, z < STRAIGHT);
    if (z >= STRAIGHT) head(group.heads, line.end);
  }
  for (const { style, path, heads } of groups.values()) {
    ctx.globalAlpha = style.alpha ?? 1;
    ctx.strokeStyle = style.color;
    ctx.fillStyle = style.color;
    ctx.lineWidth = Math.max(style.width * (stage.palette.strong ? 1.5 : 1), 1 / z);
    ctx.setLineDash(style.dash?.slice() ?? []);
    ctx.stroke(path);
    ctx.setLineDash([]);
    ctx.fill(heads);
  }
  ctx.globalAlpha = 1;
}

export function trace(path: Path2D, curve: Curve, straight = false): void {
  const first = curve[0];
  const last = curve.at(-1);
  if (first === undefined || last === undefined) return;
  path.moveTo(first[0], first[1]);
  if (straight) {
    path.lineTo(last[6], last[7]);
    return;
  }
  for (const c of curve) path.bezierCurveTo(c[2], c[3], c[4], c[5], c[6], c[7]);
}

/** The arrow head before an entry. */
export function head(path: Path2D, end: Point): void {
  path.moveTo(end.x - 12, end.y - 5);
  path.lineTo(end.x - 4, end.y);
  path.lineTo(end.x - 12, end.y + 5);
  path.closePath();
}

function paintLabel(
  stage: Stage,
  ctx: CanvasRenderingContext2D,
  line: Line,
  drops: Drops,
  now: number,
): void {
  const pill = pillOf(stage, line, drops.rate(line.edge.id, now));
  if (pill === undefined) return;
  const active = stage.edgeStates.get(line.edge.id) === "active";
  paintPill(stage, ctx, pill, active ? "run" : undefined);
}

// A line to a compensation carries a sign: it is no way that a token takes.
function paintUndo(stage: Stage, ctx: CanvasRenderingContext2D, line: Line): void {
  if (line.edge.port !== COMPENSATE) return;
  const { palette } = stage;
  const { x, y } = pointAt(line.curve, 0.5);
  ctx.beginPath();
  ctx.arc(x, y, 10, 0, Math.PI * 2);
  ctx.fillStyle = palette.canvas;
  ctx.fill();
  ctx.strokeStyle = palette["c-saga"];
  ctx.lineWidth = 1;
  ctx.stroke();
  ctx.lineWidth = 1.5;
  ctx.lineCap = "round";
  ctx.lineJoin = "round";
  ctx.beginPath();
  // The arrow back of the icon "undo-2", in small.
  ctx.moveTo(x - 1.5, y - 5);
  ctx.lineTo(x - 4.5, y - 2);
  ctx.lineTo(x - 1.5, y + 1);
  ctx.moveTo(x - 4.5, y - 2);
  ctx.lineTo(x + 1.5, y - 2);
  ctx.arc(x + 1.5, y + 1.2, 3.2, -Math.PI / 2, Math.PI / 2);
  ctx.lineTo(x - 0.5, y + 4.4);
  ctx.stroke();
  ctx.lineCap = "butt";
  ctx.lineJoin = "miter";
}

function paintPill(
  stage: Stage,
  ctx: CanvasRenderingContext2D,
  { x, y, w, h, text, tie }: Pill,
  tone: ColorName | undefined,
): void {
  const { palette } = stage;
  ctx.font = fontOf(stage);
  ctx.fillStyle = tone === undefined ? palette.canvas : palette["run-soft"];
  ctx.strokeStyle = tone === undefined ? palette["line-2"] : palette[tone];
  ctx.lineWidth = 1;
  ctx.beginPath();
  if (tie !== undefined) {
    ctx.moveTo(tie.x, tie.y);
    ctx.lineTo(tie.x, y + h / 2);
    ctx.stroke();
    ctx.beginPath();
  }
  ctx.roundRect(x, y, w, h, h / 2);
  ctx.fill();
  ctx.stroke();
  ctx.fillStyle = tone === undefined ? palette["ink-2"] : palette[tone];
  ctx.textAlign = "center";
  ctx.textBaseline = "middle";
  ctx.fillText(text, x + w / 2, y + h / 2 + 0.5);
}

// A token that waits stands before the arrow head; several show their number.
function paintTokens(stage: Stage, ctx: CanvasRenderingContext2D, lines: readonly Line[]): void {
  if (stage.tokens.size === 0) return;
  const { palette } = stage;
  for (const { edge, end } of lines) {
    const n = stage.tokens.get(edge.id);
    if (n === undefined) continue;
    ctx.beginPath();
    ctx.arc(end.x - 20, end.y, n > 1 ? 9 : 6, 0, Math.PI * 2);
    ctx.fillStyle = palette.run;
    ctx.strokeStyle = palette.canvas;
    ctx.lineWidth = 2;
    ctx.fill();
    ctx.stroke();
    if (n < 2) continue;
    ctx.font = `650 10px ${palette.ui}`;
    ctx.textAlign = "center";
    ctx.textBaseline = "middle";
    ctx.fillStyle = palette.canvas;
    ctx.fillText(String(n), end.x - 20, end.y + 0.5);
  }
}

function paintDrops(
  stage: Stage,
  ctx: CanvasRenderingContext2D,
  area: Box,
  drops: Drops,
  now: number,
): void {
  const { z } = stage.view.camera;
  const seen = grow(area, 10);
  const radius = Math.max(4, 2.5 / z);
  for (const { edge, share } of drops.at(now)) {
    const line = stage.scene.lines.get(edge);
    if (line === undefined) continue;
    const p = pointAt(line.curve, share);
    if (p.x < seen.x || p.y < seen.y || p.x > seen.x + seen.w || p.y > seen.y + seen.h) continue;
    ctx.beginPath();
    ctx.arc(p.x, p.y, radius, 0, Math.PI * 2);
    ctx.fillStyle = stage.palette.run;
    ctx.fill();
    ctx.lineWidth = 1.5;
    ctx.strokeStyle = stage.palette.canvas;
    ctx.stroke();
  }
}
