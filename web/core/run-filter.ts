// Which events the log shows. The list grows with the log: only new events are
// looked at, and a changed filter starts over.

import type { Brief } from "./run-event.ts";
import { isError, nodeOf } from "./run-event.ts";

export type Filter = {
  readonly text: string;
  /** A node key; empty: all. */
  readonly step: string;
  /** A type of event; empty: all. */
  readonly type: string;
  readonly errors: boolean;
};

export const NO_FILTER: Filter = { text: "", step: "", type: "", errors: false };

export class Filtered {
  readonly #say: (e: Brief) => string;
  #filter: Filter = NO_FILTER;
  #seen = 0;
  #list: number[] = [];

  /** Say gives the words of a row, in which a text is looked for. */
  constructor(say: (e: Brief) => string) {
    this.#say = say;
  }

  /** Indexes of the events that pass. */
  list(events: readonly Brief[], filter: Filter): readonly number[] {
    if (filter !== this.#filter || this.#seen > events.length) {
      this.#filter = filter;
      this.#seen = 0;
      this.#list = [];
    }
    const text = filter.text.trim().toLowerCase();
    for (let i = this.#seen; i < events.length; i += 1) {
      const e = events[i];
      if (e !== undefined && this.#passes(e, filter, text)) this.#list.push(i);
    }
    this.#seen = events.length;
    return this.#list;
  }

  #passes(e: Brief, filter: Filter, text: string): boolean {
    if (filter.errors && !isError(e)) return false;
    if (filter.step !== "" && nodeOf(e) !== filter.step) return false;
    if (filter.type !== "" && e.type !== filter.type) return false;
    return text === "" || this.#say(e).toLowerCase().includes(text);
  }
}

/** The place of the last index that is not behind a given one; -1: none. */
export function lastUpTo(list: readonly number[], index: number): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((list[middle] ?? Number.POSITIVE_INFINITY) <= index) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
