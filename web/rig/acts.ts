// What a person does to a test run, over HTTP.

import type { Held } from "../core/run-rig.ts";
import { at, call, message } from "../run/net.ts";

/** One test run, as its controls see it. */
export class Rig {
  readonly id: string;
  readonly #fault: (text: string) => void;

  constructor(id: string, fault: (text: string) => void) {
    this.id = id;
    this.#fault = fault;
  }

  next(): Promise<boolean> {
    return this.#act("clock", { to: "next" });
  }

  advance(by: string): Promise<boolean> {
    return this.#act("clock", { advance: by });
  }

  skip(on: boolean): Promise<boolean> {
    return this.#act("clock", { skip_waits: on });
  }

  /** The breakpoints of the run become these. */
  breaks(keys: readonly string[]): Promise<boolean> {
    return this.#act("arrange", { breakpoints: keys });
  }

  release(held: Held, step: boolean, input?: { readonly value: unknown }): Promise<boolean> {
    const { node, scope, visit } = held;
    return this.#act("release", {
      node,
      scope,
      visit,
      step,
      ...(input ? { input: input.value } : {}),
    });
  }

  stop(): Promise<boolean> {
    return this.#act("cancel", {});
  }

  /** What the held visit would get; undefined: it is too large to be shown. */
  async inputOf(held: Held): Promise<unknown> {
    const e = await call("GET", `/api/runs/${this.id}/events/${held.seq}`);
    const input = at(e, "data", "input");
    return at(input, "$payload") === undefined ? (input ?? null) : undefined;
  }

  async #act(path: string, body: unknown): Promise<boolean> {
    try {
      await call("POST", `/api/runs/${this.id}/${path}`, body);
      return true;
    } catch (fault) {
      this.#fault(message(fault));
      return false;
    }
  }
}
