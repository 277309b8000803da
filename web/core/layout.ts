// Arranges a drawing in layers from left to right: cycles are broken, nodes
// get layers, layers an order with few crossings, and cards places with
// straight edges. Ports count: edges leave a card in the order of its ports.

import type { Point } from "./geometry.ts";
import type { Arc, Slot } from "./layout-layers.ts";
import { breakCycles, layersOf, partsOf } from "./layout-layers.ts";
import { orderLayers } from "./layout-order.ts";
import { placeRows } from "./layout-place.ts";

export type LayoutNode = { readonly id: string; readonly w: number; readonly h: number };

export type LayoutEdge = {
  readonly from: string;
  readonly to: string;
  /** Height at which the edge leaves the card, from its top. */
  readonly out: number;
  /** Height at which it enters. */
  readonly into: number;
};

export type LayoutOptions = {
  readonly gapX?: number | undefined;
  readonly gapY?: number | undefined;
  /** Milliseconds left; asked now and then. When none are left the best so far is taken. */
  readonly left?: (() => number) | undefined;
};

/** The upper left corner of each card, from 0,0. */
export function layered(
  nodes: readonly LayoutNode[],
  edges: readonly LayoutEdge[],
  options: LayoutOptions = {},
): ReadonlyMap<string, Point> {
  const gapX = options.gapX ?? 88;
  const gapY = options.gapY ?? 40;
  const left = options.left ?? (() => Infinity);
  const index = new Map(nodes.map((n, i) => [n.id, i]));
  const arcs = breakCycles(nodes.length, arcsOf(edges, index));
  const layer = layersOf(nodes.length, arcs);
  const found = new Map<string, Point>();
  let top = 0;
  for (const part of partsOf(nodes.length, arcs)) {
    const layers = slotsOf(part, nodes, arcs, layer);
    orderLayers(layers, left);
    placeRows(layers, gapY);
    top = settle(layers, nodes, { top, gapX, gapY }, found);
  }
  return found;
}

function arcsOf(edges: readonly LayoutEdge[], index: ReadonlyMap<string, number>): Arc[] {
  const arcs: Arc[] = [];
  for (const e of edges) {
    const from = index.get(e.from);
    const to = index.get(e.to);
    if (from === undefined || to === undefined || from === to) continue;
    arcs.push({ from, to, out: e.out, into: e.into, turned: false });
  }
  return arcs;
}

function slotsOf(
  part: readonly number[],
  nodes: readonly LayoutNode[],
  arcs: readonly Arc[],
  layer: Int32Array,
): Slot[][] {
  const first = Math.min(...part.map((i) => layer[i] ?? 0));
  const layers: Slot[][] = [];
  const slotOf = new Map<number, Slot>();
  const make = (at: number, node: number, h: number): Slot => {
    const slot: Slot = { layer: at, node, h, up: [], down: [], order: 0, y: 0, weight: 0 };
    while (layers.length <= at) layers.push([]);
    layers[at]?.push(slot);
    return slot;
  };
  for (const i of part) slotOf.set(i, make((layer[i] ?? 0) - first, i, nodes[i]?.h ?? 0));
  for (const a of arcs) {
    const s = slotOf.get(a.from);
    const t = slotOf.get(a.to);
    if (s === undefined || t === undefined) continue;
    let last = s;
    let here = a.out - s.h / 2;
    for (let at = s.layer + 1; at < t.layer; at++) {
      const bend = make(at, -1, 10);
      link(last, bend, here, 0);
      last = bend;
      here = 0;
    }
    link(last, t, here, a.into - t.h / 2);
  }
  for (const slots of layers) for (const [i, s] of slots.entries()) s.order = i;
  return layers;
}

function link(a: Slot, b: Slot, here: number, there: number): void {
  a.down.push({ slot: b, here, there });
  b.up.push({ slot: a, here: there, there: here });
}

type Frame = { readonly top: number; readonly gapX: number; readonly gapY: number };

/** Writes down the places of one part; returns where the next part begins. */
function settle(
  layers: readonly (readonly Slot[])[],
  nodes: readonly LayoutNode[],
  frame: Frame,
  found: Map<string, Point>,
): number {
  let least = Infinity;
  let most = -Infinity;
  for (const s of layers.flat()) {
    least = Math.min(least, s.y - s.h / 2);
    most = Math.max(most, s.y + s.h / 2);
  }
  let x = 0;
  for (const slots of layers) {
    let wide = 0;
    for (const s of slots) {
      const node = nodes[s.node];
      if (node === undefined) continue;
      wide = Math.max(wide, node.w);
      found.set(node.id, { x, y: frame.top + s.y - s.h / 2 - least });
    }
    x += (wide === 0 ? 40 : wide) + frame.gapX;
  }
  return frame.top + most - least + frame.gapY * 2;
}
