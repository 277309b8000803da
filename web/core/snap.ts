// Where a dragged box comes to rest: in line with a neighbor when one is
// close, else on the grid.

import type { Box } from "./geometry.ts";

export const GRID = 8;

/** A line that shows what a box is aligned with. */
export type Guide = {
  readonly axis: "x" | "y";
  readonly at: number;
  readonly from: number;
  readonly to: number;
};

export type Snapped = {
  readonly dx: number;
  readonly dy: number;
  readonly guides: readonly Guide[];
};

/**
 * Corrects a distance. box is what is dragged, at its start; others are the
 * boxes to align with; reach is how close they have to be.
 */
export function snap(
  box: Box,
  dx: number,
  dy: number,
  others: Iterable<Box>,
  reach: number,
): Snapped {
  const moved = { ...box, x: box.x + dx, y: box.y + dy };
  const near = [...others];
  const x = align(moved, near, "x", reach);
  const y = align(moved, near, "y", reach);
  return {
    dx: x === undefined ? onGrid(moved.x) - box.x : dx + x.by,
    dy: y === undefined ? onGrid(moved.y) - box.y : dy + y.by,
    guides: [x?.guide, y?.guide].filter((g) => g !== undefined),
  };
}

export function onGrid(n: number): number {
  return Math.round(n / GRID) * GRID;
}

type Aligned = { readonly by: number; readonly guide: Guide };

function align(
  box: Box,
  others: readonly Box[],
  axis: "x" | "y",
  reach: number,
): Aligned | undefined {
  let best: Aligned | undefined;
  for (const other of others) {
    for (const [mine, theirs] of pairs(box, other, axis)) {
      const by = theirs - mine;
      if (Math.abs(by) > reach || (best !== undefined && Math.abs(by) >= Math.abs(best.by)))
        continue;
      best = { by, guide: guideOf(box, other, axis, theirs) };
    }
  }
  return best;
}

// Upper sides carry the line of the ports, so these are compared first; then
// the far sides. Middles of cards of different heights align nothing.
function pairs(a: Box, b: Box, axis: "x" | "y"): readonly (readonly [number, number])[] {
  if (axis === "x") {
    return [
      [a.x, b.x],
      [a.x + a.w, b.x + b.w],
    ];
  }
  return [
    [a.y, b.y],
    [a.y + a.h, b.y + b.h],
  ];
}

function guideOf(a: Box, b: Box, axis: "x" | "y", at: number): Guide {
  const [p, q, n] = axis === "x" ? ([a.y, b.y, "h"] as const) : ([a.x, b.x, "w"] as const);
  return { axis, at, from: Math.min(p, q), to: Math.max(p + a[n], q + b[n]) };
}
