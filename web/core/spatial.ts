// Finds the boxes near a place: a hash of square cells.

import type { Box } from "./geometry.ts";
import { overlaps } from "./geometry.ts";

/** Side of a cell in the world. */
export const CELL = 512;

type Span = { readonly c0: number; readonly r0: number; readonly c1: number; readonly r1: number };

export class Grid<T extends { readonly box: Box }> {
  readonly #cells = new Map<string, Set<T>>();
  readonly #spans = new Map<T, Span>();

  get size(): number {
    return this.#spans.size;
  }

  /** Puts an item in, or moves it to where its box is now. */
  put(item: T): void {
    const now = span(item.box);
    const was = this.#spans.get(item);
    if (was !== undefined && same(was, now)) return;
    if (was !== undefined) this.#each(was, (key) => this.#cells.get(key)?.delete(item));
    this.#spans.set(item, now);
    this.#each(now, (key) => {
      const cell = this.#cells.get(key);
      if (cell === undefined) this.#cells.set(key, new Set([item]));
      else cell.add(item);
    });
  }

  drop(item: T): void {
    const was = this.#spans.get(item);
    if (was === undefined) return;
    this.#each(was, (key) => this.#cells.get(key)?.delete(item));
    this.#spans.delete(item);
  }

  clear(): void {
    this.#cells.clear();
    this.#spans.clear();
  }

  /** Items whose boxes overlap the box. */
  find(box: Box): T[] {
    const at = span(box);
    const cells = (at.c1 - at.c0 + 1) * (at.r1 - at.r0 + 1);
    if (cells > this.#spans.size)
      return [...this.#spans.keys()].filter((t) => overlaps(t.box, box));
    const found = new Set<T>();
    this.#each(at, (key) => {
      for (const item of this.#cells.get(key) ?? []) if (overlaps(item.box, box)) found.add(item);
    });
    return [...found];
  }

  #each(s: Span, visit: (key: string) => void): void {
    for (let c = s.c0; c <= s.c1; c++) for (let r = s.r0; r <= s.r1; r++) visit(`${c},${r}`);
  }
}

function span(b: Box): Span {
  return {
    c0: Math.floor(b.x / CELL),
    r0: Math.floor(b.y / CELL),
    c1: Math.floor((b.x + b.w) / CELL),
    r1: Math.floor((b.y + b.h) / CELL),
  };
}

function same(a: Span, b: Span): boolean {
  return a.c0 === b.c0 && a.r0 === b.r0 && a.c1 === b.c1 && a.r1 === b.r1;
}
