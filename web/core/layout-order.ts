// The order inside the layers: barycenters and swaps of neighbors, from
// several starts, keeping the order with the fewest crossings.

import type { Link, Slot } from "./layout-layers.ts";

const SWEEPS = 14;
const STALE = 6; // sweeps without gain after which a start is given up

export function orderLayers(layers: Slot[][], left: () => number): void {
  const best = { crossings: Infinity, orders: layers.flat().map((s) => [s, s.order] as const) };
  const random = generator(12_345);
  const starts = best.orders.length < 400 ? 8 : 2;
  for (let q = 0; q < starts && best.crossings > 0 && left() > 0; q++) {
    if (q === 1) for (const slots of layers) renumber(slots.reverse());
    if (q > 1) for (const slots of layers) shuffle(slots, random);
    improve(layers, q, best, left);
  }
  for (const [s, order] of best.orders) s.order = order;
  for (const slots of layers) slots.sort((a, b) => a.order - b.order);
}

type Best = { crossings: number; orders: readonly (readonly [Slot, number])[] };

function improve(layers: Slot[][], start: number, best: Best, left: () => number): void {
  let stale = 0;
  for (let k = -1; k < SWEEPS && best.crossings > 0 && stale <= STALE && left() > 0; k++) {
    if (k >= 0) sweep(layers, (k + start) % 2 === 0);
    const now = crossings(layers);
    if (now >= best.crossings) {
      stale++;
      continue;
    }
    stale = 0;
    best.crossings = now;
    best.orders = layers.flat().map((s) => [s, s.order] as const);
  }
}

/** The same numbers every time, so that a layout can be repeated. */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return state / 0x7fffffff;
  };
}

function renumber(slots: Slot[]): void {
  for (const [i, s] of slots.entries()) s.order = i;
}

function shuffle(slots: Slot[], random: () => number): void {
  for (const s of slots) s.weight = random();
  slots.sort((a, b) => a.weight - b.weight);
  renumber(slots);
}

function sweep(layers: Slot[][], down: boolean): void {
  const order = down ? layers.slice(1) : layers.slice(0, -1).reverse();
  for (const slots of order) {
    for (const s of slots) {
      const links = down ? s.up : s.down;
      let sum = 0;
      for (const l of links) sum += rank(l);
      s.weight = links.length > 0 ? sum / links.length : s.order;
    }
    slots.sort((a, b) => a.weight - b.weight || a.order - b.order);
    renumber(slots);
    if (slots.length < 80) swapNeighbors(slots);
  }
}

/** Place of the other end: its slot's order, and a little of its port. */
function rank(l: Link): number {
  return l.slot.order + l.there / 1_000;
}

function swapNeighbors(slots: Slot[]): void {
  for (let round = 0; round < 2; round++) {
    let swapped = false;
    for (let i = 0; i + 1 < slots.length; i++) {
      const p = slots[i];
      const q = slots[i + 1];
      if (p === undefined || q === undefined || gain(p, q) <= 0) continue;
      slots[i] = q;
      slots[i + 1] = p;
      q.order = i;
      p.order = i + 1;
      swapped = true;
    }
    if (!swapped) return;
  }
}

/** Crossings that go away when the two change places. */
function gain(p: Slot, q: Slot): number {
  return over(p.up, q.up) + over(p.down, q.down);
}

function over(p: readonly Link[], q: readonly Link[]): number {
  let sum = 0;
  for (const a of p) for (const b of q) sum += Math.sign(rank(a) - rank(b));
  return sum;
}

function crossings(layers: readonly Slot[][]): number {
  let sum = 0;
  for (const [i, slots] of layers.entries()) {
    const next = layers[i + 1];
    if (next !== undefined) sum += between(slots, next.length);
  }
  return sum;
}

/** Crossings between two layers, counted with a Fenwick tree. */
function between(slots: readonly Slot[], width: number): number {
  const lines: [number, number][] = [];
  for (const s of slots)
    for (const l of s.down) lines.push([s.order + l.here / 10_000, l.slot.order]);
  lines.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const tree = new Int32Array(width + 2);
  let sum = 0;
  for (const [i, [, to]] of lines.entries()) {
    let before = 0;
    for (let k = to + 1; k > 0; k -= k & -k) before += tree[k] ?? 0;
    sum += i - before;
    for (let k = to + 1; k <= width; k += k & -k) tree[k] = (tree[k] ?? 0) + 1;
  }
  return sum;
}
