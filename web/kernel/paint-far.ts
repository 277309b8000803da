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
  ctx.fillStyle = palette["wait-soft"];
  for (const id of scene.notes.within(area)) {
    const box = scene.notes.get(id);
    if (box !== undefined) ctx.fillRect(box.x, box.y, box.w, box.h);
  }
  const blocks: Block[] = [];
  for (const id of scene.cards.within(area)) {
    const box = scene.cards.get(id);
    const face = scene.faces.get(id);
    if (box !== undefined && face !== undefined) blocks.push(blockOf(stage, id, box, face));
  }
  if (stage.view.camera.z < TITLES) plain(stage, ctx, blocks);
  else for (const b of blocks) titled(stage, ctx, b);
}

/** What is painted of one card. */
export type Block = {
  readonly box: Box;
  readonly face: Card;
  readonly fill: string;
  readonly border: string;
  readonly bold: boolean;
  readonly faint: boolean;
};

export function blockOf(stage: Stage, id: string, box: Box, face: Card): Block {
  const { palette } = stage;
  const status = stage.status.get(id)?.status;
  const color = statusColor(palette, status);
  const bold = stage.selected.nodes.has(id);
  return {
    box,
    face,
    fill: color ?? tileColor(palette, face.tile),
    border: bold ? palette.brand : (color ?? palette["line-2"]),
    bold,
    faint: status === "skipped" || face.disabled,
  };
}

// Thousands at a time: rectangles only, and one look after the other, since
// paths and changes of color are what costs.
function plain(stage: Stage, ctx: CanvasRenderingContext2D, blocks: readonly Block[]): void {
  const pixel = 1 / stage.view.camera.z;
  for (const list of byLook(blocks)) {
    const [first] = list;
    if (first === undefined) continue;
    const { border, fill, bold, faint } = first;
    const edge = (bold ? 2.5 : 1) * pixel;
    ctx.globalAlpha = faint ? 0.5 : 1;
    inset(ctx, list, border, 0);
    inset(ctx, list, stage.palette.surface, edge);
    ctx.globalAlpha *= 0.8;
    inset(ctx, list, fill, edge + pixel);
  }
  ctx.globalAlpha = 1;
}

function byLook(blocks: readonly Block[]): Iterable<readonly Block[]> {
  const looks = new Map<string, Block[]>();
  for (const b of blocks) {
    const key = `${b.faint ? 1 : 0}${b.bold ? 1 : 0}${b.border}${b.fill}`;
    const list = looks.get(key);
    if (list === undefined) looks.set(key, [b]);
    else list.push(b);
  }
  return looks.values();
}

function inset(
  ctx: CanvasRenderingContext2D,
  list: readonly Block[],
  color: string,
  by: number,
): void {
  ctx.fillStyle = color;
  for (const { box } of list) ctx.fillRect(box.x + by, box.y + by, box.w - 2 * by, box.h - 2 * by);
}

/** One card with its title. */
export function titled(stage: Stage, ctx: CanvasRenderingContext2D, b: Block): void {
  const { palette, view } = stage;
  const { box } = b;
  ctx.globalAlpha = b.faint ? 0.55 : 1;
  ctx.beginPath();
  ctx.roundRect(box.x, box.y, box.w, box.h, 12);
  ctx.fillStyle = palette.surface;
  ctx.fill();
  ctx.lineWidth = Math.max(1, (b.bold ? 2.5 : 1.25) / view.camera.z);
  ctx.strokeStyle = b.border;
  ctx.stroke();
  ctx.beginPath();
  ctx.roundRect(box.x + 12, box.y + 12, 32, 32, 8);
  ctx.fillStyle = b.fill;
  ctx.fill();
  title(ctx, palette, box, b.face.title);
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
