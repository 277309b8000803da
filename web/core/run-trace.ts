// All events of one run in hand, with a keyframe each 500: the live state and
// the state after any event.

import type { Brief } from "./run-event.ts";
import type { RunState, Shape } from "./run-state.ts";
import { fold, startState } from "./run-state.ts";

const KEYFRAME_EVERY = 500;

/** What became of events that arrived. */
export type Added = {
  /** The ones that are new, in order; live-only ones among them. */
  readonly fresh: readonly Brief[];
  /** Numbers that are missing before what came. */
  readonly hole?: { readonly from: number; readonly to: number } | undefined;
};

export class Trace {
  readonly shape: Shape;
  readonly #events: Brief[] = [];
  readonly #keyframes: RunState[];
  #live: RunState;
  #recent: RunState;
  #early: Brief[] = [];

  constructor(shape: Shape) {
    this.shape = shape;
    this.#live = startState(shape);
    this.#recent = this.#live;
    this.#keyframes = [this.#live];
  }

  /** In order: the event of number n stands at n - 1. */
  get events(): readonly Brief[] {
    return this.#events;
  }

  get last(): number {
    return this.#events.length;
  }

  get live(): RunState {
    return this.#live;
  }

  /** Takes events in any order. What comes behind a hole waits until it is filled. */
  add(list: readonly Brief[]): Added {
    const fresh: Brief[] = [];
    this.#take(list, fresh);
    this.#takeEarly(fresh);
    if (fresh.length > 0) this.#fold(fresh);
    const first = this.#early[0];
    return first === undefined
      ? { fresh }
      : { fresh, hole: { from: this.last + 1, to: first.seq - 1 } };
  }

  /** The state after an event; beyond the last one: the state of the log's end. */
  at(seq: number): RunState {
    const end = Math.max(0, Math.min(Math.trunc(seq), this.last));
    const frame = Math.floor(end / KEYFRAME_EVERY);
    const key = this.#keyframes[frame] ?? startState(this.shape);
    // The moment that was asked for last is often the one before.
    const from = this.#recent.seq >= key.seq && this.#recent.seq <= end ? this.#recent : key;
    this.#recent = fold(this.shape, from, this.#events.slice(from.seq, end));
    return this.#recent;
  }

  /** The number of the last event that had happened at a time; 0: none. */
  seqAt(time: number): number {
    let low = 0;
    let high = this.last;
    while (low < high) {
      const middle = (low + high) >> 1;
      const e = this.#events[middle];
      if (e !== undefined && e.at <= time) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #take(list: readonly Brief[], fresh: Brief[]): void {
    for (const e of list) {
      if (e.seq === 0) {
        fresh.push(e);
      } else if (e.seq === this.last + 1) {
        this.#events.push(e);
        fresh.push(e);
      } else if (e.seq > this.last) {
        this.#early.push(e);
      }
    }
  }

  #takeEarly(fresh: Brief[]): void {
    if (this.#early.length === 0) return;
    const waiting = this.#early.sort((a, b) => a.seq - b.seq);
    this.#early = [];
    for (const e of waiting) {
      if (e.seq === this.last + 1) {
        this.#events.push(e);
        fresh.push(e);
      } else if (e.seq > this.last) {
        this.#early.push(e);
      }
    }
  }

  /**
   * Keyframes hold what the log says and nothing that was live only, so that
   * an earlier moment looks the same whoever watched it.
   */
  #fold(fresh: readonly Brief[]): void {
    this.#live = fold(this.shape, this.#live, fresh);
    let key = this.#keyframes.at(-1) ?? startState(this.shape);
    while (this.last - key.seq >= KEYFRAME_EVERY) {
      key = fold(this.shape, key, this.#events.slice(key.seq, key.seq + KEYFRAME_EVERY));
      this.#keyframes.push(key);
    }
  }
}
