// What is under a point of the world. Asked of the geometry, not of the
// elements: so it is the same near and far, and costs no layout.

import { CARD } from "../core/card.ts";
import { distanceTo, flatten } from "../core/curve.ts";
import { contains, distance, grow, type Point } from "../core/geometry.ts";
import type { Grip, Target, Touch } from "../core/gesture.ts";
import { pillAt } from "./labels.ts";
import { FAR, type Stage } from "./stage.ts";

/** Reach in screen pixels, for a mouse and for a finger. */
const REACH = {
  mouse: { port: 11, edge: 8, end: 26, border: 6 },
  touch: { port: 22, edge: 16, end: 34, border: 14 },
} as const;

const CORNER = 16;

export function hit(stage: Stage, at: Point, touch: keyof typeof REACH): Target {
  const { z } = stage.view.camera;
  const reach = REACH[touch];
  return (
    (z >= FAR ? portAt(stage, at, Math.max(reach.port / z, 9)) : undefined) ??
    cardAt(stage, at) ??
    headAt(stage, at, reach.border / z) ??
    edgeAt(stage, at, reach.edge / z, reach.end / z) ??
    noteAt(stage, at, CORNER / Math.min(1, z)) ?? { is: "ground" }
  );
}

function portAt(stage: Stage, at: Point, reach: number): Target | undefined {
  const { scene } = stage;
  let best: Target | undefined;
  let least = reach;
  const consider = (d: number, target: Target): void => {
    if (d > least) return;
    least = d;
    best = target;
  };
  const area = grow({ ...at, w: 0, h: 0 }, reach);
  for (const id of [...scene.cards.within(area), ...scene.frames.within(area)]) {
    const face = scene.faces.get(id);
    const box = scene.box(id);
    if (face === undefined || box === undefined) continue;
    if (face.input) {
      consider(distance(at, { x: box.x, y: box.y + CARD.middle }), { is: "input", id });
    }
    for (const way of face.ports) {
      const port = { x: box.x + box.w, y: box.y + way.y };
      consider(distance(at, port), { is: "port", id, port: way.name });
    }
  }
  return best;
}

/** The card under a point; the selected one first, then the one drawn last. */
export function cardAt(stage: Stage, at: Point): Target | undefined {
  let found: string | undefined;
  for (const id of stage.scene.cards.within({ ...at, w: 1, h: 1 })) {
    const box = stage.scene.cards.get(id);
    if (box === undefined || !contains(box, at)) continue;
    if (stage.selected.nodes.has(id)) return { is: "node", id };
    found = id;
  }
  return found === undefined ? undefined : { is: "node", id: found };
}

/** The innermost open container at a point; those in skip do not count. */
export function frameAt(
  stage: Stage,
  at: Point,
  skip: ReadonlySet<string> = new Set(),
): string | undefined {
  const { scene } = stage;
  let best: string | undefined;
  let deepest = -1;
  for (const id of scene.frames.within({ ...at, w: 1, h: 1 })) {
    const depth = scene.drawing.around(id).length;
    if (skip.has(id) || depth <= deepest) continue;
    deepest = depth;
    best = id;
  }
  return best;
}

// A frame is taken by its head, and made larger by its border. What lies
// inside is ground.
function headAt(stage: Stage, at: Point, border: number): Target | undefined {
  const { scene } = stage;
  let found: Target | undefined;
  let deepest = -1;
  for (const id of scene.frames.within(grow({ ...at, w: 0, h: 0 }, border))) {
    const box = scene.frames.get(id);
    const depth = scene.drawing.around(id).length;
    if (box === undefined || depth <= deepest) continue;
    const near = { x: at.x - box.x, y: at.y - box.y };
    const grip = stage.readOnly ? undefined : gripAt(box.w, box.h, near, border);
    const inside = contains(box, at) && near.y <= CARD.head;
    if (grip === undefined && !inside) continue;
    deepest = depth;
    found = grip === undefined ? { is: "node", id } : { is: "node", id, grip };
  }
  return found;
}

function gripAt(w: number, h: number, at: Point, border: number): Grip | undefined {
  const side = (v: number, size: number, near: number): number =>
    Number(Math.abs(v - size) <= near) - Number(Math.abs(v) <= near);
  // Near a corner both sides are meant.
  const on = side(at.x, w, border) !== 0 || side(at.y, h, border) !== 0;
  if (!on) return undefined;
  const x = side(at.x, w, border * 2.5);
  const y = side(at.y, h, border * 2.5);
  return `${["n", "", "s"][y + 1]}${["w", "", "e"][x + 1]}` as Grip;
}

/** The edge nearest to a point; but one, and not of these nodes. */
export function lineAt(
  stage: Stage,
  at: Point,
  reach: number,
  skip: ReadonlySet<string> = new Set(),
): string | undefined {
  let best: string | undefined;
  let least = reach;
  for (const id of stage.scene.linesWithin(grow({ ...at, w: 0, h: 0 }, reach))) {
    const line = stage.scene.lines.get(id);
    if (line === undefined || skip.has(line.edge.from) || skip.has(line.edge.to)) continue;
    const d = distanceTo(line.curve, at);
    if (d > least) continue;
    least = d;
    best = id;
  }
  return best;
}

function edgeAt(stage: Stage, at: Point, reach: number, end: number): Target | undefined {
  const id = lineAt(stage, at, reach) ?? pillAt(stage, at);
  const line = id === undefined ? undefined : stage.scene.lines.get(id);
  if (id === undefined || line === undefined) return undefined;
  if (stage.readOnly) return { is: "edge", id };
  const points = flatten(line.curve);
  const a = points[0] ?? at;
  // On a short edge the ends leave room for its middle.
  const room = Math.min(end, distance(a, line.end) / 3);
  if (distance(at, line.end) < room) return { is: "edge", id, end: "to" };
  if (distance(at, a) < room) return { is: "edge", id, end: "from" };
  return { is: "edge", id };
}

function noteAt(stage: Stage, at: Point, corner: number): Target | undefined {
  let found: Target | undefined;
  for (const id of stage.scene.notes.within({ ...at, w: 1, h: 1 })) {
    const box = stage.scene.notes.get(id);
    if (box === undefined || !contains(box, at)) continue;
    const inCorner = box.x + box.w - at.x < corner && box.y + box.h - at.y < corner;
    found = inCorner && !stage.readOnly ? { is: "note", id, corner: true } : { is: "note", id };
  }
  return found;
}

export function touchOf(event: PointerEvent): Touch {
  return event.pointerType === "touch" ? "touch" : "mouse";
}

/** A spare port hangs below its card and is an element only. */
export function spareOf(target: EventTarget | null): Target | undefined {
  const spare = target instanceof Element ? target.closest<HTMLElement>(".k-spare,.k-undo") : null;
  const port = spare?.dataset["port"];
  const id = spare?.closest<HTMLElement>(".k-card")?.dataset["id"];
  return port === undefined || id === undefined ? undefined : { is: "port", id, port };
}
