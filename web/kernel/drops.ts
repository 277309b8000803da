// Drops that run along edges when a token moves. More than three at a time on
// one edge would be a blur: they show as a count.

import { t } from "./words.ts";

const RUN_MS = 750;
const MOST = 3;

export class Drops {
  readonly #starts = new Map<string, number[]>();

  get any(): boolean {
    return this.#starts.size > 0;
  }

  add(edge: string, now: number): void {
    const starts = this.#starts.get(edge) ?? [];
    // Drops of one moment follow each other at a distance.
    const last = starts.at(-1) ?? Number.NEGATIVE_INFINITY;
    starts.push(starts.length < MOST ? Math.max(now, last + 90) : now);
    this.#starts.set(edge, starts);
  }

  /** Instead of too many drops: how many. */
  rate(edge: string): string | undefined {
    const n = this.#starts.get(edge)?.length ?? 0;
    return n > MOST ? t("kernel.rate", { n }) : undefined;
  }

  /** Where the drops are, as shares of their edges. */
  at(now: number): { edge: string; share: number }[] {
    const found: { edge: string; share: number }[] = [];
    for (const [edge, starts] of this.#starts) {
      const left = starts.filter((start) => now - start < RUN_MS);
      if (left.length === 0) this.#starts.delete(edge);
      else this.#starts.set(edge, left);
      for (const start of left.slice(0, MOST)) {
        const s = Math.max(0, (now - start) / RUN_MS);
        found.push({ edge, share: s * s * (3 - 2 * s) });
      }
    }
    return found;
  }

  clear(): void {
    this.#starts.clear();
  }
}
