// The heights inside the layers: every slot goes toward the middle of its
// neighbors, as far as order and gaps allow (pooled adjacent violators).

import type { Slot } from "./layout-layers.ts";

const ROUNDS = 24;
const ONE_SIDED = 18; // rounds that look only up or only down
const BEND_GAP = 14;

export function placeRows(layers: readonly Slot[][], gapY: number): void {
  for (const slots of layers) {
    let y = 0;
    for (const s of slots) {
      s.y = y + s.h / 2;
      y += s.h + gapY;
    }
  }
  for (let round = 0; round < ROUNDS; round++) {
    const down = round % 2 === 0;
    for (const slots of down ? layers : layers.toReversed()) {
      pull(slots, gapY, (s) => {
        if (round >= ONE_SIDED) return [...s.up, ...s.down];
        return down ? s.up : s.down;
      });
    }
  }
}

function pull(slots: readonly Slot[], gapY: number, linksOf: (s: Slot) => Slot["up"]): void {
  const wish: number[] = [];
  const weight: number[] = [];
  for (const s of slots) {
    let sum = 0;
    let total = 0;
    const links = linksOf(s);
    for (const l of links) {
      const w = straightness(s, l.slot);
      sum += (l.slot.y + l.there - l.here) * w;
      total += w;
    }
    const own = s.node < 0 ? 4 : 1 + links.length * 0.2;
    wish.push(total > 0 ? sum / total : s.y);
    weight.push(total > 0 ? own : 0.05);
  }
  pool(slots, gapY, wish, weight);
}

/** How much an edge should be straight: most between two of its bends. */
function straightness(a: Slot, b: Slot): number {
  if (a.node < 0 && b.node < 0) return 8;
  return a.node < 0 || b.node < 0 ? 2 : 1;
}

type Block = { sum: number; weight: number; mean: number; readonly offsets: number[] };

function pool(
  slots: readonly Slot[],
  gapY: number,
  wish: readonly number[],
  weight: readonly number[],
): void {
  const blocks: Block[] = [];
  let offset = 0;
  for (const [i, s] of slots.entries()) {
    const before = slots[i - 1];
    if (before !== undefined) {
      const gap = s.node < 0 || before.node < 0 ? BEND_GAP : gapY;
      offset += (before.h + s.h) / 2 + gap;
    }
    const w = weight[i] ?? 1;
    const goal = (wish[i] ?? 0) - offset;
    blocks.push({ sum: goal * w, weight: w, mean: goal, offsets: [offset] });
    merge(blocks);
  }
  let k = 0;
  for (const b of blocks) {
    for (const o of b.offsets) {
      const s = slots[k++];
      if (s !== undefined) s.y = b.mean + o;
    }
  }
}

function merge(blocks: Block[]): void {
  for (;;) {
    const last = blocks.at(-1);
    const before = blocks.at(-2);
    if (last === undefined || before === undefined || before.mean < last.mean) return;
    before.sum += last.sum;
    before.weight += last.weight;
    before.mean = before.sum / before.weight;
    before.offsets.push(...last.offsets);
    blocks.pop();
  }
}
