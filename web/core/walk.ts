// Ways through a drawing: the nearest box in a direction, what lies along the
// edges, and where a new card fits.

import type { Drawing } from "./drawing.ts";
import { grow, middle, overlaps, type Box, type Point } from "./geometry.ts";

export type Direction = "left" | "right" | "up" | "down";

/** The box that one would expect an arrow key to lead to. */
export function nearest(
  from: Box,
  boxes: Iterable<readonly [string, Box]>,
  direction: Direction,
): string | undefined {
  const a = middle(from);
  const flat = direction === "left" || direction === "right";
  const sign = direction === "left" || direction === "up" ? -1 : 1;
  let best: string | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const [id, box] of boxes) {
    const b = middle(box);
    const ahead = (flat ? b.x - a.x : b.y - a.y) * sign;
    const aside = Math.abs(flat ? b.y - a.y : b.x - a.x);
    if (ahead <= 4 || aside > ahead * 3) continue;
    const cost = ahead + aside * 2;
    if (cost < least) {
      least = cost;
      best = id;
    }
  }
  return best;
}

/** The nodes themselves and all that their edges lead to, or come from. */
export function reach(drawing: Drawing, from: Iterable<string>, upstream = false): Set<string> {
  const seen = new Set(from);
  const queue = [...seen];
  for (let id = queue.pop(); id !== undefined; id = queue.pop()) {
    for (const e of upstream ? drawing.into(id) : drawing.out(id)) {
      const next = upstream ? e.from : e.to;
      if (seen.has(next)) continue;
      seen.add(next);
      queue.push(next);
    }
  }
  return seen;
}

/** The place nearest to the wanted one where a box covers no other. */
export function freePlace(wanted: Box, taken: (area: Box) => Iterable<Box>, step = 24): Point {
  for (let ring = 0; ring < 80; ring++) {
    for (const dy of ring === 0 ? [0] : [ring * step, -ring * step]) {
      const box = { ...wanted, y: wanted.y + dy };
      const room = grow(box, 16);
      if (![...taken(room)].some((b) => overlaps(b, room))) return { x: box.x, y: box.y };
    }
  }
  return { x: wanted.x, y: wanted.y };
}
