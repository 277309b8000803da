// What is selected, and what a marquee catches.

import type { Box, Point } from "./geometry.ts";
import { encloses, overlaps } from "./geometry.ts";

export type Selection = {
  readonly nodes: ReadonlySet<string>;
  readonly edges: ReadonlySet<string>;
  readonly notes: ReadonlySet<string>;
};

export const NOTHING: Selection = { nodes: new Set(), edges: new Set(), notes: new Set() };

export type Kind = keyof Selection;

export function isEmpty(s: Selection): boolean {
  return s.nodes.size + s.edges.size + s.notes.size === 0;
}

export function sameSelection(a: Selection, b: Selection): boolean {
  return same(a.nodes, b.nodes) && same(a.edges, b.edges) && same(a.notes, b.notes);
}

function same(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  return a.size === b.size && [...a].every((id) => b.has(id));
}

export function only(kind: Kind, id: string): Selection {
  return { ...NOTHING, [kind]: new Set([id]) };
}

export function toggled(s: Selection, kind: Kind, id: string): Selection {
  const next = new Set(s[kind]);
  if (!next.delete(id)) next.add(id);
  return { ...s, [kind]: next };
}

export function both(a: Selection, b: Selection): Selection {
  return {
    nodes: new Set([...a.nodes, ...b.nodes]),
    edges: new Set([...a.edges, ...b.edges]),
    notes: new Set([...a.notes, ...b.notes]),
  };
}

/** From left to right a marquee has to enclose, from right to left to touch. */
export function touches(from: Point, to: Point): boolean {
  return to.x < from.x;
}

export function caught(marquee: Box, touch: boolean, box: Box): boolean {
  return touch ? overlaps(marquee, box) : encloses(marquee, box);
}
