// Containers as they lie on the canvas: the frame around what stands in them.
// The measures are the same as in the pictures that the server draws.

import type { Drawing } from "./drawing.ts";
import type { Box } from "./geometry.ts";
import { union } from "./geometry.ts";
import type { NodeLayout, Op } from "./graph.ts";

export const FRAME = {
  /** Room between the content and the border. */
  pad: 24,
  /** Above the content: the head and some air. */
  top: 72,
  /** A frame without content. */
  width: 336,
  height: 176,
  least: 248,
} as const;

/**
 * The frame of a container; body is the box around what stands in it. A size
 * that somebody gave holds as long as the content fits; without one the frame
 * fits the content.
 */
export function frameBox(place: NodeLayout, body: Box | undefined): Box {
  const { pad, top, width, height, least } = FRAME;
  const { x, y, w = 0, h = 0 } = place;
  const own = { x, y, w: Math.max(least, w), h: Math.max(top + pad, h) };
  const sized = w > 0 && h > 0;
  if (body === undefined) return sized ? own : { x, y, w: width, h: height };
  const fit = fitting(body);
  return sized ? (union([own, fit]) ?? fit) : fit;
}

/** The frame that fits a body. */
export function fitting(body: Box): Box {
  const { pad, top, least } = FRAME;
  return {
    x: body.x - pad,
    y: body.y - top,
    w: Math.max(least, body.w + 2 * pad),
    h: body.h + top + pad,
  };
}

/** The nodes with everything that stands in them, outer ones first. */
export function withContent(drawing: Drawing, ids: Iterable<string>): Set<string> {
  const found = new Set([...ids].filter((id) => drawing.nodes.has(id)));
  for (const id of found) for (const one of drawing.held(id)) found.add(one);
  return found;
}

/** Those of the nodes that do not stand in another one of them. */
export function outermost(drawing: Drawing, ids: Iterable<string>): string[] {
  const all = new Set(ids);
  return [...all].filter((id) => !drawing.around(id).some((up) => all.has(up)));
}

/** Puts the nodes into a container ("": into none); lines that would cross a border go. */
export function enterOps(drawing: Drawing, roots: readonly string[], into: string): Op[] {
  const cut = crossing(drawing, roots, into);
  const moved = roots.filter((id) => (drawing.parent(id) ?? "") !== into);
  const value = into === "" ? {} : { value: into };
  return [
    ...cut.map((id): Op => ({ op: "edge.del", id })),
    ...moved.map((id): Op => ({ op: "node.set", id, path: "/in", ...value })),
  ];
}

/** The lines that would cross a border if the nodes went into a container. */
export function crossing(drawing: Drawing, roots: readonly string[], into: string): string[] {
  const all = new Set(roots);
  const goes = (id: string): boolean => (drawing.parent(id) ?? "") !== into;
  const cut = new Set<string>();
  for (const id of roots.filter(goes)) {
    for (const e of drawing.out(id)) if (!all.has(e.to)) cut.add(e.id);
    for (const e of drawing.into(id)) if (!all.has(e.from)) cut.add(e.id);
  }
  return [...cut];
}

/** The nearest transaction around a node; "" is the whole run. */
export function transactionOf(drawing: Drawing, id: string): string | undefined {
  const group = drawing
    .around(id)
    .find((up) => drawing.nodes.get(up)?.config?.["transaction"] === true);
  return group ?? (drawing.transaction ? "" : undefined);
}
