// Drops that run along edges when a token moves, all at one speed. More than
// three at a time on one edge would be a blur: they show as a rate.

import { t } from "./words.ts";

/** World units in a millisecond. */
const SPEED = 0.32;
const MOST = 3;
/** Drops of one moment follow each other at this distance, in milliseconds. */
const APART = 120;
const SECOND = 1000;

type Flow = { flying: { start: number; ms: number }[]; recent: number[]; crowded: number };

export class Drops {
  readonly #flows = new Map<string, Flow>();

  get any(): boolean {
    return this.#flows.size > 0;
  }

  /** Sends a drop along an edge of this length. */
  add(edge: string, length: number, now: number): void {
    const flow = this.#flows.get(edge) ?? { flying: [], recent: [], crowded: -Infinity };
    this.#flows.set(edge, flow);
    flow.recent.push(now);
    if (flow.flying.length >= MOST) {
      flow.crowded = now;
      return;
    }
    const last = flow.flying.at(-1)?.start ?? -Infinity;
    flow.flying.push({ start: Math.max(now, last + APART), ms: Math.max(120, length / SPEED) });
  }

  /** Instead of too many drops: how many in the last second. */
  rate(edge: string, now: number): string | undefined {
    const flow = this.#flows.get(edge);
    if (flow === undefined || now - flow.crowded > SECOND) return undefined;
    return t("kernel.rate", { n: flow.recent.length });
  }

  /** Where the drops are, as shares of their edges. */
  at(now: number): { edge: string; share: number }[] {
    const found: { edge: string; share: number }[] = [];
    for (const [edge, flow] of this.#flows) {
      flow.flying = flow.flying.filter((d) => now - d.start < d.ms);
      flow.recent = flow.recent.filter((at) => now - at < SECOND);
      if (flow.flying.length === 0 && now - flow.crowded > SECOND) this.#flows.delete(edge);
      for (const d of flow.flying) {
        if (now >= d.start) found.push({ edge, share: (now - d.start) / d.ms });
      }
    }
    return found;
  }

  clear(): void {
    this.#flows.clear();
  }
}
