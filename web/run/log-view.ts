// The log's own state: its filter, and which row is open.

import { signal } from "@preact/signals";
import { nodeOf } from "../core/run-event.ts";
import type { Filter } from "../core/run-filter.ts";
import { Filtered, lastUpTo, NO_FILTER } from "../core/run-filter.ts";
import type { RunStore } from "./store.ts";
import { eventWords } from "./words.ts";

/** Keys reach it from outside. */
export class LogView {
  readonly filter = signal<Filter>(NO_FILTER);
  /** The list keeps to its end. */
  readonly sticks = signal(true);
  /** Events that had come when the person left the end. */
  readonly seen = signal(0);
  readonly #filtered: Filtered;
  readonly #store: RunStore;

  constructor(store: RunStore) {
    this.#store = store;
    this.#filtered = new Filtered(
      (e) =>
        `${store.title(nodeOf(e))} ${nodeOf(e) ?? ""} ${e.type} ${eventWords(e)} ${e.error?.message ?? ""} ${e.worker ?? ""}`,
    );
  }

  rows(): readonly number[] {
    this.#store.version.value;
    return this.#filtered.list(this.#store.trace.events, this.filter.value);
  }

  set(change: Partial<Filter>): void {
    this.filter.value = { ...this.filter.value, ...change };
  }

  /** Opens the next or previous row, counted from the open one or the shown moment. */
  move(by: 1 | -1): void {
    const rows = this.rows();
    const { opened, cursor } = this.#store;
    const next =
      rows[Math.max(0, Math.min(rows.length - 1, placeNow(rows, opened.value, cursor.value) + by))];
    if (next !== undefined) openRow(this.#store, next);
  }
}

function placeNow(
  rows: readonly number[],
  opened: number | undefined,
  cursor: number | undefined,
): number {
  if (opened !== undefined) return lastUpTo(rows, opened);
  return cursor === undefined ? -1 : lastUpTo(rows, cursor - 1);
}

/** Opens a row, or none, and chooses its step. */
export function openRow(store: RunStore, index: number | undefined): void {
  store.opened.value = index;
  const e = index === undefined ? undefined : store.trace.events[index];
  const key = e === undefined ? undefined : nodeOf(e);
  if (key !== undefined) store.selected.value = key;
}
