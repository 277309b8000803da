// Tidy: the layered layout as moves of the drawing's steps.

import type { Card } from "./card.ts";
import { cardOf, unknownSpec } from "./card.ts";
import type { Drawing } from "./drawing.ts";
import { union } from "./geometry.ts";
import type { Op, Spec } from "./graph.ts";
import type { LayoutEdge } from "./layout.ts";
import { layered } from "./layout.ts";
import { GRID } from "./snap.ts";

/** Milliseconds that a layout may take; after that the best so far counts. */
export const TIDY_BUDGET = 300;

/**
 * Moves that arrange the steps, or these alone. The upper left corner stays
 * where it was. Left tells the milliseconds left.
 */
export function tidy(
  drawing: Drawing,
  spec: (kind: string) => Spec | undefined,
  ids: Iterable<string> = drawing.nodes.keys(),
  left: () => number = () => Infinity,
): readonly Op[] {
  const cards = new Map<string, Card>();
  for (const id of ids) {
    const node = drawing.nodes.get(id);
    if (node === undefined) continue;
    const used = new Set([...drawing.out(id)].map((e) => e.port));
    cards.set(id, cardOf(node, drawing.place(id), spec(node.kind) ?? unknownSpec(node.kind), used));
  }
  // A card may carry a line under it during a run: the layout leaves room.
  const nodes = inOrder(drawing, cards).map(([id, c]) => ({ id, w: c.width, h: c.height + 12 }));
  const places = layered(nodes, edgesOf(drawing, cards), { left });
  const corner = union([...cards.keys()].map((id) => ({ ...drawing.place(id), w: 0, h: 0 })));
  const ops: Op[] = [];
  for (const [id, p] of places) {
    const x = onGrid((corner?.x ?? 0) + p.x);
    const y = onGrid((corner?.y ?? 0) + p.y);
    const was = drawing.place(id);
    if (was.x !== x || was.y !== y) ops.push({ op: "node.move", id, value: { x, y } });
  }
  return ops;
}

/** From top to bottom as they lie now, so that a layout keeps what it can. */
function inOrder(drawing: Drawing, cards: ReadonlyMap<string, Card>): (readonly [string, Card])[] {
  return [...cards].sort(([a], [b]) => {
    const p = drawing.place(a);
    const q = drawing.place(b);
    return p.y - q.y || p.x - q.x;
  });
}

function edgesOf(drawing: Drawing, cards: ReadonlyMap<string, Card>): LayoutEdge[] {
  const edges: LayoutEdge[] = [];
  for (const [id, card] of cards) {
    for (const e of drawing.out(id)) {
      const to = cards.get(e.to);
      const out = card.ports.find((p) => p.name === e.port)?.y ?? card.height;
      if (to !== undefined) edges.push({ from: id, to: e.to, out, into: 28 });
    }
  }
  return edges;
}

function onGrid(v: number): number {
  return Math.round(v / GRID) * GRID;
}
