// The values that events carry: fetched when somebody looks, and kept.

import { Origins } from "../core/run-cause.ts";
import type { Brief } from "../core/run-event.ts";
import { nodeOf } from "../core/run-event.ts";
import { at, call } from "./net.ts";
import type { RunStore } from "./store.ts";

/** More are forgotten, the oldest first. */
const KEPT_MAX = 200;

export class Values {
  readonly #store: RunStore;
  readonly #kept = new Map<number, Promise<unknown>>();
  #origins: Origins | undefined;

  constructor(store: RunStore) {
    this.#store = store;
  }

  /** Which events gave each visit what it took. */
  get origins(): Origins {
    const { trace } = this.#store;
    this.#origins ??= new Origins(trace.shape, trace.events);
    this.#origins.read();
    return this.#origins;
  }

  /** The whole event. */
  event(seq: number): Promise<unknown> {
    let asked = this.#kept.get(seq);
    if (asked === undefined) {
      asked = call("GET", `/api/runs/${this.#store.info.id}/events/${seq}`);
      this.#kept.set(seq, asked);
      asked.catch(() => this.#kept.delete(seq));
      if (this.#kept.size > KEPT_MAX) {
        const oldest = this.#kept.keys().next().value;
        if (oldest !== undefined) this.#kept.delete(oldest);
      }
    }
    return asked;
  }

  /** What an event put out; one that hands on what it took leads back to that. */
  async output(e: Brief): Promise<unknown> {
    let here: Brief = e;
    for (let hops = 0; hops < 8; hops += 1) {
      const value = at(
        await this.event(here.seq),
        "data",
        here.type === "RunStarted" || here.type === "BodyStarted" ? "input" : "output",
      );
      if (value !== undefined) return value;
      const before = this.origins.of(here);
      const [only] = before;
      if (only === undefined) return undefined;
      if (before.length > 1) return this.joined(before);
      here = only;
    }
    return undefined;
  }

  /** What a visit took: one value, or an object keyed by the steps it joined. */
  async input(e: Brief): Promise<unknown> {
    const given = this.origins.of(e);
    const [only] = given;
    if (only === undefined) return undefined;
    return given.length === 1 ? this.output(only) : this.joined(given);
  }

  async joined(given: readonly Brief[]): Promise<unknown> {
    const list = await Promise.all(
      given.map(async (g) => [nodeOf(g) ?? String(g.seq), await this.output(g)] as const),
    );
    return Object.fromEntries(list);
  }
}
