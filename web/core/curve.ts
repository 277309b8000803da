// The curve of an edge: one to three cubic pieces.

import type { Box, Point } from "./geometry.ts";

/** Start, two handles and end of one piece. */
export type Cubic = readonly [
  ax: number,
  ay: number,
  bx: number,
  by: number,
  cx: number,
  cy: number,
  dx: number,
  dy: number,
];

export type Curve = readonly Cubic[];

const BACK = { gap: 84, turn: 56, out: 64, edge: 8 } as const;

/**
 * The way between two points. One that leads back runs through the gap between
 * the two heights, or below both when they are alike.
 */
export function curveBetween(a: Point, b: Point): Curve {
  if (b.x < a.x - 24) {
    const alike = Math.abs(b.y - a.y) < BACK.gap;
    const lane = alike ? Math.max(a.y, b.y) + BACK.gap : (a.y + b.y) / 2;
    const right = a.x - BACK.edge;
    const left = b.x + BACK.edge;
    return [
      [a.x, a.y, a.x + BACK.turn, a.y, a.x + BACK.turn, lane, right, lane],
      [right, lane, right, lane, left, lane, left, lane],
      [left, lane, b.x - BACK.out, lane, b.x - BACK.out, b.y, b.x, b.y],
    ];
  }
  const pull = Math.max(36, Math.abs(b.x - a.x) * 0.5);
  return [[a.x, a.y, a.x + pull, a.y, b.x - pull, b.y, b.x, b.y]];
}

/** The way of an edge that leaves a card downwards. */
export function curveDown(a: Point, b: Point): Curve {
  const fall = Math.max(28, Math.abs(b.y - a.y) * 0.6);
  const pull = Math.max(28, Math.abs(b.x - a.x) * 0.4);
  return [[a.x, a.y, a.x, a.y + fall, b.x - pull, b.y, b.x, b.y]];
}

function at(c: Cubic, t: number): Point {
  const u = 1 - t;
  const p = u * u * u;
  const q = 3 * u * u * t;
  const r = 3 * u * t * t;
  const s = t * t * t;
  return {
    x: p * c[0] + q * c[2] + r * c[4] + s * c[6],
    y: p * c[1] + q * c[3] + r * c[5] + s * c[7],
  };
}

const STEPS = 20;

/** Points along the curve, close enough to treat it as straight pieces. */
export function flatten(curve: Curve): readonly Point[] {
  const points: Point[] = [];
  for (const piece of curve) {
    for (let i = points.length === 0 ? 0 : 1; i <= STEPS; i++) points.push(at(piece, i / STEPS));
  }
  return points;
}

/** The point at a share of the length, 0 to 1. */
export function pointAt(curve: Curve, share: number): Point {
  const points = flatten(curve);
  let length = 0;
  for (const [i, p] of points.entries()) length += span(points[i - 1] ?? p, p);
  let left = length * Math.min(1, Math.max(0, share));
  for (const [i, p] of points.entries()) {
    const from = points[i - 1] ?? p;
    const d = span(from, p);
    if (d >= left && d > 0) {
      return { x: from.x + ((p.x - from.x) * left) / d, y: from.y + ((p.y - from.y) * left) / d };
    }
    left -= d;
  }
  return points.at(-1) ?? { x: 0, y: 0 };
}

export function lengthOf(curve: Curve): number {
  let length = 0;
  let from: Point | undefined;
  for (const p of flatten(curve)) {
    length += span(from ?? p, p);
    from = p;
  }
  return length;
}

/** How far a point is from the curve. */
export function distanceTo(curve: Curve, p: Point): number {
  let best = Number.POSITIVE_INFINITY;
  let from: Point | undefined;
  for (const to of flatten(curve)) {
    if (from !== undefined) best = Math.min(best, toSegment(p, from, to));
    from = to;
  }
  return best;
}

/** A box that holds the whole curve. */
export function curveBox(curve: Curve): Box {
  let x0 = Number.POSITIVE_INFINITY;
  let y0 = Number.POSITIVE_INFINITY;
  let x1 = Number.NEGATIVE_INFINITY;
  let y1 = Number.NEGATIVE_INFINITY;
  for (const c of curve) {
    x0 = Math.min(x0, c[0], c[2], c[4], c[6]);
    x1 = Math.max(x1, c[0], c[2], c[4], c[6]);
    y0 = Math.min(y0, c[1], c[3], c[5], c[7]);
    y1 = Math.max(y1, c[1], c[3], c[5], c[7]);
  }
  return { x: x0, y: y0, w: x1 - x0, h: y1 - y0 };
}

function span(a: Point, b: Point): number {
  return Math.hypot(a.x - b.x, a.y - b.y);
}

function toSegment(p: Point, a: Point, b: Point): number {
  const dx = b.x - a.x;
  const dy = b.y - a.y;
  const long = dx * dx + dy * dy;
  const t = long === 0 ? 0 : Math.min(1, Math.max(0, ((p.x - a.x) * dx + (p.y - a.y) * dy) / long));
  return Math.hypot(p.x - a.x - t * dx, p.y - a.y - t * dy);
}
