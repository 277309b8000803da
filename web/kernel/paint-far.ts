// Cards and notes seen from far: colored blocks, with titles while these can
// be read.

import type { Card } from "../core/card.ts";
import { fitted, LEADING } from "../core/fit-title.ts";
import { type Box, grow } from "../core/geometry.ts";
import type { NodeStatus } from "./api.ts";
import type { ColorName, Palette } from "./palette.ts";
import type { Stage } from "./stage.ts";

/** Below this zoom there are no titles. */
const TITLES = 0.2;
/** Below this zoom blocks have no ring inside their border. */
const RINGS = 0.12;

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
  const { z } = stage.view.camera;
  for (const id of scene.notes.within(area)) {
    const box = scene.notes.get(id);
    if (box === undefined) continue;
    ctx.fillStyle = palette["wait-soft"];
    ctx.fillRect(box.x, box.y, box.w, box.h);
    const text = scene.drawing.notes.get(id)?.text ?? "";
    if (z >= TITLES) title(ctx, palette, z, grow(box, -12), text, 450);
  }
  const looks = new Map<string, Look>();
  for (const id of scene.cards.within(area)) {
    const box = scene.cards.get(id);
    const face = scene.faces.get(id);
    if (box === undefined || face === undefined) continue;
    const look = lookOf(stage, id, face, looks);
    look.cards.push({ box, title: face.title });
  }
  for (const look of looks.values()) {
    if (z < TITLES) plain(stage, ctx, look);
    else for (const card of look.cards) titled(stage, ctx, look, card.box, card.title);
  }
  ctx.globalAlpha = 1;
}

/** How a card is painted; thousands share a few looks. */
type Look = {
  readonly fill: string;
  readonly border: string;
  readonly bold: boolean;
  readonly faint: boolean;
  readonly cards: { readonly box: Box; readonly title: string }[];
};

function lookOf(stage: Stage, id: string, face: Card, looks: Map<string, Look>): Look {
  const status = stage.status.get(id)?.status ?? "idle";
  const bold = stage.selected.nodes.has(id);
  const key = `${face.tile} ${status} ${bold} ${face.disabled}`;
  const had = looks.get(key);
  if (had !== undefined) return had;
  const { palette } = stage;
  const color = statusColor(palette, status);
  const made: Look = {
    fill: color ?? tileColor(palette, face.tile),
    border: bold ? palette.brand : (color ?? palette["line-2"]),
    bold,
    faint: status === "skipped" || face.disabled,
    cards: [],
  };
  looks.set(key, made);
  return made;
}

// Rectangles only, and all of one color together, since paths and changes of
// color are what costs.
function plain(stage: Stage, ctx: CanvasRenderingContext2D, look: Look): void {
  const { z } = stage.view.camera;
  const edge = (look.bold ? 2.5 : 1) / z;
  ctx.globalAlpha = look.faint ? 0.5 : 1;
  inset(ctx, look, look.border, 0);
  if (z < RINGS) {
    inset(ctx, look, look.fill, edge);
    return;
  }
  inset(ctx, look, stage.palette.surface, edge);
  ctx.globalAlpha *= 0.8;
  inset(ctx, look, look.fill, edge + 1 / z);
}

function inset(ctx: CanvasRenderingContext2D, look: Look, color: string, by: number): void {
  ctx.fillStyle = color;
  for (const { box } of look.cards) {
    ctx.fillRect(box.x + by, box.y + by, box.w - 2 * by, box.h - 2 * by);
  }
}

/** One card of the drawing with its title, at any zoom. */
export function paintCard(
  stage: Stage,
  ctx: CanvasRenderingContext2D,
  id: string,
  box: Box | undefined,
): void {
  const face = stage.scene.faces.get(id);
  if (box === undefined || face === undefined || face.frame) return;
  titled(stage, ctx, lookOf(stage, id, face, new Map()), box, face.title);
  ctx.globalAlpha = 1;
}

function titled(
  stage: Stage,
  ctx: CanvasRenderingContext2D,
  look: Look,
  box: Box,
  text: string,
): void {
  const { palette, view } = stage;
  ctx.globalAlpha = look.faint ? 0.55 : 1;
  ctx.beginPath();
  ctx.roundRect(box.x, box.y, box.w, box.h, 12);
  ctx.fillStyle = palette.surface;
  ctx.fill();
  ctx.lineWidth = Math.max(1, (look.bold ? 2.5 : 1.25) / view.camera.z);
  ctx.strokeStyle = look.border;
  ctx.stroke();
  ctx.beginPath();
  ctx.roundRect(box.x + 8, box.y + 8, 10, box.h - 16, 5);
  ctx.fillStyle = look.fill;
  ctx.fill();
  title(ctx, palette, view.camera.z, { ...box, x: box.x + 26, w: box.w - 34 }, text);
}

/** Writes a title as large as it can be read and has room. */
export function title(
  ctx: CanvasRenderingContext2D,
  palette: Palette,
  z: number,
  { x, y, w, h }: Box,
  text: string,
  weight = 600,
): void {
  const { size, lines } = fitted(text, w, h, z);
  ctx.font = `${weight} ${size}px ${palette.ui}`;
  ctx.textAlign = "left";
  ctx.textBaseline = "middle";
  ctx.fillStyle = palette.ink;
  const step = size * LEADING;
  for (const [i, line] of lines.entries()) {
    ctx.fillText(line, x, y + h / 2 + (i - (lines.length - 1) / 2) * step);
  }
}
