// The first half of a layout: which edges lead back, which nodes belong
// together, and in which layer each node stands.

export type Arc = {
  readonly from: number;
  readonly to: number;
  readonly out: number;
  readonly into: number;
  /** It leads back in the drawing. */
  readonly turned: boolean;
};

/** A place in a layer: a card, or a bend of an edge that crosses the layer. */
export type Slot = {
  readonly layer: number;
  /** Index of the card; -1 is a bend. */
  readonly node: number;
  readonly h: number;
  readonly up: Link[];
  readonly down: Link[];
  order: number;
  /** Middle of the slot. */
  y: number;
  /** What the order is sorted by. */
  weight: number;
};

/** A line to a slot of the next layer: where it meets this one and the other. */
export type Link = { readonly slot: Slot; readonly here: number; readonly there: number };

/** Turns around the edges that lead back, found by depth from the sources. */
export function breakCycles(n: number, arcs: readonly Arc[]): Arc[] {
  const out = adjacency(n, arcs, "from");
  const into = adjacency(n, arcs, "to");
  const isSource = (i: number): boolean => (into[i]?.length ?? 0) === 0;
  const all = [...Array(n).keys()];
  const state = new Uint8Array(n);
  const turned = new Set<Arc>();
  for (const root of [...all.filter(isSource), ...all.filter((i) => !isSource(i))]) {
    if (state[root] === 0) dive(root, out, state, turned);
  }
  return arcs.map((a) =>
    turned.has(a) ? { from: a.to, to: a.from, out: a.into, into: a.out, turned: true } : a,
  );
}

const [ON_THE_WAY, DONE] = [1, 2];

function dive(root: number, out: readonly Arc[][], state: Uint8Array, turned: Set<Arc>): void {
  const stack = [{ node: root, next: 0 }];
  state[root] = ON_THE_WAY;
  for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
    const arc = out[top.node]?.[top.next++];
    if (arc === undefined) {
      state[top.node] = DONE;
      stack.pop();
    } else if (state[arc.to] === ON_THE_WAY) {
      turned.add(arc);
    } else if (state[arc.to] === 0) {
      state[arc.to] = ON_THE_WAY;
      stack.push({ node: arc.to, next: 0 });
    }
  }
}

function adjacency(n: number, arcs: readonly Arc[], end: "from" | "to"): Arc[][] {
  const lists: Arc[][] = Array.from({ length: n }, () => []);
  for (const a of arcs) lists[a[end]]?.push(a);
  return lists;
}

/** Nodes that hang together, each part in the order of the drawing. */
export function partsOf(n: number, arcs: readonly Arc[]): number[][] {
  const out = adjacency(n, arcs, "from");
  const into = adjacency(n, arcs, "to");
  const part = new Int32Array(n).fill(-1);
  const parts: number[][] = [];
  for (let i = 0; i < n; i++) {
    if (part[i] !== -1) continue;
    const members = new Set([i]);
    for (const v of members) {
      part[v] = parts.length;
      for (const a of out[v] ?? []) members.add(a.to);
      for (const a of into[v] ?? []) members.add(a.from);
    }
    parts.push([...members].sort((a, b) => a - b));
  }
  return parts;
}

/** The longest way from a source, then tightened so that edges get short. */
export function layersOf(n: number, arcs: readonly Arc[]): Int32Array {
  const net: Net = { out: adjacency(n, arcs, "from"), into: adjacency(n, arcs, "to") };
  const order = topological(n, net.out, net.into);
  const layer = new Int32Array(n);
  for (const v of order) layer[v] = after(net.into[v] ?? [], layer);
  for (let round = 0; round < 4; round++) {
    for (const v of order.toReversed()) if (leans(net, v) >= 0) forward(net, v, layer);
    for (const v of order) if (leans(net, v) < 0) layer[v] = after(net.into[v] ?? [], layer);
  }
  return layer;
}

type Net = { readonly out: readonly Arc[][]; readonly into: readonly Arc[][] };

/** A node goes toward where more of its edges lead. */
function leans(net: Net, v: number): number {
  return (net.out[v]?.length ?? 0) - (net.into[v]?.length ?? 0);
}

function forward(net: Net, v: number, layer: Int32Array): void {
  const next = net.out[v] ?? [];
  if (next.length === 0) return;
  layer[v] = Math.max(layer[v] ?? 0, Math.min(...next.map((a) => (layer[a.to] ?? 0) - 1)));
}

function after(before: readonly Arc[], layer: Int32Array): number {
  return Math.max(0, ...before.map((a) => (layer[a.from] ?? 0) + 1));
}

function topological(n: number, out: readonly Arc[][], into: readonly Arc[][]): number[] {
  const open = into.map((list) => list.length);
  const order = [...Array(n).keys()].filter((i) => open[i] === 0);
  for (const v of order) {
    for (const a of out[v] ?? []) {
      const left = (open[a.to] ?? 0) - 1;
      open[a.to] = left;
      if (left === 0) order.push(a.to);
    }
  }
  return order;
}
