// Where dragged cards come to rest: in line with their neighbors, at equal
// gaps, or on the grid.

import type { Box } from "./geometry.ts";
import { middle } from "./geometry.ts";

export const GRID = 8;

/** How near, in screen pixels, a line has to be to pull. */
export const REACH = 6;

export type Guide =
  /** Edges or centers are in line at x or y = at, from one end to the other. */
  | {
      readonly is: "line";
      readonly axis: Axis;
      readonly at: number;
      readonly from: number;
      readonly to: number;
    }
  /** Equal gaps along the axis, at the height "at" across it. */
  | {
      readonly is: "gap";
      readonly axis: Axis;
      readonly at: number;
      readonly spans: readonly (readonly [number, number])[];
    };

export type Axis = "x" | "y";

export type Snapped = {
  readonly dx: number;
  readonly dy: number;
  readonly guides: readonly Guide[];
};

/**
 * The way that the moving box should go instead of dx, dy. Reach is in world
 * units. Neighbors are boxes that do not move; pass the ones near by.
 */
export function snap(
  start: Box,
  dx: number,
  dy: number,
  neighbors: readonly Box[],
  reach: number,
): Snapped {
  const moved = { ...start, x: start.x + dx, y: start.y + dy };
  const x = pull("x", moved, neighbors, reach) ?? onGrid(moved.x);
  const y = pull("y", moved, neighbors, reach) ?? onGrid(moved.y);
  const to = { ...moved, x: moved.x + x, y: moved.y + y };
  const rest = { ...to, x: Math.round(to.x), y: Math.round(to.y) };
  return {
    dx: rest.x - start.x,
    dy: rest.y - start.y,
    guides: [...guidesOf("x", rest, neighbors), ...guidesOf("y", rest, neighbors)],
  };
}

/** Without snapping: whole pixels only. */
export function loose(dx: number, dy: number): Snapped {
  return { dx: Math.round(dx), dy: Math.round(dy), guides: [] };
}

function onGrid(v: number): number {
  return Math.round(v / GRID) * GRID - v;
}

// A box seen along one axis: where it begins, its length, and across.
type Side = {
  readonly at: number;
  readonly size: number;
  readonly across: number;
  readonly depth: number;
};

function side(axis: Axis, b: Box): Side {
  return axis === "x"
    ? { at: b.x, size: b.w, across: b.y, depth: b.h }
    : { at: b.y, size: b.h, across: b.x, depth: b.w };
}

function pull(
  axis: Axis,
  moved: Box,
  neighbors: readonly Box[],
  reach: number,
): number | undefined {
  const m = side(axis, moved);
  let best: number | undefined;
  const consider = (shift: number): void => {
    if (Math.abs(shift) <= reach && (best === undefined || Math.abs(shift) < Math.abs(best)))
      best = shift;
  };
  for (const b of neighbors) {
    const n = side(axis, b);
    consider(n.at - m.at);
    consider(n.at + n.size - m.at - m.size);
    consider(n.at + n.size / 2 - m.at - m.size / 2);
  }
  for (const at of gapPlaces(m, row(axis, m, neighbors))) consider(at - m.at);
  return best;
}

/** Neighbors beside the moving box, in order along the axis. */
function row(axis: Axis, m: Side, neighbors: readonly Box[]): Side[] {
  return neighbors
    .map((b) => side(axis, b))
    .filter((n) => n.across < m.across + m.depth && n.across + n.depth > m.across)
    .sort((a, b) => a.at - b.at);
}

/** Places at which the gaps to both neighbors, or to the next two, are equal. */
function gapPlaces(m: Side, beside: readonly Side[]): number[] {
  const places: number[] = [];
  for (const [i, a] of beside.entries()) {
    const b = beside[i + 1];
    if (b === undefined) break;
    const gap = b.at - a.at - a.size;
    if (gap <= 0) continue;
    if (gap > m.size) places.push(a.at + a.size + (gap - m.size) / 2);
    places.push(b.at + b.size + gap, a.at - gap - m.size);
  }
  return places;
}

function guidesOf(axis: Axis, rest: Box, neighbors: readonly Box[]): Guide[] {
  return [...linesOf(axis, rest, neighbors), ...gapsOf(axis, rest, neighbors)];
}

function linesOf(axis: Axis, rest: Box, neighbors: readonly Box[]): Guide[] {
  const m = side(axis, rest);
  const found = new Map<number, { from: number; to: number }>();
  for (const b of neighbors) {
    const n = side(axis, b);
    for (const part of [0, 0.5, 1]) {
      const at = m.at + m.size * part;
      if (Math.abs(n.at + n.size * part - at) > 0.5) continue;
      const line = found.get(at) ?? { from: m.across, to: m.across + m.depth };
      found.set(at, {
        from: Math.min(line.from, n.across),
        to: Math.max(line.to, n.across + n.depth),
      });
    }
  }
  return [...found].map(([at, line]) => ({ is: "line", axis, at, ...line }));
}

function gapsOf(axis: Axis, rest: Box, neighbors: readonly Box[]): Guide[] {
  const m = side(axis, rest);
  const beside = row(axis, m, neighbors);
  const center = middle(rest);
  const at = axis === "x" ? center.y : center.x;
  const before = beside.filter((n) => n.at + n.size <= m.at);
  const after = beside.filter((n) => n.at >= m.at + m.size);
  const a = before.at(-1);
  const b = after[0];
  const rows = [
    [a, m, b],
    [before.at(-2), a, m],
    [m, b, after[1]],
  ];
  for (const [p, q, r] of rows) {
    if (p === undefined || q === undefined || r === undefined) continue;
    const spans = [[p.at + p.size, q.at] as const, [q.at + q.size, r.at] as const];
    const [first = 0, second = 0] = spans.map(([from, to]) => to - from);
    if (first > 0 && Math.abs(first - second) <= 1) return [{ is: "gap", axis, at, spans }];
  }
  return [];
}
