// The values that events carry: fetched when somebody looks, and kept.

import { Origins } from "../core/run-cause.ts";
import type { Brief } from "../core/run-event.ts";
import { nodeOf } from "../core/run-event.ts";
import { at, call } from "./net.ts";
import type { RunStore } from "./store.ts";

/** More are forgotten, the oldest first. */
const KEPT_MAX = 200;

/** So many items of a map are put together; the rest is told by its number. */
const ITEMS_MAX = 50;

const made = new WeakMap<RunStore, Values>();

/** The values of a run; the share page has none, so the store does not know them. */
export function valuesOf(store: RunStore): Values {
  let values = made.get(store);
  if (values === undefined) {
    values = new Values(store);
    made.set(store, values);
  }
  return values;
}

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
    if (e.type === "ContainerCompleted")
      return at(await this.event(e.seq), "data", "output") ?? this.#results(e);
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

  /** What a container gave: the result of its last body, or of a map the list of all. */
  async #results(e: Brief): Promise<unknown> {
    const { events } = this.#store.trace;
    const of = (x: Brief) =>
      x.node === e.node && (x.scope ?? 0) === (e.scope ?? 0) && x.visit === e.visit;
    const own = events.slice(0, e.seq).filter(of);
    const listed = own.some((x) => x.type === "ContainerStarted" && x.count !== undefined);
    const ended = own
      .filter((x) => x.type === "BodyCompleted" || (x.type === "BodyFailed" && x.handled === true))
      .sort((a, b) => (a.index ?? 0) - (b.index ?? 0));
    const list = await Promise.all(
      (listed ? ended.slice(0, ITEMS_MAX) : ended.slice(-1)).map((x) => this.#result(x)),
    );
    const given = list.filter((value) => value !== undefined);
    if (!listed) return given[0] ?? null;
    return ended.length > ITEMS_MAX ? [...given, `… ${ended.length - ITEMS_MAX}`] : given;
  }

  /** What one body gave; of a failed one its error, when that is kept. */
  async #result(body: Brief): Promise<unknown> {
    const data = at(await this.event(body.seq), "data");
    if (body.type === "BodyFailed")
      return at(data, "kept") === "collect" ? { error: at(data, "error") } : undefined;
    const results = at(data, "results");
    const named = Array.isArray(results) ? results : [];
    const values = await Promise.all(
      named.map(async (r: unknown) => {
        const seq = at(r, "seq");
        const e = typeof seq === "number" ? this.#store.trace.events[seq - 1] : undefined;
        return [String(at(r, "node")), e === undefined ? undefined : await this.output(e)] as const;
      }),
    );
    return at(data, "keyed") === true ? Object.fromEntries(values) : (values[0]?.[1] ?? null);
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
