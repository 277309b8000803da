// Cards and notes seen from far: colored blocks, with titles while these can
// be read.

import type { Card } from "../core/card.ts";
import type { Box } from "../core/geometry.ts";
import type { NodeStatus } from "./api.ts";
import type { ColorName, Palette } from "./palette.ts";
import type { Stage } from "./stage.ts";

/** Below this zoom there are no titles. */
const TITLES = 0.2;

const statusColors: Readonly<Record<NodeStatus, ColorName | undefined>> = {
  idle: undefined,
  queued: "run",
  running: "run",
  waiting: "wait",
  done: "ok",
  failed: "fail",
  canceled: "skip",
  skipped: undefined,
};

export function tileColor(palette: Palette, tile: string): string {
  const name = `c-${tile}`;
  return name in palette ? String(palette[name as ColorName]) : palette["c-logic"];
}

export function statusColor(palette: Palette, status: NodeStatus | undefined): string | undefined {
  const name = statusColors[status ?? "idle"];
  return name === undefined ? undefined : palette[name];
}

export function paintFar(stage: Stage, ctx: CanvasRenderingContext2D, area: Box): void {
  const { scene, palette } = stage;
  for (const id of scene.notes.within(area)) {
    const box = scene.notes.get(id);
    if (box === undefined) continue;
    ctx.fillStyle = palette["wait-soft"];
    ctx.beginPath();
    ctx.roundRect(box.x, box.y, box.w, box.h, 10);
    ctx.fill();
  }
  for (const id of scene.cards.within(area)) {
    const box = scene.cards.get(id);
    const face = scene.faces.get(id);
    if (box !== undefined && face !== undefined) block(stage, ctx, id, box, face);
  }
}

/** One card. */
export function block(
  stage: Stage,
  ctx: CanvasRenderingContext2D,
  id: string,
  box: Box,
  face: Card,
): void {
  const { palette } = stage;
  const { z } = stage.view.camera;
  const status = stage.status.get(id)?.status;
  const color = statusColor(palette, status);
  const selected = stage.selected.nodes.has(id);
  ctx.globalAlpha = status === "skipped" || face.disabled ? 0.55 : 1;
  ctx.beginPath();
  ctx.roundRect(box.x, box.y, box.w, box.h, 12);
  ctx.fillStyle = palette.surface;
  ctx.fill();
  ctx.lineWidth = Math.max(1, (selected ? 2.5 : 1.25) / z);
  ctx.strokeStyle = selected ? palette.brand : (color ?? palette["line-2"]);
  ctx.stroke();
  ctx.fillStyle = color ?? tileColor(palette, face.tile);
  ctx.beginPath();
  if (z < TITLES) {
    ctx.roundRect(box.x + 14, box.y + 14, box.w - 28, box.h - 28, 8);
    ctx.globalAlpha *= 0.8;
    ctx.fill();
  } else {
    ctx.roundRect(box.x + 12, box.y + 12, 32, 32, 8);
    ctx.fill();
    title(ctx, palette, box, face.title);
  }
  ctx.globalAlpha = 1;
}

function title(ctx: CanvasRenderingContext2D, palette: Palette, box: Box, text: string): void {
  ctx.font = `600 17px ${palette.ui}`;
  ctx.textAlign = "left";
  ctx.textBaseline = "middle";
  ctx.fillStyle = palette.ink;
  const room = box.w - 66;
  // A guess by the number of letters: measuring thousands of titles is slow.
  const most = Math.max(3, Math.floor(room / 9));
  ctx.fillText(text.length > most ? `${text.slice(0, most - 1)}…` : text, box.x + 54, box.y + 28);
}
