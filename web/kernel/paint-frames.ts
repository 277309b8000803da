// The open containers: a tinted field with a border under everything that
// stands in them. Outer ones first.

import type { Card } from "../core/card.ts";
import type { Box } from "../core/geometry.ts";
import { statusColor, tileColor, title } from "./paint-far.ts";
import { FAR, type Stage } from "./stage.ts";

/** Below this zoom a head would be unreadable. */
const TITLES = 0.2;

const markColors = { added: "ok", changed: "wait", removed: "fail" } as const;

export function paintFrames(stage: Stage, ctx: CanvasRenderingContext2D, area: Box): void {
  const { scene } = stage;
  const ids = scene.frames.within(area);
  if (ids.length === 0) return;
  const depth = new Map(ids.map((id) => [id, scene.drawing.around(id).length]));
  ids.sort((a, b) => (depth.get(a) ?? 0) - (depth.get(b) ?? 0));
  if (stage.view.camera.z < TITLES) {
    blocks(stage, ctx, ids);
    return;
  }
  for (const id of ids) {
    const box = scene.frames.get(id);
    const face = scene.faces.get(id);
    if (box !== undefined && face !== undefined) paintFrame(stage, ctx, id, box, face);
  }
  ctx.globalAlpha = 1;
  ctx.setLineDash([]);
}

// From very far hundreds are in view: rectangles of one color in one go, since
// dashes and round corners are what costs.
function blocks(stage: Stage, ctx: CanvasRenderingContext2D, ids: readonly string[]): void {
  const { scene, palette, view } = stage;
  const paths = new Map<string, Path2D>();
  for (const id of ids) {
    const box = scene.frames.get(id);
    const face = scene.faces.get(id);
    if (box === undefined || face === undefined) continue;
    const color = stage.selected.nodes.has(id) ? palette.brand : colorOf(stage, id, face);
    const path = paths.get(color) ?? new Path2D();
    paths.set(color, path);
    path.rect(box.x, box.y, box.w, box.h);
  }
  ctx.lineWidth = 1 / view.camera.z;
  for (const [color, path] of paths) {
    ctx.fillStyle = color;
    ctx.strokeStyle = color;
    ctx.globalAlpha = 0.06;
    ctx.fill(path);
    ctx.globalAlpha = 0.6;
    ctx.stroke(path);
  }
  ctx.globalAlpha = 1;
}

/** What a comparison or a run says, else the kind. */
function colorOf(stage: Stage, id: string, face: Card): string {
  return stateColor(stage, id) ?? tileColor(stage.palette, face.tile);
}

function stateColor(stage: Stage, id: string): string | undefined {
  const mark = stage.marks.get(id);
  return mark === undefined
    ? statusColor(stage.palette, stage.status.get(id)?.status)
    : stage.palette[markColors[mark]];
}

function paintFrame(
  stage: Stage,
  ctx: CanvasRenderingContext2D,
  id: string,
  box: Box,
  face: Card,
): void {
  const { palette, view } = stage;
  const { z } = view.camera;
  const color = tileColor(palette, face.tile);
  const selected = stage.selected.nodes.has(id);
  const target = stage.into === id;
  const faint = face.disabled ? 0.5 : 1;
  const shape = new Path2D();
  shape.roundRect(box.x, box.y, box.w, box.h, 14);
  ctx.fillStyle = color;
  ctx.globalAlpha = (target ? 0.14 : 0.05) * faint;
  ctx.fill(shape);
  ctx.globalAlpha = faint;
  const status = stateColor(stage, id);
  ctx.strokeStyle = target || selected ? palette.brand : (status ?? color);
  ctx.lineWidth = Math.max((target || selected ? 2 : 1.25) * (palette.strong ? 1.5 : 1), 1 / z);
  // A border that is no state of a run is dashed, so that it is never taken for an edge.
  ctx.setLineDash(target || selected || status !== undefined ? [] : [5, 4]);
  ctx.globalAlpha = target || selected || status !== undefined ? faint : 0.7 * faint;
  ctx.stroke(shape);
  ctx.setLineDash([]);
  if (z < FAR && z >= TITLES) head(stage, ctx, box, face, color);
}

// From afar the head is painted too.
function head(
  stage: Stage,
  ctx: CanvasRenderingContext2D,
  box: Box,
  face: Card,
  color: string,
): void {
  ctx.globalAlpha = 0.85;
  ctx.fillStyle = color;
  ctx.beginPath();
  ctx.roundRect(box.x + 14, box.y + 14, 28, 28, 7);
  ctx.fill();
  ctx.globalAlpha = 1;
  title(
    ctx,
    stage.palette,
    stage.view.camera.z,
    { x: box.x + 52, y: box.y + 6, w: box.w - 60, h: 44 },
    face.title,
  );
}
