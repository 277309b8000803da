// Where the label of an edge stands: on its line, where it covers no card, as
// wide as there is room. The server's pictures do the same.

import { type Curve, pointAt } from "./curve.ts";
import type { Box, Point } from "./geometry.ts";

export const LABEL = {
  height: 19,
  /** At either side of the text. */
  pad: 8,
  widest: 190,
} as const;

/** Between a label and a card above it, below it, whose badges ride on its edge, and beside it, where ports are. */
const gap = { above: 3, below: 10, beside: 8 } as const;
/** Less says nothing, and less than the second is a reason to look beside the line. */
const least = [48, 90] as const;
/** Places on a line by their share of its length, and beside its middle, in the order in which they are tried. */
const along = [0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8];
const beside = [-48, 42, -64, 58];

export type Spot = {
  readonly at: Point;
  readonly room: number;
  /** Where the line is, when the label stands beside it. */
  readonly tie?: Point;
};

/** The best place for a label of this width, and how much of it fits; undefined: nothing can be read there. */
export function spotOn(
  curve: Curve,
  wanted: number,
  things: readonly Box[],
  middle = true,
): Spot | undefined {
  let best: Spot | undefined;
  const offer = (at: Point, tie?: Point): void => {
    const room = Math.min(wanted, roomAt(at, things));
    if (room > (best?.room ?? 0)) best = tie === undefined ? { at, room } : { at, room, tie };
  };
  for (const share of middle ? along : along.slice(1)) offer(pointAt(curve, share));
  const tie = pointAt(curve, 0.5);
  for (const dy of beside) {
    if (best !== undefined && best.room >= Math.min(wanted, least[1])) break;
    offer({ x: tie.x, y: tie.y + dy }, tie);
  }
  return best !== undefined && best.room >= Math.min(wanted, least[0]) ? best : undefined;
}

/** How wide a label around a point may be. */
function roomAt(at: Point, things: readonly Box[]): number {
  const top = at.y - LABEL.height / 2;
  let half = LABEL.widest / 2;
  for (const c of things) {
    if (top + LABEL.height + gap.below <= c.y || top - gap.above >= c.y + c.h) continue;
    half = Math.min(half, Math.max(c.x - at.x, at.x - c.x - c.w) - gap.beside);
  }
  return 2 * half;
}
