// The canvas over the cards: what a gesture previews.

import { CARD } from "../core/card.ts";
import type { Point } from "../core/geometry.ts";
import type { Guide } from "../core/snap.ts";
import { head, trace } from "./paint.ts";
import { Stage } from "./stage.ts";

/** Draws the previews; false: there was nothing to draw. */
export function paintOver(stage: Stage, ctx: CanvasRenderingContext2D, ratio: number): boolean {
  const { view, loose, marquee, guides } = stage;
  const { x, y, z } = view.camera;
  ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
  ctx.clearRect(0, 0, view.size.w, view.size.h);
  ctx.setTransform(z * ratio, 0, 0, z * ratio, x * ratio, y * ratio);
  const ends = loose ?? ghostEnds(stage);
  const port = loose?.from?.port ?? stage.ghost?.from?.port;
  if (ends !== undefined) dashed(stage, ctx, ends, loose?.joined ?? true, port);
  for (const guide of guides) line(stage, ctx, guide);
  if (marquee !== undefined) {
    ctx.lineWidth = 1 / z;
    ctx.strokeStyle = stage.palette.brand;
    ctx.strokeRect(marquee.x, marquee.y, marquee.w, marquee.h);
    ctx.globalAlpha = 0.08;
    ctx.fillStyle = stage.palette.brand;
    ctx.fillRect(marquee.x, marquee.y, marquee.w, marquee.h);
    ctx.globalAlpha = 1;
  }
  return ends !== undefined || guides.length > 0 || marquee !== undefined;
}

// The edge that leads to the step that may be added.
function ghostEnds(stage: Stage): { a: Point; b: Point } | undefined {
  const { ghost, scene } = stage;
  if (ghost?.from === undefined) return undefined;
  const a = scene.out(ghost.from.node, ghost.from.port);
  return a === undefined ? undefined : { a, b: { x: ghost.at.x - 1, y: ghost.at.y + CARD.middle } };
}

function dashed(
  stage: Stage,
  ctx: CanvasRenderingContext2D,
  { a, b }: { readonly a: Point; readonly b: Point },
  joined: boolean,
  port: string | undefined,
): void {
  const path = new Path2D();
  trace(path, Stage.curve(a, b, port));
  const { palette } = stage;
  ctx.strokeStyle = palette.brand;
  ctx.fillStyle = palette.brand;
  ctx.lineWidth = 2.5;
  ctx.lineCap = "round";
  ctx.setLineDash(joined ? [] : [2, 6]);
  ctx.stroke(path);
  ctx.setLineDash([]);
  ctx.lineCap = "butt";
  if (joined) {
    const heads = new Path2D();
    head(heads, b);
    ctx.fill(heads);
  } else {
    for (const p of [a, b]) {
      ctx.beginPath();
      ctx.arc(p.x, p.y, 5, 0, Math.PI * 2);
      ctx.fill();
    }
  }
}

function line(stage: Stage, ctx: CanvasRenderingContext2D, guide: Guide): void {
  const { z } = stage.view.camera;
  ctx.strokeStyle = stage.palette.brand;
  ctx.lineWidth = 1 / z;
  ctx.beginPath();
  const put = (along: number, across: number, first: boolean): void => {
    const [px, py] = guide.axis === "x" ? [across, along] : [along, across];
    if (first) ctx.moveTo(px, py);
    else ctx.lineTo(px, py);
  };
  if (guide.is === "line") {
    // A line at x runs along y.
    put(guide.from - 8, guide.at, true);
    put(guide.to + 8, guide.at, false);
  } else {
    for (const [from, to] of guide.spans) gap(ctx, guide.axis, guide.at, from, to, 4 / z);
  }
  ctx.stroke();
}

// An arrow with two bars: this gap equals the other one.
function gap(
  ctx: CanvasRenderingContext2D,
  axis: "x" | "y",
  at: number,
  from: number,
  to: number,
  bar: number,
): void {
  const put = (along: number, across: number, first: boolean): void => {
    const [px, py] = axis === "x" ? [along, across] : [across, along];
    if (first) ctx.moveTo(px, py);
    else ctx.lineTo(px, py);
  };
  put(from, at, true);
  put(to, at, false);
  for (const end of [from, to]) {
    put(end, at - bar, true);
    put(end, at + bar, false);
  }
}
