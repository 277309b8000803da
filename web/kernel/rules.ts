// What may be joined with what, and where a new step finds room.

import { CARD, type Card } from "../core/card.ts";
import { pointAt } from "../core/curve.ts";
import { FRAME } from "../core/frame.ts";
import { type Box, distance, grow, overlaps, type Point } from "../core/geometry.ts";
import { COMPENSATE, type Spec } from "../core/graph.ts";
import { GRID } from "../core/snap.ts";
import type { PortRef } from "./api.ts";
import { frameAt } from "./hit.ts";
import type { Stage } from "./stage.ts";
import { t } from "./words.ts";

/** Why two cannot be joined; undefined: they can. Edge is the one put elsewhere. */
export function refusal(
  stage: Stage,
  from: PortRef,
  to: string,
  edge?: string,
): string | undefined {
  const { scene } = stage;
  const face = scene.faces.get(to);
  const start = scene.faces.get(from.node);
  if (face === undefined || start === undefined) return t("kernel.refused.gone");
  if (!face.input) return t("kernel.refused.entry", { title: face.title });
  const border = crossed(stage, from.node, to);
  if (border !== undefined) return border;
  if (from.port === COMPENSATE) return badUndo(stage, from.node, to, edge);
  const known = start.ports.some((w) => w.name === from.port);
  if (!known && !start.spare.some((p) => p.name === from.port)) {
    return t("kernel.refused.port", { title: start.title });
  }
  const twin = scene.drawing.outOf(from.node, from.port).some((e) => e.to === to && e.id !== edge);
  return twin ? t("kernel.refused.same") : undefined;
}

// Tokens never cross the border of a container: they enter and leave by its own ports.
function crossed(stage: Stage, from: string, to: string): string | undefined {
  const { scene } = stage;
  const { drawing } = scene;
  if (drawing.parent(from) === drawing.parent(to)) return undefined;
  const title = (id: string | undefined): string => scene.faces.get(id ?? "")?.title ?? "";
  const outside = new Set(drawing.around(from));
  // The one that stands in a container which the other does not stand in.
  const into = drawing.around(to).filter((up) => !outside.has(up));
  if (into.includes(from)) return t("kernel.refused.own", { frame: title(from) });
  if (drawing.around(from).includes(to)) return t("kernel.refused.own", { frame: title(to) });
  return into.length > 0
    ? t("kernel.refused.into", { title: title(to), frame: title(into.at(-1)) })
    : t("kernel.refused.outof", { title: title(from), frame: title(drawing.parent(from)) });
}

function badUndo(stage: Stage, from: string, to: string, edge?: string): string | undefined {
  if (from === to) return t("kernel.refused.undoSelf");
  const others = stage.scene.drawing.outOf(from, COMPENSATE).filter((e) => e.id !== edge);
  if (others.some((e) => e.to === to)) return t("kernel.refused.same");
  return others.length > 0 ? t("kernel.refused.undoTwice") : undefined;
}

/** Nodes that a port may be joined to, nearest first. */
export function targets(stage: Stage, from: PortRef): { id: string; distance: number }[] {
  const start = stage.scene.out(from.node, from.port);
  if (start === undefined) return [];
  return [...stage.scene.drawing.nodes.keys()]
    .filter((id) => refusal(stage, from, id) === undefined)
    .map((id) => ({ id, distance: distance(start, stage.scene.in(id) ?? start) }))
    .sort((a, b) => a.distance - b.distance);
}

/** Nodes whose ports a loose end may be put on, when the end is fixed. */
export function sources(stage: Stage, to: string, edge: string | undefined): ReadonlySet<string> {
  const found = new Set<string>();
  for (const [id, face] of stage.scene.faces) {
    const free = face.ports.some(
      (w) => refusal(stage, { node: id, port: w.name }, to, edge) === undefined,
    );
    if (free) found.add(id);
  }
  return found;
}

export type Near = {
  readonly from?: PortRef | undefined;
  readonly edge?: string | undefined;
  readonly at?: Point | undefined;
  /** Into this container. */
  readonly within?: string | undefined;
};

const GAP = 88;

/** The upper left corner for a new step, where it covers no other. */
export function placeFor(stage: Stage, spec: Spec, near: Near = {}): Point {
  const face = stage.scene.ghostFace(spec, undefined);
  const wanted = wantedPlace(stage, face, near);
  const { w, h } = ghostSize(face);
  const box = { x: onGrid(wanted.x), y: onGrid(wanted.y), w, h };
  if (near.at !== undefined) return { x: box.x, y: box.y };
  return freePlace(stage, box, scopeOf(stage, near));
}

/** How large a new step will be; an open container has room in it. */
export function ghostSize(face: Card): { readonly w: number; readonly h: number } {
  return face.frame ? { w: FRAME.width, h: FRAME.height } : { w: face.width, h: face.height };
}

/** The container that a new step would stand in. */
export function scopeOf(stage: Stage, near: Near): string | undefined {
  const { drawing } = stage.scene;
  if (near.within !== undefined) return near.within;
  if (near.from !== undefined) return drawing.parent(near.from.node);
  const edge = near.edge === undefined ? undefined : drawing.edges.get(near.edge);
  if (edge !== undefined) return drawing.parent(edge.to);
  return near.at === undefined ? undefined : frameAt(stage, near.at);
}

function wantedPlace(stage: Stage, face: Card, near: Near): Point {
  const { scene } = stage;
  if (near.at !== undefined) return { x: near.at.x, y: near.at.y - CARD.middle };
  const line = near.edge === undefined ? undefined : scene.lines.get(near.edge);
  if (line !== undefined) {
    const m = pointAt(line.curve, 0.5);
    return { x: m.x - face.width / 2, y: m.y - CARD.middle };
  }
  const out = near.from === undefined ? undefined : scene.out(near.from.node, near.from.port);
  if (out !== undefined && near.from?.port === COMPENSATE) return { x: out.x + 20, y: out.y + 48 };
  if (out !== undefined) return { x: out.x + GAP, y: out.y - CARD.middle };
  const frame = near.within === undefined ? undefined : scene.frames.get(near.within);
  if (frame !== undefined) return { x: frame.x + FRAME.pad, y: frame.y + FRAME.top };
  const c = stage.view.center();
  return { x: c.x - face.width / 2, y: c.y - face.height / 2 };
}

/** The place nearest to the wanted one that is free, looking down and up. */
function freePlace(stage: Stage, wanted: Box, scope: string | undefined): Point {
  const { scene } = stage;
  for (let ring = 0; ring < 80; ring++) {
    for (const dy of ring === 0 ? [0] : [ring * 24, ring * -24]) {
      const box = { ...wanted, y: wanted.y + dy };
      const room = grow(box, 16);
      const near = [...scene.cards.within(room), ...scene.frames.within(room)];
      const taken = near.some((id) => {
        const other = scene.drawing.parent(id) === scope ? scene.box(id) : undefined;
        return other !== undefined && overlaps(other, room);
      });
      if (!taken) return { x: box.x, y: box.y };
    }
  }
  return { x: wanted.x, y: wanted.y };
}

/** The middle of an edge in the world. */
export function edgeMiddle(stage: Stage, id: string): Point | undefined {
  const line = stage.scene.lines.get(id);
  return line === undefined ? undefined : pointAt(line.curve, 0.5);
}

function onGrid(n: number): number {
  return Math.round(n / GRID) * GRID;
}
