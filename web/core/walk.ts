// Ways through the drawing: to the nearest card, along edges, up and down the
// stream, and the order in which a reader would go.

import type { Drawing } from "./drawing.ts";
import type { Box } from "./geometry.ts";
import { middle } from "./geometry.ts";

export type Direction = "left" | "right" | "up" | "down";

/** The nearest box in a direction: near along it counts more than straight. */
export function nearestToward(
  from: Box,
  direction: Direction,
  boxes: Iterable<readonly [string, Box]>,
): string | undefined {
  const a = middle(from);
  let best: string | undefined;
  let least = Infinity;
  for (const [id, box] of boxes) {
    const b = middle(box);
    const ahead = toward(direction, b.x - a.x, b.y - a.y);
    const aside =
      direction === "left" || direction === "right" ? Math.abs(b.y - a.y) : Math.abs(b.x - a.x);
    // What lies further aside than ahead belongs to another direction.
    if (ahead <= 1 || aside > ahead * 2.5) continue;
    const cost = ahead + aside * 2;
    if (cost < least) {
      least = cost;
      best = id;
    }
  }
  return best;
}

function toward(direction: Direction, dx: number, dy: number): number {
  switch (direction) {
    case "left":
      return -dx;
    case "right":
      return dx;
    case "up":
      return -dy;
    case "down":
      return dy;
  }
}

/** Everything that can be reached from the ids, with them. */
export function downstream(drawing: Drawing, ids: Iterable<string>): Set<string> {
  return reach(ids, (id) => [...drawing.out(id)].map((e) => e.to));
}

/** Everything from which the ids can be reached, with them. */
export function upstream(drawing: Drawing, ids: Iterable<string>): Set<string> {
  return reach(ids, (id) => [...drawing.into(id)].map((e) => e.from));
}

function reach(ids: Iterable<string>, next: (id: string) => readonly string[]): Set<string> {
  const found = new Set(ids);
  // A set may grow while it is walked through.
  for (const id of found) for (const to of next(id)) found.add(to);
  return found;
}

/** Neighbors along edges, from top to bottom; to cycle through. */
export function alongEdges(drawing: Drawing, id: string, down: boolean): string[] {
  const ends = down
    ? [...drawing.out(id)].map((e) => e.to)
    : [...drawing.into(id)].map((e) => e.from);
  return [...new Set(ends)].sort((a, b) => drawing.place(a).y - drawing.place(b).y);
}

/**
 * All nodes as a reader meets them: from the starts along the edges, breadth
 * first and from top to bottom; what no start reaches comes last, and what
 * stands in a container comes right behind it.
 */
export function readingOrder(drawing: Drawing): string[] {
  const scopes = new Map<string | undefined, string[]>();
  for (const id of drawing.nodes.keys()) {
    const up = drawing.parent(id);
    const list = scopes.get(up);
    if (list === undefined) scopes.set(up, [id]);
    else list.push(id);
  }
  const found: string[] = [];
  const read = (up: string | undefined): void => {
    for (const id of inScope(drawing, scopes.get(up) ?? [])) {
      found.push(id);
      if (scopes.has(id)) read(id);
    }
  };
  read(undefined);
  return found;
}

/** The nodes of one scope; what stands in a container follows it. */
function inScope(drawing: Drawing, ids: readonly string[]): string[] {
  const byPlace = (a: string, b: string): number => {
    const p = drawing.place(a);
    const q = drawing.place(b);
    return p.x - q.x || p.y - q.y;
  };
  const all = [...ids].sort(byPlace);
  const here = new Set(all);
  const next = (id: string): readonly string[] =>
    alongEdges(drawing, id, true).filter((to) => here.has(to));
  const starts = all.filter((id) => drawing.into(id).size === 0);
  const found = reach(starts, next);
  for (const id of all) if (!found.has(id)) for (const more of reach([id], next)) found.add(more);
  return [...found];
}
