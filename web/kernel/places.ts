// Boxes by id, findable by place.

import type { Box } from "../core/geometry.ts";
import { Grid } from "../core/spatial.ts";

type Item = { readonly id: string; box: Box };

export class Places {
  readonly #items = new Map<string, Item>();
  readonly #grid = new Grid<Item>();

  get(id: string): Box | undefined {
    return this.#items.get(id)?.box;
  }

  /** Puts a box in, or in the place of the one with its id. */
  put(id: string, box: Box): void {
    const item = this.#items.get(id) ?? { id, box };
    item.box = box;
    this.#items.set(id, item);
    this.#grid.put(item);
  }

  drop(id: string): void {
    const item = this.#items.get(id);
    if (item === undefined) return;
    this.#grid.drop(item);
    this.#items.delete(id);
  }

  clear(): void {
    this.#grid.clear();
    this.#items.clear();
  }

  /** Ids of the boxes that overlap an area. */
  within(area: Box): string[] {
    return this.#grid.find(area).map((item) => item.id);
  }

  /** All of them. */
  *entries(): IterableIterator<readonly [string, Box]> {
    for (const { id, box } of this.#items.values()) yield [id, box];
  }
}
